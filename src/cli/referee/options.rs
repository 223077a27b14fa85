//! The options that every game of `camicia match` has, and what is made of them.

use std::path::PathBuf;
use std::time::Duration;

use anyhow::bail;
use clap::Args;

use crate::referee::{BotLimits, Seating, Settings};

/// Options of every match.
#[derive(Args, Debug)]
pub struct MatchOptions {
    /// The seed: the same seed, bots and seats deal the same games.
    #[arg(long, default_value_t = 0, value_name = "N")]
    pub seed: u64,

    /// How many games run at once; the results are the same.
    #[arg(long, default_value_t = 1, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=512))]
    pub jobs: u16,

    /// Plays only the game of this number, as it was or would be in the whole match.
    #[arg(long, value_name = "K")]
    pub game_number: Option<u64>,

    /// Seconds a bot has for an action.
    #[arg(long, value_name = "SECONDS")]
    pub timeout: Option<f64>,

    /// Seconds a process has on top for its first action.
    #[arg(long, default_value_t = 5.0, value_name = "SECONDS")]
    pub startup: f64,

    /// Seconds that every action has on top, unannounced, for a busy machine.
    #[arg(long, default_value_t = 0.1, value_name = "SECONDS")]
    pub margin: f64,

    /// Writes a line of JSON a game to this file, as the games end.
    #[arg(long, value_name = "FILE")]
    pub results: Option<PathBuf>,

    /// Goes on with the match whose results are in the file, if it is there.
    #[arg(long, requires = "results", conflicts_with = "game_number")]
    pub resume: bool,

    /// Writes a line a game and seat to this file.
    #[arg(long, value_name = "FILE")]
    pub csv: Option<PathBuf>,

    /// Keeps what every bot read and wrote, with times, in this folder.
    #[arg(long, value_name = "FOLDER")]
    pub logs: Option<PathBuf>,

    /// Prints lines of JSON instead of a table: the match, its games, the standings.
    #[arg(long)]
    pub json: bool,

    /// Ends with code 0 even when a bot misbehaved.
    #[arg(long)]
    pub forgive: bool,

    /// Shows one game as people follow it: the first, or that of --game-number. On a terminal, Enter
    /// goes on.
    #[arg(long, conflicts_with_all = ["json", "resume"])]
    pub watch: bool,

    /// Goes on by itself after so many seconds, with --watch.
    #[arg(long, requires = "watch", value_name = "SECONDS")]
    pub pace: Option<f64>,

    /// Memory of each process of a bot, in bytes or with K, M or G.
    #[arg(long, value_name = "SIZE", value_parser = size)]
    pub limit_memory: Option<u64>,

    /// Processor time of each process of a bot, in seconds.
    #[arg(long, value_name = "SECONDS")]
    pub limit_cpu: Option<u64>,

    /// Size of any file that a bot writes, in bytes or with K, M or G.
    #[arg(long, value_name = "SIZE", value_parser = size)]
    pub limit_file: Option<u64>,

    /// Processes and threads of the user who runs the match (no limit for root).
    #[arg(long, value_name = "N")]
    pub limit_processes: Option<u64>,
}

/// How bots change seats.
#[derive(Args, Debug)]
pub struct SeatingOptions {
    /// Plays every deal once under each rotation of the seats.
    #[arg(long)]
    pub rotate: bool,

    /// Plays every deal once under each permutation of the seats.
    #[arg(long, conflicts_with = "rotate")]
    pub permute: bool,
}

impl SeatingOptions {
    /// The seating asked for.
    pub fn seating(&self) -> Seating {
        match (self.rotate, self.permute) {
            (true, _) => Seating::Rotate,
            (_, true) => Seating::Permute,
            _ => Seating::Fixed,
        }
    }
}

impl MatchOptions {
    /// The settings asked for; `timeout` seconds for an action unless the user said otherwise.
    pub fn settings(&self, timeout: f64) -> anyhow::Result<Settings> {
        let timeout = seconds("--timeout", self.timeout.unwrap_or(timeout))?;
        if timeout.is_zero() {
            bail!("--timeout: a bot needs more than 0 seconds");
        }
        Ok(Settings {
            timeout,
            startup: seconds("--startup", self.startup)?,
            margin: seconds("--margin", self.margin)?,
            jobs: usize::from(self.jobs),
            limits: BotLimits {
                memory: self.limit_memory,
                cpu: self.limit_cpu,
                file: self.limit_file,
                processes: self.limit_processes,
            },
            logs: self.logs.clone(),
            // This very program, even if its file was replaced meanwhile.
            program: PathBuf::from("/proc/self/exe"),
        })
    }

    /// The pause between two steps of a game that is watched, if they follow by themselves.
    pub fn pause(&self) -> anyhow::Result<Option<Duration>> {
        self.pace.map(|pace| seconds("--pace", pace)).transpose()
    }
}

/// A number of seconds, at most a day.
fn seconds(option: &str, number: f64) -> anyhow::Result<Duration> {
    if !(0.0..=86_400.0).contains(&number) {
        bail!("{option}: {number} is not between 0 and 86400 seconds");
    }
    Ok(Duration::from_secs_f64(number))
}

/// A size in bytes: `4096`, `64K`, `512M`, `2G`.
fn size(text: &str) -> Result<u64, String> {
    let (digits, shift) = match text.as_bytes().last().map(u8::to_ascii_uppercase) {
        Some(b'K') => (&text[..text.len() - 1], 10),
        Some(b'M') => (&text[..text.len() - 1], 20),
        Some(b'G') => (&text[..text.len() - 1], 30),
        _ => (text, 0),
    };
    let number: u64 = digits
        .parse()
        .map_err(|_| format!("`{text}` is no size; 64K, 512M and 2G are"))?;
    number
        .checked_mul(1 << shift)
        .filter(|&bytes| bytes > 0)
        .ok_or_else(|| format!("`{text}` is out of range"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_units() {
        assert_eq!(size("4096"), Ok(4096));
        assert_eq!(size("64K"), Ok(65_536));
        assert_eq!(size("512m"), Ok(512 << 20));
        assert_eq!(size("2G"), Ok(2 << 30));
        for text in ["", "K", "-1", "1T", "1.5G", "0", "99999999999G", "é"] {
            assert!(size(text).is_err(), "{text}");
        }
    }

    #[test]
    fn seconds_are_bounded() {
        assert_eq!(seconds("--x", 0.25).unwrap(), Duration::from_millis(250));
        for number in [-0.1, f64::NAN, f64::INFINITY, 1e6] {
            assert!(seconds("--x", number).is_err(), "{number}");
        }
    }
}
