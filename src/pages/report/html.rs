//! A report as one page without scripts.

use std::fmt::Write;

use serde_json::Value;

use super::figures::{Figure, figures, of_run};
use super::matches::MatchReport;
use super::runs::{Report, Run};
use super::searches::SearchReport;
use crate::pages::plot::{self, Theme};
use crate::pages::sheet::{self, escape, grouped, many};

const PAGE: &str = include_str!("page.html");
const STYLE: &str = include_str!("report.css");

/// So many finds and cycles are listed; their files have all.
const LISTED: usize = 25;

/// The page of `report`.
pub fn page(report: &Report) -> String {
    let title = match &report.runs[..] {
        [Run::Search(search)] => format!("{}: {} of {}", search.name, search.how, search.deck),
        [Run::Match(one)] => format!("{}: {}, {}", one.name, one.game, many(one.games, "game")),
        runs => format!("{} side by side", many(runs.len() as u64, "run")),
    };
    let mut pictured = figures(report).into_iter().enumerate();
    let mut main = String::new();
    let mut contents = String::new();
    if report.runs.len() > 1 {
        contents.push_str("<nav aria-label=\"Runs\"><ul>");
        for (at, run) in report.runs.iter().enumerate() {
            let name = escape(run.name());
            write!(contents, "<li><a href=\"#run-{at}\">{name}</a></li>").expect(TAKES);
        }
        contents.push_str("</ul></nav>");
        main.push_str("<section><h2>Side by side</h2>");
        beside(report, &mut main);
        let own: usize = report.runs.iter().map(|run| of_run(run).len()).sum();
        let common = pictured.len() - own;
        pictures(&mut pictured.by_ref().take(common), &mut main);
        main.push_str("</section>");
    }
    for (at, run) in report.runs.iter().enumerate() {
        write!(main, "<section class=\"run\" id=\"run-{at}\">").expect(TAKES);
        if report.runs.len() > 1 {
            write!(main, "<h2>{}</h2>", escape(run.name())).expect(TAKES);
        }
        match run {
            Run::Search(search) => facts(search, &mut main),
            Run::Match(one) => about(one, &mut main),
        }
        pictures(&mut pictured.by_ref().take(of_run(run).len()), &mut main);
        match run {
            Run::Search(search) => tables(search, &mut main),
            Run::Match(one) => crosstable(one, &mut main),
        }
        main.push_str("</section>");
    }
    sheet::page(
        &title,
        STYLE,
        "",
        PAGE,
        &[
            ("title", &escape(&title)),
            ("contents", &contents),
            ("main", &main),
            ("version", env!("CARGO_PKG_VERSION")),
        ],
    )
}

const TAKES: &str = "a string takes all";

fn pictures(figures: &mut dyn Iterator<Item = (usize, Figure)>, out: &mut String) {
    out.push_str("<div class=\"pair\">");
    for (at, figure) in figures {
        let id = format!("figure-{at}");
        let svg = plot::svg(&figure.chart, &figure.title, &figure.text, &id, Theme::Page);
        write!(
            out,
            "<figure><h3>{}</h3><div class=\"picture\" tabindex=\"0\" role=\"group\" \
             aria-label=\"{}\">{svg}</div><figcaption>{}</figcaption></figure>",
            escape(&figure.title),
            escape(&figure.title),
            escape(&figure.text)
        )
        .expect(TAKES);
    }
    out.push_str("</div>");
}

