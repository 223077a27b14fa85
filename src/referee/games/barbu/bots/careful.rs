//! A player by rules of thumb, which doubles when its hand does better than others in games that it
//! plays in its head.

use super::super::cards::{ACE, BarbuCard, BarbuSuit, Cards, HAND, KING, QUEEN, SEATS};
use super::super::contract::Contract;
use super::super::dominoes::{DominoAction, DominoLayout, Dominoes};
use super::super::tricks::{Tricks, best, worth};
use super::player::{BarbuFollower, BarbuView, Style};
use crate::chance::Generator;

/// Games played in the head before doubling.
const TRIALS: i64 = 40;
/// How much better than another seat, in points a game, a hand must do to double that seat.
const MARGIN: i64 = 2;

/// The player.
pub struct Careful;

impl Style for Careful {
    fn double(&self, game: &BarbuFollower, asked: &[usize], random: &mut Generator) -> Vec<usize> {
        if asked.is_empty() {
            return Vec::new();
        }
        let mut sums = [0; SEATS];
        for _ in 0..TRIALS {
            let scores = trial(game, random);
            sums.iter_mut()
                .zip(scores)
                .for_each(|(sum, score)| *sum += score);
        }
        let mut chosen = asked.to_vec();
        chosen.retain(|&other| sums[game.seat] - sums[other] > MARGIN * TRIALS);
        chosen
    }

    fn trick(&self, sight: &BarbuView, _: &mut Generator) -> BarbuCard {
        choose(sight)
    }

    fn domino(
        &self,
        hand: Cards,
        playable: Cards,
        layout: &DominoLayout,
        _: &mut Generator,
    ) -> BarbuCard {
        domino(hand, playable, layout)
    }
}

/// Deals the cards that are not in the own hand at random, and plays the game with rules of thumb at
/// every seat.
fn trial(game: &BarbuFollower, random: &mut Generator) -> [i64; SEATS] {
    let mut rest: Vec<BarbuCard> = Cards::ALL.without(game.hand).iter().collect();
    random.shuffle(&mut rest);
    let mut rest = rest.chunks_exact(HAND);
    let hands = std::array::from_fn(|seat| match seat == game.seat {
        true => game.hand,
        false => rest.next().unwrap_or_default().iter().copied().collect(),
    });
    if game.contract == Contract::Dominoes {
        let mut dominoes = Dominoes::new(hands);
        while !dominoes.is_over() {
            let hand = dominoes.hand(dominoes.mover());
            let playable = dominoes.layout().playable(hand);
            let action = match playable.is_empty() {
                true => DominoAction::Pass,
                false => DominoAction::Lay(domino(hand, playable, dominoes.layout())),
            };
            dominoes.act(action);
        }
        return dominoes.raw();
    }
    let mut tricks = Tricks::new(game.contract, game.trumps, hands);
    let mut seen = Cards::default();
    while !tricks.is_over() {
        let card = choose(&BarbuView {
            contract: game.contract,
            trumps: game.trumps,
            hand: tricks.hand(tricks.mover()),
            legal: tricks.legal(),
            table: tricks.table(),
            seen,
        });
        seen.insert(card);
        tricks.play(card);
    }
    tricks.raw()
}

fn choose(sight: &BarbuView) -> BarbuCard {
    match (sight.contract, sight.table) {
        (Contract::Trumps, []) => lead_trumps(sight),
        (Contract::Trumps, _) => follow_trumps(sight),
        // Until the last two tricks it is good to be rid of high cards, whoever takes them.
        (Contract::LastTwo, _) if sight.hand.len() > 2 => highest(sight.legal),
        (_, []) => lead(sight),
        (_, [led, ..]) if sight.hand.of(led.suit()).is_empty() => shed(sight),
        _ => duck(sight),
    }
}

