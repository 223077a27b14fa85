//! Bots that see nothing but their own: no network, no other process, nothing that they can write but a
//! private folder in memory. [Bubblewrap](https://github.com/containers/bubblewrap) (`bwrap`) puts them
//! into namespaces of their own.
//!
//! What stays visible is every file that the user who runs the match may read, except those below
//! `/tmp` and `/run`.

use std::env;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::bot::CommandLine;

/// The program that does it.
const BUBBLEWRAP: &str = "bwrap";
/// The size of the private folder, in bytes.
const PRIVATE: &str = "67108864";
/// Folders that are empty for the bot: they hold sockets of other programs, or their files.
const HIDDEN: [&str; 2] = ["/tmp", "/run"];

/// The command that runs a bot apart, to be started in the folder of the bot.
pub(in crate::referee) fn command(bot: &CommandLine) -> Command {
    let folder = bot.folder.clone().or_else(|| env::current_dir().ok());
    let folder = folder.and_then(|folder| folder.canonicalize().ok());
    let mut process = bare();
    // The bot's own files, should they lie in a folder that is hidden.
    let own = folder.iter().cloned().chain(files(bot, folder.as_deref()));
    for path in own.filter(|path| is_hidden(path)) {
        process.arg("--ro-bind").arg(&path).arg(&path);
    }
    process.args(["--remount-ro", HIDDEN[1]]);
    if let Some(folder) = &folder {
        process.arg("--chdir").arg(folder);
    }
    for variable in ["HOME", "TMPDIR"] {
        process.args(["--setenv", variable, HIDDEN[0]]);
    }
    process.arg("--").args(&bot.words);
    process
}

/// Whether this machine can hold bots apart.
///
/// # Errors
/// When it cannot, with the remedy.
pub(in crate::referee) fn probe() -> Result<(), String> {
    let tried = bare()
        .args(["--", "true"])
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .output();
    match tried {
        Ok(output) if output.status.success() => Ok(()),
        Ok(output) => {
            let said = super::words::printable(output.stderr.trim_ascii(), 300);
            Err(format!(
                "--isolate: bots cannot be held apart here: {said}; the kernel must let users make \
                 namespaces (sysctl kernel.unprivileged_userns_clone, user.max_user_namespaces, and \
                 AppArmor's kernel.apparmor_restrict_unprivileged_userns), or leave --isolate out"
            ))
        }
        Err(error) => Err(format!(
            "--isolate needs the program {BUBBLEWRAP}, which cannot be run: {error}; it comes with the \
             package bubblewrap (`apt-get install bubblewrap`)"
        )),
    }
}

/// Everything but the bot's own folders and its command.
fn bare() -> Command {
    let mut process = Command::new(BUBBLEWRAP);
    process
        .args(["--unshare-all", "--die-with-parent", "--cap-drop", "ALL"])
        .args(["--ro-bind", "/", "/"])
        .args(["--dev", "/dev", "--remount-ro", "/dev"])
        .args(["--size", "1048576", "--tmpfs", "/dev/shm"])
        .args(["--proc", "/proc", "--remount-ro", "/proc"])
        .args(["--size", PRIVATE, "--tmpfs", HIDDEN[0]])
        .args(["--size", "4096", "--tmpfs", HIDDEN[1]]);
    process
}

/// The files and folders that a command line names, also in lists such as a class path.
fn files(bot: &CommandLine, folder: Option<&Path>) -> Vec<PathBuf> {
    let lists = bot.words.iter().flat_map(|word| word.split([':', '=']));
    lists
        .filter(|word| !word.is_empty())
        .filter_map(|word| {
            folder
                .unwrap_or(Path::new("/"))
                .join(word)
                .canonicalize()
                .ok()
        })
        .collect()
}

/// Whether a path lies below a folder that the bot does not see.
fn is_hidden(path: &Path) -> bool {
    HIDDEN
        .iter()
        .any(|hidden| path.starts_with(hidden) && path != Path::new(hidden))
}
