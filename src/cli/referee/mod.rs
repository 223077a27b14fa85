//! `camicia match`: matches between programs.

pub mod barbu;
pub mod bs;
pub mod options;
pub mod run;
pub mod show;
pub mod uno;
