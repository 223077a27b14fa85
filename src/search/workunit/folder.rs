//! The files of a unit. Each may be a file, or a link file of BOINC that names the real one.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use thiserror::Error;

use super::progress::{Progress, StateError};
use super::unit::{Unit, UnitError};
use crate::search::run::disk::{Disk, replace};

/// The longest `in` or link file that is read.
const SHORT: u64 = 4096;

/// The largest checkpoint that is read: a million loops.
const LONG: u64 = 64 << 20;

/// The folder of a unit: BOINC's slot, or any other.
#[derive(Clone, Debug)]
pub struct UnitFolder {
    path: PathBuf,
}

/// Why the files of a unit cannot be used.
#[derive(Debug, Error)]
pub enum FolderError {
    /// `in` is no unit.
    #[error("{path}: {error}")]
    Unit {
        /// The file.
        path: String,
        /// What is wrong.
        error: UnitError,
    },
    /// The checkpoint cannot be used.
    #[error("{path}: {error}; move it away to play the unit from its start (nothing was changed)")]
    State {
        /// The file.
        path: String,
        /// What is wrong.
        error: StateError,
    },
    /// A link file does not name a file.
    #[error(
        "{path}: it begins like a link file of BOINC but does not read \
         <soft_link>PATH</soft_link>"
    )]
    Link {
        /// The file.
        path: String,
    },
    /// A file is larger than it can be.
    #[error("{path}: it has over {most} bytes: that is no {what}")]
    TooLong {
        /// The file.
        path: String,
        /// The most bytes that are read.
        most: u64,
        /// What should be there.
        what: &'static str,
    },
    /// There is an answer, and no checkpoint that says it is ours.
    #[error(
        "{path}: there is an answer already, and no checkpoint of the unit; move it away to play \
         the unit again (nothing was changed)"
    )]
    Answered {
        /// The file.
        path: String,
    },
    /// Another process plays this unit.
    #[error("{path}: another process plays the unit of this folder")]
    Locked {
        /// The file that it holds.
        path: String,
    },
    /// A file cannot be read or written.
    #[error("{path}: {error}")]
    Io {
        /// The file.
        path: String,
        /// What the system said.
        error: io::Error,
    },
}

impl FolderError {
    /// Whether what is in the folder is wrong, rather than something not being readable.
    pub fn is_input(&self) -> bool {
        let missing = |error: &io::Error| error.kind() == io::ErrorKind::NotFound;
        !matches!(self, FolderError::Locked { .. })
            && !matches!(self, FolderError::Io { error, .. } if !missing(error))
    }
}

/// Holds a folder for this process as long as it lives.
#[derive(Debug)]
pub struct Lock {
    _file: File,
}

impl UnitFolder {
    /// The first and the last index.
    pub const IN: &str = "in";
    /// The answer.
    pub const OUT: &str = "out";
    /// The checkpoint.
    pub const STATE: &str = "camicia_state";
    /// The file that the process at work holds.
    pub const LOCK: &str = "camicia_lock";

    /// The unit in a folder.
    pub fn new(path: impl Into<PathBuf>) -> UnitFolder {
        UnitFolder { path: path.into() }
    }

    /// The folder.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Reads the unit.
    ///
    /// # Errors
    /// [`FolderError`].
    pub fn unit(&self) -> Result<Unit, FolderError> {
        let path = self.real(Self::IN)?;
        let bytes = read(&path, SHORT, "unit")?;
        let text = String::from_utf8_lossy(&bytes);
        Unit::read(&text).map_err(|error| FolderError::Unit {
            path: path.display().to_string(),
            error,
        })
    }

    /// Takes the folder for this process.
    ///
    /// # Errors
    /// [`FolderError::Locked`] if another process has it, [`FolderError::Io`].
    pub fn lock(&self) -> Result<Lock, FolderError> {
        let path = self.path.join(Self::LOCK);
        let file = File::create(&path).map_err(|error| at(&path, error))?;
        match file.try_lock() {
            Ok(()) => Ok(Lock { _file: file }),
            Err(std::fs::TryLockError::WouldBlock) => Err(FolderError::Locked {
                path: path.display().to_string(),
            }),
            Err(std::fs::TryLockError::Error(error)) => Err(at(&path, error)),
        }
    }

    /// The progress of `unit` that was saved here, or its beginning.
    ///
    /// # Errors
    /// [`FolderError::State`] if there is a checkpoint that cannot be used,
    /// [`FolderError::Answered`] if there is an answer without one, [`FolderError::Io`].
    pub fn progress(&self, unit: Unit) -> Result<Progress, FolderError> {
        let path = self.real(Self::STATE)?;
        match read(&path, LONG, "checkpoint of a unit") {
            Ok(bytes) => Progress::from_bytes(&bytes, unit).map_err(|error| FolderError::State {
                path: path.display().to_string(),
                error,
            }),
            Err(FolderError::Io { error, .. }) if error.kind() == io::ErrorKind::NotFound => {
                let out = self.real(Self::OUT)?;
                match out.metadata() {
                    Ok(found) if found.len() > 0 => Err(FolderError::Answered {
                        path: out.display().to_string(),
                    }),
                    Err(error) if error.kind() != io::ErrorKind::NotFound => Err(at(&out, error)),
                    _ => Ok(Progress::begin(unit)),
                }
            }
            Err(error) => Err(error),
        }
    }

    /// Saves progress: the old checkpoint or the new one is there, whatever happens.
    ///
    /// # Errors
    /// [`FolderError::Io`]; the old checkpoint is whole then.
    pub fn save(&self, progress: &Progress, disk: &dyn Disk) -> Result<(), FolderError> {
        self.put(Self::STATE, &progress.to_bytes(), disk)
    }

