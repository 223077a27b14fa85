//! Pages: what they say, and how a real browser shows them.
//!
//! The browser is Chromium, driven by chromedriver; without them its tests say so and do nothing.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use camicia::cards::{Deal, Deck, Notation, Order, Reader, Split};
use camicia::game::exact;
use camicia::pages::replay::{ENGINE, Film, Take};
use proptest::prelude::*;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::support::{CASELLA, program};

const LONGEST: &str = "---AJ--Q---------QAKQJJ-QK/-----A----KJ-K--------A---";

/// The engine of the page, run outside a browser.
struct Engine {
    store: wasmi::Store<()>,
    instance: wasmi::Instance,
}

impl Engine {
    fn new() -> Engine {
        let engine = wasmi::Engine::default();
        let module = wasmi::Module::new(&engine, ENGINE).unwrap();
        let mut store = wasmi::Store::new(&engine, ());
        // It asks its surroundings for nothing.
        let linker = wasmi::Linker::new(&engine);
        let instance = linker.instantiate_and_start(&mut store, &module).unwrap();
        Engine { store, instance }
    }

    fn call(&mut self, name: &str, argument: Option<i32>) -> i32 {
        let store = &mut self.store;
        match argument {
            Some(argument) => {
                let call = self.instance.get_typed_func::<i32, i32>(&*store, name);
                call.unwrap().call(store, argument).unwrap()
            }
            None => {
                let call = self.instance.get_typed_func::<(), i32>(&*store, name);
                call.unwrap().call(store, ()).unwrap()
            }
        }
    }

    fn play(&mut self, text: &str, how: i32) -> Value {
        let memory = self.instance.get_memory(&self.store, "memory").unwrap();
        let at = self.call("text", Some(text.len() as i32));
        memory
            .write(&mut self.store, at as u32 as usize, text.as_bytes())
            .unwrap();
        let length = self.call("play", Some(how));
        let at = self.call("answer", None);
        let mut answer = vec![0; length as usize];
        memory
            .read(&self.store, at as u32 as usize, &mut answer)
            .unwrap();
        serde_json::from_slice(&answer).unwrap()
    }
}

/// The film of a text, as the program makes it, or its error.
fn film(text: &str, how: i32) -> Value {
    let reader = Reader {
        digits: how & 1 != 0,
        whole: if how & 2 != 0 {
            Some(Split::Alternating)
        } else if how & 8 != 0 {
            Some(Split::Halves)
        } else {
            None
        },
    };
    let take = Take {
        digits: reader.digits,
        sameness: if how & 4 != 0 {
            exact::Sameness::Distinct
        } else {
            exact::Sameness::Skeleton
        },
        ..Take::default()
    };
    match Film::read(text, reader, take) {
        Ok(film) => serde_json::to_value(film).unwrap(),
        Err(error) => json!({ "error": error.to_string() }),
    }
}

/// A deal of `deck`, evenly spread over all of them by a fixed step.
fn nth(deck: &Deck, n: u128) -> Deal {
    let deals = deck.deals().unwrap();
    let index = n * 0x9E37_79B9_7F4A_7C15 * 0x1_0000_0001 % deals;
    deck.deal_at(index, Order::usual(deck)).unwrap()
}

#[test]
fn the_engine_of_the_page_plays_as_the_program_does() {
    let mut engine = Engine::new();
    for (deck, deals) in [
        (Deck::standard(), 60),
        (Deck::italian(), 60),
        (Deck::half(), 100),
    ] {
        for n in 0..deals {
            let deal = nth(&deck, n);
            let text = Notation::Skeleton.write(&deal).unwrap();
            assert_eq!(engine.play(&text, 0), film(&text, 0), "{text}");
        }
    }
    for (text, how) in [
        (LONGEST, 0),
        (CASELLA, 0),
        (CASELLA, 4),
        ("0123/4J-.", 1),
        ("J2Q", 2),
        ("10♥ AS qh T♠️/ 2d", 0),
        ("1: -K-\n2: Q--\n", 0),
        (r#"{"playerA": ["2","A"], "playerB": ["3"]}"#, 0),
        ("/2", 0),
        ("", 0),
        ("J", 0),
        ("J 2/ 3 X9 4", 0),
        ("0 5/1", 1),
        ("{\"playerA\": 1}", 0),
    ] {
        assert_eq!(engine.play(text, how), film(text, how), "{text:?} {how}");
    }
    assert_eq!(engine.play(LONGEST, 0)["verdict"]["cards"], 8344);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn the_engine_of_the_page_reads_as_the_program_does(text in "[-JQKA0-5 /,\n:1X♥{}\"]{0,24}", how in 0i32..8) {
        prop_assert_eq!(Engine::new().play(&text, how), film(&text, how));
    }
}

/// `camicia ARGUMENTS`.
fn camicia(args: &[&str]) -> Command {
    let mut command = Command::new(program());
    command.args(args).stdin(Stdio::null());
    command
}

fn lines(args: &[&str]) -> String {
    let output = camicia(args).output().unwrap();
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{args:?}: {error}");
    String::from_utf8(output.stdout).unwrap()
}

/// The JSON in a page, in its script element `id`.
fn json_of(page: &Path, id: &str) -> Value {
    let text = std::fs::read_to_string(page).unwrap();
    let (_, rest) = text.split_once(&format!("id=\"{id}\">")).unwrap();
    serde_json::from_str(rest.split_once("</script>").unwrap().0).unwrap()
}

#[test]
fn play_writes_a_page_whose_verdict_is_that_of_json() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("page.html");
    let path = file.to_str().unwrap();
    for args in [
        vec![LONGEST],
        vec![CASELLA],
        vec![CASELLA, "--distinct"],
        vec![CASELLA, "--max-tricks", "20"],
        vec!["Q 2 3/4 5 J 6", "--decks-only"],
        vec!["02001/1003", "--digits"],
    ] {
        let mut all = vec!["play", "--json", "--html", path];
        all.extend(&args);
        let json: Value = serde_json::from_str(&lines(&all)).unwrap();
        assert_eq!(json_of(&file, "film")["verdict"], json, "{args:?}");
    }
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    let nowhere = folder.path().join("none/page.html");
    let output = camicia(&["play", "J/2", "--html", nowhere.to_str().unwrap()])
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(74));
    assert!(String::from_utf8_lossy(&output.stderr).contains("none/page.html"));
}

