//! Files that a command writes for its user.

use std::fs::{self, File, Permissions};
use std::io::{self, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use super::fault::Fault;

/// Writes `text` to `path` as a whole: whatever happens, the old file or the new one is there.
/// A device or a pipe, such as /dev/stdout, is written to as it is.
///
/// # Errors
/// Exit 74, with the path.
pub fn write(path: &Path, text: &str) -> Result<(), Fault> {
    whole(path, text.as_bytes()).map_err(|error| Fault::io(path, error))
}

fn whole(path: &Path, bytes: &[u8]) -> io::Result<()> {
    if fs::metadata(path).is_ok_and(|file| !file.is_file()) {
        return fs::OpenOptions::new()
            .write(true)
            .open(path)?
            .write_all(bytes);
    }
    // A link stays a link: the file behind it is replaced.
    let path = &fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    let mode = fs::metadata(path).map_or(0o666, |file| file.permissions().mode());
    let mut new = tempfile::Builder::new()
        .prefix(".camicia-")
        .permissions(Permissions::from_mode(mode))
        .tempfile_in(folder)?;
    new.write_all(bytes)?;
    new.as_file().sync_all()?;
    new.persist(path)?;
    File::open(folder)?.sync_all()
}
