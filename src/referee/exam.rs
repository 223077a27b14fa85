//! Puts one bot through the situations of its game, for its author.

use std::ops::ControlFlow;
use std::sync::Mutex;

use super::games::barbu::{self, Protocol};
use super::games::check::{Situation, SituationReport};
use super::games::{bs, uno};
use super::host::bot::Bot;
use super::host::game::{
    CardGame, FailureKind, Fixture, GameEnd, Life, Players, Reason, Result, Score,
};
use super::host::settings::Settings;
use super::host::stop::StopRequest;
use super::plan::GameRules;
use super::tournament::runner::{MatchError, MatchRun};
use super::tournament::schedule::{Schedule, Seating};
use super::tournament::tables::Tables;

/// After so many situations in a row without an answer the rest is left out.
const PATIENCE: usize = 3;

/// A game of one seat: the situation of its number.
struct Exam<'a> {
    rules: &'a GameRules,
    report: Mutex<Option<SituationReport>>,
}

fn situations(rules: &GameRules) -> Vec<Situation> {
    match rules {
        GameRules::Uno(_) => uno::check::situations(),
        GameRules::Bs(_) => bs::check::situations(),
        GameRules::Barbu(game) => barbu::check::situations(match game.speaks_ai() {
            true => Protocol::Ai,
            false => Protocol::New,
        }),
    }
}

impl CardGame for Exam<'_> {
    const LIFE: Life = Life::Game;

    fn name(&self) -> &'static str {
        self.rules.name()
    }

    fn seats(&self, _: usize) -> std::result::Result<usize, String> {
        Ok(1)
    }

    fn play(&self, fixture: &Fixture, players: &mut dyn Players) -> Result<GameEnd> {
        let situation = situations(self.rules)
            .into_iter()
            .nth(fixture.number as usize)
            .expect("a situation of this number");
        let report = situation.examine(players)?;
        let turns = report.asked as u64;
        let mut place = self
            .report
            .lock()
            .unwrap_or_else(|poison| poison.into_inner());
        *place = Some(report);
        Ok(GameEnd {
            reason: Reason::Draw,
            score: Score::Winners(Vec::new()),
            turns,
            moves: String::new(),
        })
    }
}

/// How many situations a game has.
pub fn count_situations(rules: &GameRules) -> usize {
    situations(rules).len()
}

/// Puts a bot through all situations and hands each report to `each`, with the longest time that an
/// answer took after the first. Whether all of them were played: a bot that does not answer three times
/// in a row is left alone.
///
/// # Errors
/// When the bot cannot be started, or the check was stopped.
pub fn examine(
    rules: &GameRules,
    bot: &Bot,
    settings: &Settings,
    stop: &StopRequest,
    each: &mut dyn FnMut(SituationReport) -> std::io::Result<()>,
) -> std::result::Result<bool, MatchError> {
    let exam = Exam {
        rules,
        report: Mutex::new(None),
    };
    let schedule = Schedule {
        seed: 0,
        bots: 1,
        seats: 1,
        variants: 1,
        seating: Seating::Fixed,
        tables: Tables::One,
    };
    // One after the other, whatever the settings say: their reports share a place.
    let settings = Settings {
        jobs: 1,
        ..settings.clone()
    };
    let the_match = MatchRun {
        game: &exam,
        bots: std::slice::from_ref(bot),
        schedule: &schedule,
        settings: &settings,
    };
    the_match.try_bots()?;
    let all = count_situations(rules) as u64;
    let mut silent = 0;
    for number in 0..all {
        let mut is_silent = false;
        the_match.play(number..number + 1, stop, None, &mut |record, _| {
            is_silent = record
                .failures
                .iter()
                .any(|failed| failed.failure.kind == FailureKind::Timeout);
            Ok(ControlFlow::Continue(()))
        })?;
        let report = exam
            .report
            .lock()
            .unwrap_or_else(|poison| poison.into_inner())
            .take();
        if let Some(report) = report {
            each(report)?;
        }
        silent = if is_silent { silent + 1 } else { 0 };
        if silent == PATIENCE && number + 1 < all {
            return Ok(false);
        }
    }
    Ok(true)
}
