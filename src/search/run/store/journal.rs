//! Finds on their way to the disk.

use std::io;
use std::path::PathBuf;

use super::folder::Folder;
use super::frame::Extent;
use crate::search::run::disk::Disk;

/// The finds of a running search on their way to the disk.
///
/// What could not be written is kept and tried again.
#[derive(Debug)]
pub struct Journal {
    path: PathBuf,
    written: Extent,
    /// Whether `written` is known to be on the disk.
    synced: bool,
    waiting: Vec<u8>,
}

impl Journal {
    /// Goes on after the bytes a state counts.
    pub fn after(folder: &Folder, extent: Extent) -> Journal {
        Journal {
            path: folder.finds(),
            written: extent,
            // Opens (and cuts) the file at the first checkpoint at the latest.
            synced: false,
            waiting: Vec::new(),
        }
    }

    /// Takes a line, with its line break.
    pub fn push(&mut self, line: &str) {
        self.waiting.extend(line.as_bytes());
        self.waiting.push(b'\n');
    }

    /// Writes what waits, without waiting for the disk.
    ///
    /// # Errors
    /// As the system gives them; the lines are kept.
    pub fn write(&mut self, disk: &dyn Disk) -> io::Result<()> {
        if self.waiting.is_empty() {
            return Ok(());
        }
        self.synced = false;
        disk.append(&self.path, self.written.bytes, &self.waiting)?;
        self.written = self.written.with(&self.waiting);
        self.waiting.clear();
        Ok(())
    }

    /// Writes what waits, and returns what is on the disk then.
    ///
    /// # Errors
    /// As the system gives them; the lines are kept.
    pub fn sync(&mut self, disk: &dyn Disk) -> io::Result<Extent> {
        if !self.synced || !self.waiting.is_empty() {
            self.synced = false;
            // Also cuts off a torn write, and what an earlier run left beyond its state.
            disk.append(&self.path, self.written.bytes, &self.waiting)?;
            self.written = self.written.with(&self.waiting);
            self.waiting.clear();
            disk.sync(&self.path)?;
            self.synced = true;
        }
        Ok(self.written)
    }
}
