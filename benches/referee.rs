//! What the referee costs: an action of a bot that answers at once (`cat`), through a bare pipe and
//! through the referee, and a whole game of Uno with its processes.
//!
//! The referee's own cost per action is the difference between the first two.

use std::hint::black_box;
use std::io::{BufRead, BufReader, Write};
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::time::{Duration, Instant};

use camicia::referee::{
    BUILTINS, Bot, BotLimits, CardGame, Fixture, GameEnd, Life, MatchRun, Players, Reason, Result,
    Schedule, Score, Seating, Settings, StopRequest, Tables, Uno,
};
use criterion::{Criterion, criterion_group, criterion_main};

/// Bots that send back what they get, asked so many times.
struct Echo {
    seats: usize,
    actions: u64,
    spent: Mutex<Duration>,
}

impl CardGame for Echo {
    const LIFE: Life = Life::Game;

    fn name(&self) -> &'static str {
        "echo"
    }

    fn seats(&self, _: usize) -> std::result::Result<usize, String> {
        Ok(self.seats)
    }

    fn play(&self, _: &Fixture, players: &mut dyn Players) -> Result<GameEnd> {
        players.tell(0, "DISCARD 10");
        let _ = players.ask_one(0, &mut |_| true)?;
        let start = Instant::now();
        for _ in 0..self.actions {
            players.tell(0, "DISCARD 10");
            let reply = players.ask_one(0, &mut |line| line == b"DISCARD 10")?;
            assert!(black_box(reply).is_ok());
        }
        *self.spent.lock().expect("no panic before") = start.elapsed();
        Ok(GameEnd {
            reason: Reason::Draw,
            score: Score::Winners(Vec::new()),
            turns: self.actions,
            moves: String::new(),
        })
    }
}

fn settings() -> Settings {
    Settings {
        timeout: Duration::from_secs(60),
        startup: Duration::from_secs(60),
        margin: Duration::ZERO,
        jobs: 1,
        limits: BotLimits::default(),
        isolate: false,
        logs: None,
        program: PathBuf::from(env!("CARGO_BIN_EXE_camicia")),
    }
}

fn play<G: CardGame>(game: &G, bots: &[&str], games: u64) {
    let bots: Vec<Bot> = bots
        .iter()
        .map(|text| Bot::parse(BUILTINS, game.name(), text).expect("a bot"))
        .collect();
    let schedule = Schedule {
        seed: 0,
        bots: bots.len(),
        seats: bots.len(),
        variants: 1,
        seating: Seating::Fixed,
        tables: Tables::One,
    };
    let settings = settings();
    let the_match = MatchRun {
        game,
        bots: &bots,
        schedule: &schedule,
        settings: &settings,
    };
    let stop = StopRequest::new().expect("a pipe");
    the_match
        .play(0..games, &stop, None, &mut |_, _| {
            Ok(ControlFlow::Continue(()))
        })
        .expect("the match is played");
}

fn bare_pipe(actions: u64) -> Duration {
    let mut cat = Command::new("cat")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("there is cat");
    let mut stdin = cat.stdin.take().expect("piped");
    let mut stdout = BufReader::new(cat.stdout.take().expect("piped"));
    let mut line = Vec::new();
    let mut action = || {
        stdin.write_all(b"DISCARD 10\n").expect("cat reads");
        line.clear();
        stdout.read_until(b'\n', &mut line).expect("cat writes");
        black_box(&line);
    };
    action();
    let start = Instant::now();
    for _ in 0..actions {
        action();
    }
    let spent = start.elapsed();
    drop(stdin);
    cat.wait().expect("cat ends");
    spent
}

fn through_referee(seats: usize, actions: u64) -> Duration {
    let game = Echo {
        seats,
        actions,
        spent: Mutex::new(Duration::ZERO),
    };
    play(&game, &vec!["cat"; seats], 1);
    game.spent.into_inner().expect("no panic")
}

fn measure(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("action");
    group.bench_function("bare pipe", |bench| bench.iter_custom(bare_pipe));
    for seats in [1, 4] {
        let name = format!("referee, {seats} at the table");
        group.bench_function(name, |bench| {
            bench.iter_custom(|actions| through_referee(seats, actions));
        });
    }
    group.finish();

    let mut group = criterion.benchmark_group("game");
    group.sample_size(10);
    group.bench_function("uno, two built-in bots", |bench| {
        bench.iter_custom(|games| {
            let start = Instant::now();
            play(
                &Uno::new(1, 7, 2000),
                &["builtin:greedy", "builtin:random"],
                games,
            );
            start.elapsed()
        });
    });
    group.finish();
}

criterion_group!(benches, measure);
criterion_main!(benches);
