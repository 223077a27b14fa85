//! The table of the referee, with games made up for it: bots asked at once, bots that live on, bots
//! that do not read.

use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::Mutex;
use std::time::Duration;

use camicia::referee::{
    BUILTINS, Bot, BotLimits, CardGame, FailureKind, Fixture, GameEnd, GameRecord, Life,
    MatchError, MatchRun, Players, Reason, Result, Schedule, Score, Seating, Settings, StopRequest,
    Tables,
};

/// A game of one life or the other that does what it is told.
struct Made<const LIVES_ON: bool, F> {
    play: F,
    variants: usize,
}

impl<const LIVES_ON: bool, F> CardGame for Made<LIVES_ON, F>
where
    F: Fn(&Fixture, &mut dyn Players) -> Result<Vec<i64>> + Sync,
{
    const LIFE: Life = if LIVES_ON { Life::Match } else { Life::Game };

    fn name(&self) -> &'static str {
        "made"
    }

    fn seats(&self, bots: usize) -> std::result::Result<usize, String> {
        Ok(bots)
    }

    fn variants(&self) -> Vec<String> {
        (0..self.variants)
            .map(|number| format!("v{number}"))
            .collect()
    }

    fn play(&self, round: &Fixture, players: &mut dyn Players) -> Result<GameEnd> {
        let points = (self.play)(round, players)?;
        Ok(GameEnd {
            reason: Reason::Won,
            score: Score::Points(points),
            turns: 1,
            moves: String::new(),
        })
    }
}

fn play<G: CardGame>(game: &G, bots: &[&str], games: u64, timeout: Duration) -> Vec<GameRecord> {
    let mut bots: Vec<Bot> = bots
        .iter()
        .map(|text| Bot::parse(BUILTINS, "made", text).unwrap())
        .collect();
    Bot::make_names_unique(&mut bots);
    let schedule = Schedule {
        seed: 3,
        bots: bots.len(),
        seats: bots.len(),
        variants: game.variants().len().max(1),
        seating: Seating::Rotate,
        tables: Tables::One,
    };
    let settings = Settings {
        timeout,
        startup: Duration::ZERO,
        margin: Duration::ZERO,
        jobs: 1,
        limits: BotLimits::default(),
        isolate: false,
        logs: None,
        program: PathBuf::from(env!("CARGO_BIN_EXE_camicia")),
    };
    let the_match = MatchRun {
        game,
        bots: &bots,
        schedule: &schedule,
        settings: &settings,
    };
    let mut records = Vec::new();
    the_match
        .play(
            0..games,
            &StopRequest::new().unwrap(),
            None,
            &mut |record, _| {
                records.push(record.clone());
                Ok(ControlFlow::Continue(()))
            },
        )
        .unwrap();
    records
}

const LONG: Duration = Duration::from_secs(600);

fn number(reply: &[u8]) -> i64 {
    String::from_utf8_lossy(reply).trim().parse().unwrap()
}

#[test]
fn bots_asked_at_once_answer_in_any_order_and_each_in_its_own_time() {
    let game = Made::<false, _> {
        variants: 0,
        play: |_: &Fixture, players: &mut dyn Players| {
            players.tell_all(0..3, "go");
            let replies = players.ask(&[2, 0, 1], &mut |_, _| true)?;
            let words: Vec<String> = replies
                .iter()
                .map(|reply| match reply {
                    Ok(line) => String::from_utf8_lossy(line).into_owned(),
                    Err(failure) => failure.kind.word().to_owned(),
                })
                .collect();
            assert_eq!(words, ["exit", "late", "soon"]);
            // Who failed stays so, and is told nothing.
            players.tell(2, "again");
            let again = players.ask(&[2], &mut |_, _| true)?;
            assert_eq!(again[0].as_ref().unwrap_err().kind, FailureKind::Exit);
            assert_eq!(players.failed(2).unwrap().detail, "ended with code 7");
            assert!(players.failed(0).is_none());
            Ok(vec![0, 0, -1])
        },
    };
    let bots = [
        "sh -c 'read x; sleep 0.4; echo late; read y'",
        "sh -c 'read x; echo soon; read y'",
        "sh -c 'read x; exit 7'",
    ];
    let records = play(&game, &bots, 1, LONG);
    assert_eq!(records[0].score, Score::Points(vec![0, 0, -1]));
    assert_eq!(records[0].failures.len(), 1);
}

