//! Plays a match of any game: reads and writes its files, shows its progress, prints its standings.

use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io::{self, BufWriter, IsTerminal, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use anyhow::{Context, anyhow};
use indicatif::{ProgressBar, ProgressStyle};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};

use super::options::MatchOptions;
use super::show;
use crate::cli::term::exit::Exit;
use crate::cli::term::fault::{Fault, Outcome};
use crate::cli::term::output;
use crate::referee::{
    Bot, CardGame, FailureKind, GameRecord, Header, MatchError, MatchRun, Schedule, Score, Seating,
    Standings, StopRequest,
};

/// How often progress is told where there is no terminal.
const TELL_EVERY: Duration = Duration::from_secs(10);

/// A match as its own command understood it.
pub struct MatchPlan<'a, G> {
    /// The game.
    pub game: &'a G,
    /// The bots, named but not yet checked.
    pub bots: Vec<Bot>,
    /// Who sits where.
    pub seating: Seating,
    /// How many games are wanted; whole deals are played, so it may become a few more.
    pub games: u64,
    /// The options that change the rules, as on a command line: a match goes on under the same only.
    pub rules: Vec<String>,
    /// Seconds for an action unless the user says otherwise.
    pub timeout: f64,
    /// What every match has.
    pub options: &'a MatchOptions,
}

/// Plays it.
pub fn run<G: CardGame>(plan: MatchPlan<G>) -> Outcome {
    let MatchPlan {
        game,
        mut bots,
        seating,
        games,
        rules,
        timeout,
        options,
    } = plan;
    Bot::make_names_unique(&mut bots);
    let seats = game
        .seats(bots.len())
        .map_err(|why| Fault::usage(anyhow!(why)))?;
    let schedule = Schedule {
        seed: options.seed,
        bots: bots.len(),
        seats,
        variants: game.variants().len().max(1),
        seating,
    };
    let settings = options.settings(timeout).map_err(Fault::usage)?;
    let pause = options.pause().map_err(Fault::usage)?;
    let games = match options.game_number {
        Some(number) => number..number + 1,
        None if options.watch => 0..1,
        None => 0..games.next_multiple_of(schedule.games_per_deal()),
    };
    warn_of_jobs(settings.jobs);
    let the_match = MatchRun {
        game,
        bots: &bots,
        schedule: &schedule,
        settings: &settings,
    };
    let header = Header {
        game: game.name().to_owned(),
        version: Header::VERSION,
        seed: options.seed.to_string(),
        bots: bots
            .iter()
            .map(|bot| (bot.name.clone(), bot.text.clone()))
            .collect(),
        seating,
        rules,
    };
    let stop = stop_on_signals()
        .map_err(|error| Fault::usage(error.context("cannot watch for signals")))?;
    the_match.try_bots().map_err(fault)?;

    let standings = Standings::new(bots.iter().map(|bot| bot.name.clone()), game.variants());
    let mut report = MatchReport::open(options, &header, standings)?;
    let first = report.next.max(games.start);
    let progress = MatchProgress::new(games.clone(), first, options);
    let watcher = options
        .watch
        .then(|| Ok(show::watcher(pause, stop.listener()?)))
        .transpose()
        .map_err(|error: io::Error| {
            Fault::usage(anyhow!(error).context("cannot watch the game"))
        })?;
    let result = the_match.play(first..games.end, &stop, watcher, &mut |record, slowest| {
        report.add(record, slowest)?;
        progress.at(record.game + 1);
        Ok(())
    });
    progress.end();
    let stopped = match result {
        Ok(()) => false,
        Err(MatchError::Stopped) => true,
        Err(MatchError::Sink(error)) => return Err(report.fault(error)),
        Err(error) => return Err(fault(error)),
    };
    report.close(&games, options)?;
    if stopped {
        say_how_to_go_on(options, report.next.max(games.start) - games.start, &games);
        return Ok(Exit::Stopped);
    }
    if report.standings.any_failed() && !options.forgive {
        return Ok(Exit::ClaimFailed);
    }
    Ok(Exit::Done)
}

