//! What a bot of BS reads and writes (BS/1), word for word.
//!
//! Every line of a bot is an answer, an empty one too: there is no chatter. Nothing a bot wrote is
//! passed on to another.

use super::rules::{BsOver, BsRank, BsRefusal, BsState, Draw, RANKS, SEATS, Settled};
use super::{notation, scenes};
use crate::referee::host::game::Score;
use crate::referee::host::game::{
    CardGame, Failure, Fixture, GameEnd, Life, Players, Reason, Result, Scene, Tone,
};
use crate::referee::host::words::{printable, words};

/// The most letters of an answer that a failure shows.
const SHOWN: usize = 200;

/// BS, four of any number of bots, each process playing game after game.
#[derive(Clone, Copy, Debug)]
pub struct Bs {
    pub(super) rounds: u64,
}

impl Bs {
    /// A game of at most so many rounds, in each of which every player lays once. The text has 1000.
    pub fn new(rounds: u64) -> Bs {
        Bs { rounds }
    }
}

impl CardGame for Bs {
    const LIFE: Life = Life::Match;

    fn name(&self) -> &'static str {
        "bs"
    }

    fn seats(&self, bots: usize) -> std::result::Result<usize, String> {
        if bots < SEATS {
            return Err(format!(
                "BS is for four bots or more, not {bots}; a bot may be named more than once"
            ));
        }
        Ok(SEATS)
    }

    fn play(&self, round: &Fixture, players: &mut dyn Players) -> Result<GameEnd> {
        let mut cards = round.random(0);
        let mut state = BsState::deal(self.rounds, &mut |deck| cards.shuffle(deck));
        let mut later = round.random(1);
        play_from(
            &mut state,
            &round.names,
            &mut |bound| later.below(bound),
            players,
        )
    }
}

/// Plays on from a given state.
pub fn play_from(
    state: &mut BsState,
    names: &[String],
    chance: Draw,
    players: &mut dyn Players,
) -> Result<GameEnd> {
    for seat in 0..SEATS {
        players.tell(seat, &format!("START {seat} {SEATS}"));
        players.tell(seat, &format!("HAND {}", scenes::list(state.hand(seat))));
    }
    players.show(&mut || scenes::opening(state, names));
    let mut turns = 0;
    let mut last_out = None;
    let mut moves = Vec::new();
    while state.over().is_none() {
        let mover = state.mover();
        if state.is_live(mover) {
            turns += 1;
            moves.push(turn(state, names, chance, players, &mut last_out)?);
        } else {
            state.skip();
        }
        if state.opens_round() || state.over().is_some() {
            players.tell_all(state.live(), &format!("ROUND {}", public(state)));
        }
    }
    let winner = state.winner();
    let end = winner.map_or("END -1".to_owned(), |seat| format!("END {seat}"));
    players.tell_all(state.live(), &end);
    players.show(&mut || scenes::ending(state, names));
    Ok(GameEnd {
        reason: match state.over() {
            Some(BsOver::RoundLimit) => Reason::RoundLimit,
            Some(BsOver::LastOne(_)) => Reason::Bot(last_out.expect("the others are out")),
            Some(BsOver::Emptied(_)) | None => Reason::Won,
        },
        score: Score::Winners(winner.into_iter().collect()),
        turns,
        moves: moves.join(" "),
    })
}

