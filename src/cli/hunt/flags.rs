//! Flags of every command that searches: keys of a plan, and how it is run.

use std::path::PathBuf;
use std::thread::available_parallelism;
use std::time::Duration;

use anyhow::anyhow;
use clap::Args;

use super::shard::ShardFlag;
use crate::cli::term::fault::Fault;
use crate::cli::term::output;
use crate::game::lanes::Kernel;
use crate::search::plan::{Count, Keys};

/// Flags that come before the keys of a plan.
#[derive(Args, Debug, Default)]
#[command(next_help_heading = "What is searched (comes before the plan's keys)")]
pub struct KeyFlags {
    /// The way of searching: random, exhaust, grow or climb
    #[arg(long)]
    how: Option<String>,
    /// The deck: standard, italian, half, or counts such as plain=28,1=4,2=4,3=4
    #[arg(long)]
    deck: Option<String>,
    /// The seed of everything drawn
    #[arg(long, value_name = "N")]
    seed: Option<Count>,
    /// How many deals are played (1e9 is understood)
    #[arg(long, value_name = "N")]
    games: Option<Count>,
    /// Games of at least so many cards are closed backward [default: about one in 200,000]
    #[arg(long, value_name = "CARDS")]
    close_from: Option<Count>,
    /// How many of the best trees are kept
    #[arg(long, value_name = "N")]
    keep: Option<Count>,
    /// How many cycles of infinite games are kept, each with all its deals
    #[arg(long, value_name = "N")]
    keep_cycles: Option<Count>,
    /// Deals in a block
    #[arg(long, value_name = "N")]
    block: Option<Count>,
    /// Tricks after which a game is looked at for a loop
    #[arg(long, value_name = "TRICKS")]
    cap: Option<Count>,
    /// Changes in a row without a longer game that end a climb
    #[arg(long, value_name = "N")]
    patience: Option<Count>,
    /// A deal that climbs begin with, or that is grown from; may be given several times
    #[arg(long, value_name = "DEAL", allow_hyphen_values = true)]
    from: Option<Vec<String>>,
    /// How many changed states are tested, for a search that grows [default: until stopped]
    #[arg(long, value_name = "N")]
    tests: Option<Count>,
    /// Growing: also exchange any two cards in every state of the cycles found [default: false]
    #[arg(long, value_name = "BOOL")]
    flood: Option<bool>,
    /// Seconds between two checkpoints
    #[arg(long, value_name = "SECONDS")]
    checkpoint_every: Option<f64>,
    /// Exhausting: the order in which deals are numbered, akqj- or -123
    #[arg(long, allow_hyphen_values = true)]
    order: Option<String>,
    /// Exhausting: the indices that are played, from A, up to but not B [default: all]
    #[arg(long, value_name = "A..B", allow_hyphen_values = true)]
    range: Option<String>,
    /// Exhausting: how many infinite games are written; further ones are counted only
    #[arg(long, value_name = "N")]
    keep_loops: Option<Count>,
}

impl KeyFlags {
    /// The keys that were given.
    pub fn keys(&self) -> Keys {
        Keys {
            how: self.how.clone(),
            deck: self.deck.clone(),
            seed: self.seed,
            games: self.games,
            close_from: self.close_from,
            keep: self.keep,
            keep_cycles: self.keep_cycles,
            block: self.block,
            cap: self.cap,
            patience: self.patience,
            from: self.from.clone(),
            tests: self.tests,
            flood: self.flood,
            checkpoint_every: self.checkpoint_every,
            order: self.order.clone(),
            range: self.range.clone(),
            keep_loops: self.keep_loops,
        }
    }
}

