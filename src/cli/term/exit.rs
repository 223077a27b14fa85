//! The exit codes, a contract with scripts. They are listed here and nowhere else.

use std::process::ExitCode;

/// How the program ended.
///
/// A second signal `N` that asks for a stop ends the process at once with code 128 + `N`
/// (`second_signal`), as a shell reports a process that a signal ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum Exit {
    /// The program did everything that was asked for, or the reader of its output left early
    /// (`| head`).
    Done = 0,
    /// A claim did not hold, a shard was missing, or a bot misbehaved.
    ClaimFailed = 1,
    /// The command line was wrong, or what a file or standard input says.
    Usage = 2,
    /// The program itself is wrong: a bug to report.
    Bug = 70,
    /// Another process holds the state of the search, or the results of the match.
    Locked = 73,
    /// A file, or the program's own output, could not be opened, read or written: it is missing,
    /// permission is denied, the disk is full.
    Io = 74,
    /// A signal, a stop file or a time limit stopped the program; what it did is saved, and it can
    /// be resumed.
    Stopped = 75,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> ExitCode {
        ExitCode::from(exit as u8)
    }
}

/// The exit code after a second signal of this number.
pub fn second_signal(signal: i32) -> i32 {
    128 + signal
}
