//! The ways of searching.
//!
//! - [`random`] draws deals, [`climb`] changes deals a little, [`exhaust`] plays all deals of a deck,
//!   [`grow`] makes infinite games from infinite games.
//! - [`harvest`] is what long games and loops are made to yield; [`decks`] exhausts many small decks.
//!
//! This file is the one list of all ways. Whoever adds one writes its file (keys, options, method)
//! and a line in the list; a key that no other way has also gets a line in `plan/keys.rs`.

pub mod address;
pub mod climb;
pub mod decks;
pub mod exhaust;
pub mod grow;
pub mod harvest;
mod method;
pub mod random;

use super::plan::{Canonical, Common, Fingerprint, Keys, PlanError, nearest};
use crate::game::lanes::Kernel;

pub use method::{AnyMethod, AnyPart, AnyTally, BoxedMethod, Disagreement, Method, Report, Way};

/// Makes the list of ways: the only place that tells them apart.
macro_rules! ways {
    ($($(#[$doc:meta])* $way:ident($options:ty);)*) => {
        /// The way of searching, with its own keys.
        #[derive(Clone, PartialEq, Eq, Debug)]
        pub enum How {
            $($(#[$doc])* $way($options)),*
        }

        /// Names, and the keys each way knows besides those that all know.
        const WAYS: &[(&str, &[&str])] = &[$((<$options>::NAME, <$options>::KEYS)),*];

        impl How {
            fn check(name: &str, keys: &Keys) -> Result<Plan, PlanError> {
                $(if name == <$options>::NAME {
                    let common = Common::check(keys, <$options>::KEEP_CYCLES)?;
                    let how = How::$way(<$options>::check(keys, &common)?);
                    return Ok(Plan { common, how });
                })*
                Err(unknown(name))
            }

            /// Its name, as plans write it.
            pub fn name(&self) -> &'static str {
                match self {
                    $(How::$way(_) => <$options>::NAME),*
                }
            }

            /// Why its blocks cannot be shared among machines, if they cannot.
            pub fn no_shards(&self) -> Option<&'static str> {
                match self {
                    $(How::$way(_) => <$options>::NO_SHARDS),*
                }
            }

            fn settle(&mut self, common: &Common) {
                match self {
                    $(How::$way(options) => options.settle(common)),*
                }
            }

            fn canonical(&self, common: &Common) -> Canonical {
                match self {
                    $(How::$way(options) => options.canonical(common)),*
                }
            }

            fn method(&self, common: &Common, kernel: Kernel) -> BoxedMethod {
                match self {
                    $(How::$way(options) => options.method(common, kernel)),*
                }
            }
        }
    };
}

ways! {
    /// Random deals.
    Random(random::RandomOptions);
    /// Every deal, in order.
    Exhaust(exhaust::ExhaustOptions);
    /// Cycles grown from cycles.
    Grow(grow::GrowOptions);
    /// Small changes to deals.
    Climb(climb::ClimbOptions);
}

fn unknown(how: &str) -> PlanError {
    PlanError::Value {
        key: "how",
        message: format!(
            "{how:?} is no way of searching{}",
            nearest(how, WAYS.iter().map(|(name, _)| *name))
        ),
    }
}

/// A checked plan.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Plan {
    /// What all ways of searching share.
    pub common: Common,
    /// The way of searching, with its own keys.
    pub how: How,
}

impl Plan {
    /// Checks the keys of a plan against each other, and the ranges of their values.
    ///
    /// # Errors
    /// [`PlanError`].
    pub fn check(keys: &Keys) -> Result<Plan, PlanError> {
        let how = keys.how.as_deref().unwrap_or("random");
        let Some((_, known)) = WAYS.iter().find(|(name, _)| *name == how) else {
            return Err(unknown(how));
        };
        for key in keys.names() {
            if !Common::KEYS.contains(&key) && !known.contains(&key) {
                let ways = WAYS.iter().filter(|(_, keys)| keys.contains(&key));
                let belongs: Vec<&str> = ways.map(|(name, _)| *name).collect();
                return Err(PlanError::Foreign {
                    key: key.to_owned(),
                    how: how.to_owned(),
                    belongs: belongs.join(", "),
                });
            }
        }
        How::check(how, keys)
    }

    /// Checks the keys of a plan, and settles what they leave open and the deals decide: what a run
    /// needs, and what a fingerprint is taken of. May play some games.
    ///
    /// # Errors
    /// [`PlanError`].
    pub fn settled(keys: &Keys) -> Result<Plan, PlanError> {
        let mut plan = Plan::check(keys)?;
        plan.how.settle(&plan.common);
        Ok(plan)
    }

    /// Everything that decides the plan's results.
    pub fn canonical(&self) -> Canonical {
        self.how.canonical(&self.common)
    }

    /// The plan's name.
    pub fn fingerprint(&self) -> Fingerprint {
        self.canonical().fingerprint()
    }

    /// Its way of searching, played by `kernel` where many games are played at once: no result
    /// depends on it.
    ///
    /// # Panics
    /// When it plays, if this machine cannot run `kernel`.
    pub fn method(&self, kernel: Kernel) -> BoxedMethod {
        self.how.method(&self.common, kernel)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan(text: &str) -> Result<Plan, String> {
        Keys::read(text)
            .and_then(|keys| Plan::check(&keys))
            .map_err(|error| error.to_string())
    }

    #[test]
    fn wrong_keys_and_values_are_named_with_their_place() {
        for (text, words) in [
            (
                "gmaes = 3",
                &["line 1, column 1", "gmaes", "did you mean \"games\"?"][..],
            ),
            (
                "games = 3\n\n  xyzzy = 1",
                &["line 3, column 3", "xyzzy", "accepted are how, deck"],
            ),
            (
                "games = ",
                &["line 1, column 9", "games: a value is missing"],
            ),
            (
                "seed = 1\ngames =   # how many?\nkeep = 1",
                &["line 2", "games: a value is missing"],
            ),
            (
                "seed = 1\ngames = \"many\"",
                &["line 2, column 9", "games: ", "many"],
            ),
            ("games = -1", &["line 1", "games: ", "-1"]),
            ("games = 1.5", &["line 1", "games: "]),
            ("games = [1]", &["line 1", "games: "]),
            ("games = 1e300", &["games: "]),
            ("[random]\ngames = 1", &["line 1, column 2", "random"]),
            ("games = 1\ngames = 2", &["line 2, column 1", "duplicate"]),
            ("deck = \"standard\"", &["games is missing", "games = 1e9"]),
            ("games = 0", &["games: 0 is out of range", "1 to"]),
            ("games = 1\nblock = 0", &["block: 0"]),
            ("games = 1\nkeep = 0", &["keep: 0"]),
            ("games = 1\nseed = 9007199254740992", &["seed: "]),
            (
                "games = 1\ndeck = \"tarot\"",
                &["deck: \"tarot\"", "standard, italian, half"],
            ),
            (
                "games = 1\ndeck = \"plain=60,J=4\"",
                &["deck: ", "64 cards", "63"],
            ),
            (
                "games = 1\ndeck = \"half,hands=20/0\"",
                &["deck: ", "empty"],
            ),
            (
                "games = 1\nhow = \"radnom\"",
                &["how: \"radnom\"", "did you mean \"random\"?"],
            ),
        ] {
            let error = plan(text).unwrap_err();
            for word in words {
                assert!(
                    error.contains(word),
                    "{text:?} gives {error:?}, without {word:?}"
                );
            }
            assert!(!error.contains('\n'), "{error}");
        }
    }

    #[test]
    fn numbers_may_be_written_for_people() {
        for text in ["1000000", "1_000_000", "1e6", "\"1e6\"", "1.0e6"] {
            let plan = plan(&format!("games = {text}")).unwrap();
            assert!(matches!(plan.how, How::Random(options) if options.games == 1_000_000));
        }
    }

    #[test]
    fn the_canonical_form_is_a_plan_of_the_same_fingerprint() {
        let written = plan("games = 1e6\ncheckpoint_every = 5\nclose_from = 700").unwrap();
        let canonical = written.canonical();
        let again = plan(canonical.as_str()).unwrap();
        assert_eq!(again.fingerprint(), written.fingerprint());
        assert_eq!(again.canonical(), canonical);
        // What is left out or decides nothing leaves no trace; everything else does.
        let climb = plan(
            "how = \"climb\"\ndeck = \"plain=2,1=2\"\ngames = 5\nfrom = [\"01/10\", \"11/00\"]",
        );
        let climb = climb.unwrap();
        assert_eq!(plan(climb.canonical().as_str()).unwrap(), climb);
        let explicit =
            "deck = \"standard\"\nhow = \"random\"\nseed = 1\ngames = 1000000\nclose_from = 700";
        assert_eq!(plan(explicit).unwrap().fingerprint(), written.fingerprint());
        for change in [
            "seed = 2",
            "keep = 7",
            "keep_cycles = 7",
            "block = 7",
            "cap = 77",
            "deck = \"half\"",
        ] {
            let other = plan(&format!("games = 1e6\nclose_from = 700\n{change}")).unwrap();
            assert_ne!(other.fingerprint(), written.fingerprint(), "{change}");
        }
    }

    #[test]
    fn a_fingerprint_never_changes() {
        // States of running searches are checked against it.
        let plan = plan("games = 1e6\nclose_from = 700").unwrap();
        assert_eq!(
            plan.canonical().as_str(),
            "how = \"random\"\ndeck = \"standard\"\nkeep = 1000\nkeep_cycles = 1000\nseed = 1\ngames = 1000000\nblock = 131072\nclose_from = 700\ncap = 5000\n"
        );
        assert_eq!(plan.fingerprint().to_string(), "3da7d220e4e89b39");
    }
}
