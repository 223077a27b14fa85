//! The results of a run, written into a folder.

use std::io;
use std::path::Path;

use serde_json::Value;

use super::disk::{Disk, replace};
use super::saved::FolderError;
use crate::search::finds::results::Find;
use crate::search::methods::{AnyMethod, AnyTally, Plan};
use crate::search::plan::Fingerprint;
use crate::search::plan::shard::Shard;

/// The file that says whose results a folder holds.
const OWNER: &str = "plan.toml";

/// What [`OWNER`] holds: the plan in full, and which part of it.
fn owner_text(plan: &Plan, shard: Shard) -> String {
    let mut text =
        String::from("# The plan whose results lie here, in full; it can be run again.\n");
    if shard != Shard::WHOLE {
        text.push_str(&format!("# Only of shard {shard}.\n"));
    }
    text + plan.canonical().as_str()
}

/// Whose results a folder holds, if not those of `plan` and `shard`: a few words. `None` if they are
/// the same, or if no results are known to lie there.
///
/// # Errors
/// [`FolderError::Io`].
pub fn other_owner(
    plan: &Plan,
    shard: Shard,
    folder: &Path,
    disk: &dyn Disk,
) -> Result<Option<String>, FolderError> {
    let read = |name: &str| {
        let path = folder.join(name);
        match disk.read(&path) {
            Ok(bytes) => Ok(Some(String::from_utf8_lossy(&bytes).into_owned())),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(FolderError::Io {
                path: path.display().to_string(),
                error,
            }),
        }
    };
    let own = plan.fingerprint().to_string();
    let named = |other: &str| (other != own).then(|| format!("the plan {other}"));
    if let Some(text) = read(OWNER)? {
        if text == owner_text(plan, shard) {
            return Ok(None);
        }
        let lines = text.lines().filter(|line| !line.starts_with('#'));
        let canonical: String = lines.map(|line| format!("{line}\n")).collect();
        let other = Fingerprint::of(&canonical).to_string();
        let part = || format!("another part of the plan {own}");
        return Ok(Some(named(&other).unwrap_or_else(part)));
    }
    // Results of earlier versions have no such file, but most tell the plan's name.
    if let Some(text) = read("summary.json")? {
        let summary: Option<Value> = serde_json::from_str(&text).ok();
        if let Some(other) = summary
            .as_ref()
            .and_then(|summary| summary["plan"].as_str())
        {
            return Ok(named(other));
        }
    }
    let board = read("leaderboard.jsonl")?.unwrap_or_default();
    let first = board
        .lines()
        .next()
        .and_then(|line| Find::from_line(line).ok());
    let other = first.and_then(|find| find.found).map(|found| found.plan);
    Ok(other.and_then(|other| named(&other)))
}

/// Writes the results of a run, or of merged shards, into a folder: `plan.toml`, which says whose
/// they are, `leaderboard.jsonl`, and the tables of the way of searching. Returns the leaderboard.
///
/// # Errors
/// [`FolderError::Io`].
pub fn publish(
    plan: &Plan,
    shard: Shard,
    method: &dyn AnyMethod,
    tally: &AnyTally,
    finds: Vec<Find>,
    folder: &Path,
    disk: &dyn Disk,
) -> Result<Vec<Find>, FolderError> {
    let io = |path: &Path, error| FolderError::Io {
        path: path.display().to_string(),
        error,
    };
    std::fs::create_dir_all(folder).map_err(|error| io(folder, error))?;
    let board = method.leaderboard(finds);
    let lines: String = board.iter().map(|find| find.to_line() + "\n").collect();
    let tables = method.tables(tally);
    let own = [
        (OWNER, owner_text(plan, shard)),
        ("leaderboard.jsonl", lines),
    ];
    for (name, text) in own.into_iter().chain(tables) {
        let path = folder.join(name);
        replace(disk, &path, text.as_bytes()).map_err(|error| io(&path, error))?;
    }
    Ok(board)
}
