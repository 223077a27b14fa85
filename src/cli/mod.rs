//! The command line: one file a command, nothing but parsing, calling, printing.
//!
//! Only this room knows a terminal. It has one voice:
//!
//! - **Options** mean the same in every command. `--json` prints JSON on standard output: one value,
//!   or one a line. `--csv` prints a table for programs there; it takes no file name. `--results`
//!   names where results are kept, `--state` where the state is kept. `--seed` makes everything
//!   drawn repeatable; its default is 1. `-` as a file is standard input.
//! - **Help** of a command is an imperative without a full stop (`Play a deal to its verdict`); help
//!   of an option says what it gives or what the program does then, in the imperative too. A default
//!   stands in `[default: ...]`. Values are upper case nouns: `N`, `FILE`, `DIR`, `DECK`, `SECONDS`.
//! - **Errors** are one line: the thing and its place, what is wrong, the remedy
//!   (`plan.toml: line 3: ...`). They begin with a small letter, unless a name stands first, and end
//!   without a full stop.
//! - **Results** go to standard output; progress, notices, warnings and errors to standard error
//!   (`term::output`). A write that fails never ends the program with a panic.
//! - **Exit codes** are those of [`Exit`]. A file that cannot be read is 74, one that says nonsense
//!   is 2, a claim that does not hold is 1.

mod completions;
mod deal;
mod finds;
mod hunt;
mod man;
mod referee;
mod term;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;

use clap::{CommandFactory, Parser, Subcommand};

use deal::{close, cycle, index, play};
use finds::{records, report as results, verify};
use hunt::{bench, devices, exhaust, grow, merge, search, status, workunit};
pub use term::exit::Exit;
use term::fault::{Fault, Outcome};

/// Hunts the longest games of Camicia (Beggar-My-Neighbour) and referees matches between
/// card-playing programs.
#[derive(Parser, Debug)]
#[command(name = "camicia", version, max_term_width = 100)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand, Debug)]
enum Command {
    Play(play::PlayArgs),
    Index(index::IndexArgs),
    Deal(index::AtArgs),
    Close(close::CloseArgs),
    Cycle(cycle::CycleArgs),
    Verify(verify::VerifyArgs),
    Records(records::RecordsArgs),
    Report(results::ReportArgs),
    Search(Box<search::SearchArgs>),
    Exhaust(Box<exhaust::ExhaustArgs>),
    Grow(Box<grow::GrowArgs>),
    Status(status::StatusArgs),
    Merge(merge::MergeArgs),
    Workunit(workunit::WorkunitArgs),
    Bench(bench::BenchArgs),
    Devices(devices::DevicesArgs),
    Match(referee::MatchArgs),
    Completions(completions::CompletionsArgs),
    Man(man::ManArgs),
}

/// Parses the command line, runs the command, and says how it ended.
pub fn main() -> ExitCode {
    // A process of a match, not of a user: a bot or its keeper.
    if let Some(code) = crate::referee::inner() {
        return code;
    }
    term::signals::outlive_file_size_limit();
    let outcome = match Cli::try_parse_from(deal::input::hands_apart(
        &Cli::command(),
        std::env::args_os(),
    )) {
        Ok(cli) => guarded(|| run(&cli)),
        Err(error) => said(&error),
    };
    outcome.unwrap_or_else(|fault| fault.report()).into()
}

/// Prints what clap has to say: help and the version are results, the rest is a wrong command line.
fn said(error: &clap::Error) -> Outcome {
    let printed = error.print();
    if error.use_stderr() {
        // If nobody can read it, the exit code still tells.
        return Ok(Exit::Usage);
    }
    printed?;
    Ok(Exit::Done)
}

/// Runs a command. Its panic is a bug of ours; the panic itself was reported by then.
fn guarded(command: impl FnOnce() -> Outcome) -> Outcome {
    catch_unwind(AssertUnwindSafe(command)).unwrap_or_else(|_| {
        Err(Fault {
            exit: Exit::Bug,
            error: anyhow::anyhow!(
                "this is a bug in camicia, not a mistake of yours: please report the lines above and \
                 the command; saved states and results are whole"
            ),
        })
    })
}

fn run(cli: &Cli) -> Outcome {
    match &cli.command {
        Command::Play(args) => play::run(args),
        Command::Index(args) => index::run_index(args),
        Command::Deal(args) => index::run_deal(args),
        Command::Close(args) => close::run(args),
        Command::Cycle(args) => cycle::run(args),
        Command::Verify(args) => verify::run(args),
        Command::Records(args) => records::run(args),
        Command::Report(args) => results::run(args),
        Command::Search(args) => search::run(args),
        Command::Exhaust(args) => exhaust::run(args),
        Command::Grow(args) => grow::run(args),
        Command::Status(args) => status::run(args),
        Command::Merge(args) => merge::run(args),
        Command::Workunit(args) => workunit::run(args),
        Command::Bench(args) => bench::run(args),
        Command::Devices(args) => devices::run(args),
        Command::Match(args) => referee::run(args),
        Command::Completions(args) => completions::run(args, Cli::command()),
        Command::Man(args) => man::run(args, Cli::command()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_sound() {
        Cli::command().debug_assert();
    }

    #[test]
    fn a_panic_is_reported_as_a_bug() {
        let fault = guarded(|| panic!("a test panics on purpose")).unwrap_err();
        assert_eq!(fault.exit, Exit::Bug);
    }
}
