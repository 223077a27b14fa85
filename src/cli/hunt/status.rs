//! `camicia status`: how far searches are, whether they run or not.

use std::io::{self, IsTerminal, Write};
use std::path::PathBuf;
use std::thread::sleep;
use std::time::{Duration, Instant, SystemTime};

use clap::Args;
use indicatif::HumanDuration;
use serde_json::json;

use super::errors::folder_fault;
use super::flags::duration;
use super::progress::{grouped, rate};
use crate::cli::term::exit::Exit;
use crate::cli::term::fault::{Fault, Outcome};
use crate::cli::term::output::{self, STRONG};
use crate::cli::term::signals::StopSignals;
use crate::search::run::disk::Files;
use crate::search::run::status::{Best, Big, FolderStatus, LongestGame, QUIET, RunState, Total};

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

/// Runs `camicia status`.
pub fn run(args: &StatusArgs) -> Outcome {
    let Some(every) = args.watch else {
        let runs = read(args)?;
        show(args, &runs)?;
        return Ok(Exit::Done);
    };
    let signals = StopSignals::listen()?;
    let screen = io::stdout().is_terminal() && !args.json;
    loop {
        let runs = read(args)?;
        if screen {
            // Home, and nothing below.
            write!(anstream::stdout(), "\x1b[H\x1b[J")?;
        }
        show(args, &runs)?;
        let finished = |run: &FolderStatus| run.status.state == RunState::Finished;
        if runs.iter().all(finished) {
            return Ok(Exit::Done);
        }
        let start = Instant::now();
        while start.elapsed() < every {
            if signals.asked() {
                return Ok(Exit::Done);
            }
            sleep(Duration::from_millis(50).min(every));
        }
        if !screen && !args.json {
            writeln!(anstream::stdout())?;
        }
    }
}

fn read(args: &StatusArgs) -> Result<Vec<FolderStatus>, Fault> {
    let now = SystemTime::now();
    let mut runs = Vec::new();
    for path in &args.folders {
        let run = FolderStatus::read(path, now, &Files).map_err(folder_fault)?;
        if let Some(warning) = &run.warning {
            anstream::eprintln!("warning: {warning}");
        }
        runs.push(run);
    }
    Ok(runs)
}

fn show(args: &StatusArgs, runs: &[FolderStatus]) -> io::Result<()> {
    let total = (runs.len() > 1).then(|| Total::of(runs));
    if args.json {
        for run in runs {
            output::json_line(&run.status)?;
        }
        return match total {
            Some(total) => output::json_line(&json!({ "total": total })),
            None => Ok(()),
        };
    }
    let mut table = output::table(vec![
        "folder", "plan", "how", "deck", "shard", "state", "done", "played", "longest", "loops",
        "rate", "left",
    ]);
    for run in runs {
        table.add_row(row(run));
    }
    if let Some(total) = &total {
        table.add_row(total_row(total));
    }
    let mut out = anstream::stdout().lock();
    for line in table.lines() {
        writeln!(out, "{}", line.trim_end())?;
    }
    if let Some(total) = &total {
        let states: Vec<String> = total
            .states
            .iter()
            .map(|(state, count)| format!("{count} {state}"))
            .collect();
        writeln!(out, "{STRONG}{}{STRONG:#}", states.join(", "))?;
        if total.missing > 0 {
            let shards = total.missing + total.folders as u64;
            writeln!(
                out,
                "{} of {shards} shards have no folder here",
                total.missing
            )?;
        }
        if let Some(slowest) = &total.slowest {
            writeln!(out, "slowest: {slowest}")?;
        }
        for run in runs {
            if let (Some(folder), Some(heard)) = (&run.status.folder, run.heard)
                && heard > QUIET
            {
                writeln!(out, "not heard of for {}: {folder}", HumanDuration(heard))?;
            }
        }
    }
    out.flush()
}

fn row(run: &FolderStatus) -> [String; 12] {
    let FolderStatus { status, live, .. } = run;
    let live = (live.as_ref()).filter(|_| status.state == RunState::Running);
    let unsaved = live.is_some_and(|live| live.unsaved.is_some());
    let state = status.state.name();
    [
        status.folder.clone().unwrap_or_default(),
        status.plan.clone(),
        status.how.to_owned(),
        status.deck.clone(),
        status.shard.clone(),
        if unsaved {
            format!("{state}, NOT SAVED")
        } else {
            state.to_owned()
        },
        match status.blocks {
            Some(Big(blocks)) => share(status.blocks_done.0.into(), blocks.into()),
            None => format!("{} blocks", grouped(status.blocks_done.0.into())),
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
