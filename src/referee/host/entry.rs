//! The program's other entrances: a keeper and a bot are this executable, started as a subprocess.

use std::env;
use std::process::ExitCode;

use super::builtin::Builtins;
use super::keeper::{self, KEEPER};
use super::launch::{LAUNCH, launch};

/// Serves as a keeper or becomes a bot when this process was started for that; `None` when a user
/// started it. `builtins` are the bots that it can become.
pub fn inner(builtins: Builtins) -> Option<ExitCode> {
    let mut arguments = env::args_os().skip(1);
    match arguments.next()?.to_str()? {
        KEEPER => Some(keeper::serve()),
        LAUNCH => Some(launch(arguments.next(), builtins)),
        _ => None,
    }
}
