//! `camicia status`: how far a search is, whether it runs or not.

use std::path::PathBuf;
use std::time::SystemTime;

use clap::Args;
use serde_json::json;

use super::errors::folder_fault;
use crate::cli::term::exit::Exit;
use crate::cli::term::fault::Outcome;
use crate::cli::term::numbers::{grouped, rate};
use crate::cli::term::output;
use crate::search::run::disk::Files;
use crate::search::run::saved::FolderError;
use crate::search::run::status::{Best, Big, FolderStatus};

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
    let (mut some, mut failed) = (false, Vec::new());
    for path in &args.folders {
        let read = FolderStatus::read(path, &Files, SystemTime::now());
        let FolderStatus {
            status,
            live,
            warning,
        } = match read {
            Ok(status) => status,
            Err(error) => {
                // A shell gives everything that lies there: what has no state is no fault.
                let folder = path.display().to_string();
                if args.json {
                    let error = error.to_string();
                    output::json_line(&json!({ "folder": folder, "state": null, "error": error }))?;
                } else {
                    let what = match &error {
                        FolderError::NoState(_) => "no state",
                        _ => "cannot be read",
                    };
                    let mut row = vec![folder];
                    row.extend(std::iter::repeat_n("-".to_owned(), 4));
                    row.push(what.to_owned());
                    row.extend(std::iter::repeat_n("-".to_owned(), 5));
                    table.add_row(row);
                }
                failed.push(error);
                continue;
            }
        };
        some = true;
        if let Some(warning) = warning {
            output::warning(format_args!("{}: {warning}", path.display()));
        }
        if args.json {
            output::json_line(&status)?;
            continue;
        }
        let state = status.state.name();
        let unsaved = live.as_ref().is_some_and(|live| live.unsaved.is_some());
        table.add_row([
            path.display().to_string(),
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
                Some(Big(blocks)) => {
                    let done = status.blocks_done.0 as f64 / (blocks as f64).max(1.0);
                    format!("{:.1} %", 100.0 * done)
                }
                None => format!("{} blocks", grouped(status.blocks_done.0)),
            },
            format!("{} {}", grouped(status.played.count), status.played.unit),
            match &status.best {
                Best::Longest(Some(longest)) => output::spoken(longest.played),
                _ => "-".to_owned(),
            },
            grouped(status.loops),
            live.filter(|_| status.stale_since.is_none())
                .map_or("-".to_owned(), |live| format!("{}/s", rate(live.rate_now))),
        ]);
    }
    if !args.json && table.row_count() > 0 {
        output::print(|out| output::print_table(out, &table))?;
    }
    // Something else beside states is no fault; nothing but that is, and a state that is damaged.
    let worst = failed
        .into_iter()
        .find(|error| !some || !matches!(error, FolderError::NoState(_)));
    match worst {
        Some(error) => Err(folder_fault(error)),
        None => Ok(Exit::Done),
    }
}
