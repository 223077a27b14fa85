//! `camicia status`: how far searches are, whether they run or not.

use std::io::{self, IsTerminal, Write};
use std::iter::repeat_n;
use std::path::PathBuf;
use std::thread::sleep;
use std::time::{Duration, Instant, SystemTime};

use clap::Args;
use indicatif::HumanDuration;
use serde_json::json;

use super::errors::folder_fault;
use super::flags::duration;
use crate::cli::term::exit::Exit;
use crate::cli::term::fault::{Fault, Outcome};
use crate::cli::term::numbers::{grouped, rate};
use crate::cli::term::output::{self, STRONG};
use crate::cli::term::signals::StopSignals;
use crate::search::run::disk::Files;
use crate::search::run::saved::FolderError;
use crate::search::run::status::{Best, Big, FolderStatus, LongestGame, RunState, Total};

/// Show how far searches are
///
/// Of several folders it shows the total too: what was played, the rate, the time left, the slowest
/// one, those that were not heard of for a while.
#[derive(Args, Debug)]
pub struct StatusArgs {
    /// Folders of states, for example checkpoints/quick
    #[arg(required = true, value_name = "DIR")]
    folders: Vec<PathBuf>,

    /// Show it again and again, every so long, until all are finished or Ctrl-C
    #[arg(long, value_name = "TIME", num_args = 0..=1, default_missing_value = "5s", value_parser = duration)]
    watch: Option<Duration>,

    /// Print JSON: one line a folder, and one for the total of several
    #[arg(long)]
    json: bool,
}

/// What was read of a folder.
type Read = Result<FolderStatus, (String, FolderError)>;

/// Runs `camicia status`.
pub fn run(args: &StatusArgs) -> Outcome {
    let Some(every) = args.watch else {
        let reads = read(args);
        show(args, &reads)?;
        return end(reads);
    };
    let signals = StopSignals::listen()?;
    let screen = io::stdout().is_terminal() && !args.json;
    loop {
        let reads = read(args);
        if screen {
            // Home, and nothing below.
            output::print(|out| write!(out, "\x1b[H\x1b[J"))?;
        }
        show(args, &reads)?;
        let open =
            |read: &Read| (read.as_ref()).is_ok_and(|run| run.status.state != RunState::Finished);
        if !reads.iter().any(open) {
            return end(reads);
        }
        let start = Instant::now();
        while start.elapsed() < every {
            if signals.asked() {
                return Ok(Exit::Done);
            }
            sleep(Duration::from_millis(50).min(every));
        }
        if !screen && !args.json {
            output::line("")?;
        }
    }
}

fn read(args: &StatusArgs) -> Vec<Read> {
    let now = SystemTime::now();
    let read = |path: &PathBuf| {
        let folder = path.display().to_string();
        let run = FolderStatus::read(path, &Files, now).map_err(|error| (folder.clone(), error))?;
        if let Some(warning) = &run.warning {
            output::warning(format_args!("{folder}: {warning}"));
        }
        Ok(run)
    };
    args.folders.iter().map(read).collect()
}

/// A shell gives everything that lies there, so something else beside states is no fault; nothing
/// but that is, and a state that is damaged.
fn end(reads: Vec<Read>) -> Outcome {
    let some = reads.iter().any(Result::is_ok);
    let failed = reads.into_iter().filter_map(Result::err);
    let worst = failed
        .map(|(_, error)| error)
        .find(|error| !some || !matches!(error, FolderError::NoState(_)));
    match worst {
        Some(error) => Err(folder_fault(error)),
        None => Ok(Exit::Done),
    }
}

fn show(args: &StatusArgs, reads: &[Read]) -> Result<(), Fault> {
    let runs: Vec<&FolderStatus> = reads.iter().filter_map(|read| read.as_ref().ok()).collect();
    let total = (runs.len() > 1).then(|| Total::of(&runs));
    if args.json {
        for read in reads {
            match read {
                Ok(run) => output::json_line(&run.status)?,
                Err((folder, error)) => {
                    let error = error.to_string();
                    output::json_line(&json!({ "folder": folder, "state": null, "error": error }))?;
                }
            }
        }
        if let Some(total) = total {
            output::json_line(&json!({ "total": total }))?;
        }
        return Ok(());
    }
    let mut table = output::table(vec![
        "folder", "plan", "how", "deck", "shard", "state", "done", "played", "longest", "loops",
        "rate", "left",
    ]);
    for read in reads {
        match read {
            Ok(run) => table.add_row(row(run)),
            Err((folder, error)) => table.add_row(row_without(folder, error)),
        };
    }
    if let Some(total) = &total {
        table.add_row(total_row(total));
    }
    output::print(|out| {
        output::print_table(out, &table)?;
        if let Some(total) = &total {
            print_total(out, total)?;
        }
        Ok(())
    })?;
    Ok(())
}

