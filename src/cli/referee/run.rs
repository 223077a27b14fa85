//! Plays a match of any game: checks the bots, plays stretch after stretch, says how it ended.

use std::io::{self, IsTerminal};
use std::ops::{ControlFlow, Range};
use std::path::PathBuf;
use std::time::{Duration, Instant};

use anyhow::anyhow;
use indicatif::{ProgressBar, ProgressStyle};

use super::options::RunOptions;
use super::report::MatchReport;
use super::show;
use crate::cli::term::exit::Exit;
use crate::cli::term::fault::{Fault, Outcome};
use crate::cli::term::output;
use crate::cli::term::signals::StopSignals;
use crate::referee::{
    Course, Fixture, GameRecord, GameRules, MatchError, MatchPlan, MatchRun, Replayable, Settings,
    StopRequest, Summary, prove_game,
};

/// How often progress is told where there is no terminal.
const TELL_EVERY: Duration = Duration::from_secs(10);
/// How often it is told on a terminal.
const DRAW_EVERY: Duration = Duration::from_millis(500);
/// The time between two games that are shown of a tournament.
const SHOW_EVERY: Duration = Duration::from_secs(10);
/// How many bots the progress names.
const LEADERS: usize = 5;

/// Plays it.
pub fn run(plan: &MatchPlan, options: &RunOptions) -> Outcome {
    match &plan.rules {
        GameRules::Uno(game) => play(game, plan, options),
        GameRules::Bs(game) => play(game, plan, options),
        GameRules::Barbu(game) => play(game, plan, options),
    }
}

fn play<G: Replayable>(game: &G, plan: &MatchPlan, options: &RunOptions) -> Outcome {
    let is_tournament = plan.pairings.is_some();
    let settings = Settings {
        timeout: plan.timeout,
        startup: plan.startup,
        margin: plan.margin,
        jobs: usize::from(options.jobs),
        limits: plan.limits,
        isolate: plan.isolate,
        logs: options.logs.clone(),
        // This very program, even if its file was replaced meanwhile.
        program: PathBuf::from("/proc/self/exe"),
    };
    let pause = options.pause().map_err(Fault::usage)?;
    let mut course = plan.course();
    if options.watch && options.resume && !is_tournament {
        return Err(Fault::usage(anyhow!(
            "--watch plays one game, and --resume many; leave one of them out"
        )));
    }
    let games = match options.game_number {
        Some(_) if !course.is_known_ahead() => {
            return Err(Fault::usage(anyhow!(
                "--game-number: who meets in a Swiss tournament depends on the games before; \
                 `camicia match replay` shows a game of its results"
            )));
        }
        Some(number) => number..number + 1,
        None if options.watch && !is_tournament => 0..1,
        None => 0..plan.games,
    };
    warn_of_jobs(settings.jobs);
    let stop = stop_on_signals()?;
    let first_look = MatchRun {
        game,
        bots: &plan.bots,
        schedule: course.schedule(),
        settings: &settings,
    };
    first_look.try_bots().map_err(fault)?;

    let names: Vec<String> = plan.bots.iter().map(|bot| bot.name.clone()).collect();
    let per_deal = course.schedule().games_per_deal();
    let sprt = plan.sprt.map(|test| (test, per_deal));
    let summary = Summary::new(&names, plan.rules.variants(), sprt);
    let name = |bot: usize| names[bot].as_str();
    let prove = |course: &Course, record: &GameRecord| {
        prove_game(&plan.rules, course, plan.seed, &name, record).map(drop)
    };
    let mut report = MatchReport::open(
        options,
        &plan.header(),
        summary,
        is_tournament,
        &mut course,
        &prove,
    )?;
    let mut next = report.next.max(games.start);
    let mut live = Live::new(games.clone(), next, options, pause, is_tournament);
    let result = loop {
        if next >= games.end || report.is_decided() {
            break Ok(());
        }
        course.come_to(next, || report.summary.standings.worth());
        let stretch = course.stretch(next, games.end);
        let watcher = match options.watch && !is_tournament {
            true => {
                let stop = stop.listener();
                Some(show::watcher(pause, stop?))
            }
            false => None,
        };
        let the_match = MatchRun {
            game,
            bots: &plan.bots,
            schedule: course.schedule(),
            settings: &settings,
        };
        let played = the_match.play(stretch.clone(), &stop, watcher, &mut |record, slowest| {
            report.add(record, slowest)?;
            live.at(game, &course, record, &report.summary);
            Ok(match report.is_decided() {
                true => ControlFlow::Break(()),
                false => ControlFlow::Continue(()),
            })
        });
        if let Err(error) = played {
            break Err(error);
        }
        next = stretch.end;
    };
    live.end();
    let stopped = match result {
        Ok(()) => false,
        Err(MatchError::Stopped) => true,
        Err(MatchError::Sink(error)) => return Err(report.fault(error)),
        Err(error) => return Err(fault(error)),
    };
    report.close(&games, options)?;
    if stopped {
        say_how_to_resume(options, report.next.max(games.start) - games.start, &games);
        return Ok(Exit::Stopped);
    }
    if report.summary.standings.any_failed() && !options.forgive {
        return Ok(Exit::ClaimFailed);
    }
    Ok(Exit::Done)
}

