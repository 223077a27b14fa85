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
pub type Rank = u8;

/// Chance: a number below the one given, each equally likely.
pub type Chance<'a> = &'a mut dyn FnMut(usize) -> usize;

/// Why cards cannot be laid.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Refusal {
    /// At least one card is due.
    Nothing,
    /// Fewer cards of the rank are in the hand than were laid.
    NotHeld {
        /// The rank.
        rank: Rank,
        /// How many were laid.
        laid: usize,
        /// How many are in the hand.
        held: usize,
    },
}

/// What came of the cards that were laid.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// Nobody called; they stay on the pile.
    Uncalled,
    /// The caller was wrong and took the pile, in the order it lay.
    Truth {
        /// Who called.
        caller: usize,
        /// The pile, the lowest card first.
        taken: Vec<Rank>,
    },
    /// The mover had lied and took the pile; a card of the caller's hand opens the next one.
    Lie {
        /// Who called.
        caller: usize,
        /// The pile, the lowest card first.
        taken: Vec<Rank>,
        /// The caller's card.
        given: Rank,
    },
}

/// How a game ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Over {
    /// This player has no cards left and won.
    Emptied(usize),
    /// Only this player is left and won.
    LastOne(usize),
    /// The rounds are over and nobody won.
    RoundLimit,
}

/// A game.
#[derive(Clone, Debug)]
pub struct State {
    hands: [Vec<Rank>; SEATS],
    live: [bool; SEATS],
    pile: Vec<Rank>,
    /// How many cards on top of the pile the mover laid this turn.
    laid: usize,
    /// Turns that are over, those of players who are out included.
    turns: u64,
    rounds: u64,
    over: Option<Over>,
}

impl State {
    /// Deals thirteen cards to each, shuffled by `shuffle`, for at most so many rounds.
    pub fn deal(rounds: u64, shuffle: &mut dyn FnMut(&mut [Rank])) -> State {
        let mut deck: Vec<Rank> = (0..RANKS as Rank).flat_map(|rank| [rank; 4]).collect();
        shuffle(&mut deck);
        let hands = std::array::from_fn(|seat| deck[seat * HAND..][..HAND].to_vec());
        State::new(hands, rounds)
    }

    /// A game that opens with these hands.
    pub fn new(hands: [Vec<Rank>; SEATS], rounds: u64) -> State {
        State {
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
    pub fn rank(&self) -> Rank {
        (self.turns % RANKS) as Rank
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
    pub fn hand(&self, player: usize) -> &[Rank] {
        &self.hands[player]
    }

    /// How many cards each holds.
    pub fn sizes(&self) -> [usize; SEATS] {
        std::array::from_fn(|player| self.hands[player].len())
    }

    /// The pile, the lowest card first.
    pub fn pile(&self) -> &[Rank] {
        &self.pile
    }

    /// The cards that the mover laid this turn.
    pub fn laid(&self) -> &[Rank] {
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
    pub fn over(&self) -> Option<Over> {
        self.over
    }

    /// Who won.
    pub fn winner(&self) -> Option<usize> {
        match self.over? {
            Over::Emptied(player) | Over::LastOne(player) => Some(player),
            Over::RoundLimit => None,
        }
    }

    /// The mover lays cards, in this order, on the pile. A refusal changes nothing.
    pub fn lay(&mut self, ranks: &[Rank]) -> Result<(), Refusal> {
        if ranks.is_empty() {
            return Err(Refusal::Nothing);
        }
        let mover = self.mover();
        let count = |cards: &[Rank], rank| cards.iter().filter(|&&card| card == rank).count();
        for &rank in ranks {
            let (laid, held) = (count(ranks, rank), count(&self.hands[mover], rank));
            if laid > held {
                return Err(Refusal::NotHeld { rank, laid, held });
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
    pub fn settle(&mut self, callers: &[usize], chance: Chance) -> Outcome {
        let mover = self.mover();
        let outcome = if callers.is_empty() {
            Outcome::Uncalled
        } else {
            let caller = callers[chance(callers.len())];
            let lie = self.is_lie();
            let taken = std::mem::take(&mut self.pile);
            if lie {
                self.hands[mover].extend(&taken);
                let index = chance(self.hands[caller].len());
                let given = self.hands[caller].remove(index);
                self.pile.push(given);
                Outcome::Lie {
                    caller,
                    taken,
                    given,
                }
            } else {
                self.hands[caller].extend(&taken);
                Outcome::Truth { caller, taken }
            }
        };
        // At most one hand is empty: a caller's only when the mover took the pile.
        let emptied = self.live().find(|&player| self.hands[player].is_empty());
        self.over = self.over.or(emptied.map(Over::Emptied));
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
            self.over = self.over.or(Some(Over::LastOne(last)));
        }
    }

    fn end_turn(&mut self) {
        self.laid = 0;
        self.turns += 1;
        if self.over.is_none() && self.turns >= self.rounds * SEATS as u64 {
            self.over = Some(Over::RoundLimit);
        }
    }
}
