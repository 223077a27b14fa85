//! Where the games of a match go: the results file, the table for programs, the standings.

use std::collections::BTreeMap;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, BufWriter, Seek, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::anyhow;

use super::options::RunOptions;
use super::show;
use crate::cli::term::exit::Exit;
use crate::cli::term::fault::Fault;
use crate::referee::{Course, GameRecord, Header, RecordError, Score, Summary};

/// Where the records of a match go.
pub struct MatchReport {
    /// What is counted.
    pub summary: Summary,
    /// The number of the game that is due.
    pub next: u64,
    results: Option<(PathBuf, File)>,
    csv: Option<(PathBuf, csv::Writer<BufWriter<File>>)>,
    /// Holds the lock of the folder of logs.
    _logs: Option<File>,
    json: bool,
    /// Whether ratings and the crosstable are printed.
    is_tournament: bool,
    reasons: BTreeMap<String, u64>,
    /// The first failure of each kind of each bot: game and detail.
    failures: show::Failures,
    last: Option<GameRecord>,
    /// Which file was being written, should writing fail.
    writing: Option<PathBuf>,
}

impl MatchReport {
    /// Opens the files, each for this match alone, and takes in the games of a match that is resumed,
    /// each of which `prove` must find right.
    pub fn open(
        options: &RunOptions,
        header: &Header,
        summary: Summary,
        is_tournament: bool,
        course: &mut Course,
        prove: &dyn Fn(&Course, &GameRecord) -> Result<(), String>,
    ) -> Result<MatchReport, Fault> {
        let mut report = MatchReport {
            results: None,
            csv: None,
            _logs: None,
            json: options.json,
            is_tournament: is_tournament || summary.sprt.is_some(),
            summary,
            reasons: BTreeMap::new(),
            failures: BTreeMap::new(),
            last: None,
            next: 0,
            writing: None,
        };
        // All locks first, so that nothing is changed when one is held.
        let mut results = None;
        if let Some(path) = &options.results {
            let file = open_alone(path)?;
            let length = file
                .metadata()
                .map_err(|error| Fault::io(path, error))?
                .len();
            if length > 0 && !options.resume {
                let why = "is there already; --resume resumes it, another name starts anew";
                return Err(Fault::usage(anyhow!("{} {why}", path.display())));
            }
            results = Some((path, file));
        }
        let mut csv = None;
        if let Some(path) = &options.csv {
            csv = Some((path, open_alone(path)?));
        }
        if let Some(path) = &options.logs {
            std::fs::create_dir_all(path).map_err(|error| Fault::io(path, error))?;
            let folder = File::open(path).map_err(|error| Fault::io(path, error))?;
            lock(path, &folder)?;
            report._logs = Some(folder);
        }
        // A file that is refused leaves all others as they were: nothing is written before.
        if let (Some((path, file)), true) = (&mut results, options.resume) {
            let taken = header.resume(file, &mut |record| {
                course.come_to(record.game, || report.summary.standings.worth());
                prove(course, &record)?;
                report.count(&record);
                Ok(())
            });
            taken.map_err(|error| resume_fault(path, error))?;
        }
        if let Some((path, file)) = csv {
            let csv = begin_csv(file).map_err(|error| Fault::io(path, error))?;
            report.csv = Some((path.clone(), csv));
        }
        if report.json {
            header.write(&mut io::stdout())?;
        }
        if let Some((path, mut file)) = results {
            if !options.resume {
                header
                    .write(&mut file)
                    .map_err(|error| Fault::io(path, error))?;
            } else if report.csv.is_some() || report.json {
                file.rewind().map_err(|error| Fault::io(path, error))?;
                let mut trouble = None;
                let told = header.resume(&mut file, &mut |record| {
                    if trouble.is_none() {
                        trouble = report.tell(&record).err();
                    }
                    Ok(())
                });
                if let Some(error) = trouble {
                    return Err(report.fault(error));
                }
                told.map_err(|error| resume_fault(path, error))?;
            }
            report.results = Some((path.clone(), file));
        }
        Ok(report)
    }

    /// Takes in a game.
    pub fn add(&mut self, record: &GameRecord, slowest: &[Duration]) -> io::Result<()> {
        if let Some((path, file)) = &mut self.results {
            self.writing = Some(path.clone());
            record.write(file)?;
        }
        self.tell(record)?;
        self.count(record);
        for (name, &slowest) in record.seats.iter().zip(slowest) {
            self.summary.standings.note_slowest(name, slowest);
        }
        Ok(())
    }

