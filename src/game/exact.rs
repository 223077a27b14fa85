//! The exact engine: one card at a time, hands of any size. Slow and obvious, it judges the fast
//! engines and proves loops.
//!
//! A leads. A plain card passes the turn; a payment card makes the other player owe 1 to 4 cards,
//! turned one at a time; a payment card among them replaces the debt. A debt paid in full gives the
//! pile to the player who laid the last payment card: a trick. He puts it under his hand, first
//! card laid on top, and leads. Whoever must play and holds no card gives the pile to the other,
//! which is a trick too and ends the game; so does a trick after which one player holds every card.
//! An empty hand alone ends nothing: its owner may still win the pile.

use std::collections::VecDeque;

use ahash::AHashMap;

use super::verdict::{Outcome, Span, Verdict};
use crate::cards::{Card, Deal, Player};

/// When two states at a trick boundary count as the same.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
pub enum Sameness {
    /// Both hands in order, all plain cards alike, and who leads: what decides the rest of a game.
    #[default]
    Skeleton,
    /// The same with every plain card told apart from every other.
    Distinct,
    /// Both hands in order, all plain cards alike, whoever leads: the literal reading of the
    /// exercise "Camicia", which calls some games loops that end.
    DecksOnly,
}

/// A game that reached the bound on its tricks without a verdict.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Capped {
    /// What was played.
    pub played: Span,
}

/// What happens in one step of a game.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Event {
    /// A player laid his top card.
    Laid {
        /// Who.
        player: Player,
        /// The place of the card in the deal, A's cards first.
        card: usize,
    },
    /// A player collected the pile.
    Collected {
        /// Who.
        player: Player,
    },
}

/// A game in progress.
///
/// ```
/// use camicia::cards::Reader;
/// use camicia::game::exact::Game;
///
/// let deal = Reader::default().deal("2 A/3 4 5 6 7").unwrap();
/// let mut game = Game::new(&deal);
/// while game.step().is_some() {}
/// assert_eq!((game.played().cards, game.played().tricks), (7, 1));
/// ```
#[derive(Clone, Debug)]
pub struct Game {
    /// What each card of the deal pays.
    pays: Vec<u8>,
    /// Places of cards in the deal, top first.
    hands: [VecDeque<u32>; 2],
    pile: Vec<u32>,
    /// Who lays the next card; at a trick boundary, who leads.
    turn: Player,
    /// What `turn` owes; 0 if nothing was asked for.
    debt: u8,
    /// The debt was paid in full, and the pile waits to be collected by the other player.
    paid: bool,
    played: Span,
    winner: Option<Player>,
}

impl Game {
    /// The game of a deal, before its first card.
    pub fn new(deal: &Deal) -> Game {
        let sizes = [Player::A, Player::B].map(|player| deal.hand(player).len() as u32);
        Game {
            pays: deal.cards().map(Card::pays).collect(),
            hands: [
                (0..sizes[0]).collect(),
                (sizes[0]..sizes[0] + sizes[1]).collect(),
            ],
            pile: Vec::new(),
            turn: Player::A,
            debt: 0,
            paid: false,
            played: Span::default(),
            // A has nothing to lay and there is no pile to lose.
            winner: (sizes[0] == 0).then_some(Player::B),
        }
    }

    /// Lays the next card or collects the pile; `None` once the game is over.
    pub fn step(&mut self) -> Option<Event> {
        if self.winner.is_some() {
            return None;
        }
        let player = self.turn;
        if self.paid || self.hands[player.index()].is_empty() {
            return Some(self.collect(player.other()));
        }
        let card = self.hands[player.index()].pop_front().expect("not empty");
        self.pile.push(card);
        self.played.cards += 1;
        match self.pays[card as usize] {
            0 if self.debt == 0 => self.turn = player.other(),
            0 => {
                self.debt -= 1;
                self.paid = self.debt == 0;
            }
            pays => {
                self.debt = pays;
                self.turn = player.other();
            }
        }
        Some(Event::Laid {
            player,
            card: card as usize,
        })
    }

