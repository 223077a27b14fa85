//! Where a run stands: one report, which the status file, `--json`, `camicia status` and
//! `camicia merge` all print.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::time::SystemTime;

use serde::ser::SerializeMap;
use serde::{Deserialize, Serialize, Serializer};
use serde_json::Value;

use super::disk::Disk;
use super::saved::{FolderError, SavedRun};
use crate::game::Span;
use crate::search::finds::results::Find;
use crate::search::methods::{Plan, Report};
use crate::search::plan::shard::Shard;

/// What a run is doing.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RunState {
    /// Blocks are played now.
    Running,
    /// It was stopped, with a checkpoint to go on from.
    Stopped,
    /// All blocks are done.
    Finished,
    /// An error ended it.
    Failed,
    /// It was running on another machine when it was last heard of, a while ago.
    Silent,
}

impl RunState {
    /// The state of a run that ended well, stopped or not.
    pub fn after(stopped: bool) -> RunState {
        if stopped {
            RunState::Stopped
        } else {
            RunState::Finished
        }
    }

    /// Its name, as it is written.
    pub fn name(self) -> &'static str {
        match self {
            RunState::Running => "running",
            RunState::Stopped => "stopped",
            RunState::Finished => "finished",
            RunState::Failed => "failed",
            RunState::Silent => "silent",
        }
    }
}

/// A count that may pass what every JSON reader keeps exactly: a number up to 2^53, beyond it a
/// string.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Big(pub u64);

impl Serialize for Big {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        if self.0 <= 1 << 53 {
            to.serialize_u64(self.0)
        } else {
            to.collect_str(&self.0)
        }
    }
}

/// How much was played: `"games": "1000000"`, under the name of what the method counts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PlayedCount {
    /// What is counted: `games`, `deals` or `states`.
    pub unit: &'static str,
    /// How many.
    pub count: u128,
}

impl Serialize for PlayedCount {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let mut map = to.serialize_map(Some(1))?;
        map.serialize_entry(self.unit, &self.count.to_string())?;
        map.end()
    }
}

/// The longest finished game.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct LongestGame {
    /// Cards and tricks.
    #[serde(flatten)]
    pub played: Span,
    /// Its deal.
    pub deal: String,
}

/// The best of a run: while it goes on its longest game, at its end the head of its leaderboard.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[serde(untagged)]
pub enum Best {
    /// The longest game, if one has finished.
    Longest(Option<LongestGame>),
    /// Finds, as results write them.
    Finds(Vec<Value>),
}

impl Best {
    /// Finds, as results write them.
    pub fn finds(finds: &[&Find]) -> Best {
        Best::Finds(finds.iter().map(|find| find.to_value()).collect())
    }
}

/// What only the running process knows.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Live {
    /// Deals a second, lately.
    pub rate_now: f64,
    /// Deals a second, in this session.
    pub rate_mean: f64,
    /// How long this session has lasted.
    pub elapsed_seconds: f64,
    /// Time to the end of the shard, at this session's rate.
    pub seconds_left: Option<f64>,
    /// Why the last checkpoint failed, if it did.
    pub unsaved: Option<String>,
    /// How many threads play.
    pub threads: usize,
    /// The number of the process.
    pub process: u32,
    /// The machine it runs on; empty in files of older versions.
    #[serde(default)]
    pub host: String,
    /// When this was written, as RFC 3339.
    pub updated: String,
    /// The version of the program.
    pub program: String,
}

/// What is known once a run has ended.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct RunEnd {
    /// Why it stopped; `null` if all blocks are done.
    pub stop: Option<String>,
    /// How long this session took.
    pub seconds: f64,
    /// The folder of the state.
    pub checkpoint: String,
}

/// How much of a plan results are of that are not whole.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct SoFar {
    /// The plan's fingerprint.
    pub plan: String,
    /// How many shards the plan was cut into.
    pub of: u64,
    /// How many of them were there.
    pub there: u64,
    /// How many of them are finished.
    pub finished: u64,
    /// Blocks done.
    pub blocks_done: Big,
    /// Blocks of the plan; `null` if it has no end.
    pub blocks: Option<Big>,
}

/// What is known once shards were put together.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Together {
    /// How many shards there were.
    pub shards: u64,
    /// How many finds were replayed, and held.
    pub replayed: usize,
    /// How much of the plan it is, if not the whole.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub so_far: Option<SoFar>,
}

