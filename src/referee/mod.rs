//! Matches between programs over their standard input and output.
//!
//! The room has three floors; a floor knows only those below it:
//! - `tournament` plays a schedule of games on several threads, records and counts the results;
//! - `games` bring their rules (pure, no input or output), their protocols (the words a bot reads and
//!   writes) and the built-in bots, which are ordinary programs: the same executable, started as a
//!   subprocess. A [`CardGame`] is written against [`Players`], so processes or a script in a test can
//!   play it;
//! - `host` starts the bots, carries lines both ways, keeps the clock and ends every process. It knows
//!   no game; the list of built-in bots is handed to it.
//!
//! How a bot is kept: every game thread owns a *keeper*, a small process of the same executable that
//! adopts whatever its bots leave behind and ends all of it when the referee says so or is gone, even
//! by `SIGKILL`. See `host::keeper`.
//!
//! This room knows no terminal and no file name that it is not given.

mod exam;
mod games;
mod host;
mod plan;
mod proof;
mod tournament;

pub use exam::{count_situations, examine};
pub use games::BUILTINS;
pub use games::barbu::{Barbu, Contract, Protocol};
pub use games::bs::{Bs, JavaError, JavaPlayers};
pub use games::check::{SituationFault, SituationReport};
pub use games::replay::{Replay, ReplayError, ReplayStep, Replayable};
pub use games::uno::Uno;
pub use host::bot::{Bot, BotError, CommandLine, Program};
pub use host::builtin::{Builtin, Builtins};
pub use host::game::{
    CardGame, Failure, FailureKind, Fixture, GameEnd, Halt, Life, Players, Reason, Reply, Result,
    Scene, Score, SeatIndex, Tone,
};
pub use host::limits::BotLimits;
pub use host::settings::{GameWatcher, Settings};
pub use host::stop::StopRequest;
pub use plan::{
    BotEntry, CommandEntry, GameRules, LimitsEntry, MatchFile, MatchPlan, PlanError, RulesEntry,
    Size,
};
pub use proof::{Proof, ProofError, prove_game, replay_game, verify_games};
pub use tournament::course::{Course, Pairings};
pub use tournament::crosstable::{Cell, Crosstable};
pub use tournament::ratings::{Rating, Ratings};
pub use tournament::record::{Failed, GameRecord, Header, RecordError};
pub use tournament::runner::{MatchError, MatchRun};
pub use tournament::schedule::{Pairing, Schedule, Seating};
pub use tournament::sprt::{Sprt, SprtTest, SprtVerdict};
pub use tournament::standings::{BotStanding, Standings, wilson};
pub use tournament::summary::Summary;
pub use tournament::tables::{Circles, Tables};

/// Serves as a keeper or becomes a bot when this process was started for that; `None` when a user
/// started it. To be called first in `main`.
pub fn inner() -> Option<std::process::ExitCode> {
    host::entry::inner(BUILTINS)
}
