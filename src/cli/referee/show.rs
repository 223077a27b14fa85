//! How a match looks: the table of standings, one game, and a game while it is played.

use std::collections::BTreeMap;
use std::io::{self, BufRead, IsTerminal, Write};
use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;
use std::time::Duration;

use anstyle::{AnsiColor, Style};
use comfy_table::{CellAlignment, Table, presets};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use serde_json::json;

use crate::referee::{
    BotStanding, FailureKind, GameRecord, GameWatcher, Ratings, Scene, Score, Sprt, SprtVerdict,
    Standings, Summary, Tone,
};

/// The first failure of each kind of each bot: in which game, and what it was.
pub type Failures = BTreeMap<(String, FailureKind), (u64, String)>;

/// The most bots that a crosstable is printed for.
const CROSSTABLE: usize = 24;

/// Prints the table of standings; with ratings, the best rated first.
pub fn standings(
    standings: &Standings,
    ratings: Option<&Ratings>,
    out: &mut dyn Write,
) -> io::Result<()> {
    let lines = sorted(standings, ratings);
    let points = lines.iter().any(|line| line.points.is_some());
    let variants = points && lines.iter().any(|line| line.variants.len() > 1);
    let mut table = Table::new();
    table.load_style(presets::NOTHING);
    let mut head = vec!["bot", "games"];
    if points {
        head.extend(["mean", "± error"]);
        if variants {
            head.extend(lines[0].variants.iter().map(|(name, _)| name.as_str()));
        }
    } else {
        if ratings.is_some() {
            head.extend(["rating", "± 95 %", "superior"]);
        }
        head.extend(["wins", "share", "95 % interval"]);
    }
    head.extend(["failures", "slowest"]);
    let columns = head.len();
    table.set_header(head);
    let dash = || "-".to_owned();
    for (place, line) in lines.iter().enumerate() {
        let mut cells = vec![line.name.clone(), line.games.to_string()];
        if points {
            cells.push(line.mean.map_or_else(dash, |mean| format!("{mean:.2}")));
            cells.push(line.error.map_or_else(dash, |error| format!("{error:.2}")));
            if variants {
                cells.extend(lines[0].variants.iter().map(|(name, _)| {
                    let known = line.variants.iter().find(|(other, _)| other == name);
                    known.map_or_else(dash, |(_, mean)| format!("{mean:.2}"))
                }));
            }
        } else {
            if let Some(ratings) = ratings {
                let rating = ratings.bots[line.bot];
                cells.push(rating.map_or_else(dash, |rating| format!("{:.0}", rating.points)));
                cells.push(rating.map_or_else(dash, |rating| {
                    let (low, high) = rating.interval();
                    format!("{:.0}", (high - low) / 2.0)
                }));
                let next = lines.get(place + 1);
                let superior = next.and_then(|next| ratings.superiority(line.bot, next.bot));
                cells.push(superior.map_or_else(dash, |chance| percent(chance, 1)));
            }
            cells.push(trimmed(line.wins));
            cells.push(line.share.map_or_else(dash, |share| percent(share, 2)));
            cells.push(line.interval.map_or_else(dash, |(low, high)| {
                format!("{} .. {}", percent(low, 1), percent(high, 1))
            }));
        }
        cells.push(line.failures.iter().sum::<u64>().to_string());
        cells.push(format!("{:.1} ms", line.slowest.as_secs_f64() * 1e3));
        table.add_row(cells);
    }
    // The last stands left, so that nothing else moves with what was measured.
    for column in 1..columns - 1 {
        if let Some(column) = table.column_mut(column) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    writeln!(out, "{}", table.trim_fmt())
}

/// Prints how the games ended, and what bots did wrong.
pub fn remarks(
    standings: &Standings,
    reasons: &BTreeMap<String, u64>,
    failures: &Failures,
    out: &mut dyn Write,
) -> io::Result<()> {
    if !reasons.is_empty() {
        let ends: Vec<String> = reasons
            .iter()
            .map(|(reason, count)| format!("{reason} {count}"))
            .collect();
        writeln!(out, "ends: {}", ends.join(", "))?;
    }
    let lines = standings.lines();
    for ((bot, kind), (game, detail)) in failures {
        let index = FailureKind::ALL
            .iter()
            .position(|known| known == kind)
            .unwrap_or(0);
        let count = lines
            .iter()
            .find(|line| line.name == *bot)
            .map_or(0, |line| line.failures[index]);
        let word = kind.word();
        writeln!(
            out,
            "{bot}: {word} in {count} games, first in game {game}: {detail}"
        )?;
    }
    Ok(())
}

/// The lines of a table, the best first: by rating where there are ratings.
fn sorted(standings: &Standings, ratings: Option<&Ratings>) -> Vec<BotStanding> {
    let mut lines = standings.lines();
    if let Some(ratings) = ratings {
        let points = |line: &BotStanding| {
            ratings.bots[line.bot].map_or(f64::NEG_INFINITY, |rating| rating.points)
        };
        lines.sort_by(|one, two| points(two).total_cmp(&points(one)));
    }
    lines
}

/// Prints who did how against whom: wins of the bot of the line and all games of the pair, or the lead
/// in points a game.
pub fn crosstable(summary: &Summary, out: &mut dyn Write) -> io::Result<()> {
    let lines = sorted(&summary.standings, summary.ratings().as_ref());
    if lines.len() < 3 || lines.len() > CROSSTABLE {
        return Ok(());
    }
    let points = lines.iter().any(|line| line.points.is_some());
    let mut table = Table::new();
    table.load_style(presets::NOTHING);
    let title = if points { "points ahead" } else { "wins/games" };
    let numbers = (1..=lines.len()).map(|number| number.to_string());
    table.set_header(std::iter::once(title.to_owned()).chain(numbers));
    for (place, line) in lines.iter().enumerate() {
        let mut cells = vec![format!("{} {}", place + 1, line.name)];
        for other in &lines {
            let cell = summary.crosstable.cell(line.bot, other.bot);
            cells.push(match cell {
                None if line.bot == other.bot => String::new(),
                None => "-".to_owned(),
                Some(cell) if points => format!("{:+.2}", cell.lead()),
                Some(cell) => format!("{}/{}", trimmed(cell.wins()), cell.games),
            });
        }
        table.add_row(cells);
    }
    for column in 1..=lines.len() {
        if let Some(column) = table.column_mut(column) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    writeln!(out, "\n{}", table.trim_fmt())
}

/// The state of a sequential test in one line.
pub fn sprt(sprt: &Sprt) -> String {
    let (lower, upper) = sprt.test.bounds();
    let (elo0, elo1) = (sprt.test.elo0, sprt.test.elo1);
    let said = match sprt.verdict() {
        None => "not decided yet".to_owned(),
        Some(SprtVerdict::Elo0) => format!("decided for {elo0} points"),
        Some(SprtVerdict::Elo1) => format!("decided for {elo1} points"),
    };
    let ratio = sprt.ratio();
    format!("test of {elo0} against {elo1} points: {ratio:.2} in ({lower:.2}, {upper:.2}), {said}")
}

/// Who leads, in one line; none before the first game.
pub fn leaders(standings: &Standings, most: usize) -> Option<String> {
    let lines = standings.lines();
    let named: Vec<String> = lines
        .iter()
        .take(most)
        .filter_map(|line| {
            let worth = match (line.share, line.mean) {
                (Some(share), _) => percent(share, 1),
                (None, mean) => format!("{:.2}", mean?),
            };
            Some(format!("{} {worth}", line.name))
        })
        .collect();
    (!named.is_empty()).then(|| named.join(", "))
}

/// Prints one game.
pub fn game(record: &GameRecord, out: &mut dyn Write) -> io::Result<()> {
    let variant = record
        .variant
        .as_ref()
        .map_or(String::new(), |name| format!(" ({name})"));
    writeln!(
        out,
        "game {}{variant}: {} after {} turns",
        record.game, record.reason, record.turns
    )?;
    for (seat, bot) in record.seats.iter().enumerate() {
        let score = match &record.score {
            Score::Winners(winners) if winners.contains(&seat) => "won".to_owned(),
            Score::Winners(_) => "lost".to_owned(),
            Score::Points(points) => points.get(seat).copied().unwrap_or(0).to_string(),
        };
        let failed = record.failures.iter().find(|failed| failed.seat == seat);
        let failure = failed.map_or(String::new(), |failed| format!("  {}", failed.failure));
        writeln!(out, "  seat {seat}  {bot}  {score}{failure}")?;
    }
    Ok(())
}

/// Writes the standings as one line of JSON, with all there is of a tournament.
pub fn standings_json(
    standings: &Standings,
    ratings: Option<&Ratings>,
    tournament: Option<&Summary>,
    out: &mut dyn Write,
) -> io::Result<()> {
    let lines = sorted(standings, ratings);
    let mut values: Vec<serde_json::Value> = lines.iter().map(line_json).collect();
    for (place, (line, value)) in lines.iter().zip(&mut values).enumerate() {
        if let Some(ratings) = ratings {
            let rating = ratings.bots[line.bot];
            let next = lines.get(place + 1);
            value["rating"] = json!(rating.map(|rating| rating.points));
            value["rating_error"] = json!(rating.map(|rating| rating.error));
            value["rating_interval"] = json!(rating.map(|rating| rating.interval()));
            value["superior_to_next"] =
                json!(next.and_then(|next| ratings.superiority(line.bot, next.bot)));
        }
        if let Some(summary) = tournament {
            value["against"] = against_json(line, &lines, summary);
        }
    }
    let mut all = json!({ "standings": values });
    if let Some(sprt) = tournament.and_then(|summary| summary.sprt.as_ref()) {
        all["sprt"] = json!({
            "test": sprt.test,
            "ratio": sprt.ratio(),
            "bounds": sprt.test.bounds(),
            "verdict": sprt.verdict(),
        });
    }
    writeln!(out, "{all}")
}

/// What a bot did against each of the others that it met.
fn against_json(line: &BotStanding, lines: &[BotStanding], summary: &Summary) -> serde_json::Value {
    let cells = lines.iter().filter_map(|other| {
        let cell = summary.crosstable.cell(line.bot, other.bot)?;
        let value = match line.points {
            Some(_) => json!({ "games": cell.games, "lead": cell.lead() }),
            None => json!({ "games": cell.games, "wins": cell.wins() }),
        };
        Some((other.name.clone(), value))
    });
    serde_json::Value::Object(cells.collect())
}

fn line_json(line: &BotStanding) -> serde_json::Value {
    let failures: serde_json::Map<String, serde_json::Value> = FailureKind::ALL
        .iter()
        .zip(line.failures)
        .filter(|(_, count)| *count > 0)
        .map(|(kind, count)| (kind.word().to_owned(), count.into()))
        .collect();
    let mut value = json!({ "bot": line.name, "games": line.games, "failures": failures });
    let object = value.as_object_mut().expect("an object");
    match line.points {
        Some(points) => {
            object.insert("points".to_owned(), points.into());
            object.insert("mean".to_owned(), json!(line.mean));
            object.insert("error".to_owned(), json!(line.error));
            if !line.variants.is_empty() {
                let means: serde_json::Map<_, _> = line
                    .variants
                    .iter()
                    .map(|(name, mean)| (name.clone(), json!(mean)))
                    .collect();
                object.insert("variants".to_owned(), means.into());
            }
        }
        None => {
            object.insert("wins".to_owned(), json!(line.wins));
            object.insert("share".to_owned(), json!(line.share));
            object.insert("interval".to_owned(), json!(line.interval));
        }
    }
    value
}

fn percent(share: f64, digits: usize) -> String {
    format!("{:.digits$} %", share * 100.0)
}

/// A number of wins: whole, or with the parts of shared ones.
fn trimmed(wins: f64) -> String {
    let text = format!("{wins:.2}");
    text.strip_suffix(".00").map_or(text.clone(), str::to_owned)
}

/// Shows a game step by step: at a pace, or when Enter is pressed on a terminal, or at once. A request
/// to stop, which `stop` becomes readable by, ends every wait.
pub fn watcher(pause: Option<Duration>, stop: UnixStream) -> GameWatcher {
    let by_hand = pause.is_none() && io::stdin().is_terminal() && io::stdout().is_terminal();
    let mut steps = 0u64;
    Box::new(move |scene: Scene| {
        let mut out = anstream::stdout().lock();
        // A reader who went away is no trouble of the game.
        let _ = self::scene(&scene, steps > 0, &mut out);
        let _ = out.flush();
        drop(out);
        steps += 1;
        if scene.lines.iter().any(|(tone, _)| *tone == Tone::End) {
            return;
        }
        if by_hand {
            wait(&[&io::stdin(), &stop], None);
            if !ready(&stop) {
                let _ = io::stdin().lock().read_until(b'\n', &mut Vec::new());
            }
        } else if let Some(pause) = pause {
            wait(&[&stop], Some(pause));
        }
    })
}

/// Waits until one of these is readable, at most for `time`. A signal may end it early.
fn wait(sources: &[&dyn AsFd], time: Option<Duration>) {
    let mut fds: Vec<PollFd> = sources
        .iter()
        .map(|source| PollFd::from_borrowed_fd(source.as_fd(), PollFlags::IN))
        .collect();
    let time = time.map(|time| Timespec {
        tv_sec: time.as_secs() as i64,
        tv_nsec: i64::from(time.subsec_nanos()),
    });
    let _ = poll(&mut fds, time.as_ref());
}

fn ready(source: &impl AsFd) -> bool {
    let mut fds = [PollFd::new(source, PollFlags::IN)];
    poll(&mut fds, Some(&Timespec::default())).is_ok_and(|ready| ready > 0)
}

/// Prints a step of a game, after an empty line if `apart`.
pub fn scene(scene: &Scene, apart: bool, out: &mut dyn Write) -> io::Result<()> {
    if apart {
        writeln!(out)?;
    }
    for (tone, text) in &scene.lines {
        let style = style(*tone);
        let indent = if *tone == Tone::Title { "" } else { "  " };
        writeln!(out, "{indent}{style}{text}{style:#}")?;
    }
    Ok(())
}

fn style(tone: Tone) -> Style {
    let colour = |colour: AnsiColor| Style::new().fg_color(Some(colour.into()));
    match tone {
        Tone::Title => Style::new().bold(),
        Tone::Table => colour(AnsiColor::Cyan),
        Tone::Hand => Style::new().dimmed(),
        Tone::Move => colour(AnsiColor::Green),
        Tone::Say => colour(AnsiColor::Yellow),
        Tone::Trouble => colour(AnsiColor::Red),
        Tone::End => Style::new().bold().fg_color(Some(AnsiColor::Green.into())),
    }
}
