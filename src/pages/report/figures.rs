//! Which pictures a report has, and what each of them says in words.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::Value;

use super::matches::MatchReport;
use super::runs::{Report, Run};
use super::searches::{Lengths, SearchReport};
use crate::pages::bins::bins;
use crate::pages::plot::{self, Axis, Chart, Row, Series, Shape, Theme};
use crate::pages::sheet::{grouped, many};
use crate::search::finds::tail::{Expected, Tail};
use crate::search::finds::tally::Histogram;

/// So many bars a histogram has at most.
const BARS: u64 = 60;

/// A picture, its title, and the same in words.
#[derive(Clone, Debug, Serialize)]
pub struct Figure {
    /// The name of its file, without what follows the theme.
    pub name: String,
    /// The name before it was made unlike all others.
    #[serde(skip)]
    pub base: String,
    /// What it is.
    pub title: String,
    /// What is to be seen.
    pub text: String,
    /// The picture.
    pub chart: Chart,
}

impl Figure {
    fn new(run: &str, name: &str, title: impl Into<String>, text: String, chart: Chart) -> Figure {
        let base = format!("{}-{name}", slug(run));
        Figure {
            name: base.clone(),
            base,
            title: title.into(),
            text,
            chart,
        }
    }
}

/// A name as part of a file's name: letters, digits, hyphens.
fn slug(name: &str) -> String {
    let mut text = String::new();
    for symbol in name.chars() {
        if symbol.is_ascii_alphanumeric() {
            text.push(symbol.to_ascii_lowercase());
        } else if !text.ends_with('-') && !text.is_empty() {
            text.push('-');
        }
    }
    let text = text.trim_matches('-');
    if text.is_empty() {
        "run".to_owned()
    } else {
        text.chars().take(60).collect()
    }
}

/// All pictures of a report, those that set runs side by side first.
pub fn figures(report: &Report) -> Vec<Figure> {
    let mut all = side_by_side(report);
    all.extend(report.runs.iter().flat_map(of_run));
    // Two runs of one name would write one file.
    for at in 0..all.len() {
        let twins = all[..at].iter().filter(|one| one.base == all[at].base);
        let number = twins.count() + 1;
        if number > 1 {
            all[at].name = format!("{}-{number}", all[at].base);
        }
    }
    all
}

/// The report for programs: every number that is shown.
pub fn json(report: &Report) -> Value {
    let mut value = serde_json::to_value(report).expect("numbers and texts are JSON");
    value["figures"] = serde_json::to_value(figures(report)).expect("so are pictures");
    value
}

/// The plots alone: the name of a file and its text, each for a light and a dark background.
pub fn plots(report: &Report) -> Vec<(String, String)> {
    let mut files = Vec::new();
    for figure in figures(report) {
        for (theme, word) in [(Theme::Light, "light"), (Theme::Dark, "dark")] {
            let svg = plot::svg(&figure.chart, &figure.title, &figure.text, "plot", theme);
            files.push((format!("{}-{word}.svg", figure.name), svg));
        }
    }
    files
}

/// The pictures of one run.
pub fn of_run(run: &Run) -> Vec<Figure> {
    match run {
        Run::Search(search) => of_search(search),
        Run::Match(one) => of_match(one),
    }
}

/// Pictures that set searches side by side.
fn side_by_side(report: &Report) -> Vec<Figure> {
    let searches = report.runs.iter().filter_map(|run| match run {
        Run::Search(search) => Some(&**search),
        Run::Match(_) => None,
    });
    let lengths: Vec<(&SearchReport, &Lengths)> = searches
        .filter_map(|search| Some((search, search.in_cards()?)))
        .collect();
    if lengths.len() < 2 {
        return Vec::new();
    }
    let series = lengths
        .iter()
        .enumerate()
        .map(|(at, (search, lengths))| Series {
            name: search.name.clone(),
            shape: Shape::Line,
            colour: at,
            points: survival(&lengths.histogram),
        });
    let words = lengths.iter().map(|(search, lengths)| {
        let tail = lengths.tail.map_or(String::new(), |tail| {
            format!(", the tail falls by e every {}", e_fold(&tail))
        });
        format!(
            "{}: mean {} cards, longest {}{tail}.",
            search.name,
            number(&lengths.moments["mean"]),
            number(&lengths.moments["greatest"])
        )
    });
    let text = words.collect::<Vec<_>>().join(" ");
    let chart = Chart::Plane {
        x: Axis::linear("cards"),
        y: Axis::log("part of the games that are as long or longer"),
        series: series.collect(),
    };
    vec![Figure::new(
        "all",
        "lengths",
        "Lengths, run beside run",
        text,
        chart,
    )]
}

