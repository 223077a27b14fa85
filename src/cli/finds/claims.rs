//! Results files as they are given on the command line.

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};

use anyhow::anyhow;

use crate::cli::term::fault::Fault;
use crate::cli::term::input;
use crate::search::finds::formats::{Claims, FormatError, NumberedClaim};

/// The results files that `path` names: itself, or all `.jsonl` files in a folder, by name.
pub fn files(path: &Path) -> Result<Vec<PathBuf>, Fault> {
    if !path.is_dir() {
        return Ok(vec![path.to_owned()]);
    }
    let entries = fs::read_dir(path).map_err(|error| Fault::io(path, error))?;
    let mut found = Vec::new();
    for entry in entries {
        let file = entry.map_err(|error| Fault::io(path, error))?.path();
        if file.extension().is_some_and(|ending| ending == "jsonl") {
            found.push(file);
        }
    }
    if found.is_empty() {
        let error = anyhow!("the folder has no results: files that end in .jsonl are looked for");
        return Err(Fault::usage(error).at(path));
    }
    found.sort();
    Ok(found)
}

/// The claims of a file, or of standard input for `-`, as a stream.
pub struct FileClaims {
    name: String,
    claims: Claims<Box<dyn BufRead>>,
    good: u64,
    first_error: Option<(u64, String)>,
}

impl FileClaims {
    /// Looks into a file.
    pub fn open(file: &Path) -> Result<FileClaims, Fault> {
        let name = input::name(file);
        let from: Box<dyn BufRead> = Box::new(BufReader::new(input::open(file)?));
        let claims = Claims::new(from).map_err(|error| refused(&name, error))?;
        Ok(FileClaims {
            name,
            claims,
            good: 0,
            first_error: None,
        })
    }

    /// What messages call the file.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The next claims, at most `most`; none at the end. A file of which no line is a claim is a
    /// wrong file.
    pub fn batch(&mut self, most: usize) -> Result<Vec<NumberedClaim>, Fault> {
        let mut batch = Vec::new();
        for claim in self.claims.by_ref().take(most) {
            let claim = claim.map_err(|error| refused(&self.name, error))?;
            match &claim.1 {
                Ok(_) => self.good += 1,
                Err(error) if self.first_error.is_none() => {
                    self.first_error = Some((claim.0, error.clone()));
                }
                Err(_) => {}
            }
            batch.push(claim);
        }
        match &self.first_error {
            Some((line, error)) if batch.is_empty() && self.good == 0 => {
                let error = anyhow!("no line is a claim; line {line}: {error}");
                Err(Fault::usage(error).at(&self.name))
            }
            _ => Ok(batch),
        }
    }
}

fn refused(name: &str, error: FormatError) -> Fault {
    match error {
        FormatError::Io(error) => Fault::io(name, error),
        FormatError::Format(why) => Fault::usage(anyhow!(why)).at(name),
    }
}
