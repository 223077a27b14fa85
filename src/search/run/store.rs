//! The folder of a running search: its state, the generation before, its finds, and its lock.
//!
//! ```text
//! state            the newest state
//! state.previous   the one before, used if the newest is damaged
//! finds.jsonl      finds, one a line, in the order they were made
//! status.json      for scripts
//! lock             held by the one process that works here
//! stop             made by a person: the search saves and leaves
//! ```
//!
//! A state is a frame around a body. The frame's first 36 bytes mean the same in every version:
//! magic (8 bytes), format version (u32), plan fingerprint (u64), length of the body (u64), crc32
//! of the body (u32), crc32 of the 32 bytes before (u32); numbers are little-endian. So a newer
//! state is told from a damaged one, and nothing of a damaged one is ever used.
//!
//! A state counts the bytes of `finds.jsonl` that belong to it, and their crc32. Finds reach the
//! disk before the state that counts them; what lies beyond is found again after a resume.
//!
//! How a body is encoded stands in [`encoding`](crate::search::encoding).

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::disk::{Disk, replace};
use crate::search::encoding::{decode, encode};
use crate::search::plan::Fingerprint;
use crate::search::plan::shard::Shard;

/// The format written, and the newest one read.
pub const FORMAT: u32 = 1;

const MAGIC: [u8; 8] = *b"camicia\x1a";
const HEADER: usize = 36;

/// What a search needs to go on.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Saved {
    /// The plan as [`Canonical`](crate::search::plan::Canonical) writes it.
    pub plan: String,
    /// Which part of the plan is worked on.
    pub shard: Shard,
    /// How many blocks of the shard are done: the first ones, without a gap.
    pub done: u64,
    /// The finds that belong to those blocks.
    pub finds: Extent,
    /// The tally of those blocks, encoded by itself.
    pub tally: Vec<u8>,
    /// The version of the program that wrote it.
    pub program: String,
}

/// The first bytes of a file.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
pub struct Extent {
    /// How many.
    pub bytes: u64,
    /// Their crc32.
    pub crc32: u32,
}

impl Extent {
    /// This extent and `more` after it.
    pub fn with(self, more: &[u8]) -> Extent {
        let mut hasher = crc32fast::Hasher::new_with_initial_len(self.crc32, self.bytes);
        hasher.update(more);
        Extent {
            bytes: self.bytes + more.len() as u64,
            crc32: hasher.finalize(),
        }
    }
}

/// Why a state cannot be used.
#[derive(Debug, Error)]
pub enum StoreError {
    /// Neither generation is whole.
    #[error(
        "the state in {folder} cannot be used: {damage}; restore it from a copy, or begin anew \
         with --restart"
    )]
    Damaged {
        /// The folder.
        folder: String,
        /// What is wrong with each generation.
        damage: String,
    },
    /// A newer program wrote it.
    #[error(
        "{path} has format {version}, this program reads up to {FORMAT}: use the newer program \
         that wrote it"
    )]
    Newer {
        /// The file.
        path: String,
        /// Its format.
        version: u32,
    },
    /// The system failed.
    #[error("{path}: {error}")]
    Io {
        /// The file.
        path: String,
        /// What the system said.
        error: io::Error,
    },
}

/// Why a frame is not a state.
#[derive(Debug)]
enum FrameError {
    Damaged(String),
    Newer(u32),
}

fn damaged(what: impl Into<String>) -> FrameError {
    FrameError::Damaged(what.into())
}

fn seal(fingerprint: Fingerprint, saved: &Saved) -> Vec<u8> {
    let body = encode(saved);
    let mut frame = Vec::with_capacity(HEADER + body.len());
    frame.extend(MAGIC);
    frame.extend(FORMAT.to_le_bytes());
    frame.extend(fingerprint.0.to_le_bytes());
    frame.extend((body.len() as u64).to_le_bytes());
    frame.extend(crc32fast::hash(&body).to_le_bytes());
    frame.extend(crc32fast::hash(&frame).to_le_bytes());
    frame.extend(body);
    frame
}

