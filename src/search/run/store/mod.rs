//! The folder of a running search: its state, the generation before, its finds, and its lock.
//!
//! ```text
//! state            the newest state
//! state.previous   the one before, used if the newest is damaged
//! finds.jsonl      finds, one a line, in the order they were made
//! status.json      for scripts
//! lock             held by the one process that works here
//! stop             made by a person: the search saves and leaves
//! ```
//!
//! A state counts the bytes of `finds.jsonl` that belong to it, and their crc32. Finds reach the
//! disk before the state that counts them; what lies beyond is found again after a resume.
//!
//! - [`State files`](Saved): what is saved, and the frame around it.
//! - [`Folder`]: where everything lies; [`Held`] once it is locked.
//! - [`Journal`]: finds on their way to the disk.

mod folder;
mod frame;
mod journal;
#[cfg(test)]
mod tests;

pub use folder::{Folder, Held, Loaded, LockError, StoreError};
pub use frame::{Extent, FORMAT, Saved};
pub use journal::Journal;
