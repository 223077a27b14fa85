//! The folder of a run: what lies where, which state is whole, and who works there.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use thiserror::Error;

use super::frame::{Extent, FORMAT, FrameError, Saved, damaged, seal, unseal};
use crate::search::plan::Fingerprint;
use crate::search::run::disk::{Disk, replace};

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
