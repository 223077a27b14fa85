//! The exact engine as the replay page calls it.
//!
//! The modules are the program's own files: there is no second engine. The page writes the text
//! of a deal into a buffer, calls [`play`], and reads JSON back: a film, or an error in words.
#![allow(dead_code, unused_imports)] // the page needs only a part of the rooms

use std::cell::RefCell;

#[path = "../../src/cards/mod.rs"]
mod cards;

mod game;

#[path = "../../src/pages/replay/film.rs"]
mod film;

use cards::{Reader, Split};
use film::{Film, Take};
use game::exact::Sameness;

thread_local! {
    static TEXT: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
    static ANSWER: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

/// Makes room for a text of `bytes` bytes, and says where to write it.
#[unsafe(no_mangle)]
pub extern "C" fn text(bytes: usize) -> *mut u8 {
    TEXT.with_borrow_mut(|text| {
        text.clear();
        text.resize(bytes, 0);
        text.as_mut_ptr()
    })
}

/// Plays the deal that was written; gives the length of the answer, which lies at [`answer`].
///
/// `how` is a sum: 1 if digits say what a card pays, 2 if the text is one string dealt A, B, A,
/// B ..., 4 if plain cards are told apart.
#[unsafe(no_mangle)]
pub extern "C" fn play(how: u32) -> usize {
    let json = TEXT.with_borrow(|text| reply(text, how));
    ANSWER.with_borrow_mut(|answer| {
        *answer = json.into_bytes();
        answer.len()
    })
}

/// Where the answer lies.
#[unsafe(no_mangle)]
pub extern "C" fn answer() -> *const u8 {
    ANSWER.with_borrow(|answer| answer.as_ptr())
}

fn reply(text: &[u8], how: u32) -> String {
    let reader = Reader {
        digits: how & 1 != 0,
        whole: if how & 2 != 0 {
            Some(Split::Alternating)
        } else if how & 8 != 0 {
            Some(Split::Halves)
        } else {
            None
        },
    };
    let take = Take {
        digits: reader.digits,
        sameness: if how & 4 != 0 {
            Sameness::Distinct
        } else {
            Sameness::Skeleton
        },
        ..Take::default()
    };
    let film = std::str::from_utf8(text)
        .map_err(|error| error.to_string())
        .and_then(|text| Film::read(text, reader, take).map_err(|error| error.to_string()));
    match film {
        Ok(film) => serde_json::to_string(&film).unwrap_or_else(|error| sorry(&error.to_string())),
        Err(error) => sorry(&error),
    }
}

fn sorry(error: &str) -> String {
    serde_json::json!({ "error": error }).to_string()
}