/// Results of a match of each game, one of whose bots has a name that no command line would have.
fn matches(folder: &TempDir) -> Vec<(&'static str, String)> {
    let games: [(&str, &[&str]); 4] = [
        ("uno", &["--bot=builtin:greedy", "--bot=x=builtin:random"]),
        (
            "bs",
            &[
                "--bot=builtin:honest",
                "--bot=x=builtin:random",
                "--bot=builtin:doubter",
                "--bot=builtin:counter",
                "--rounds=40",
            ],
        ),
        (
            "barbu",
            &[
                "--bot=builtin:careful",
                "--bot=x=builtin:random",
                "--bot=b=builtin:random",
                "--bot=c=builtin:random",
                "--game=trumps,dominoes",
            ],
        ),
        (
            "uno",
            &["--bot=x=false", "--bot=builtin:random", "--forgive"],
        ),
    ];
    let mut all = Vec::new();
    for (at, (game, options)) in games.into_iter().enumerate() {
        let path = folder.path().join(format!("{game}-{at}.jsonl"));
        let file = path.to_str().unwrap().to_owned();
        let games = if game == "barbu" {
            "--n=2"
        } else {
            "--games=2"
        };
        let mut args = vec!["match", game, games, "--timeout=600"];
        args.extend(["--results", &file]);
        args.extend(options);
        lines(&args);
        let text = std::fs::read_to_string(&path).unwrap();
        let text = text.replace("\"x\"", &json!(HOSTILE).to_string());
        std::fs::write(&path, text).unwrap();
        all.push((game, file));
    }
    all
}

#[test]
fn a_game_of_a_match_is_a_page_with_the_steps_of_json() {
    let folder = tempfile::tempdir().unwrap();
    let page = folder.path().join("page.html");
    let path = page.to_str().unwrap();
    let all = matches(&folder);
    for (game, file) in &all {
        let args = ["match", "replay", file.as_str(), "--game-number", "1"];
        let json = lines(&[&args[..], &["--json", "--html", path]].concat());
        let json: Value = serde_json::from_str(&json).unwrap();
        assert_eq!(json_of(&page, "game"), json, "{game}");
        let text = std::fs::read_to_string(&page).unwrap();
        assert!(!text.contains("{{") && !text.contains("<img"), "{game}");
        for asked in ["http://", "https://", "@import", "url("] {
            assert!(!text.contains(asked), "{game}: {asked}");
        }
        // With a page alone, nothing is printed.
        assert_eq!(lines(&[&args[..], &["--html", path]].concat()), "");
    }
    let (_, file) = &all[0];
    let nowhere = folder.path().join("none/page.html");
    let args = ["match", "replay", file, "--html", nowhere.to_str().unwrap()];
    let output = camicia(&args).output().unwrap();
    assert_eq!(output.status.code(), Some(74));
    assert!(String::from_utf8_lossy(&output.stderr).contains("none/page.html"));
    let beyond = folder.path().join("beyond.html");
    let args = [
        "match",
        "replay",
        file,
        "--game-number",
        "9",
        "--html",
        beyond.to_str().unwrap(),
    ];
    assert_eq!(camicia(&args).output().unwrap().status.code(), Some(2));
    assert!(!beyond.exists(), "no page of a game that is not there");
}

#[test]
fn a_page_can_be_written_to_standard_output() {
    let page = lines(&["play", "J/2", "--html", "/dev/stdout", "--json"]);
    assert!(page.starts_with("<!DOCTYPE html>"));
}

/// Results of every kind, made once in a folder.
struct Results {
    folder: TempDir,
}

