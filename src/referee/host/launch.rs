//! The last steps before a bot runs, taken inside its own process: a session of its own, limits, the
//! order to die with its keeper, and then the bot's program in place of ours.
//!
//! They are steps of a subprocess because nothing but a process itself can take them, and because
//! code between fork and exec could not be safe Rust.

use std::ffi::OsString;
use std::io::{self, BufReader, Write};
use std::os::unix::process::CommandExt;
use std::process::{Command, ExitCode};

use rustix::io::Errno;
use rustix::process::{Signal, getppid, set_parent_process_death_signal, setsid};
use serde::{Deserialize, Serialize};

use super::bot::Program;
use super::builtin::Builtins;
use super::isolate;
use super::limits::BotLimits;

/// The first argument of the subprocess that becomes a bot.
pub(in crate::referee) const LAUNCH: &str = "__launch";

/// How standard error begins when the bot's program could not be run.
pub(in crate::referee) const CANNOT_START: &str = "camicia: cannot start ";
/// The exit code that goes with it, the shells' code for it.
pub(in crate::referee) const CANNOT_START_CODE: i32 = 127;

/// What a launch is told.
#[derive(Serialize, Deserialize)]
pub(in crate::referee) struct LaunchOrder {
    pub program: Program,
    pub limits: BotLimits,
    /// Whether the bot sees nothing but its own, see `isolate`. Built-in bots are not held apart.
    pub isolate: bool,
    /// The process that must be our parent.
    pub keeper: i32,
}

/// Becomes the bot that `order` names; `builtins` are those that are part of this program.
pub(in crate::referee) fn launch(order: Option<OsString>, builtins: Builtins) -> ExitCode {
    let order = order
        .as_deref()
        .and_then(|text| serde_json::from_str::<LaunchOrder>(text.to_str()?).ok());
    let Some(order) = order else {
        let why = "a bot: this command is for the referee only";
        let _ = writeln!(io::stderr(), "{CANNOT_START}{why}");
        return ExitCode::from(2);
    };
    match run(&order, builtins) {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            // If nobody can read it, the exit code still tells.
            let _ = writeln!(io::stderr(), "{CANNOT_START}{why}");
            ExitCode::from(CANNOT_START_CODE as u8)
        }
    }
}

fn run(order: &LaunchOrder, builtins: Builtins) -> Result<(), String> {
    setsid().map_err(|error| format!("a session: {error}"))?;
    set_parent_process_death_signal(Some(Signal::KILL))
        .map_err(|error| format!("the death signal: {error}"))?;
    // The keeper may have died before the order above was given.
    if getppid().map(|parent| parent.as_raw_nonzero().get()) != Some(order.keeper) {
        return Err("without a keeper".to_owned());
    }
    order.limits.apply()?;
    match &order.program {
        Program::Command(command) => {
            let mut process = if order.isolate {
                isolate::command(command)
            } else {
                let mut process = Command::new(&command.words[0]);
                process.args(&command.words[1..]);
                process
            };
            if let Some(folder) = &command.folder {
                process.current_dir(folder);
            }
            let error = process.envs(&command.env).exec();
            Err(format!("{}: {}", command.words[0], explained(&error)))
        }
        Program::Builtin { game, name } => {
            let bot = builtins
                .find(game, name)
                .ok_or_else(|| format!("builtin:{name}"))?;
            let mut output = io::stdout().lock();
            // A referee that has gone is no error of the bot.
            let _ = bot(&mut BufReader::new(io::stdin().lock()), &mut output)
                .and_then(|()| output.flush());
            Ok(())
        }
    }
}

/// Why a program could not be run; where the system's words mislead, in others.
fn explained(error: &io::Error) -> String {
    match Errno::from_io_error(error) {
        Some(Errno::NOEXEC) => "it is neither a program of this machine nor a script with `#!` in \
            its first line; name its interpreter, as in `sh FILE` or `python3 FILE`"
            .to_owned(),
        Some(Errno::NOENT) => {
            format!("{error}: the file, or the loader or interpreter that it names, is not there")
        }
        _ => error.to_string(),
    }
}
