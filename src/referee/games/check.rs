//! Situations for one bot: it sits at a table of players that do what a situation needs, and every
//! answer is judged by the game's own referee.

use std::collections::VecDeque;

use serde::Serialize;

use crate::referee::host::game::Halt;
use crate::referee::host::game::{Failure, GameEnd, Players, Reply, Result, Scene, SeatIndex};
use crate::referee::host::words::printable;

/// A player of our own: it hears what its seat is told, and answers when that asks for it.
pub type Brain = Box<dyn FnMut(&str) -> Option<String>>;

/// What is right, by the line that asks and by how often the bot was asked before.
pub type RightAnswer = Box<dyn Fn(&str, usize) -> String>;

/// Plays a situation to its end.
pub type Scenario = Box<dyn Fn(&mut dyn Players) -> Result<GameEnd>>;

/// A situation that a bot is put into.
pub struct Situation {
    /// What it is about, in a few words.
    pub name: String,
    /// The seat of the bot.
    pub seat: SeatIndex,
    /// The others, by seat; the bot's own place is never used.
    pub others: Vec<Brain>,
    /// What is right, by the line that asks and by how often the bot was asked before.
    pub right: RightAnswer,
    /// Plays it. It is over when the game is, or when one of the others has nothing to say.
    pub play: Scenario,
    /// What the others are told when an action was refused, in a game that does so.
    pub refusal: Option<&'static str>,
}

/// How a bot did in a situation.
#[derive(Clone, Debug, Serialize)]
pub struct SituationReport {
    /// What it was about.
    pub name: String,
    /// What was sent (`> line`) and what came back (`< line`), in order, printable.
    pub talk: Vec<String>,
    /// What went wrong, and what would have been right; none when all was right.
    pub fault: Option<SituationFault>,
    /// How often it was asked.
    pub asked: usize,
    /// Lines that were no answer: chatter, which is allowed.
    pub chatter: usize,
}

/// What a bot did wrong in a situation.
#[derive(Clone, Debug, Serialize)]
pub struct SituationFault {
    /// What it did.
    pub what: String,
    /// What would have been right.
    pub right: String,
}

/// A script as a brain: says these lines, whatever it hears, one whenever it is asked by `asks`.
pub fn scripted(asks: &'static str, lines: &[&str]) -> Brain {
    let mut lines: VecDeque<String> = lines.iter().map(|&line| line.to_owned()).collect();
    Box::new(move |told| {
        if told.starts_with(asks) {
            lines.pop_front()
        } else {
            None
        }
    })
}

impl Situation {
    /// Puts a bot, the only one of `bot`, into the situation.
    pub fn examine(self, bot: &mut dyn Players) -> Result<SituationReport> {
        let mut table = ExamTable {
            bot,
            seat: self.seat,
            answers: self.others.iter().map(|_| VecDeque::new()).collect(),
            failures: self.others.iter().map(|_| None).collect(),
            others: self.others,
            right: self.right,
            refusal: self.refusal,
            prompt: String::new(),
            judged: false,
            faulted: 0,
            report: SituationReport {
                name: self.name,
                talk: Vec::new(),
                fault: None,
                asked: 0,
                chatter: 0,
            },
            over: false,
        };
        match (self.play)(&mut table) {
            Ok(_) => {}
            Err(Halt::Stopped) if table.over => {}
            Err(halt) => return Err(halt),
        }
        Ok(table.report)
    }
}

/// The table of a situation.
struct ExamTable<'a> {
    bot: &'a mut dyn Players,
    seat: SeatIndex,
    others: Vec<Brain>,
    /// What the others are about to say.
    answers: Vec<VecDeque<String>>,
    failures: Vec<Option<Failure>>,
    right: RightAnswer,
    refusal: Option<&'static str>,
    /// The last line that the bot was told before it was asked.
    prompt: String,
    /// Whether the last answer is one of the bot, and may still be refused.
    judged: bool,
    /// At which ask the fault was noted.
    faulted: usize,
    report: SituationReport,
    /// Whether one of the others had nothing to say.
    over: bool,
}

impl ExamTable<'_> {
    fn note(&mut self, what: String) {
        if self.report.fault.is_none() {
            let right = (self.right)(&self.prompt, self.report.asked - 1);
            self.report.fault = Some(SituationFault { what, right });
            self.faulted = self.report.asked;
        }
    }

    fn ask_bot(&mut self, heed: &mut dyn FnMut(SeatIndex, &[u8]) -> bool) -> Result<Reply> {
        self.prompt = self
            .report
            .talk
            .iter()
            .rev()
            .find_map(|line| line.strip_prefix("> "))
            .unwrap_or_default()
            .to_owned();
        self.report.asked += 1;
        let (seat, report) = (self.seat, &mut self.report);
        let mut replies = self.bot.ask(&[0], &mut |_, line| {
            report.talk.push(format!("< {}", printable(line, 200)));
            let heeded = heed(seat, line);
            report.chatter += usize::from(!heeded);
            heeded
        })?;
        let reply = replies.pop().expect("one reply a seat");
        self.judged = true;
        if let Err(failure) = &reply {
            self.note(failure.to_string());
        }
        Ok(reply)
    }
}

impl Players for ExamTable<'_> {
    fn tell(&mut self, seat: SeatIndex, line: &str) {
        if seat == self.seat {
            self.report.talk.push(format!("> {line}"));
            self.bot.tell(0, line);
            return;
        }
        if self.judged && self.refusal == Some(line) && self.report.fault.is_none() {
            self.note("the action was refused, and the turn is lost".to_owned());
        }
        let answer = (self.others[seat])(line);
        self.answers[seat].extend(answer);
    }

    fn ask(
        &mut self,
        seats: &[SeatIndex],
        heed: &mut dyn FnMut(SeatIndex, &[u8]) -> bool,
    ) -> Result<Vec<Reply>> {
        let mut replies = Vec::with_capacity(seats.len());
        for &seat in seats {
            if seat == self.seat {
                replies.push(self.ask_bot(heed)?);
                continue;
            }
            self.judged = false;
            if let Some(failure) = &self.failures[seat] {
                replies.push(Err(failure.clone()));
                continue;
            }
            let Some(line) = self.answers[seat].pop_front() else {
                self.over = true;
                return Err(Halt::Stopped);
            };
            heed(seat, line.as_bytes());
            replies.push(Ok(line.into_bytes()));
        }
        Ok(replies)
    }

    fn fail(&mut self, seat: SeatIndex, failure: Failure) -> Result<()> {
        if seat != self.seat {
            self.failures[seat].get_or_insert(failure);
            return Ok(());
        }
        // It says more than that the same answer was refused.
        if self.judged
            && let Some(fault) = &mut self.report.fault
            && self.faulted == self.report.asked
        {
            fault.what = failure.to_string();
        }
        self.note(failure.to_string());
        self.bot.fail(0, failure)
    }

    fn failed(&self, seat: SeatIndex) -> Option<&Failure> {
        if seat == self.seat {
            return self.bot.failed(0);
        }
        self.failures[seat].as_ref()
    }

    fn show(&mut self, _: &mut dyn FnMut() -> Scene) {}
}
