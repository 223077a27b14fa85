//! What a command gives back when it fails: an error and the exit code it means.

use std::io;

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

impl Fault {
    /// A wrong command line or input (exit 2).
    pub fn usage(error: impl Into<anyhow::Error>) -> Fault {
        Fault {
            exit: Exit::Usage,
            error: error.into(),
        }
    }

    /// A file that cannot be read or written (exit 74), with the path in the message.
    pub fn io(path: impl AsRef<std::path::Path>, error: impl Into<anyhow::Error>) -> Fault {
        Fault {
            exit: Exit::Io,
            error: error.into().context(path.as_ref().display().to_string()),
        }
    }

    /// The same fault, with the place it arose in.
    pub fn at(self, place: impl AsRef<std::path::Path>) -> Fault {
        let place = place.as_ref().display().to_string();
        Fault {
            error: self.error.context(place),
            ..self
        }
    }

    /// Whether the reader of our output went away, which is no error.
    pub fn is_broken_pipe(&self) -> bool {
        self.error.chain().any(|cause| {
            cause
                .downcast_ref::<io::Error>()
                .is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe)
        })
    }
}

/// An I/O error without a path is one of our own output streams.
impl From<io::Error> for Fault {
    fn from(error: io::Error) -> Fault {
        Fault {
            exit: Exit::Io,
            error: anyhow::Error::new(error).context("cannot write the output"),
        }
    }
}

/// Prints `error` and its causes in one line on standard error.
pub fn report(error: &anyhow::Error) {
    let style = anstyle::Style::new()
        .bold()
        .fg_color(Some(anstyle::AnsiColor::Red.into()));
    anstream::eprintln!("{style}error{style:#}: {error:#}");
}
