//! What every command shares of the terminal: exit codes, errors, output.

pub mod exit;
pub mod fault;
pub mod file;
pub mod output;
pub mod plot;
pub mod signals;
