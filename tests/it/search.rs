//! The hunt inside one process: what is found and counted, against slow and obvious code; and a
//! disk that fails or loses power at any moment.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime};

use camicia::cards::{Deal, Deck, Order};
use camicia::deals as feed;
use camicia::game::lanes::Kernel;
use camicia::game::{Outcome, Span, closure, exact};
use camicia::search::finds::results::{self, Find, Found};
use camicia::search::methods::random::RandomTally;
use camicia::search::methods::{AnyTally, Disagreement, How, Method, Plan, Report};
use camicia::search::plan::Keys;
use camicia::search::plan::shard::Shard;
use camicia::search::run::clock::Clock;
use camicia::search::run::disk::{Disk, Files};
use camicia::search::run::mend::mend;
use camicia::search::run::publish::publish;
use camicia::search::run::runner::{self, Ended, Job, RunError, RunProgress, StopReason, Watch};
use camicia::search::run::saved::finds;
use camicia::search::run::store::{Extent, Folder, Held, Saved};

fn plan(text: &str) -> Plan {
    Plan::settled(&Keys::read(text).unwrap()).unwrap()
}

/// A plan with some finds.
const HALF: &str =
    "deck = \"half\"\ngames = 6000\nblock = 200\nclose_from = 150\nkeep = 40\nseed = 3";

/// A plan whose deck has infinite games in plenty, and few enough deals to meet all four cycles.
const LOOPS: &str = "deck = \"plain=8,J=4\"\ngames = 4000\nblock = 50\nclose_from = 30\ncap = 60";

/// Files in memory, with what a power cut would leave of them.
#[derive(Default)]
struct Memory {
    files: Mutex<BTreeMap<PathBuf, File>>,
    /// Operations left before everything fails; then the power is cut.
    left: AtomicU64,
    /// Writing fails, as on a full disk, having written a part.
    full: AtomicBool,
    operations: AtomicU64,
}

#[derive(Clone, Default)]
struct File {
    bytes: Vec<u8>,
    synced: Vec<u8>,
}

impl Memory {
    fn new() -> Memory {
        let memory = Memory::default();
        memory.left.store(u64::MAX, Ordering::Relaxed);
        memory
    }

    /// Counts an operation; an error once the power is gone.
    fn operate(&self) -> io::Result<()> {
        self.operations.fetch_add(1, Ordering::Relaxed);
        let take = |left: u64| left.checked_sub(1);
        self.left
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, take)
            .map(|_| ())
            .map_err(|_| io::Error::other("the power is gone"))
    }

    /// What is there after a power cut: of bytes that were not synced, a part, some of them zeros.
    fn cut(&self, moment: u64) {
        let mut files = self.files.lock().unwrap();
        for file in files.values_mut() {
            let more = file.bytes.len().saturating_sub(file.synced.len());
            if more > 0 && file.bytes.starts_with(&file.synced) {
                let part = file.synced.len() + moment as usize % (more + 1);
                file.bytes.truncate(part);
                if moment.is_multiple_of(3) {
                    let at = file.synced.len();
                    file.bytes[at..].fill(0);
                }
            } else {
                file.bytes.clone_from(&file.synced);
            }
            file.synced.clone_from(&file.bytes);
        }
        self.left.store(u64::MAX, Ordering::Relaxed);
    }

    fn get(&self, path: &Path) -> Vec<u8> {
        self.files.lock().unwrap()[path].bytes.clone()
    }

    fn put(&self, path: &Path, bytes: &[u8]) {
        let file = File {
            bytes: bytes.to_vec(),
            synced: bytes.to_vec(),
        };
        self.files.lock().unwrap().insert(path.to_owned(), file);
    }
}

impl Disk for Memory {
    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        let files = self.files.lock().unwrap();
        let file = files.get(path).ok_or(io::ErrorKind::NotFound)?;
        Ok(file.bytes.clone())
    }

    fn write(&self, path: &Path, bytes: &[u8]) -> io::Result<()> {
        let gone = self.operate();
        let full = self.full.load(Ordering::Relaxed);
        let mut files = self.files.lock().unwrap();
        let file = files.entry(path.to_owned()).or_default();
        let written = if gone.is_err() || full {
            bytes.len() / 2
        } else {
            bytes.len()
        };
        *file = File {
            bytes: bytes[..written].to_vec(),
            synced: Vec::new(),
        };
        gone?;
        if full {
            return Err(io::ErrorKind::StorageFull.into());
        }
        file.synced.clone_from(&file.bytes);
        Ok(())
    }

    fn append(&self, path: &Path, at: u64, bytes: &[u8]) -> io::Result<()> {
        let gone = self.operate();
        let full = self.full.load(Ordering::Relaxed);
        let mut files = self.files.lock().unwrap();
        if at > 0 && !files.contains_key(path) {
            return Err(io::ErrorKind::NotFound.into());
        }
        let file = files.entry(path.to_owned()).or_default();
        if (file.bytes.len() as u64) < at {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        let written = if gone.is_err() || full {
            bytes.len() / 2
        } else {
            bytes.len()
        };
        file.bytes.truncate(at as usize);
        file.bytes.extend(&bytes[..written]);
        gone?;
        if full {
            Err(io::ErrorKind::StorageFull.into())
        } else {
            Ok(())
        }
    }

    fn sync(&self, path: &Path) -> io::Result<()> {
        self.operate()?;
        let mut files = self.files.lock().unwrap();
        let file = files.get_mut(path).ok_or(io::ErrorKind::NotFound)?;
        file.synced.clone_from(&file.bytes);
        Ok(())
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.operate()?;
        let mut files = self.files.lock().unwrap();
        let file = files.remove(from).ok_or(io::ErrorKind::NotFound)?;
        files.insert(to.to_owned(), file);
        Ok(())
    }

    fn sync_folder(&self, _: &Path) -> io::Result<()> {
        self.operate()
    }
}