    fn collect(&mut self, player: Player) -> Event {
        self.hands[player.index()].extend(self.pile.drain(..));
        self.played.tricks += 1;
        self.turn = player;
        self.debt = 0;
        self.paid = false;
        if self.hands[player.other().index()].is_empty() {
            self.winner = Some(player);
        }
        Event::Collected { player }
    }

    /// Plays to the next trick boundary; `false` once the game is over.
    pub fn trick(&mut self) -> bool {
        while let Some(event) = self.step() {
            if matches!(event, Event::Collected { .. }) {
                return true;
            }
        }
        false
    }

    /// The hand of `player`: places of cards in the deal, top first.
    pub fn hand(&self, player: Player) -> impl ExactSizeIterator<Item = usize> + '_ {
        self.hands[player.index()].iter().map(|&card| card as usize)
    }

    /// The pile: places of cards in the deal, first card laid first.
    pub fn pile(&self) -> impl ExactSizeIterator<Item = usize> + '_ {
        self.pile.iter().map(|&card| card as usize)
    }

    /// Who owes how many cards, if anyone does.
    pub fn debt(&self) -> Option<(Player, u8)> {
        (self.debt > 0).then_some((self.turn, self.debt))
    }

    /// Who lays the next card; at a trick boundary, who leads.
    pub fn turn(&self) -> Player {
        self.turn
    }

    /// What was played so far.
    pub fn played(&self) -> Span {
        self.played
    }

    /// The winner, once the game is over.
    pub fn winner(&self) -> Option<Player> {
        self.winner
    }

    /// What a state is compared by.
    fn symbol(&self, card: u32, sameness: Sameness) -> u32 {
        match (self.pays[card as usize], sameness) {
            (0, Sameness::Distinct) => card + 5,
            (pays, _) => u32::from(pays),
        }
    }

    fn same_state(&self, other: &Game, sameness: Sameness) -> bool {
        let symbols = |game: &Game, at: usize| {
            game.hands[at]
                .iter()
                .map(|&card| game.symbol(card, sameness))
                .collect::<Vec<_>>()
        };
        (sameness == Sameness::DecksOnly || self.turn == other.turn)
            && (0..2).all(|at| symbols(self, at) == symbols(other, at))
    }
}

/// Plays a deal to its verdict.
pub fn play(deal: &Deal) -> Verdict {
    match play_until(deal, Sameness::Skeleton, u64::MAX) {
        Ok(verdict) => verdict,
        Err(_) => unreachable!("no game has 2^64 tricks"),
    }
}

/// Plays a deal to its verdict, or until `tricks` tricks were played without one.
///
/// # Errors
/// [`Capped`] at the bound.
pub fn play_until(deal: &Deal, sameness: Sameness, tricks: u64) -> Result<Verdict, Capped> {
    // Fixed keys: a rare double hash must be as rare in every run.
    let keys = ahash::RandomState::with_seeds(1, 2, 3, 4);
    judge(deal, sameness, tricks, |game| {
        let turn = (sameness != Sameness::DecksOnly).then_some(game.turn);
        let hands = game.hands.each_ref().map(|hand| {
            hand.iter()
                .map(|&card| game.symbol(card, sameness))
                .collect::<Vec<u32>>()
        });
        keys.hash_one((turn, hands))
    })
}

