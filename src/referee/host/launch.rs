//! The last steps before a bot runs, taken inside its own process: a session of its own, limits, the
//! order to die with its keeper, and then the bot's program in place of ours.
//!
//! They are steps of a subprocess because nothing but a process itself can take them, and because
//! code between fork and exec could not be safe Rust.

use std::ffi::OsString;
use std::io::{self, BufReader, Write};
use std::os::unix::process::CommandExt;
use std::process::{Command, ExitCode};

use rustix::process::{
    Resource, Rlimit, Signal, getppid, getrlimit, set_parent_process_death_signal, setrlimit,
    setsid,
};
use serde::{Deserialize, Serialize};

use super::bot::Program;
use super::builtin::Builtins;

/// The first argument of the subprocess that becomes a bot.
pub(in crate::referee) const LAUNCH: &str = "__launch";

/// How standard error begins when the bot's program could not be run.
pub(in crate::referee) const CANNOT_START: &str = "camicia: cannot start ";
/// The exit code that goes with it, the shells' code for it.
pub(in crate::referee) const CANNOT_START_CODE: i32 = 127;

/// What a bot may use, all its processes for themselves. `None` leaves what the system allows.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct BotLimits {
    /// Memory in bytes (address space).
    pub memory: Option<u64>,
    /// Processor time in seconds.
    pub cpu: Option<u64>,
    /// The size of any file it writes, in bytes.
    pub file: Option<u64>,
    /// Processes and threads of the user who runs the match. Not kept for root.
    pub processes: Option<u64>,
}

/// What a launch is told.
#[derive(Serialize, Deserialize)]
pub(in crate::referee) struct LaunchOrder {
    pub program: Program,
    pub limits: BotLimits,
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
        Program::Command(words) => {
            let error = Command::new(&words[0]).args(&words[1..]).exec();
            Err(format!("{}: {error}", words[0]))
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

impl BotLimits {
    fn apply(&self) -> Result<(), String> {
        let limits = [
            (Resource::Core, Some(0), "core files"),
            (Resource::As, self.memory, "memory"),
            (Resource::Cpu, self.cpu, "processor time"),
            (Resource::Fsize, self.file, "file size"),
            (Resource::Nproc, self.processes, "processes"),
        ];
        for (resource, limit, name) in limits {
            let Some(limit) = limit else { continue };
            let allowed = getrlimit(resource).maximum;
            let limit = Some(allowed.map_or(limit, |allowed| allowed.min(limit)));
            let rlimit = Rlimit {
                current: limit,
                maximum: limit,
            };
            setrlimit(resource, rlimit).map_err(|error| format!("limit of {name}: {error}"))?;
        }
        Ok(())
    }
}