impl Results {
    fn new() -> Results {
        let results = Results {
            folder: tempfile::tempdir().unwrap(),
        };
        let search = |name: &str, args: &[&str]| {
            let (state, out) = (results.path(&format!("state-{name}")), results.path(name));
            let mut all = args.to_vec();
            all.extend(["--json", "--state", &state, "--results", &out]);
            lines(&all)
        };
        search(
            "random",
            &["search", "--games", "60000", "--deck", "italian"],
        );
        search("climb", &["search", "--how", "climb", "--games", "30000"]);
        search("half", &["exhaust", "--deck", "plain=6,1=2,2=2"]);
        let known = concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/results/known/italian-infinite.jsonl"
        );
        search(
            "grown",
            &[
                "grow", "--deck", "italian", "--from", known, "--tests", "40000",
            ],
        );
        let bots = [
            "--bot",
            "x=false",
            "--bot",
            "builtin:greedy",
            "--bot",
            "builtin:random",
        ];
        let file = results.path("uno.jsonl");
        let mut all = vec![
            "match",
            "uno",
            "--games",
            "6",
            "--forgive",
            "--results",
            &file,
        ];
        all.extend(bots);
        lines(&all);
        // A name that no command line would have.
        let text = std::fs::read_to_string(&file).unwrap();
        std::fs::write(&file, text.replace("\"x\"", &json!(HOSTILE).to_string())).unwrap();
        results
    }

    fn path(&self, name: &str) -> String {
        self.folder.path().join(name).to_str().unwrap().to_owned()
    }

    const ALL: [&str; 5] = ["random", "climb", "half", "grown", "uno.jsonl"];
}

const HOSTILE: &str = "<img src=x onerror=\"document.title='hacked'\">&'</svg><script>1</script>";

#[test]
fn reports_show_the_numbers_of_the_summary() {
    let results = Results::new();
    for name in ["random", "climb", "half", "grown"] {
        let report: Value =
            serde_json::from_str(&lines(&["report", &results.path(name), "--json"])).unwrap();
        let run = &report["runs"][0];
        let summary = std::fs::read_to_string(results.path(name) + "/summary.json").unwrap();
        let summary: Value = serde_json::from_str(&summary).unwrap();
        assert_eq!(run["summary"], summary);
        for lengths in run["lengths"].as_array().unwrap() {
            let of = lengths["of"].as_str().unwrap();
            let key = if of == "end of a climb" { "climbs" } else { of };
            assert_eq!(lengths["moments"], summary[key], "{name}");
            // The bars of the picture hold every game, no more and no less.
            let bars = report["figures"]
                .as_array()
                .unwrap()
                .iter()
                .find_map(|figure| {
                    let wanted = if of == "tricks" {
                        "-tricks"
                    } else if key == "climbs" {
                        "-climbs"
                    } else {
                        "-lengths"
                    };
                    let is = figure["name"].as_str()?.ends_with(wanted);
                    is.then(|| figure["chart"]["plane"]["series"][0]["points"].clone())
                });
            let sum: f64 = bars
                .unwrap()
                .as_array()
                .unwrap()
                .iter()
                .map(|point| point[1].as_f64().unwrap())
                .sum();
            assert_eq!(
                json!((sum as u64).to_string()),
                summary[key]["count"],
                "{name} {of}"
            );
        }
        // The leaderboard is that of `camicia records`.
        let records = lines(&["records", &results.path(name), "--json"]);
        let records: Vec<Value> = records
            .lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect();
        let finished: Vec<&Value> = records
            .iter()
            .filter(|find| find["status"] == "finished")
            .collect();
        let ours = run["finished"].as_array().unwrap();
        assert_eq!(ours.len(), finished.len(), "{name}");
        for (ours, theirs) in ours.iter().zip(finished) {
            for key in ["cards", "tricks", "deal", "gap_percent"] {
                assert_eq!(ours[key], theirs[key], "{name}");
            }
        }
    }
    let grown: Value =
        serde_json::from_str(&lines(&["report", &results.path("grown"), "--json"])).unwrap();
    assert_eq!(grown["runs"][0]["cycles"].as_array().unwrap().len(), 9);
}

#[test]
fn a_match_is_reported_with_the_numbers_of_its_own_json() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("m.jsonl");
    let file = file.to_str().unwrap();
    let own = lines(&[
        "match",
        "uno",
        "--bot",
        "builtin:greedy",
        "--bot",
        "builtin:random",
        "--games",
        "9",
        "--json",
        "--results",
        file,
    ]);
    let own: Value = serde_json::from_str(own.lines().last().unwrap()).unwrap();
    let report: Value = serde_json::from_str(&lines(&["report", file, "--json"])).unwrap();
    let places = report["runs"][0]["places"].as_array().unwrap();
    let standings = own["standings"].as_array().unwrap();
    assert_eq!(places.len(), standings.len());
    for (place, standing) in places.iter().zip(standings) {
        for key in ["bot", "games", "wins", "share", "interval"] {
            assert_eq!(place[key], standing[key], "{key}");
        }
    }
}

