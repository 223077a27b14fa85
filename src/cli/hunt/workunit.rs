//! `camicia workunit`: the work units of the BOINC project Camicia.

use std::path::PathBuf;

use clap::Args;

use crate::cli::term::exit::Exit;
use crate::cli::term::fault::{Fault, Outcome};
use crate::cli::term::numbers::grouped;
use crate::cli::term::output;
use crate::cli::term::signals::StopSignals;
use crate::game::lanes::Kernel;
use crate::search::run::clock::SystemClock;
use crate::search::run::disk::Files;
use crate::search::workunit::{
    Alone, Ended, FolderError, Host, Progress, RunError, UnitFolder, run as play,
};

/// Play a work unit of the BOINC project Camicia
///
/// The folder holds `in`: the first and the last index of the unit, both in it, of the standard
/// deck in the order akqj-. The answer goes to `out`, progress to `camicia_state`; each of the
/// three may be a link file of BOINC. The same command resumes a unit that was stopped.
#[derive(Args, Debug)]
pub struct WorkunitArgs {
    /// The folder of the unit
    #[arg(default_value = ".", value_name = "DIR")]
    folder: PathBuf,

    /// How many threads play: a machine that runs several units gives each its own
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=4096))]
    threads: u16,

    /// The instructions that play many games at once: avx512, avx2 or scalar [default: the fastest
    /// that this machine has]
    #[arg(long, value_name = "NAME")]
    kernel: Option<Kernel>,

    /// Do not talk to BOINC's client, although this program can and the folder is a slot of one:
    /// for BOINC's wrapper, which talks itself
    #[cfg(feature = "boinc")]
    #[arg(long)]
    alone: bool,
}

/// Runs `camicia workunit`.
pub fn run(args: &WorkunitArgs) -> Outcome {
    #[cfg(feature = "boinc")]
    if !args.alone && crate::search::workunit::boinc::is_slot(&args.folder) {
        return run_for_client(args);
    }
    let folder = UnitFolder::new(&args.folder);
    // Everything is looked at before anything is written.
    let unit = folder.unit().map_err(folder_fault)?;
    let signals = StopSignals::listen()?;
    let _lock = folder.lock().map_err(folder_fault)?;
    let mut progress = folder.progress(unit).map_err(folder_fault)?;
    let clock = SystemClock::start();
    let asked = || signals.asked();
    let mut warn = |why: &str| {
        output::warning(format_args!(
            "{why}; the unit goes on and tries again to save"
        ));
    };
    let mut host = Alone::new(folder.path(), &Files, &clock, &asked, &mut warn);
    let ended = play_unit(args, &folder, &mut progress, &mut host)?;
    if ended != Ended::Finished {
        output::line(format_args!(
            "stopped: {:.1} % of the unit is done; the same command resumes it",
            100.0 * progress.fraction()
        ))?;
        return Ok(Exit::Stopped);
    }
    host.finish(Exit::Done as u8)
        .map_err(|error| Fault::io(folder.path(), error))?;
    say_end(&progress)?;
    Ok(Exit::Done)
}

/// For BOINC's client: it says when to pause, save and stop, and is told how it ends.
#[cfg(feature = "boinc")]
fn run_for_client(args: &WorkunitArgs) -> Outcome {
    use crate::search::workunit::boinc::Client;

    // BOINC's library looks for its files in the folder that the process works in.
    std::env::set_current_dir(&args.folder).map_err(|error| Fault::io(&args.folder, error))?;
    let mut client = Client::connect().map_err(|error| Fault {
        exit: Exit::Io,
        error: error.into(),
    })?;
    let folder = UnitFolder::new(".");
    let played = folder
        .unit()
        .and_then(|unit| Ok((folder.lock()?, folder.progress(unit)?)))
        .map_err(folder_fault)
        .and_then(|(_lock, mut progress)| play_unit(args, &folder, &mut progress, &mut client));
    match played {
        Ok(Ended::Finished) => client.finish(Exit::Done as i32),
        // Without a last word the client starts the unit again when it wants it.
        Ok(Ended::Quit) => Ok(Exit::Done),
        Ok(Ended::Aborted) => client.abort(),
        Err(fault) => client.finish(fault.report() as i32),
    }
}

fn play_unit(
    args: &WorkunitArgs,
    folder: &UnitFolder,
    progress: &mut Progress,
    host: &mut dyn Host,
) -> Result<Ended, Fault> {
    let kernel = args.kernel.unwrap_or_else(Kernel::best);
    play(folder, progress, host, kernel, args.threads.into(), &Files).map_err(|error| {
        let exit = match &error {
            RunError::Folder(_) | RunError::Threads { .. } => Exit::Io,
            RunError::Disagreement { .. } => Exit::ClaimFailed,
        };
        Fault {
            exit,
            error: error.into(),
        }
    })
}

fn say_end(progress: &Progress) -> std::io::Result<()> {
    let longest = match progress.longest() {
        Some(game) => format!(
            "longest finished game {} cards (deal {})",
            grouped(game.played.cards),
            game.index
        ),
        None => "no game finished".to_owned(),
    };
    output::line(format_args!(
        "finished: {} deals, {longest}, {} loops",
        grouped(progress.unit().deals()),
        progress.loops().len()
    ))
}

fn folder_exit(error: &FolderError) -> Exit {
    match error {
        FolderError::Locked { .. } => Exit::Locked,
        error if error.is_input() => Exit::Usage,
        _ => Exit::Io,
    }
}

fn folder_fault(error: FolderError) -> Fault {
    Fault {
        exit: folder_exit(&error),
        error: error.into(),
    }
}
