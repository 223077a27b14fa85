//! Integration tests: one binary, a file a subject.

mod arena;
mod barbu;
mod bs;
mod cards;
mod commands;
mod exhaust;
mod game;
mod grow;
mod hunt;
mod lanes;
mod pages;
mod readme;
mod referee;
mod search;
mod table;
mod uno;