#[test]
fn plots_alone_are_written_for_light_and_dark() {
    let results = Results::new();
    let plots = results.path("plots");
    let mut args = vec!["report", "--svg", &plots];
    let paths = Results::ALL.map(|name| results.path(name));
    args.extend(paths.iter().map(String::as_str));
    lines(&args);
    let mut names: Vec<String> = std::fs::read_dir(&plots)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    for wanted in [
        "all-lengths",
        "random-lengths",
        "random-tricks",
        "random-longest",
        "random-winners",
        "climb-climbs",
        "half-lengths",
        "half-winners",
        "grown-cycles",
        "grown-growth",
        "uno-standings",
        "uno-ends",
        "uno-turns",
        "uno-failures",
    ] {
        for theme in ["light", "dark"] {
            let name = format!("{wanted}-{theme}.svg");
            assert!(names.contains(&name), "{name} of {names:?}");
            let text = std::fs::read_to_string(format!("{plots}/{name}")).unwrap();
            assert!(text.starts_with("<svg ") && text.contains("<desc "));
            assert!(!text.contains("var(") && !text.contains("<script"));
        }
    }
}

#[test]
fn what_is_no_result_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    std::fs::write(at("text"), "hello").unwrap();
    std::fs::create_dir(at("empty")).unwrap();
    std::fs::create_dir(at("odd")).unwrap();
    std::fs::write(at("odd/summary.json"), "{\"deck\": \"standard\"}").unwrap();
    std::fs::create_dir(at("mixed")).unwrap();
    let summary =
        r#"{"how":"random","deck":"half","cards":{"count":"2","sum":"9","sum_of_squares":"41"}}"#;
    std::fs::write(at("mixed/summary.json"), summary).unwrap();
    std::fs::write(
        at("mixed/histogram.csv"),
        "of,value,games\ncards,4,1\ncards,6,1\n",
    )
    .unwrap();
    for (name, wanted) in [
        ("text", "neither the folder of a search's results"),
        ("empty", "has no summary.json"),
        ("odd", "summary.json: it has no \"how\""),
        (
            "mixed",
            "sum of cards is \"10\" in histogram.csv and \"9\" in summary.json",
        ),
        ("gone", "No such file"),
    ] {
        let path = at(name);
        let output = camicia(&["report", path.to_str().unwrap()])
            .output()
            .unwrap();
        let error = String::from_utf8(output.stderr).unwrap();
        let code = if name == "gone" { 74 } else { 2 };
        assert_eq!(output.status.code(), Some(code), "{error}");
        assert!(error.contains(wanted) && error.contains(name), "{error}");
    }
}

#[test]
fn a_terminal_shows_lengths_as_bars_with_the_e_fold() {
    let folder = tempfile::tempdir().unwrap();
    let results = folder.path().join("r").to_str().unwrap().to_owned();
    let state = folder.path().join("s").to_str().unwrap().to_owned();
    let args = [
        "search",
        "--games",
        "50000",
        "--watch",
        "--state",
        &state,
        "--results",
        &results,
    ];
    let output = camicia(&args).output().unwrap();
    let end = String::from_utf8(output.stdout).unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success(), "{said}");
    assert!(said.contains("50,000 games: the longest has"), "{said}");
    let shown = lines(&["records", &results, "--plot"]);
    // The bars of the cards are those of the end of the search.
    let (_, bars) = end.split_once("lengths of the finished games\n").unwrap();
    let (bars, _) = bars.split_once("the longest games").unwrap();
    assert!(shown.contains(bars), "{bars}\n{shown}");
    let counted: u64 = bars
        .lines()
        .skip(1)
        .filter(|line| !line.starts_with("from"))
        .map(|line| {
            line.split_whitespace()
                .nth(1)
                .unwrap()
                .replace(',', "")
                .parse::<u64>()
                .unwrap()
        })
        .sum();
    assert_eq!(counted, 50_000);
    // The e-fold is that of the report.
    let report: Value = serde_json::from_str(&lines(&["report", &results, "--json"])).unwrap();
    let tail = &report["runs"][0]["lengths"][0]["tail"];
    let words = format!(
        "from {} cards on, the number of longer games falls by e every {:.2} ± {:.2} cards",
        tail["from"],
        tail["e_fold"].as_f64().unwrap(),
        tail["error"].as_f64().unwrap()
    );
    assert!(bars.contains(&words), "{words}\n{bars}");
    let output = camicia(&["records", "--plot"]).output().unwrap();
    assert_eq!(output.status.code(), Some(2), "a folder is needed");
}

#[test]
fn every_command_has_a_manual_page() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("man/man1");
    lines(&["man", path.to_str().unwrap()]);
    for name in [
        "camicia",
        "camicia-play",
        "camicia-search",
        "camicia-match-uno",
        "camicia-report",
    ] {
        let page = std::fs::read_to_string(path.join(format!("{name}.1"))).unwrap();
        assert!(page.contains(".TH ") && page.contains(".SH "), "{name}");
    }
    let play = std::fs::read_to_string(path.join("camicia-play.1")).unwrap();
    assert!(play.contains("replays the game"), "{play}");
}

// What follows needs a browser.

/// One browser at a time: they are large.
static BROWSER: Mutex<()> = Mutex::new(());

