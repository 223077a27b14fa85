//! Texts that are named on the command line: a file, or `-` for standard input.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use anyhow::anyhow;

use super::fault::Fault;

/// The most bytes of a plan.
pub const PLAN_BYTES: u64 = 16 << 20;

/// Opens a file, or standard input for `-`.
///
/// # Errors
/// A [`Fault`] that names it.
pub fn open(path: &Path) -> Result<Box<dyn Read + Send>, Fault> {
    if path == Path::new("-") {
        return Ok(Box::new(io::stdin()));
    }
    let file = File::open(path).map_err(|error| Fault::io(path, error))?;
    Ok(Box::new(file))
}

/// What messages call it.
pub fn name(path: &Path) -> String {
    if path == Path::new("-") {
        "standard input".to_owned()
    } else {
        path.display().to_string()
    }
}

/// The text of a file, or of standard input for `-`, without a byte-order mark.
///
/// # Errors
/// If it cannot be read (exit 74), is over `most` bytes or no UTF-8 (exit 2).
pub fn text(path: &Path, most: u64) -> Result<String, Fault> {
    let from = open(path)?;
    let name = name(path);
    let mut bytes = Vec::new();
    from.take(most + 1)
        .read_to_end(&mut bytes)
        .map_err(|error| Fault::io(&name, error))?;
    if bytes.len() as u64 > most {
        let error = anyhow!(
            "it is over {} MiB: nothing so large is read here",
            most >> 20
        );
        return Err(Fault::usage(error).at(name));
    }
    let text = String::from_utf8(bytes).map_err(|error| {
        let byte = error.utf8_error().valid_up_to();
        Fault::usage(anyhow!("it is no text: byte {byte} is not UTF-8")).at(&name)
    })?;
    Ok(without_mark(text))
}

/// The text without the byte-order mark that some editors put before it.
fn without_mark(mut text: String) -> String {
    if text.starts_with('\u{feff}') {
        text.drain(..'\u{feff}'.len_utf8());
    }
    text
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::super::exit::Exit;
    use super::*;

    #[test]
    fn a_text_is_read_without_its_byte_order_mark() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        fs::write(&path, "\u{feff}J/-\n").unwrap();
        assert_eq!(text(&path, 100).unwrap(), "J/-\n");
        let fault = text(&path, 6).unwrap_err();
        assert_eq!(fault.exit, Exit::Usage);
        fs::write(&path, b"J/\xff").unwrap();
        let fault = text(&path, 100).unwrap_err();
        assert_eq!(fault.exit, Exit::Usage);
        assert!(format!("{:#}", fault.error).ends_with("a: it is no text: byte 2 is not UTF-8"));
        let fault = text(&folder.path().join("b"), 100).unwrap_err();
        assert_eq!(fault.exit, Exit::Io);
    }
}
