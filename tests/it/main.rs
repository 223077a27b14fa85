//! Integration tests: one binary, a file a subject.

mod cards;
mod commands;
mod game;
mod lanes;
mod readme;
