//! The rules of Uno, pure: a state, an action of the player whose turn it is, and what came of it.
//!
//! Cards are never lost: they are in the pile, in the discards, or in a hand, also in the hand of a
//! player who is out.

use super::super::random::Random;
use super::cards::{Card, Suit, Value};

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
pub enum Action {
    Discard(Card, Option<Suit>),
    Buy(u64),
}

/// What came of an action.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Step {
    /// The card lies on the table; the suit is given for cards that ask for one.
    Discarded(Card, Option<Suit>),
    /// So many were asked for, and these were left to take.
    Bought(u64, Vec<Card>),
    /// Nothing happened, and the turn is over.
    Refused(Refusal),
    /// A debt was not paid: the player is out.
    Unpaid(u64),
}

/// Why an action is refused.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Refusal {
    /// It is no action.
    Unreadable,
    /// The card is not in the hand.
    NotHeld(Card),
    /// The card fits neither value nor suit.
    DoesNotFit(Card),
    /// A card that asks for no suit or number that is none.
    BuyNothing,
}

/// How a game ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Over {
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
pub struct State {
    setup: Setup,
    hands: Vec<Vec<Card>>,
    live: Vec<bool>,
    pile: Vec<Card>,
    discards: Vec<Card>,
    suit: Suit,
    debt: u64,
    mover: usize,
    backwards: bool,
    turns: u64,
    over: Option<Over>,
}

impl Setup {
    /// Why a game of this many players cannot be dealt, if so. Whatever is dealt, a number card must be
    /// left to open with.
    pub fn check(&self, players: usize) -> Result<(), String> {
        let numbers = Card::deck().filter(|card| is_number(*card)).count() * self.decks;
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

fn is_number(card: Card) -> bool {
    matches!(card.value, Value::Number(_))
}

impl State {
    /// Deals. The setup must have been checked for this many players.
    pub fn deal(setup: Setup, players: usize, random: &mut Random) -> State {
        let mut pile: Vec<Card> = Vec::with_capacity(54 * setup.decks);
        for _ in 0..setup.decks {
            pile.extend(Card::deck());
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
        State::new(setup, hands, pile, discards, random.below(players))
    }

    /// A game that opens with the last of `discards` on the table and the last of `pile` on top.
    pub fn new(
        setup: Setup,
        hands: Vec<Vec<Card>>,
        pile: Vec<Card>,
        discards: Vec<Card>,
        mover: usize,
    ) -> State {
        let suit = discards.last().expect("a card lies on the table").suit;
        State {
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
    pub fn table(&self) -> Card {
        *self.discards.last().expect("a card lies on the table")
    }

    /// The suit to follow.
    pub fn suit(&self) -> Suit {
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
    pub fn hand(&self, player: usize) -> &[Card] {
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
    pub fn over(&self) -> Option<Over> {
        self.over
    }

    /// Those who won: of a game that ended for want of cards or turns, the live players with the
    /// fewest cards.
    pub fn winners(&self) -> Vec<usize> {
        match self.over {
            None => Vec::new(),
            Some(Over::Emptied(player) | Over::LastOne(player)) => vec![player],
            Some(Over::PileEmpty | Over::TurnCap) => {
                let fewest = self.live().map(|player| self.hands[player].len()).min();
                self.live()
                    .filter(|&player| Some(self.hands[player].len()) == fewest)
                    .collect()
            }
        }
    }

    /// Whether a card may be discarded by one who owes nothing.
    pub fn fits(&self, card: Card) -> bool {
        card.value.is_wild() || card.value == self.table().value || card.suit == self.suit
    }

    /// The mover acts; `None` stands for words that are no action.
    pub fn act(&mut self, action: Option<Action>) -> Step {
        let step = self.step(action);
        self.turns += 1;
        if let Step::Unpaid(_) = step {
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

    fn step(&mut self, action: Option<Action>) -> Step {
        if self.debt > 0 && action != Some(Action::Buy(self.debt)) {
            return Step::Unpaid(self.debt);
        }
        match action {
            None => Step::Refused(Refusal::Unreadable),
            Some(Action::Buy(0)) => Step::Refused(Refusal::BuyNothing),
            Some(Action::Buy(count)) => {
                let left = self.pile.len();
                let taken = left.min(usize::try_from(count).unwrap_or(usize::MAX));
                let cards: Vec<Card> = self.pile.drain(left - taken..).rev().collect();
                self.hands[self.mover].extend(&cards);
                self.debt = 0;
                if count > taken as u64 {
                    self.over = Some(Over::PileEmpty);
                }
                Step::Bought(count, cards)
            }
            Some(Action::Discard(card, suit)) => {
                let hand = &mut self.hands[self.mover];
                let Some(index) = hand.iter().position(|&held| held == card) else {
                    return Step::Refused(Refusal::NotHeld(card));
                };
                if !self.fits(card) {
                    return Step::Refused(Refusal::DoesNotFit(card));
                }
                let hand = &mut self.hands[self.mover];
                hand.remove(index);
                if hand.is_empty() {
                    self.over = Some(Over::Emptied(self.mover));
                }
                self.discards.push(card);
                self.suit = match suit {
                    Some(suit) if card.value.is_wild() => suit,
                    _ => card.suit,
                };
                self.debt = card.value.debt();
                Step::Discarded(card, card.value.is_wild().then_some(self.suit))
            }
        }
    }

    /// Gives the turn to who is next after a step.
    fn pass_on(&mut self, step: &Step) {
        let mut places = 1;
        if let Step::Discarded(card, _) = step {
            match card.value {
                Value::Queen => self.backwards = !self.backwards,
                Value::King => places = 2,
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
            self.over = Some(Over::LastOne(last));
        }
    }

    fn cap(&mut self) {
        if self.over.is_none() && self.turns >= self.setup.turns {
            self.over = Some(Over::TurnCap);
        }
    }
}
