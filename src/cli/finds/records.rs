//! `camicia records`: leaderboards, of the known records or of what searches found.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use clap::Args;
use serde_json::Value;

use super::claims::{self, FileClaims};
use super::report;
use crate::cards::Deck;
use crate::cli::term::exit::Exit;
use crate::cli::term::fault::{Fault, Outcome};
use crate::cli::term::output::{self, Out, STRONG};
use crate::cli::term::plot;
use crate::game::Outcome as Ended;
use crate::pages::report::Run;
use crate::search::finds::known;
use crate::search::finds::results::Find;
use crate::search::run::disk::{Files, replace};

/// So many claims are read at once.
const BATCH: usize = 4096;

/// Print the known records, or what searches found, with the gap to the record in percent
#[derive(Args, Debug)]
pub struct RecordsArgs {
    /// Results files of every format that camicia verify reads, - for standard input, or folders of
    /// searches [default: the records known to the program]
    #[arg(value_name = "FILE")]
    paths: Vec<PathBuf>,

    /// Only this deck
    #[arg(long, value_name = "DECK")]
    deck: Option<Deck>,

    /// How many finished games and how many loops are listed of each deck
    #[arg(long, value_name = "N", default_value_t = 20)]
    top: usize,

    /// Show how long the games of searches were, as bars: give folders of results
    #[arg(long, requires = "paths", conflicts_with_all = ["json", "csv", "deck"])]
    plot: bool,
    /// Add what is new in these results to a copy of the known files, after proving it; may be
    /// repeated
    #[arg(long, value_name = "PATH", requires = "into", conflicts_with_all = ["paths", "json", "csv"])]
    add: Vec<PathBuf>,

    /// The folder that the copy is written to: a new one, or an empty one
    #[arg(long, value_name = "DIR", requires = "add")]
    into: Option<PathBuf>,

    /// Print JSON lines, all finds
    #[arg(long, conflicts_with = "csv")]
    json: bool,

    /// Print CSV, all finds
    #[arg(long)]
    csv: bool,
}

pub fn run(args: &RecordsArgs) -> Outcome {
    if args.plot {
        return plots(&args.paths);
    }
    if let Some(into) = &args.into {
        return add(&args.add, into);
    }
    let mut finds = gather(&args.paths)?;
    finds.retain(|find| args.deck.as_ref().is_none_or(|deck| *deck == find.deck));
    finds.sort_by(|a, b| {
        let group = |find: &Find| (find.deck.to_string(), find.is_loop());
        group(a).cmp(&group(b)).then_with(|| a.rank(b))
    });
    // The same deal may stand in several files: a leaderboard beside its journal.
    finds.dedup_by(|a, b| a.deck == b.deck && a.deal == b.deal);
    if args.json {
        for find in &finds {
            let mut value: Value = find.to_value();
            value["gap_percent"] = known::gap_percent(find).map_or(Value::Null, Value::from);
            output::json_line(&value)?;
        }
    } else if args.csv {
        write_csv(&finds)?;
    } else {
        output::print(|out| print(out, &finds, args.top))?;
    }
    Ok(Exit::Done)
}

/// The lengths of the games of searches, as bars.
fn plots(paths: &[PathBuf]) -> Outcome {
    let mut out = anstream::stdout().lock();
    for path in paths {
        let lengths = match report::read(path)? {
            Run::Search(search) => search.lengths,
            Run::Match(_) => Vec::new(),
        };
        if lengths.is_empty() {
            let error = anyhow::anyhow!("it has no histogram.csv: no lengths of games are known");
            return Err(Fault::usage(error).at(path));
        }
        writeln!(out, "{STRONG}{}{STRONG:#}", path.display())?;
        for lengths in &lengths {
            plot::histogram(&mut out, &lengths.of, &lengths.histogram)?;
        }
    }
    Ok(Exit::Done)
}

/// Writes the known files with what is new in `paths` to `into`.
fn add(paths: &[PathBuf], into: &Path) -> Outcome {
    let mut finds = Vec::new();
    for path in paths {
        for file in claims::files(path)? {
            let mut claims = FileClaims::open(&file)?;
            loop {
                let batch = claims.batch(BATCH)?;
                if batch.is_empty() {
                    break;
                }
                for (line, claim) in batch {
                    let failed = |error: String| Fault {
                        exit: Exit::ClaimFailed,
                        error: anyhow::anyhow!(
                            "{}:{line}: {error}; nothing was written",
                            file.display()
                        ),
                    };
                    let find = claim
                        .and_then(|claim| claim.into_find().map_err(|error| error.to_string()))
                        .map_err(failed)?;
                    find.check().map_err(|error| failed(error.to_string()))?;
                    finds.push(find);
                }
            }
        }
    }
    let exists = into.exists();
    if exists
        && (!into.is_dir()
            || fs::read_dir(into)
                .map_err(|error| Fault::io(into, error))?
                .next()
                .is_some())
    {
        let error =
            anyhow::anyhow!("the folder is not empty: name a new one, so that nothing is lost");
        return Err(Fault::usage(error).at(into));
    }
    let added = known::add(finds);
    fs::create_dir_all(into).map_err(|error| Fault::io(into, error))?;
    for (name, text) in &added.files {
        let file = into.join(name);
        replace(&Files, &file, text.as_bytes()).map_err(|error| Fault::io(&file, error))?;
    }
    let mut out = anstream::stdout().lock();
    for (name, new) in &added.new {
        let file = into.join(name);
        writeln!(out, "{STRONG}{}{STRONG:#}: {new} new", file.display())?;
    }
    if added.new.is_empty() {
        writeln!(out, "nothing is new")?;
    }
    writeln!(
        out,
        "known before, or of a cycle listed already: {}",
        added.known
    )?;
    Ok(Exit::Done)
}