/// A clock that moves on a bit whenever it is looked at, and a wall clock that runs back.
#[derive(Default)]
struct Steps {
    looks: AtomicU64,
    step: Duration,
}

impl Clock for Steps {
    fn elapsed(&self) -> Duration {
        self.step * self.looks.fetch_add(1, Ordering::Relaxed) as u32
    }

    fn wall(&self) -> SystemTime {
        let looks = self.looks.load(Ordering::Relaxed);
        SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000_000 - 3600 * looks.min(100_000))
    }
}

/// Remembers what it is told, and may do something when a number of blocks is done.
#[derive(Default)]
struct Log {
    warnings: Vec<String>,
    finds: usize,
    rates: Vec<f64>,
    blocks: Vec<u64>,
    /// Whether a block was done in this session.
    moved: Arc<AtomicBool>,
}

impl Watch for Log {
    fn progress(&mut self, progress: &RunProgress) {
        self.rates.extend([progress.rate_now, progress.rate_mean]);
        self.blocks.push(progress.done);
        if self.blocks[0] < progress.done {
            self.moved.store(true, Ordering::Relaxed);
        }
    }

    fn found(&mut self, _: &Find) {
        self.finds += 1;
    }

    fn warn(&mut self, message: &str) {
        self.warnings.push(message.to_owned());
    }
}

/// Everything a run needs, so that tests say only what matters.
struct Bench<'a> {
    plan: &'a Plan,
    shard: Shard,
    threads: usize,
    disk: &'a dyn Disk,
    step: Duration,
    time_limit: Option<Duration>,
    stop_after: u64,
    log: Log,
}

impl<'a> Bench<'a> {
    fn new(plan: &'a Plan, disk: &'a dyn Disk) -> Bench<'a> {
        Bench {
            plan,
            shard: Shard::WHOLE,
            threads: 2,
            disk,
            step: Duration::from_millis(20),
            time_limit: None,
            stop_after: u64::MAX,
            log: Log::default(),
        }
    }

    fn run(&mut self, held: &Held, saved: Option<Saved>) -> Result<Ended, RunError> {
        let looks = AtomicU64::new(0);
        // A session that is given any time gets on, however busy the machine is.
        let moved = Arc::clone(&self.log.moved);
        let stop_after = self.stop_after;
        let signal = || {
            looks.fetch_add(1, Ordering::Relaxed) >= stop_after
                && (stop_after == 0 || moved.load(Ordering::Relaxed))
        };
        runner::run(
            Job {
                plan: self.plan,
                method: &*self.plan.method(Kernel::best()),
                shard: self.shard,
                held,
                threads: self.threads,
                time_limit: self.time_limit,
                signal: &signal,
                disk: self.disk,
                clock: &Steps {
                    step: self.step,
                    ..Steps::default()
                },
                watch: &mut self.log,
            },
            saved,
        )
    }
}

fn hold(folder: &Path) -> Held {
    Folder::new(folder).lock("a test").unwrap()
}

/// An unbroken run: the bytes of its finds and of its state, and its tally.
fn unbroken(plan: &Plan, threads: usize) -> (Vec<u8>, Vec<u8>, RandomTally) {
    let folder = tempfile::tempdir().unwrap();
    let held = hold(folder.path());
    let disk = Memory::new();
    let mut bench = Bench::new(plan, &disk);
    bench.threads = threads;
    let ended = bench.run(&held, None).unwrap();
    assert_eq!((ended.stop, ended.unsaved), (None, None));
    let folder = held.folder();
    (
        disk.get(&folder.finds()),
        disk.get(&folder.state()),
        ended.tally.get::<RandomTally>().unwrap().clone(),
    )
}

fn board(plan: &Plan, bytes: &[u8]) -> Vec<Find> {
    let text = std::str::from_utf8(bytes).unwrap();
    let finds = text.lines().map(|line| Find::from_line(line).unwrap());
    plan.method(Kernel::best()).leaderboard(finds.collect())
}

/// All deals of a plan, with their addresses.
fn deals(plan: &Plan) -> impl Iterator<Item = ((u64, u64), Deal)> + '_ {
    let How::Random(options) = &plan.how else {
        panic!("a plan of random deals")
    };
    let (games, block) = (options.games, options.block);
    (0..games).map(move |n| {
        let (at, offset) = (n / block, n % block);
        let deal = feed::random_deal(&plan.common.deck, plan.common.seed, at, offset).unwrap();
        ((at, offset), deal)
    })
}

