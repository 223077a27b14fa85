//! The rules of Uno, pure: a state, an action of the player whose turn it is, and what came of it.
//!
//! Cards are never lost: they are in the pile, in the discards, or in a hand, also in the hand of a
//! player who is out.

use super::cards::{UnoCard, UnoSuit, UnoValue};
use crate::chance::Generator;

/// What a game is played with.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Setup {
    /// Decks of 54 cards.
    pub decks: usize,
    /// Cards dealt to each player.
    pub hand: usize,
    /// After this many turns the game ends as if the pile were empty.
    pub turns: u64,
}

/// A number that may be asked for of the pile, or a card to play with the suit to follow.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum UnoAction {
    Discard(UnoCard, Option<UnoSuit>),
    Buy(u64),
}

/// What came of an action.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum UnoStep {
    /// The card lies on the table; the suit is given for cards that ask for one.
    Discarded(UnoCard, Option<UnoSuit>),
    /// So many were asked for, and these were left to take.
    Bought(u64, Vec<UnoCard>),
    /// Nothing happened, and the turn is over.
    Refused(UnoRefusal),
    /// A debt was not paid: the player is out.
    Unpaid(u64),
}

/// Why an action is refused.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum UnoRefusal {
    /// It is no action.
    Unreadable,
    /// The card is not in the hand.
    NotHeld(UnoCard),
    /// The card fits neither value nor suit.
    DoesNotFit(UnoCard),
    /// A card that asks for no suit or number that is none.
    BuyNothing,
}

/// How a game ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum UnoOver {
    /// This player's hand is empty.
    Emptied(usize),
    /// Only this player is left.
    LastOne(usize),
    /// A card was due and the pile was empty.
    PileEmpty,
    /// The cap on turns was reached.
    TurnCap,
}

/// A game.
#[derive(Clone, Debug)]
pub struct UnoState {
    setup: Setup,
    hands: Vec<Vec<UnoCard>>,
    live: Vec<bool>,
    pile: Vec<UnoCard>,
    discards: Vec<UnoCard>,
    suit: UnoSuit,
    debt: u64,
    mover: usize,
    backwards: bool,
    turns: u64,
    over: Option<UnoOver>,
}

impl Setup {
    /// Why a game of this many players cannot be dealt, if so. Whatever is dealt, a number card must be
    /// left to open with.
    pub fn check(&self, players: usize) -> Result<(), String> {
        let numbers = UnoCard::deck().filter(|card| is_number(*card)).count() * self.decks;
        let dealt = players * self.hand;
        if self.hand == 0 {
            return Err("a hand has at least one card".to_owned());
        }
        if dealt >= numbers {
            return Err(format!(
                "{players} hands of {} cards leave too few of {} deck(s); take smaller hands or more decks",
                self.hand, self.decks
            ));
        }
        Ok(())
    }
}

fn is_number(card: UnoCard) -> bool {
    matches!(card.value, UnoValue::Number(_))
}

impl UnoState {
    /// Deals. The setup must have been checked for this many players.
    pub fn deal(setup: Setup, players: usize, random: &mut Generator) -> UnoState {
        let mut pile: Vec<UnoCard> = Vec::with_capacity(54 * setup.decks);
        for _ in 0..setup.decks {
            pile.extend(UnoCard::deck());
        }
        random.shuffle(&mut pile);
        let hands = (0..players)
            .map(|_| pile.split_off(pile.len() - setup.hand))
            .collect();
        let mut discards = Vec::new();
        while let Some(card) = pile.pop() {
            discards.push(card);
            if is_number(card) {
                break;
            }
        }
        UnoState::new(setup, hands, pile, discards, random.below(players))
    }

    /// A game that opens with the last of `discards` on the table and the last of `pile` on top.
    pub fn new(
        setup: Setup,
        hands: Vec<Vec<UnoCard>>,
        pile: Vec<UnoCard>,
        discards: Vec<UnoCard>,
        mover: usize,
    ) -> UnoState {
        let suit = discards.last().expect("a card lies on the table").suit;
        UnoState {
            setup,
            live: vec![true; hands.len()],
            hands,
            pile,
            discards,
            suit,
            debt: 0,
            mover,
            backwards: false,
            turns: 0,
            over: None,
        }
    }

