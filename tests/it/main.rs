//! Integration tests: one binary, a file a subject.

mod barbu;
#[cfg(feature = "boinc")]
mod boinc;
mod bs;
mod cards;
mod commands;
mod cycles;
mod documents;
mod exhaust;
mod game;
mod gpu;
mod grow;
mod hunt;
mod lanes;
mod pages;
mod readers;
mod referee;
mod schedulers;
mod search;
mod storeys;
mod support;
mod table;
mod terminal;
mod tournament;
mod uno;
mod workunit;
