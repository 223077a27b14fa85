//! Camicia (Beggar-My-Neighbour), exactly: single games with proof, hunts for records, and matches
//! between programs.

pub mod cards;
pub mod cli;
pub mod game;
pub mod referee;
pub mod search;