/// Chromium, driven by chromedriver.
struct Browser {
    driver: Child,
    session: String,
    _profile: TempDir,
    _one: MutexGuard<'static, ()>,
}

impl Drop for Browser {
    fn drop(&mut self) {
        let _ = ureq::delete(&self.session).call();
        let _ = self.driver.kill();
        let _ = self.driver.wait();
    }
}

impl Browser {
    /// `None` without Chromium, which is said.
    fn start() -> Option<Browser> {
        let one = BROWSER.lock().unwrap_or_else(PoisonError::into_inner);
        let found = |name: &str| {
            let works = Command::new(name).arg("--version").output();
            works.is_ok_and(|output| output.status.success())
        };
        if !found("chromium") || !found("chromedriver") {
            println!("skipped: chromium and chromedriver are not installed");
            return None;
        }
        let mut driver = Command::new("chromedriver")
            .arg("--port=0")
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let port = BufReader::new(driver.stdout.take().unwrap())
            .lines()
            .map_while(Result::ok)
            .find_map(|line| {
                let (_, port) = line.split_once("started successfully on port ")?;
                Some(port.trim_end_matches('.').to_owned())
            })
            .expect("chromedriver names its port");
        let profile = tempfile::tempdir().unwrap();
        let binary = Command::new("sh")
            .args(["-c", "command -v chromium"])
            .output()
            .unwrap();
        let binary = String::from_utf8(binary.stdout).unwrap();
        let url = format!("http://127.0.0.1:{port}/session");
        let wanted = json!({ "capabilities": { "alwaysMatch": {
            "goog:chromeOptions": {
                "binary": binary.trim(),
                "args": [
                    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic",
                    "--no-first-run", "--disable-background-networking",
                    "--disable-component-update", "--disable-sync", "--window-size=1100,900",
                    "--disable-dev-shm-usage",
                    format!("--user-data-dir={}", profile.path().display()),
                ],
            },
            "goog:loggingPrefs": { "browser": "ALL", "performance": "ALL" },
        } } });
        let answer = post(&url, &wanted);
        let id = answer["sessionId"].as_str().expect("a session").to_owned();
        Some(Browser {
            driver,
            session: format!("{url}/{id}"),
            _profile: profile,
            _one: one,
        })
    }

    fn post(&self, path: &str, body: Value) -> Value {
        post(&format!("{}/{path}", self.session), &body)
    }

    fn open(&self, address: &str) {
        // A change of the part after # alone would load nothing.
        self.post("url", json!({ "url": "about:blank" }));
        self.post("url", json!({ "url": format!("file://{address}") }));
    }

    fn run(&self, script: &str) -> Value {
        self.post("execute/sync", json!({ "script": script, "args": [] }))
    }

