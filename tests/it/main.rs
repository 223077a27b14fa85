//! Integration tests: one binary, a file a subject.

mod arena;
mod barbu;
mod cards;
mod commands;
mod game;
mod lanes;
mod readme;
mod referee;
mod table;
mod uno;
