//! The few things a search asks of a file system, so that tests can make them fail.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Seek, SeekFrom, Write};
use std::path::Path;

/// Files, as the store uses them. Everything is done in full or is an error.
pub trait Disk: Sync {
    /// The bytes of a file.
    ///
    /// # Errors
    /// As the system gives them; a missing file is [`io::ErrorKind::NotFound`].
    fn read(&self, path: &Path) -> io::Result<Vec<u8>>;

    /// Creates or replaces a file, and returns once its bytes are on the disk.
    ///
    /// # Errors
    /// As the system gives them.
    fn write(&self, path: &Path, bytes: &[u8]) -> io::Result<()>;

    /// Cuts a file to its first `at` bytes (creating it if `at` is 0) and writes `bytes` after
    /// them, without waiting for the disk.
    ///
    /// # Errors
    /// As the system gives them; [`io::ErrorKind::UnexpectedEof`] if the file is shorter.
    fn append(&self, path: &Path, at: u64, bytes: &[u8]) -> io::Result<()>;

    /// Returns once the bytes of a file are on the disk.
    ///
    /// # Errors
    /// As the system gives them.
    fn sync(&self, path: &Path) -> io::Result<()>;

    /// Gives a file another name, replacing what had it.
    ///
    /// # Errors
    /// As the system gives them.
    fn rename(&self, from: &Path, to: &Path) -> io::Result<()>;

    /// Returns once the names in a folder are on the disk.
    ///
    /// # Errors
    /// As the system gives them.
    fn sync_folder(&self, folder: &Path) -> io::Result<()>;
}

/// The file system.
#[derive(Clone, Copy, Default, Debug)]
pub struct Files;

impl Disk for Files {
    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        fs::read(path)
    }

    fn write(&self, path: &Path, bytes: &[u8]) -> io::Result<()> {
        let mut file = File::create(path)?;
        file.write_all(bytes)?;
        file.sync_all()
    }

    fn append(&self, path: &Path, at: u64, bytes: &[u8]) -> io::Result<()> {
        let mut options = OpenOptions::new();
        options.write(true).truncate(false);
        let mut file = options.create(at == 0).open(path)?;
        if file.metadata()?.len() < at {
            return Err(io::Error::new(
                io::ErrorKind::UnexpectedEof,
                "the file was shortened by someone else",
            ));
        }
        file.set_len(at)?;
        file.seek(SeekFrom::Start(at))?;
        file.write_all(bytes)
    }

    fn sync(&self, path: &Path) -> io::Result<()> {
        File::open(path)?.sync_all()
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        fs::rename(from, to)
    }

    fn sync_folder(&self, folder: &Path) -> io::Result<()> {
        if cfg!(unix) {
            File::open(folder)?.sync_all()?;
        }
        Ok(())
    }
}

/// Replaces a file as a whole: whatever happens, the old or the new bytes are there.
///
/// # Errors
/// As the system gives them; the old file is still whole then.
pub fn replace(disk: &dyn Disk, path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(".new");
    let new = path.with_file_name(name);
    disk.write(&new, bytes)?;
    disk.rename(&new, path)?;
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => disk.sync_folder(folder),
        _ => disk.sync_folder(Path::new(".")),
    }
}