/// A hash finds the states that may have come back; the states themselves decide.
fn judge(
    deal: &Deal,
    sameness: Sameness,
    tricks: u64,
    hash: impl Fn(&Game) -> u64,
) -> Result<Verdict, Capped> {
    let mut game = Game::new(deal);
    // The tricks at which a state of this hash was seen.
    let mut seen: AHashMap<u64, Vec<u64>> = AHashMap::new();
    loop {
        if let Some(winner) = game.winner {
            return Ok(Verdict {
                played: game.played,
                outcome: Outcome::Finished { winner },
            });
        }
        let before = seen.entry(hash(&game)).or_default();
        for &then in before.iter() {
            let mut earlier = Game::new(deal);
            while earlier.played.tricks < then {
                earlier.trick();
            }
            if game.same_state(&earlier, sameness) {
                let lead_in = earlier.played;
                let period = Span {
                    cards: game.played.cards - lead_in.cards,
                    tricks: game.played.tricks - lead_in.tricks,
                };
                return Ok(Verdict {
                    played: game.played,
                    outcome: Outcome::Loop { lead_in, period },
                });
            }
        }
        if game.played.tricks >= tricks {
            return Err(Capped {
                played: game.played,
            });
        }
        before.push(game.played.tricks);
        game.trick();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cards::Reader;

    fn deal(text: &str) -> Deal {
        Reader::default().deal(text).unwrap()
    }

    fn summary(text: &str) -> (u64, u64, Option<Player>) {
        let verdict = play(&deal(text));
        (
            verdict.played.cards,
            verdict.played.tricks,
            verdict.winner(),
        )
    }

    #[test]
    fn empty_hands() {
        assert_eq!(summary("/2"), (0, 0, Some(Player::B)));
        assert_eq!(summary("2/"), (1, 1, Some(Player::A)));
        assert_eq!(summary("J/"), (1, 1, Some(Player::A)));
    }

    #[test]
    fn an_empty_hand_may_win_the_pile_it_asked_for() {
        // A's last card is a jack; B pays it; A takes the pile with an empty hand and goes on.
        assert_eq!(summary("J/2 3"), (4, 2, Some(Player::A)));
        let mut game = Game::new(&deal("J/2 3"));
        game.step();
        assert_eq!(game.hand(Player::A).len(), 0);
        assert_eq!(game.debt(), Some((Player::B, 1)));
        game.step();
        assert_eq!(game.step(), Some(Event::Collected { player: Player::A }));
        assert_eq!((game.winner(), game.hand(Player::A).len()), (None, 2));
    }

    #[test]
    fn a_debt_paid_with_ones_last_card_is_the_last_trick() {
        assert_eq!(summary("J 4/2"), (2, 1, Some(Player::A)));
    }

    #[test]
    fn loops_are_proved_whatever_the_hash_says() {
        let loops = deal("J 2 3/4 J 5");
        let verdict = play(&loops);
        assert_eq!(
            verdict.played,
            Span {
                cards: 8,
                tricks: 3
            }
        );
        assert_eq!(
            verdict.outcome,
            Outcome::Loop {
                lead_in: Span {
                    cards: 2,
                    tricks: 1
                },
                period: Span {
                    cards: 6,
                    tricks: 2
                }
            }
        );
        for hash in [
            |_: &Game| 7,
            |game: &Game| u64::from(game.turn == Player::A),
        ] {
            assert_eq!(
                judge(&loops, Sameness::Skeleton, u64::MAX, hash),
                Ok(verdict)
            );
            let finished = deal("4 8 9 J Q 8/10 J 3 2 4 10 4 7");
            assert_eq!(
                judge(&finished, Sameness::Skeleton, u64::MAX, hash),
                Ok(play(&finished))
            );
        }
    }

    #[test]
    fn the_leader_is_part_of_the_state() {
        let deal = deal("Q 2 3/4 5 J 6");
        assert_eq!(
            play(&deal).played,
            Span {
                cards: 14,
                tricks: 4
            }
        );
        let literal = play_until(&deal, Sameness::DecksOnly, u64::MAX).unwrap();
        assert!(literal.is_loop());
        assert_eq!(
            literal.played,
            Span {
                cards: 6,
                tricks: 2
            }
        );
    }

    #[test]
    fn plain_cards_told_apart_close_a_loop_later() {
        let casella = deal("---K---Q-KQAJ-----AAJ--J--/----------Q----KQ-J-----KA");
        assert_eq!(
            play(&casella).played,
            Span {
                cards: 474,
                tricks: 66
            }
        );
        let apart = play_until(&casella, Sameness::Distinct, u64::MAX).unwrap();
        assert_eq!(
            apart.played,
            Span {
                cards: 33_034,
                tricks: 4_654
            }
        );
    }

    #[test]
    fn a_bound_is_reported() {
        let long = deal("---AJ--Q---------QAKQJJ-QK/-----A----KJ-K--------A---");
        let capped = play_until(&long, Sameness::Skeleton, 100).unwrap_err();
        assert_eq!(capped.played.tricks, 100);
        assert_eq!(
            play(&long).played,
            Span {
                cards: 8344,
                tricks: 1164
            }
        );
    }
}
