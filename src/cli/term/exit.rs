//! The exit codes, a contract with scripts. They are listed here and nowhere else.

use std::process::ExitCode;

/// How the program ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum Exit {
    /// Everything asked for was done.
    Done = 0,
    /// A claim did not hold, a shard was missing, or a bot misbehaved.
    ClaimFailed = 1,
    /// The command line or an input was wrong.
    Usage = 2,
    /// Another process holds the search's state.
    Locked = 73,
    /// A file could not be read or written.
    Io = 74,
    /// Stopped by a signal, a stop file or a time limit, with a checkpoint to go on from.
    Stopped = 75,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> ExitCode {
        ExitCode::from(exit as u8)
    }
}