impl BarbuView<'_> {
    /// How many cards that others may still hold are higher and lower than this one, in its suit.
    fn around(&self, card: BarbuCard) -> (usize, usize) {
        let unknown = Cards::ALL
            .without(self.hand)
            .without(self.seen)
            .of(card.suit());
        let higher = unknown.iter().filter(|&other| other > card).count();
        (higher, unknown.len() - higher)
    }

    /// Whether the card would take the trick as it lies.
    fn takes(&self, card: BarbuCard) -> bool {
        let mut table = self.table.to_vec();
        table.push(card);
        best(&table, self.trumps) == self.table.len()
    }

    fn is_last(&self) -> bool {
        self.table.len() == SEATS - 1
    }

    /// What the cards cost to whom they fall, from 0 upwards.
    fn cost(&self, card: BarbuCard) -> i64 {
        -worth(self.contract, card)
    }
}

fn highest(cards: Cards) -> BarbuCard {
    let by_rank = |card: &BarbuCard| card.rank();
    cards
        .iter()
        .max_by_key(by_rank)
        .expect("a card may be played")
}

fn lowest(cards: Cards) -> BarbuCard {
    let by_rank = |card: &BarbuCard| card.rank();
    cards
        .iter()
        .min_by_key(by_rank)
        .expect("a card may be played")
}

/// The card for which `worth` is highest, the lowest one among equals.
fn best_by(cards: Cards, worth: impl Fn(BarbuCard) -> i64) -> BarbuCard {
    let mut cards = cards.iter();
    let mut chosen = cards.next().expect("a card may be played");
    for card in cards {
        if worth(card) > worth(chosen) {
            chosen = card;
        }
    }
    chosen
}

/// Leads where others are likely to have to go higher.
fn lead(sight: &BarbuView) -> BarbuCard {
    best_by(sight.legal, |card| {
        let (higher, lower) = sight.around(card);
        // A suit that nobody else has takes the trick and lets everyone throw what they like.
        let alone = if higher == 0 { 40 } else { 0 };
        let dear = 8 * sight.cost(card);
        let bait = match sight.contract {
            // Not into a suit whose high cards are here while its queen is not.
            Contract::Queens => {
                let queen = BarbuCard::new(QUEEN, card.suit());
                let out = !sight.hand.has(queen) && !sight.seen.has(queen);
                if out && card.rank() > QUEEN { 60 } else { 0 }
            }
            Contract::Barbu if card.suit() == BarbuSuit::Hearts => 6,
            Contract::Hearts if card.suit() == BarbuSuit::Hearts => 4,
            _ => 0,
        };
        4 * higher as i64 - 6 * lower as i64 - alone - dear - bait
    })
}

/// Follows suit below what lies; above it only when it must, or when nothing can come of it.
fn duck(sight: &BarbuView) -> BarbuCard {
    let (over, under): (Vec<BarbuCard>, Vec<BarbuCard>) =
        sight.legal.iter().partition(|&card| sight.takes(card));
    let over: Cards = over.into_iter().collect();
    let under: Cards = under.into_iter().collect();
    let on_table: i64 = sight.table.iter().map(|&card| sight.cost(card)).sum();
    let each_trick = matches!(
        sight.contract,
        Contract::Nullo | Contract::Ravage | Contract::LastTwo
    );
    let free: Cards = over.iter().filter(|&card| sight.cost(card) == 0).collect();
    let harmless = !each_trick && on_table == 0;
    if harmless && sight.is_last() && !free.is_empty() {
        // A trick for nothing is the time for high cards. Unless a dear one can be got rid of.
        let dear = under.iter().any(|card| sight.cost(card) > 0);
        if !dear {
            return highest(free);
        }
    }
    if !under.is_empty() {
        return best_by(under, |card| {
            100 * sight.cost(card) + i64::from(card.rank())
        });
    }
    if sight.is_last() {
        // The trick is taken anyway: with the highest card that costs nothing.
        return best_by(over, |card| i64::from(card.rank()) - 100 * sight.cost(card));
    }
    best_by(over, |card| {
        -i64::from(card.rank()) - 100 * sight.cost(card)
    })
}

