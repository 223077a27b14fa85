//! The folder of a run: what lies where, which state is whole, and who works there.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use thiserror::Error;

use super::frame::{Extent, FORMAT, FrameError, Saved, seal, unseal};
use crate::search::plan::Fingerprint;
use crate::search::run::disk::{Disk, replace};

/// Why a state cannot be used.
#[derive(Debug, Error)]
pub enum StoreError {
    /// Neither generation is whole.
    #[error(
        "the state in {folder} cannot be used: {damage}; restore it from a copy, or begin anew with \
         --restart (finds are put aside then, never deleted)"
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

/// The paths of a folder.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Folder {
    path: PathBuf,
}

/// A state that was read, and what was wrong.
#[derive(Debug)]
pub struct Loaded {
    /// The plan's fingerprint.
    pub fingerprint: Fingerprint,
    /// The state.
    pub saved: Saved,
    /// What a person should know: a newer state could not be used, or a newer program wrote it.
    pub warning: Option<String>,
    /// The finds are not those that the state counts, and this is why: they must be
    /// [mended](crate::search::run::mend) before the run goes on.
    pub finds_damaged: Option<String>,
    /// An older state whose finds are whole, for the case that they cannot be mended.
    pub fallback: Option<Saved>,
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

    /// A state that was written in full but had not taken its place yet.
    fn new_state(&self) -> PathBuf {
        self.path.join("state.new")
    }

    /// Reads the newest state that is whole, whether its finds are or not. `None` if there is no
    /// state at all.
    ///
    /// # Errors
    /// [`StoreError`]; a newer format is never passed over.
    pub fn load(&self, disk: &dyn Disk) -> Result<Option<Loaded>, StoreError> {
        let mut damage = Vec::new();
        let mut missing = 0;
        // The newest whole state, and whether its finds are there: the reason, if not.
        let mut best: Option<(Fingerprint, Saved, String, Option<String>)> = None;
        let mut fallback = None;
        for path in [self.new_state(), self.state(), self.previous()] {
            let name = path.display().to_string();
            let is_new = path == self.new_state();
            if path == self.previous() && matches!(&best, Some((_, _, _, finds)) if finds.is_none())
            {
                break;
            }
            let bytes = match disk.read(&path) {
                Ok(bytes) => bytes,
                Err(error)
                    if matches!(
                        error.kind(),
                        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
                    ) =>
                {
                    missing += 1;
                    if !is_new {
                        damage.push(format!("{name} is missing"));
                    }
                    continue;
                }
                Err(error) => return Err(StoreError::Io { path: name, error }),
            };
            let (fingerprint, saved) = match unseal(&bytes) {
                Ok(whole) => whole,
                Err(FrameError::Newer(version)) => {
                    return Err(StoreError::Newer {
                        path: name,
                        version,
                    });
                }
                // One that was being written when the power went is no loss.
                Err(FrameError::Damaged(_)) if is_new => {
                    missing += 1;
                    continue;
                }
                Err(FrameError::Damaged(what)) => {
                    damage.push(format!("{name} is damaged ({what})"));
                    continue;
                }
            };
            let finds = self.check_finds(disk, saved.finds)?;
            if finds.is_none() {
                let newer = |known: &Saved| saved.done > known.done;
                if fallback.as_ref().is_none_or(newer) {
                    fallback = Some(saved.clone());
                }
            }
            if best
                .as_ref()
                .is_none_or(|(_, known, ..)| saved.done > known.done)
            {
                best = Some((fingerprint, saved, name, finds));
            }
        }
        if missing == 3 {
            return Ok(None);
        }
        let Some((fingerprint, saved, name, finds_damaged)) = best else {
            return Err(StoreError::Damaged {
                folder: self.path.display().to_string(),
                damage: damage.join("; "),
            });
        };
        let mut warnings = Vec::new();
        if !damage.is_empty()
            && finds_damaged.is_none()
            && name == self.previous().display().to_string()
        {
            warnings.push(format!(
                "{}: the state before it is used",
                damage.join("; ")
            ));
        }
        if newer_program(&saved.program) {
            warnings.push(format!(
                "{name} was written by version {} of this program, which is newer than this one \
                 ({}): what it found then may not be found again",
                saved.program,
                env!("CARGO_PKG_VERSION")
            ));
        }
        Ok(Some(Loaded {
            fingerprint,
            saved,
            warning: (!warnings.is_empty()).then(|| warnings.join("; ")),
            fallback: fallback.filter(|_| finds_damaged.is_some()),
            finds_damaged,
        }))
    }

