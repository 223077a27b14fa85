//! Shards put together: proof that they are all of one plan, and what one run would have found.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use rayon::prelude::*;
use thiserror::Error;

use super::disk::{Disk, replace};
use super::runner::{Method, Report};
use super::store::{Extent, Folder, Loaded, Saved, StoreError, decode};
use crate::game::lanes::Kernel;
use crate::search::finds::results::{self, Find};
use crate::search::plan::shard::Shard;
use crate::search::plan::{Keys, Plan};
use crate::search::{Visit, with_method};

/// A run on disk, finished or not.
#[derive(Debug)]
pub struct Run {
    /// Its folder.
    pub folder: Folder,
    /// Its state.
    pub saved: Saved,
    /// Its plan, settled.
    pub plan: Plan,
    /// The newest state could not be used, and this is why.
    pub warning: Option<String>,
}

/// Why runs cannot be read or put together.
#[derive(Debug, Error)]
pub enum MergeError {
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
    /// A find does not hold.
    #[error("{place}: {error}")]
    Find {
        /// File and line.
        place: String,
        /// What does not hold.
        error: String,
    },
}

impl MergeError {
    /// Whether something claimed does not hold, rather than something not being readable.
    pub fn is_claim(&self) -> bool {
        matches!(self, MergeError::Shards(_) | MergeError::Find { .. })
    }
}

impl Run {
    /// Reads the run in a folder.
    ///
    /// # Errors
    /// [`MergeError`].
    pub fn load(folder: &Path, disk: &dyn Disk) -> Result<Run, MergeError> {
        let name = folder.display().to_string();
        let folder = Folder::new(folder);
        let Some(loaded) = folder.load(disk)? else {
            return Err(MergeError::NoState(name));
        };
        let Loaded {
            fingerprint,
            saved,
            warning,
        } = loaded;
        let read = Keys::read(&saved.plan)
            .and_then(Keys::check)
            .map_err(|error| error.to_string());
        let plan = match read {
            Ok(plan) if plan.fingerprint() == fingerprint => Ok(plan),
            Ok(_) => Err("it means something else now".to_owned()),
            Err(error) => Err(error),
        };
        match plan {
            Ok(plan) => Ok(Run {
                folder,
                saved,
                plan,
                warning,
            }),
            Err(error) => Err(MergeError::Plan {
                folder: name,
                program: saved.program,
                error,
            }),
        }
    }

    /// The tally in short, and how many blocks the shard has.
    ///
    /// # Errors
    /// [`MergeError::Store`] if the tally does not decode.
    pub fn report(&self) -> Result<(Report, Option<u64>), MergeError> {
        struct Reporting<'a>(&'a Run);
        impl Visit for Reporting<'_> {
            type Output = Result<(Report, Option<u64>), MergeError>;

            fn visit<M: Method>(self, method: &M) -> Self::Output {
                let tally = self.0.tally(method)?;
                let blocks = method.blocks();
                let share = blocks.map(|blocks| self.0.saved.shard.share(blocks));
                Ok((method.report(&tally), share))
            }
        }
        with_method(&self.plan, Kernel::best(), Reporting(self))
    }

    fn tally<M: Method>(&self, _: &M) -> Result<M::Tally, MergeError> {
        decode(&self.saved.tally).ok_or_else(|| {
            MergeError::Store(StoreError::Damaged {
                folder: self.folder.path().display().to_string(),
                damage: "its tally does not fit its plan".to_owned(),
            })
        })
    }
}

/// Reads the finds that a state counts.
///
/// # Errors
/// [`MergeError`] with the line that is no find.
pub fn finds(folder: &Folder, extent: Extent, disk: &dyn Disk) -> Result<Vec<Find>, MergeError> {
    let path = folder.finds().display().to_string();
    let text = match folder.read_finds(disk, extent) {
        Ok(text) => text,
        Err(error) => return Err(MergeError::Io { path, error }),
    };
    let lines = results::read(&text).finds;
    lines
        .into_iter()
        .map(|(line, find)| {
            find.map_err(|error| MergeError::Find {
                place: format!("{path}:{line}"),
                error: error.to_string(),
            })
        })
        .collect()
}

/// Writes the results of a run, or of merged shards, into a folder: `leaderboard.jsonl`, and the
/// tables of the way of searching. Returns the leaderboard.
///
/// # Errors
/// [`MergeError::Io`].
pub fn publish<M: Method>(
    method: &M,
    tally: &M::Tally,
    finds: Vec<Find>,
    folder: &Path,
    disk: &dyn Disk,
) -> Result<Vec<Find>, MergeError> {
    let io = |path: &Path, error| MergeError::Io {
        path: path.display().to_string(),
        error,
    };
    std::fs::create_dir_all(folder).map_err(|error| io(folder, error))?;
    let board = method.leaderboard(finds);
    let lines: String = board.iter().map(|find| find.to_line() + "\n").collect();
    let tables = method.tables(tally);
    for (name, text) in [("leaderboard.jsonl", lines)].into_iter().chain(tables) {
        let path = folder.join(name);
        replace(disk, &path, text.as_bytes()).map_err(|error| io(&path, error))?;
    }
    Ok(board)
}

