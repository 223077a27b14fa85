//! How a search is watched: a bar on a terminal, a plain line a minute without one.

use std::io::IsTerminal;
use std::time::Duration;

use indicatif::{HumanDuration, ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::cli::term::numbers::{grouped, rate};
use crate::cli::term::output::{self, GOOD};
use crate::search::finds::results::Find;
use crate::search::finds::tail::Expected;
use crate::search::run::runner::{RunProgress, Watch};

/// Time between two plain lines.
const LINE_EVERY: Duration = Duration::from_secs(60);

/// Tells a person on standard error.
pub struct Announcer {
    bar: Option<ProgressBar>,
    next_line: Duration,
    /// The longest known finished game of the deck: what is longer is announced.
    record: Option<u64>,
    /// The cycle announced last, and how many were.
    cycle: Option<String>,
    cycles: usize,
    /// The longest game played and what is expected are shown.
    watch: bool,
    /// The longest game shown so.
    played: u64,
}

/// So many cycles are announced; decks with many of them would flood the screen.
const CYCLES: usize = 10;

impl Announcer {
    /// A bar if standard error is a terminal, else plain lines.
    /// With `watch`, each longer game is set against the expectation.
    pub fn new(record: Option<u64>, watch: bool) -> Announcer {
        let bar = std::io::stderr().is_terminal().then(|| {
            let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr_with_hz(5));
            bar.set_style(
                ProgressStyle::with_template("{spinner} [{bar:24}] {msg}")
                    .expect("the template is sound")
                    .progress_chars("=> "),
            );
            bar
        });
        Announcer {
            bar,
            next_line: LINE_EVERY,
            record,
            cycle: None,
            cycles: 0,
            watch,
            played: 0,
        }
    }

    /// Takes the bar away.
    pub fn finish(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }

    /// Prints a line that stays.
    pub fn say(&self, line: &str) {
        match &self.bar {
            Some(bar) => bar.suspend(|| output::notice(line)),
            None => output::notice(line),
        }
    }
}

/// A bar for work that is counted in `things`; hidden without a terminal.
pub fn bar(length: u64, things: &str) -> ProgressBar {
    let bar = ProgressBar::new(length);
    let template = format!("{{bar:40}} {{pos}} of {{len}} {things}, {{eta}} left");
    bar.set_style(ProgressStyle::with_template(&template).expect("the template is sound"));
    bar
}

fn line(progress: &RunProgress) -> String {
    let report = &progress.report;
    let mut parts = vec![format!("{} {}", grouped(report.played), report.unit)];
    parts.push(match progress.total {
        Some(total) => format!(
            "{:.1} %, block {} of {}",
            100.0 * progress.done as f64 / (total as f64).max(1.0),
            grouped(progress.done),
            grouped(total)
        ),
        None => format!("block {}", grouped(progress.done)),
    });
    parts.push(format!(
        "{}/s ({}/s in all)",
        rate(progress.rate_now),
        rate(progress.rate_mean)
    ));
    if let Some((best, _)) = &report.best {
        parts.push(format!("longest {}", output::spoken(*best)));
    }
    if report.loops > 0 {
        parts.push(format!("{} loops", grouped(report.loops)));
    }
    if let Some(left) = progress
        .left
        .filter(|_| progress.total != Some(progress.done))
    {
        parts.push(format!("{} left", HumanDuration(left)));
    }
    if progress.unsaved.is_some() {
        parts.push("NOT SAVED".to_owned());
    }
    parts.join(", ")
}

/// The longest game played against the one to be expected.
fn outlook(expected: &Expected) -> String {
    let cards = |cards: f64| grouped(cards.round() as u128);
    let where_it_lies = match expected.played as f64 {
        played if played < expected.low => "short: 95 of 100 such runs find a longer one",
        played if played > expected.high => "long: 5 of 100 such runs find one so long",
        played if played < expected.longest => "a little below the expectation",
        _ => "above the expectation",
    };
    format!(
        "{} games: the longest has {} cards, expected are {} (90 of 100 runs: {} to {}); {where_it_lies}",
        cards(expected.games),
        grouped(expected.played),
        cards(expected.longest),
        cards(expected.low),
        cards(expected.high)
    )
}

impl Watch for Announcer {
    fn progress(&mut self, progress: &RunProgress) {
        let expected = progress.report.expected.filter(|_| self.watch);
        if let Some(expected) = expected.filter(|expected| expected.played > self.played) {
            self.played = expected.played;
            self.say(&outlook(&expected));
        }
        if let Some(bar) = &self.bar {
            if let Some(total) = progress.total {
                bar.set_length(total);
            }
            bar.set_position(progress.done);
            bar.set_message(line(progress));
        } else if progress.elapsed >= self.next_line {
            self.next_line = progress.elapsed + LINE_EVERY;
            self.say(&line(progress));
        }
    }

    fn found(&mut self, find: &Find) {
        let played = output::spoken(find.played);
        if find.is_loop() {
            // All deals of a cycle come together.
            if self.cycles > CYCLES || self.cycles > 0 && self.cycle == find.cycle {
                return;
            }
            self.cycle.clone_from(&find.cycle);
            self.cycles += 1;
            if self.cycles > CYCLES {
                self.say("more infinite games are written without a word here");
                return;
            }
            self.say(&format!(
                "{GOOD}infinite game{GOOD:#} ({played} until a state came back): {}",
                find.deal_text()
            ));
        } else if self.record.is_some_and(|record| find.played.cards > record) {
            self.record = Some(find.played.cards);
            self.say(&format!(
                "{GOOD}longer than every known game{GOOD:#}: {played}: {}",
                find.deal_text()
            ));
        }
    }

    fn warn(&mut self, message: &str) {
        self.say(&format!("warning: {message}"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::Span;
    use crate::search::methods::Report;

    #[test]
    fn the_longest_game_is_set_against_the_expectation() {
        let expected = Expected {
            games: 2e6,
            longest: 3146.6,
            low: 2804.0,
            high: 3639.2,
            played: 2782,
        };
        assert_eq!(
            outlook(&expected),
            "2,000,000 games: the longest has 2,782 cards, expected are 3,147 (90 of 100 runs: \
             2,804 to 3,639); short: 95 of 100 such runs find a longer one"
        );
        for (played, word) in [(3000, "below"), (3200, "above"), (3700, "long: 5 of 100")] {
            let text = outlook(&Expected { played, ..expected });
            assert!(text.contains(word), "{text}");
        }
    }

    #[test]
    fn a_line_says_all_that_matters() {
        let progress = RunProgress {
            done: 5,
            total: Some(10),
            report: Report {
                played: 1_000_000,
                unit: "games",
                best: Some((
                    Span {
                        cards: 8344,
                        tricks: 1164,
                    },
                    "J/-".into(),
                )),
                loops: 2,
                cycles: 1,
                more: Vec::new(),
                expected: None,
            },
            elapsed: Duration::from_secs(1),
            rate_now: 1e6,
            rate_mean: 2e6,
            left: Some(Duration::from_secs(7200)),
            unsaved: Some("no room".into()),
        };
        assert_eq!(
            line(&progress),
            "1,000,000 games, 50.0 %, block 5 of 10, 1.00 M/s (2.00 M/s in all), \
             longest 8344 cards, 1164 tricks, 2 loops, 2 hours left, NOT SAVED"
        );
    }
}
