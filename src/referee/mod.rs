//! Matches between programs over their standard input and output.
//!
//! The room has three floors:
//! - **the core** starts the bots, carries lines both ways, keeps the clock, ends every process, plays
//!   a schedule of games on several threads and counts the results. Nothing of it knows a game;
//! - **a game** ([`Game`]) brings its rules (pure, no input or output) and its protocol (the words a
//!   bot reads and writes), written against [`Players`], so that it is played by processes or by a
//!   script in a test alike;
//! - **the built-in bots** are ordinary programs: the same executable, started as a subprocess.
//!
//! How a bot is kept: every game thread owns a *keeper*, a small process of the same executable that
//! adopts whatever its bots leave behind and ends all of it when the referee says so or is gone, even
//! by `SIGKILL`. See `keeper`.
//!
//! This room knows no terminal and no file name that it is not given.

mod games;
mod host;
mod random;
mod tournament;

pub use games::barbu::{Barbu, Contract, Protocol};
pub use games::bs::{Bs, JavaError, JavaPlayers};
pub use games::uno::Uno;
pub use host::bot::{Bot, BotError, Program};
pub use host::game::{
    Ending, Failure, FailureKind, Game, Halt, Life, Players, Reason, Reply, Result, Round, Scene,
    Seat, Tone,
};
pub use host::launch::{Limits, inner};
pub use host::stop::Stop;
pub use random::Random;
pub use tournament::record::{Failed, Header, Record, RecordError, Score};
pub use tournament::runner::{Match, MatchError, Settings, Watcher};
pub use tournament::schedule::{Pairing, Schedule, Seating};
pub use tournament::standings::{Standing, Standings, wilson};
