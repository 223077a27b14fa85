//! `camicia bench`: how fast this machine plays, and that it plays exactly.

use std::io::{self, Write};
use std::num::NonZeroUsize;
use std::sync::Barrier;
use std::thread;
use std::time::{Duration, Instant};

use clap::Args;
use comfy_table::Table;
use serde_json::{Value, json};

use crate::bench::{DealSource, Measure, Signature, Work, Worker};
use crate::cli::term::exit::Exit;
use crate::cli::term::fault::{Outcome, printed};
use crate::cli::term::numbers;
use crate::cli::term::output::{self, GOOD, Out, STRONG};
use crate::game::lanes::Kernel;

/// Measure how fast this machine plays, and check that every kernel plays exactly
///
/// Everything is measured in turns, so that whatever else the machine does slows all lines alike;
/// the median of the turns is printed. The signature is the sum of cards and tricks over fixed deals:
/// it must be the same everywhere, and the exit code is 1 if it is not.
#[derive(Args, Debug)]
pub struct BenchArgs {
    /// A tenth of the time a line
    #[arg(long)]
    quick: bool,

    /// Only this kernel: avx512, avx2 or scalar [default: all that this machine has]
    #[arg(long, value_name = "KERNEL")]
    kernel: Option<Kernel>,

    /// Threads of the lines on all threads [default: what the machine gives]
    #[arg(long, value_name = "N")]
    threads: Option<NonZeroUsize>,

    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// One line of the report.
struct BenchLine {
    measure: Measure,
    workers: Vec<Worker>,
    /// Items each worker does in a turn.
    items: u64,
    /// Items, and cards, a second, of each turn.
    turns: Vec<(f64, f64)>,
}

impl BenchLine {
    fn new(measure: Measure, threads: usize) -> BenchLine {
        BenchLine {
            measure,
            workers: (0..threads as u64)
                .map(|number| Worker::new(measure, number))
                .collect(),
            items: 1,
            turns: Vec::new(),
        }
    }

    /// Finds out how many items fill a turn of this length.
    fn calibrate(&mut self, turn: Duration) {
        loop {
            let (_, time) = self.work();
            let (time, turn) = (time.as_secs_f64().max(1e-9), turn.as_secs_f64());
            let factor = turn / time;
            self.items = (self.items as f64 * factor.clamp(1.0, 16.0)).ceil() as u64;
            if factor < 16.0 {
                return;
            }
        }
    }

    /// All workers do their items at the same time. Each has the clock itself: this thread may
    /// sleep long after they have begun.
    fn work(&mut self) -> (Work, Duration) {
        let (items, start) = (self.items, Barrier::new(self.workers.len()));
        let done: Vec<(Work, Instant, Instant)> = thread::scope(|scope| {
            let threads: Vec<_> = self
                .workers
                .iter_mut()
                .map(|worker| {
                    scope.spawn(|| {
                        start.wait();
                        let begun = Instant::now();
                        (worker.work(items), begun, Instant::now())
                    })
                })
                .collect();
            threads
                .into_iter()
                .map(|thread| thread.join().expect("a worker does not panic"))
                .collect()
        });
        let mut all = Work::default();
        let (mut begun, mut ended) = (done[0].1, done[0].2);
        for (work, from, to) in done {
            all.items += work.items;
            all.cards += work.cards;
            begun = begun.min(from);
            ended = ended.max(to);
        }
        (all, ended - begun)
    }

    fn turn(&mut self) {
        let (work, time) = self.work();
        let seconds = time.as_secs_f64().max(1e-9);
        self.turns
            .push((work.items as f64 / seconds, work.cards as f64 / seconds));
    }

