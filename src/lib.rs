//! Camicia (Beggar-My-Neighbour), exactly: single games with proof, hunts for records, and matches
//! between programs.
//!
//! Data flows one way, from room to room:
//!
//! - [`cards`]: what is dealt. Symbols, decks, deals, the notations they are written in, and the
//!   index of a deal. It knows no game.
//! - [`game`]: how it is played. The [exact](game::exact) engine, which judges all others; games
//!   [packed](game::packed) into registers; many [lanes](game::lanes) of them at once; and play
//!   [backward](game::closure). It knows no search.
//! - [`deals`]: where the deals of a search come from. Random deals with addresses, and deals in the
//!   order of their indices.
//! - [`search`]: how deals are explored. Plans, blocks and shards; the ways of searching; the
//!   runner, its checkpoints and results. [`mod@bench`] is the work by which engines are measured.
//! - [`referee`] stands beside: matches between programs. It shares only chance with the rest.
//! - [`pages`]: what is looked at: replays, reports and plots. It only renders.
//! - [`cli`]: the program. Only this room knows a terminal.
//!
//! None of `cards`, `game` and `deals` prints, or reads a clock or a file. A test keeps the arrows
//! pointing down (`tests/it/storeys.rs`).
//!
//! # Example
//!
//! Play a deal, prove that it never ends, and find every deal that enters the same cycle:
//!
//! ```
//! use camicia::cards::Reader;
//! use camicia::game::{Span, closure, exact};
//!
//! let deal = Reader::default()
//!     .deal("---K---Q-KQAJ-----AAJ--J--/----------Q----KQ-J-----KA")?;
//! let verdict = exact::play(&deal);
//! assert!(verdict.is_loop());
//! assert_eq!(verdict.played, Span { cards: 474, tricks: 66 });
//!
//! let tree = closure::close(&deal, &verdict, [26, 26], closure::DEFAULT_BOUND)?;
//! assert_eq!(tree.walk.states, 2_670);
//! assert_eq!(tree.deals.len(), 30);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod bench;
pub mod cards;
mod chance;
pub mod cli;
pub mod deals;
pub mod game;
pub mod pages;
pub mod referee;
pub mod search;
