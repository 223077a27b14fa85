//! `--shard`: given as I/N, or taken from the scheduler that started this process.

use std::str::FromStr;

use anyhow::anyhow;

use crate::cli::term::fault::Fault;
use crate::search::plan::shard::Shard;

/// What `--shard` says.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ShardFlag {
    /// `I/N`.
    Given(Shard),
    /// `auto`: the scheduler says which, and out of how many.
    Auto,
    /// `auto/N`: the scheduler says which; there are N.
    AutoOf(u64),
}

impl FromStr for ShardFlag {
    type Err = String;

    fn from_str(text: &str) -> Result<ShardFlag, String> {
        let Some(rest) = text.strip_prefix("auto") else {
            return text.parse().map(ShardFlag::Given).map_err(|error| {
                format!("{error}; or write auto or auto/N to take it from a scheduler")
            });
        };
        match rest.strip_prefix('/') {
            None if rest.is_empty() => Ok(ShardFlag::Auto),
            Some(of) => match of.parse() {
                // The first shard of so many says whether so many are accepted.
                Ok(of) if Shard::new(0, of).is_ok() => Ok(ShardFlag::AutoOf(of)),
                _ => Err(format!(
                    "{of:?} is no number of shards: write auto/N, for example auto/8"
                )),
            },
            None => Err(format!(
                "{text:?} is no shard: write I/N, for example 0/4, or auto, or auto/4"
            )),
        }
    }
}

impl ShardFlag {
    /// The shard, and where it was taken from, if it was not given.
    ///
    /// # Errors
    /// A usage fault if no scheduler says which shard this is, or not clearly.
    pub fn resolve(self) -> Result<(Shard, Option<String>), Fault> {
        let lookup = |name: &str| std::env::var_os(name).map(|v| v.to_string_lossy().into_owned());
        let of = match self {
            ShardFlag::Given(shard) => return Ok((shard, None)),
            ShardFlag::Auto => None,
            ShardFlag::AutoOf(of) => Some(of),
        };
        from_scheduler(of, &lookup)
            .map(|(shard, source)| (shard, Some(source)))
            .map_err(|error| Fault::usage(anyhow!("--shard auto: {error}")))
    }
}

/// The value of an environment variable.
type Lookup<'a> = &'a dyn Fn(&str) -> Option<String>;

/// A scheduler that numbers its tasks.
struct Scheduler {
    name: &'static str,
    /// The variable with the number of this task.
    number: &'static str,
    /// The number of the first task.
    first: u64,
}

const SLURM: Scheduler = Scheduler {
    name: "the Slurm array",
    number: "SLURM_ARRAY_TASK_ID",
    first: 0,
};

/// What Slurm says of an array beside the number of the task.
const SLURM_ARRAY: [&str; 3] = [
    "SLURM_ARRAY_TASK_MIN",
    "SLURM_ARRAY_TASK_MAX",
    "SLURM_ARRAY_TASK_COUNT",
];

/// Schedulers that do not say how many tasks there are.
const UNCOUNTED: [Scheduler; 3] = [
    Scheduler {
        name: "HyperQueue",
        number: "HQ_TASK_ID",
        first: 0,
    },
    Scheduler {
        name: "the Kubernetes indexed job",
        number: "JOB_COMPLETION_INDEX",
        first: 0,
    },
    Scheduler {
        name: "GNU parallel",
        number: "PARALLEL_SEQ",
        first: 1,
    },
];

fn from_scheduler(of: Option<u64>, lookup: Lookup) -> Result<(Shard, String), String> {
    let in_slurm = SLURM_ARRAY
        .iter()
        .chain([&SLURM.number])
        .any(|name| lookup(name).is_some());
    let mut found: Vec<&Scheduler> = UNCOUNTED
        .iter()
        .filter(|scheduler| lookup(scheduler.number).is_some())
        .collect();
    if in_slurm {
        found.insert(0, &SLURM);
    }
    let scheduler = match found[..] {
        [] => {
            return Err(format!(
                "no scheduler says which shard this is: none of {}, {} is set; write --shard I/N",
                SLURM.number,
                UNCOUNTED.map(|scheduler| scheduler.number).join(", ")
            ));
        }
        [one] => one,
        [first, second, ..] => {
            return Err(format!(
                "{} and {} both number this process ({} and {} are set): write --shard I/N",
                first.name, second.name, first.number, second.number
            ));
        }
    };
    let number = read(lookup, scheduler.number)?;
    let of = match of {
        Some(of) => of,
        None if in_slurm => whole_array(lookup)?,
        None => {
            return Err(format!(
                "{} does not say how many tasks there are: write --shard auto/N",
                scheduler.name
            ));
        }
    };
    let Some(at) = number.checked_sub(scheduler.first).filter(|&at| at < of) else {
        return Err(format!(
            "{} is {number}, and {of} shards are numbered {} to {}",
            scheduler.number,
            scheduler.first,
            of - 1 + scheduler.first
        ));
    };
    let shard = Shard::new(at, of).map_err(|error| error.to_string())?;
    Ok((
        shard,
        format!("{} ({}={number})", scheduler.name, scheduler.number),
    ))
}