fn unseal(frame: &[u8]) -> Result<(Fingerprint, Saved), FrameError> {
    let Some((header, body)) = frame.split_at_checked(HEADER) else {
        return Err(damaged(format!("it has only {} bytes", frame.len())));
    };
    let u32_at = |at: usize| u32::from_le_bytes(header[at..at + 4].try_into().expect("4 bytes"));
    let u64_at = |at: usize| u64::from_le_bytes(header[at..at + 8].try_into().expect("8 bytes"));
    if crc32fast::hash(&header[..32]) != u32_at(32) {
        return Err(damaged("the checksum of its header does not fit"));
    }
    if header[..8] != MAGIC {
        return Err(damaged("it is no state of a search"));
    }
    let version = u32_at(8);
    if version > FORMAT {
        return Err(FrameError::Newer(version));
    }
    if body.len() as u64 != u64_at(20) {
        return Err(damaged(format!(
            "it has {} bytes of body instead of {}",
            body.len(),
            u64_at(20)
        )));
    }
    if crc32fast::hash(body) != u32_at(28) {
        return Err(damaged("its checksum does not fit"));
    }
    let saved: Saved = decode(body).ok_or_else(|| damaged("its body does not decode"))?;
    let fingerprint = Fingerprint(u64_at(12));
    if fingerprint != Fingerprint::of(&saved.plan) {
        return Err(damaged("its fingerprint is not that of its plan"));
    }
    Ok((fingerprint, saved))
}

/// The paths of a folder.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Folder {
    path: PathBuf,
}

/// A state that was read, and what was wrong with a newer one.
#[derive(Debug)]
pub struct Loaded {
    /// The plan's fingerprint.
    pub fingerprint: Fingerprint,
    /// The state.
    pub saved: Saved,
    /// The newest state could not be used, and this is why.
    pub warning: Option<String>,
}

impl Folder {
    /// The folder at `path`, whether it exists or not.
    pub fn new(path: impl Into<PathBuf>) -> Folder {
        Folder { path: path.into() }
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The newest state.
    pub fn state(&self) -> PathBuf {
        self.path.join("state")
    }

    /// The state before.
    pub fn previous(&self) -> PathBuf {
        self.path.join("state.previous")
    }

    /// The finds.
    pub fn finds(&self) -> PathBuf {
        self.path.join("finds.jsonl")
    }

    /// The status, for scripts.
    pub fn status(&self) -> PathBuf {
        self.path.join("status.json")
    }

    /// The file that stops the search.
    pub fn stop(&self) -> PathBuf {
        self.path.join("stop")
    }

    fn lock_file(&self) -> PathBuf {
        self.path.join("lock")
    }

    /// Reads the newest state that is whole and whose finds are there; `None` if there is none at
    /// all.
    ///
    /// # Errors
    /// [`StoreError`]; a newer format is never passed over.
    pub fn load(&self, disk: &dyn Disk) -> Result<Option<Loaded>, StoreError> {
        let mut damage = Vec::new();
        let mut missing = 0;
        for path in [self.state(), self.previous()] {
            let name = path.display().to_string();
            let bytes = match disk.read(&path) {
                Ok(bytes) => bytes,
                Err(error) if error.kind() == io::ErrorKind::NotFound => {
                    missing += 1;
                    damage.push(format!("{name} is missing"));
                    continue;
                }
                Err(error) => return Err(StoreError::Io { path: name, error }),
            };
            let used = unseal(&bytes).and_then(|(fingerprint, saved)| {
                self.check_finds(disk, saved.finds)?;
                Ok((fingerprint, saved))
            });
            match used {
                Ok((fingerprint, saved)) => {
                    let warning = (!damage.is_empty())
                        .then(|| format!("{}: the state before it is used", damage.join("; ")));
                    return Ok(Some(Loaded {
                        fingerprint,
                        saved,
                        warning,
                    }));
                }
                Err(FrameError::Newer(version)) => {
                    return Err(StoreError::Newer {
                        path: name,
                        version,
                    });
                }
                Err(FrameError::Damaged(what)) => {
                    damage.push(format!("{name} is damaged ({what})"));
                }
            }
        }
        if missing == 2 {
            return Ok(None);
        }
        Err(StoreError::Damaged {
            folder: self.path.display().to_string(),
            damage: damage.join("; "),
        })
    }

    fn check_finds(&self, disk: &dyn Disk, extent: Extent) -> Result<(), FrameError> {
        self.read_finds(disk, extent)
            .map(|_| ())
            .map_err(|error| damaged(format!("{}: {error}", self.finds().display())))
    }

    /// The finds a state counts, as text; what lies beyond is left out.
    ///
    /// # Errors
    /// As the system gives them; [`io::ErrorKind::InvalidData`] if they are not those counted.
    pub fn read_finds(&self, disk: &dyn Disk, extent: Extent) -> io::Result<String> {
        let invalid = |what: String| io::Error::new(io::ErrorKind::InvalidData, what);
        if extent.bytes == 0 {
            return Ok(String::new());
        }
        let mut bytes = disk.read(&self.finds())?;
        if (bytes.len() as u64) < extent.bytes {
            return Err(invalid(format!(
                "it has {} bytes, the state counts {}",
                bytes.len(),
                extent.bytes
            )));
        }
        bytes.truncate(extent.bytes as usize);
        if crc32fast::hash(&bytes) != extent.crc32 {
            return Err(invalid("its checksum is not that of the state".to_owned()));
        }
        String::from_utf8(bytes).map_err(|_| invalid("it is no text".to_owned()))
    }

    /// Takes the lock; creates the folder if need be. `holder` is a line that tells others who
    /// works here.
    ///
    /// # Errors
    /// [`LockError`].
    pub fn lock(&self, holder: &str) -> Result<Held, LockError> {
        let io = |error| LockError::Io {
            path: self.lock_file().display().to_string(),
            error,
        };
        fs::create_dir_all(&self.path).map_err(|error| LockError::Io {
            path: self.path.display().to_string(),
            error,
        })?;
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true).truncate(false);
        let mut file = options.open(self.lock_file()).map_err(io)?;
        match file.try_lock() {
            Ok(()) => {
                // The line is for people alone: if it cannot be written, the lock holds as well.
                let told = file
                    .set_len(0)
                    .and_then(|()| file.write_all(holder.as_bytes()));
                drop(told);
                Ok(Held {
                    folder: self.clone(),
                    _file: file,
                })
            }
            Err(TryLockError::WouldBlock) => {
                let mut holder = String::new();
                let read = file
                    .seek(SeekFrom::Start(0))
                    .and_then(|_| file.take(500).read_to_string(&mut holder));
                Err(LockError::Busy {
                    folder: self.path.display().to_string(),
                    holder: match read {
                        Ok(_) if !holder.trim().is_empty() => holder.trim().to_owned(),
                        _ => "another process".to_owned(),
                    },
                })
            }
            Err(TryLockError::Error(error)) => Err(io(error)),
        }
    }