/// The exit code of a match that could not be played.
pub fn fault(error: MatchError) -> Fault {
    match error {
        MatchError::Trouble(why) => Fault {
            exit: Exit::Io,
            error: anyhow!(why),
        },
        error => Fault::usage(error),
    }
}

fn warn_of_jobs(jobs: usize) {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    if jobs > cores {
        output::warning(format_args!(
            "{jobs} games at once on {cores} cores; bots may miss their time for want of a core"
        ));
    }
}

/// A request to stop that a first signal makes.
pub fn stop_on_signals() -> Result<StopRequest, Fault> {
    let fault = |error: io::Error| Fault {
        exit: Exit::Io,
        error: anyhow!(error).context("cannot listen to signals"),
    };
    let stop = StopRequest::new().map_err(fault)?;
    let trigger = stop.trigger().map_err(fault)?;
    StopSignals::listen_and(move || {
        use std::io::Write;
        let _ = (&trigger).write(b"!");
    })?;
    Ok(stop)
}

fn say_how_to_resume(options: &RunOptions, played: u64, games: &Range<u64>) {
    let all = games.end - games.start;
    output::notice(format_args!("stopped after {played} of {all} games"));
    if options.results.is_some() {
        let mut command: Vec<String> = std::env::args().collect();
        if !options.resume {
            command.push("--resume".to_owned());
        }
        output::notice(format_args!("resume with: {}", shell_words::join(command)));
    } else {
        output::notice("with --results FILE you can resume a match");
    }
}

/// What is told while a match is played: a bar on a terminal, a line now and then elsewhere; and the
/// games of a tournament that are shown.
struct Live {
    bar: Option<ProgressBar>,
    started: Instant,
    told: Instant,
    games: Range<u64>,
    first: u64,
    /// How often a game is shown, and when one was last.
    shows: Option<(Duration, Option<Instant>)>,
}

impl Live {
    fn new(
        games: Range<u64>,
        first: u64,
        options: &RunOptions,
        pause: Option<Duration>,
        is_tournament: bool,
    ) -> Live {
        let many = games.end - games.start > 1 && (is_tournament || !options.watch);
        let bar = (many && io::stderr().is_terminal()).then(|| {
            let style = "{wide_bar} {pos}/{len} games  {msg}";
            let style = ProgressStyle::with_template(style).expect("a valid template");
            let bar = ProgressBar::new(games.end - games.start).with_style(style);
            bar.set_position(first - games.start);
            bar
        });
        Live {
            bar,
            started: Instant::now(),
            told: Instant::now(),
            games,
            first,
            shows: (is_tournament && options.watch).then(|| (pause.unwrap_or(SHOW_EVERY), None)),
        }
    }

    fn at<G: Replayable>(
        &mut self,
        game: &G,
        course: &Course,
        record: &GameRecord,
        summary: &Summary,
    ) {
        let now = Instant::now();
        let played = record.game + 1 - self.games.start;
        let every = if self.bar.is_some() {
            DRAW_EVERY
        } else {
            TELL_EVERY
        };
        if now - self.told >= every {
            self.told = now;
            let news = self.news(record.game + 1, now, summary);
            match &self.bar {
                Some(bar) => {
                    bar.set_position(played);
                    bar.set_message(news);
                }
                None => {
                    let all = self.games.end - self.games.start;
                    output::notice(format_args!("{played} of {all} games, {news}"));
                }
            }
        }
        if let Some((every, last)) = &mut self.shows
            && last.is_none_or(|last| now - last >= *every)
        {
            *last = Some(now);
            let show = || show_again(game, course, record);
            match &self.bar {
                Some(bar) => bar.suspend(show),
                None => show(),
            }
        }
    }

    /// Rate, time left, and who leads.
    fn news(&self, next: u64, now: Instant, summary: &Summary) -> String {
        let spent = (now - self.started).as_secs_f64();
        let rate = (next - self.first) as f64 / spent.max(1e-3);
        let left = (self.games.end - next) as f64 / rate.max(1e-9);
        let left = indicatif::HumanDuration(Duration::from_secs_f64(left.min(1e9)));
        let mut parts = vec![format!("{rate:.0} a second, {left:#} left")];
        parts.extend(show::leaders(&summary.standings, LEADERS));
        parts.extend(summary.sprt.as_ref().map(show::sprt));
        parts.join("; ")
    }

    fn end(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

/// Shows a game that has ended, from its moves.
fn show_again<G: Replayable>(game: &G, course: &Course, record: &GameRecord) {
    let pairing = course.schedule().game(record.game);
    let fixture = Fixture {
        number: record.game,
        deal: record.deal,
        variant: pairing.variant,
        names: record.seats.clone(),
        seed: course.schedule().seed,
    };
    let Ok(replay) = game.replay(&fixture, &record.moves) else {
        return;
    };
    let mut out = anstream::stdout().lock();
    // A reader who went away is no trouble of the match.
    let _ = show::game(record, &mut out);
    for step in &replay.steps {
        let _ = show::scene(&step.scene, true, &mut out);
    }
    use std::io::Write;
    let _ = writeln!(out);
}
