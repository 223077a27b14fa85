//! Finds whose file was damaged: what is whole is kept, what is lost is made again from the state,
//! and the damaged file is put aside.
//!
//! A tally knows where each tree and each cycle that counts was met, so only those games are played
//! again. Finds that better ones have pushed off the board since do not come back: no result needs
//! them.

use std::collections::{BTreeMap, HashSet};
use std::io;
use std::path::PathBuf;

use rayon::prelude::*;
use thiserror::Error;

use super::disk::Disk;
use super::store::{Held, Saved};
use crate::search::finds::results::Find;
use crate::search::methods::{AnyMethod, Plan};
use crate::search::plan::shard::Shard;

/// Why finds could not be mended.
#[derive(Debug, Error)]
pub enum MendError {
    /// The tally does not decode.
    #[error("its tally does not fit its plan; begin anew with --restart")]
    Tally,
    /// Something that the tally counts is not met again.
    #[error("{0}; begin anew with --restart (finds are put aside then, never deleted)")]
    Lost(String),
    /// The system failed.
    #[error("{path}: {error}")]
    Io {
        /// The file.
        path: String,
        /// What the system said.
        error: io::Error,
    },
}

/// What mending came to.
#[derive(Debug)]
pub struct Mended {
    /// The state, counting the new finds.
    pub saved: Saved,
    /// How many finds were whole.
    pub whole: usize,
    /// How many were made again.
    pub again: usize,
    /// Where the damaged file is now.
    pub aside: PathBuf,
}

/// Mends the finds of a state that is whole.
///
/// # Errors
/// [`MendError`]; the damaged file is where it was then.
pub fn mend(
    plan: &Plan,
    method: &dyn AnyMethod,
    held: &Held,
    saved: Saved,
    disk: &dyn Disk,
) -> Result<Mended, MendError> {
    let path = held.folder().finds();
    let io = |error| MendError::Io {
        path: path.display().to_string(),
        error,
    };
    let tally = method.decode(&saved.tally).ok_or(MendError::Tally)?;
    let bytes = match disk.read(&path) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == io::ErrorKind::NotFound => Vec::new(),
        Err(error) => return Err(io(error)),
    };
    let lines = bytes.split(|&byte| byte == b'\n');
    let finds: Vec<Find> = lines
        .filter_map(|line| Find::from_line(std::str::from_utf8(line).ok()?).ok())
        .collect();
    let proofs = proofs(plan, method, saved.shard, saved.done, &finds);
    let mut deals = HashSet::new();
    let proved = finds.iter().zip(proofs);
    let proved = proved.filter_map(|(find, proof)| proof.is_ok().then_some(find));
    // The version is all that no proof covers.
    let versions = [&saved.program, env!("CARGO_PKG_VERSION")];
    let is_whole = |find: &&Find| {
        let version = find.version.as_deref();
        version.is_some_and(|version| versions.contains(&version))
    };
    let mut finds: Vec<Find> = proved
        .filter(is_whole)
        .filter(|find| deals.insert(&find.deal))
        .cloned()
        .collect();
    let whole = finds.len();
    let again = method
        .missing(&tally, saved.shard, saved.done, &finds)
        .map_err(MendError::Lost)?;
    let made = again.len();
    finds.extend(again);
    // Blocks are in the order in which they were merged; within a block all stays as it was.
    finds.sort_by_key(|find| find.found.as_ref().and_then(|found| found.block));
    let text: String = finds.iter().map(|find| find.to_line() + "\n").collect();
    let (extent, aside) = held.replace_finds(disk, text.as_bytes()).map_err(io)?;
    let saved = Saved {
        finds: extent,
        ..saved
    };
    held.save(disk, plan.fingerprint(), &saved).map_err(io)?;
    Ok(Mended {
        saved,
        whole,
        again: made,
        aside,
    })
}

/// For each find, whether it is one that the first `done` blocks of `shard` of the plan give: the
/// deal of its address is dealt again, played, closed, and compared. Where a way of searching gives
/// no find by itself, what the find says of its origin is compared with the plan alone.
pub fn proofs(
    plan: &Plan,
    method: &dyn AnyMethod,
    shard: Shard,
    done: u64,
    finds: &[Find],
) -> Vec<Result<(), String>> {
    let mut proofs: Vec<Result<(), String>> = finds
        .par_iter()
        .map(|find| {
            origin(plan, shard, done, find)?;
            find.check().map_err(|error| error.to_string())
        })
        .collect();
    let mut blocks: BTreeMap<u64, Vec<usize>> = BTreeMap::new();
    for (at, find) in finds.iter().enumerate() {
        let block = find.found.as_ref().and_then(|found| found.block);
        if let Some(block) = block.filter(|_| proofs[at].is_ok()) {
            blocks.entry(block).or_default().push(at);
        }
    }
    let failed: Vec<usize> = blocks
        .par_iter()
        .flat_map_iter(|(&block, places)| {
            let mut offsets: Vec<u64> = places
                .iter()
                .filter_map(|&at| finds[at].found.as_ref()?.offset)
                .collect();
            offsets.dedup();
            let again = method.find_again(block, &offsets);
            let failed: Vec<usize> = match again {
                Some(again) => {
                    let again: Vec<Find> = again.iter().map(plain).collect();
                    let is_there = |at: &&usize| again.contains(&plain(&finds[**at]));
                    places.iter().filter(|at| !is_there(at)).copied().collect()
                }
                None => Vec::new(),
            };
            failed
        })
        .collect();
    for at in failed {
        let found = finds[at].found.as_ref();
        let place = found.map(|found| (found.block, found.offset));
        let (block, offset) = place.unwrap_or_default();
        proofs[at] = Err(format!(
            "game {} of block {} does not lead to this find",
            offset.unwrap_or_default(),
            block.unwrap_or_default()
        ));
    }
    proofs
}

/// A find without the version of the program that wrote it.
fn plain(find: &Find) -> Find {
    Find {
        version: None,
        ..find.clone()
    }
}

/// What a find says about where it was found, against the plan.
fn origin(plan: &Plan, shard: Shard, done: u64, find: &Find) -> Result<(), String> {
    let differs = |what: &str, claimed: String, is: String| {
        if claimed == is {
            return Ok(());
        }
        Err(format!(
            "{what} is claimed as {claimed}, but the plan's is {is}"
        ))
    };
    let Some(found) = &find.found else {
        return Err("it does not say where it was found: it is no find of this plan".to_owned());
    };
    let common = &plan.common;
    differs("the deck", find.deck.to_string(), common.deck.to_string())?;
    differs("found.how", found.how.clone(), plan.how.name().to_owned())?;
    differs(
        "found.plan",
        found.plan.clone(),
        plan.fingerprint().to_string(),
    )?;
    if let Some(seed) = found.seed {
        differs("found.seed", seed.to_string(), common.seed.to_string())?;
    }
    let Some(block) = found.block else {
        return Err("it does not say in which block it was found".to_owned());
    };
    if block % shard.of() != shard.at() || block / shard.of() >= done {
        return Err(format!(
            "found.block {block} is none of the {done} blocks done of shard {shard}"
        ));
    }
    Ok(())
}