#[test]
fn what_is_counted_and_found_is_what_slow_and_obvious_code_finds() {
    for text in [HALF, LOOPS] {
        let plan = plan(text);
        let How::Random(options) = &plan.how else {
            panic!("a plan of random deals")
        };
        let from = options.close_from.unwrap();
        let (mut lengths, mut loops, mut won) = (BTreeMap::new(), 0u64, 0u64);
        let mut tops: BTreeMap<Deal, (u64, u64)> = BTreeMap::new();
        let mut cycles: BTreeSet<Vec<String>> = BTreeSet::new();
        for (place, deal) in deals(&plan) {
            let verdict = exact::play(&deal);
            if verdict.is_loop() {
                loops += 1;
            } else {
                *lengths
                    .entry(("cards", verdict.played.cards))
                    .or_insert(0u64) += 1;
                *lengths
                    .entry(("tricks", verdict.played.tricks))
                    .or_insert(0u64) += 1;
                won += u64::from(verdict.winner() == Some(camicia::cards::Player::A));
                if verdict.played.cards < from {
                    continue;
                }
            }
            let tree = closure::close(&deal, &verdict, plan.common.deck.hands(), 1 << 40).unwrap();
            assert!(tree.walk.complete);
            if verdict.is_loop() {
                let mut deals: Vec<String> = tree
                    .deals
                    .iter()
                    .map(|(deal, _)| deal.to_string())
                    .collect();
                deals.sort();
                cycles.insert(deals);
            } else {
                let (top, _) = tree.top().unwrap();
                tops.entry(top.clone()).or_insert(place);
            }
        }
        let mut wanted: Vec<Find> = tops
            .keys()
            .map(|top| Find::proved(&plan.common.deck, top))
            .collect();
        wanted.sort_by(Find::rank);
        assert!(
            wanted.len() > 10 && (text == HALF || cycles.len() > 3),
            "a poor test"
        );
        wanted.truncate(plan.common.keep);

        let (bytes, _, tally) = unbroken(&plan, 2);
        let board = board(&plan, &bytes);
        let finished: Vec<&Find> = board.iter().filter(|find| !find.is_loop()).collect();
        assert_eq!(finished.len(), wanted.len());
        for (find, wanted) in finished.iter().zip(&wanted) {
            assert_eq!(
                (&find.deal, find.index, find.played),
                (&wanted.deal, wanted.index, wanted.played)
            );
            // The way it was found leads to it again.
            let found = find.found.as_ref().unwrap();
            let place = (found.block.unwrap(), found.offset.unwrap());
            assert_eq!(tops[&find.deal], place);
            let dealt = feed::random_deal(&plan.common.deck, found.seed.unwrap(), place.0, place.1)
                .unwrap();
            match &found.from {
                None => assert_eq!(dealt, find.deal),
                Some(_) => assert_eq!(find.check(), Ok(())),
            }
        }
        let mut found: BTreeMap<Option<String>, Vec<String>> = BTreeMap::new();
        for find in board.iter().filter(|find| find.is_loop()) {
            find.check().unwrap();
            found
                .entry(find.cycle.clone())
                .or_default()
                .push(find.deal.to_string());
        }
        let found: BTreeSet<Vec<String>> = found
            .into_values()
            .map(|mut deals| {
                deals.sort();
                deals
            })
            .collect();
        assert_eq!(found, cycles);

        let tables = plan.method(Kernel::best()).tables(&AnyTally::new(tally));
        let mut csv = "of,value,games\n".to_owned();
        for ((of, value), games) in &lengths {
            csv.push_str(&format!("{of},{value},{games}\n"));
        }
        assert_eq!(tables[1], ("histogram.csv", csv));
        let summary: serde_json::Value = serde_json::from_str(&tables[0].1).unwrap();
        assert_eq!(summary["loops"], loops.to_string());
        assert_eq!(summary["leader_won"], won.to_string());
    }
}

#[test]
fn every_infinite_deal_of_a_small_deck_is_written() {
    // 4,000 random deals meet every cycle of a deck of 495 deals; closing the cycles gives all
    // infinite deals there are.
    let plan = plan(LOOPS);
    let deck = &plan.common.deck;
    let infinite: BTreeSet<Deal> = (0..deck.deals().unwrap())
        .map(|index| deck.deal_at(index, Order::AcesFirst).unwrap())
        .filter(|deal| exact::play(deal).is_loop())
        .collect();
    let (bytes, ..) = unbroken(&plan, 1);
    let board = board(&plan, &bytes);
    let loops = board.iter().filter(|find| find.is_loop());
    let found: Vec<Deal> = loops.map(|find| find.deal.clone()).collect();
    assert_eq!(found.len(), infinite.len());
    assert_eq!(found.into_iter().collect::<BTreeSet<Deal>>(), infinite);
}

#[test]
fn threads_stops_and_resumes_change_no_byte() {
    for text in [HALF, LOOPS] {
        let plan = plan(text);
        let wanted = unbroken(&plan, 1);
        for threads in [2, 3] {
            assert!(unbroken(&plan, threads) == wanted);
        }
        for stop_after in [0, 1, 3] {
            let folder = tempfile::tempdir().unwrap();
            let held = hold(folder.path());
            let disk = Memory::new();
            let mut sessions = 0;
            loop {
                let saved = held
                    .folder()
                    .load(&disk)
                    .unwrap()
                    .map(|loaded| loaded.saved);
                let before = saved.as_ref().map_or(0, |saved| saved.done);
                let mut bench = Bench::new(&plan, &disk);
                bench.threads = 1 + sessions % 3;
                bench.stop_after = stop_after;
                bench.step = Duration::from_millis(60);
                let ended = bench.run(&held, saved).unwrap();
                sessions += 1;
                if ended.stop.is_none() {
                    break;
                }
                assert_eq!(ended.stop, Some(StopReason::Signal));
                assert!(stop_after == 0 || ended.done > before);
                if stop_after == 0 && sessions == 5 {
                    // Nothing can be done without a moment of time.
                    let saved = held
                        .folder()
                        .load(&disk)
                        .unwrap()
                        .map(|loaded| loaded.saved);
                    Bench::new(&plan, &disk).run(&held, saved).unwrap();
                    break;
                }
            }
            let folder = held.folder();
            assert!(disk.get(&folder.finds()) == wanted.0);
            assert!(disk.get(&folder.state()) == wanted.1);
        }
    }
}