/// How many tasks a Slurm array has, which must be 0 to N-1: what is left of an array that was
/// submitted again in part would pass for a whole one.
fn whole_array(lookup: Lookup) -> Result<u64, String> {
    let [min, max, count] = SLURM_ARRAY;
    let [min, max, count] = [read(lookup, min)?, read(lookup, max)?, read(lookup, count)?];
    let span = max.checked_sub(min).and_then(|span| span.checked_add(1));
    if min != 0 || span != Some(count) {
        let what = if min != 0 {
            format!("starts at {min}")
        } else {
            format!("has {count} tasks from {min} to {max}")
        };
        return Err(format!(
            "the Slurm array {what}, and a whole one is 0 to N-1: submit it with --array=0-{}, or \
             write --shard auto/N if these are some of N shards",
            count.max(1) - 1
        ));
    }
    Ok(count)
}

fn read(lookup: Lookup, name: &str) -> Result<u64, String> {
    let text = lookup(name)
        .ok_or_else(|| format!("{name} is not set, though others of its kind are: write I/N"))?;
    text.trim()
        .parse()
        .map_err(|_| format!("{name} is {text:?}, which is no whole number: write --shard I/N"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn take(of: Option<u64>, variables: &[(&str, &str)]) -> Result<String, String> {
        let lookup = |name: &str| {
            let found = variables.iter().find(|(set, _)| *set == name);
            found.map(|(_, value)| (*value).to_owned())
        };
        from_scheduler(of, &lookup).map(|(shard, source)| format!("{shard} {source}"))
    }

    fn slurm(values: [&'static str; 4]) -> Vec<(&'static str, &'static str)> {
        let names = [SLURM.number, SLURM_ARRAY[0], SLURM_ARRAY[1], SLURM_ARRAY[2]];
        let pairs = names.into_iter().zip(values);
        pairs.filter(|(_, value)| !value.is_empty()).collect()
    }

    #[test]
    fn every_scheduler_gives_its_shard() {
        for (of, variables, wanted) in [
            (
                None,
                slurm(["2", "0", "7", "8"]),
                "2/8 the Slurm array (SLURM_ARRAY_TASK_ID=2)",
            ),
            (
                Some(8),
                slurm(["5", "5", "6", "2"]),
                "5/8 the Slurm array (SLURM_ARRAY_TASK_ID=5)",
            ),
            (
                Some(3),
                vec![("HQ_TASK_ID", "0")],
                "0/3 HyperQueue (HQ_TASK_ID=0)",
            ),
            (
                Some(3),
                vec![("JOB_COMPLETION_INDEX", "2")],
                "2/3 the Kubernetes indexed job (JOB_COMPLETION_INDEX=2)",
            ),
            (
                Some(4),
                vec![("PARALLEL_SEQ", "4")],
                "3/4 GNU parallel (PARALLEL_SEQ=4)",
            ),
        ] {
            assert_eq!(take(of, &variables), Ok(wanted.to_owned()));
        }
    }

    #[test]
    fn what_is_half_there_is_refused() {
        for (of, variables, wanted) in [
            (None, vec![], "no scheduler says which shard this is"),
            (
                None,
                slurm(["2", "0", "7", ""]),
                "SLURM_ARRAY_TASK_COUNT is not set",
            ),
            (
                None,
                slurm(["", "0", "7", "8"]),
                "SLURM_ARRAY_TASK_ID is not set",
            ),
            (
                Some(8),
                slurm(["", "0", "7", "8"]),
                "SLURM_ARRAY_TASK_ID is not set",
            ),
            (
                None,
                slurm(["1", "1", "8", "8"]),
                "starts at 1, and a whole one is 0 to N-1: submit it with --array=0-7",
            ),
            (None, slurm(["2", "0", "7", "5"]), "has 5 tasks from 0 to 7"),
            (None, slurm(["0", "0", "18446744073709551615", "1"]), "has"),
            (
                None,
                slurm(["x", "0", "7", "8"]),
                "SLURM_ARRAY_TASK_ID is \"x\"",
            ),
            (
                None,
                slurm(["-1", "0", "7", "8"]),
                "SLURM_ARRAY_TASK_ID is \"-1\"",
            ),
            (
                None,
                slurm(["8", "0", "7", "8"]),
                "8 shards are numbered 0 to 7",
            ),
            (
                Some(4),
                slurm(["4", "0", "7", "8"]),
                "4 shards are numbered 0 to 3",
            ),
            (
                None,
                vec![("PARALLEL_SEQ", "1")],
                "does not say how many tasks there are",
            ),
            (
                Some(4),
                vec![("PARALLEL_SEQ", "0")],
                "4 shards are numbered 1 to 4",
            ),
            (Some(4), vec![("PARALLEL_SEQ", "5")], "numbered 1 to 4"),
            (
                Some(4),
                vec![("PARALLEL_SEQ", "1"), ("HQ_TASK_ID", "0")],
                "HyperQueue and GNU parallel both number this process",
            ),
        ] {
            let error = take(of, &variables).unwrap_err();
            assert!(error.contains(wanted), "{variables:?}: {error}");
        }
    }

    #[test]
    fn flags_are_read() {
        assert_eq!("auto".parse(), Ok(ShardFlag::Auto));
        assert_eq!("auto/8".parse(), Ok(ShardFlag::AutoOf(8)));
        assert_eq!(
            "1/4".parse(),
            Ok(ShardFlag::Given(Shard::new(1, 4).unwrap()))
        );
        for text in [
            "",
            "4/4",
            "auto/",
            "auto/0",
            "auto/x",
            "automatic",
            "auto8",
            "Auto",
        ] {
            assert!(text.parse::<ShardFlag>().is_err(), "{text}");
        }
    }
}
