//! A folder of its own for a search, and the processes that run in it.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;
use tempfile::TempDir;

use super::{HANG, program, told, wait_until};

/// A folder of its own to search in.
pub struct Place(pub TempDir);

impl Place {
    pub fn new() -> Place {
        Place(tempfile::tempdir().unwrap())
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub fn plan(&self, name: &str, text: &str) {
        fs::write(self.path(name), text).unwrap();
    }

    pub fn command(&self, args: &str) -> Command {
        let mut command = Command::new(program());
        command.args(args.split_whitespace());
        command.current_dir(self.0.path());
        command.stdin(Stdio::null());
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    pub fn spawn(&self, args: &str) -> Running {
        Running(Some(self.command(args).spawn().unwrap()))
    }

    /// Runs it: exit code, output, errors.
    pub fn run(&self, args: &str) -> (i32, String, String) {
        told(&self.command(args).output().unwrap())
    }

    /// Runs it, which must succeed, and gives its output.
    pub fn done(&self, args: &str) -> String {
        let (code, out, err) = self.run(args);
        assert_eq!(code, 0, "{args}: {out}{err}");
        out
    }

    /// All that a run leaves, but what tells of times.
    pub fn left(&self, name: &str) -> BTreeMap<String, Vec<u8>> {
        let mut left = BTreeMap::new();
        for (folder, files) in [
            ("checkpoints", &["state", "finds.jsonl"][..]),
            (
                "results",
                &["leaderboard.jsonl", "histogram.csv", "summary.json"],
            ),
        ] {
            for file in files {
                let path = self.path(folder).join(name).join(file);
                left.insert((*file).to_owned(), fs::read(path).unwrap());
            }
        }
        left
    }

    pub fn blocks_done(&self, state: &str) -> u64 {
        let (code, out, _) = self.run(&format!("status {state} --json"));
        if code != 0 {
            return 0;
        }
        let status: Value = serde_json::from_str(&out).unwrap();
        status["blocks_done"].as_u64().unwrap()
    }

    /// Waits until a running search has saved a block.
    pub fn wait_for_blocks(&self, state: &str) {
        wait_until("a block to be saved", || {
            sleep(Duration::from_millis(100));
            self.blocks_done(state) > 0
        });
    }
}

/// A process that does not outlive its test.
pub struct Running(Option<Child>);

impl Running {
    pub fn new(child: Child) -> Running {
        Running(Some(child))
    }

    pub fn child(&mut self) -> &mut Child {
        self.0.as_mut().expect("it was not taken")
    }

    pub fn id(&self) -> u32 {
        self.0.as_ref().expect("it was not taken").id()
    }

    pub fn kill(&mut self) {
        self.child().kill().unwrap();
        self.child().wait().unwrap();
    }

    pub fn signal(&self, signal: Signal) {
        let pid = Pid::from_child(self.0.as_ref().expect("it was not taken"));
        // It may be gone already.
        let _ = kill_process(pid, signal);
    }

    /// Waits for its end: exit code, output, errors.
    pub fn end(mut self) -> (i32, String, String) {
        let start = Instant::now();
        while self.child().try_wait().unwrap().is_none() {
            assert!(start.elapsed() < HANG, "the process did not end");
            sleep(Duration::from_millis(5));
        }
        let child = self.0.take().expect("it was not taken");
        told(&child.wait_with_output().unwrap())
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if let Some(child) = &mut self.0 {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}