    /// Whether a process works here now.
    pub fn is_locked(&self) -> bool {
        OpenOptions::new()
            .read(true)
            .write(true)
            .open(self.lock_file())
            .is_ok_and(|file| matches!(file.try_lock(), Err(TryLockError::WouldBlock)))
    }
}

/// Why the lock was not taken.
#[derive(Debug, Error)]
pub enum LockError {
    /// Someone else has it.
    #[error("{folder} is worked on by {holder}: wait for it with --wait, or use another --state")]
    Busy {
        /// The folder.
        folder: String,
        /// Who has it.
        holder: String,
    },
    /// The system failed.
    #[error("{path}: {error}")]
    Io {
        /// The file.
        path: String,
        /// What the system said.
        error: io::Error,
    },
}

/// A folder this process alone writes to, until it is dropped or the process ends in any way.
#[derive(Debug)]
pub struct Held {
    folder: Folder,
    _file: File,
}

impl Held {
    /// The folder.
    pub fn folder(&self) -> &Folder {
        &self.folder
    }

    /// Replaces the state; the one before becomes the previous one. The finds it counts must be on
    /// the disk.
    ///
    /// # Errors
    /// As the system gives them; the states that were there are still whole then.
    pub fn save(&self, disk: &dyn Disk, fingerprint: Fingerprint, saved: &Saved) -> io::Result<()> {
        let [state, previous] = [self.folder.state(), self.folder.previous()];
        let new = self.folder.path.join("state.new");
        disk.write(&new, &seal(fingerprint, saved))?;
        match disk.rename(&state, &previous) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        disk.rename(&new, &state)?;
        disk.sync_folder(&self.folder.path)
    }