#[test]
fn a_power_cut_at_any_operation_loses_nothing() {
    let plan = plan(&format!("{HALF}\ncheckpoint_every = 0.05"));
    let wanted = unbroken(&plan, 1);
    let whole = Memory::new();
    let place = tempfile::tempdir().unwrap();
    let held = hold(place.path());
    let mut bench = Bench::new(&plan, &whole);
    bench.step = Duration::from_millis(60);
    bench.run(&held, None).unwrap();
    let operations = whole.operations.load(Ordering::Relaxed);
    assert!(operations > 40, "only {operations} operations: a poor test");
    for moment in 0..operations {
        let disk = Memory::new();
        disk.left.store(moment, Ordering::Relaxed);
        let mut bench = Bench::new(&plan, &disk);
        bench.step = Duration::from_millis(60);
        // The process dies with the power: what it says does not matter.
        let _ = bench.run(&held, None);
        disk.cut(moment);
        let saved = held
            .folder()
            .load(&disk)
            .unwrap_or_else(|error| panic!("cut at {moment}: {error}"))
            .map(|loaded| loaded.saved);
        Bench::new(&plan, &disk).run(&held, saved).unwrap();
        let folder = held.folder();
        assert!(disk.get(&folder.finds()) == wanted.0, "cut at {moment}");
        assert!(disk.get(&folder.state()) == wanted.1, "cut at {moment}");
    }
}

#[test]
fn a_damaged_state_gives_the_right_results_or_an_error() {
    let plan = plan(&format!("{LOOPS}\ncheckpoint_every = 0.05"));
    let wanted = unbroken(&plan, 1);
    let place = tempfile::tempdir().unwrap();
    let held = hold(place.path());
    let folder = held.folder();
    let disk = Memory::new();
    let mut bench = Bench::new(&plan, &disk);
    (bench.step, bench.stop_after, bench.threads) = (Duration::from_millis(60), 2, 1);
    assert!(bench.run(&held, None).unwrap().done > 0);
    let [state, previous, finds] =
        [folder.state(), folder.previous(), folder.finds()].map(|path| (disk.get(&path), path));
    assert_ne!(state.0, previous.0);
    let mut damaged: Vec<Vec<u8>> = (0..state.0.len())
        .map(|len| state.0[..len].to_vec())
        .collect();
    damaged.extend((0..state.0.len()).map(|at| {
        let mut bytes = state.0.clone();
        bytes[at] ^= 1 << (at % 8);
        bytes
    }));
    for (n, bytes) in damaged.iter().enumerate() {
        for both in [false, true] {
            disk.put(&state.1, bytes);
            disk.put(&previous.1, if both { bytes } else { &previous.0 });
            disk.put(&finds.1, &finds.0);
            let loaded = folder.load(&disk);
            if both {
                let error = loaded.unwrap_err().to_string();
                assert!(error.contains("--restart"), "{error}");
                continue;
            }
            let loaded = loaded.unwrap().unwrap();
            assert!(loaded.warning.unwrap().contains("damaged"));
            // Running on is slow; a sample of the damages shows that it comes out right.
            if n % 40 == 0 {
                Bench::new(&plan, &disk)
                    .run(&held, Some(loaded.saved))
                    .unwrap();
                assert!(disk.get(&finds.1) == wanted.0);
                assert!(disk.get(&state.1) == wanted.1);
            }
        }
    }
}

#[test]
fn a_full_disk_keeps_the_old_files_and_is_tried_again() {
    let plan = plan(&format!("{HALF}\ncheckpoint_every = 0.05"));
    let wanted = unbroken(&plan, 1);
    let place = tempfile::tempdir().unwrap();
    let held = hold(place.path());
    let folder = held.folder();

    /// Full from one operation to another.
    struct Filling<'a>(&'a Memory, std::ops::Range<u64>);
    impl Filling<'_> {
        fn look(&self) {
            let full = self.1.contains(&self.0.operations.load(Ordering::Relaxed));
            self.0.full.store(full, Ordering::Relaxed);
        }
    }
    impl Disk for Filling<'_> {
        fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
            self.0.read(path)
        }
        fn write(&self, path: &Path, bytes: &[u8]) -> io::Result<()> {
            self.look();
            self.0.write(path, bytes)
        }
        fn append(&self, path: &Path, at: u64, bytes: &[u8]) -> io::Result<()> {
            self.look();
            self.0.append(path, at, bytes)
        }
        fn sync(&self, path: &Path) -> io::Result<()> {
            self.0.sync(path)
        }
        fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
            self.0.rename(from, to)
        }
        fn sync_folder(&self, path: &Path) -> io::Result<()> {
            self.0.sync_folder(path)
        }
    }

    // Full for a while: it goes on, warns once, says when it is well again, and ends saved.
    let disk = Memory::new();
    let filling = Filling(&disk, 12..30);
    let mut bench = Bench::new(&plan, &filling);
    bench.step = Duration::from_millis(60);
    let ended = bench.run(&held, None).unwrap();
    assert_eq!(ended.unsaved, None);
    assert_eq!(bench.log.warnings.len(), 2, "{:?}", bench.log.warnings);
    assert!(bench.log.warnings[0].contains("tries again"));
    assert!(disk.get(&folder.finds()) == wanted.0);
    assert!(disk.get(&folder.state()) == wanted.1);

    // Full to the end: it says so, and the old files go on to the right end.
    let disk = Memory::new();
    let filling = Filling(&disk, 25..u64::MAX);
    let mut bench = Bench::new(&plan, &filling);
    bench.step = Duration::from_millis(60);
    let ended = bench.run(&held, None).unwrap();
    assert!(ended.unsaved.is_some());
    disk.full.store(false, Ordering::Relaxed);
    let loaded = folder.load(&disk).unwrap().unwrap();
    assert!(loaded.warning.is_none() && loaded.saved.done < 30);
    Bench::new(&plan, &disk)
        .run(&held, Some(loaded.saved))
        .unwrap();
    assert!(disk.get(&folder.finds()) == wanted.0);
    assert!(disk.get(&folder.state()) == wanted.1);

    // Full from the beginning: it is said at once.
    let disk = Memory::new();
    disk.full.store(true, Ordering::Relaxed);
    let error = Bench::new(&plan, &disk).run(&held, None).unwrap_err();
    assert!(matches!(error, RunError::FirstSave { .. }), "{error}");
}

