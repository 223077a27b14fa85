//! The hunt as a process: killed, stopped, locked out, short of room, cut into shards. What comes
//! out must be what one unbroken run gives, byte for byte.

use std::fs;
use std::hash::{BuildHasher, RandomState};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use rustix::process::Signal;
use serde_json::Value;

use super::support::place::{Place, Running};
use super::support::{program, told, wait_until};

/// A plan that takes about a second, with finds throughout and some loops.
const KILLED: &str = "deck = \"half\"\ngames = 1e6\nblock = 4000\nclose_from = 230\nkeep = 300\n\
                      checkpoint_every = 0.02\n";

/// A plan without an end that anyone will see.
const LONG: &str = "games = 1e14\nclose_from = 2500\n";

/// A plan that is done at once.
const SHORT: &str = "deck = \"half\"\ngames = 20000\nblock = 1000\nclose_from = 200\n";

#[test]
fn killed_at_twenty_random_moments_it_gives_what_an_unbroken_run_gives() {
    let unbroken = Place::new();
    unbroken.plan("plan.toml", KILLED);
    let start = Instant::now();
    unbroken.done("search plan.toml --threads 1");
    let takes = start.elapsed();
    let wanted = unbroken.left("plan");
    assert!(wanted["finds.jsonl"].len() > 10_000, "a poor test");
    for threads in [2, 3] {
        let place = Place::new();
        place.plan("plan.toml", KILLED);
        place.done(&format!("search plan.toml --threads {threads}"));
        assert!(place.left("plan") == wanted, "{threads} threads");
    }
    let place = Place::new();
    place.plan("plan.toml", KILLED);
    place.done("search plan.toml --kernel scalar");
    assert!(place.left("plan") == wanted, "another kernel");
    let place = Place::new();
    place.plan("plan.toml", KILLED);
    let random = RandomState::new();
    let mut moments = Vec::new();
    while moments.len() < 20 {
        let threads = 1 + moments.len() % 3;
        let mut child = place.spawn(&format!("search plan.toml --resume --threads {threads}"));
        let share = random.hash_one(moments.len()) as f64 / u64::MAX as f64;
        let moment = Duration::from_millis(30) + takes.div_f64(6.0).mul_f64(share);
        sleep(moment);
        if child.child().try_wait().unwrap().is_some() {
            // Faster than thought: it was right, and is killed again from the beginning.
            assert_eq!(child.end().0, 0);
            assert!(place.left("plan") == wanted, "killed after {moments:?}");
            fs::remove_dir_all(place.path("checkpoints")).unwrap();
            continue;
        }
        child.kill();
        moments.push(moment);
    }
    place.done("search plan.toml --resume");
    assert!(place.left("plan") == wanted, "killed after {moments:?}");
}

#[test]
fn a_signal_a_stop_file_and_a_time_limit_end_it_with_a_checkpoint() {
    let place = Place::new();
    place.plan("plan.toml", LONG);
    let state = "checkpoints/plan";
    for asked in ["TERM", "INT", "HUP", "stop"] {
        let child = place.spawn("search plan.toml --resume");
        wait_until("the search to run", || {
            fs::read_to_string(place.path(state).join("status.json"))
                .is_ok_and(|text| text.contains(&format!("\"process\": {}", child.id())))
        });
        let before = Instant::now();
        match asked {
            "TERM" => child.signal(Signal::TERM),
            "INT" => child.signal(Signal::INT),
            "HUP" => child.signal(Signal::HUP),
            _ => fs::write(place.path(state).join("stop"), "").unwrap(),
        }
        let (code, out, err) = child.end();
        println!("{asked}: gone after {:?}", before.elapsed());
        assert_eq!(code, 75, "{out}{err}");
        let why = if asked == "stop" {
            "the file named stop"
        } else {
            "by a signal"
        };
        assert!(out.contains(why) && out.contains("--resume"), "{out}");
        let status = fs::read_to_string(place.path(state).join("status.json")).unwrap();
        assert!(status.contains("\"stopped\""));
        assert!(place.path("results/plan/leaderboard.jsonl").exists());
    }
    let (code, out, _) = place.run("search plan.toml --resume --time-limit 0.2s --json");
    let told: Value = serde_json::from_str(&out).unwrap();
    assert_eq!((code, &told["state"]), (75, &Value::from("stopped")));
    assert!(told["stop"].as_str().unwrap().contains("time limit"));
}

