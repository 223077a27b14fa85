//! The rules of BS, pure: four hands, a pile, the cards a player lays and who doubts them.
//!
//! Cards are only numbers: of one rank none differs from another. Cards are never lost: they lie in
//! the pile or in a hand, also in the hand of a player who is out.

/// Players of a game.
pub const SEATS: usize = 4;
/// Cards dealt to each.
pub const HAND: usize = 13;
/// Ranks of a deck, from 0; four cards of each.
pub const RANKS: u64 = 13;

/// What stands on a card: 0 to 12.
pub type BsRank = u8;

/// Draw: a number below the one given, each equally likely.
pub type Draw<'a> = &'a mut dyn FnMut(usize) -> usize;

/// Why cards cannot be laid.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BsRefusal {
    /// At least one card is due.
    Nothing,
    /// Fewer cards of the rank are in the hand than were laid.
    NotHeld {
        /// The rank.
        rank: BsRank,
        /// How many were laid.
        laid: usize,
        /// How many are in the hand.
        held: usize,
    },
}

/// What came of the cards that were laid.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Settled {
    /// Nobody called; they stay on the pile.
    Uncalled,
    /// The caller was wrong and took the pile, in the order it lay.
    Truth {
        /// Who called.
        caller: usize,
        /// The pile, the lowest card first.
        taken: Vec<BsRank>,
    },
    /// The mover had lied and took the pile; a card of the caller's hand opens the next one.
    Lie {
        /// Who called.
        caller: usize,
        /// The pile, the lowest card first.
        taken: Vec<BsRank>,
        /// The caller's card.
        given: BsRank,
    },
}

/// How a game ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BsOver {
    /// This player has no cards left and won.
    Emptied(usize),
    /// Only this player is left and won.
    LastOne(usize),
    /// The rounds are over and nobody won.
    RoundLimit,
}

/// A game.
#[derive(Clone, Debug)]
pub struct BsState {
    hands: [Vec<BsRank>; SEATS],
    live: [bool; SEATS],
    pile: Vec<BsRank>,
    /// How many cards on top of the pile the mover laid this turn.
    laid: usize,
    /// Turns that are over, those of players who are out included.
    turns: u64,
    rounds: u64,
    over: Option<BsOver>,
}

impl BsState {
    /// Deals thirteen cards to each, shuffled by `shuffle`, for at most so many rounds.
    pub fn deal(rounds: u64, shuffle: &mut dyn FnMut(&mut [BsRank])) -> BsState {
        let mut deck: Vec<BsRank> = (0..RANKS as BsRank).flat_map(|rank| [rank; 4]).collect();
        shuffle(&mut deck);
        let hands = std::array::from_fn(|seat| deck[seat * HAND..][..HAND].to_vec());
        BsState::new(hands, rounds)
    }

    /// A game that opens with these hands.
    pub fn new(hands: [Vec<BsRank>; SEATS], rounds: u64) -> BsState {
        BsState {
            hands,
            live: [true; SEATS],
            pile: Vec::new(),
            laid: 0,
            turns: 0,
            rounds,
            over: None,
        }
    }

    /// Whose turn it is, a player who is out included.
    pub fn mover(&self) -> usize {
        (self.turns % SEATS as u64) as usize
    }

    /// The rank the mover must say: it goes up by one from turn to turn and begins anew after 12.
    pub fn rank(&self) -> BsRank {
        (self.turns % RANKS) as BsRank
    }

    /// The round of this turn, from 0.
    pub fn round(&self) -> u64 {
        self.turns / SEATS as u64
    }

    /// Whether this turn is the first of its round.
    pub fn opens_round(&self) -> bool {
        self.mover() == 0
    }

    /// A hand, in the order its cards came.
    pub fn hand(&self, player: usize) -> &[BsRank] {
        &self.hands[player]
    }

    /// How many cards each holds.
    pub fn sizes(&self) -> [usize; SEATS] {
        std::array::from_fn(|player| self.hands[player].len())
    }

    /// The pile, the lowest card first.
    pub fn pile(&self) -> &[BsRank] {
        &self.pile
    }

    /// The cards that the mover laid this turn.
    pub fn laid(&self) -> &[BsRank] {
        &self.pile[self.pile.len() - self.laid..]
    }

