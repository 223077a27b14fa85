//! Starts the bots, carries lines both ways, keeps the clock and ends every process. It knows no game.

pub mod bot;
pub mod builtin;
pub mod entry;
pub mod game;
pub mod isolate;
pub mod keeper;
pub mod launch;
pub mod limits;
pub mod log;
pub mod process;
pub mod settings;
pub mod stop;
pub mod table;
pub mod words;

#[cfg(test)]
pub mod script;