    /// Writes the answer.
    ///
    /// # Errors
    /// [`FolderError::Io`].
    pub fn answer(&self, progress: &Progress, disk: &dyn Disk) -> Result<(), FolderError> {
        self.put(Self::OUT, progress.answer().as_bytes(), disk)
    }

    fn put(&self, name: &str, bytes: &[u8], disk: &dyn Disk) -> Result<(), FolderError> {
        let path = self.real(name)?;
        replace(disk, &path, bytes).map_err(|error| at(&path, error))
    }

    /// The file behind a name: the one that a link file of BOINC gives, or the file itself.
    fn real(&self, name: &str) -> Result<PathBuf, FolderError> {
        const START: &[u8] = b"<soft_link>";
        let path = self.path.join(name);
        let mut bytes = Vec::new();
        match File::open(&path) {
            Ok(file) => file.take(SHORT).read_to_end(&mut bytes),
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(path),
            Err(error) => Err(error),
        }
        .map_err(|error| at(&path, error))?;
        if !bytes.trim_ascii_start().starts_with(START) {
            // A symbolic link of the system is followed, so that what it names is replaced.
            return Ok(path.canonicalize().unwrap_or(path));
        }
        let linked = std::str::from_utf8(&bytes).ok().and_then(|text| {
            let (name, rest) = text.trim()[START.len()..].split_once("</soft_link>")?;
            (rest.trim().is_empty() && !name.trim().is_empty()).then(|| name.trim().to_owned())
        });
        match linked {
            Some(linked) => Ok(self.path.join(linked)),
            None => Err(FolderError::Link {
                path: path.display().to_string(),
            }),
        }
    }
}

fn at(path: &Path, error: io::Error) -> FolderError {
    FolderError::Io {
        path: path.display().to_string(),
        error,
    }
}

/// The bytes of a file of at most `most` bytes.
fn read(path: &Path, most: u64, what: &'static str) -> Result<Vec<u8>, FolderError> {
    let mut bytes = Vec::new();
    File::open(path)
        .and_then(|file| file.take(most + 1).read_to_end(&mut bytes))
        .map_err(|error| at(path, error))?;
    if bytes.len() as u64 > most {
        return Err(FolderError::TooLong {
            path: path.display().to_string(),
            most,
            what,
        });
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::search::run::disk::Files;

    #[test]
    fn link_files_lead_to_the_real_ones() {
        let root = tempfile::tempdir().unwrap();
        let slot = root.path().join("slots/0");
        let project = root.path().join("projects/p");
        fs::create_dir_all(&slot).unwrap();
        fs::create_dir_all(&project).unwrap();
        fs::write(
            slot.join("in"),
            "<soft_link>../../projects/p/u</soft_link>\n",
        )
        .unwrap();
        fs::write(
            slot.join("out"),
            "<soft_link>../../projects/p/r</soft_link>",
        )
        .unwrap();
        fs::write(
            slot.join("camicia_state"),
            " <soft_link>../../projects/p/s</soft_link> ",
        )
        .unwrap();
        fs::write(project.join("u"), "3 4\n").unwrap();
        let folder = UnitFolder::new(&slot);
        let unit = folder.unit().unwrap();
        assert_eq!((unit.first(), unit.last()), (3, 4));
        let progress = folder.progress(unit).unwrap();
        folder.save(&progress, &Files).unwrap();
        folder.answer(&progress, &Files).unwrap();
        assert_eq!(
            fs::read(project.join("s")).unwrap(),
            Progress::begin(unit).to_bytes()
        );
        assert_eq!(fs::read_to_string(project.join("r")).unwrap(), "");
        assert!(
            fs::read_to_string(slot.join("out"))
                .unwrap()
                .starts_with("<soft_link>")
        );
        assert_eq!(folder.progress(unit).unwrap(), progress);
    }

    #[test]
    fn a_link_file_that_names_nothing_is_refused() {
        let root = tempfile::tempdir().unwrap();
        let folder = UnitFolder::new(root.path());
        for link in [
            "<soft_link>",
            "<soft_link></soft_link>",
            "<soft_link>a</soft_link>b",
        ] {
            fs::write(root.path().join("in"), link).unwrap();
            assert!(
                matches!(folder.unit(), Err(FolderError::Link { .. })),
                "{link}"
            );
        }
        fs::write(root.path().join("in"), "<soft_link>gone</soft_link>").unwrap();
        let error = folder.unit().unwrap_err();
        assert!(
            error.to_string().contains("gone") && error.is_input(),
            "{error}"
        );
    }

    #[test]
    fn an_answer_without_a_checkpoint_is_kept() {
        let root = tempfile::tempdir().unwrap();
        let folder = UnitFolder::new(root.path());
        let unit = Unit::new(0, 1).unwrap();
        fs::write(root.path().join("out"), "").unwrap();
        assert!(folder.progress(unit).is_ok());
        fs::write(root.path().join("out"), "finished,0,1,1\n").unwrap();
        let error = folder.progress(unit).unwrap_err();
        assert!(
            matches!(error, FolderError::Answered { .. }) && error.is_input(),
            "{error}"
        );
    }

    #[test]
    fn one_process_at_a_time() {
        let root = tempfile::tempdir().unwrap();
        let folder = UnitFolder::new(root.path());
        let held = folder.lock().unwrap();
        let error = folder.lock().unwrap_err();
        assert!(
            matches!(error, FolderError::Locked { .. }) && !error.is_input(),
            "{error}"
        );
        drop(held);
        folder.lock().unwrap();
    }
}
