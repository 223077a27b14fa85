//! Shards put together: proof that they are all of one plan, and what one run would have found.

use std::collections::{BTreeMap, HashSet};
use std::io;
use std::path::{Path, PathBuf};

use super::disk::{Disk, replace};
use super::mend::proofs;
use super::publish::{other_owner, publish};
use super::saved::{FolderError, SavedRun, finds};
use super::status::{Big, SoFar};
use crate::game::lanes::Kernel;
use crate::search::finds::results::Find;
use crate::search::methods::{AnyTally, Plan, Report};
use crate::search::plan::shard::Shard;

/// The file that marks results of shards that are not all finished.
pub const SO_FAR: &str = "so-far.json";

/// Which shards are put together.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Completeness {
    /// All of them, finished.
    Whole,
    /// Those that are there, as far as they are: the results are marked with [`SO_FAR`].
    SoFar,
}

/// What merged shards came to.
#[derive(Debug)]
pub struct Merged {
    /// The plan.
    pub plan: Plan,
    /// How many shards there were.
    pub shards: u64,
    /// How many blocks the plan has.
    pub blocks: Option<u64>,
    /// All tallies, in short.
    pub report: Report,
    /// How many finds were replayed, and held.
    pub replayed: usize,
    /// What a second way says about the sum.
    pub proofs: Vec<String>,
    /// The leaderboard that was written.
    pub board: Vec<Find>,
    /// How much of the plan it is of, if not asked for the whole.
    pub so_far: Option<SoFar>,
}

/// Puts the shards in `folders` together: proves that they are the shards of one plan, all done,
/// none missing and none there twice, replays every find, and writes into `into(plan)` what one run
/// over the whole plan would have written.
///
/// # Errors
/// [`FolderError`]; nothing is written then, unless the writing itself failed.
pub fn merge(
    folders: &[PathBuf],
    into: impl FnOnce(&Plan) -> PathBuf,
    disk: &dyn Disk,
    warn: impl FnMut(&str),
) -> Result<Merged, FolderError> {
    put_together(folders, Completeness::Whole, into, disk, warn)
}

/// Puts together what the shards in `folders` have saved: shards may be missing, unfinished, or
/// running. All else is as with [`merge`], and the folder of the results is marked with [`SO_FAR`].
///
/// # Errors
/// [`FolderError`], also if the results of a whole search would be replaced; nothing is written
/// then, unless the writing itself failed.
pub fn merge_so_far(
    folders: &[PathBuf],
    into: impl FnOnce(&Plan) -> PathBuf,
    disk: &dyn Disk,
    warn: impl FnMut(&str),
) -> Result<Merged, FolderError> {
    put_together(folders, Completeness::SoFar, into, disk, warn)
}