/// What the row of the total does not say.
fn print_total(out: &mut impl Write, total: &Total) -> io::Result<()> {
    let states: Vec<String> = total
        .states
        .iter()
        .map(|(state, count)| format!("{count} {state}"))
        .collect();
    writeln!(out, "{STRONG}{}{STRONG:#}", states.join(", "))?;
    if total.missing > 0 {
        let shards = total.missing + total.folders as u64;
        let missing = total.missing;
        writeln!(out, "{missing} of {shards} shards have no folder here")?;
    }
    if let Some(slowest) = &total.slowest {
        writeln!(out, "slowest: {slowest}")?;
    }
    for folder in &total.silent {
        writeln!(out, "not heard of for a while: {folder}")?;
    }
    Ok(())
}

fn row_without(folder: &str, error: &FolderError) -> Vec<String> {
    let what = match error {
        FolderError::NoState(_) => "no state",
        _ => "cannot be read",
    };
    let mut row = vec![folder.to_owned()];
    row.extend(repeat_n("-".to_owned(), 4));
    row.push(what.to_owned());
    row.extend(repeat_n("-".to_owned(), 6));
    row
}

fn row(run: &FolderStatus) -> [String; 12] {
    let FolderStatus { status, live, .. } = run;
    let unsaved = live.as_ref().is_some_and(|live| live.unsaved.is_some());
    // What is not fresh tells no rate.
    let live = live.as_ref().filter(|_| status.stale_since.is_none());
    let state = status.state.name();
    [
        status.folder.clone().unwrap_or_default(),
        status.plan.clone(),
        status.how.to_owned(),
        status.deck.clone(),
        status.shard.clone(),
        match &status.stale_since {
            Some(since) => format!("{state}, no word since {since}"),
            None if unsaved => format!("{state}, NOT SAVED"),
            None => state.to_owned(),
        },
        match status.blocks {
            Some(Big(blocks)) => share(status.blocks_done.0.into(), blocks.into()),
            None => format!("{} blocks", grouped(status.blocks_done.0)),
        },
        format!("{} {}", grouped(status.played.count), status.played.unit),
        longest(match &status.best {
            Best::Longest(longest) => longest.as_ref(),
            Best::Finds(_) => None,
        }),
        grouped(status.loops),
        live.map_or("-".to_owned(), |live| format!("{}/s", rate(live.rate_now))),
        left(live.and_then(|live| live.seconds_left)),
    ]
}

fn total_row(total: &Total) -> [String; 12] {
    let blank = String::new;
    [
        "total".to_owned(),
        blank(),
        blank(),
        blank(),
        blank(),
        blank(),
        match total.blocks {
            Some(blocks) => share(total.blocks_done, blocks),
            None => format!("{} blocks", grouped(total.blocks_done)),
        },
        (total.played).map_or_else(blank, |played| {
            format!("{} {}", grouped(played.count), played.unit)
        }),
        longest(total.best.as_ref()),
        grouped(total.loops),
        format!("{}/s", rate(total.rate_now)),
        left(total.seconds_left.filter(|&left| left > 0.0)),
    ]
}

fn share(done: u128, of: u128) -> String {
    format!("{:.1} %", 100.0 * done as f64 / (of as f64).max(1.0))
}

fn longest(game: Option<&LongestGame>) -> String {
    game.map_or("-".to_owned(), |game| output::spoken(game.played))
}

fn left(seconds: Option<f64>) -> String {
    seconds
        .and_then(|seconds| Duration::try_from_secs_f64(seconds).ok())
        .map_or("-".to_owned(), |left| HumanDuration(left).to_string())
}