/// A cell: its text, and the class it is shown with.
struct Cell(String, &'static str);

fn text(text: impl Into<String>) -> Cell {
    Cell(text.into(), "")
}

fn right(number: impl Into<String>) -> Cell {
    Cell(number.into(), "n")
}

fn table(caption: &str, head: &[(&str, bool)], rows: Vec<Vec<Cell>>, out: &mut String) {
    write!(
        out,
        "<div class=\"wide\" tabindex=\"0\" role=\"group\" aria-label=\"{0}\"><table><caption>{0}</caption><thead><tr>",
        escape(caption)
    )
    .expect(TAKES);
    for (name, number) in head {
        let class = if *number { " class=\"n\"" } else { "" };
        write!(out, "<th scope=\"col\"{class}>{}</th>", escape(name)).expect(TAKES);
    }
    out.push_str("</tr></thead><tbody>");
    for row in rows {
        out.push_str("<tr>");
        for Cell(text, class) in row {
            let class = if class.is_empty() {
                String::new()
            } else {
                format!(" class=\"{class}\"")
            };
            write!(out, "<td{class}>{}</td>", escape(&text)).expect(TAKES);
        }
        out.push_str("</tr>");
    }
    out.push_str("</tbody></table></div>");
}

/// A number of a summary, which may be a string of digits.
fn shown(value: &Value) -> String {
    match value {
        Value::String(text) => text.parse::<u128>().map_or(text.clone(), grouped),
        Value::Number(n) => n.as_u64().map_or(n.to_string(), grouped),
        Value::Bool(true) => "yes".to_owned(),
        Value::Bool(false) => "no".to_owned(),
        Value::Array(all) => all.iter().map(shown).collect::<Vec<_>>().join(" to "),
        _ => "-".to_owned(),
    }
}

/// What of a summary fits one line: its key in words, and its value.
fn lines(summary: &Value) -> Vec<(String, String)> {
    let mut lines = Vec::new();
    for (key, value) in summary.as_object().into_iter().flatten() {
        let plain = match value {
            Value::Array(all) => all.len() == 2 && all.iter().all(Value::is_string),
            Value::Object(_) | Value::Null => false,
            _ => true,
        };
        if plain {
            let value = if key == "plan" {
                value.as_str().unwrap_or_default().to_owned()
            } else {
                shown(value)
            };
            lines.push((key.replace('_', " "), value));
        }
    }
    lines
}

fn facts(search: &SearchReport, out: &mut String) {
    let rows = lines(&search.summary)
        .into_iter()
        .map(|(key, value)| vec![text(key), right(value)])
        .collect();
    table("Summary", &[("what", false), ("value", true)], rows, out);
}

/// Key numbers of all runs, a column a run.
fn beside(report: &Report, out: &mut String) {
    let searches: Vec<&SearchReport> = report
        .runs
        .iter()
        .filter_map(|run| match run {
            Run::Search(search) => Some(&**search),
            Run::Match(_) => None,
        })
        .collect();
    if searches.len() > 1 {
        let mut head = vec![("", false)];
        head.extend(searches.iter().map(|search| (search.name.as_str(), true)));
        let mut rows: Vec<Vec<Cell>> = Vec::new();
        let mut row = |name: &str, value: &dyn Fn(&SearchReport) -> String| {
            let mut cells = vec![text(name)];
            cells.extend(searches.iter().map(|search| right(value(search))));
            rows.push(cells);
        };
        let moment = |search: &SearchReport, key: &str| {
            search.in_cards().map_or("-".to_owned(), |lengths| {
                match lengths.moments[key].as_f64() {
                    Some(n) if n.fract() != 0.0 => format!("{n:.3}"),
                    _ => shown(&lengths.moments[key]),
                }
            })
        };
        row("way", &|search| search.how.clone());
        row("deck", &|search| search.deck.clone());
        row("games", &|search| {
            let keys = ["games", "deals", "states"];
            let found = keys.iter().find(|&&key| !search.summary[key].is_null());
            found.map_or("-".to_owned(), |&key| shown(&search.summary[key]))
        });
        row("mean cards", &|search| moment(search, "mean"));
        row("deviation", &|search| moment(search, "deviation"));
        row("e-fold of the tail", &|search| {
            let tail = search.in_cards().and_then(|lengths| lengths.tail);
            tail.map_or("-".to_owned(), |tail| {
                format!("{:.2} ± {:.2}", tail.e_fold, tail.error)
            })
        });
        row("longest played", &|search| moment(search, "greatest"));
        row("longest kept", &|search| {
            let best = search.finished.first();
            best.map_or("-".to_owned(), |best| grouped(best.cards))
        });
        row("loops", &|search| shown(&search.summary["loops"]));
        row("cycles", &|search| shown(&search.summary["cycles"]));
        table("Searches", &head, rows, out);
    }
    let matches = report.runs.iter().filter_map(|run| match run {
        Run::Match(one) => Some(&**one),
        Run::Search(_) => None,
    });
    let rows: Vec<Vec<Cell>> = matches
        .map(|one| {
            let best = one.places.first();
            vec![
                text(&one.name),
                text(&one.game),
                right(grouped(one.games)),
                right(one.places.len().to_string()),
                text(best.map_or("-", |best| &best.bot)),
            ]
        })
        .collect();
    if rows.len() > 1 {
        let head = [
            ("match", false),
            ("game", false),
            ("games", true),
            ("bots", true),
            ("best", false),
        ];
        table("Matches", &head, rows, out);
    }
}

fn tables(search: &SearchReport, out: &mut String) {
    if !search.finished.is_empty() {
        let rows = search.finished.iter().take(LISTED).enumerate();
        let rows = rows.map(|(at, best)| {
            vec![
                right((at + 1).to_string()),
                right(grouped(best.cards)),
                right(grouped(best.tricks)),
                right(
                    best.gap_percent
                        .map_or("-".into(), |gap| format!("{gap:+.2} %")),
                ),
                right(best.closed_from.map_or("-".into(), grouped)),
                Cell(best.deal.clone(), "deal"),
            ]
        });
        let head = [
            ("", true),
            ("cards", true),
            ("tricks", true),
            ("gap to the record", true),
            ("closed from", true),
            ("deal", false),
        ];
        let caption = listed("The longest finished games", search.finished.len());
        table(&caption, &head, rows.collect(), out);
    }
    if !search.loops.is_empty() {
        let rows = search.loops.iter().take(LISTED).map(|find| {
            let span =
                |[cards, tricks]: [u64; 2]| format!("{} / {}", grouped(cards), grouped(tricks));
            vec![
                right(span(find.lead_in)),
                right(span(find.period)),
                Cell(find.deal.clone(), "deal"),
            ]
        });
        let head = [
            ("lead-in (cards / tricks)", true),
            ("period", true),
            ("deal", false),
        ];
        let caption = listed("Infinite games", search.loops.len());
        table(&caption, &head, rows.collect(), out);
    }
    if !search.cycles.is_empty() {
        let mut cycles: Vec<_> = search.cycles.iter().collect();
        cycles.sort_by_key(|row| std::cmp::Reverse(row.deals));
        let rows = cycles.iter().take(LISTED).map(|row| {
            vec![
                right(grouped(row.deals)),
                right(format!("{} / {}", grouped(row.cards), grouped(row.tricks))),
                right(grouped(row.states)),
                right(row.imbalance.map_or("-".into(), grouped)),
                Cell(row.cycle.clone(), "deal"),
            ]
        });
        let head = [
            ("deals", true),
            ("period (cards / tricks)", true),
            ("states", true),
            ("imbalance", true),
            ("least state", false),
        ];
        let caption = listed("Cycles", search.cycles.len());
        table(&caption, &head, rows.collect(), out);
    }
}

fn listed(what: &str, count: usize) -> String {
    if count > LISTED {
        format!("{what}: {LISTED} of {}", grouped(count as u64))
    } else {
        what.to_owned()
    }
}

fn about(one: &MatchReport, out: &mut String) {
    let rules = if one.rules.is_empty() {
        String::new()
    } else {
        format!(", rules {}", one.rules.join(" "))
    };
    let words = format!(
        "{} of {}, seed {}{rules}.",
        many(one.games, "game"),
        one.game,
        one.seed
    );
    write!(out, "<p>{}</p>", escape(&words)).expect(TAKES);
}

/// Each bot against each other one, and the standings as a table.
fn crosstable(one: &MatchReport, out: &mut String) {
    let rows = one.places.iter().map(|place| {
        let number =
            |value: Option<f64>| value.map_or("-".to_owned(), |value| format!("{value:.2}"));
        vec![
            text(&place.bot),
            right(grouped(place.games)),
            right(number(place.wins)),
            right(
                place
                    .share
                    .map_or("-".into(), |share| format!("{:.2} %", 100.0 * share)),
            ),
            right(place.interval.map_or("-".into(), |(low, high)| {
                format!("{:.1} to {:.1} %", 100.0 * low, 100.0 * high)
            })),
            right(number(place.mean)),
            right(number(place.error)),
            right(grouped(place.failures)),
        ]
    });
    let head = [
        ("bot", false),
        ("games", true),
        ("wins", true),
        ("share", true),
        ("95 % interval", true),
        ("mean points", true),
        ("standard error", true),
        ("failures", true),
    ];
    table("Standings", &head, rows.collect(), out);
    if one.pairs.is_empty() {
        return;
    }
    let caption = "Who did better than whom: percent of the games that both played, ties as halves";
    write!(
        out,
        "<div class=\"wide\" tabindex=\"0\" role=\"group\" aria-label=\"{caption}\"><table><caption>{caption}</caption><thead><tr><th scope=\"col\">bot</th>"
    )
    .expect(TAKES);
    for place in &one.places {
        write!(
            out,
            "<th scope=\"col\" class=\"n\">{}</th>",
            escape(&place.bot)
        )
        .expect(TAKES);
    }
    out.push_str("</tr></thead><tbody>");
    for (at, place) in one.places.iter().enumerate() {
        write!(out, "<tr><th scope=\"row\">{}</th>", escape(&place.bot)).expect(TAKES);
        for other in 0..one.places.len() {
            let pair = one
                .pairs
                .iter()
                .find(|pair| (pair.one, pair.other) == (at, other));
            match pair {
                Some(pair) => {
                    let share = pair.better / pair.games as f64;
                    write!(
                        out,
                        "<td class=\"heat\" style=\"--heat:{share:.3}\">{:.1}</td>",
                        100.0 * share
                    )
                }
                None => write!(out, "<td class=\"none\">–</td>"),
            }
            .expect(TAKES);
        }
        out.push_str("</tr>");
    }
    out.push_str("</tbody></table></div>");
}