/// The mover lays, the others are asked, the cards go where they belong; what happened, written down.
fn turn(
    state: &mut BsState,
    names: &[String],
    chance: Draw,
    players: &mut dyn Players,
    last_out: &mut Option<usize>,
) -> Result<String> {
    let (mover, rank) = (state.mover(), state.rank());
    let title = scenes::title(state, names);
    players.tell(mover, &format!("PLAY {rank} {}", public(state)));
    let laid = match players.ask_one(mover, &mut |_| true)? {
        Err(failure) => Err(failure),
        Ok(line) => cards(&line).and_then(|ranks| {
            let refused = |refusal| Failure::illegal(refused(rank, refusal));
            state.lay(&ranks).map_err(refused)
        }),
    };
    if let Err(failure) = laid {
        players.fail(mover, failure.clone())?;
        state.remove(mover);
        state.skip();
        *last_out = Some(mover);
        players.show(&mut || {
            let what = format!("{} is out: {failure}", names[mover]);
            let scene = Scene::default().line(Tone::Title, title.as_str());
            scenes::table(scene.line(Tone::Trouble, what), state, names)
        });
        return Ok(notation::OUT.to_owned());
    }

    let (laid, lie) = (state.laid().to_vec(), state.is_lie());
    let others: Vec<usize> = state.live().filter(|&seat| seat != mover).collect();
    let claim = format!("CLAIM {mover} {rank} {} {}", laid.len(), public(state));
    players.tell_all(others.iter().copied(), &claim);
    let replies = players.ask(&others, &mut |_, _| true)?;
    let mut callers = Vec::new();
    let mut fallen = Vec::new();
    let mut out = Vec::new();
    for (&seat, reply) in others.iter().zip(replies) {
        match reply.and_then(|line| calls(&line)) {
            Ok(true) => callers.push(seat),
            Ok(false) => {}
            Err(failure) => {
                players.fail(seat, failure.clone())?;
                state.remove(seat);
                *last_out = Some(seat);
                out.push(seat);
                fallen.push(format!("{} is out: {failure}", names[seat]));
            }
        }
    }

    let outcome = state.settle(&callers, chance);
    match &outcome {
        Settled::Uncalled => {}
        Settled::Truth { caller, taken } => {
            players.tell(*caller, &format!("TAKE {}", scenes::list(taken)));
        }
        Settled::Lie {
            caller,
            taken,
            given,
        } => {
            players.tell(mover, &format!("TAKE {}", scenes::list(taken)));
            players.tell(*caller, &format!("GIVE {given}"));
        }
    }
    players.tell_all(state.live(), &format!("STATE {}", public(state)));
    players.show(&mut || {
        let told = scenes::Told {
            mover,
            laid: &laid,
            lie,
            callers: &callers,
            outcome: &outcome,
        };
        scenes::turn(&title, &told, &fallen, state, names)
    });
    Ok(notation::written(&laid, &callers, &out))
}

/// What all may know: the sizes of the hands and of the pile.
fn public(state: &BsState) -> String {
    let [a, b, c, d] = state.sizes();
    format!("SIZES {a} {b} {c} {d} PILE {}", state.pile().len())
}

/// The ranks of an answer to `PLAY`; whether they may be laid is for the rules.
fn cards(line: &[u8]) -> std::result::Result<Vec<BsRank>, Failure> {
    words(line)
        .map(|word| {
            let digits = word.iter().all(u8::is_ascii_digit);
            let number = str::from_utf8(word).ok().filter(|_| digits);
            number
                .and_then(|number| number.parse::<BsRank>().ok())
                .filter(|&rank| u64::from(rank) < RANKS)
                .ok_or_else(|| {
                    Failure::protocol(format!(
                        "PLAY was answered `{}`; ranks from 0 to 12 are due",
                        printable(line, SHOWN)
                    ))
                })
        })
        .collect()
}

/// Whether an answer to `CLAIM` calls the claim a lie.
fn calls(line: &[u8]) -> std::result::Result<bool, Failure> {
    let words: Vec<&[u8]> = words(line).collect();
    match words.as_slice() {
        [b"BS"] => Ok(true),
        [b"PASS"] => Ok(false),
        _ => Err(Failure::protocol(format!(
            "CLAIM was answered `{}`; BS or PASS is due",
            printable(line, SHOWN)
        ))),
    }
}

