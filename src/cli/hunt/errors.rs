//! What the errors of a run mean for the exit code.

use crate::cli::term::exit::Exit;
use crate::cli::term::fault::Fault;
use crate::search::run::runner::RunError;
use crate::search::run::saved::FolderError;
use crate::search::run::store::StoreError;

/// A state that cannot be used.
pub fn store_fault(error: StoreError) -> Fault {
    Fault {
        exit: Exit::Io,
        error: error.into(),
    }
}

/// A run that cannot be read, or runs that cannot be put together.
pub fn folder_fault(error: FolderError) -> Fault {
    let exit = match &error {
        FolderError::NoState(_)
        | FolderError::Plan { .. }
        | FolderError::Owned { .. }
        | FolderError::Whole(_) => Exit::Usage,
        error if error.is_claim() => Exit::ClaimFailed,
        _ => Exit::Io,
    };
    Fault {
        exit,
        error: error.into(),
    }
}

/// A run that failed.
pub fn run_fault(error: RunError) -> Fault {
    let exit = match &error {
        RunError::Panic { .. } => Exit::Bug,
        RunError::Disagreement(_) => Exit::ClaimFailed,
        _ => Exit::Io,
    };
    Fault {
        exit,
        error: error.into(),
    }
}

/// Something that was found or counted does not hold.
pub fn claim_fault(error: impl Into<anyhow::Error>) -> Fault {
    Fault {
        exit: Exit::ClaimFailed,
        error: error.into(),
    }
}