/// The exit code of a match that could not be played.
fn fault(error: MatchError) -> Fault {
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

/// A request to stop that a first signal makes; a second one ends the program at once.
fn stop_on_signals() -> anyhow::Result<StopRequest> {
    let stop = StopRequest::new()?;
    let again = Arc::new(AtomicBool::new(false));
    for signal in [SIGINT, SIGTERM, SIGHUP] {
        signal_hook::flag::register_conditional_shutdown(signal, 128 + signal, Arc::clone(&again))?;
        signal_hook::flag::register(signal, Arc::clone(&again))?;
        signal_hook::low_level::pipe::register(signal, stop.trigger()?)?;
    }
    Ok(stop)
}

fn say_how_to_go_on(options: &MatchOptions, played: u64, games: &Range<u64>) {
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

/// Where the records of a match go.
struct MatchReport {
    results: Option<(PathBuf, File)>,
    csv: Option<(PathBuf, csv::Writer<BufWriter<File>>)>,
    json: bool,
    standings: Standings,
    reasons: BTreeMap<String, u64>,
    /// The first failure of each kind of each bot: game and detail.
    failures: BTreeMap<(String, FailureKind), (u64, String)>,
    last: Option<GameRecord>,
    next: u64,
    /// Which file was being written, should writing fail.
    writing: Option<PathBuf>,
}

impl MatchReport {
    fn open(
        options: &MatchOptions,
        header: &Header,
        standings: Standings,
    ) -> Result<MatchReport, Fault> {
        let mut report = MatchReport {
            results: None,
            csv: None,
            json: options.json,
            standings,
            reasons: BTreeMap::new(),
            failures: BTreeMap::new(),
            last: None,
            next: 0,
            writing: None,
        };
        if report.json {
            header.write(&mut io::stdout())?;
        }
        if let Some(path) = &options.csv {
            report.csv = Some((
                path.clone(),
                open_csv(path).map_err(|error| Fault::io(path, error))?,
            ));
        }
        if let Some(path) = &options.results {
            let mut file = OpenOptions::new()
                .read(true)
                .write(true)
                .create(true)
                .truncate(false)
                .open(path)
                .map_err(|error| Fault::io(path, error))?;
            if options.resume {
                let mut earlier = Vec::new();
                let next = header
                    .resume(&mut file, &mut |record| earlier.push(record))
                    .with_context(|| format!("cannot go on with {}", path.display()))
                    .map_err(Fault::usage)?;
                for record in &earlier {
                    report
                        .add(record, &[])
                        .map_err(|error| report.fault(error))?;
                }
                report.next = next;
            } else {
                let length = file
                    .metadata()
                    .map_err(|error| Fault::io(path, error))?
                    .len();
                if length > 0 {
                    let why =
                        "is there already; --resume goes on with it, another name starts anew";
                    return Err(Fault::usage(anyhow!("{} {why}", path.display())));
                }
                header
                    .write(&mut file)
                    .map_err(|error| Fault::io(path, error))?;
            }
            report.results = Some((path.clone(), file));
        }
        Ok(report)
    }

    fn add(&mut self, record: &GameRecord, slowest: &[Duration]) -> io::Result<()> {
        if let Some((path, file)) = &mut self.results {
            self.writing = Some(path.clone());
            record.write(file)?;
        }
        if let Some((path, csv)) = &mut self.csv {
            self.writing = Some(path.clone());
            write_csv(csv, record)?;
        }
        self.writing = None;
        if self.json {
            record.write(&mut io::stdout())?;
        }
        self.standings.add(record);
        for (name, &slowest) in record.seats.iter().zip(slowest) {
            self.standings.note_slowest(name, slowest);
        }
        *self.reasons.entry(record.reason.clone()).or_default() += 1;
        for failed in &record.failures {
            self.failures
                .entry((failed.bot.clone(), failed.failure.kind))
                .or_insert_with(|| (record.game, failed.failure.detail.clone()));
        }
        self.next = record.game + 1;
        self.last = Some(record.clone());
        Ok(())
    }

    fn fault(&self, error: io::Error) -> Fault {
        match &self.writing {
            Some(path) => Fault::io(path, error),
            None => error.into(),
        }
    }

    /// Prints what stands.
    fn close(&mut self, games: &Range<u64>, options: &MatchOptions) -> Result<(), Fault> {
        if let Some((path, csv)) = &mut self.csv {
            csv.flush().map_err(|error| Fault::io(path, error))?;
        }
        if self.json {
            return Ok(show::standings_json(&self.standings, &mut io::stdout())?);
        }
        let mut out = anstream::stdout();
        if options.watch {
            return Ok(());
        }
        match &self.last {
            Some(record) if options.game_number.is_some() => show::game(record, &mut out)?,
            _ => show::standings(&self.standings, &self.reasons, &self.failures, &mut out)?,
        }
        if options.game_number.is_none() && self.next < games.end {
            writeln!(out, "{} of {} games were played", self.next, games.end)?;
        }
        Ok(())
    }
}

fn open_csv(path: &Path) -> io::Result<csv::Writer<BufWriter<File>>> {
    let mut csv = csv::Writer::from_writer(BufWriter::new(File::create(path)?));
    csv.write_record([
        "game", "deal", "variant", "seat", "bot", "score", "reason", "turns", "failure", "detail",
    ])?;
    Ok(csv)
}

fn write_csv(csv: &mut csv::Writer<BufWriter<File>>, record: &GameRecord) -> io::Result<()> {
    for (seat, bot) in record.seats.iter().enumerate() {
        let score = match &record.score {
            Score::Winners(winners) if winners.contains(&seat) => {
                (1.0 / winners.len() as f64).to_string()
            }
            Score::Winners(_) => "0".to_owned(),
            Score::Points(points) => points.get(seat).copied().unwrap_or(0).to_string(),
        };
        let failed = record.failures.iter().find(|failed| failed.seat == seat);
        csv.write_record([
            record.game.to_string().as_str(),
            &record.deal.to_string(),
            record.variant.as_deref().unwrap_or(""),
            &seat.to_string(),
            bot,
            &score,
            &record.reason,
            &record.turns.to_string(),
            failed.map_or("", |failed| failed.failure.kind.word()),
            failed.map_or("", |failed| failed.failure.detail.as_str()),
        ])?;
    }
    Ok(())
}

/// How far a match is: a bar on a terminal, a line now and then elsewhere.
struct MatchProgress {
    bar: Option<ProgressBar>,
    told: std::cell::Cell<Instant>,
    games: Range<u64>,
}

impl MatchProgress {
    fn new(games: Range<u64>, first: u64, options: &MatchOptions) -> MatchProgress {
        let many = games.end - games.start > 1 && !options.watch;
        let bar = (many && io::stderr().is_terminal()).then(|| {
            let style = "{wide_bar} {pos}/{len} games  {eta} left";
            let style = ProgressStyle::with_template(style).expect("a valid template");
            let bar = ProgressBar::new(games.end - games.start).with_style(style);
            bar.set_position(first - games.start);
            bar
        });
        MatchProgress {
            bar,
            told: std::cell::Cell::new(Instant::now()),
            games,
        }
    }

    fn at(&self, next: u64) {
        let played = next - self.games.start;
        match &self.bar {
            Some(bar) => bar.set_position(played),
            None if self.told.get().elapsed() >= TELL_EVERY => {
                self.told.set(Instant::now());
                let all = self.games.end - self.games.start;
                output::notice(format_args!("{played} of {all} games"));
            }
            None => {}
        }
    }

    fn end(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}