fn gather(paths: &[PathBuf]) -> Result<Vec<Find>, Fault> {
    if paths.is_empty() {
        return Ok(known::all());
    }
    let mut finds = Vec::new();
    for path in paths {
        for file in claims::files(path)? {
            let mut claims = FileClaims::open(&file)?;
            loop {
                let batch = claims.batch(BATCH)?;
                if batch.is_empty() {
                    break;
                }
                for (line, claim) in batch {
                    let find = claim
                        .and_then(|claim| claim.into_find().map_err(|error| error.to_string()));
                    match find {
                        Ok(find) => finds.push(find),
                        Err(error) => output::warning(format_args!(
                            "{}:{line}: left out: {error}",
                            claims.name()
                        )),
                    }
                }
            }
        }
    }
    Ok(finds)
}

fn print(out: &mut Out, finds: &[Find], top: usize) -> io::Result<()> {
    if finds.is_empty() {
        return writeln!(out, "no finds");
    }
    for group in finds.chunk_by(|a, b| a.deck == b.deck && a.is_loop() == b.is_loop()) {
        let loops = group[0].is_loop();
        let kind = if loops {
            "infinite games"
        } else {
            "finished games"
        };
        writeln!(
            out,
            "{STRONG}{}: {} {kind}{STRONG:#}",
            group[0].deck,
            group.len()
        )?;
        let named = group
            .iter()
            .any(|find| find.name.is_some() || find.finder.is_some());
        let mut header = vec!["", "cards", "tricks"];
        header.extend(if loops {
            ["lead-in", "period"].as_slice()
        } else {
            &["gap"]
        });
        if named {
            header.extend(["name", "year"]);
        }
        header.push("deal");
        let mut table = output::table(header);
        for (place, find) in group.iter().take(top).enumerate() {
            let mut row = vec![
                (place + 1).to_string(),
                find.played.cards.to_string(),
                find.played.tricks.to_string(),
            ];
            match find.ending {
                Ended::Finished { .. } => {
                    row.push(
                        known::gap_percent(find).map_or("-".into(), |gap| format!("{gap:+.2} %")),
                    );
                }
                Ended::Loop { lead_in, period } => row.extend(
                    [lead_in, period].map(|span| format!("{}/{}", span.cards, span.tricks)),
                ),
            }
            if named {
                let name = find.name.as_ref().or(find.finder.as_ref());
                row.push(name.cloned().unwrap_or_default());
                row.push(find.year.map(|year| year.to_string()).unwrap_or_default());
            }
            row.push(find.deal_text());
            table.add_row(row);
        }
        output::right(&mut table, &[0, 1, 2, 3]);
        if loops {
            output::right(&mut table, &[4]);
        }
        output::print_table(out, &table)?;
        if group.len() > top {
            writeln!(
                out,
                "... and {} more (--top, --json or --csv)",
                group.len() - top
            )?;
        }
        writeln!(out)?;
    }
    Ok(())
}

fn write_csv(finds: &[Find]) -> Result<(), Fault> {
    let mut writer = output::csv_writer();
    let header = [
        "deck",
        "deal",
        "index",
        "cards",
        "tricks",
        "status",
        "winner",
        "lead_in_cards",
        "lead_in_tricks",
        "period_cards",
        "period_tricks",
        "gap_percent",
        "name",
        "finder",
        "year",
    ];
    writer.write_record(header)?;
    for find in finds {
        let mut row = vec![
            find.deck.to_string(),
            find.deal_text(),
            find.index
                .map(|index| index.to_string())
                .unwrap_or_default(),
            find.played.cards.to_string(),
            find.played.tricks.to_string(),
            find.status().to_owned(),
        ];
        match find.ending {
            Ended::Finished { winner } => {
                row.push(winner.map(|winner| winner.to_string()).unwrap_or_default());
                row.extend(std::iter::repeat_n(String::new(), 4));
            }
            Ended::Loop { lead_in, period } => {
                row.push(String::new());
                for span in [lead_in, period] {
                    row.extend([span.cards.to_string(), span.tricks.to_string()]);
                }
            }
        }
        row.push(
            known::gap_percent(find)
                .map(|gap| gap.to_string())
                .unwrap_or_default(),
        );
        row.push(find.name.clone().unwrap_or_default());
        row.push(find.finder.clone().unwrap_or_default());
        row.push(find.year.map(|year| year.to_string()).unwrap_or_default());
        writer.write_record(&row)?;
    }
    writer.flush()?;
    Ok(())
}