/// What was written as results.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Published {
    /// How many finds stand in the leaderboard.
    pub kept: usize,
    /// What a second way, independent of the first, says about the counts.
    pub proofs: Vec<String>,
    /// The folder of the results.
    pub results: String,
}

/// Where a run stands. Parts that are not known, or not asked for, are left out.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Status {
    /// The folder that was asked about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub folder: Option<String>,
    /// What the run is doing.
    pub state: RunState,
    /// The plan's fingerprint.
    pub plan: String,
    /// The plan's way of searching.
    pub how: &'static str,
    /// The plan's deck.
    pub deck: String,
    /// Which part of the plan.
    pub shard: String,
    /// Blocks of the shard done.
    pub blocks_done: Big,
    /// Blocks of the shard; `null` if it has no end.
    pub blocks: Option<Big>,
    /// How much was played.
    #[serde(flatten)]
    pub played: PlayedCount,
    /// The best so far.
    pub best: Best,
    /// How many of the games were loops.
    #[serde(serialize_with = "text")]
    pub loops: u128,
    /// How many different cycles were kept.
    pub cycles: u64,
    /// What only the running process knows.
    #[serde(flatten)]
    pub live: Option<Live>,
    /// What is known once a run has ended.
    #[serde(flatten)]
    pub end: Option<RunEnd>,
    /// What is known once shards were put together.
    #[serde(flatten)]
    pub together: Option<Together>,
    /// What was written as results.
    #[serde(flatten)]
    pub published: Option<Published>,
    /// Of a folder: a process works there, or did on another machine, but its status file has not been replaced since this time
    /// (the disk may be full). What is said to be live is as old.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stale_since: Option<String>,
    /// Of a folder: what the status file of the process that works there says; `null` if none does.
    #[serde(rename = "live", skip_serializing_if = "Option::is_none")]
    pub file: Option<Value>,
}

/// A number as a string.
fn text<S: Serializer>(number: &u128, to: S) -> Result<S::Ok, S::Error> {
    to.collect_str(number)
}

/// How far a run is.
#[derive(Clone, Copy, Debug)]
pub struct Position<'a> {
    /// The plan.
    pub plan: &'a Plan,
    /// Which part of it.
    pub shard: Shard,
    /// Blocks of the shard done.
    pub done: u64,
    /// Blocks of the shard; `None` if it has no end.
    pub total: Option<u64>,
    /// The tally in short.
    pub report: &'a Report,
}

impl Status {
    /// What is known of every run.
    pub fn of(state: RunState, at: &Position<'_>) -> Status {
        let report = at.report;
        let longest = report.best.clone();
        Status {
            folder: None,
            state,
            plan: at.plan.fingerprint().to_string(),
            how: at.plan.how.name(),
            deck: at.plan.common.deck.to_string(),
            shard: at.shard.to_string(),
            blocks_done: Big(at.done),
            blocks: at.total.map(Big),
            played: PlayedCount {
                unit: report.unit,
                count: report.played,
            },
            best: Best::Longest(longest.map(|(played, deal)| LongestGame { played, deal })),
            loops: report.loops,
            cycles: report.cycles,
            live: None,
            end: None,
            together: None,
            published: None,
            stale_since: None,
            file: None,
        }
    }

    /// The contents of a status file.
    pub fn file_text(&self) -> String {
        serde_json::to_string_pretty(self).expect("strings and numbers") + "\n"
    }
}

/// Where the run in a folder stands, whether a process works there or not.
#[derive(Debug)]
pub struct FolderStatus {
    /// Its state on the disk, and the status file if a process works there.
    pub status: Status,
    /// What the running process wrote, if one works there.
    pub live: Option<Live>,
    /// The newest state could not be used, and this is why.
    pub warning: Option<String>,
}

