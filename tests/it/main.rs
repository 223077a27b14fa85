//! Integration tests: one binary, a file a subject.

mod barbu;
mod bs;
mod cards;
mod commands;
mod cycles;
mod documents;
mod exhaust;
mod game;
mod grow;
mod hunt;
mod lanes;
mod referee;
mod search;
mod storeys;
mod support;
mod table;
mod uno;