/// Throws what would do most harm later.
fn shed(sight: &BarbuView) -> BarbuCard {
    best_by(sight.legal, |card| {
        let (_, lower) = sight.around(card);
        let rank = i64::from(card.rank());
        let holds = |rank| sight.hand.has(BarbuCard::new(rank, card.suit()));
        let gone = |rank| sight.seen.has(BarbuCard::new(rank, card.suit()));
        let danger = match sight.contract {
            Contract::Queens if card.rank() > QUEEN && !gone(QUEEN) && !holds(QUEEN) => 200,
            Contract::Barbu if card.suit() == BarbuSuit::Hearts => {
                let killer = card.rank() == ACE && !gone(KING);
                if killer { 200 } else { 20 }
            }
            Contract::Hearts if card.suit() == BarbuSuit::Hearts => 30,
            _ => 0,
        };
        // Low cards of the same suit shelter a high one.
        let shelter = sight
            .hand
            .of(card.suit())
            .iter()
            .filter(|&other| other < card)
            .count();
        100 * sight.cost(card) + danger + 4 * rank + 2 * lower as i64 - 3 * shelter as i64
    })
}

/// Leads what takes the trick, trumps first when there are many; else gives the lead away cheaply.
fn lead_trumps(sight: &BarbuView) -> BarbuCard {
    let trumps = sight.trumps.unwrap_or(BarbuSuit::Clubs);
    let own = sight.hand.of(trumps).len();
    let out = Cards::ALL
        .without(sight.hand)
        .without(sight.seen)
        .of(trumps)
        .len();
    best_by(sight.legal, |card| {
        let (higher, lower) = sight.around(card);
        let rank = i64::from(card.rank());
        let is_trump = card.suit() == trumps;
        match (is_trump, higher) {
            // Draws trumps while others have some.
            (true, 0) if out > 0 => 300 + rank,
            (true, _) if own >= 5 && out > 0 => 150 + rank,
            // A high card is taken by a trump when its suit runs short.
            (false, 0) => 200 + 3 * lower as i64 - 10 * out as i64 / 3,
            (true, _) => -50 - rank,
            (false, _) => 5 * sight.hand.of(card.suit()).len() as i64 - rank,
        }
    })
}

/// Takes the trick as cheaply as it is sure; else gives the lowest card.
fn follow_trumps(sight: &BarbuView) -> BarbuCard {
    let takers: Cards = sight
        .legal
        .iter()
        .filter(|&card| sight.takes(card))
        .collect();
    let trumps = sight.trumps.unwrap_or(BarbuSuit::Clubs);
    let losers = sight.legal.without(takers);
    if takers.is_empty() {
        let plain = losers.without(losers.of(trumps));
        return lowest(if plain.is_empty() { losers } else { plain });
    }
    let led = sight.table[0].suit();
    let by_trump = led != trumps && takers.of(led).is_empty();
    if sight.is_last() || by_trump {
        return lowest(takers);
    }
    let top = highest(takers);
    let (higher, _) = sight.around(top);
    if higher == 0 || losers.is_empty() && takers.len() == 1 {
        return top;
    }
    if losers.is_empty() {
        lowest(takers)
    } else {
        lowest(losers)
    }
}

/// Opens the way to its own far cards, and keeps back what only others wait for.
fn domino(hand: Cards, playable: Cards, layout: &DominoLayout) -> BarbuCard {
    let Some(start) = layout.start() else {
        // The rank that the hand lies closest to.
        return best_by(playable, |card| {
            -hand
                .iter()
                .map(|other| i64::from(other.rank().abs_diff(card.rank())))
                .sum::<i64>()
        });
    };
    best_by(playable, |card| {
        let beyond = |other: &BarbuCard| {
            if card.rank() == start {
                return *other != card;
            }
            (other.rank() > card.rank()) == (card.rank() > start) && *other != card
        };
        let mine = hand.of(card.suit()).iter().filter(beyond);
        let distance: i64 = mine
            .map(|other| 4 + i64::from(other.rank().abs_diff(card.rank())))
            .sum();
        let ends = card.rank() == ACE || card.rank() == 0;
        let next = match card.rank() > start {
            true => card.rank() + 1,
            false => card.rank().saturating_sub(1),
        };
        let opens = !ends && !hand.has(BarbuCard::new(next.min(ACE), card.suit()));
        let cost = if card.rank() == start { 6 } else { 4 };
        distance - if opens { cost } else { 0 } + i64::from(ends)
    })
}
