//! How bots are treated, and who follows what they do.

use std::path::PathBuf;
use std::time::Duration;

use super::bot::Bot;
use super::game::Scene;
use super::limits::BotLimits;

/// How a match is played; nothing here changes who wins, unless a bot is too slow.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The time for an action, from the prompt to the answer.
    pub timeout: Duration,
    /// What a bot has on top for its first answer, to start.
    pub startup: Duration,
    /// What every answer has on top, for a machine that is busy.
    pub margin: Duration,
    /// Games at once, at least 1.
    pub jobs: usize,
    /// What each bot may use that has no limits of its own.
    pub limits: BotLimits,
    /// Whether bots are held apart from everything else: no network, no other process, no file that
    /// they can write but in a private folder.
    pub isolate: bool,
    /// The folder of logs, if any.
    pub logs: Option<PathBuf>,
    /// The executable of this program, whose `main` calls [`inner`](crate::referee::inner).
    pub program: PathBuf,
}

impl Settings {
    /// What this bot may use.
    pub fn limits_of(&self, bot: &Bot) -> BotLimits {
        bot.limits.unwrap_or(self.limits)
    }
}

/// Who follows a game, step by step. It may take its time: no bot's clock runs meanwhile.
pub type GameWatcher = Box<dyn FnMut(Scene) + Send>;