#[test]
fn a_clock_that_is_set_back_changes_nothing() {
    // The wall clock of `Steps` runs back an hour at every look.
    let plan = plan(HALF);
    let place = tempfile::tempdir().unwrap();
    let held = hold(place.path());
    let disk = Memory::new();
    let mut bench = Bench::new(&plan, &disk);
    bench.time_limit = Some(Duration::from_secs(3600));
    let ended = bench.run(&held, None).unwrap();
    assert_eq!(ended.stop, None);
    assert!(
        bench
            .log
            .rates
            .iter()
            .all(|rate| rate.is_finite() && *rate >= 0.0)
    );
    let status: serde_json::Value =
        serde_json::from_slice(&disk.get(&held.folder().status())).unwrap();
    assert_eq!(status["state"], "finished");
    assert!(status["updated"].as_str().unwrap().ends_with('Z'));
}

#[test]
fn rates_after_a_resume_are_those_of_the_session() {
    let plan = plan(HALF);
    let place = tempfile::tempdir().unwrap();
    let held = hold(place.path());
    let disk = Memory::new();
    let mut bench = Bench::new(&plan, &disk);
    (bench.stop_after, bench.step, bench.threads) = (3, Duration::from_millis(60), 1);
    let first = bench.run(&held, None).unwrap();
    assert!(first.done > 0 && first.stop.is_some());
    let saved = held.folder().load(&disk).unwrap().unwrap().saved;
    let mut bench = Bench::new(&plan, &disk);
    bench.step = Duration::from_secs(1);
    let second = bench.run(&held, Some(saved)).unwrap();
    assert_eq!(first.session_played + second.session_played, 6_000);
    assert!(bench.log.rates.iter().all(|&rate| rate <= 6_000.0));
    assert_eq!(bench.log.blocks[0], first.done);
}

#[test]
fn a_time_limit_and_a_stop_file_stop() {
    let plan = plan(HALF);
    let place = tempfile::tempdir().unwrap();
    let held = hold(place.path());
    let disk = Memory::new();
    let mut bench = Bench::new(&plan, &disk);
    bench.time_limit = Some(Duration::ZERO);
    assert_eq!(
        bench.run(&held, None).unwrap().stop,
        Some(StopReason::TimeLimit)
    );
    std::fs::write(held.folder().stop(), "").unwrap();
    let ended = Bench::new(&plan, &disk).run(&held, None).unwrap();
    assert_eq!(ended.stop, Some(StopReason::File));
    assert!(!held.folder().stop().exists());
}

/// A way of searching whose block 3 panics.
struct Panicking;

impl Method for Panicking {
    type Tally = u64;
    type Part = u64;
    fn begin(&self) -> u64 {
        0
    }
    fn blocks(&self) -> Option<u64> {
        Some(10)
    }
    fn play(&self, block: u64, _: &u64, _: &AtomicBool) -> Option<u64> {
        assert_ne!(block, 3, "three is unlucky");
        Some(block)
    }
    fn merge(&self, tally: &mut u64, _: u64, part: u64) -> Result<Vec<Find>, Disagreement> {
        *tally += part;
        Ok(Vec::new())
    }
    fn combine(&self, _: &mut u64, _: u64) -> Result<(), String> {
        Err("no shards".to_owned())
    }
    fn report(&self, tally: &u64) -> Report {
        Report {
            played: u128::from(*tally),
            unit: "games",
            ..Report::default()
        }
    }
    fn tables(&self, _: &u64) -> Vec<(&'static str, String)> {
        Vec::new()
    }
    fn leaderboard(&self, finds: Vec<Find>) -> Vec<Find> {
        finds
    }
    fn deal_at(&self, _: u64, _: u64) -> Result<Deal, String> {
        Err("no deals".to_owned())
    }
    fn find_again(&self, _: u64, _: &[u64]) -> Option<Vec<Find>> {
        None
    }
    fn missing(&self, _: &u64, _: Shard, _: u64, _: &[Find]) -> Result<Vec<Find>, String> {
        Ok(Vec::new())
    }
}

/// A way of searching in waves: each block adds one to what its wave began with.
struct Waves;