/// The part of all values that are as great or greater, at so many values as can be told apart.
fn survival(histogram: &Histogram) -> Vec<[f64; 2]> {
    let total = histogram.count() as f64;
    let mut left = total;
    let values: Vec<(u64, u64)> = histogram.iter().collect();
    let every = values.len().div_ceil(500).max(1);
    let mut points = Vec::new();
    for (at, &(value, games)) in values.iter().enumerate() {
        if at % every == 0 || at + 1 == values.len() {
            points.push([value as f64, left / total]);
        }
        left -= games as f64;
    }
    points
}

/// The pictures of a search.
fn of_search(search: &SearchReport) -> Vec<Figure> {
    let mut all: Vec<Figure> = search
        .lengths
        .iter()
        .map(|lengths| histogram(search, lengths))
        .collect();
    all.extend(search.expected.map(|expected| longest(search, expected)));
    all.extend(winners(search));
    if !search.cycles.is_empty() {
        all.push(cycles(search));
        all.extend(growth(search));
    }
    all
}

fn e_fold(tail: &Tail) -> String {
    format!("{:.2} ± {:.2}", tail.e_fold, tail.error)
}

fn number(value: &Value) -> String {
    match value {
        Value::String(text) => text.parse::<u128>().map_or(text.clone(), grouped),
        Value::Number(n) => match (n.as_u64(), n.as_f64()) {
            (Some(n), _) => grouped(n),
            (None, Some(n)) => format!("{n:.3}"),
            _ => n.to_string(),
        },
        _ => "-".to_owned(),
    }
}

fn histogram(search: &SearchReport, lengths: &Lengths) -> Figure {
    let climbs = lengths.of == "end of a climb";
    let (unit, things) = if climbs {
        ("cards", "climbs")
    } else {
        (lengths.of.as_str(), "games")
    };
    let (width, points) = bins(&lengths.histogram, BARS);
    let wide = width as f64;
    let each = if width == 1 {
        format!("{things} of so many {unit}")
    } else {
        format!("{things}, {width} {unit} a bar")
    };
    let mut series = vec![Series {
        name: things.to_owned(),
        shape: Shape::Bars(wide),
        colour: 0,
        points,
    }];
    let moments = &lengths.moments;
    let mut text = format!(
        "{} {things}: mean {} {unit}, deviation {}, median {}, from {} to {}.",
        number(&moments["count"]),
        number(&moments["mean"]),
        number(&moments["deviation"]),
        number(&moments["median"]),
        number(&moments["least"]),
        number(&moments["greatest"]),
    );
    if let (Some(mean), Some(variance)) = (
        moments["mean_exact"].as_str(),
        moments["variance_exact"].as_str(),
    ) {
        text += &format!(" The exact mean is {mean}, the exact variance {variance}.");
    }
    // The tops of climbs are the greatest of many games: no tail of single games is theirs.
    if let Some(tail) = lengths.tail.filter(|_| !climbs) {
        let total = lengths.histogram.count() as f64;
        let expected = |from: f64| total * (tail.beyond(from) - tail.beyond(from + wide));
        let mut fit = Vec::new();
        let mut from = tail.from as f64;
        while fit.len() < 400 && expected(from) >= 0.5 {
            fit.push([from + wide / 2.0, expected(from)]);
            from += wide;
        }
        series.push(Series {
            name: format!("fitted: falls by e every {}", e_fold(&tail)),
            shape: Shape::Dashed,
            colour: 1,
            points: fit,
        });
        text += &format!(
            " From {} {unit} on ({} games), the number of longer games falls by e every {} {unit}.",
            grouped(tail.from),
            grouped(tail.games),
            e_fold(&tail)
        );
    }
    let title = match (climbs, lengths.of.as_str()) {
        (true, _) => "Where climbs ended",
        (false, "tricks") => "Lengths of games in tricks",
        _ => "Lengths of games in cards",
    };
    let chart = Chart::Plane {
        x: Axis::linear(unit),
        y: if climbs {
            Axis::linear(each)
        } else {
            Axis::log(each)
        },
        series,
    };
    let name = match (climbs, lengths.of.as_str()) {
        (true, _) => "climbs",
        (false, "tricks") => "tricks",
        _ => "lengths",
    };
    Figure::new(&search.name, name, title, text, chart)
}