    /// The card on the table.
    pub fn table(&self) -> UnoCard {
        *self.discards.last().expect("a card lies on the table")
    }

    /// The suit to follow.
    pub fn suit(&self) -> UnoSuit {
        self.suit
    }

    /// Whose turn it is.
    pub fn mover(&self) -> usize {
        self.mover
    }

    /// What the mover owes.
    pub fn debt(&self) -> u64 {
        self.debt
    }

    /// A hand.
    pub fn hand(&self, player: usize) -> &[UnoCard] {
        &self.hands[player]
    }

    /// How many cards are left to draw.
    pub fn pile(&self) -> usize {
        self.pile.len()
    }

    /// How many cards the game has.
    pub fn cards(&self) -> u64 {
        54 * self.setup.decks as u64
    }

    /// How many play, those who are out included.
    pub fn players(&self) -> usize {
        self.hands.len()
    }

    /// All cards of the game, sorted: those of the hands, of the pile, and the discards.
    pub fn census(&self) -> Vec<UnoCard> {
        let hands = self.hands.iter().flatten();
        let mut cards: Vec<UnoCard> = hands
            .chain(&self.pile)
            .chain(&self.discards)
            .copied()
            .collect();
        cards.sort_unstable();
        cards
    }

    /// Turns taken.
    pub fn turns(&self) -> u64 {
        self.turns
    }

    /// Whether the player is still in the game.
    pub fn is_live(&self, player: usize) -> bool {
        self.live[player]
    }