    /// Median, least and greatest rate of the turns; the median of cards.
    fn rates(&self) -> [f64; 4] {
        let sorted = |of: fn(&(f64, f64)) -> f64| {
            let mut rates: Vec<f64> = self.turns.iter().map(of).collect();
            rates.sort_by(f64::total_cmp);
            rates
        };
        let (items, cards) = (sorted(|turn| turn.0), sorted(|turn| turn.1));
        let middle = items.len() / 2;
        [
            items[middle],
            items[0],
            items[items.len() - 1],
            cards[middle],
        ]
    }
}

/// Whether the kernels play a signature's deals alike and as they should.
struct Check {
    kernel: Kernel,
    sums: Signature,
    holds: bool,
}

pub fn run(args: &BenchArgs) -> Outcome {
    let kernels = match args.kernel {
        Some(kernel) => vec![kernel],
        None => Kernel::available().collect(),
    };
    let wanted = if args.quick {
        Signature::FIRST
    } else {
        Signature::MILLION
    };
    let checks: Vec<Check> = kernels
        .iter()
        .map(|&kernel| {
            let sums = Signature::of(kernel, wanted.games);
            Check {
                kernel,
                sums,
                holds: sums == wanted,
            }
        })
        .collect();
    let (turns, turn) = if args.quick {
        (3, Duration::from_millis(40))
    } else {
        (5, Duration::from_millis(300))
    };
    let threads = args
        .threads
        .or_else(|| thread::available_parallelism().ok())
        .map_or(1, NonZeroUsize::get);
    let mut lines: Vec<BenchLine> = Measure::all(&kernels)
        .into_iter()
        .map(|measure| BenchLine::new(measure, 1))
        .collect();
    if threads > 1 {
        for deals in [DealSource::Random, DealSource::Indexed] {
            lines.push(BenchLine::new(Measure::Games(kernels[0], deals), threads));
        }
    }
    for line in &mut lines {
        line.calibrate(turn);
    }
    for _ in 0..turns {
        for line in &mut lines {
            line.turn();
        }
    }
    let told = if args.json {
        output::json_line(&report(&lines, &checks, wanted))
    } else {
        output::print(|out| print(out, &lines, &checks, wanted))
    };
    let result = if checks.iter().all(|check| check.holds) {
        Exit::Done
    } else {
        Exit::ClaimFailed
    };
    printed(told, result)
}

fn sums(signature: Signature) -> Value {
    json!({
        "games": output::number(signature.games),
        "cards": output::number(signature.cards),
        "tricks": output::number(signature.tricks),
        "won_by_a": output::number(signature.won_by_a),
    })
}

fn report(lines: &[BenchLine], checks: &[Check], wanted: Signature) -> Value {
    let lines: Vec<Value> = lines
        .iter()
        .map(|line| {
            let [median, least, greatest, cards] = line.rates().map(f64::round);
            let mut value = json!({
                "name": line.measure.to_string(),
                "threads": line.workers.len(),
                "unit": line.measure.unit(),
                "per_second": median,
                "per_second_least": least,
                "per_second_greatest": greatest,
                "turns": line.turns.len(),
            });
            if cards > 0.0 {
                value["cards_per_second"] = json!(cards);
            }
            value
        })
        .collect();
    let checks: Vec<Value> = checks
        .iter()
        .map(|check| {
            json!({
                "kernel": check.kernel.name(),
                "holds": check.holds,
                "sums": sums(check.sums),
            })
        })
        .collect();
    json!({
        "version": env!("CARGO_PKG_VERSION"),
        "processor": processor(),
        "architecture": std::env::consts::ARCH,
        "system": std::env::consts::OS,
        "kernels": Kernel::available().map(Kernel::name).collect::<Vec<_>>(),
        "signature": { "wanted": sums(wanted), "kernels": checks },
        "measures": lines,
    })
}

fn print(
    out: &mut Out,
    lines: &[BenchLine],
    checks: &[Check],
    wanted: Signature,
) -> io::Result<()> {
    let names: Vec<&str> = Kernel::available().map(Kernel::name).collect();
    writeln!(
        out,
        "{STRONG}{}{STRONG:#}, kernels {}, version {}",
        processor().as_deref().unwrap_or("unknown processor"),
        names.join(", "),
        env!("CARGO_PKG_VERSION"),
    )?;
    let rate = |rate| numbers::rate(rate).trim_end().to_owned();
    let mut table: Table = output::table(vec![
        "",
        "threads",
        "a second",
        "",
        "spread",
        "cards a second",
    ]);
    for line in lines {
        let [median, least, greatest, cards] = line.rates();
        table.add_row([
            line.measure.to_string(),
            line.workers.len().to_string(),
            rate(median),
            line.measure.unit().to_owned(),
            format!("{} to {}", rate(least), rate(greatest)),
            if cards > 0.0 {
                rate(cards)
            } else {
                String::new()
            },
        ]);
    }
    output::right(&mut table, &[1, 2, 4, 5]);
    output::print_table(out, &table)?;
    let Signature {
        games,
        cards,
        tricks,
        won_by_a,
    } = wanted;
    for check in checks {
        let (style, word) = if check.holds {
            (GOOD, "as everywhere".to_owned())
        } else {
            (output::DEBT, format!("WRONG: {:?}", check.sums))
        };
        writeln!(
            out,
            "signature of {}: {games} games, {cards} cards, {tricks} tricks, {won_by_a} won by A: \
             {style}{word}{style:#}",
            check.kernel
        )?;
    }
    Ok(())
}

/// The name of the processor, where the system tells it.
fn processor() -> Option<String> {
    let info = std::fs::read_to_string("/proc/cpuinfo").ok()?;
    let line = info.lines().find(|line| line.starts_with("model name"))?;
    Some(line.split_once(':')?.1.trim().to_owned())
}