    /// Replaces the status file.
    ///
    /// # Errors
    /// As the system gives them.
    pub fn write_status(&self, disk: &dyn Disk, text: &str) -> io::Result<()> {
        replace(disk, &self.folder.status(), text.as_bytes())
    }

    /// Removes states and finds, to begin anew.
    ///
    /// # Errors
    /// As the system gives them.
    pub fn clear(&self) -> Result<(), StoreError> {
        for path in [
            self.folder.state(),
            self.folder.previous(),
            self.folder.finds(),
            self.folder.status(),
        ] {
            match fs::remove_file(&path) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => {
                    return Err(StoreError::Io {
                        path: path.display().to_string(),
                        error,
                    });
                }
                _ => {}
            }
        }
        Ok(())
    }
}

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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::run::disk::Files;

    fn saved(done: u64) -> Saved {
        Saved {
            plan: "deck = \"standard\"\n".to_owned(),
            shard: Shard::WHOLE,
            done,
            finds: Extent::default(),
            tally: vec![1, 2, 3],
            program: "test".to_owned(),
        }
    }

    fn held(folder: &Path) -> Held {
        Folder::new(folder).lock("the test").unwrap()
    }

    fn save(held: &Held, saved: &Saved) {
        held.save(&Files, Fingerprint::of(&saved.plan), saved)
            .unwrap();
    }

    fn load(held: &Held) -> Result<Option<Loaded>, StoreError> {
        held.folder().load(&Files)
    }

    #[test]
    fn a_state_comes_back_and_the_one_before_is_kept() {
        let folder = tempfile::tempdir().unwrap();
        let held = held(folder.path());
        assert!(load(&held).unwrap().is_none());
        for done in 0..3 {
            save(&held, &saved(done));
            let loaded = load(&held).unwrap().unwrap();
            assert_eq!((loaded.saved, loaded.warning), (saved(done), None));
        }
        fs::remove_file(held.folder().state()).unwrap();
        let loaded = load(&held).unwrap().unwrap();
        assert_eq!(loaded.saved.done, 1);
        assert!(loaded.warning.unwrap().contains("is missing"));
    }

    #[test]
    fn every_truncation_and_every_flipped_bit_is_noticed() {
        let folder = tempfile::tempdir().unwrap();
        let held = held(folder.path());
        save(&held, &saved(1));
        save(&held, &saved(2));
        let whole = fs::read(held.folder().state()).unwrap();
        let mut damaged = Vec::new();
        for len in 0..whole.len() {
            damaged.push(whole[..len].to_vec());
            let mut zeros = whole[..len].to_vec();
            zeros.resize(whole.len(), 0);
            if zeros != whole {
                damaged.push(zeros);
            }
            for bit in 0..8 {
                let mut flipped = whole.clone();
                flipped[len] ^= 1 << bit;
                damaged.push(flipped);
            }
        }
        damaged.push([&whole[..], &[0]].concat());
        for bytes in damaged {
            fs::write(held.folder().state(), &bytes).unwrap();
            let loaded = load(&held).unwrap().unwrap();
            assert_eq!(loaded.saved, saved(1));
            assert!(loaded.warning.unwrap().contains("damaged"));
        }
        fs::write(held.folder().previous(), b"").unwrap();
        let error = load(&held).unwrap_err().to_string();
        assert!(
            error.contains("--restart") && error.contains("state.previous"),
            "{error}"
        );
    }

    #[test]
    fn a_newer_state_is_named_and_never_passed_over() {
        let folder = tempfile::tempdir().unwrap();
        let held = held(folder.path());
        save(&held, &saved(1));
        save(&held, &saved(2));
        let mut newer = fs::read(held.folder().state()).unwrap();
        newer[8..12].copy_from_slice(&7u32.to_le_bytes());
        let crc = crc32fast::hash(&newer[..32]);
        newer[32..36].copy_from_slice(&crc.to_le_bytes());
        fs::write(held.folder().state(), newer).unwrap();
        assert!(matches!(
            load(&held),
            Err(StoreError::Newer { version: 7, .. })
        ));
    }

    #[test]
    fn finds_that_are_not_those_counted_damage_the_state() {
        let folder = tempfile::tempdir().unwrap();
        let held = held(folder.path());
        let mut journal = Journal::after(held.folder(), Extent::default());
        journal.push("one");
        let one = Saved {
            finds: journal.sync(&Files).unwrap(),
            ..saved(1)
        };
        save(&held, &one);
        journal.push("two");
        let two = Saved {
            finds: journal.sync(&Files).unwrap(),
            ..saved(2)
        };
        save(&held, &two);
        let finds = held.folder().finds();
        let mut text = fs::read_to_string(&finds).unwrap();
        assert_eq!(text, "one\ntwo\n");
        // Lines beyond the state are passed over; a torn one too.
        text.push_str("three\nfo");
        fs::write(&finds, &text).unwrap();
        assert_eq!(load(&held).unwrap().unwrap().saved, two);
        assert_eq!(
            held.folder().read_finds(&Files, two.finds).unwrap(),
            "one\ntwo\n"
        );
        for wrong in ["one\ntwo", "one\ntwq\n", "one\n"] {
            fs::write(&finds, wrong).unwrap();
            let loaded = load(&held).unwrap().unwrap();
            assert_eq!(loaded.saved, one, "{wrong:?}");
            assert!(loaded.warning.unwrap().contains("finds.jsonl"));
        }
        fs::write(&finds, "onf\ntwo\n").unwrap();
        assert!(matches!(load(&held), Err(StoreError::Damaged { .. })));
        fs::remove_file(&finds).unwrap();
        assert!(matches!(load(&held), Err(StoreError::Damaged { .. })));
    }

    #[test]
    fn a_journal_cuts_what_lies_beyond_and_keeps_what_was_not_written() {
        struct Full<'a>(&'a std::sync::atomic::AtomicBool);
        impl Disk for Full<'_> {
            fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
                Files.read(path)
            }
            fn write(&self, path: &Path, bytes: &[u8]) -> io::Result<()> {
                Files.write(path, bytes)
            }
            fn append(&self, path: &Path, at: u64, bytes: &[u8]) -> io::Result<()> {
                if self.0.load(std::sync::atomic::Ordering::Relaxed) {
                    // A short write, as on a full disk.
                    Files.append(path, at, &bytes[..bytes.len() / 2])?;
                    return Err(io::ErrorKind::StorageFull.into());
                }
                Files.append(path, at, bytes)
            }
            fn sync(&self, path: &Path) -> io::Result<()> {
                Files.sync(path)
            }
            fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
                Files.rename(from, to)
            }
            fn sync_folder(&self, folder: &Path) -> io::Result<()> {
                Files.sync_folder(folder)
            }
        }
        let folder = tempfile::tempdir().unwrap();
        let folder = Folder::new(folder.path());
        fs::write(folder.finds(), "one\nlost").unwrap();
        let full = std::sync::atomic::AtomicBool::new(true);
        let disk = Full(&full);
        let extent = Extent::default().with(b"one\n");
        let mut journal = Journal::after(&folder, extent);
        journal.push("two");
        assert!(journal.write(&disk).is_err());
        journal.push("three");
        assert!(journal.sync(&disk).is_err());
        full.store(false, std::sync::atomic::Ordering::Relaxed);
        let synced = journal.sync(&disk).unwrap();
        assert_eq!(fs::read(folder.finds()).unwrap(), b"one\ntwo\nthree\n");
        assert_eq!(synced, Extent::default().with(b"one\ntwo\nthree\n"));
        // Without a new find, a resume still cuts.
        fs::write(folder.finds(), "one\nlost").unwrap();
        assert_eq!(
            Journal::after(&folder, extent).sync(&Files).unwrap(),
            extent
        );
        assert_eq!(fs::read(folder.finds()).unwrap(), b"one\n");
    }

    #[test]
    fn one_holder_at_a_time_and_the_message_names_him() {
        let folder = tempfile::tempdir().unwrap();
        let place = Folder::new(folder.path().join("new"));
        let first = place.lock("process 77 since noon").unwrap();
        let error = place.lock("me").unwrap_err().to_string();
        assert!(
            error.contains("process 77 since noon") && error.contains("--wait"),
            "{error}"
        );
        assert!(place.is_locked());
        drop(first);
        assert!(!place.is_locked());
        place.lock("me").unwrap();
    }
}
