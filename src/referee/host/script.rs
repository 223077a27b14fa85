//! Players out of a script, for the tests of games: what each seat answers is given, what it was told
//! is kept, and no process runs.

use std::collections::VecDeque;

use super::game::{Failure, FailureKind, Players, Reply, Result, Scene, SeatIndex};

/// Players whose answers are given beforehand.
#[derive(Default)]
pub struct Script {
    /// The lines each seat is still to say. When they are used up the seat times out.
    pub answers: Vec<VecDeque<Vec<u8>>>,
    /// What each seat was told (`> line`) and what it said (`< line`), in order.
    pub heard: Vec<Vec<String>>,
    /// What went wrong, by seat.
    pub failures: Vec<Option<Failure>>,
    /// What was shown.
    pub scenes: Vec<Scene>,
}

impl Script {
    /// Players with these lines to say, one after the other.
    pub fn new<'a>(answers: impl IntoIterator<Item = Vec<&'a str>>) -> Script {
        let answers: Vec<VecDeque<Vec<u8>>> = answers
            .into_iter()
            .map(|lines| {
                lines
                    .into_iter()
                    .map(|line| line.as_bytes().to_vec())
                    .collect()
            })
            .collect();
        Script {
            heard: vec![Vec::new(); answers.len()],
            failures: vec![None; answers.len()],
            answers,
            scenes: Vec::new(),
        }
    }
}

impl Players for Script {
    fn tell(&mut self, seat: SeatIndex, line: &str) {
        if self.failures[seat].is_none() {
            self.heard[seat].push(format!("> {line}"));
        }
    }

    fn ask(
        &mut self,
        seats: &[SeatIndex],
        heed: &mut dyn FnMut(SeatIndex, &[u8]) -> bool,
    ) -> Result<Vec<Reply>> {
        let mut replies = Vec::new();
        for &seat in seats {
            if let Some(failure) = &self.failures[seat] {
                replies.push(Err(failure.clone()));
                continue;
            }
            let reply = loop {
                let Some(line) = self.answers[seat].pop_front() else {
                    let failure = Failure::new(FailureKind::Timeout, "the script is over");
                    self.failures[seat] = Some(failure.clone());
                    break Err(failure);
                };
                self.heard[seat].push(format!("< {}", String::from_utf8_lossy(&line)));
                if heed(seat, &line) {
                    break Ok(line);
                }
            };
            replies.push(reply);
        }
        Ok(replies)
    }

    fn fail(&mut self, seat: SeatIndex, failure: Failure) -> Result<()> {
        self.failures[seat].get_or_insert(failure);
        Ok(())
    }

    fn failed(&self, seat: SeatIndex) -> Option<&Failure> {
        self.failures[seat].as_ref()
    }

    fn show(&mut self, scene: &mut dyn FnMut() -> Scene) {
        self.scenes.push(scene());
    }
}