impl FolderStatus {
    /// Reads the run in a folder, at the time of day `now`.
    ///
    /// # Errors
    /// [`FolderError`].
    pub fn read(
        folder: &Path,
        disk: &dyn Disk,
        now: SystemTime,
    ) -> Result<FolderStatus, FolderError> {
        let run = SavedRun::load(folder, disk)?;
        let (report, total) = run.report()?;
        let done = run.saved.done;
        let text = std::fs::read_to_string(run.folder.status()).ok();
        let file: Option<Value> = text.and_then(|text| serde_json::from_str(&text).ok());
        let file = file.filter(|file| file["state"] == RunState::Running.name());
        let live: Option<Live> = file
            .clone()
            .and_then(|file| serde_json::from_value(file).ok());
        let stale = live
            .as_ref()
            .is_some_and(|live| is_stale(&live.updated, now));
        let state = state_of(&Signs {
            locked: run.folder.is_locked(),
            finished: total == Some(done),
            here: live.as_ref().is_none_or(|live| live.host == host_name()),
            fresh: live.as_ref().map(|_| !stale),
        });
        // The state is the truth; the status file adds what only the running process knows.
        let known = matches!(state, RunState::Running | RunState::Silent);
        let (file, live) = (file.filter(|_| known), live.filter(|_| known));
        let position = Position {
            plan: &run.plan,
            shard: run.saved.shard,
            done,
            total,
            report: &report,
        };
        let warnings = [run.warning, run.finds_damaged].into_iter().flatten();
        let warnings: Vec<String> = warnings.collect();
        Ok(FolderStatus {
            status: Status {
                folder: Some(folder.display().to_string()),
                stale_since: live
                    .as_ref()
                    .filter(|_| stale)
                    .map(|live| live.updated.clone()),
                file: Some(file.unwrap_or_default()),
                ..Status::of(state, &position)
            },
            live,
            warning: (!warnings.is_empty()).then(|| warnings.join("; ")),
        })
    }
}

/// What tells whether a process works in a folder.
struct Signs {
    /// Whether the folder is locked, as far as this machine can see.
    locked: Option<bool>,
    /// All blocks are done.
    finished: bool,
    /// The process that wrote the status file was on this machine, where its lock is seen; so is
    /// nobody.
    here: bool,
    /// Whether the status file, if it says that a process runs, is fresh.
    fresh: Option<bool>,
}

fn state_of(signs: &Signs) -> RunState {
    let stopped = RunState::after(!signs.finished);
    match (signs.locked, signs.fresh) {
        (Some(true), _) => RunState::Running,
        (Some(false), _) if signs.here || signs.finished => stopped,
        // Whoever cannot see the lock believes a status file that is fresh.
        (_, Some(true)) => RunState::Running,
        (_, Some(false)) if !signs.here && !signs.finished => RunState::Silent,
        _ => stopped,
    }
}

/// A running search replaces its status file every few seconds; one that is over so many seconds old
/// cannot be written, or its process is held up.
const STALE: i64 = 20;

/// Whether a time, as [`time_text`] writes it, is too long before `now`.
fn is_stale(updated: &str, now: SystemTime) -> bool {
    let updated: Option<jiff::Timestamp> = updated.parse().ok();
    let now = jiff::Timestamp::try_from(now).ok();
    let age = updated
        .zip(now)
        .map(|(updated, now)| now.as_second() - updated.as_second());
    age.is_some_and(|age| age > STALE)
}

/// The name of this machine.
pub fn host_name() -> String {
    let system = rustix::system::uname();
    system.nodename().to_string_lossy().into_owned()
}

/// Several runs as one: how far they are together.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Total {
    /// How many folders.
    pub folders: usize,
    /// How many of them are running, stopped, finished, failed and silent.
    pub states: BTreeMap<&'static str, usize>,
    /// Shards of the plan without a folder here; 0 unless all folders are of one plan.
    pub missing: u64,
    /// Blocks done.
    #[serde(serialize_with = "text")]
    pub blocks_done: u128,
    /// Blocks of the folders; `null` if one of them has no end.
    #[serde(serialize_with = "optional_text")]
    pub blocks: Option<u128>,
    /// How much was played, if all count the same.
    #[serde(flatten)]
    pub played: Option<PlayedCount>,
    /// The longest finished game.
    pub best: Option<LongestGame>,
    /// How many of the games were loops.
    #[serde(serialize_with = "text")]
    pub loops: u128,
    /// Deals a second of those that run, lately.
    pub rate_now: f64,
    /// Time to the end of the last one that runs; `null` if that is not known, or if one that is not
    /// finished does not run.
    pub seconds_left: Option<f64>,
    /// The folder that ends last, by what it says.
    pub slowest: Option<String>,
    /// Folders that were running when they were last heard of, a while ago: locked or not.
    pub silent: Vec<String>,
}

fn optional_text<S: Serializer>(number: &Option<u128>, to: S) -> Result<S::Ok, S::Error> {
    match number {
        Some(number) => to.collect_str(number),
        None => to.serialize_none(),
    }
}

