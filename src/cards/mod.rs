//! What is dealt: cards, decks, deals, the notations they are written in, and the index of a deal.
//!
//! This room knows no game: it cannot say who wins, only who holds what.

mod card;
mod counting;
mod deal;
mod deck;
mod index;
mod notation;

pub use card::{Card, Rank, Suit};
pub(crate) use counting::gcd;
pub use deal::{Deal, DealError, MAX_CARDS, Player};
pub use deck::{Deck, DeckError, KINDS};
pub use index::{IndexError, Order};
pub use notation::{Notation, NotationError, Reader, Split, WriteError};
