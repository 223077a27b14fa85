//! What is the same of every command: exit codes, and output that cannot be written.

use std::fs::{self, File, OpenOptions};
use std::io::{BufRead, BufReader};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use rustix::process::Signal;

use super::support::place::Place;
use super::support::{CASELLA, bad, camicia_in, run, run_in, told};

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
        vec!["exhaust", "--all-decks", "3"],
        vec!["exhaust", "--all-decks", "3", "--csv"],
        vec![
            "match", "uno", "--bot", "a=uno", "--bot", "b=uno", "--games", "1", "--json",
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
    all.push((vec!["play", "J/X"], 2));
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
    assert_eq!(run(&["play", "J/X"]).0, 2);
    assert_eq!(run(&["records", "no-such-file"]).0, 74);
    let bot = bad("crash");
    let (code, _, err) = run(&[
        "match", "uno", "--bot", &bot, "--bot", "uno", "--games", "1",
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

/// A second signal, well after the first, while the stop takes its time: a bot that does not answer.
#[test]
fn a_second_signal_is_128_and_its_number() {
    // A search that is in a block of many hours cannot stop until it ends.
    let place = Place::new();
    let running = place.spawn(
        "search --deck plain=5000,1=1000,2=1000,3=1000,4=1000 --games 1e15 --yes --threads 1 \
         --block 1000000000 --state s",
    );
    super::support::wait_until("the search to begin", || place.path("s").exists());
    std::thread::sleep(Duration::from_millis(300));
    running.signal(Signal::TERM);
    std::thread::sleep(Duration::from_millis(2500));
    running.signal(Signal::INT);
    let (code, out, err) = running.end();
    assert_eq!(code, 130, "{out}{err}");
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
        let text = fs::read_to_string(&path).unwrap();
        // Tests may.
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
    assert!(std::io::Write::write(&mut file, b"x").is_err());
    let _ = Stdio::null();
}