/// What merged shards came to.
#[derive(Debug)]
pub struct Merged {
    /// The plan.
    pub plan: Plan,
    /// How many shards there were.
    pub shards: u64,
    /// All tallies, in short.
    pub report: Report,
    /// How many finds were replayed, and held.
    pub replayed: usize,
    /// What a second way says about the sum.
    pub proofs: Vec<String>,
    /// The leaderboard that was written.
    pub board: Vec<Find>,
}

/// Puts the shards in `folders` together: proves that they are the shards of one plan, all done,
/// none missing and none there twice, replays every find, and writes into `into(plan)` what one run
/// over the whole plan would have written.
///
/// # Errors
/// [`MergeError`]; nothing is written then, unless the writing itself failed.
pub fn merge(
    folders: &[PathBuf],
    into: impl FnOnce(&Plan) -> PathBuf,
    disk: &dyn Disk,
    mut warn: impl FnMut(&str),
) -> Result<Merged, MergeError> {
    let mut runs: BTreeMap<Shard, Run> = BTreeMap::new();
    for folder in folders {
        let run = Run::load(folder, disk)?;
        if let Some(warning) = &run.warning {
            warn(warning);
        }
        let shard = run.saved.shard;
        let name = |run: &Run| run.folder.path().display().to_string();
        if let Some((other, first)) = runs.first_key_value() {
            if first.saved.plan != run.saved.plan {
                return Err(MergeError::Shards(format!(
                    "{} is of the plan {}, {} of the plan {}: shards of one plan are merged",
                    name(first),
                    first.plan.fingerprint(),
                    name(&run),
                    run.plan.fingerprint()
                )));
            }
            if other.of() != shard.of() {
                return Err(MergeError::Shards(format!(
                    "{} is shard {other}, {} is shard {shard}: the plan was cut in two ways",
                    name(first),
                    name(&run)
                )));
            }
        }
        if let Some(twice) = runs.get(&shard) {
            return Err(MergeError::Shards(format!(
                "shard {shard} is there twice: {} and {}",
                name(twice),
                name(&run)
            )));
        }
        runs.insert(shard, run);
    }
    let Some((shard, first)) = runs.first_key_value() else {
        return Err(MergeError::Shards("no shards were given".to_owned()));
    };
    let of = shard.of();
    let missing: Vec<String> = (0..of)
        .filter(|&at| !runs.keys().any(|shard| shard.at() == at))
        .map(|at| format!("{at}/{of}"))
        .take(20)
        .collect();
    if !missing.is_empty() {
        let (is, shards) = if missing.len() == 1 {
            ("is", "shard")
        } else {
            ("are", "shards")
        };
        return Err(MergeError::Shards(format!(
            "{shards} {} {is} missing: give the folders of all {of} shards",
            missing.join(", ")
        )));
    }
    let plan = first.plan.clone();
    let into = into(&plan);
    with_method(
        &plan,
        Kernel::best(),
        Merging {
            plan: &plan,
            runs: &runs,
            into: &into,
            disk,
        },
    )
}

struct Merging<'a> {
    plan: &'a Plan,
    runs: &'a BTreeMap<Shard, Run>,
    into: &'a Path,
    disk: &'a dyn Disk,
}

impl Visit for Merging<'_> {
    type Output = Result<Merged, MergeError>;

    fn visit<M: Method>(self, method: &M) -> Self::Output {
        let mut sum: Option<M::Tally> = None;
        let mut all = Vec::new();
        for (shard, run) in self.runs {
            let folder = run.folder.path().display();
            let share = method.blocks().map(|blocks| shard.share(blocks));
            if share != Some(run.saved.done) {
                let share = share.map_or("endlessly many".to_owned(), |share| share.to_string());
                return Err(MergeError::Shards(format!(
                    "shard {shard} in {folder} is not finished: {} of {share} blocks are done; go \
                     on with --resume",
                    run.saved.done
                )));
            }
            let found = finds(&run.folder, run.saved.finds, self.disk)?;
            let failed = found
                .par_iter()
                .enumerate()
                .find_map_first(|(at, find)| find.check().err().map(|error| (at, error)));
            if let Some((at, error)) = failed {
                return Err(MergeError::Find {
                    place: format!("{}: find {}", run.folder.finds().display(), at + 1),
                    error: error.to_string(),
                });
            }
            all.extend(found);
            let tally = run.tally(method)?;
            match &mut sum {
                None => sum = Some(tally),
                Some(sum) => method.combine(sum, tally).map_err(MergeError::Shards)?,
            }
        }
        let tally = sum.unwrap_or_else(|| method.begin());
        let replayed = all.len();
        let blocks = method.blocks().unwrap_or(0);
        let proofs = method
            .prove(&tally, Shard::WHOLE, blocks)
            .map_err(MergeError::Shards)?;
        let board = publish(method, &tally, all, self.into, self.disk)?;
        Ok(Merged {
            plan: self.plan.clone(),
            shards: self.runs.len() as u64,
            report: method.report(&tally),
            replayed,
            proofs,
            board,
        })
    }
}