impl Method for Waves {
    type Tally = Vec<u64>;
    type Part = u64;
    fn begin(&self) -> Vec<u64> {
        Vec::new()
    }
    fn blocks(&self) -> Option<u64> {
        Some(23)
    }
    fn wave(&self) -> Option<u64> {
        Some(5)
    }
    fn play(&self, _: u64, seen: &Vec<u64>, _: &AtomicBool) -> Option<u64> {
        Some(seen.len() as u64)
    }
    fn merge(&self, tally: &mut Vec<u64>, _: u64, part: u64) -> Result<Vec<Find>, Disagreement> {
        tally.push(part);
        Ok(Vec::new())
    }
    fn combine(&self, _: &mut Vec<u64>, _: Vec<u64>) -> Result<(), String> {
        Err("no shards".to_owned())
    }
    fn report(&self, tally: &Vec<u64>) -> Report {
        Report {
            played: tally.len() as u128,
            unit: "games",
            ..Report::default()
        }
    }
    fn tables(&self, _: &Vec<u64>) -> Vec<(&'static str, String)> {
        Vec::new()
    }
    fn leaderboard(&self, finds: Vec<Find>) -> Vec<Find> {
        finds
    }
    fn deal_at(&self, _: u64, _: u64) -> Result<Deal, String> {
        Err("no deals".to_owned())
    }
    fn find_again(&self, _: u64, _: &[u64]) -> Option<Vec<Find>> {
        None
    }
    fn missing(&self, _: &Vec<u64>, _: Shard, _: u64, _: &[Find]) -> Result<Vec<Find>, String> {
        Ok(Vec::new())
    }
}

fn run_method<M: Method>(
    method: &M,
    held: &Held,
    disk: &dyn Disk,
    threads: usize,
    saved: Option<Saved>,
    stop_after: u64,
) -> Result<Ended, RunError> {
    let looks = AtomicU64::new(0);
    runner::run(
        Job {
            plan: &plan(LOOPS),
            method,
            shard: Shard::WHOLE,
            held,
            threads,
            time_limit: None,
            signal: &|| looks.fetch_add(1, Ordering::Relaxed) >= stop_after,
            disk,
            clock: &Steps {
                step: Duration::from_millis(60),
                ..Steps::default()
            },
            watch: &mut Log::default(),
        },
        saved,
    )
}

#[test]
fn a_panic_in_a_block_is_named_and_leaves_a_checkpoint() {
    let place = tempfile::tempdir().unwrap();
    let held = hold(place.path());
    let disk = Memory::new();
    let error = run_method(&Panicking, &held, &disk, 2, None, u64::MAX).unwrap_err();
    assert!(matches!(&error, RunError::Panic { block: 3, message } if message.contains("unlucky")));
    let loaded = held.folder().load(&disk).unwrap().unwrap();
    assert!(loaded.saved.done <= 3);
    let status = String::from_utf8(disk.get(&held.folder().status())).unwrap();
    assert!(status.contains("\"failed\""));
}

#[test]
fn blocks_of_a_wave_see_what_the_wave_began_with() {
    let wanted: Vec<u64> = (0..23).map(|n| n / 5 * 5).collect();
    for threads in 1..4 {
        for stop_after in [1, 2, u64::MAX] {
            let place = tempfile::tempdir().unwrap();
            let held = hold(place.path());
            let disk = Memory::new();
            for session in 0.. {
                let saved = held
                    .folder()
                    .load(&disk)
                    .unwrap()
                    .map(|loaded| loaded.saved);
                let stop_after = if session > 50 { u64::MAX } else { stop_after };
                let ended = run_method(&Waves, &held, &disk, threads, saved, stop_after).unwrap();
                if ended.stop.is_none() {
                    assert_eq!(ended.tally.get(), Some(&wanted));
                    break;
                }
                assert!(ended.done % 5 == 0, "a wave is saved as a whole");
            }
        }
    }
}

#[test]
fn shards_put_together_are_the_whole() {
    for (text, of) in [(HALF, 3), (LOOPS, 4), (HALF, 1)] {
        let text = format!("{text}\nkeep_cycles = 3");
        let plan = plan(&text);
        let method = plan.method(Kernel::best());
        let place = tempfile::tempdir().unwrap();
        let run = |shard: Shard, name: &str| {
            let held = hold(&place.path().join(name));
            let mut bench = Bench::new(&plan, &Files);
            bench.shard = shard;
            let ended = bench.run(&held, None).unwrap();
            (held.folder().clone(), ended)
        };
        let (folder, ended) = run(Shard::WHOLE, "whole");
        let all = finds(&folder, ended.finds, &Files).unwrap();
        let wanted = place.path().join("wanted");
        publish(
            &plan,
            Shard::WHOLE,
            &*method,
            &ended.tally,
            all,
            &wanted,
            &Files,
        )
        .unwrap();
        let folders: Vec<PathBuf> = (0..of)
            .rev()
            .map(|at| {
                let shard: Shard = format!("{at}/{of}").parse().unwrap();
                run(shard, &format!("shard-{at}")).0.path().to_owned()
            })
            .collect();
        let into = place.path().join("merged");
        let merged =
            camicia::search::run::merge::merge(&folders, |_| into.clone(), &Files, |_| ()).unwrap();
        assert_eq!(merged.shards, of);
        assert!(merged.replayed >= merged.board.len() && !merged.board.is_empty());
        for name in ["leaderboard.jsonl", "histogram.csv", "summary.json"] {
            let [a, b] = [&wanted, &into].map(|folder| std::fs::read(folder.join(name)).unwrap());
            assert!(a == b, "{name} of {of} shards of {text}");
        }
    }
}

#[test]
fn a_plan_without_a_threshold_gets_one_from_its_deals() {
    let close_from = |text: &str| {
        let How::Random(options) = plan(text).how else {
            panic!("a plan of random deals")
        };
        options.close_from.unwrap()
    };
    // Of 3,000 deals the twentieth longest; a short run has a leaderboard too.
    let text = "deck = \"half\"\ngames = 3000";
    let from = close_from(text);
    let plan = plan(text);
    let reached = deals(&plan)
        .filter(|(_, deal)| exact::play(deal).played.cards >= from)
        .count();
    assert!(
        (20..=40).contains(&reached),
        "{reached} games reach {from} cards"
    );
    assert_eq!(
        close_from("deck = \"half\"\ngames = 3000\nclose_from = 7"),
        7
    );
    // All games of this deck are equally long: closing them all would cost too much.
    assert_eq!(close_from("deck = \"plain=4\"\ngames = 1000"), 5);
}