/// The expected longest game against the games played, and where this run stands.
fn longest(search: &SearchReport, expected: Expected) -> Figure {
    let tail = search
        .in_cards()
        .and_then(|lengths| lengths.tail)
        .expect("what is expected comes from it");
    // From a thousand games to ten thousand times those played.
    let end = (expected.games.log10() + 4.0).max(7.0);
    let at: Vec<f64> = (0..=60)
        .map(|i| 10f64.powf(3.0 + (end - 3.0) * f64::from(i) / 60.0))
        .collect();
    let line = |worth: &dyn Fn(f64) -> f64| -> Vec<[f64; 2]> {
        at.iter().map(|&games| [games, worth(games)]).collect()
    };
    let mut band = line(&|games| tail.quantile(games, 0.95));
    band.extend(line(&|games| tail.quantile(games, 0.05)).into_iter().rev());
    let mut series = vec![
        Series {
            name: "90 of 100 runs".to_owned(),
            shape: Shape::Area,
            colour: 0,
            points: band,
        },
        Series {
            name: "expected longest game".to_owned(),
            shape: Shape::Line,
            colour: 0,
            points: line(&|games| tail.expected(games)),
        },
        Series {
            name: "longest game played".to_owned(),
            shape: Shape::Dots,
            colour: 1,
            points: vec![[expected.games, expected.played as f64]],
        },
    ];
    let top = search.finished.first().map(|best| best.cards);
    if let Some(top) = top.filter(|&top| top > expected.played) {
        series.push(Series {
            name: "top of its tree".to_owned(),
            shape: Shape::Dots,
            colour: 2,
            points: vec![[expected.games, top as f64]],
        });
    }
    let mut text = format!(
        "Among {} games, the longest is expected at {} cards; in 90 of 100 runs it lies between {} \
         and {}. The longest game played had {} cards.",
        grouped(expected.games as u64),
        grouped(expected.longest.round() as u64),
        grouped(expected.low.round() as u64),
        grouped(expected.high.round() as u64),
        grouped(expected.played)
    );
    if let Some(top) = top {
        text += &format!(" Backward play made it {} cards.", grouped(top));
    }
    if let Some(record) = search.record {
        series.push(Series {
            name: format!("record: {} cards", grouped(record)),
            shape: Shape::Dashed,
            colour: 5,
            points: vec![[at[0], record as f64], [at[60], record as f64]],
        });
        text += &format!(" The record is {} cards.", grouped(record));
    }
    let chart = Chart::Plane {
        x: Axis::log("games played"),
        y: Axis::linear("cards"),
        series,
    };
    Figure::new(
        &search.name,
        "longest",
        "The longest game to be expected",
        text,
        chart,
    )
}

fn whole(value: &Value) -> Option<u128> {
    match value {
        Value::String(text) => text.parse().ok(),
        value => value.as_u64().map(u128::from),
    }
}

/// Who wins, of searches that play every deal or any.
fn winners(search: &SearchReport) -> Option<Figure> {
    let summary = &search.summary;
    let finished = whole(&summary["finished"])?;
    let a = whole(&summary["wins"]["A"]).or_else(|| whole(&summary["leader_won"]))?;
    let loops = whole(&summary["loops"])?;
    let b = finished.checked_sub(a)?;
    let total = finished + loops;
    let rows: Vec<Row> = [("A, who leads", a), ("B", b), ("nobody: a loop", loops)]
        .into_iter()
        .map(|(name, games)| Row {
            name: name.to_owned(),
            value: 100.0 * games as f64 / (total as f64).max(1.0),
            interval: None,
            words: grouped(games),
        })
        .collect();
    let text = format!(
        "A, who leads, wins {} of {} games ({:.3} %), B {}; {} never end.",
        grouped(a),
        grouped(total),
        rows[0].value,
        grouped(b),
        grouped(loops)
    );
    let chart = Chart::Rows {
        axis: Axis::linear("percent of the games"),
        rows,
        bars: true,
    };
    Some(Figure::new(
        &search.name,
        "winners",
        "Who wins",
        text,
        chart,
    ))
}

