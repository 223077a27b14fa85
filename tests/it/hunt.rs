//! The hunt as a process: killed, stopped, locked out, short of room, cut into shards. What comes
//! out must be what one unbroken run gives, byte for byte.

use std::fs;
use std::hash::{BuildHasher, RandomState};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread::sleep;
use std::time::{Duration, Instant};

use rustix::process::Signal;
use serde_json::Value;

use super::support::place::Place;
use super::support::{told, wait_until};

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
fn a_second_signal_ends_it_at_once() {
    let place = Place::new();
    place.plan("plan.toml", LONG);
    let child = place.spawn("search plan.toml");
    wait_until("the search to run", || {
        place.path("checkpoints/plan/status.json").exists()
    });
    // Sent twice, it is gone by one or the other; without a checkpoint it must not say 75.
    child.signal(Signal::TERM);
    child.signal(Signal::TERM);
    let (code, ..) = child.end();
    assert!([75, 128 + 15].contains(&code), "{code}");
    place.run("search plan.toml --resume --time-limit 0.1s");
}

#[test]
fn a_short_run_has_a_checkpoint() {
    let place = Place::new();
    // The plan's interval is a minute.
    place.plan("plan.toml", &format!("{LONG}block = 2000\n"));
    let start = Instant::now();
    let mut child = place.spawn("search plan.toml");
    place.wait_for_blocks("checkpoints/plan");
    assert!(
        start.elapsed() < Duration::from_secs(50),
        "that was the plan's own interval"
    );
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
    // A line that is missing was on the disk once: the state before has less, and is used.
    let cut = &wanted["finds.jsonl"][..wanted["finds.jsonl"].len() - 10];
    fs::write(&path, cut).unwrap();
    let (code, _, err) = place.run("search plan.toml --resume");
    if code == 0 {
        assert!(
            err.contains("warning") && err.contains("finds.jsonl"),
            "{err}"
        );
        assert!(place.left("plan") == wanted);
    } else {
        assert_eq!(code, 74, "{err}");
        assert!(err.contains("--restart"), "{err}");
    }
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
        ("search none.toml", 2, &["none.toml"]),
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