#[test]
fn a_state_that_counts_finds_beyond_its_file_is_not_used() {
    let folder = tempfile::tempdir().unwrap();
    let held = hold(folder.path());
    let plan = plan(LOOPS);
    let ended = Bench::new(&plan, &Files).run(&held, None).unwrap();
    assert!(ended.finds.bytes > 0);
    let read = |extent| finds(held.folder(), extent, &Files);
    assert!(read(ended.finds).is_ok());
    let wrong = Extent {
        crc32: ended.finds.crc32 ^ 1,
        ..ended.finds
    };
    assert!(read(wrong).is_err());
}

/// A plan of each way of searching, small, with finds.
const WAYS: [&str; 4] = [
    HALF,
    LOOPS,
    "how = \"climb\"\ndeck = \"plain=8,J=4\"\ngames = 4000\nblock = 100\nclose_from = 20\ncap = 60\nkeep = 30",
    "how = \"exhaust\"\ndeck = \"plain=8,J=4\"\nblock = 20\ncap = 60\nkeep = 20\nkeep_loops = 30",
];

/// A search that grows cycles, to its end.
const GROWS: &str = "how = \"grow\"\ndeck = \"plain=8,J=4\"\ntests = 40000\nblock = 500";

/// A finished run of a plan in a folder, with one state alone.
fn finished(plan: &Plan, folder: &Path, shard: Shard) -> Saved {
    let held = hold(folder);
    let mut bench = Bench::new(plan, &Files);
    bench.shard = shard;
    let ended = bench.run(&held, None).unwrap();
    assert_eq!(ended.stop, None);
    let _ = std::fs::remove_file(held.folder().previous());
    held.folder().load(&Files).unwrap().unwrap().saved
}

fn publish_saved(plan: &Plan, folder: &Path, saved: &Saved) -> Vec<u8> {
    let method = plan.method(Kernel::best());
    let all = finds(&Folder::new(folder), saved.finds, &Files).unwrap();
    let tally = method.decode(&saved.tally).unwrap();
    let into = tempfile::tempdir().unwrap();
    publish(
        plan,
        Shard::WHOLE,
        &*method,
        &tally,
        all,
        into.path(),
        &Files,
    )
    .unwrap();
    std::fs::read(into.path().join("leaderboard.jsonl")).unwrap()
}

#[test]
fn damaged_finds_are_mended_from_the_state_and_the_file_is_put_aside() {
    for text in WAYS.into_iter().chain([GROWS]) {
        let plan = plan(text);
        let method = plan.method(Kernel::best());
        let place = tempfile::tempdir().unwrap();
        let saved = finished(&plan, place.path(), Shard::WHOLE);
        let wanted = publish_saved(&plan, place.path(), &saved);
        let folder = Folder::new(place.path());
        let bytes = std::fs::read(folder.finds()).unwrap();
        assert!(bytes.len() > 2000, "{text}: a poor test");
        let line = bytes.iter().position(|&byte| byte == b'\n').unwrap() + 1;
        let flipped = |at: usize| {
            let mut bytes = bytes.clone();
            bytes[at] ^= 1;
            bytes
        };
        let mut damaged = vec![
            bytes[..bytes.len() / 2].to_vec(),
            bytes[line..].to_vec(),
            [&bytes[..line], &bytes[..]].concat(),
            Vec::new(),
            vec![0; bytes.len()],
            b"\xff\n".repeat(bytes.len() / 2),
        ];
        damaged.extend((1..8).map(|n| flipped(bytes.len() * n / 8)));
        for (n, damage) in damaged.iter().enumerate() {
            let held = hold(place.path());
            held.save(&Files, plan.fingerprint(), &saved).unwrap();
            std::fs::remove_file(folder.previous()).unwrap();
            std::fs::write(folder.finds(), damage).unwrap();
            let loaded = folder.load(&Files).unwrap().unwrap();
            if n == 2 {
                // The first line is there twice; what the state counts is other bytes.
                assert!(loaded.finds_damaged.is_some());
            }
            let Some(reason) = loaded.finds_damaged else {
                panic!("{text}: damage {n} is not noticed");
            };
            assert!(reason.contains("finds.jsonl"), "{reason}");
            let mended = mend(&plan, &*method, &held, loaded.saved, &Files).unwrap();
            if !damage.is_empty() {
                assert_eq!(&std::fs::read(&mended.aside).unwrap(), damage);
            }
            let loaded = folder.load(&Files).unwrap().unwrap();
            assert!(loaded.finds_damaged.is_none() && loaded.warning.is_none());
            assert_eq!(loaded.saved, mended.saved);
            let got = publish_saved(&plan, place.path(), &mended.saved);
            if text == GROWS {
                // The place in its block is lost of a cycle all of whose deals are lost.
                assert_eq!(
                    got.split(|&byte| byte == b'\n').count(),
                    wanted.split(|&byte| byte == b'\n').count()
                );
            } else {
                assert!(got == wanted, "{text}: damage {n}");
            }
        }
    }
}

