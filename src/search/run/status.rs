//! Where a run stands: one report, which the status file, `--json`, `camicia status` and
//! `camicia merge` all print.

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

/// What is known once shards were put together.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Together {
    /// How many shards there were.
    pub shards: u64,
    /// How many finds were replayed, and held.
    pub replayed: usize,
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
    /// Of a folder: a process works there, but its status file has not been replaced since this time
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
        // Whoever may not look at the lock believes a status file that is fresh.
        let running = run.folder.is_locked().unwrap_or(live.is_some() && !stale);
        let state = if running {
            RunState::Running
        } else {
            RunState::after(total != Some(done))
        };
        // The state is the truth; the status file adds what only the running process knows.
        let (file, live) = (file.filter(|_| running), live.filter(|_| running));
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
