//! `camicia status`: how far a search is, whether it runs or not.

use std::io::Write;
use std::path::PathBuf;

use clap::Args;
use serde_json::{Value, json};

use super::progress::{grouped, rate};
use super::search::merge_fault;
use crate::cli::term::exit::Exit;
use crate::cli::term::fault::Outcome;
use crate::cli::term::output;
use crate::search::run::disk::Files;
use crate::search::run::merge::Run;

/// Show how far searches are
#[derive(Args, Debug)]
pub struct StatusArgs {
    /// Folders of states, for example checkpoints/quick
    #[arg(required = true, value_name = "DIR")]
    folders: Vec<PathBuf>,

    /// Print JSON, one line a folder
    #[arg(long)]
    json: bool,
}

pub fn run(args: &StatusArgs) -> Outcome {
    let mut table = output::table(vec![
        "folder", "plan", "how", "deck", "shard", "state", "done", "played", "longest", "loops",
        "rate",
    ]);
    for path in &args.folders {
        let run = Run::load(path, &Files).map_err(merge_fault)?;
        if let Some(warning) = &run.warning {
            anstream::eprintln!("warning: {warning}");
        }
        let (report, share) = run.report().map_err(merge_fault)?;
        let running = run.folder.is_locked();
        let state = match (running, share == Some(run.saved.done)) {
            (true, _) => "running",
            (false, true) => "finished",
            (false, false) => "stopped",
        };
        // The state is the truth; the status file adds what only the running process knows.
        let live: Option<Value> = std::fs::read_to_string(run.folder.status())
            .ok()
            .and_then(|text| serde_json::from_str(&text).ok())
            .filter(|_| running);
        if args.json {
            let best = report.best.as_ref().map(|(played, deal)| {
                json!({ "cards": played.cards, "tricks": played.tricks, "deal": deal })
            });
            output::json_line(&json!({
                "folder": path.display().to_string(),
                "state": state,
                "plan": run.plan.fingerprint().to_string(),
                "how": run.plan.how.name(),
                "deck": run.plan.deck.to_string(),
                "shard": run.saved.shard.to_string(),
                "blocks_done": output::number(run.saved.done),
                "blocks": share.map(output::number),
                report.unit: report.played.to_string(),
                "best": best,
                "loops": report.loops.to_string(),
                "cycles": report.cycles,
                "live": live,
            }))?;
            continue;
        }
        let now = live.as_ref().and_then(|live| live["rate_now"].as_f64());
        let unsaved = live.as_ref().is_some_and(|live| !live["unsaved"].is_null());
        table.add_row([
            path.display().to_string(),
            run.plan.fingerprint().to_string(),
            run.plan.how.name().to_owned(),
            run.plan.deck.to_string(),
            run.saved.shard.to_string(),
            if unsaved {
                format!("{state}, NOT SAVED")
            } else {
                state.to_owned()
            },
            match share {
                Some(share) => {
                    format!(
                        "{:.1} %",
                        100.0 * run.saved.done as f64 / (share as f64).max(1.0)
                    )
                }
                None => format!("{} blocks", grouped(run.saved.done.into())),
            },
            format!("{} {}", grouped(report.played), report.unit),
            report
                .best
                .as_ref()
                .map_or("-".to_owned(), |(played, _)| output::spoken(*played)),
            grouped(report.loops),
            now.map_or("-".to_owned(), |now| format!("{}/s", rate(now))),
        ]);
    }
    if !args.json {
        let mut out = anstream::stdout().lock();
        for line in table.lines() {
            writeln!(out, "{}", line.trim_end())?;
        }
    }
    Ok(Exit::Done)
}
