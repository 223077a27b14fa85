//! What the tests share: one way to find and run the program, one way to wait, one place for bots.

pub mod arena;
pub mod place;

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// Bounds a hang; nothing is measured with it.
pub const HANG: Duration = Duration::from_secs(600);

/// Casella's deal, the first infinite game of the standard deck.
pub const CASELLA: &str = "---K---Q-KQAJ-----AAJ--J--/----------Q----KQ-J-----KA";

/// The program.
pub fn program() -> &'static Path {
    Path::new(env!("CARGO_BIN_EXE_camicia"))
}

/// `camicia ARGUMENTS` in `folder`, without an input.
pub fn camicia_in(folder: &Path, args: &[&str]) -> Command {
    let mut command = Command::new(program());
    command.args(args).current_dir(folder).stdin(Stdio::null());
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// Runs `camicia ARGUMENTS` in `folder`: exit code, output, errors.
pub fn run_in(folder: &Path, args: &[&str]) -> (i32, String, String) {
    told(&camicia_in(folder, args).output().expect("the program runs"))
}

/// Runs `camicia ARGUMENTS` in an empty folder: exit code, output, errors.
pub fn run(args: &[&str]) -> (i32, String, String) {
    let folder = tempfile::tempdir().expect("a folder");
    run_in(folder.path(), args)
}

/// Exit code (-1 after a signal), output, errors.
pub fn told(output: &Output) -> (i32, String, String) {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (
        output.status.code().unwrap_or(-1),
        text(&output.stdout),
        text(&output.stderr),
    )
}

/// Waits for something that must come, however busy the machine is.
pub fn wait_until(what: &str, mut reached: impl FnMut() -> bool) {
    let start = Instant::now();
    while !reached() {
        assert!(start.elapsed() < HANG, "waited in vain for {what}");
        sleep(Duration::from_millis(10));
    }
}

/// The folder of the bots of the tests.
pub fn bots() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/bots")
}

/// The bot of `tests/bots/uno/bad.sh` that misbehaves in this way, named after it.
pub fn bad(kind: &str) -> String {
    format!("{kind}=sh {} {kind}", bots().join("uno/bad.sh").display())
}