    /// Whether those who play by the cards just laid are lied to: one wrong card is enough.
    pub fn is_lie(&self) -> bool {
        self.laid().iter().any(|&rank| rank != self.rank())
    }

    /// Whether a player is still in the game.
    pub fn is_live(&self, player: usize) -> bool {
        self.live[player]
    }

    /// The players still in the game.
    pub fn live(&self) -> impl Iterator<Item = usize> + '_ {
        (0..SEATS).filter(|&player| self.live[player])
    }

    /// How it ended, once it has.
    pub fn over(&self) -> Option<BsOver> {
        self.over
    }

    /// Who won.
    pub fn winner(&self) -> Option<usize> {
        match self.over? {
            BsOver::Emptied(player) | BsOver::LastOne(player) => Some(player),
            BsOver::RoundLimit => None,
        }
    }

    /// The mover lays cards, in this order, on the pile. A refusal changes nothing.
    pub fn lay(&mut self, ranks: &[BsRank]) -> Result<(), BsRefusal> {
        if ranks.is_empty() {
            return Err(BsRefusal::Nothing);
        }
        let mover = self.mover();
        let count = |cards: &[BsRank], rank| cards.iter().filter(|&&card| card == rank).count();
        for &rank in ranks {
            let (laid, held) = (count(ranks, rank), count(&self.hands[mover], rank));
            if laid > held {
                return Err(BsRefusal::NotHeld { rank, laid, held });
            }
        }
        for &rank in ranks {
            let hand = &mut self.hands[mover];
            let index = hand.iter().position(|&card| card == rank);
            hand.remove(index.expect("counted above"));
        }
        self.pile.extend(ranks);
        self.laid = ranks.len();
        Ok(())
    }

    /// Ends a turn in which cards were laid. Of those who call one is drawn; callers are live, and the
    /// mover is none of them.
    pub fn settle(&mut self, callers: &[usize], chance: Draw) -> Settled {
        let mover = self.mover();
        let outcome = if callers.is_empty() {
            Settled::Uncalled
        } else {
            let caller = callers[chance(callers.len())];
            let lie = self.is_lie();
            let taken = std::mem::take(&mut self.pile);
            if lie {
                self.hands[mover].extend(&taken);
                let index = chance(self.hands[caller].len());
                let given = self.hands[caller].remove(index);
                self.pile.push(given);
                Settled::Lie {
                    caller,
                    taken,
                    given,
                }
            } else {
                self.hands[caller].extend(&taken);
                Settled::Truth { caller, taken }
            }
        };
        // At most one hand is empty: a caller's only when the mover took the pile.
        let emptied = self.live().find(|&player| self.hands[player].is_empty());
        self.over = self.over.or(emptied.map(BsOver::Emptied));
        self.end_turn();
        outcome
    }

    /// Ends the turn of a player who is out: nothing is laid, and the rank passes.
    pub fn skip(&mut self) {
        self.end_turn();
    }

    /// A player is out of the game. Its cards stay with it.
    pub fn remove(&mut self, player: usize) {
        self.live[player] = false;
        let left: Vec<usize> = self.live().collect();
        if let [last] = left[..] {
            self.over = self.over.or(Some(BsOver::LastOne(last)));
        }
    }

    fn end_turn(&mut self) {
        self.laid = 0;
        self.turns += 1;
        if self.over.is_none() && self.turns >= self.rounds * SEATS as u64 {
            self.over = Some(BsOver::RoundLimit);
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::chance::Generator;

    /// Chance without any: always the first.
    fn first(_: usize) -> usize {
        0
    }

    fn game(hands: [&[BsRank]; SEATS]) -> BsState {
        BsState::new(hands.map(<[BsRank]>::to_vec), 1000)
    }

    #[test]
    fn every_rank_is_dealt_four_times() {
        let mut random = Generator::of(1, 2, 3);
        let state = BsState::deal(1000, &mut |deck| random.shuffle(deck));
        assert_eq!(state.sizes(), [13; SEATS]);
        assert_eq!(census(&state), [4; RANKS as usize]);
        assert_eq!((state.mover(), state.rank(), state.round()), (0, 0, 0));
    }

    #[test]
    fn ranks_go_up_from_turn_to_turn_and_begin_anew_after_12() {
        let mut state = game([&[0], &[0], &[0], &[0]]);
        let mut seen = Vec::new();
        for _ in 0..27 {
            seen.push((state.mover(), state.rank(), state.round()));
            state.skip();
        }
        assert_eq!(
            seen[..5],
            [(0, 0, 0), (1, 1, 0), (2, 2, 0), (3, 3, 0), (0, 4, 1)]
        );
        assert_eq!(seen[12..15], [(0, 12, 3), (1, 0, 3), (2, 1, 3)]);
        assert_eq!(seen[26], (2, 0, 6));
    }

    #[test]
    fn one_wrong_card_among_right_ones_is_a_lie() {
        let mut state = game([&[0, 1, 0, 5], &[7, 8], &[9], &[10]]);
        state.lay(&[0, 0, 1]).unwrap();
        assert!(state.is_lie());
        let outcome = state.settle(&[1], &mut |bound| bound - 1);
        let lie = Settled::Lie {
            caller: 1,
            taken: vec![0, 0, 1],
            given: 8,
        };
        assert_eq!(outcome, lie);
        assert_eq!(state.hand(0), [5, 0, 0, 1]);
        assert_eq!(state.hand(1), [7]);
        assert_eq!(state.pile(), [8]);
        assert_eq!(state.over(), None);
    }

    #[test]
    fn the_truth_costs_the_caller_the_pile_in_the_order_it_lay() {
        let mut state = game([&[3, 0, 0], &[5, 1], &[2, 9], &[4]]);
        state.lay(&[3]).unwrap();
        assert_eq!(state.settle(&[], &mut first), Settled::Uncalled);
        state.lay(&[5]).unwrap();
        assert_eq!(state.settle(&[], &mut first), Settled::Uncalled);
        assert_eq!(state.pile(), [3, 5]);
        state.lay(&[2]).unwrap();
        let truth = Settled::Truth {
            caller: 3,
            taken: vec![3, 5, 2],
        };
        assert_eq!(state.settle(&[3], &mut first), truth);
        assert_eq!(state.hand(3), [4, 3, 5, 2]);
        assert!(state.pile().is_empty());
        // The pile opens anew, and the given card is the lowest of the next one.
        state.lay(&[4]).unwrap();
        state.settle(&[0], &mut first);
        assert_eq!(state.pile(), [0]);
        state.lay(&[0]).unwrap();
        assert_eq!(state.pile(), [0, 0]);
    }

    #[test]
    fn a_caller_with_one_card_who_is_right_wins() {
        let mut state = game([&[1, 2, 3], &[9], &[5, 5], &[6, 6]]);
        state.lay(&[1]).unwrap();
        state.settle(&[1], &mut first);
        assert_eq!(state.over(), Some(BsOver::Emptied(1)));
        assert_eq!(state.winner(), Some(1));
        assert_eq!(state.pile(), [9]);
    }

    #[test]
    fn last_cards_win_unless_they_were_a_lie_and_called() {
        let last = |card: BsRank, callers: &[usize]| {
            let mut state = game([&[card], &[5, 6], &[5, 5], &[6, 6]]);
            state.lay(&[card]).unwrap();
            assert_eq!(state.sizes()[0], 0);
            state.settle(callers, &mut first);
            state.over()
        };
        assert_eq!(last(0, &[]), Some(BsOver::Emptied(0)));
        assert_eq!(last(0, &[2, 3]), Some(BsOver::Emptied(0)));
        assert_eq!(last(7, &[]), Some(BsOver::Emptied(0)));
        assert_eq!(last(7, &[1]), None);
    }

    #[test]
    fn cards_that_are_not_held_are_refused_and_nothing_changes() {
        let mut state = game([&[0, 0, 4], &[1], &[1], &[1]]);
        assert_eq!(state.lay(&[]), Err(BsRefusal::Nothing));
        let refusal = |rank, laid, held| Err(BsRefusal::NotHeld { rank, laid, held });
        assert_eq!(state.lay(&[5]), refusal(5, 1, 0));
        assert_eq!(state.lay(&[0, 0, 0]), refusal(0, 3, 2));
        assert_eq!(state.lay(&[4, 0, 4]), refusal(4, 2, 1));
        assert_eq!(state.hand(0), [0, 0, 4]);
        assert!(state.pile().is_empty());
    }

    #[test]
    fn of_callers_each_is_drawn_alike() {
        let mut random = Generator::of(5, 5, 5);
        let (mut drawn, mut given) = ([0u32; SEATS], [0u32; 4]);
        for _ in 0..9000 {
            let mut state = game([&[7, 8], &[0, 1, 2, 3], &[0, 1, 2, 3], &[0, 1, 2, 3]]);
            state.lay(&[7]).unwrap();
            let outcome = state.settle(&[1, 2, 3], &mut |bound| random.below(bound));
            let Settled::Lie {
                caller,
                given: card,
                ..
            } = outcome
            else {
                panic!("{outcome:?}");
            };
            drawn[caller] += 1;
            given[usize::from(card)] += 1;
        }
        // 3000 and 2250 are expected, with standard deviations of 45 and 41.
        assert_eq!(drawn[0], 0);
        assert!(
            drawn[1..].iter().all(|n| (2800..3200).contains(n)),
            "{drawn:?}"
        );
        assert!(given.iter().all(|n| (2070..2430).contains(n)), "{given:?}");
    }

    #[test]
    fn a_player_who_is_out_keeps_its_cards_and_the_last_one_wins() {
        let mut state = game([&[0, 1], &[2], &[3], &[4]]);
        state.remove(0);
        state.skip();
        assert_eq!((state.mover(), state.rank()), (1, 1));
        assert_eq!(state.hand(0), [0, 1]);
        state.remove(2);
        assert_eq!(state.over(), None);
        state.remove(1);
        assert_eq!(state.over(), Some(BsOver::LastOne(3)));
        assert_eq!(state.winner(), Some(3));
    }

    #[test]
    fn the_rounds_end() {
        let mut state = BsState::new([vec![0; 9], vec![1; 9], vec![2; 9], vec![3; 9]], 2);
        for turn in 0..8 {
            assert_eq!(state.over(), None, "{turn}");
            let card = state.mover() as BsRank;
            state.lay(&[card]).unwrap();
            state.settle(&[], &mut first);
        }
        assert_eq!(state.over(), Some(BsOver::RoundLimit));
        assert_eq!(state.winner(), None);
        // A win in the very last turn stays a win.
        let mut state = BsState::new([vec![9, 9], vec![9, 9], vec![9, 9], vec![3]], 1);
        for _ in 0..4 {
            let card = state.hand(state.mover())[0];
            state.lay(&[card]).unwrap();
            state.settle(&[], &mut first);
        }
        assert_eq!(state.over(), Some(BsOver::Emptied(3)));
    }

    /// How many cards of each rank are anywhere.
    fn census(state: &BsState) -> [usize; RANKS as usize] {
        let mut counts = [0; RANKS as usize];
        let hands = (0..SEATS).flat_map(|player| state.hand(player));
        for &rank in hands.chain(state.pile()) {
            counts[usize::from(rank)] += 1;
        }
        counts
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(200))]
        #[test]
        fn cards_are_never_lost(seed in any::<u64>(), steps in 1usize..400) {
            let mut random = Generator::of(seed, 0, 0);
            let mut state = BsState::deal(50, &mut |deck| random.shuffle(deck));
            for _ in 0..steps {
                if state.over().is_some() {
                    break;
                }
                let mover = state.mover();
                if !state.is_live(mover) {
                    state.skip();
                    continue;
                }
                if random.below(300) == 0 {
                    state.remove(mover);
                    state.skip();
                    continue;
                }
                let mut cards = state.hand(mover).to_vec();
                random.shuffle(&mut cards);
                cards.truncate(1 + random.below(5));
                let before = state.sizes()[mover];
                state.lay(&cards).unwrap();
                prop_assert_eq!(state.laid(), cards.as_slice());
                prop_assert_eq!(state.sizes()[mover], before - cards.len());
                let callers: Vec<usize> = state
                    .live()
                    .filter(|&player| player != mover)
                    .filter(|_| random.below(3) == 0)
                    .collect();
                state.settle(&callers, &mut |bound| random.below(bound));
                prop_assert_eq!(census(&state), [4; RANKS as usize]);
                let empty = state.live().filter(|&player| state.hand(player).is_empty()).count();
                prop_assert!(empty <= 1);
                prop_assert_eq!(empty == 1, matches!(state.over(), Some(BsOver::Emptied(_))));
            }
        }
    }
}