    /// What is wrong with the finds that a state counts, if anything is.
    ///
    /// # Errors
    /// [`StoreError::Io`] if the file is there but cannot be read: that is no damage.
    fn check_finds(&self, disk: &dyn Disk, extent: Extent) -> Result<Option<String>, StoreError> {
        let path = self.finds().display().to_string();
        match self.read_finds(disk, extent) {
            Ok(_) => Ok(None),
            Err(error)
                if matches!(
                    error.kind(),
                    io::ErrorKind::NotFound | io::ErrorKind::InvalidData
                ) =>
            {
                Ok(Some(format!("{path}: {error}")))
            }
            Err(error) => Err(StoreError::Io { path, error }),
        }
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
                    whole: AtomicBool::new(false),
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

    /// Whether a process works here now; `None` if that cannot be known. Nobody is disturbed.
    pub fn is_locked(&self) -> Option<bool> {
        let path = self.lock_file();
        let about = match fs::metadata(&path) {
            Ok(about) => about,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Some(false),
            Err(_) => return None,
        };
        let locks = fs::read_to_string("/proc/locks").unwrap_or_default();
        let (major, minor) = (
            rustix::fs::major(about.dev()),
            rustix::fs::minor(about.dev()),
        );
        let file = format!("{major:02x}:{minor:02x}:{}", about.ino());
        if locks.lines().any(|line| is_exclusive(line, &file)) {
            return Some(true);
        }
        // The list may leave out processes of other containers, or know the disk under another
        // number. A shared lock for a moment hides nothing from others who ask the same way, and
        // whoever wants to work here tries more than once.
        match File::open(&path).map(|file| file.try_lock_shared()) {
            Ok(Ok(())) => Some(false),
            Ok(Err(TryLockError::WouldBlock)) => Some(true),
            Ok(Err(TryLockError::Error(_))) | Err(_) => None,
        }
    }
}

/// Whether a line of `/proc/locks` is an exclusive lock of a file: `1: FLOCK ADVISORY WRITE 77
/// 08:01:1234 0 EOF`.
fn is_exclusive(line: &str, file: &str) -> bool {
    let words: Vec<&str> = line.split_whitespace().collect();
    words.get(1) == Some(&"FLOCK") && words.get(3) == Some(&"WRITE") && words.get(5) == Some(&file)
}

/// Whether a version of this program is newer than this one.
fn newer_program(version: &str) -> bool {
    let numbers = |version: &str| -> Option<Vec<u64>> {
        let release = version.split(['-', '+']).next()?;
        release.split('.').map(|part| part.parse().ok()).collect()
    };
    numbers(version) > numbers(env!("CARGO_PKG_VERSION"))
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
    /// The newest state is known to be whole.
    whole: AtomicBool,
}

impl Held {
    /// The folder.
    pub fn folder(&self) -> &Folder {
        &self.folder
    }

    /// Replaces the state; the one before becomes the previous one, if it is whole. The finds it
    /// counts must be on the disk.
    ///
    /// # Errors
    /// As the system gives them; the states that were there are still whole then.
    pub fn save(&self, disk: &dyn Disk, fingerprint: Fingerprint, saved: &Saved) -> io::Result<()> {
        let [state, previous] = [self.folder.state(), self.folder.previous()];
        let new = self.folder.new_state();
        disk.write(&new, &seal(fingerprint, saved))?;
        // A damaged state must not take the place of a good one.
        let whole = self.whole.load(Ordering::Relaxed)
            || match disk.read(&state) {
                Ok(bytes) => unseal(&bytes).is_ok(),
                Err(_) => true,
            };
        let to = if whole {
            previous
        } else {
            self.folder.path.join("state.damaged")
        };
        match disk.rename(&state, &to) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        disk.rename(&new, &state)?;
        disk.sync_folder(&self.folder.path)?;
        self.whole.store(true, Ordering::Relaxed);
        Ok(())
    }