impl Total {
    /// The total of some runs.
    pub fn of(runs: &[&FolderStatus]) -> Total {
        let mut total = Total {
            folders: runs.len(),
            states: BTreeMap::new(),
            missing: missing(runs),
            blocks_done: 0,
            blocks: Some(0),
            played: None,
            best: None,
            loops: 0,
            rate_now: 0.0,
            seconds_left: None,
            slowest: None,
            silent: Vec::new(),
        };
        let unit = runs.first().map_or("", |run| run.status.played.unit);
        let mut played = Some(0u128);
        let (mut last, mut open) = (Some(0.0f64), false);
        for FolderStatus { status, live, .. } in runs.iter().copied() {
            *total.states.entry(status.state.name()).or_default() += 1;
            total.blocks_done += u128::from(status.blocks_done.0);
            total.blocks = total
                .blocks
                .zip(status.blocks)
                .map(|(sum, blocks)| sum + u128::from(blocks.0));
            played = played
                .filter(|_| status.played.unit == unit)
                .map(|sum| sum + status.played.count);
            total.loops += status.loops;
            if let Best::Longest(Some(longest)) = &status.best
                && (total.best.as_ref()).is_none_or(|best| longest.played > best.played)
            {
                total.best = Some(longest.clone());
            }
            let folder = || status.folder.clone().unwrap_or_default();
            if status.stale_since.is_some() {
                total.silent.push(folder());
            }
            if status.state == RunState::Running {
                total.rate_now += live.as_ref().map_or(0.0, |live| live.rate_now);
                let left = live.as_ref().and_then(|live| live.seconds_left);
                if let (Some(most), Some(left)) = (last, left)
                    && left >= most
                {
                    total.slowest = Some(folder());
                }
                last = last.zip(left).map(|(most, left)| most.max(left));
            } else {
                open |= status.state != RunState::Finished;
            }
        }
        total.played = played.map(|count| PlayedCount { unit, count });
        total.seconds_left = last.filter(|_| !open && total.missing == 0);
        total
    }
}

/// How many shards of a plan have no folder among these.
fn missing(runs: &[&FolderStatus]) -> u64 {
    let Some(first) = runs.first().map(|run| &run.status) else {
        return 0;
    };
    let one_plan = (runs.iter()).all(|run| {
        let status = &run.status;
        status.plan == first.plan && of(&status.shard) == of(&first.shard)
    });
    if !one_plan {
        return 0;
    }
    let shards: BTreeSet<&str> = runs.iter().map(|run| run.status.shard.as_str()).collect();
    of(&first.shard).saturating_sub(shards.len() as u64)
}

/// Of how many shards one is.
fn of(shard: &str) -> u64 {
    shard.parse().map_or(1, Shard::of)
}

