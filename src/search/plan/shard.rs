//! Shards: the blocks of a plan dealt out in turn, so that machines can share it.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use thiserror::Error;

/// The most shards of a plan.
pub const MAX_SHARDS: u64 = 1_000_000;

/// Part `at` of `of`, from 0: the blocks `at`, `at + of`, `at + 2 of` ... Written `at/of`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub struct Shard {
    at: u64,
    of: u64,
}

/// A text that is no shard.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error(
    "{0:?} is no shard: write I/N, for example 0/4 to 3/4 for four machines (N is at most \
     {MAX_SHARDS})"
)]
pub struct ShardError(String);

impl Shard {
    /// The one shard that is all.
    pub const WHOLE: Shard = Shard { at: 0, of: 1 };

    /// Part `at` of `of`.
    ///
    /// # Errors
    /// [`ShardError`] if `at` is not below `of`, or `of` is over [`MAX_SHARDS`].
    pub fn new(at: u64, of: u64) -> Result<Shard, ShardError> {
        if at < of && of <= MAX_SHARDS {
            Ok(Shard { at, of })
        } else {
            Err(ShardError(format!("{at}/{of}")))
        }
    }

    /// Its number, from 0.
    pub fn at(self) -> u64 {
        self.at
    }

    /// How many there are.
    pub fn of(self) -> u64 {
        self.of
    }

    /// The block of the plan that is block `n` of this shard, if 64 bits hold its number.
    pub fn block(self, n: u64) -> Option<u64> {
        n.checked_mul(self.of)?.checked_add(self.at)
    }

    /// How many of the plan's first `blocks` blocks belong to this shard.
    pub fn share(self, blocks: u64) -> u64 {
        blocks.saturating_sub(self.at).div_ceil(self.of)
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.at, self.of)
    }
}

impl FromStr for Shard {
    type Err = ShardError;

    fn from_str(text: &str) -> Result<Shard, ShardError> {
        let numbers = text
            .split_once('/')
            .and_then(|(at, of)| Some((at.parse().ok()?, of.parse().ok()?)));
        match numbers {
            Some((at, of)) => Shard::new(at, of),
            None => Err(ShardError(text.chars().take(40).collect())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shards_are_disjoint_and_complete() {
        for of in 1..7 {
            for blocks in 0..30 {
                let mut all: Vec<u64> = (0..of)
                    .flat_map(|at| {
                        let shard = Shard { at, of };
                        (0..shard.share(blocks)).map(move |n| shard.block(n).unwrap())
                    })
                    .collect();
                all.sort_unstable();
                assert_eq!(all, (0..blocks).collect::<Vec<_>>());
            }
        }
        assert_eq!(Shard { at: 1, of: 2 }.block(u64::MAX), None);
    }

    #[test]
    fn a_wrong_shard_is_refused() {
        assert_eq!("2/3".parse::<Shard>().unwrap().to_string(), "2/3");
        for text in [
            "",
            "1",
            "1/1",
            "3/2",
            "-1/2",
            "0/0",
            "a/b",
            "1/2/3",
            "0/1000001",
        ] {
            let error = text.parse::<Shard>().unwrap_err().to_string();
            assert!(error.contains("0/4"), "{error}");
        }
    }
}
