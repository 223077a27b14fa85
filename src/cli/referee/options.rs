//! The options that every game of `camicia match` has.

use std::path::PathBuf;
use std::time::Duration;

use anyhow::{anyhow, bail};
use clap::Args;

use crate::cli::term::exit::Exit;
use crate::cli::term::fault::Fault;
use crate::referee::{JavaError, LimitsEntry, MatchFile, MatchPlan, PlanError, Size};

/// Options that say how a match runs and where its results go.
#[derive(Args, Debug)]
pub struct RunOptions {
    /// How many games run at once; the results are the same.
    #[arg(long, default_value_t = 1, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=512))]
    pub jobs: u16,

    /// Plays only the game of this number, as it was or would be in the whole match.
    #[arg(long, value_name = "K")]
    pub game_number: Option<u64>,

    /// Writes a line of JSON a game to this file, as the games end.
    #[arg(long, value_name = "FILE")]
    pub results: Option<PathBuf>,

    /// Resumes the match whose results are in the file, if it is there.
    #[arg(long, requires = "results", conflicts_with = "game_number")]
    pub resume: bool,

    /// Writes a line a game and seat to this file.
    #[arg(long, value_name = "FILE")]
    pub csv: Option<PathBuf>,

    /// Keeps what every bot read and wrote, with times, in this folder.
    #[arg(long, value_name = "FOLDER")]
    pub logs: Option<PathBuf>,

    /// Prints lines of JSON instead of a table: the match, its games as they end, the standings.
    #[arg(long)]
    pub json: bool,

    /// Ends with code 0 even when a bot misbehaved.
    #[arg(long)]
    pub forgive: bool,

    /// Shows one game as people follow it: the first, or that of --game-number. On a terminal, Enter
    /// goes on. In a tournament, shows the game that ended last, now and then.
    #[arg(long, conflicts_with = "json")]
    pub watch: bool,

    /// Seconds between two steps of the game that --watch shows; in a tournament, between two games.
    #[arg(long, requires = "watch", value_name = "SECONDS")]
    pub pace: Option<f64>,
}

/// Options that say what a match is, whatever the game.
#[derive(Args, Debug)]
pub struct PlanOptions {
    /// The seed: the same seed, bots and seats deal the same games.
    #[arg(long, default_value_t = 0, value_name = "N")]
    seed: u64,

    /// Plays a tournament of any number of bots: every bot meets every other (round-robin), the first
    /// bot meets all others (gauntlet), every choice of bots meets (all-tables), or those meet who
    /// stand alike (swiss). Each deal is played under every rotation of the seats, unless --permute is
    /// given.
    #[arg(long, value_name = "PAIRINGS", value_parser = ["round-robin", "gauntlet", "all-tables", "swiss"])]
    pairings: Option<String>,

    /// How many bots sit at a table of a tournament.
    #[arg(long, value_name = "N", requires = "pairings")]
    table: Option<usize>,

    /// How many rounds a Swiss tournament has; as many as a knock-out of these bots, and two more,
    /// unless you say so.
    #[arg(long, value_name = "N", requires = "pairings")]
    swiss_rounds: Option<u64>,

    /// Seconds a bot has for an action.
    #[arg(long, value_name = "SECONDS", default_value_t = 3.0)]
    timeout: f64,

    /// Seconds a process has on top for its first action.
    #[arg(long, default_value_t = 5.0, value_name = "SECONDS")]
    startup: f64,

    /// Seconds that every action has on top, unannounced, for a busy machine.
    #[arg(long, default_value_t = 0.1, value_name = "SECONDS")]
    margin: f64,

    /// Holds the bots apart: no network, no other process, and no file that they can write except in
    /// a private folder. Needs bubblewrap (bwrap).
    #[arg(long)]
    isolate: bool,

    /// Memory of each process of a bot, in bytes or with K, M or G.
    #[arg(long, value_name = "SIZE")]
    limit_memory: Option<Size>,

    /// Processor time of each process of a bot, in seconds.
    #[arg(long, value_name = "SECONDS")]
    limit_cpu: Option<u64>,

    /// Size of any file that a bot writes, in bytes or with K, M or G.
    #[arg(long, value_name = "SIZE")]
    limit_file: Option<Size>,

    /// Processes and threads of the user who runs the match (no limit for root).
    #[arg(long, value_name = "N")]
    limit_processes: Option<u64>,
}

/// How bots change seats.
#[derive(Args, Debug)]
pub struct SeatingOptions {
    /// Plays every deal once under each rotation of the seats.
    #[arg(long)]
    rotate: bool,

    /// Plays every deal once under each permutation of the seats.
    #[arg(long, conflicts_with = "rotate")]
    permute: bool,
}

impl SeatingOptions {
    /// The seating asked for.
    pub fn seating(&self) -> Option<String> {
        let seating = match (self.rotate, self.permute) {
            (true, _) => "rotate",
            (_, true) => "permute",
            _ => return None,
        };
        Some(seating.to_owned())
    }
}

impl PlanOptions {
    /// The options as a match file, for the game's own options to be added.
    pub fn file(&self, game: &str) -> MatchFile {
        MatchFile {
            game: game.to_owned(),
            pairings: self.pairings.clone(),
            table: self.table,
            swiss_rounds: self.swiss_rounds,
            seed: Some(self.seed),
            timeout: Some(self.timeout),
            startup: Some(self.startup),
            margin: Some(self.margin),
            isolate: self.isolate,
            limits: LimitsEntry {
                memory: self.limit_memory,
                cpu: self.limit_cpu,
                file: self.limit_file,
                processes: self.limit_processes,
            },
            ..MatchFile::default()
        }
    }
}

/// The plan of options: a wrong value is named by its option.
pub fn plan_of_options(file: &MatchFile) -> Result<MatchPlan, Fault> {
    file.check(None).map_err(|error| match error {
        PlanError::Key { key: "rules", why } => Fault::usage(anyhow!(why)),
        PlanError::Key { key, why } => Fault::usage(anyhow!("--{key}: {why}")),
        error => plan_fault(error),
    })
}

/// The exit code of a plan that cannot be made.
pub fn plan_fault(error: PlanError) -> Fault {
    let exit = match &error {
        PlanError::Folder(_) | PlanError::Java(JavaError::Io { .. }) => Exit::Io,
        _ => Exit::Usage,
    };
    Fault {
        exit,
        error: error.into(),
    }
}

impl RunOptions {
    /// The pause between two steps of a game that is watched, if they follow by themselves.
    pub fn pause(&self) -> anyhow::Result<Option<Duration>> {
        let Some(pace) = self.pace else {
            return Ok(None);
        };
        if !(0.0..=86_400.0).contains(&pace) {
            bail!("--pace: {pace} is not between 0 and 86400 seconds");
        }
        Ok(Some(Duration::from_secs_f64(pace)))
    }
}
