//! Integration tests: one binary, a file a subject.

mod arena;
mod bs;
mod cards;
mod commands;
mod exhaust;
mod game;
mod hunt;
mod lanes;
mod readme;
mod search;
mod referee;
mod uno;