/// A time of day as RFC 3339, to the second; empty if the clock is past all years.
pub fn time_text(time: SystemTime) -> String {
    jiff::Timestamp::try_from(time)
        .map(|time| time.strftime("%Y-%m-%dT%H:%M:%SZ").to_string())
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn counts_beyond_53_bits_are_strings() {
        let text = |n| serde_json::to_string(&Big(n)).unwrap();
        assert_eq!(text(1 << 53), "9007199254740992");
        assert_eq!(text((1 << 53) + 1), "\"9007199254740993\"");
    }

    #[test]
    fn a_process_of_this_machine_is_known_by_its_lock_and_one_of_another_by_what_it_writes() {
        let state = |locked, finished, here, fresh| {
            state_of(&Signs {
                locked,
                finished,
                here,
                fresh,
            })
        };
        let (yes, no) = (Some(true), Some(false));
        assert_eq!(state(yes, false, true, no), RunState::Running);
        assert_eq!(state(no, false, true, yes), RunState::Stopped);
        assert_eq!(state(no, false, false, yes), RunState::Running);
        assert_eq!(state(no, false, false, no), RunState::Silent);
        assert_eq!(state(no, true, false, no), RunState::Finished);
        assert_eq!(state(no, false, true, None), RunState::Stopped);
        assert_eq!(state(None, false, true, yes), RunState::Running);
        assert_eq!(state(None, false, true, no), RunState::Stopped);
        assert_eq!(state(None, false, false, None), RunState::Stopped);
    }

    /// A shard of four with so many seconds left if it is running, and no word from it for a while or not.
    fn shard(at: u64, state: RunState, left: Option<f64>, stale: bool) -> FolderStatus {
        let keys = crate::search::plan::Keys::read("games = 1e6\nclose_from = 700").unwrap();
        let plan = Plan::check(&keys).unwrap();
        let report = Report {
            played: 1000,
            unit: "games",
            best: Some((
                Span {
                    cards: 100 * at,
                    tricks: at,
                },
                format!("deal {at}"),
            )),
            loops: 1,
            ..Report::default()
        };
        let position = Position {
            plan: &plan,
            shard: Shard::new(at, 4).unwrap(),
            done: at,
            total: Some(4),
            report: &report,
        };
        FolderStatus {
            status: Status {
                folder: Some(format!("f{at}")),
                stale_since: stale.then(|| "2026-01-01T00:00:00Z".to_owned()),
                ..Status::of(state, &position)
            },
            live: left.map(|left| Live {
                rate_now: 10.0,
                rate_mean: 10.0,
                elapsed_seconds: 1.0,
                seconds_left: Some(left),
                unsaved: None,
                threads: 1,
                process: 1,
                host: String::new(),
                updated: String::new(),
                program: String::new(),
            }),
            warning: None,
        }
    }

    #[test]
    fn a_total_adds_up_and_names_the_slowest_and_the_silent() {
        let mut runs = vec![
            shard(0, RunState::Running, Some(50.0), false),
            shard(1, RunState::Running, Some(70.0), true),
            shard(2, RunState::Finished, None, false),
        ];
        let total = Total::of(&runs.iter().collect::<Vec<_>>());
        assert_eq!(total.missing, 1);
        assert_eq!(total.seconds_left, None, "a shard is missing");
        runs.push(shard(3, RunState::Finished, None, false));
        let total = Total::of(&runs.iter().collect::<Vec<_>>());
        assert_eq!(
            serde_json::to_value(&total).unwrap(),
            serde_json::json!({
                "folders": 4,
                "states": { "running": 2, "finished": 2 },
                "missing": 0,
                "blocks_done": "6",
                "blocks": "16",
                "games": "4000",
                "best": { "cards": 300, "tricks": 3, "deal": "deal 3" },
                "loops": "4",
                "rate_now": 20.0,
                "seconds_left": 70.0,
                "slowest": "f1",
                "silent": ["f1"],
            })
        );
        runs[2] = shard(2, RunState::Stopped, None, false);
        let total = Total::of(&runs.iter().collect::<Vec<_>>());
        assert_eq!((total.seconds_left, total.states["stopped"]), (None, 1));
        runs[2] = shard(2, RunState::Silent, Some(5.0), true);
        let total = Total::of(&runs.iter().collect::<Vec<_>>());
        assert_eq!(total.silent, ["f1", "f2"]);
        assert_eq!(total.rate_now, 20.0);
    }

    #[test]
    fn a_status_has_the_keys_that_scripts_read() {
        let keys = crate::search::plan::Keys::read("games = 1e6\nclose_from = 700").unwrap();
        let plan = Plan::check(&keys).unwrap();
        let report = Report {
            played: 5,
            unit: "games",
            best: Some((
                Span {
                    cards: 2,
                    tricks: 1,
                },
                "J/-".into(),
            )),
            ..Report::default()
        };
        let status = Status::of(
            RunState::Stopped,
            &Position {
                plan: &plan,
                shard: Shard::WHOLE,
                done: 3,
                total: Some(8),
                report: &report,
            },
        );
        assert_eq!(
            serde_json::to_value(&status).unwrap(),
            serde_json::json!({
                "state": "stopped",
                "plan": "3da7d220e4e89b39",
                "how": "random",
                "deck": "standard",
                "shard": "0/1",
                "blocks_done": 3,
                "blocks": 8,
                "games": "5",
                "best": { "cards": 2, "tricks": 1, "deal": "J/-" },
                "loops": "0",
                "cycles": 0,
            })
        );
    }

    #[test]
    fn a_status_file_grows_stale() {
        let now = SystemTime::UNIX_EPOCH + Duration::from_secs(1_800_000_000);
        let at = |age| time_text(now - Duration::from_secs(age));
        assert!(!is_stale(&at(0), now) && !is_stale(&at(20), now));
        assert!(is_stale(&at(21), now) && is_stale(&at(86_400), now));
        // A clock that was set back makes nothing stale.
        assert!(!is_stale(&time_text(now + Duration::from_secs(100)), now));
        assert!(!is_stale("", now));
    }
}