/// Flags that decide no result.
#[derive(Args, Debug, Default)]
#[command(next_help_heading = "How it is run (changes no result)")]
pub struct RunFlags {
    /// Search part I of N of the plan, from 0, for example 0/4; auto takes both from a Slurm array,
    /// auto/N takes I from a Slurm array, HyperQueue, a Kubernetes indexed job or GNU parallel
    #[arg(long, value_name = "I/N")]
    pub shard: Option<ShardFlag>,
    /// Go on from the state that is there; begin if there is none
    #[arg(long, conflicts_with = "restart")]
    pub resume: bool,
    /// Throw away the state that is there and begin anew
    #[arg(long)]
    pub restart: bool,
    /// Wait while another process works on the same state
    #[arg(long)]
    pub wait: bool,
    /// Stop after this time, for example 90s, 10m, 12h or 7d; the first block, or wave, of a session
    /// is finished in any case
    #[arg(long, value_name = "TIME", value_parser = duration)]
    pub time_limit: Option<Duration>,
    /// How many threads play [default: what the machine, or its scheduler, gives]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=4096))]
    threads: Option<u16>,
    /// The instructions that play many games at once: avx512, avx2 or scalar [default: the fastest
    /// that this machine has]
    #[arg(long, value_name = "NAME")]
    pub kernel: Option<Kernel>,
    /// The folder of the state [default: checkpoints/NAME]
    #[arg(long, value_name = "DIR")]
    pub state: Option<PathBuf>,
    /// The folder of the results [default: results/NAME]
    #[arg(long, value_name = "DIR")]
    pub results: Option<PathBuf>,
    /// Begin although it will take days
    #[arg(long)]
    pub yes: bool,
    /// Show how the longest game so far compares with the expectation for so many games
    #[arg(long)]
    pub watch: bool,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

impl RunFlags {
    /// How many threads play.
    pub fn threads(&self) -> Result<usize, Fault> {
        let asked = match self.threads {
            Some(threads) => usize::from(threads),
            None => threads()?,
        };
        // Threads share what there is: more of them cost memory and gain nothing.
        let processors = available_parallelism().map_or(1, usize::from);
        let most = MOST_THREADS.max(PER_PROCESSOR * processors);
        if asked > most {
            output::notice(format_args!(
                "{asked} threads were asked for; {most} play, since this machine gives {processors} \
                 processors"
            ));
        }
        Ok(asked.min(most))
    }
}

/// `90`, `90s`, `10m`, `12h`, `7d`.
pub fn duration(text: &str) -> Result<Duration, String> {
    let wrong =
        || format!("{text:?} is no time: write a number and s, m, h or d, such as 90s or 12h");
    let unit = text.chars().last().ok_or_else(wrong)?;
    let seconds = match unit {
        's' | '0'..='9' => 1.0,
        'm' => 60.0,
        'h' => 3600.0,
        'd' => 86_400.0,
        _ => return Err(wrong()),
    };
    let number = text.trim_end_matches(['s', 'm', 'h', 'd']);
    if text.len() - number.len() > 1 {
        return Err(wrong());
    }
    let number: f64 = number.parse().map_err(|_| wrong())?;
    Duration::try_from_secs_f64(number * seconds).map_err(|_| wrong())
}

/// So many threads may play on any machine,
const MOST_THREADS: usize = 64;
/// and on a large one so many on each of its processors.
const PER_PROCESSOR: usize = 4;

/// A number of threads, or a list of them (as OpenMP has it, outermost first).
fn thread_count(text: &str) -> Option<usize> {
    let mut numbers = text.split(',').map(|number| number.trim().parse::<usize>());
    let first = numbers.next()?.ok()?;
    let rest_is_sound = numbers.all(|number| number.is_ok_and(|number| number > 0));
    (rest_is_sound && (1..=4096).contains(&first)).then_some(first)
}

/// How many threads a scheduler, or else the machine, gives.
fn threads() -> Result<usize, Fault> {
    let variables = [
        "RAYON_NUM_THREADS",
        "SLURM_CPUS_PER_TASK",
        "PBS_NUM_PPN",
        "NSLOTS",
        "OMP_NUM_THREADS",
    ];
    for variable in variables {
        let Ok(text) = std::env::var(variable) else {
            continue;
        };
        return thread_count(&text).ok_or_else(|| {
            Fault::usage(anyhow!(
                "{variable} is {text:?}: a number of threads from 1 to 4096 is expected; set it \
                 right, or use --threads"
            ))
        });
    }
    Ok(available_parallelism().map_or(1, usize::from))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_are_counted_as_schedulers_write_them() {
        for (text, threads) in [("4", 4), (" 4 ", 4), ("4,2", 4), ("8, 2,1", 8)] {
            assert_eq!(thread_count(text), Some(threads), "{text}");
        }
        for text in ["", "0", "x", "4,", "4,0", "4,x", "4097", "-1", "4(x2)"] {
            assert_eq!(thread_count(text), None, "{text}");
        }
    }

    #[test]
    fn times_are_read() {
        for (text, seconds) in [
            ("90", 90.0),
            ("90s", 90.0),
            ("1.5m", 90.0),
            ("2h", 7200.0),
            ("7d", 604_800.0),
        ] {
            assert_eq!(
                duration(text),
                Ok(Duration::from_secs_f64(seconds)),
                "{text}"
            );
        }
        for text in ["", "m", "-1s", "1w", "1hh", "1h30m", "nan", "1e300d"] {
            assert!(duration(text).is_err(), "{text}");
        }
    }
}
