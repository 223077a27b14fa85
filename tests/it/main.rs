//! Integration tests: one binary, a file a subject.

mod cards;
mod commands;
mod exhaust;
mod game;
mod hunt;
mod lanes;
mod readme;
mod search;