fn cycles(search: &SearchReport) -> Figure {
    let entered: Vec<_> = search.cycles.iter().filter(|row| row.deals > 0).collect();
    let deals: u128 = entered.iter().map(|row| u128::from(row.deals)).sum();
    let mut periods: BTreeMap<u64, u64> = BTreeMap::new();
    for row in &search.cycles {
        *periods.entry(row.tricks).or_default() += 1;
    }
    let common: Vec<String> = {
        let mut counts: Vec<(u64, u64)> = periods.iter().map(|(&a, &b)| (a, b)).collect();
        counts.sort_by_key(|&(tricks, cycles)| (std::cmp::Reverse(cycles), tricks));
        let words = |&(tricks, cycles): &(u64, u64)| {
            format!("{} of {}", grouped(cycles), many(tricks, "trick"))
        };
        counts.iter().take(5).map(words).collect()
    };
    let text = format!(
        "{}, which {} enter. The most common periods: {}.",
        many(search.cycles.len() as u64, "cycle"),
        many(deals.min(u128::from(u64::MAX)) as u64, "deal"),
        common.join(", ")
    );
    let chart = Chart::Plane {
        x: Axis::linear("tricks of a round"),
        y: Axis::log("deals that enter the cycle"),
        series: vec![Series {
            name: String::new(),
            shape: Shape::Dots,
            colour: 2,
            points: entered
                .iter()
                .map(|row| [row.tricks as f64, row.deals as f64])
                .collect(),
        }],
    };
    Figure::new(
        &search.name,
        "cycles",
        "Cycles by period and deals",
        text,
        chart,
    )
}

/// Cycles and deals found against the blocks worked through, of a search that grows.
fn growth(search: &SearchReport) -> Option<Figure> {
    let mut met: Vec<(u64, u64)> = search
        .cycles
        .iter()
        .filter_map(|row| Some((row.block?, row.deals)))
        .collect();
    if met.is_empty() {
        return None;
    }
    met.sort_unstable();
    let (mut cycles, mut deals) = (vec![[0.0, 0.0]], vec![[0.0, 0.0]]);
    for (at, &(block, more)) in met.iter().enumerate() {
        let after = (block + 1) as f64;
        cycles.push([after, (at + 1) as f64]);
        deals.push([after, deals[at][1] + more as f64]);
    }
    let last = met[met.len() - 1].0 + 1;
    let half = met[met.len().div_ceil(2) - 1].0 + 1;
    let text = format!(
        "{} with {} were met within {}, half of them within {}.",
        many(met.len() as u64, "cycle"),
        many(deals[met.len()][1] as u64, "deal"),
        many(last, "block"),
        many(half, "block")
    );
    let one = |name: &str, colour, points| Series {
        name: name.to_owned(),
        shape: Shape::Stairs,
        colour,
        points,
    };
    let chart = Chart::Plane {
        x: Axis::linear("blocks worked through"),
        y: Axis::linear("found so far"),
        series: vec![one("cycles", 2, cycles), one("infinite deals", 3, deals)],
    };
    Some(Figure::new(&search.name, "growth", "Growth", text, chart))
}

/// The pictures of a match.
fn of_match(one: &MatchReport) -> Vec<Figure> {
    let mut all = vec![standings(one)];
    if !one.reasons.is_empty() {
        all.push(reasons(one));
        all.push(turns(one));
    }
    if !one.failures.is_empty() {
        all.push(failures(one));
    }
    all
}

