//! The measures of `camicia bench`, for criterion: `cargo bench` compares with the last run.

use std::time::{Duration, Instant};

use camicia::bench::{Measure, Worker};
use camicia::game::lanes::Kernel;
use criterion::{Criterion, Throughput, criterion_group, criterion_main};

/// Items of one call: enough for the lanes to be full nearly all the time.
fn items(measure: Measure) -> u64 {
    match measure {
        Measure::Exact => 1_000,
        Measure::Packed => 20_000,
        _ => 200_000,
    }
}

fn engine(criterion: &mut Criterion) {
    let kernels: Vec<Kernel> = Kernel::available().collect();
    let mut group = criterion.benchmark_group("engine");
    group
        .measurement_time(Duration::from_secs(3))
        .sample_size(10);
    for measure in Measure::all(&kernels) {
        let mut worker = Worker::new(measure, 0);
        group.throughput(Throughput::Elements(items(measure)));
        group.bench_function(measure.to_string(), |bencher| {
            bencher.iter_custom(|calls| {
                let clock = Instant::now();
                for _ in 0..calls {
                    worker.work(items(measure));
                }
                clock.elapsed()
            });
        });
    }
    group.finish();
}

criterion_group!(benches, engine);
criterion_main!(benches);
