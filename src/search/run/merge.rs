//! Shards put together: proof that they are all of one plan, and what one run would have found.

use std::collections::{BTreeMap, HashSet};
use std::path::PathBuf;

use super::disk::Disk;
use super::mend::proofs;
use super::publish::{other_owner, publish};
use super::saved::{FolderError, SavedRun, finds};
use crate::game::lanes::Kernel;
use crate::search::finds::results::Find;
use crate::search::methods::{AnyTally, Plan, Report};
use crate::search::plan::shard::Shard;

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
    if !missing.is_empty() {
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
    let method = plan.method(Kernel::best());
    let mut sum: Option<AnyTally> = None;
    let mut all = Vec::new();
    for (shard, run) in &runs {
        let folder = run.folder.path().display();
        let share = method.blocks().map(|blocks| shard.share(blocks));
        if share != Some(run.saved.done) {
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
    let proofs = method
        .prove(&tally, Shard::WHOLE, blocks.unwrap_or(0))
        .map_err(FolderError::Shards)?;
    let board = publish(&plan, Shard::WHOLE, &*method, &tally, all, &into, disk)?;
    Ok(Merged {
        plan,
        shards: runs.len() as u64,
        blocks,
        report: method.report(&tally),
        replayed,
        proofs,
        board,
    })
}