fn put_together(
    folders: &[PathBuf],
    wanted: Completeness,
    into: impl FnOnce(&Plan) -> PathBuf,
    disk: &dyn Disk,
    mut warn: impl FnMut(&str),
) -> Result<Merged, FolderError> {
    let mut runs: BTreeMap<Shard, SavedRun> = BTreeMap::new();
    for folder in folders {
        let run = SavedRun::load(folder, disk)?;
        if let Some(warning) = &run.warning {
            warn(warning);
        }
        if let Some(damage) = &run.finds_damaged {
            return Err(FolderError::Damaged(format!(
                "{damage}: go on with --resume, which mends what it can"
            )));
        }
        let shard = run.saved.shard;
        let name = |run: &SavedRun| run.folder.path().display().to_string();
        if let Some((other, first)) = runs.first_key_value() {
            if first.saved.plan != run.saved.plan {
                return Err(FolderError::Shards(format!(
                    "{} is of the plan {}, {} of the plan {}: shards of one plan are merged",
                    name(first),
                    first.plan.fingerprint(),
                    name(&run),
                    run.plan.fingerprint()
                )));
            }
            if other.of() != shard.of() {
                return Err(FolderError::Shards(format!(
                    "{} is shard {other}, {} is shard {shard}: the plan was cut in two ways",
                    name(first),
                    name(&run)
                )));
            }
        }
        if let Some(twice) = runs.get(&shard) {
            return Err(FolderError::Shards(format!(
                "shard {shard} is there twice: {} and {}",
                name(twice),
                name(&run)
            )));
        }
        runs.insert(shard, run);
    }
    let Some((shard, first)) = runs.first_key_value() else {
        return Err(FolderError::Shards("no shards were given".to_owned()));
    };
    let of = shard.of();
    let missing: Vec<String> = (0..of)
        .filter(|&at| !runs.keys().any(|shard| shard.at() == at))
        .map(|at| format!("{at}/{of}"))
        .take(20)
        .collect();
    if wanted == Completeness::Whole && !missing.is_empty() {
        let (is, shards) = if missing.len() == 1 {
            ("is", "shard")
        } else {
            ("are", "shards")
        };
        return Err(FolderError::Shards(format!(
            "{shards} {} {is} missing: give the folders of all {of} shards",
            missing.join(", ")
        )));
    }
    let plan = first.plan.clone();
    let into = into(&plan);
    if let Some(owner) = other_owner(&plan, Shard::WHOLE, &into, disk)? {
        let folder = into.display().to_string();
        return Err(FolderError::Owned { folder, owner });
    }
    if wanted == Completeness::SoFar {
        keep_whole(&into)?;
    }
    let (mut done, mut finished) = (0u64, 0);
    let method = plan.method(Kernel::best());
    let mut sum: Option<AnyTally> = None;
    let mut all = Vec::new();
    for (shard, run) in &runs {
        let folder = run.folder.path().display();
        let share = method.blocks().map(|blocks| shard.share(blocks));
        done = done.saturating_add(run.saved.done);
        finished += u64::from(share == Some(run.saved.done));
        if wanted == Completeness::Whole && share != Some(run.saved.done) {
            let share = share.map_or("endlessly many".to_owned(), |share| share.to_string());
            return Err(FolderError::Shards(format!(
                "shard {shard} in {folder} is not finished: {} of {share} blocks are done; go on \
                 with --resume",
                run.saved.done
            )));
        }
        let found = finds(&run.folder, run.saved.finds, disk)?;
        let proofs = proofs(&plan, &*method, *shard, run.saved.done, &found);
        let mut failed = proofs.into_iter().enumerate();
        if let Some((at, error)) = failed.find_map(|(at, proof)| Some((at, proof.err()?))) {
            return Err(FolderError::Find {
                place: format!("{}: find {}", run.folder.finds().display(), at + 1),
                error,
            });
        }
        let mut deals = HashSet::new();
        if let Some(twice) = found.iter().find(|find| !deals.insert(&find.deal)) {
            return Err(FolderError::Shards(format!(
                "{}: {} is there twice",
                run.folder.finds().display(),
                twice.deal_text()
            )));
        }
        let tally = run.tally(&*method)?;
        let left_out = method
            .missing(&tally, *shard, run.saved.done, &found)
            .map_err(|error| FolderError::Shards(format!("{folder}: {error}")))?;
        if let Some(find) = left_out.first() {
            return Err(FolderError::Shards(format!(
                "{folder}: {} finds that its state counts are not in {}, for example {}",
                left_out.len(),
                run.folder.finds().display(),
                find.deal_text()
            )));
        }
        all.extend(found);
        match &mut sum {
            None => sum = Some(tally),
            Some(sum) => method.combine(sum, tally).map_err(FolderError::Shards)?,
        }
    }
    let tally = sum.unwrap_or_else(|| method.begin());
    let replayed = all.len();
    let blocks = method.blocks();
    let so_far = (wanted == Completeness::SoFar).then(|| SoFar {
        plan: plan.fingerprint().to_string(),
        of,
        there: runs.len() as u64,
        finished,
        blocks_done: Big(done),
        blocks: blocks.map(Big),
    });
    // A proof is about a whole plan or a whole shard.
    let proofs = match wanted {
        Completeness::SoFar => Vec::new(),
        Completeness::Whole => method
            .prove(&tally, Shard::WHOLE, blocks.unwrap_or(0))
            .map_err(FolderError::Shards)?,
    };
    // The mark is there before what it marks, and goes after it is replaced.
    if let Some(so_far) = &so_far {
        mark(&into, so_far, disk)?;
    }
    let board = publish(&plan, Shard::WHOLE, &*method, &tally, all, &into, disk)?;
    if wanted == Completeness::Whole {
        let path = into.join(SO_FAR);
        match std::fs::remove_file(&path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(at(&path, error)),
            _ => {}
        }
    }
    Ok(Merged {
        plan,
        shards: runs.len() as u64,
        blocks,
        report: method.report(&tally),
        replayed,
        proofs,
        board,
        so_far,
    })
}

/// Results of a whole plan, or of a search, are not replaced by those of a part.
fn keep_whole(folder: &Path) -> Result<(), FolderError> {
    let there = |name: &str| folder.join(name).exists();
    if there("leaderboard.jsonl") && !there(SO_FAR) {
        return Err(FolderError::Whole(folder.display().to_string()));
    }
    Ok(())
}

fn mark(folder: &Path, so_far: &SoFar, disk: &dyn Disk) -> Result<(), FolderError> {
    std::fs::create_dir_all(folder).map_err(|error| at(folder, error))?;
    let path = folder.join(SO_FAR);
    let text = serde_json::to_string_pretty(so_far).expect("strings and numbers") + "\n";
    replace(disk, &path, text.as_bytes()).map_err(|error| at(&path, error))
}

fn at(path: &Path, error: io::Error) -> FolderError {
    FolderError::Io {
        path: path.display().to_string(),
        error,
    }
}