    /// The players still in the game.
    pub fn live(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.live.len()).filter(|&player| self.live[player])
    }

    /// How it ended, once it has.
    pub fn over(&self) -> Option<UnoOver> {
        self.over
    }

    /// Those who won: of a game that ended for want of cards or turns, the live players with the
    /// fewest cards.
    pub fn winners(&self) -> Vec<usize> {
        match self.over {
            None => Vec::new(),
            Some(UnoOver::Emptied(player) | UnoOver::LastOne(player)) => vec![player],
            Some(UnoOver::PileEmpty | UnoOver::TurnCap) => {
                let fewest = self.live().map(|player| self.hands[player].len()).min();
                self.live()
                    .filter(|&player| Some(self.hands[player].len()) == fewest)
                    .collect()
            }
        }
    }

    /// Whether a card may be discarded by one who owes nothing.
    pub fn fits(&self, card: UnoCard) -> bool {
        card.value.is_wild() || card.value == self.table().value || card.suit == self.suit
    }

    /// The mover acts; `None` stands for words that are no action.
    pub fn act(&mut self, action: Option<UnoAction>) -> UnoStep {
        let step = self.step(action);
        self.turns += 1;
        if let UnoStep::Unpaid(_) = step {
            self.remove(self.mover);
        } else {
            self.pass_on(&step);
        }
        self.cap();
        step
    }

    /// The mover is out of the game without having acted.
    pub fn forfeit(&mut self) {
        self.turns += 1;
        self.remove(self.mover);
        self.cap();
    }

    fn step(&mut self, action: Option<UnoAction>) -> UnoStep {
        if self.debt > 0 && action != Some(UnoAction::Buy(self.debt)) {
            return UnoStep::Unpaid(self.debt);
        }
        match action {
            None => UnoStep::Refused(UnoRefusal::Unreadable),
            Some(UnoAction::Buy(0)) => UnoStep::Refused(UnoRefusal::BuyNothing),
            Some(UnoAction::Buy(count)) => {
                let left = self.pile.len();
                let taken = left.min(usize::try_from(count).unwrap_or(usize::MAX));
                let cards: Vec<UnoCard> = self.pile.drain(left - taken..).rev().collect();
                self.hands[self.mover].extend(&cards);
                self.debt = 0;
                if count > taken as u64 {
                    self.over = Some(UnoOver::PileEmpty);
                }
                UnoStep::Bought(count, cards)
            }
            Some(UnoAction::Discard(card, suit)) => {
                let hand = &mut self.hands[self.mover];
                let Some(index) = hand.iter().position(|&held| held == card) else {
                    return UnoStep::Refused(UnoRefusal::NotHeld(card));
                };
                if !self.fits(card) {
                    return UnoStep::Refused(UnoRefusal::DoesNotFit(card));
                }
                let hand = &mut self.hands[self.mover];
                hand.remove(index);
                if hand.is_empty() {
                    self.over = Some(UnoOver::Emptied(self.mover));
                }
                self.discards.push(card);
                self.suit = match suit {
                    Some(suit) if card.value.is_wild() => suit,
                    _ => card.suit,
                };
                self.debt = card.value.debt();
                UnoStep::Discarded(card, card.value.is_wild().then_some(self.suit))
            }
        }
    }

    /// Gives the turn to who is next after a step.
    fn pass_on(&mut self, step: &UnoStep) {
        let mut places = 1;
        if let UnoStep::Discarded(card, _) = step {
            match card.value {
                UnoValue::Queen => self.backwards = !self.backwards,
                UnoValue::King => places = 2,
                _ => {}
            }
        }
        for _ in 0..places {
            self.mover = self.after(self.mover);
        }
    }

    /// The next live player after this one, who need not be live.
    fn after(&self, player: usize) -> usize {
        let players = self.live.len();
        let step = if self.backwards { players - 1 } else { 1 };
        let mut next = player;
        loop {
            next = (next + step) % players;
            if self.live[next] || next == player {
                return next;
            }
        }
    }

    fn remove(&mut self, player: usize) {
        self.live[player] = false;
        self.debt = 0;
        self.mover = self.after(player);
        let left: Vec<usize> = self.live().collect();
        if let [last] = left[..] {
            self.over = Some(UnoOver::LastOne(last));
        }
    }

    fn cap(&mut self) {
        if self.over.is_none() && self.turns >= self.setup.turns {
            self.over = Some(UnoOver::TurnCap);
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const SETUP: Setup = Setup {
        decks: 1,
        hand: 7,
        turns: 2000,
    };

    fn card(text: &str) -> UnoCard {
        UnoCard::parse(text.as_bytes()).unwrap_or_else(|| panic!("{text}"))
    }

    fn cards(text: &str) -> Vec<UnoCard> {
        text.split_whitespace().map(card).collect()
    }

    /// Hands, the pile (drawn from the end), the table; the first player moves.
    fn state(hands: &[&str], pile: &str, table: &str) -> UnoState {
        let hands = hands.iter().map(|hand| cards(hand)).collect();
        UnoState::new(SETUP, hands, cards(pile), cards(table), 0)
    }

    fn play(state: &mut UnoState, text: &str) -> UnoStep {
        let suit = |text: &str| UnoSuit::parse(text.as_bytes()).unwrap();
        let mut words = text.split(' ');
        let first = card(words.next().unwrap());
        state.act(Some(UnoAction::Discard(first, words.next().map(suit))))
    }

    fn buy(state: &mut UnoState, count: u64) -> UnoStep {
        state.act(Some(UnoAction::Buy(count)))
    }

    #[test]
    fn value_or_suit_or_a_card_that_fits_anywhere() {
        let mut game = state(&["5♥ 6♠ A♦ C♥ 9♣", "2♥ 2♦"], "3♦ 4♦", "5♠");
        assert!(
            ["5♥", "6♠", "A♦", "C♥"]
                .iter()
                .all(|text| game.fits(card(text)))
        );
        assert_eq!(
            play(&mut game, "9♣"),
            UnoStep::Refused(UnoRefusal::DoesNotFit(card("9♣")))
        );
        assert_eq!(game.hand(0).len(), 5, "the card stays");
        assert_eq!(game.mover(), 1, "the turn is lost");
        assert_eq!(
            play(&mut game, "7♠"),
            UnoStep::Refused(UnoRefusal::NotHeld(card("7♠")))
        );
        assert_eq!(play(&mut game, "5♥"), UnoStep::Discarded(card("5♥"), None));
        assert_eq!(game.suit(), UnoSuit::Hearts);
        assert_eq!(play(&mut game, "2♥"), UnoStep::Discarded(card("2♥"), None));
    }

    #[test]
    fn an_ace_asks_for_a_suit_or_keeps_its_own() {
        let mut game = state(&["A♦ 2♠", "2♣ 3♣", "A♥ 3♥"], "", "5♠");
        assert_eq!(
            play(&mut game, "A♦ ♣"),
            UnoStep::Discarded(card("A♦"), Some(UnoSuit::Clubs))
        );
        assert!(
            game.fits(card("9♣")) && !game.fits(card("9♦")),
            "the suit asked for counts"
        );
        play(&mut game, "2♣");
        assert_eq!(
            play(&mut game, "A♥"),
            UnoStep::Discarded(card("A♥"), Some(UnoSuit::Hearts))
        );
        assert_eq!(game.suit(), UnoSuit::Hearts);
        let mut plain = state(&["6♠ 2♥", "2♣"], "", "5♠");
        assert_eq!(
            play(&mut plain, "6♠ ♥"),
            UnoStep::Discarded(card("6♠"), None)
        );
        assert_eq!(
            plain.suit(),
            UnoSuit::Spades,
            "a suit after a plain card means nothing"
        );
    }

    #[test]
    fn debts_are_paid_and_the_value_stays_matchable() {
        let mut game = state(&["V♠ 2♠", "2♣ 3♣", "V♥ 3♥"], "9♦ 8♦ 7♦", "5♠");
        play(&mut game, "V♠");
        assert_eq!((game.mover(), game.debt()), (1, 2));
        assert_eq!(buy(&mut game, 2), UnoStep::Bought(2, cards("7♦ 8♦")));
        assert_eq!(
            (game.mover(), game.debt()),
            (2, 0),
            "that was the whole turn"
        );
        assert_eq!(play(&mut game, "V♥"), UnoStep::Discarded(card("V♥"), None));
        assert_eq!((game.mover(), game.debt()), (0, 2));
        let mut game = state(&["C♥ 2♠", "2♣"], "9♦ 8♦ 7♦ 6♦ 5♦", "5♠");
        play(&mut game, "C♥ ♣");
        assert_eq!(game.debt(), 4);
        assert_eq!(buy(&mut game, 4), UnoStep::Bought(4, cards("5♦ 6♦ 7♦ 8♦")));
        assert_eq!(game.suit(), UnoSuit::Clubs);
    }

    #[test]
    fn an_unpaid_debt_puts_out_and_is_cancelled() {
        for action in [
            None,
            Some(UnoAction::Buy(1)),
            Some(UnoAction::Buy(0)),
            Some(UnoAction::Buy(4)),
            Some(UnoAction::Discard(card("V♣"), None)),
        ] {
            let mut game = state(&["V♠ 2♠", "V♣ 3♣", "3♠ 3♥"], "9♦ 8♦ 7♦", "5♠");
            play(&mut game, "V♠");
            assert_eq!(
                game.act(action),
                UnoStep::Unpaid(2),
                "no stacking, no other number"
            );
            assert!(!game.is_live(1));
            assert_eq!((game.mover(), game.debt(), game.pile()), (2, 0, 3));
            assert_eq!(game.over(), None);
            play(&mut game, "3♠");
            assert_eq!(game.mover(), 0, "who is out is passed over");
        }
        let mut game = state(&["V♠ 2♠", "V♣ 3♣"], "9♦", "5♠");
        play(&mut game, "V♠");
        game.act(None);
        assert_eq!(game.over(), Some(UnoOver::LastOne(0)));
        assert_eq!(game.winners(), [0]);
    }

    #[test]
    fn queens_turn_and_kings_skip() {
        let mut game = state(&["D♠ D♥ 2♠", "2♥ 3♥", "D♦ 3♠"], "", "5♠");
        play(&mut game, "D♠");
        assert_eq!(game.mover(), 2);
        play(&mut game, "D♦");
        assert_eq!(game.mover(), 0);
        let mut game = state(&["R♠ 2♠", "2♥ 3♥", "R♦ 3♠"], "", "5♠");
        play(&mut game, "R♠");
        assert_eq!(game.mover(), 2);
        play(&mut game, "R♦");
        assert_eq!(game.mover(), 1, "from the last over the first");
        let mut two = state(&["D♠ R♠ 2♠", "D♥ 3♥ R♥"], "", "5♠");
        play(&mut two, "D♠");
        assert_eq!(two.mover(), 1, "the other plays");
        play(&mut two, "D♥");
        assert_eq!(two.mover(), 0);
        let mut two = state(&["R♠ 3♠ 2♠", "D♥ 3♥ R♥"], "", "5♠");
        play(&mut two, "R♠");
        assert_eq!(two.mover(), 0, "the same plays again");
    }

    #[test]
    fn an_emptied_hand_wins_at_once() {
        let mut game = state(&["V♠", "2♥"], "9♦", "5♠");
        play(&mut game, "V♠");
        assert_eq!(game.over(), Some(UnoOver::Emptied(0)));
        assert_eq!(game.winners(), [0]);
    }

    #[test]
    fn an_empty_pile_ends_the_game_when_a_card_is_due() {
        let mut game = state(&["2♠ 3♠", "2♥ 3♥", "4♥ 6♥ 7♥"], "9♦ 8♦", "5♠");
        assert_eq!(buy(&mut game, 2), UnoStep::Bought(2, cards("8♦ 9♦")));
        assert_eq!(game.over(), None, "the last card was there");
        assert_eq!(buy(&mut game, 1), UnoStep::Bought(1, vec![]));
        assert_eq!(game.over(), Some(UnoOver::PileEmpty));
        assert_eq!(game.winners(), [1]);
        let mut game = state(&["2♠ 3♠", "2♥", "4♥"], "9♦ 8♦", "5♠");
        assert_eq!(
            buy(&mut game, u64::MAX),
            UnoStep::Bought(u64::MAX, cards("8♦ 9♦"))
        );
        assert_eq!(game.winners(), [1, 2], "those with the fewest share");
    }

    #[test]
    fn buying_nothing_and_reading_nothing_cost_the_turn() {
        let mut game = state(&["2♠", "2♥"], "9♦ 8♦", "5♠");
        assert_eq!(buy(&mut game, 0), UnoStep::Refused(UnoRefusal::BuyNothing));
        assert_eq!(game.act(None), UnoStep::Refused(UnoRefusal::Unreadable));
        assert_eq!((game.mover(), game.pile(), game.turns()), (0, 2, 2));
    }

    #[test]
    fn the_turns_have_a_cap() {
        let setup = Setup { turns: 3, ..SETUP };
        let hands = vec![cards("2♠ 3♠"), cards("2♥"), cards("4♥ 3♦")];
        let mut game = UnoState::new(setup, hands, cards("9♦ 8♦"), cards("5♠"), 0);
        for _ in 0..3 {
            assert_eq!(game.over(), None);
            game.act(None);
        }
        assert_eq!(game.over(), Some(UnoOver::TurnCap));
        assert_eq!(game.winners(), [1]);
    }

    #[test]
    fn one_who_forfeits_takes_the_debt_along() {
        let mut game = state(&["V♠ 2♠", "V♣ 3♣", "3♠ 3♥"], "9♦ 8♦ 7♦", "5♠");
        play(&mut game, "V♠");
        game.forfeit();
        assert_eq!((game.mover(), game.debt(), game.is_live(1)), (2, 0, false));
        game.forfeit();
        assert_eq!(game.winners(), [0]);
    }

    #[test]
    fn only_what_leaves_a_number_card_can_be_dealt() {
        assert!(SETUP.check(4).is_ok());
        assert!(Setup { hand: 8, ..SETUP }.check(4).is_ok());
        assert!(Setup { hand: 9, ..SETUP }.check(4).is_err());
        assert!(
            Setup {
                hand: 17,
                decks: 2,
                ..SETUP
            }
            .check(4)
            .is_ok()
        );
        assert!(Setup { hand: 0, ..SETUP }.check(2).is_err());
    }

    /// What a player may try: a card of the hand, any card, a number, nonsense.
    fn tries() -> impl Strategy<Value = Vec<(u8, u16, u8)>> {
        prop::collection::vec((0..10u8, any::<u16>(), 0..5u8), 1..400)
    }

    proptest! {
        #[test]
        fn cards_are_conserved_turns_follow_and_debts_are_paid_or_punished(
            players in 2..=4usize,
            decks in 1..=2usize,
            seed in any::<u64>(),
            tries in tries(),
        ) {
            let setup = Setup { decks, hand: 7, turns: 300 };
            let mut game = UnoState::deal(setup, players, &mut Generator::of(seed, 0, 0));
            prop_assert!(is_number(game.table()));
            let mut all: Vec<UnoCard> = (0..decks).flat_map(|_| UnoCard::deck()).collect();
            all.sort();
            // The model: who is in, which way round, what is owed.
            let mut ring: Vec<usize> = (0..players).collect();
            let mut forwards = true;
            for (kind, which, suit) in tries {
                if game.over().is_some() {
                    break;
                }
                let before = game.clone();
                let mover = before.mover();
                let hand = before.hand(mover);
                let suit = UnoSuit::ALL.get(usize::from(suit)).copied();
                let action = match kind {
                    0 => None,
                    1 => Some(UnoAction::Buy(u64::from(which % 9))),
                    2 => Some(UnoAction::Discard(UnoCard::deck().nth(usize::from(which) % 54).unwrap(), suit)),
                    3 | 4 => Some(UnoAction::Buy(before.debt().max(1))),
                    _ if before.debt() > 0 && kind < 9 => Some(UnoAction::Buy(before.debt())),
                    _ => Some(UnoAction::Discard(hand[usize::from(which) % hand.len()], suit)),
                };
                let step = game.act(action);

                let mut now: Vec<UnoCard> = game.hands.concat();
                now.extend(&game.pile);
                now.extend(&game.discards);
                now.sort();
                prop_assert_eq!(&now, &all, "no card is lost or made");

                let paid = before.debt() > 0 && action == Some(UnoAction::Buy(before.debt()));
                prop_assert_eq!(before.debt() > 0 && !paid, matches!(step, UnoStep::Unpaid(_)));
                let place = ring.iter().position(|&player| player == mover).unwrap();
                let mut step_size = 1;
                let mut owed = 0;
                match step {
                    UnoStep::Unpaid(_) => {}
                    UnoStep::Refused(_) => {
                        prop_assert_eq!(game.hand(mover), hand);
                        prop_assert_eq!(game.table(), before.table());
                    }
                    UnoStep::Bought(count, cards) => {
                        prop_assert_eq!(cards.len() as u64, count.min(before.pile() as u64));
                        prop_assert_eq!(game.hand(mover).len(), hand.len() + cards.len());
                    }
                    UnoStep::Discarded(card, asked) => {
                        prop_assert!(hand.contains(&card));
                        let fits = card.value == before.table().value || card.suit == before.suit();
                        prop_assert!(fits || card.value.is_wild());
                        prop_assert_eq!(asked.is_some(), card.value.is_wild());
                        prop_assert_eq!(game.table(), card);
                        owed = match card.value { UnoValue::Jack => 2, UnoValue::Joker => 4, _ => 0 };
                        if card.value == UnoValue::Queen { forwards = !forwards; }
                        if card.value == UnoValue::King { step_size = 2; }
                    }
                }
                let size = ring.len();
                let next = if forwards { place + step_size } else { place + 2 * size - step_size } % size;
                let next = ring[next];
                if matches!(game.over(), Some(UnoOver::LastOne(_))) || !game.is_live(mover) {
                    ring.retain(|&player| player != mover);
                }
                prop_assert_eq!(game.live().collect::<Vec<_>>(), ring.clone());
                prop_assert_eq!(game.mover(), next);
                prop_assert_eq!(game.debt(), owed);
                prop_assert_eq!(game.winners().is_empty(), game.over().is_none());
            }
        }
    }
}
