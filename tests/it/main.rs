//! One integration binary: a file a subject.

mod arena;
mod referee;
mod uno;