#[test]
fn lines_without_an_answer_and_empty_lines_arrive_in_order() {
    let game = Made::<false, _> {
        variants: 0,
        play: |_: &Fixture, players: &mut dyn Players| {
            for line in ["one", "", "two words", ""] {
                players.tell(0, line);
            }
            let mut seen = Vec::new();
            let reply = players.ask_one(0, &mut |line| {
                seen.push(line.to_vec());
                seen.len() == 4
            })?;
            assert_eq!(reply.unwrap(), b"");
            assert_eq!(seen, [&b"one"[..], b"", b"two words", b""]);
            Ok(vec![0])
        },
    };
    assert_eq!(play(&game, &["cat"], 1, LONG)[0].failures, []);
}

#[test]
fn a_process_lives_on_until_it_fails() {
    let pids = Mutex::new(Vec::new());
    let game = Made::<true, _> {
        variants: 0,
        play: |round: &Fixture, players: &mut dyn Players| {
            players.tell(0, "who");
            let pid = number(&players.ask_one(0, &mut |_| true)?.unwrap());
            pids.lock().unwrap().push(pid);
            if round.number == 2 {
                players.tell(0, "die");
                assert!(players.ask_one(0, &mut |_| true)?.is_err());
            }
            Ok(vec![pid])
        },
    };
    let bot = "sh -c 'while read word; do [ $word = die ] && exit 1; echo $$; done'";
    let records = play(&game, &[bot], 5, LONG);
    let pids = pids.into_inner().unwrap();
    assert_eq!(pids[0], pids[1]);
    assert_eq!(pids[1], pids[2]);
    assert_ne!(pids[2], pids[3], "started anew");
    assert_eq!(pids[3], pids[4]);
    assert_eq!(
        records
            .iter()
            .map(|record| record.failures.len())
            .collect::<Vec<_>>(),
        [0, 0, 1, 0, 0]
    );
}

#[test]
fn a_process_of_one_game_is_fresh() {
    let game = Made::<false, _> {
        variants: 0,
        play: |_: &Fixture, players: &mut dyn Players| {
            players.tell(0, "who");
            Ok(vec![number(&players.ask_one(0, &mut |_| true)?.unwrap())])
        },
    };
    let records = play(
        &game,
        &["sh -c 'while read word; do echo $$; done'"],
        3,
        LONG,
    );
    let mut scores: Vec<_> = records
        .into_iter()
        .map(|record| format!("{:?}", record.score))
        .collect();
    scores.dedup();
    assert_eq!(scores.len(), 3);
}

#[test]
fn a_bot_that_does_not_read_is_out_when_a_mebibyte_waits() {
    let game = Made::<false, _> {
        variants: 0,
        play: |_: &Fixture, players: &mut dyn Players| {
            let line = "x".repeat(1000);
            for _ in 0..1500 {
                players.tell_all(0..2, &line);
                // Written as far as it goes; the other bot reads.
                players.ask_one(1, &mut |_| true)?.unwrap();
            }
            let failure = players.ask_one(0, &mut |_| true)?.unwrap_err();
            assert_eq!(
                failure.to_string(),
                "protocol: does not read: 1 MiB of lines wait for it"
            );
            Ok(vec![0, 1])
        },
    };
    let records = play(&game, &["sleep 1000", "cat"], 1, LONG);
    assert_eq!(records[0].failures[0].failure.kind, FailureKind::Protocol);
}