fn refused(due: BsRank, refusal: BsRefusal) -> String {
    match refusal {
        BsRefusal::Nothing => format!("laid no card for rank {due}; at least one is due"),
        BsRefusal::NotHeld { rank, laid, held } => {
            format!("laid {laid} of rank {rank} and held {held}")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::referee::host::game::FailureKind;
    use crate::referee::host::script::Script;

    const GAME: &str = include_str!("../../../../tests/data/bs-game.txt");

    fn names() -> Vec<String> {
        ["ana", "bea", "cid", "dan"].map(str::to_owned).to_vec()
    }

    /// What a script leads to from these hands; always the first caller and the first card.
    fn played(hands: [&[BsRank]; SEATS], answers: [&[&str]; SEATS]) -> (GameEnd, Script) {
        let mut state = BsState::new(hands.map(<[BsRank]>::to_vec), 1000);
        let mut script = Script::new(answers.map(<[&str]>::to_vec));
        let ending = play_from(&mut state, &names(), &mut |_| 0, &mut script).unwrap();
        (ending, script)
    }

    #[test]
    fn a_real_game_is_told_byte_for_byte() {
        let mut seats: Vec<Vec<&str>> = Vec::new();
        for line in GAME.lines().filter(|line| !line.starts_with('#')) {
            match line.strip_prefix("seat ") {
                Some(_) => seats.push(Vec::new()),
                None => seats.last_mut().expect("a seat first").push(line),
            }
        }
        let hands: Vec<Vec<BsRank>> = seats
            .iter()
            .map(|lines| cards(lines[1].strip_prefix("> HAND ").unwrap().as_bytes()).unwrap())
            .collect();
        let mut script = Script::new(seats.iter().map(|lines| {
            lines
                .iter()
                .filter_map(|line| line.strip_prefix("< "))
                .collect()
        }));
        let mut state = BsState::new(hands.try_into().unwrap(), 1000);
        // Of several callers the last was drawn, and the card that was given was the first.
        let mut chance = |bound| if bound <= 3 { bound - 1 } else { 0 };
        let ending = play_from(&mut state, &names(), &mut chance, &mut script).unwrap();
        for (seat, lines) in seats.iter().enumerate() {
            assert_eq!(script.heard[seat], *lines, "seat {seat}");
        }
        assert_eq!(ending.reason, Reason::Won);
        assert_eq!(ending.score, Score::Winners(vec![0]));
        assert_eq!(ending.turns, 37);
    }

    #[test]
    fn a_caller_with_one_card_wins_and_all_are_told() {
        let (ending, script) = played(
            [&[1, 2, 3], &[9], &[5, 5], &[6, 6]],
            [&["2"], &["BS"], &["PASS"], &["PASS"]],
        );
        assert_eq!(ending.score, Score::Winners(vec![1]));
        assert_eq!((ending.reason, ending.turns), (Reason::Won, 1));
        let end = [
            "> STATE SIZES 3 0 2 2 PILE 1",
            "> ROUND SIZES 3 0 2 2 PILE 1",
            "> END 1",
        ];
        let tail = |seat: usize, from: usize| script.heard[seat][from..].to_vec();
        assert_eq!(
            tail(0, 2)[..3],
            ["> PLAY 0 SIZES 3 1 2 2 PILE 0", "< 2", "> TAKE 2"]
        );
        assert_eq!(tail(0, 5), end);
        assert_eq!(
            tail(1, 2)[..3],
            ["> CLAIM 0 0 1 SIZES 2 1 2 2 PILE 1", "< BS", "> GIVE 9"]
        );
        assert_eq!(tail(1, 5), end);
        assert_eq!(tail(2, 4), end);
        assert_eq!(script.heard[0][..2], ["> START 0 4", "> HAND 1 2 3"]);
        let last = script.scenes.last().unwrap();
        assert_eq!(
            last.lines,
            [(Tone::End, "bea won with an empty hand".to_owned())]
        );
    }

    #[test]
    fn blanks_and_order_do_not_matter() {
        let (ending, script) = played(
            [&[0, 0, 4], &[9, 9], &[5, 5], &[6, 6]],
            [&[" \t0  4 0\r"], &["PASS "], &["  BS"], &["\tPASS"]],
        );
        // A lie with a 4 among the zeros: seat 2 is right, and the liar has it all again.
        assert_eq!(script.heard[0][4], "> TAKE 0 4 0");
        assert!(
            script.failures[..3]
                .iter()
                .flatten()
                .all(|failure| { failure.kind == FailureKind::Timeout })
        );
        assert_eq!(ending.turns, 4);
    }

    /// What goes wrong when seat 0, with 0 0 4, answers this when it is its turn.
    fn fault_of_mover(answer: &str) -> Failure {
        let passes = ["PASS"; 9];
        let (_, script) = played(
            [&[0, 0, 4], &[9, 1], &[5, 2], &[6, 3]],
            [&[answer], &passes, &passes, &passes],
        );
        script.failures[0].clone().expect("a failure")
    }

    #[test]
    fn wrong_cards_put_the_mover_out() {
        for (answer, kind, detail) in [
            (
                "",
                FailureKind::Illegal,
                "laid no card for rank 0; at least one is due",
            ),
            (
                "  \t",
                FailureKind::Illegal,
                "laid no card for rank 0; at least one is due",
            ),
            ("5", FailureKind::Illegal, "laid 1 of rank 5 and held 0"),
            ("0 0 0", FailureKind::Illegal, "laid 3 of rank 0 and held 2"),
            (
                "13",
                FailureKind::Protocol,
                "PLAY was answered `13`; ranks from 0 to 12 are due",
            ),
            (
                "-1",
                FailureKind::Protocol,
                "PLAY was answered `-1`; ranks from 0 to 12 are due",
            ),
            (
                "+0",
                FailureKind::Protocol,
                "PLAY was answered `+0`; ranks from 0 to 12 are due",
            ),
            (
                "0 x",
                FailureKind::Protocol,
                "PLAY was answered `0 x`; ranks from 0 to 12 are due",
            ),
            (
                "0,0",
                FailureKind::Protocol,
                "PLAY was answered `0,0`; ranks from 0 to 12 are due",
            ),
            (
                "PASS",
                FailureKind::Protocol,
                "PLAY was answered `PASS`; ranks from 0 to 12 are due",
            ),
            (
                "99999999999999999999999",
                FailureKind::Protocol,
                "PLAY was answered `99999999999999999999999`; ranks from 0 to 12 are due",
            ),
            (
                "0\0",
                FailureKind::Protocol,
                r"PLAY was answered `0\u{0}`; ranks from 0 to 12 are due",
            ),
        ] {
            let failure = fault_of_mover(answer);
            assert_eq!(
                (failure.kind, failure.detail.as_str()),
                (kind, detail),
                "{answer}"
            );
        }
        let failure = fault_of_mover(&"9 ".repeat(5000));
        assert_eq!(failure.kind, FailureKind::Illegal);
        let failure = fault_of_mover(&"x".repeat(5000));
        assert!(failure.detail.len() < 300, "{}", failure.detail);
    }

    #[test]
    fn wrong_words_are_no_call() {
        for answer in [
            "bs",
            "Bs",
            "Pass",
            "BS BS",
            "BS!",
            "PASS 1",
            "",
            "0",
            "SAY hello",
            "B S",
        ] {
            let (_, script) = played(
                [&[0, 0, 4], &[9, 1], &[5, 2], &[6, 3]],
                [&["0"], &["PASS"], &[answer], &["PASS"]],
            );
            let failure = script.failures[2].as_ref().unwrap();
            assert_eq!(failure.kind, FailureKind::Protocol);
            let detail = format!("CLAIM was answered `{answer}`; BS or PASS is due");
            assert_eq!(failure.detail, detail);
        }
        let failure = calls(b"\xffBS\x1b[2J").unwrap_err();
        assert_eq!(
            failure.detail,
            r"CLAIM was answered `\xffBS\u{1b}[2J`; BS or PASS is due"
        );
    }

    #[test]
    fn who_fails_is_out_and_the_others_play_on() {
        // Seat 0 fails in its first turn; seat 1 lays the last of its cards as the truth.
        let (ending, script) = played(
            [&[0, 4], &[1], &[5, 2], &[6, 3]],
            [&["x"], &["1"], &["PASS"], &["PASS"]],
        );
        assert_eq!((ending.reason, ending.turns), (Reason::Won, 2));
        assert_eq!(ending.score, Score::Winners(vec![1]));
        assert_eq!(
            script.heard[1][2..],
            [
                "> PLAY 1 SIZES 2 1 2 2 PILE 0",
                "< 1",
                "> STATE SIZES 2 0 2 2 PILE 1",
                "> ROUND SIZES 2 0 2 2 PILE 1",
                "> END 1"
            ]
        );
        // Nothing is said to who is out.
        assert_eq!(script.heard[0].last().unwrap(), "< x");
    }

    #[test]
    fn the_turn_of_who_is_out_passes_with_its_rank() {
        let (ending, script) = played(
            [&[0, 4], &[1, 1], &[2, 2], &[3, 3]],
            [
                &["0", "PASS", "PASS", "4"],
                &["maybe"],
                &["PASS", "2", "PASS", "PASS"],
                &["PASS", "PASS", "3", "PASS"],
            ],
        );
        assert_eq!(ending.score, Score::Winners(vec![0]));
        let plays = |seat: usize| -> Vec<&String> {
            let heard = script.heard[seat].iter();
            heard
                .filter(|line| line.starts_with("> PLAY") || line.starts_with("> ROUND"))
                .collect()
        };
        assert_eq!(
            plays(0),
            [
                "> PLAY 0 SIZES 2 2 2 2 PILE 0",
                "> ROUND SIZES 1 2 1 1 PILE 3",
                "> PLAY 4 SIZES 1 2 1 1 PILE 3",
                "> ROUND SIZES 0 2 1 1 PILE 4"
            ]
        );
        assert_eq!(plays(2)[0], "> PLAY 2 SIZES 1 2 2 2 PILE 1");
    }

    #[test]
    fn the_last_one_left_wins() {
        let (ending, _) = played(
            [&[0, 4], &[1, 1], &[2, 2], &[3, 3]],
            [&["0"], &["?"], &[], &["!"]],
        );
        assert_eq!(ending.score, Score::Winners(vec![0]));
        // The one who fell last in the order of seats decided it.
        assert_eq!(ending.reason, Reason::Bot(3));
        let (ending, script) = played(
            [&[0, 4], &[1, 1], &[2, 2], &[3, 3]],
            [&["7"], &["7"], &["7"], &["3"]],
        );
        assert_eq!(ending.score, Score::Winners(vec![3]));
        assert_eq!((ending.reason, ending.turns), (Reason::Bot(2), 3));
        assert_eq!(
            script.heard[3][2..],
            ["> ROUND SIZES 2 2 2 2 PILE 0", "> END 3"]
        );
    }

    #[test]
    fn all_who_call_are_named_to_those_who_watch_only() {
        let (_, script) = played(
            [&[7, 4], &[1, 1], &[2, 2], &[3, 3]],
            [&["7"], &["BS"], &["PASS"], &["BS"]],
        );
        let texts: Vec<&str> = script.scenes[1]
            .lines
            .iter()
            .map(|(_, text)| text.as_str())
            .collect();
        assert_eq!(
            texts,
            [
                "round 1, rank 0: ana",
                "ana lays 1: 7 (a lie)",
                "bea and dan call BS, bea is drawn, is right and gives a 1; ana takes 1 card",
                "ana  2  4 7",
                "bea  1  1",
                "cid  2  2 2",
                "dan  2  3 3",
                "pile 1: 1"
            ]
        );
        for seat in [2, 3] {
            let heard = script.heard[seat].join("\n");
            assert!(
                !heard.contains("TAKE") && !heard.contains("GIVE"),
                "{heard}"
            );
        }
    }

    #[test]
    fn a_deal_depends_on_its_number_only() {
        let bs = Bs::new(1);
        let heard = |number: u64, deal: u64| {
            let round = Fixture {
                number,
                deal,
                variant: 0,
                names: names(),
                seed: 3,
            };
            let mut script = Script::new([vec![], vec![], vec![], vec![]]);
            bs.play(&round, &mut script).unwrap();
            script.heard
        };
        assert_eq!(heard(1, 1), heard(9, 1));
        assert_ne!(heard(1, 1), heard(1, 2));
        assert!(bs.seats(3).is_err());
        assert_eq!(bs.seats(9), Ok(4));
    }
}
