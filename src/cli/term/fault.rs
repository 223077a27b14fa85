//! What a command gives back when it fails: an error and the exit code it means.

use std::io::{self, Write};
use std::path::Path;

use anstyle::{AnsiColor, Style};
use thiserror::Error;

use super::exit::Exit;

/// A failed command: its message, and the exit code that goes with it.
#[derive(Debug)]
pub struct Fault {
    /// The exit code.
    pub exit: Exit,
    /// The message, outermost context first.
    pub error: anyhow::Error,
}

/// What every command returns.
pub type Outcome = Result<Exit, Fault>;

/// The reader of standard output went away. Nothing is said of it.
#[derive(Debug, Error)]
#[error("the reader of the output left")]
struct ReaderLeft;

impl Fault {
    /// A wrong command line or input (exit 2).
    pub fn usage(error: impl Into<anyhow::Error>) -> Fault {
        Fault {
            exit: Exit::Usage,
            error: error.into(),
        }
    }

    /// A file that cannot be opened, read or written (exit 74), with the path in the message.
    pub fn io(path: impl AsRef<Path>, error: impl Into<anyhow::Error>) -> Fault {
        let fault = Fault {
            exit: Exit::Io,
            error: error.into(),
        };
        fault.at(path)
    }

    /// The same fault, with the place it arose in.
    pub fn at(self, place: impl AsRef<Path>) -> Fault {
        let place = place.as_ref().display().to_string();
        Fault {
            error: self.error.context(place),
            ..self
        }
    }

    /// Whether the reader of our output went away, which is no error.
    fn reader_left(&self) -> bool {
        self.error.is::<ReaderLeft>()
    }

    /// Says on standard error what went wrong, in one line, and gives the exit code.
    pub fn report(&self) -> Exit {
        if !self.reader_left() {
            let style = Style::new().bold().fg_color(Some(AnsiColor::Red.into()));
            // If nobody can read it, the exit code still tells.
            let _ = writeln!(
                anstream::stderr(),
                "{style}error{style:#}: {:#}",
                self.error
            );
        }
        self.exit
    }
}

/// What a command gives back whose result is known before it prints: if only the reader of the
/// output left, the exit code is still that of the result.
pub fn printed(printing: io::Result<()>, result: Exit) -> Outcome {
    match printing.map_err(Fault::from) {
        Err(fault) if fault.reader_left() => Ok(result),
        other => other.map(|()| result),
    }
}

/// An I/O error without a path is one of our own output streams.
impl From<io::Error> for Fault {
    fn from(error: io::Error) -> Fault {
        if error.kind() == io::ErrorKind::BrokenPipe {
            return Fault {
                exit: Exit::Done,
                error: ReaderLeft.into(),
            };
        }
        Fault {
            exit: Exit::Io,
            error: anyhow::Error::new(error).context("cannot write the output"),
        }
    }
}

/// An error of a table that is written to our own output.
impl From<csv::Error> for Fault {
    fn from(error: csv::Error) -> Fault {
        match error.into_kind() {
            csv::ErrorKind::Io(error) => error.into(),
            other => io::Error::other(format!("{other:?}")).into(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reader_that_left_is_no_error() {
        let broken = || io::Error::from(io::ErrorKind::BrokenPipe);
        let fault = Fault::from(broken());
        assert!(fault.reader_left());
        assert_eq!(fault.exit, Exit::Done);
        assert_eq!(
            printed(Err(broken()), Exit::ClaimFailed).unwrap(),
            Exit::ClaimFailed
        );
        let fault = Fault::from(csv::Error::from(broken()));
        assert!(fault.reader_left());
        // A pipe that is a file of the user is one.
        let fault = Fault::io("fifo", broken());
        assert!(!fault.reader_left());
        let full = io::Error::from(io::ErrorKind::StorageFull);
        assert_eq!(
            printed(Err(full), Exit::ClaimFailed).unwrap_err().exit,
            Exit::Io
        );
        assert_eq!(printed(Ok(()), Exit::Stopped).unwrap(), Exit::Stopped);
    }
}
