//! Runs matches of the program and looks for what they leave behind: every process of a match carries
//! a mark in its environment, and none may be alive after it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};

use serde_json::Value;

use super::{program, wait_until};

/// The name of the mark.
const MARK: &str = "CAMICIA_TEST_MARK";

/// A match to run, with its own mark.
pub struct Arena {
    command: Command,
    mark: String,
}

/// What a match gave.
pub struct Outcome {
    pub code: Option<i32>,
    pub out: String,
    pub err: String,
}

impl Arena {
    /// `camicia match ARGUMENTS`.
    pub fn new(arguments: &[&str]) -> Arena {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let mark = format!("{}.{number}", std::process::id());
        let mut command = Command::new(program());
        command
            .arg("match")
            .args(arguments)
            .env(MARK, &mark)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        Arena { command, mark }
    }

    /// Adds arguments.
    pub fn with(mut self, arguments: &[&str]) -> Arena {
        self.command.args(arguments);
        self
    }

    /// Reads this file as its standard input.
    pub fn input(&mut self, file: &Path) {
        self.command.stdin(std::fs::File::open(file).unwrap());
    }

    /// Runs in this folder.
    pub fn in_folder(mut self, folder: &Path) -> Arena {
        self.command.current_dir(folder);
        self
    }

    /// Runs it to its end; nothing of it may be left.
    pub fn run(mut self) -> Outcome {
        let output = self.command.output().expect("the program runs");
        let outcome = Outcome {
            code: output.status.code(),
            out: String::from_utf8(output.stdout).expect("output is UTF-8"),
            err: String::from_utf8(output.stderr).expect("messages are UTF-8"),
        };
        let left = self.left();
        assert!(
            left.is_empty(),
            "left behind: {left:?}\n{}\n{}",
            outcome.out,
            outcome.err
        );
        outcome
    }

    /// Starts it.
    pub fn spawn(&mut self) -> Child {
        self.command.spawn().expect("the program runs")
    }

    /// The command lines of the living processes of this match.
    pub fn left(&self) -> Vec<String> {
        let wanted = format!("{MARK}={}", self.mark);
        let is_marked = |folder: &PathBuf| {
            let environment = fs::read(folder.join("environ")).unwrap_or_default();
            environment
                .split(|&byte| byte == 0)
                .any(|entry| entry == wanted.as_bytes())
        };
        fs::read_dir("/proc")
            .expect("there is /proc")
            .filter_map(|entry| Some(entry.ok()?.path()))
            .filter(|path| path.join("environ").exists() && is_marked(path))
            .map(|path| {
                String::from_utf8_lossy(&fs::read(path.join("cmdline")).unwrap_or_default())
                    .replace('\0', " ")
            })
            .collect()
    }

    /// Waits until nothing of the match is alive; for matches that were killed.
    pub fn wait_for_silence(&self) {
        wait_until("all processes are gone", || self.left().is_empty());
    }
}

impl Outcome {
    /// The lines of JSON: header, games, standings.
    pub fn json(&self) -> Vec<Value> {
        self.out
            .lines()
            .map(|line| {
                serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"))
            })
            .collect()
    }

    /// The games.
    pub fn games(&self) -> Vec<Value> {
        self.json()
            .into_iter()
            .filter(|value| value.get("game").is_some())
            .collect()
    }

    /// The failures of the first game: bot, kind, detail.
    pub fn failures(&self) -> Vec<(String, String, String)> {
        let games = self.games();
        let first = games
            .first()
            .unwrap_or_else(|| panic!("no game: {}{}", self.out, self.err));
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        first["failures"]
            .as_array()
            .map(Vec::as_slice)
            .unwrap_or_default()
            .iter()
            .map(|failed| {
                (
                    text(&failed["bot"]),
                    text(&failed["kind"]),
                    text(&failed["detail"]),
                )
            })
            .collect()
    }
}
