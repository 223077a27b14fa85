//! What every command shares of the terminal: exit codes, errors, input, output, numbers.

pub mod exit;
pub mod fault;
pub mod file;
pub mod input;
pub mod numbers;
pub mod output;
pub mod plot;
pub mod signals;