#[test]
fn a_second_signal_that_follows_at_once_is_the_same_stop() {
    let place = Place::new();
    place.plan("plan.toml", LONG);
    for pair in [
        [Signal::TERM, Signal::TERM],
        [Signal::HUP, Signal::HUP],
        [Signal::INT, Signal::TERM],
    ] {
        let child = place.spawn("search plan.toml --resume");
        wait_until("the search to run", || {
            fs::read_to_string(place.path("checkpoints/plan/status.json"))
                .is_ok_and(|text| text.contains(&format!("\"process\": {}", child.id())))
        });
        // `timeout` signals the process and then its group, a shell that closes twice.
        for signal in pair {
            child.signal(signal);
        }
        let (code, out, err) = child.end();
        assert_eq!(code, 75, "{out}{err}");
    }
}

/// Starts `camicia ARGS` in a shell that does `first` before.
fn in_shell(place: &Place, first: &str, args: &str) -> Command {
    let mut command = Command::new("sh");
    let script = format!("{first}; exec \"$0\" {args}");
    command.arg("-c").arg(script).arg(program());
    command.current_dir(place.path("")).stdin(Stdio::null());
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

#[test]
fn a_signal_that_was_ignored_at_the_start_stays_ignored() {
    let place = Place::new();
    place.plan("plan.toml", &format!("{LONG}block = 2000\n"));
    let mut command = in_shell(&place, "trap '' HUP INT", "search plan.toml");
    let child = Running::new(command.spawn().unwrap());
    place.wait_for_blocks("checkpoints/plan");
    child.signal(Signal::HUP);
    child.signal(Signal::INT);
    sleep(Duration::from_millis(200));
    let done = place.blocks_done("checkpoints/plan");
    wait_until("more blocks", || {
        place.blocks_done("checkpoints/plan") > done
    });
    child.signal(Signal::TERM);
    assert_eq!(child.end().0, 75);
}

#[test]
fn a_limit_on_the_size_of_files_is_a_full_disk() {
    let place = Place::new();
    place.plan("plan.toml", SHORT);
    for (limit, command) in [
        ("ulimit -f 1", "search plan.toml --restart"),
        ("ulimit -f 1", "exhaust --deck plain=9,1=2,2=2"),
    ] {
        let output = in_shell(&place, limit, command).output().unwrap();
        let (code, _, err) = told(&output);
        assert_eq!(code, 74, "{err}");
        assert!(err.contains("too large"), "{err}");
    }
    place.done("search plan.toml --resume");
}

#[test]
fn nobody_listening_is_no_reason_to_end() {
    let place = Place::new();
    place.plan("plan.toml", SHORT);
    if !Path::new("/dev/full").exists() {
        println!("skipped: there is no /dev/full");
        return;
    }
    let full = || {
        fs::OpenOptions::new()
            .write(true)
            .open("/dev/full")
            .unwrap()
    };
    for args in [
        "search plan.toml --threads 1000",
        "search plan.toml --resume",
        "merge checkpoints/plan",
        "status checkpoints/plan",
    ] {
        let output = place.command(args).stderr(full()).output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{args}");
        let output = place.command(args).stdout(full()).output().unwrap();
        let code = output.status.code();
        assert!(code == Some(74) || code == Some(2), "{args}: {code:?}");
    }
}

#[test]
fn every_session_gets_on_however_short_its_limit() {
    let place = Place::new();
    // A block takes longer than the limit.
    place.plan(
        "plan.toml",
        "deck = \"half\"\ngames = 1_000_000\nblock = 250_000\nclose_from = 400\n",
    );
    place.plan(
        "grow.toml",
        "how = \"grow\"\ndeck = \"plain=8,J=4\"\ntests = 40000\nblock = 200\n",
    );
    for plan in ["plan", "grow"] {
        let args = format!("search {plan}.toml --resume --threads 1 --time-limit 0.001s");
        let mut sessions = 0;
        let mut before = 0;
        loop {
            let (code, _, err) = place.run(&args);
            sessions += 1;
            let done = place.blocks_done(&format!("checkpoints/{plan}"));
            assert!(done > before, "{plan}: session {sessions}: {err}");
            if code == 0 {
                break;
            }
            assert_eq!(code, 75, "{err}");
            before = done;
        }
    }
}

#[test]
fn damaged_finds_are_mended_and_put_aside() {
    let place = Place::new();
    place.plan("plan.toml", SHORT);
    place.done("search plan.toml");
    let wanted = fs::read(place.path("results/plan/leaderboard.jsonl")).unwrap();
    let finds = place.path("checkpoints/plan/finds.jsonl");
    let whole = fs::read(&finds).unwrap();
    let mut bytes = whole.clone();
    bytes[40] ^= 1;
    fs::write(&finds, &bytes).unwrap();
    let (code, _, err) = place.run("merge checkpoints/plan");
    assert_eq!(code, 74, "{err}");
    assert!(err.contains("--resume"), "{err}");
    let (code, _, err) = place.run("search plan.toml --resume");
    assert_eq!(code, 0, "{err}");
    assert!(
        err.contains("found again") && err.contains("finds.aside-1.jsonl"),
        "{err}"
    );
    assert!(fs::read(place.path("results/plan/leaderboard.jsonl")).unwrap() == wanted);
    let aside = place.path("checkpoints/plan/finds.aside-1.jsonl");
    assert!(fs::read(&aside).unwrap() == bytes);
    place.done("merge checkpoints/plan");
    // Finds without any state are put aside, and so is what --restart cannot account for.
    for name in ["state", "state.previous"] {
        let _ = fs::remove_file(place.path("checkpoints/plan").join(name));
    }
    let left = fs::read(&finds).unwrap();
    let (code, _, err) = place.run("search plan.toml");
    assert_eq!(code, 0, "{err}");
    assert!(
        err.contains("no state") && err.contains("finds.aside-2.jsonl"),
        "{err}"
    );
    let aside = place.path("checkpoints/plan/finds.aside-2.jsonl");
    assert!(fs::read(aside).unwrap() == left);
    assert!(fs::read(&finds).unwrap() == whole);
    place.done("search plan.toml --restart");
    assert!(!place.path("checkpoints/plan/finds.aside-3.jsonl").exists());
    fs::write(place.path("checkpoints/plan/state"), "nonsense").unwrap();
    fs::write(place.path("checkpoints/plan/state.previous"), "nonsense").unwrap();
    let (code, _, err) = place.run("search plan.toml --restart");
    assert_eq!(code, 0, "{err}");
    assert!(err.contains("finds.aside-3.jsonl"), "{err}");
}

#[test]
fn results_have_an_owner() {
    let place = Place::new();
    place.plan("plan.toml", SHORT);
    place.plan("other.toml", &format!("{SHORT}seed = 2\n"));
    place.done("search plan.toml --results out");
    let table = place.path("out/histogram.csv");
    let wanted = fs::read(&table).unwrap();
    for args in [
        "search other.toml --results out",
        "exhaust --deck plain=3,J=1 --results out",
        "search plan.toml --shard 0/2 --results out",
    ] {
        let (code, _, err) = place.run(args);
        assert_eq!(code, 2, "{args}: {err}");
        assert!(
            err.contains("holds the results of") && err.contains("--results"),
            "{err}"
        );
        assert!(fs::read(&table).unwrap() == wanted);
    }
    place.done("search plan.toml --results out --resume");
    // What an earlier version left has no plan beside it.
    fs::remove_file(place.path("out/plan.toml")).unwrap();
    assert_eq!(place.run("search other.toml --results out").0, 2);
    let (code, _, err) = place.run("search other.toml --results out --restart");
    assert_eq!(code, 0, "{err}");
    assert!(err.contains("out.aside-1"), "{err}");
    assert!(fs::read(place.path("out.aside-1/histogram.csv")).unwrap() == wanted);
    // The plan that lies beside results is one that can be run.
    let plan = place.path("out/plan.toml");
    place.done(&format!(
        "search {} --results again --state again",
        plan.display()
    ));
    let [first, again] = ["out", "again"]
        .map(|folder| fs::read(place.path(folder).join("leaderboard.jsonl")).unwrap());
    assert!(first == again);
}

#[test]
fn histograms_are_read_by_their_header() {
    let place = Place::new();
    place.plan("plan.toml", SHORT);
    place.done("search plan.toml --results random");
    place.done("search --how climb --deck half --games 2000 --results climb");
    place.done("exhaust --deck plain=7,1=2,2=1 --results exhaust");
    for (name, of, unit, sum) in [
        ("random", "cards", "games", Some(20_000)),
        ("climb", "end of a climb", "games", None),
        ("exhaust", "tricks", "deals", Some(360)),
    ] {
        let mut reader = csv::Reader::from_path(place.path(name).join("histogram.csv")).unwrap();
        let header = reader.headers().unwrap().clone();
        let column = |wanted: &str| header.iter().position(|name| name == wanted).unwrap();
        let (of_column, value, times) = (column("of"), column("value"), column(unit));
        let mut total = 0;
        for row in reader.records().map(Result::unwrap) {
            let [_, times] = [value, times].map(|at| row[at].parse::<u64>().unwrap());
            if &row[of_column] == of {
                total += times;
            }
        }
        assert!(total > 0, "{name}");
        if let Some(sum) = sum {
            assert_eq!(total, sum, "{name}");
        }
    }
}

#[test]
fn finds_of_every_way_are_addressable_or_it_is_said() {
    let place = Place::new();
    for (name, plan) in [
        ("random", SHORT),
        (
            "climb",
            "how = \"climb\"\ndeck = \"half\"\ngames = 5000\nblock = 500\n",
        ),
        (
            "exhaust",
            "how = \"exhaust\"\ndeck = \"plain=7,1=2,2=1\"\nblock = 50\nkeep = 20\n",
        ),
    ] {
        place.plan(&format!("{name}.toml"), plan);
        place.done(&format!("search {name}.toml"));
        let board = fs::read_to_string(place.path("results").join(name).join("leaderboard.jsonl"));
        let board = board.unwrap();
        assert!(board.lines().count() > 3, "{name}");
        for line in board.lines().step_by(3) {
            let find: Value = serde_json::from_str(line).unwrap();
            let found = &find["found"];
            let deal = place.done(&format!(
                "deal --plan {name}.toml --block {} --offset {}",
                found["block"], found["offset"]
            ));
            let from = found["from"]["deal"].as_str().or(find["deal"].as_str());
            assert_eq!(Some(deal.trim()), from, "{name}");
        }
        let (code, _, err) = place.run(&format!(
            "deal --plan {name}.toml --block 0 --offset 99999999"
        ));
        assert_eq!(code, 2);
        assert!(err.contains("block 0"), "{err}");
    }
    place.plan("grow.toml", "how = \"grow\"\ntests = 1000\n");
    let (code, _, err) = place.run("deal --plan grow.toml --block 0 --offset 0");
    assert_eq!(code, 2);
    assert!(err.contains("whole plan"), "{err}");
}

#[test]
fn status_has_a_row_for_everything_that_is_given() {
    let place = Place::new();
    place.plan("plan.toml", SHORT);
    place.done("search plan.toml");
    fs::write(place.path("checkpoints/README.md"), "words").unwrap();
    fs::create_dir(place.path("checkpoints/empty")).unwrap();
    let all = "status checkpoints/README.md checkpoints/empty checkpoints/plan";
    let out = place.done(all);
    assert_eq!(out.matches("no state").count(), 2, "{out}");
    assert!(out.contains("finished"), "{out}");
    let json = place.done(&format!("{all} --json"));
    let rows: Vec<Value> = json
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(rows.len(), 3);
    assert!(rows[0]["state"].is_null() && rows[0]["error"].is_string());
    assert_eq!(rows[2]["state"], "finished");
    // A state that is damaged is a fault, and the others are shown all the same.
    fs::write(place.path("checkpoints/empty/state"), "nonsense").unwrap();
    let (code, out, err) = place.run(all);
    assert_eq!(code, 74);
    assert!(
        out.contains("finished") && err.contains("damaged"),
        "{out}{err}"
    );
}

#[test]
fn a_status_that_is_no_longer_written_says_since_when() {
    let place = Place::new();
    place.plan("plan.toml", &format!("{LONG}block = 2000\n"));
    let child = place.spawn("search plan.toml");
    place.wait_for_blocks("checkpoints/plan");
    let path = place.path("checkpoints/plan/status.json");
    child.signal(Signal::STOP);
    let text = fs::read_to_string(&path).unwrap();
    let mut status: Value = serde_json::from_str(&text).unwrap();
    status["updated"] = Value::from("2020-02-02T02:02:02Z");
    fs::write(&path, status.to_string()).unwrap();
    let out = place.done("status checkpoints/plan");
    assert!(
        out.contains("running, no word since 2020-02-02T02:02:02Z"),
        "{out}"
    );
    let json = place.done("status checkpoints/plan --json");
    let told: Value = serde_json::from_str(&json).unwrap();
    assert_eq!(told["stale_since"], "2020-02-02T02:02:02Z");
    status["updated"] = Value::from("2999-02-02T02:02:02Z");
    status["unsaved"] = Value::from("no space left");
    fs::write(&path, status.to_string()).unwrap();
    let out = place.done("status checkpoints/plan");
    assert!(out.contains("running, NOT SAVED"), "{out}");
    child.signal(Signal::CONT);
    child.signal(Signal::TERM);
    assert_eq!(child.end().0, 75);
}

#[test]
fn threads_are_as_schedulers_write_them_and_bounded() {
    let place = Place::new();
    place.plan("plan.toml", SHORT);
    let mut command = place.command("search plan.toml");
    let output = command.env("OMP_NUM_THREADS", "4,2").output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    let mut command = place.command("search plan.toml --resume");
    let output = command.env("OMP_NUM_THREADS", "four").output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    let (code, _, err) = place.run("search plan.toml --restart --threads 4096");
    assert_eq!(code, 0);
    assert!(err.contains("4096 threads were asked for"), "{err}");
}

#[test]
fn a_short_run_has_a_checkpoint() {
    let place = Place::new();
    // The plan's own interval is a day: no test waits for it.
    let plan = format!("{LONG}block = 2000\ncheckpoint_every = 86400\n");
    place.plan("plan.toml", &plan);
    let mut child = place.spawn("search plan.toml");
    place.wait_for_blocks("checkpoints/plan");
    child.kill();
    let out = place.done("status checkpoints/plan");
    assert!(out.contains("stopped") && out.contains("games"), "{out}");
}

#[test]
fn one_process_at_a_time_works_on_a_state() {
    let place = Place::new();
    place.plan("plan.toml", &format!("{LONG}block = 2000\n"));
    let first = place.spawn("search plan.toml");
    place.wait_for_blocks("checkpoints/plan");
    let (code, _, err) = place.run("search plan.toml --resume");
    assert_eq!(code, 73, "{err}");
    assert!(err.contains(&format!("process {}", first.id())), "{err}");
    assert!(err.contains("--wait"), "{err}");
    assert!(place.done("status checkpoints/plan").contains("running"));
    let second = place.spawn("search plan.toml --resume --wait");
    sleep(Duration::from_millis(300));
    first.signal(Signal::TERM);
    assert_eq!(first.end().0, 75);
    let third = format!("\"process\": {}", second.id());
    wait_until("the one who waits to work", || {
        fs::read_to_string(place.path("checkpoints/plan/status.json"))
            .is_ok_and(|text| text.contains(&third))
    });
    second.signal(Signal::INT);
    let (code, _, err) = second.end();
    assert_eq!(code, 75);
    assert!(err.contains("waiting") && err.contains("going on"), "{err}");
}

#[test]
fn an_existing_state_is_met_with_care() {
    let place = Place::new();
    place.plan("plan.toml", SHORT);
    let first = place.done("search plan.toml");
    let (code, _, err) = place.run("search plan.toml");
    assert_eq!(code, 2);
    assert!(
        err.contains("--resume") && err.contains("--restart"),
        "{err}"
    );
    // A finished search shows its results again.
    let same = |text: &str| {
        let lines = text
            .lines()
            .filter(|line| !line.starts_with("this session"));
        lines.map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(same(&place.done("search plan.toml --resume")), same(&first));
    assert_eq!(
        same(&place.done("search plan.toml --restart")),
        same(&first)
    );
    // Another plan or shard does not take the state for its own.
    for other in [
        "--seed 9 --resume --state checkpoints/plan",
        "--shard 1/2 --resume --state checkpoints/plan",
    ] {
        let (code, _, err) = place.run(&format!("search plan.toml {other}"));
        assert_eq!(code, 2);
        assert!(
            err.contains("another plan") || err.contains("state of shard 0/1"),
            "{err}"
        );
    }
    // A plan changed by flags has a state of its own.
    let other = place.done("search plan.toml --seed 9");
    assert_ne!(same(&other), same(&first));
    place.done("search plan.toml --seed 1 --deck half --resume");
    assert_eq!(fs::read_dir(place.path("checkpoints")).unwrap().count(), 2);
}

#[test]
fn flags_alone_make_a_plan_and_go_on_by_themselves() {
    let place = Place::new();
    let flags = "search --deck half --seed 5 --games 2e4 --block 1000";
    let first = place.done(flags);
    assert!(
        first.contains("20,000 games") && first.contains(" 10  "),
        "{first}"
    );
    let (code, again, err) = place.run(flags);
    assert_eq!(code, 0);
    assert!(err.contains("going on from"), "{err}");
    assert!(first.contains(again.lines().last().unwrap()), "{again}");
    let (code, _, err) = place.run("search");
    assert_eq!(code, 2);
    assert!(
        err.contains("search/quick.toml") && err.contains("--games"),
        "{err}"
    );
    let out = place.done(&format!("{flags} --restart --json"));
    let told: Value = serde_json::from_str(&out).unwrap();
    assert_eq!(told["games"], "20000");
    assert_eq!(told["best"].as_array().unwrap().len(), 10);
}

#[test]
fn a_torn_line_of_finds_is_cut_off() {
    let place = Place::new();
    place.plan("plan.toml", SHORT);
    place.done("search plan.toml");
    let wanted = place.left("plan");
    let path = place.path("checkpoints/plan/finds.jsonl");
    for more in ["{\"deal\":\"00", "\n", "{\"deal\":\"00\n", "\0\0\0"] {
        let torn = [&wanted["finds.jsonl"][..], more.as_bytes()].concat();
        fs::write(&path, torn).unwrap();
        place.done("search plan.toml --resume");
        assert!(place.left("plan") == wanted);
    }
    // A line that is missing was on the disk once: the state before has less, or it is found again.
    let board = fs::read(place.path("results/plan/leaderboard.jsonl")).unwrap();
    let cut = &wanted["finds.jsonl"][..wanted["finds.jsonl"].len() - 10];
    fs::write(&path, cut).unwrap();
    let (code, _, err) = place.run("search plan.toml --resume");
    assert_eq!(code, 0, "{err}");
    assert!(
        err.contains("warning") && err.contains("finds.jsonl"),
        "{err}"
    );
    assert!(fs::read(place.path("results/plan/leaderboard.jsonl")).unwrap() == board);
}

#[test]
fn a_state_of_a_newer_version_is_refused_by_name() {
    let place = Place::new();
    place.plan("plan.toml", SHORT);
    place.done("search plan.toml");
    let path = place.path("checkpoints/plan/state");
    let mut bytes = fs::read(&path).unwrap();
    bytes[8..12].copy_from_slice(&2u32.to_le_bytes());
    let crc = crc32fast::hash(&bytes[..32]).to_le_bytes();
    bytes[32..36].copy_from_slice(&crc);
    fs::write(&path, &bytes).unwrap();
    for command in [
        "search plan.toml --resume",
        "status checkpoints/plan",
        "merge checkpoints/plan",
    ] {
        let (code, _, err) = place.run(command);
        assert_eq!(code, 74, "{command}: {err}");
        assert!(
            err.contains("format 2") && err.contains("newer program"),
            "{err}"
        );
    }
    place.done("search plan.toml --restart");
}

#[test]
fn a_full_disk_ends_it_unsaved_and_leaves_the_old_files_whole() {
    let place = Place::new();
    let small = place.path("small");
    fs::create_dir(&small).unwrap();
    let mounted = Command::new("mount")
        .args(["-t", "tmpfs", "-o", "size=256k", "tmpfs"])
        .arg(&small)
        .output()
        .is_ok_and(|output| output.status.success());
    if !mounted {
        println!("skipped: no file system can be mounted here");
        return;
    }
    struct Unmount(PathBuf);
    impl Drop for Unmount {
        fn drop(&mut self) {
            let _ = Command::new("umount").arg("-l").arg(&self.0).output();
        }
    }
    let _unmount = Unmount(small.clone());
    place.plan("plan.toml", &KILLED.replace("1e6", "3e5"));
    let wanted = {
        let place = Place::new();
        place.plan("plan.toml", &KILLED.replace("1e6", "3e5"));
        place.done("search plan.toml");
        place.left("plan")
    };
    let at = "search plan.toml --state small/run --results results/plan";
    let (code, ..) = place.run(&format!("{at} --time-limit 0.1s"));
    assert!([0, 75].contains(&code));
    // Fill it to the last byte.
    let mut size = 1 << 18;
    let mut filler = Vec::new();
    while size > 0 {
        filler.resize(filler.len() + size, 1u8);
        if fs::write(small.join("filler"), &filler).is_err() {
            filler.truncate(filler.len() - size);
            size /= 2;
        }
    }
    let (code, _, err) = place.run(&format!("{at} --resume"));
    assert_eq!(code, 74, "{err}");
    assert!(
        err.contains("small/run") && err.to_lowercase().contains("no space"),
        "{err}"
    );
    fs::remove_file(small.join("filler")).unwrap();
    place.done(&format!("{at} --resume"));
    let finds = fs::read(small.join("run/finds.jsonl")).unwrap();
    assert!(finds == wanted["finds.jsonl"]);
    assert!(fs::read(small.join("run/state")).unwrap() == wanted["state"]);
}

#[test]
fn shards_are_merged_into_what_one_run_gives() {
    let place = Place::new();
    place.plan("plan.toml", SHORT);
    place.done("search plan.toml");
    for at in 0..3 {
        place.done(&format!("search plan.toml --shard {at}/3"));
    }
    let shard = |at: usize| format!("checkpoints/plan.{at}-of-3");
    let out = place.done(&format!(
        "merge {} {} {} --results merged",
        shard(2),
        shard(0),
        shard(1)
    ));
    assert!(out.contains("all 3 shards are there"), "{out}");
    for name in ["leaderboard.jsonl", "histogram.csv", "summary.json"] {
        let merged = fs::read(place.path("merged").join(name)).unwrap();
        assert!(
            merged == fs::read(place.path("results/plan").join(name)).unwrap(),
            "{name}"
        );
    }
    let out = place.done("verify merged");
    assert!(out.contains("claims hold"), "{out}");
    let out = place.done("records merged --top 3");
    assert!(out.contains("half"), "{out}");
    place.done("records checkpoints/plan --csv");

    place.plan("other.toml", &SHORT.replace("20000", "21000"));
    place.done("search other.toml --shard 1/3");
    place.done("search plan.toml --shard 0/2");
    place.run("search plan.toml --shard 3/4 --time-limit 0s");
    for (folders, word) in [
        (vec![shard(0), shard(2)], "shard 1/3 is missing"),
        (vec![shard(0)], "shards 1/3, 2/3 are missing"),
        (
            vec![shard(0), shard(1), shard(0), shard(2)],
            "shard 0/3 is there twice",
        ),
        (
            vec![shard(0), "checkpoints/other.1-of-3".into()],
            "shards of one plan",
        ),
        (
            vec![shard(0), "checkpoints/plan.0-of-2".into()],
            "cut in two ways",
        ),
        (vec!["checkpoints/plan.3-of-4".into()], "are missing"),
    ] {
        let (code, _, err) = place.run(&format!("merge {} --results none", folders.join(" ")));
        assert_eq!(code, 1, "{err}");
        assert!(err.contains(word), "{err}");
    }
    let (code, _, err) = place.run("merge nowhere");
    assert_eq!(code, 2);
    assert!(err.contains("nowhere"), "{err}");
    assert!(!place.path("none").exists());
    // A shard that is not finished proves nothing.
    let (code, ..) = place.run("search plan.toml --restart --time-limit 0s");
    assert_eq!(code, 75);
    let (code, _, err) = place.run("merge checkpoints/plan --results none");
    assert_eq!(code, 1);
    assert!(err.contains("not finished: 0 of 20 blocks"), "{err}");
}

#[test]
fn a_find_leads_back_to_its_deal() {
    let place = Place::new();
    place.plan("plan.toml", SHORT);
    place.done("search plan.toml");
    let text = fs::read_to_string(place.path("results/plan/leaderboard.jsonl")).unwrap();
    let finds: Vec<Value> = text
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let mut closed = 0;
    for find in finds.iter().take(8) {
        let found = &find["found"];
        let address = format!("--block {} --offset {}", found["block"], found["offset"]);
        let deal = place.done(&format!("deal {address} --plan plan.toml"));
        let from = found["from"]["deal"].as_str();
        closed += usize::from(from.is_some());
        assert_eq!(deal.trim(), from.unwrap_or(find["deal"].as_str().unwrap()));
        let same = place.done(&format!(
            "deal {address} --seed {} --deck half --json",
            found["seed"]
        ));
        let same: Value = serde_json::from_str(&same).unwrap();
        assert_eq!(same["deal"], deal.trim());
    }
    assert!(closed > 0, "a poor test");
    let (code, _, err) = place.run("deal --block 3 --seed 1");
    assert_eq!(code, 2);
    assert!(err.contains("--offset"), "{err}");
}

#[test]
fn wrong_plans_and_flags_are_named() {
    let place = Place::new();
    place.plan("plan.toml", "deck = \"half\"\ngmaes = 100\n");
    for (args, code, words) in [
        (
            "search plan.toml",
            2,
            &["plan.toml", "line 2", "gmaes", "\"games\""][..],
        ),
        ("search none.toml", 74, &["none.toml"]),
        ("search --games 10 --deck tarot", 2, &["deck", "tarot"]),
        ("search --games 10 --shard 3/3", 2, &["0/4"]),
        ("search --games 10 --time-limit soon", 2, &["90s"]),
        ("search --games ten", 2, &["1e6"]),
        ("search --games 10 --threads 0", 2, &["--threads"]),
        (
            "search --games 10 --kernel mmx",
            2,
            &["\"mmx\" is no kernel", "scalar"],
        ),
        ("search --games 10 --resume --restart", 2, &["--restart"]),
        ("status", 2, &["DIR"]),
        ("status nowhere", 2, &["nowhere"]),
    ] {
        let (is, out, err) = place.run(args);
        assert_eq!(is, code, "{args}: {out}{err}");
        for word in words {
            assert!(err.contains(word), "{args}: {err}");
        }
    }
    let mut command = place.command("search --games 10 --deck half");
    let (code, _, err) = told(&command.env("SLURM_CPUS_PER_TASK", "many").output().unwrap());
    assert_eq!(code, 2);
    assert!(
        err.contains("SLURM_CPUS_PER_TASK") && err.contains("--threads"),
        "{err}"
    );
    // A folder that cannot be made is said at once.
    fs::write(place.path("file"), "").unwrap();
    let (code, _, err) = place.run("search --games 10 --deck half --state file/run");
    assert_eq!(code, 74, "{err}");
    assert!(err.contains("file/run"), "{err}");
}

#[test]
fn plans_that_come_with_the_program_are_sound() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("search");
    let mut plans = 0;
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|ending| ending == "toml") {
            let text = fs::read_to_string(&path).unwrap();
            let keys = camicia::search::plan::Keys::read(&text);
            let plan = keys.and_then(|keys| camicia::search::methods::Plan::check(&keys));
            assert!(plan.is_ok(), "{}: {plan:?}", path.display());
            plans += 1;
        }
    }
    assert!(plans >= 3);
}