fn standings(one: &MatchReport) -> Figure {
    let points = one.places.iter().any(|place| place.mean.is_some());
    let rows: Vec<Row> = one
        .places
        .iter()
        .filter_map(|place| {
            let (value, interval) = if points {
                let mean = place.mean?;
                // The normal interval of 95 %.
                let reach = place.error.map(|error| 1.96 * error);
                (mean, reach.map(|reach| [mean - reach, mean + reach]))
            } else {
                let percent = |share: f64| 100.0 * share;
                let interval = place
                    .interval
                    .map(|(low, high)| [percent(low), percent(high)]);
                (percent(place.share?), interval)
            };
            let unit = if points { "" } else { " %" };
            Some(Row {
                name: place.bot.clone(),
                value,
                interval,
                words: format!("{value:.2}{unit}"),
            })
        })
        .collect();
    let what = if points {
        "mean points"
    } else {
        "share of wins"
    };
    let words: Vec<String> = rows
        .iter()
        .map(|row| {
            let interval = row.interval.map_or(String::new(), |[low, high]| {
                format!(" (95 % interval {low:.2} to {high:.2})")
            });
            format!("{} {}{interval}", row.name, row.words)
        })
        .collect();
    let text = format!(
        "{} of {}. The {what}: {}.",
        many(one.games, "game"),
        one.game,
        words.join(", ")
    );
    let label = if points {
        "mean points a game, with 95 % intervals"
    } else {
        "percent of games won, with 95 % intervals"
    };
    let chart = Chart::Rows {
        axis: Axis::linear(label),
        rows,
        bars: false,
    };
    Figure::new(&one.name, "standings", "Standings", text, chart)
}

fn reasons(one: &MatchReport) -> Figure {
    let mut counts: Vec<(&String, u64)> = one.reasons.iter().map(|(a, &b)| (a, b)).collect();
    counts.sort_by_key(|&(_, games)| std::cmp::Reverse(games));
    let words: Vec<String> = counts
        .iter()
        .map(|(reason, games)| format!("{reason} {}", grouped(*games)))
        .collect();
    let text = format!("Why games ended: {}.", words.join(", "));
    let rows = counts.iter().map(|&(reason, games)| Row {
        name: reason.clone(),
        value: games as f64,
        interval: None,
        words: grouped(games),
    });
    let chart = Chart::Rows {
        axis: Axis::linear("games"),
        rows: rows.collect(),
        bars: true,
    };
    Figure::new(&one.name, "ends", "How games ended", text, chart)
}

fn turns(one: &MatchReport) -> Figure {
    let (width, points) = bins(&one.histogram, BARS);
    let text = format!(
        "Turns a game: mean {}, median {}, from {} to {}.",
        number(&one.turns["mean"]),
        number(&one.turns["median"]),
        number(&one.turns["least"]),
        number(&one.turns["greatest"])
    );
    let each = if width == 1 {
        "games".to_owned()
    } else {
        format!("games, {width} turns a bar")
    };
    let chart = Chart::Plane {
        x: Axis::linear("turns"),
        y: Axis::linear(each),
        series: vec![Series {
            name: String::new(),
            shape: Shape::Bars(width as f64),
            colour: 0,
            points,
        }],
    };
    Figure::new(&one.name, "turns", "Lengths of games", text, chart)
}

fn failures(one: &MatchReport) -> Figure {
    let words: Vec<String> = one
        .failures
        .iter()
        .map(|(bot, kind, times)| format!("{bot}: {kind} in {}", many(*times, "game")))
        .collect();
    let rows = one.failures.iter().map(|(bot, kind, times)| Row {
        name: format!("{bot}: {kind}"),
        value: *times as f64,
        interval: None,
        words: grouped(*times),
    });
    let chart = Chart::Rows {
        axis: Axis::linear("games"),
        rows: rows.collect(),
        bars: true,
    };
    Figure::new(
        &one.name,
        "failures",
        "What bots did wrong",
        format!("{}.", words.join("; ")),
        chart,
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_files_are_tame() {
        assert_eq!(slug("../a B<c>"), "a-b-c");
        assert_eq!(slug("///"), "run");
        assert_eq!(slug("Größe.jsonl"), "gr-e-jsonl");
    }

    #[test]
    fn survival_begins_with_all_and_falls() {
        let mut histogram = Histogram::default();
        histogram.add_times(1, 6);
        histogram.add_times(5, 3);
        histogram.add_times(9, 1);
        assert_eq!(survival(&histogram), [[1.0, 1.0], [5.0, 0.4], [9.0, 0.1]]);
    }
}
