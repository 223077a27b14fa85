//! `camicia status`: how far a search is, whether it runs or not.

use std::path::PathBuf;

use clap::Args;

use super::errors::folder_fault;
use crate::cli::term::exit::Exit;
use crate::cli::term::fault::Outcome;
use crate::cli::term::numbers::{grouped, rate};
use crate::cli::term::output;
use crate::search::run::disk::Files;
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
    for path in &args.folders {
        let FolderStatus {
            status,
            live,
            warning,
        } = FolderStatus::read(path, &Files).map_err(folder_fault)?;
        if let Some(warning) = warning {
            output::warning(warning);
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
            if unsaved {
                format!("{state}, NOT SAVED")
            } else {
                state.to_owned()
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
            live.map_or("-".to_owned(), |live| format!("{}/s", rate(live.rate_now))),
        ]);
    }
    if !args.json {
        output::print(|out| output::print_table(out, &table))?;
    }
    Ok(Exit::Done)
}