/// A find without the version that wrote it.
fn versionless(text: &str) -> Vec<Value> {
    let finds = text.lines().map(|line| {
        let mut find: Value = serde_json::from_str(line).unwrap();
        find.as_object_mut().unwrap().remove("version");
        find
    });
    finds.collect()
}

#[test]
fn a_state_of_format_1_is_gone_on_from() {
    // Kept for ever: what a program of format 1 left in the middle of the work.
    let fixture = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/state-1");
    let place = Place::new();
    fs::create_dir_all(place.path("checkpoints/plan")).unwrap();
    for (file, to) in [
        ("plan.toml", "plan.toml"),
        ("state", "checkpoints/plan/state"),
        ("finds.jsonl", "checkpoints/plan/finds.jsonl"),
    ] {
        fs::copy(fixture.join(file), place.path(to)).unwrap();
    }
    let before = place.blocks_done("checkpoints/plan");
    assert!(before > 0 && before < 200, "{before}");
    place.done("search plan.toml --resume");
    let read = |path: PathBuf| fs::read_to_string(path).unwrap();
    let histogram = "histogram.csv";
    let ours = place.path("results/plan");
    assert_eq!(read(ours.join(histogram)), read(fixture.join(histogram)));
    let board = "leaderboard.jsonl";
    assert_eq!(
        versionless(&read(ours.join(board))),
        versionless(&read(fixture.join(board)))
    );
}
