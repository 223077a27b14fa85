//! What is the same of every command: exit codes, and output that cannot be written.

use std::fs::{self, File, OpenOptions};
use std::io::{BufRead, BufReader, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};

use super::support::place::Place;
use super::support::{CASELLA, bad, camicia_in, run, run_in, told, wait_until};

const HERE: &str = env!("CARGO_MANIFEST_DIR");

/// A command line of each kind of output.
fn commands() -> Vec<Vec<&'static str>> {
    let search = ["search", "--games", "1000", "--restart"];
    vec![
        vec!["play", CASELLA],
        vec!["play", CASELLA, "--trace"],
        vec!["play", CASELLA, "--json"],
        vec!["index", CASELLA],
        vec!["deal", "7"],
        vec!["deal", "7", "--json"],
        vec!["close", CASELLA, "--all"],
        vec!["cycle", CASELLA],
        vec!["records"],
        vec!["records", "--json"],
        vec!["records", "--csv"],
        vec!["completions", "bash"],
        vec!["help"],
        vec!["--version"],
        search.to_vec(),
        [&search[..], &["--json"]].concat(),
        vec!["exhaust", "--all-decks", "--max-cards", "3"],
        vec!["exhaust", "--all-decks", "--max-cards", "3", "--csv"],
        vec![
            "match",
            "uno",
            "--bot",
            "builtin:random",
            "--bot",
            "builtin:greedy",
            "--games",
            "1",
            "--json",
        ],
    ]
}

fn full() -> File {
    OpenOptions::new().write(true).open("/dev/full").unwrap()
}

#[test]
fn output_on_a_full_disk_is_74_and_said() {
    let folder = tempfile::tempdir().unwrap();
    for args in commands() {
        let mut command = camicia_in(folder.path(), &args);
        let (code, _, err) = told(&command.stdout(full()).output().unwrap());
        assert_eq!(code, 74, "{args:?}: {err}");
        assert!(err.contains("cannot write the output"), "{args:?}: {err}");
    }
}

#[test]
fn a_reader_that_leaves_ends_the_program_quietly() {
    let folder = tempfile::tempdir().unwrap();
    for args in commands() {
        // Gone before the first line.
        let mut child = camicia_in(folder.path(), &args).spawn().unwrap();
        drop(child.stdout.take());
        let (code, _, err) = told(&child.wait_with_output().unwrap());
        assert_eq!(code, 0, "{args:?}: {err}");
        assert!(
            !err.contains("error") && !err.contains("pipe"),
            "{args:?}: {err}"
        );
    }
    // Gone after the first line, of many.
    for args in [&["records", "--csv"][..], &["records", "--json"]] {
        let mut child = camicia_in(folder.path(), args).spawn().unwrap();
        let mut first = String::new();
        let mut out = BufReader::with_capacity(64, child.stdout.take().unwrap());
        out.read_line(&mut first).unwrap();
        assert!(first.len() > 20, "{first}");
        drop(out);
        let (code, _, err) = told(&child.wait_with_output().unwrap());
        assert_eq!((code, err.as_str()), (0, ""), "{args:?}");
    }
}

#[test]
fn a_reader_that_leaves_changes_no_result() {
    let folder = tempfile::tempdir().unwrap();
    let wrong = folder.path().join("wrong.tsv");
    let text = "hand_a\thand_b\tstatus\tcards\ttricks\n2 A\t3 4 5 6 7\tfinished\t8\t1\n";
    fs::write(&wrong, text).unwrap();
    let args = ["verify", wrong.to_str().unwrap()];
    let mut child = camicia_in(folder.path(), &args).spawn().unwrap();
    drop(child.stdout.take());
    assert_eq!(told(&child.wait_with_output().unwrap()).0, 1);
}

#[test]
fn standard_error_that_cannot_be_written_changes_no_code() {
    let folder = tempfile::tempdir().unwrap();
    let mut all: Vec<(Vec<&str>, i32)> = commands().into_iter().map(|args| (args, 0)).collect();
    all.push((vec!["play", "J/Y"], 2));
    all.push((vec!["play", "--no-such-option"], 2));
    all.push((vec!["verify", "no-such-file.jsonl"], 74));
    all.push((vec!["search", "no-such-file.toml"], 74));
    for (args, wanted) in all {
        let mut command = camicia_in(folder.path(), &args);
        let (code, ..) = told(&command.stderr(full()).output().unwrap());
        assert_eq!(code, wanted, "{args:?} with a full disk");
        // A window that was closed: nobody reads.
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let mut command = camicia_in(folder.path(), &args);
        let (code, ..) = told(&command.stderr(writer).output().unwrap());
        assert_eq!(code, wanted, "{args:?} with a reader that left");
    }
}

