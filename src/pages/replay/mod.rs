//! The page of a replay: one game, card by card, in one file.
//!
//! The page carries the game's moves, written down by the exact engine, and the engine itself,
//! compiled to WebAssembly (wasm/build.sh), for deals that are pasted into it.

mod film;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use super::sheet::{self, PLAYER, escape, many, script_json};
use crate::game::Span;
pub use film::{Film, FilmError, MAX_LAID, Summary, Take};

const PAGE: &str = include_str!("page.html");
const STYLE: &str = include_str!("replay.css");
const SCRIPT: &str = include_str!("replay.js");

/// The exact engine for WebAssembly, as wasm/build.sh makes it. It takes the text of a deal and
/// gives a [`Film`] as JSON.
pub const ENGINE: &[u8] = include_bytes!("engine.wasm");

/// The page of `film`.
pub fn page(film: &Film) -> String {
    let verdict = spoken(&film.verdict);
    let json = serde_json::to_string(film).expect("numbers and texts are JSON");
    sheet::page(
        &format!("Camicia: {verdict}"),
        &format!("{PLAYER}{STYLE}"),
        "'unsafe-inline' 'wasm-unsafe-eval'",
        PAGE,
        &[
            ("verdict", &escape(&verdict)),
            ("deal", &escape(&film.deal)),
            ("film", &script_json(&json)),
            ("engine", &STANDARD.encode(ENGINE)),
            ("script", SCRIPT),
        ],
    )
}

/// The verdict as a sentence.
fn spoken(verdict: &Summary) -> String {
    let played = format!(
        "{}, {}",
        many(verdict.cards, "card"),
        many(verdict.tricks, "trick")
    );
    let span = |span: Span| {
        format!(
            "{} and {}",
            many(span.cards, "card"),
            many(span.tricks, "trick")
        )
    };
    match (verdict.winner, verdict.lead_in, verdict.period) {
        (Some(winner), ..) => format!("Finished after {played}. {winner} wins."),
        (None, Some(lead_in), Some(period)) => format!(
            "Infinite: after {} it enters a loop of {}.",
            span(lead_in),
            span(period)
        ),
        _ => format!("No verdict after {played}."),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cards::{Deal, Player, Reader};
    use crate::game::cycle::{Cycle, Orbits};
    use crate::game::exact::{self, Sameness};
    use crate::game::packed::State;

    const CASELLA: &str = "---K---Q-KQAJ-----AAJ--J--/----------Q----KQ-J-----KA";

    fn deal(text: &str) -> Deal {
        Reader::default().deal(text).unwrap()
    }

    fn film(text: &str) -> Film {
        Film::of(&deal(text), Take::default()).unwrap()
    }

    #[test]
    fn a_film_ends_where_the_game_does() {
        for text in [CASELLA, "J 2 3/4 J 5", "2 A/3 4 5 6 7", "/2", "J/2 3"] {
            let (film, verdict) = (film(text), exact::play(&deal(text)));
            let laid = film.moves.matches(['A', 'B']).count() as u64;
            let collected = film.moves.matches(['a', 'b']).count() as u64;
            assert_eq!(
                (laid, collected),
                (verdict.played.cards, verdict.played.tricks),
                "{text}"
            );
            assert_eq!(film.moves.len(), film.debts.len());
            assert_eq!(film.verdict, Summary::from(Ok(verdict)));
        }
    }

    #[test]
    fn debts_and_moves_are_those_of_the_rules() {
        let film = film("J 2 3/4 J 5");
        assert_eq!(film.moves, "ABaABAbBABa");
        assert_eq!(film.debts, "50001000500");
        assert_eq!(film.cards, ["J", "2", "3", "4", "J", "5"]);
        assert_eq!(film.pays, "100010");
    }

    /// How many orbits of each size and kind.
    fn sizes(orbits: impl Iterator<Item = usize>) -> Vec<usize> {
        let mut counts = std::collections::BTreeMap::new();
        for orbit in orbits {
            *counts.entry(orbit).or_insert(0) += 1;
        }
        let mut sizes: Vec<usize> = counts.into_values().collect();
        sizes.sort_unstable();
        sizes
    }

    #[test]
    fn orbits_are_those_of_the_packed_cycle() {
        for text in [CASELLA, "J 2 3/4 J 5", "----J--Q--/--K-K-Q-J-"] {
            let film = film(text);
            let start: State = State::of(&deal(text)).unwrap();
            let cycle = Cycle::entered_from(start, 3000).unwrap();
            let wanted: Vec<usize> = {
                let mut sizes: Vec<usize> = Orbits::of(&cycle)
                    .sizes()
                    .iter()
                    .map(|&size| size as usize)
                    .collect();
                sizes.sort_unstable();
                sizes
            };
            let orbits = film.orbits.unwrap();
            assert_eq!(
                sizes(orbits.iter().map(|&orbit| orbit as usize)),
                wanted,
                "{text}"
            );
            for (card, orbit) in orbits.iter().enumerate() {
                let first = orbits.iter().position(|it| it == orbit).unwrap();
                assert_eq!(film.pays.as_bytes()[card], film.pays.as_bytes()[first]);
            }
        }
    }

    #[test]
    fn bounds_are_kept() {
        let take = Take {
            max_tricks: Some(10),
            ..Take::default()
        };
        let film = Film::of(&deal(CASELLA), take).unwrap();
        assert_eq!((film.verdict.status, film.verdict.tricks), ("capped", 10));
        assert_eq!(
            spoken(&film.verdict).split(" after ").next(),
            Some("No verdict")
        );
        // A's hand of plain cards has no end of single cards to lay.
        let long = Deal::new(
            vec![crate::cards::Card::PLAIN; 4_000],
            vec![crate::cards::Card::PLAIN; 4_000],
        )
        .unwrap();
        let film = Film::of(&long, Take::default()).unwrap();
        assert_eq!(
            (film.verdict.cards, film.verdict.winner),
            (8_000, Some(Player::B))
        );
    }

    #[test]
    fn a_decks_only_loop_has_a_film() {
        let take = Take {
            sameness: Sameness::DecksOnly,
            ..Take::default()
        };
        let film = Film::of(&deal("Q 2 3/4 5 J 6"), take).unwrap();
        assert_eq!((film.verdict.status, film.verdict.cards), ("loop", 6));
        assert_eq!(film.orbits.unwrap().len(), 7);
    }

    #[test]
    fn a_page_stands_alone() {
        let page = page(&film("10♥ A♠ 2/Q 3 J 4"));
        assert!(!page.contains("{{"), "every place is filled");
        for asked in ["http://", "https://", "src=", "@import", "url("] {
            assert!(!page.contains(asked), "{asked}");
        }
        assert!(page.contains("10♥"));
    }
}
