//! A run on disk: its state, its plan, and the finds that the state counts.

use std::io;
use std::path::Path;

use thiserror::Error;

use super::disk::Disk;
use super::store::{Extent, Folder, Loaded, Saved, StoreError};
use crate::game::lanes::Kernel;
use crate::search::finds::results::{self, Find};
use crate::search::methods::{AnyMethod, AnyTally, Plan, Report};
use crate::search::plan::Keys;

/// A run on disk, finished or not.
#[derive(Debug)]
pub struct SavedRun {
    /// Its folder.
    pub folder: Folder,
    /// Its state.
    pub saved: Saved,
    /// Its plan, settled.
    pub plan: Plan,
    /// The newest state could not be used, and this is why.
    pub warning: Option<String>,
    /// The finds are not those that the state counts, and this is why.
    pub finds_damaged: Option<String>,
}

/// Why runs cannot be read or put together.
#[derive(Debug, Error)]
pub enum FolderError {
    /// The folder has no state.
    #[error("{0}: no state of a search lies here: give a folder such as checkpoints/quick")]
    NoState(String),
    /// The state cannot be used.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A file cannot be read or written.
    #[error("{path}: {error}")]
    Io {
        /// The file.
        path: String,
        /// What the system said.
        error: io::Error,
    },
    /// The plan in the state is not one that this program can run.
    #[error("{folder}: its plan was written by version {program} and does not read here: {error}")]
    Plan {
        /// The folder.
        folder: String,
        /// Who wrote it.
        program: String,
        /// What is wrong.
        error: String,
    },
    /// The shards do not prove the plan done: what is missing, twice, or not of the plan.
    #[error("{0}")]
    Shards(String),
    /// Results that are whole would be replaced by results that are not.
    #[error(
        "{0}: the results of a whole search are here, and those so far would replace them: give \
         another folder with --results"
    )]
    Whole(String),
    /// The results of another plan lie where results are to be written.
    #[error("{folder} holds the results of {owner}: give another --results, or remove it")]
    Owned {
        /// The folder.
        folder: String,
        /// Whose they are.
        owner: String,
    },
    /// The finds are not those that the state counts.
    #[error("{0}")]
    Damaged(String),
    /// A find does not hold.
    #[error("{place}: {error}")]
    Find {
        /// File and line.
        place: String,
        /// What does not hold.
        error: String,
    },
}

impl FolderError {
    /// Whether something claimed does not hold, rather than something not being readable.
    pub fn is_claim(&self) -> bool {
        matches!(self, FolderError::Shards(_) | FolderError::Find { .. })
    }
}

impl SavedRun {
    /// Reads the run in a folder.
    ///
    /// # Errors
    /// [`FolderError`].
    pub fn load(folder: &Path, disk: &dyn Disk) -> Result<SavedRun, FolderError> {
        let name = folder.display().to_string();
        let folder = Folder::new(folder);
        let Some(loaded) = folder.load(disk)? else {
            return Err(FolderError::NoState(name));
        };
        let Loaded {
            fingerprint,
            saved,
            warning,
            finds_damaged,
            fallback: _,
        } = loaded;
        let read = Keys::read(&saved.plan)
            .and_then(|keys| Plan::check(&keys))
            .map_err(|error| error.to_string());
        let plan = match read {
            Ok(plan) if plan.fingerprint() == fingerprint => Ok(plan),
            Ok(_) => Err("it means something else now".to_owned()),
            Err(error) => Err(error),
        };
        match plan {
            Ok(plan) => Ok(SavedRun {
                folder,
                saved,
                plan,
                warning,
                finds_damaged,
            }),
            Err(error) => Err(FolderError::Plan {
                folder: name,
                program: saved.program,
                error,
            }),
        }
    }

    /// The tally in short, and how many blocks the shard has.
    ///
    /// # Errors
    /// [`FolderError::Store`] if the tally does not decode.
    pub fn report(&self) -> Result<(Report, Option<u64>), FolderError> {
        let method = self.plan.method(Kernel::best());
        let report = method.report(&self.tally(&*method)?);
        let share = method.blocks().map(|blocks| self.saved.shard.share(blocks));
        Ok((report, share))
    }

    /// The tally, by the plan's method.
    ///
    /// # Errors
    /// [`FolderError::Store`] if it does not decode.
    pub fn tally(&self, method: &dyn AnyMethod) -> Result<AnyTally, FolderError> {
        method.decode(&self.saved.tally).ok_or_else(|| {
            FolderError::Store(StoreError::Damaged {
                folder: self.folder.path().display().to_string(),
                damage: "its tally does not fit its plan".to_owned(),
            })
        })
    }
}

/// Reads the finds that a state counts.
///
/// # Errors
/// [`FolderError`] with the line that is no find.
pub fn finds(folder: &Folder, extent: Extent, disk: &dyn Disk) -> Result<Vec<Find>, FolderError> {
    let path = folder.finds().display().to_string();
    let text = match folder.read_finds(disk, extent) {
        Ok(text) => text,
        Err(error) => return Err(FolderError::Io { path, error }),
    };
    let lines = results::read(&text).finds;
    lines
        .into_iter()
        .map(|(line, find)| {
            find.map_err(|error| FolderError::Find {
                place: format!("{path}:{line}"),
                error: error.to_string(),
            })
        })
        .collect()
}