    /// Waits until `script` gives true. The bound is there for a page that hangs, no more.
    fn wait(&self, script: &str) {
        let start = Instant::now();
        while self.run(script) != json!(true) {
            assert!(start.elapsed() < Duration::from_secs(60), "never: {script}");
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// Two frames later, what was asked for is drawn.
    fn data(&self) -> Value {
        let script = "const done = arguments[0]; requestAnimationFrame(() => \
            requestAnimationFrame(() => done({ ...document.body.dataset })));";
        self.post("execute/async", json!({ "script": script, "args": [] }))
    }

    fn press(&self, key: &str, shift: bool) -> Value {
        let mut actions = vec![
            json!({ "type": "keyDown", "value": key }),
            json!({ "type": "keyUp", "value": key }),
        ];
        if shift {
            actions.insert(0, json!({ "type": "keyDown", "value": "\u{E008}" }));
            actions.push(json!({ "type": "keyUp", "value": "\u{E008}" }));
        }
        // The browser loses a key that comes before the page takes keys, and shows one late when it
        // is busy: wait for the change, and send again what had none.
        let before = self.data();
        let keyboard = json!({ "type": "key", "id": "keys", "actions": actions });
        for _ in 0..4 {
            self.post("actions", json!({ "actions": [keyboard] }));
            for _ in 0..100 {
                if self.data() != before {
                    return self.data();
                }
                std::thread::sleep(Duration::from_millis(50));
            }
        }
        self.data()
    }

    fn tell(&self, command: &str, params: Value) {
        self.post(
            "goog/cdp/execute",
            json!({ "cmd": command, "params": params }),
        );
    }

    /// Nothing was said on the console, and nothing asked for but the page itself.
    fn check_quiet(&self) {
        let console = self.post("se/log", json!({ "type": "browser" }));
        assert_eq!(console, json!([]));
        let events = self.post("se/log", json!({ "type": "performance" }));
        let mut asked = 0;
        for event in events.as_array().unwrap() {
            let event: Value = serde_json::from_str(event["message"].as_str().unwrap()).unwrap();
            if event["message"]["method"] == "Network.requestWillBeSent" {
                let params = &event["message"]["params"];
                let [url, page] = [&params["request"]["url"], &params["documentURL"]];
                let [url, page] = [url, page].map(|text| text.as_str().unwrap());
                // The browser's own first page is none of ours.
                if page.starts_with("file://") {
                    let alone = url == page || url.starts_with("data:");
                    assert!(alone, "{page} asks for {url}");
                    asked += 1;
                }
            }
        }
        assert!(asked > 0, "the log says what was asked for");
    }

    /// The colour behind the page.
    fn paper(&self) -> Value {
        self.run("return getComputedStyle(document.documentElement).backgroundColor")
    }

    /// On a narrow and on a wide screen, light and dark: `check` is told the colour of the paper.
    fn in_each_look(&self, check: impl Fn(&str)) {
        for (scheme, paper) in [("light", "rgb(251, 250, 247)"), ("dark", "rgb(20, 23, 27)")] {
            let feature = json!({ "name": "prefers-color-scheme", "value": scheme });
            self.tell(
                "Emulation.setEmulatedMedia",
                json!({ "media": "screen", "features": [feature] }),
            );
            for width in [360, 1100] {
                self.tell(
                    "Emulation.setDeviceMetricsOverride",
                    json!({ "width": width, "height": 800, "deviceScaleFactor": 1, "mobile": false }),
                );
                check(paper);
            }
        }
    }

    /// Nothing sticks out to the right.
    fn check_fits(&self) {
        let over = self.run(
            "return document.documentElement.scrollWidth - document.documentElement.clientWidth",
        );
        assert_eq!(over, json!(0));
    }
}

fn post(url: &str, body: &Value) -> Value {
    let agent: ureq::Agent = ureq::Agent::config_builder()
        .http_status_as_error(false)
        .build()
        .into();
    let mut answer = agent.post(url).send_json(body).unwrap();
    let value: Value = answer
        .body_mut()
        .with_config()
        .limit(256 << 20)
        .read_json()
        .unwrap();
    assert!(answer.status().is_success(), "{url}: {value}");
    value["value"].clone()
}

fn replay(folder: &TempDir, name: &str, args: &[&str]) -> String {
    let path = folder.path().join(name).to_str().unwrap().to_owned();
    let mut all = vec!["play", "--html", &path, "--"];
    all.extend(args);
    lines(&all);
    path
}

#[test]
fn the_last_frame_of_a_replay_is_the_verdict() {
    let Some(browser) = Browser::start() else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let mut deals = vec![LONGEST.to_owned(), CASELLA.to_owned(), "J/2 3".to_owned()];
    deals.extend((0..17).map(|n| nth(&Deck::standard(), 1000 + n).to_string()));
    assert_eq!(deals.len(), 20);
    for text in &deals {
        let page = replay(&folder, "page.html", &[text]);
        browser.open(&page);
        let first = browser.data();
        assert_eq!((&first["at"], &first["cards"]), (&json!("0"), &json!("0")));
        let last = browser.press("\u{E010}", false); // End
        let deal = Reader::default().deal(text).unwrap();
        let verdict = exact::play(&deal);
        let wanted = json!({
            "cards": verdict.played.cards.to_string(),
            "tricks": verdict.played.tricks.to_string(),
            "status": verdict.status(),
            "winner": verdict.winner().map_or(String::new(), |winner| winner.to_string()),
            "end": "true",
        });
        for (key, value) in wanted.as_object().unwrap() {
            assert_eq!(&last[key], value, "{text} {key}");
        }
        // The hands are those of the engine.
        let mut game = exact::Game::new(&deal);
        while game.played().tricks < verdict.played.tricks {
            game.step();
        }
        for (key, player) in [
            ("a", camicia::cards::Player::A),
            ("b", camicia::cards::Player::B),
        ] {
            let held = game.hand(player).len().to_string();
            assert_eq!(last[key], json!(held), "{text} {key}");
        }
        let shown = browser.run("return document.querySelectorAll('.card:not(.hidden)').length");
        assert_eq!(shown, json!(deal.len()));
    }
    browser.check_quiet();
}

#[test]
fn keys_seek_and_the_address_move_a_replay() {
    let Some(browser) = Browser::start() else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let page = replay(&folder, "page.html", &[CASELLA]);
    let (left, right, end, home) = ("\u{E012}", "\u{E014}", "\u{E010}", "\u{E011}");
    browser.open(&page);
    assert_eq!(browser.press(right, false)["cards"], "1");
    assert_eq!(browser.press(right, false)["cards"], "2");
    assert_eq!(browser.press(left, false)["cards"], "1");
    assert_eq!(browser.press(right, true)["tricks"], "1");
    assert_eq!(browser.press(right, true)["tricks"], "2");
    assert_eq!(browser.press(left, true)["tricks"], "1");
    assert_eq!(browser.press(end, false)["tricks"], "66");
    assert_eq!(browser.press(home, false)["at"], "0");
    let set = |id: &str, value: &str, event: &str| {
        browser.run(&format!(
            "const one = document.getElementById('{id}'); one.value = '{value}'; \
             one.dispatchEvent(new Event('{event}'))"
        ));
        browser.data()
    };
    assert_eq!(set("trick", "40", "change")["tricks"], "39");
    assert_eq!(set("slide", "7", "input")["at"], "7");
    // A click in the middle of the curve, which is the middle of its 540 moves.
    let middle = browser.run(
        "const curve = document.getElementById('curve'); curve.scrollIntoView({ block: 'center' }); \
         const box = curve.getBoundingClientRect(); \
         return [box.left + box.width / 2, box.top + box.height / 2].map(Math.round)",
    );
    let pointer = json!({ "type": "pointer", "id": "mouse", "actions": [
        { "type": "pointerMove", "x": middle[0], "y": middle[1] },
        { "type": "pointerDown", "button": 0 },
        { "type": "pointerUp", "button": 0 },
    ] });
    browser.post("actions", json!({ "actions": [pointer] }));
    let at: u64 = browser.data()["at"].as_str().unwrap().parse().unwrap();
    assert!((268..=272).contains(&at), "{at}");
    browser.open(&format!("{page}#31"));
    let data = browser.data();
    assert_eq!(
        (&data["tricks"], &data["pile"]),
        (&json!("30"), &json!("0"))
    );
    // The middle of the loop is said to be in it, and orbits have colours.
    let said = browser.run("return document.getElementById('where').textContent");
    assert!(said.as_str().unwrap().contains("in the loop"), "{said}");
    let colours = browser.run(
        "return new Set([...document.querySelectorAll('.card')].map(c => \
         c.style.getPropertyValue('--orbit')).filter(c => c)).size",
    );
    assert_eq!(colours, json!(4), "orbits of 25, 3, 3 and 3 cards");
    // Play, pause.
    browser.press(" ", false);
    browser.wait("return +document.body.dataset.tricks > 30");
    assert_eq!(browser.press(" ", false)["playing"], "false");
    browser.check_quiet();
}

#[test]
fn a_game_of_8344_cards_runs_within_its_frames() {
    let Some(browser) = Browser::start() else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    browser.open(&replay(&folder, "page.html", &[LONGEST]));
    let before: u64 = browser.data()["frames"].as_str().unwrap().parse().unwrap();
    browser.run(
        "document.getElementById('speed').value = '2000'; \
         document.getElementById('play').click()",
    );
    browser.wait("return document.body.dataset.end === 'true'");
    let data = browser.data();
    assert_eq!(
        (&data["cards"], &data["winner"]),
        (&json!("8344"), &json!("B"))
    );
    let frames = data["frames"].as_str().unwrap().parse::<u64>().unwrap() - before;
    // 9,508 moves at 2,000 a second, 60 frames a second: 286; a slow machine draws fewer.
    assert!((2..=600).contains(&frames), "{frames} frames");
    browser.check_quiet();
}

#[test]
fn a_pasted_deal_is_played_in_the_page() {
    let Some(browser) = Browser::start() else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    browser.open(&replay(&folder, "page.html", &["J/2 3"]));
    let paste = |text: &str, digits: bool| {
        browser.run(&format!(
            "document.getElementById('text').value = {}; \
             document.getElementById('digits').checked = {digits}; \
             document.getElementById('go').click()",
            json!(text)
        ));
    };
    paste(CASELLA, false);
    browser.wait(&format!(
        "return document.body.dataset.pasted === '{CASELLA}'"
    ));
    let last = browser.press("\u{E010}", false);
    assert_eq!(
        (&last["cards"], &last["status"]),
        (&json!("474"), &json!("loop"))
    );
    paste(
        "{\"playerA\": [\"2\", \"A\"], \"playerB\": [\"3\", \"4\", \"5\", \"6\", \"7\"]}",
        false,
    );
    browser.wait("return document.body.dataset.pasted === '-A/-----'");
    let said = browser.run("return document.getElementById('verdict').textContent");
    assert_eq!(said, json!("Finished after 7 cards, 1 trick. A wins."));
    paste("0300/12", true);
    browser.wait("return document.body.dataset.pasted === '-K--/JQ'");
    paste("J 2/ 3 <b>X9 4", false);
    browser.wait("return document.getElementById('sorry').textContent.includes('is no card')");
    assert_eq!(browser.data()["pasted"], "-K--/JQ", "the game before stays");
    browser.check_quiet();
}

#[test]
fn pages_follow_dark_mode_and_narrow_screens() {
    let Some(browser) = Browser::start() else {
        return;
    };
    let results = Results::new();
    let mut pages = vec![
        replay(&results.folder, "loop.html", &[CASELLA]),
        replay(&results.folder, "long.html", &[LONGEST]),
    ];
    let reports = Results::ALL.map(|name| vec![results.path(name)]);
    let odd = results.path("<img src=x onerror=alert(1)>&.jsonl");
    std::fs::copy(results.path("uno.jsonl"), &odd).unwrap();
    let mut together = Results::ALL.map(|name| results.path(name)).to_vec();
    together.push(odd);
    for (at, paths) in reports.into_iter().chain([together]).enumerate() {
        let page = results.path(&format!("report-{at}.html"));
        let mut args = vec!["report", "--html", &page];
        args.extend(paths.iter().map(String::as_str));
        lines(&args);
        pages.push(page);
    }
    for page in &pages {
        browser.in_each_look(|paper| {
            browser.open(page);
            browser.data();
            assert_eq!(browser.paper(), json!(paper), "{page}");
            browser.check_fits();
        });
        // On paper, dark or not, the background is white and there is nothing to press.
        browser.tell("Emulation.setEmulatedMedia", json!({ "media": "print" }));
        assert_eq!(browser.paper(), json!("rgb(255, 255, 255)"), "{page}");
        let left = browser.run(
            "return [...document.querySelectorAll('.no-print')].every(one => \
             getComputedStyle(one).display === 'none')",
        );
        assert_eq!(left, json!(true));
        // Every picture has words.
        let mute = browser.run(
            "return [...document.querySelectorAll('[role=img]')].filter(one => \
             !(one.getAttribute('aria-label') || (one.querySelector('title')?.textContent && \
             one.querySelector('desc')?.textContent))).length",
        );
        assert_eq!(mute, json!(0), "{page}");
    }
    // The name of a bot, or of a file, is a text and nothing else.
    for (page, wanted) in [
        (&pages[pages.len() - 2], HOSTILE),
        (&pages[pages.len() - 1], "<img src=x onerror=alert(1)>&"),
    ] {
        browser.open(page);
        let others = browser.run("return document.querySelectorAll('img, script').length");
        assert_eq!(others, json!(0));
        let shown = browser.run("return document.body.textContent");
        assert!(shown.as_str().unwrap().contains(wanted));
    }
    browser.check_quiet();
}

#[test]
fn the_page_of_a_game_of_a_match_shows_the_table_after_each_step() {
    let Some(browser) = Browser::start() else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let (left, right, end, home) = ("\u{E012}", "\u{E014}", "\u{E010}", "\u{E011}");
    for (at, (game, file)) in matches(&folder).into_iter().enumerate() {
        let page = folder.path().join(format!("page-{at}.html"));
        let path = page.to_str().unwrap();
        lines(&["match", "replay", &file, "--game-number=1", "--html", path]);
        let replay = json_of(&page, "game")["replay"].clone();
        let steps = replay["steps"].as_array().unwrap();
        let last = steps.len() - 1;
        // What is drawn, card by card, is what the step says.
        let check = |number: usize| {
            let drawn = browser.run(
                "return [...document.querySelectorAll('.hand')].map(hand => \
                 [...hand.children].map(card => card.textContent))",
            );
            let step = &steps[number];
            let mut wanted = vec![step["table"].clone()];
            wanted.extend(step["hands"].as_array().unwrap().iter().cloned());
            assert_eq!(drawn, json!(wanted), "{game}, step {number}");
            let told = browser.run("return document.querySelector('#steps .at').id");
            assert_eq!(told, json!(format!("step-{number}")));
        };
        browser.open(path);
        check(0);
        assert_eq!(browser.press(right, false)["at"], "1");
        check(1);
        assert_eq!(browser.press(left, false)["at"], "0");
        assert_eq!(browser.press(end, false)["at"], last.to_string());
        check(last);
        let said = browser.run(
            "return [...document.querySelectorAll('.zone .says')].map(one => \
             one.textContent).filter(text => text).join()",
        );
        let said = said.as_str().unwrap();
        assert!(said.contains("wins") || said.contains("points"), "{said}");
        assert_eq!(browser.press(home, false)["at"], "0");
        let ten = browser.press(right, true)["at"].clone();
        assert_eq!(ten, json!(last.min(10).to_string()));
        // The address, the words, the box.
        let middle = last / 2;
        browser.open(&format!("{path}#{middle}"));
        assert_eq!(browser.data()["at"], middle.to_string());
        check(middle);
        browser.run("document.getElementById('step-1').click()");
        assert_eq!(browser.data()["at"], "1");
        browser.run(
            "const box = document.getElementById('step'); box.value = 0; \
             box.dispatchEvent(new Event('change'))",
        );
        assert_eq!(browser.data()["at"], "0");
        // It plays to its end.
        browser.run(
            "document.getElementById('speed').value = '100'; \
             document.getElementById('play').click()",
        );
        browser.wait("return document.body.dataset.end === 'true'");
        // A hostile name is a text.
        let others = browser.run("return document.querySelectorAll('img').length");
        assert_eq!(others, json!(0));
        let shown = browser.run("return document.getElementById('board').textContent");
        assert!(shown.as_str().unwrap().contains(HOSTILE));
        browser.in_each_look(|paper| {
            browser.data();
            assert_eq!(browser.paper(), json!(paper));
            browser.check_fits();
        });
        // On paper the whole game stands in words, and there is nothing to press.
        browser.tell("Emulation.setEmulatedMedia", json!({ "media": "print" }));
        let paper = browser.run(
            "const steps = document.getElementById('steps'); \
             return [...document.querySelectorAll('.no-print')].every(one => \
             getComputedStyle(one).display === 'none') && \
             steps.scrollHeight <= steps.clientHeight",
        );
        assert_eq!(paper, json!(true));
        browser.tell("Emulation.setEmulatedMedia", json!({ "media": "screen" }));
    }
    browser.check_quiet();
}
