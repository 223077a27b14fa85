//! The page of a match's game: one game of bots at a table, step by step, in one file.
//!
//! The page carries the game as it was played again by its rules, the same as
//! `camicia match replay --json` prints it. It shows the table after each step and knows no rule.

use std::fmt::Write;

use serde_json::json;

use super::sheet::{self, PLAYER, escape, many, script_json};
use crate::referee::{GameRecord, Replay, ReplayStep, Score, Tone};

const PAGE: &str = include_str!("page.html");
const STYLE: &str = include_str!("table.css");
const SCRIPT: &str = include_str!("table.js");

/// The page of a game: its line of the results, and the game as it was played again.
pub fn page(record: &GameRecord, replay: &Replay) -> String {
    let end = spoken(record);
    let failures: String = record
        .failures
        .iter()
        .map(|failed| {
            let what = format!("{}: {}", failed.bot, failed.failure);
            format!("<p class=\"trouble\">{}</p>\n", escape(&what))
        })
        .collect();
    let json = json!({ "record": record, "replay": replay }).to_string();
    sheet::page(
        &format!("{}: {end}", replay.title),
        &format!("{PLAYER}{STYLE}"),
        "'unsafe-inline'",
        PAGE,
        &[
            ("heading", &escape(&replay.title)),
            ("end", &escape(&end)),
            ("failures", &failures),
            ("zones", &zones(replay)),
            ("steps", &steps(replay)),
            ("game", &script_json(&json)),
            ("script", SCRIPT),
        ],
    )
}

/// How the game ended, as a sentence.
fn spoken(record: &GameRecord) -> String {
    let name = |seat: &usize| record.seats.get(*seat).map_or("?", String::as_str);
    let score = match &record.score {
        Score::Winners(winners) if winners.is_empty() => "nobody won".to_owned(),
        Score::Winners(winners) => {
            let names: Vec<&str> = winners.iter().map(name).collect();
            format!("{} won", names.join(" and "))
        }
        Score::Points(points) => {
            let each = points.iter().enumerate();
            let each: Vec<String> = each
                .map(|(seat, points)| format!("{} {points}", name(&seat)))
                .collect();
            each.join(", ")
        }
    };
    format!(
        "Game {}, deal {}: {score} after {} ({}).",
        record.game,
        record.deal,
        many(record.turns, "turn"),
        record.reason
    )
}

/// A place for each hand. The cards are put there by the script.
fn zones(replay: &Replay) -> String {
    let mut out = String::new();
    for (seat, name) in replay.names.iter().enumerate() {
        let name = escape(name);
        let _ = writeln!(
            out,
            "<div class=\"zone\" id=\"seat-{seat}\" data-colour=\"{}\"><h2><i></i><span>{name}</span>\
             <span class=\"n\"></span><span class=\"says\"></span></h2>\
             <ul class=\"hand\" aria-label=\"The hand of {name}\"></ul></div>",
            seat % 6
        );
    }
    out
}

/// The game in words, an item for each step. The hands are told once, as they were dealt.
fn steps(replay: &Replay) -> String {
    let mut out = String::new();
    for (number, step) in replay.steps.iter().enumerate() {
        let _ = writeln!(
            out,
            "<li id=\"step-{number}\">{}</li>",
            words(step, number == 0)
        );
    }
    out
}

fn words(step: &ReplayStep, hands: bool) -> String {
    let told = |tone: &Tone| hands || *tone != Tone::Hand;
    let lines = step.scene.lines.iter().filter(|(tone, _)| told(tone));
    lines
        .map(|(tone, text)| {
            let class = match tone {
                Tone::Title => "head",
                Tone::Table | Tone::Hand => "soft",
                Tone::Move => "move",
                Tone::Say => "say",
                Tone::Trouble => "trouble",
                Tone::End => "end",
            };
            format!("<p class=\"{class}\">{}</p>", escape(text.trim()))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(score: &str) -> GameRecord {
        let text = format!(
            r#"{{"game":3,"deal":1,"seats":["a","<b>"],"reason":"won",{score},"turns":1}}"#
        );
        serde_json::from_str(&text).unwrap()
    }

    #[test]
    fn the_end_is_a_sentence() {
        for (score, wanted) in [
            (
                r#""winners":[]"#,
                "Game 3, deal 1: nobody won after 1 turn (won).",
            ),
            (
                r#""winners":[0,1]"#,
                "Game 3, deal 1: a and <b> won after 1 turn (won).",
            ),
            (
                r#""points":[4,-4]"#,
                "Game 3, deal 1: a 4, <b> -4 after 1 turn (won).",
            ),
        ] {
            assert_eq!(spoken(&record(score)), wanted);
        }
    }
}