#[test]
fn a_bot_that_closed_its_input_is_no_error() {
    let game = Made::<false, _> {
        variants: 0,
        play: |_: &Fixture, players: &mut dyn Players| {
            for _ in 0..100 {
                players.tell(0, &"x".repeat(10_000));
                players.ask_one(0, &mut |_| true)?.unwrap();
            }
            Ok(vec![0])
        },
    };
    assert_eq!(
        play(
            &game,
            &["sh -c 'exec <&-; while :; do echo y; done'"],
            1,
            LONG
        )[0]
        .failures,
        []
    );
}

#[test]
fn what_is_out_by_the_rules_keeps_its_first_failure() {
    let game = Made::<false, _> {
        variants: 0,
        play: |_: &Fixture, players: &mut dyn Players| {
            players.fail(0, camicia::referee::Failure::illegal("first"))?;
            players.fail(0, camicia::referee::Failure::protocol("second"))?;
            assert!(players.ask_one(0, &mut |_| true)?.is_err());
            Ok(vec![0])
        },
    };
    let records = play(&game, &["cat"], 1, LONG);
    assert_eq!(records[0].failures[0].failure.to_string(), "illegal: first");
}

#[test]
fn variants_and_seatings_of_a_deal_have_the_same_chance() {
    let game = Made::<false, _> {
        variants: 2,
        play: |round: &Fixture, _: &mut dyn Players| {
            let one = round.random(0).below(1 << 30) as i64;
            let other = round.random(1).below(1 << 30) as i64;
            assert_ne!(one, other);
            Ok(vec![one, other])
        },
    };
    let records = play(&game, &["cat", "cat"], 8, LONG);
    let deals: Vec<u64> = records.iter().map(|record| record.deal).collect();
    assert_eq!(deals, [0, 0, 0, 0, 1, 1, 1, 1]);
    assert!(
        records[..4]
            .iter()
            .all(|record| record.score == records[0].score)
    );
    assert!(
        records[4..]
            .iter()
            .all(|record| record.score == records[4].score)
    );
    assert_ne!(records[0].score, records[4].score);
    let variants: Vec<&str> = records
        .iter()
        .map(|record| record.variant.as_deref().unwrap())
        .collect();
    assert_eq!(variants[..4], ["v0", "v0", "v1", "v1"]);
    assert_eq!(records[1].seats, ["cat-2", "cat"]);
}

#[test]
fn a_request_to_stop_ends_every_wait() {
    let game = Made::<false, _> {
        variants: 0,
        play: |_: &Fixture, players: &mut dyn Players| {
            players.ask_one(0, &mut |_| true)?.unwrap();
            unreachable!("nobody answers");
        },
    };
    let bots = [Bot::parse(BUILTINS, "made", "sleep 1000").unwrap()];
    let schedule = Schedule {
        seed: 0,
        bots: 1,
        seats: 1,
        variants: 1,
        seating: Seating::Fixed,
        tables: Tables::One,
    };
    let settings = Settings {
        timeout: LONG,
        startup: LONG,
        margin: LONG,
        jobs: 3,
        limits: BotLimits::default(),
        isolate: false,
        logs: None,
        program: PathBuf::from(env!("CARGO_BIN_EXE_camicia")),
    };
    let the_match = MatchRun {
        game: &game,
        bots: &bots,
        schedule: &schedule,
        settings: &settings,
    };
    let stop = StopRequest::new().unwrap();
    std::thread::scope(|scope| {
        let playing = scope.spawn(|| {
            the_match.play(0..100, &stop, None, &mut |_, _| {
                Ok(ControlFlow::Continue(()))
            })
        });
        std::thread::sleep(Duration::from_millis(300));
        stop.request();
        assert!(matches!(playing.join().unwrap(), Err(MatchError::Stopped)));
    });
    assert!(stop.requested());
}
