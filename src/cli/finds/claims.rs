//! Results files as they are given on the command line: JSON lines, or tables separated by tabs.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::anyhow;

use crate::cards::{Deal, Deck, Reader};
use crate::cli::term::fault::Fault;
use crate::game::exact;
use crate::search::finds::results::{self, Find};

/// One claim about a deal.
pub enum Claim {
    /// A find, as searches write it.
    Find(Box<Find>),
    /// A row of a table: less is claimed there.
    Row(Row),
}

/// A row of a table.
pub struct Row {
    deal: Deal,
    deck: Option<Deck>,
    status: String,
    cards: u64,
    tricks: u64,
}

/// A claim, or why it is none, with its place.
pub struct Entry {
    /// The file.
    pub file: PathBuf,
    /// The line in it, from 1.
    pub line: usize,
    /// The claim.
    pub claim: Result<Claim, String>,
}

impl Claim {
    /// Replays the deal and says the first thing that does not hold.
    pub fn check(&self) -> Result<(), String> {
        match self {
            Claim::Find(find) => find.check().map_err(|error| error.to_string()),
            Claim::Row(row) => row.check(),
        }
    }
}

impl Row {
    fn check(&self) -> Result<(), String> {
        if let Some(deck) = &self.deck {
            deck.check(&self.deal).map_err(|error| error.to_string())?;
        }
        let verdict = exact::play(&self.deal);
        let claims = [
            ("status", self.status.clone(), verdict.status().to_owned()),
            (
                "cards",
                self.cards.to_string(),
                verdict.played.cards.to_string(),
            ),
            (
                "tricks",
                self.tricks.to_string(),
                verdict.played.tricks.to_string(),
            ),
        ];
        match claims.iter().find(|(_, claimed, is)| claimed != is) {
            Some((what, claimed, is)) => {
                Err(format!("{what} is claimed as {claimed}, but is {is}"))
            }
            None => Ok(()),
        }
    }
}

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

/// Reads the claims of a file.
pub fn read(file: &Path) -> Result<Vec<Entry>, Fault> {
    let bytes = fs::read(file).map_err(|error| Fault::io(file, error))?;
    let text = String::from_utf8(bytes).map_err(|error| {
        let byte = error.utf8_error().valid_up_to();
        Fault::usage(anyhow!("byte {byte} is not UTF-8: results are text")).at(file)
    })?;
    let entry = |line, claim| Entry {
        file: file.to_owned(),
        line,
        claim,
    };
    if text.trim_start().starts_with('{') {
        let lines = results::read(&text);
        let mut entries: Vec<Entry> = lines
            .finds
            .into_iter()
            .map(|(line, find)| {
                let claim = find.map(|find| Claim::Find(Box::new(find)));
                entry(line, claim.map_err(|error| error.to_string()))
            })
            .collect();
        if lines.torn.is_some() {
            let torn = "the last line was cut off while it was written".to_owned();
            entries.push(entry(text.lines().count(), Err(torn)));
        }
        return Ok(entries);
    }
    let rows = table(&text).map_err(|error| Fault::usage(error).at(file))?;
    Ok(rows
        .into_iter()
        .map(|(line, row)| entry(line, row.map(Claim::Row)))
        .collect())
}

type Numbered = (usize, Result<Row, String>);

/// Reads a table separated by tabs; its header names the columns, and the order does not matter.
fn table(text: &str) -> anyhow::Result<Vec<Numbered>> {
    const NEEDED: [&str; 5] = ["hand_a", "hand_b", "status", "cards", "tricks"];
    const OTHERS: [&str; 4] = ["name", "finder", "year", "deck"];
    let mut reader = csv::ReaderBuilder::new()
        .delimiter(b'\t')
        .quoting(false)
        .flexible(true)
        .from_reader(text.as_bytes());
    let header = reader.headers()?.clone();
    let place = |name: &str| header.iter().position(|column| column.trim() == name);
    let needed = NEEDED.map(place);
    if let Some(missing) = needed.iter().position(Option::is_none) {
        anyhow::bail!(
            "no results: neither JSON lines nor a table separated by tabs with the columns {} \
             (and perhaps {}); {} is missing",
            NEEDED.join(", "),
            OTHERS.join(", "),
            NEEDED[missing]
        );
    }
    let [a, b, status, cards, tricks] = needed.map(Option::unwrap_or_default);
    let deck = place("deck");
    let mut rows = Vec::new();
    for record in reader.records() {
        let record = record?;
        let line = record
            .position()
            .map_or(0, |position| position.line() as usize);
        let row = || {
            if record.len() != header.len() {
                return Err(format!(
                    "the row has {} columns, the header {}",
                    record.len(),
                    header.len()
                ));
            }
            let deck: Option<Deck> = match deck.map(|at| record[at].trim()) {
                None | Some("") => None,
                Some(text) => Some(text.parse().map_err(|error| format!("deck: {error}"))?),
            };
            let reader = Reader {
                digits: deck.as_ref().is_some_and(Deck::digits),
                ..Reader::default()
            };
            let deal = reader
                .hands(&record[a], &record[b])
                .map_err(|error| error.to_string())?;
            let number = |at: usize, name: &str| {
                let text = record[at].trim();
                text.parse::<u64>()
                    .map_err(|_| format!("{name}: {text:?} is no whole number"))
            };
            let status = record[status].trim().to_owned();
            if status != "finished" && status != "loop" {
                return Err(format!("status: {status:?} is neither finished nor loop"));
            }
            let (cards, tricks) = (number(cards, "cards")?, number(tricks, "tricks")?);
            Ok(Row {
                deal,
                deck,
                status,
                cards,
                tricks,
            })
        };
        rows.push((line, row()));
    }
    Ok(rows)
}