#[test]
fn merge_proves_where_every_find_was_found() {
    type Forgery = fn(&mut Vec<Find>);
    let forgeries: [(&str, Forgery); 11] = [
        ("found.seed", |finds| {
            finds[0].found.as_mut().unwrap().seed = Some(77);
        }),
        ("found.plan", |finds| {
            finds[0].found.as_mut().unwrap().plan = "0123456789abcdef".to_owned();
        }),
        ("found.how", |finds| {
            finds[0].found.as_mut().unwrap().how = "grow".to_owned();
        }),
        ("does not lead to this find", |finds| {
            let found = finds[0].found.as_mut().unwrap();
            found.offset = Some(found.offset.unwrap() ^ 1);
        }),
        ("does not lead to this find", |finds| {
            let found = finds[0].found.as_mut().unwrap();
            found.block = Some(found.block.unwrap() ^ 2);
        }),
        ("found.block", |finds| {
            finds[0].found.as_mut().unwrap().block = Some(999_999);
        }),
        ("where it was found", |finds| finds[0].found = None),
        ("the deck", |finds| {
            let known = camicia::search::finds::known::all();
            let found = finds[0].found.clone();
            finds[0] = Find {
                found,
                ..known[0].clone()
            };
        }),
        ("there twice", |finds| finds.push(finds[0].clone())),
        ("that its state counts", |finds| {
            // The best one; others may have been surpassed, and count for nothing.
            finds.sort_by(Find::rank);
            let best = finds.iter().position(|find| !find.is_loop());
            finds.remove(best.unwrap());
        }),
        ("cycle", |finds| {
            let find = finds.iter_mut().find(|find| find.is_loop());
            match find {
                Some(find) => find.cycle = Some("J/-----------".to_owned()),
                // A plan without loops has nothing to forge here.
                None => finds[0].found.as_mut().unwrap().seed = None,
            }
        }),
    ];
    for text in WAYS {
        let plan = plan(text);
        let place = tempfile::tempdir().unwrap();
        let folders = [0, 1].map(|at| place.path().join(format!("shard-{at}")));
        let saved: Vec<Saved> = (0..2)
            .map(|at| finished(&plan, &folders[at], format!("{at}/2").parse().unwrap()))
            .collect();
        let into = place.path().join("merged");
        let merge =
            || camicia::search::run::merge::merge(&folders, |_| into.clone(), &Files, |_| ());
        merge().unwrap();
        let held = hold(&folders[1]);
        let honest = finds(held.folder(), saved[1].finds, &Files).unwrap();
        for (n, (word, forge)) in forgeries.iter().enumerate() {
            let mut forged = honest.clone();
            forge(&mut forged);
            if text.contains("exhaust") && n == 0 {
                continue; // nothing is drawn: there is no seed
            }
            let lines: String = forged.iter().map(|find| find.to_line() + "\n").collect();
            std::fs::write(held.folder().finds(), &lines).unwrap();
            let state = Saved {
                finds: Extent::default().with(lines.as_bytes()),
                ..saved[1].clone()
            };
            held.save(&Files, plan.fingerprint(), &state).unwrap();
            let Err(error) = merge() else {
                panic!("{text}: {word} is not noticed");
            };
            assert!(error.is_claim(), "{error}");
            let error = error.to_string();
            if n < 10 {
                assert!(error.contains(word), "{text}: {word}: {error}");
            }
        }
        // Shard 0 under the number of shard 1.
        let lines = std::fs::read(Folder::new(&folders[0]).finds()).unwrap();
        std::fs::write(held.folder().finds(), lines).unwrap();
        let renumbered = Saved {
            shard: "1/2".parse().unwrap(),
            ..saved[0].clone()
        };
        held.save(&Files, plan.fingerprint(), &renumbered).unwrap();
        let error = merge().unwrap_err().to_string();
        assert!(
            error.contains("of shard 1/2") || error.contains("blocks are done"),
            "{error}"
        );
    }
}

/// Not run with the suite: `cargo test --release --test it -- --ignored --nocapture linear`.
#[test]
#[ignore = "measures, and asserts no time"]
fn the_end_of_a_run_is_linear_in_its_finds() {
    let deck = Deck::standard();
    let one = Find::proved(&deck, &deck.deal_at(0, Order::AcesFirst).unwrap());
    let finds: Vec<Find> = (0..100_000u64)
        .map(|n| {
            let deal = deck
                .deal_at(u128::from(n) * 1_000_003, Order::AcesFirst)
                .unwrap();
            let span = Span {
                cards: n % 977,
                tricks: n % 89,
            };
            Find {
                deal,
                index: Some(u128::from(n) * 1_000_003),
                played: span,
                ending: Outcome::Loop {
                    lead_in: span,
                    period: span,
                },
                cycle: Some(format!("{n:053}")),
                found: Some(Found {
                    how: "grow".to_owned(),
                    plan: "0123456789abcdef".to_owned(),
                    seed: Some(1),
                    block: Some(n % 317),
                    offset: Some(n),
                    from: None,
                }),
                ..one.clone()
            }
        })
        .collect();
    for n in [25_000, 100_000] {
        let some = finds[..n].to_vec();
        let start = std::time::Instant::now();
        let board = results::leaderboard(some, 1000, 1_000_000);
        let sorted = start.elapsed();
        let text: String = board.iter().map(|find| find.to_line() + "\n").collect();
        let written = start.elapsed() - sorted;
        let read = results::read(&text).finds;
        let read_back = start.elapsed() - sorted - written;
        assert_eq!((board.len(), read.len()), (n, n));
        println!("{n} finds: leaderboard {sorted:?}, writing {written:?}, reading {read_back:?}");
    }
}