    /// Replaces the finds by `bytes`; what was there is put aside. Returns what the new ones come
    /// to, and the name of the file that was put aside.
    ///
    /// # Errors
    /// As the system gives them; the finds that were there are still somewhere then.
    pub fn replace_finds(&self, disk: &dyn Disk, bytes: &[u8]) -> io::Result<(Extent, PathBuf)> {
        let new = self.folder.path.join("finds.new");
        disk.write(&new, bytes)?;
        let aside = self.put_finds_aside()?;
        disk.rename(&new, &self.folder.finds())?;
        disk.sync_folder(&self.folder.path)?;
        let aside = aside.unwrap_or_default();
        Ok((Extent::default().with(bytes), aside))
    }

    /// Gives the finds a name of their own, so that nothing writes over them; `None` if there are
    /// none.
    ///
    /// # Errors
    /// As the system gives them.
    pub fn put_finds_aside(&self) -> io::Result<Option<PathBuf>> {
        let finds = self.folder.finds();
        match fs::metadata(&finds) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error),
            Ok(about) if about.len() == 0 => return Ok(None),
            Ok(_) => {}
        }
        let names = (1u32..).map(|n| self.folder.path.join(format!("finds.aside-{n}.jsonl")));
        for aside in names {
            // A link fails where the name is taken: nothing is ever written over.
            match fs::hard_link(&finds, &aside) {
                Ok(()) => {
                    fs::remove_file(&finds)?;
                    return Ok(Some(aside));
                }
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                // Not every file system has links; here nobody else writes.
                Err(_) if !aside.exists() => {
                    fs::rename(&finds, &aside)?;
                    return Ok(Some(aside));
                }
                Err(_) => {}
            }
        }
        unreachable!("there is always another number")
    }

    /// Replaces the status file.
    ///
    /// # Errors
    /// As the system gives them.
    pub fn write_status(&self, disk: &dyn Disk, text: &str) -> io::Result<()> {
        replace(disk, &self.folder.status(), text.as_bytes())
    }

    /// Removes what a run left, to begin the plan `canonical` anew. Finds that a whole state of the
    /// same plan counts will be found again; all others are put aside, under the name returned.
    ///
    /// # Errors
    /// As the system gives them.
    pub fn clear(&self, disk: &dyn Disk, canonical: &str) -> Result<Option<PathBuf>, StoreError> {
        let io = |path: &Path| {
            let path = path.display().to_string();
            move |error| StoreError::Io { path, error }
        };
        let accounted = match self.folder.load(disk) {
            Ok(Some(loaded)) => loaded.saved.plan == canonical && loaded.finds_damaged.is_none(),
            Ok(None) | Err(StoreError::Damaged { .. } | StoreError::Newer { .. }) => false,
            Err(error @ StoreError::Io { .. }) => return Err(error),
        };
        let finds = self.folder.finds();
        let aside = if accounted {
            None
        } else {
            self.put_finds_aside().map_err(io(&finds))?
        };
        for path in [
            self.folder.new_state(),
            self.folder.state(),
            self.folder.previous(),
            finds,
            self.folder.status(),
        ] {
            match fs::remove_file(&path) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => {
                    return Err(io(&path)(error));
                }
                _ => {}
            }
        }
        self.whole.store(false, Ordering::Relaxed);
        Ok(aside)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_newer_program_is_known_by_its_numbers() {
        assert!(newer_program("99.0.0") && newer_program("0.1.10"));
        for version in [env!("CARGO_PKG_VERSION"), "0.0.9", "test", ""] {
            assert!(!newer_program(version), "{version}");
        }
    }

    #[test]
    fn a_lock_is_known_by_its_line() {
        let line = "1: FLOCK  ADVISORY  WRITE 77 08:01:1234 0 EOF";
        assert!(is_exclusive(line, "08:01:1234"));
        for (line, file) in [
            (line, "08:01:123"),
            ("1: FLOCK  ADVISORY  READ 77 08:01:1234 0 EOF", "08:01:1234"),
            ("1: POSIX  ADVISORY  WRITE 77 08:01:1234 0 9", "08:01:1234"),
            ("", "08:01:1234"),
        ] {
            assert!(!is_exclusive(line, file), "{line}");
        }
    }
}
