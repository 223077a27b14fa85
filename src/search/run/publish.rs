//! The results of a run, written into a folder.

use std::path::Path;

use super::disk::{Disk, replace};
use super::saved::FolderError;
use crate::search::finds::results::Find;
use crate::search::methods::{AnyMethod, AnyTally};

/// Writes the results of a run, or of merged shards, into a folder: `leaderboard.jsonl`, and the
/// tables of the way of searching. Returns the leaderboard.
///
/// # Errors
/// [`FolderError::Io`].
pub fn publish(
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
    for (name, text) in [("leaderboard.jsonl", lines)].into_iter().chain(tables) {
        let path = folder.join(name);
        replace(disk, &path, text.as_bytes()).map_err(|error| io(&path, error))?;
    }
    Ok(board)
}