    /// Writes a game to the table and to standard output.
    fn tell(&mut self, record: &GameRecord) -> io::Result<()> {
        if let Some((path, csv)) = &mut self.csv {
            self.writing = Some(path.clone());
            write_csv(csv, record)?;
        }
        self.writing = None;
        if self.json {
            record.write(&mut io::stdout())?;
        }
        Ok(())
    }

    fn count(&mut self, record: &GameRecord) {
        self.summary.add(record);
        *self.reasons.entry(record.reason.clone()).or_default() += 1;
        for failed in &record.failures {
            self.failures
                .entry((failed.bot.clone(), failed.failure.kind))
                .or_insert_with(|| (record.game, failed.failure.detail.clone()));
        }
        self.next = record.game + 1;
        self.last = Some(record.clone());
    }

    /// Whether the sequential test has decided the match.
    pub fn is_decided(&self) -> bool {
        let sprt = self.summary.sprt.as_ref();
        sprt.is_some_and(|sprt| sprt.verdict().is_some())
    }

    /// The fault of a file that could not be written.
    pub fn fault(&self, error: io::Error) -> Fault {
        match &self.writing {
            Some(path) => Fault::io(path, error),
            None => error.into(),
        }
    }

    /// Prints what stands.
    pub fn close(&mut self, games: &Range<u64>, options: &RunOptions) -> Result<(), Fault> {
        if let Some((path, csv)) = &mut self.csv {
            csv.flush().map_err(|error| Fault::io(path, error))?;
        }
        let ratings = match self.is_tournament {
            true => self.summary.ratings(),
            false => None,
        };
        if self.json {
            let tournament = self.is_tournament.then_some(&self.summary);
            let mut out = io::stdout();
            show::standings_json(
                &self.summary.standings,
                ratings.as_ref(),
                tournament,
                &mut out,
            )?;
            return Ok(());
        }
        let mut out = anstream::stdout();
        if options.watch && !self.is_tournament {
            return Ok(());
        }
        match &self.last {
            Some(record) if options.game_number.is_some() => show::game(record, &mut out)?,
            _ => {
                let standings = &self.summary.standings;
                show::standings(standings, ratings.as_ref(), &mut out)?;
                show::remarks(standings, &self.reasons, &self.failures, &mut out)?;
                if self.is_tournament {
                    show::crosstable(&self.summary, &mut out)?;
                }
                if let Some(sprt) = &self.summary.sprt {
                    writeln!(out, "{}", show::sprt(sprt))?;
                }
            }
        }
        let all_played = self.next >= games.end || self.is_decided();
        if options.game_number.is_none() && !all_played {
            writeln!(out, "{} of {} games were played", self.next, games.end)?;
        }
        Ok(())
    }
}

fn resume_fault(path: &Path, error: RecordError) -> Fault {
    let exit = match &error {
        RecordError::Io(error) if error.kind() != io::ErrorKind::InvalidData => Exit::Io,
        _ => Exit::Usage,
    };
    Fault {
        exit,
        error: anyhow!(error).context(format!("cannot resume {}", path.display())),
    }
}

/// Opens a file for this process alone, as it is.
fn open_alone(path: &Path) -> Result<File, Fault> {
    let file = OpenOptions::new()
        .read(true)
        .write(true)
        .create(true)
        .truncate(false)
        .open(path)
        .map_err(|error| Fault::io(path, error))?;
    lock(path, &file)?;
    Ok(file)
}

/// Locks a file or folder until this process ends. Something that cannot be locked, such as a
/// terminal, has no second writer to fear.
fn lock(path: &Path, file: &File) -> Result<(), Fault> {
    match file.try_lock() {
        Err(TryLockError::WouldBlock) => Err(Fault {
            exit: Exit::Locked,
            error: anyhow!(
                "{} is being written by another match; wait for it, or take another name",
                path.display()
            ),
        }),
        Ok(()) | Err(TryLockError::Error(_)) => Ok(()),
    }
}

/// Empties the file and writes the names of the columns.
fn begin_csv(mut file: File) -> io::Result<csv::Writer<BufWriter<File>>> {
    if file.metadata()?.is_file() {
        file.set_len(0)?;
        file.rewind()?;
    }
    let mut csv = csv::Writer::from_writer(BufWriter::new(file));
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