#[test]
fn a_file_that_cannot_be_read_is_74_in_every_command() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("folder.toml")).unwrap();
    for args in [
        &["verify", "no-such-file.jsonl"][..],
        &["records", "no-such-file.jsonl"],
        &["search", "no-such-file.toml"],
        &["search", "folder.toml"],
        &[
            "deal",
            "--block",
            "0",
            "--offset",
            "0",
            "--plan",
            "no-such-file.toml",
        ],
    ] {
        let (code, out, err) = run_in(folder.path(), args);
        assert_eq!((code, out.as_str()), (74, ""), "{args:?}: {err}");
        assert!(err.contains(args[args.len() - 1]), "{args:?}: {err}");
    }
    let closed = folder.path().join("closed.jsonl");
    fs::write(&closed, "").unwrap();
    fs::set_permissions(&closed, fs::Permissions::from_mode(0o000)).unwrap();
    if File::open(&closed).is_ok() {
        println!("skipped: this user may read everything");
        return;
    }
    let (code, _, err) = run_in(folder.path(), &["verify", "closed.jsonl"]);
    assert_eq!(code, 74, "{err}");
    assert!(err.contains("closed.jsonl: Permission denied"), "{err}");
}

#[test]
fn each_exit_code_is_given() {
    // 0, 1, 2 and 74.
    assert_eq!(run(&["play", CASELLA]).0, 0);
    assert_eq!(run(&["play"]).0, 2);
    assert_eq!(run(&["play", "J/Y"]).0, 2);
    assert_eq!(run(&["records", "no-such-file"]).0, 74);
    let bot = bad("crash");
    let (code, _, err) = run(&[
        "match",
        "uno",
        "--bot",
        &bot,
        "--bot",
        "builtin:random",
        "--games",
        "1",
    ]);
    assert_eq!(code, 1, "{err}");
    // 73, while another process holds the state; then 75 and 128 + 15.
    let place = Place::new();
    let search =
        "search --games 1e15 --yes --restart --threads 1 --block 4096 --checkpoint-every 0.2";
    let running = place.spawn(&format!("{search} --state s"));
    place.wait_for_blocks("s");
    let (code, _, err) = place.run(&format!("{search} --state s"));
    assert_eq!(code, 73, "{err}");
    running.signal(Signal::TERM);
    let (code, _, err) = running.end();
    assert_eq!(code, 75, "{err}");
}

#[test]
fn a_second_signal_is_128_and_its_number() {
    let place = Place::new();
    place.plan("plan.toml", "games = 1e14\nclose_from = 2500\n");
    // The search cannot end by itself: nobody reads what it would print, and the pipe is full.
    let (reader, mut writer) = std::io::pipe().unwrap();
    let size = rustix::pipe::fcntl_getpipe_size(&writer).unwrap();
    writer.write_all(&vec![b' '; size as usize]).unwrap();
    let mut child = place
        .command("search plan.toml")
        .stdout(writer)
        .spawn()
        .unwrap();
    let status = || {
        let text = fs::read_to_string(place.path("checkpoints/plan/status.json"));
        text.unwrap_or_default()
    };
    wait_until("the search to run", || status().contains("\"running\""));
    let pid = Pid::from_child(&child);
    kill_process(pid, Signal::TERM).unwrap();
    wait_until("the search to stop", || status().contains("\"stopped\""));
    // Signals within two seconds are the same stop; a later one is not.
    let mut last = Instant::now();
    wait_until("the second signal to be heard", || {
        if last.elapsed() > Duration::from_millis(500) {
            last = Instant::now();
            // It may be gone already.
            let _ = kill_process(pid, Signal::INT);
        }
        child.try_wait().unwrap().is_some()
    });
    assert_eq!(child.wait().unwrap().code(), Some(128 + 2));
    drop(reader);
}

/// All files of Rust below a folder.
fn sources(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(sources(&path));
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            found.push(path);
        }
    }
    found
}

#[test]
fn no_source_prints_with_a_macro_that_panics() {
    let macros = ["println!", "eprintln!", "print!", "eprint!"];
    let mut seen = 0;
    for path in sources(&Path::new(HERE).join("src")) {
        // Tests may.
        if path.file_name().is_some_and(|name| name == "tests.rs") {
            continue;
        }
        let text = fs::read_to_string(&path).unwrap();
        let code = text.split("#[cfg(test)]").next().unwrap();
        seen += 1;
        for (at, line) in code.lines().enumerate() {
            let told = line.trim_start();
            if told.starts_with("//") {
                continue;
            }
            assert!(
                !macros.iter().any(|name| told.contains(name)),
                "{}:{}: {told}\nuse cli::term::output",
                path.display(),
                at + 1
            );
        }
    }
    assert!(seen > 50, "only {seen} files were looked at");
}

#[test]
fn a_full_disk_is_there_to_test_with() {
    let mut file = full();
    assert!(file.write(b"x").is_err());
}
