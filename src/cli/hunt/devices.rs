//! `camicia devices`: what of this machine can play, whether it plays exactly, and how fast.

use std::io::{self, Write};
use std::time::{Duration, Instant};

use clap::Args;
use serde_json::{Value, json};

use crate::bench::{self, Signature};
use crate::cli::term::exit::Exit;
use crate::cli::term::fault::{Outcome, printed};
use crate::cli::term::numbers;
use crate::cli::term::output::{self, GOOD, Out, STRONG};
use crate::deals::random_block;
use crate::game::gpu::{Card, Device, DeviceInfo, GpuError, devices};
use crate::game::lanes::Kernel;

/// Games of a block of the speed test, as many as old plans have.
const BLOCK: u32 = 125_000;
/// A batch that takes so long fills the device: its speed is the device's.
const FULL: Duration = Duration::from_millis(40);
/// Batches of the speed test, at most: each may be four times as large as the one before.
const BATCHES: usize = 8;

/// List the kernels and the OpenCL devices of this machine, check them, and time them
///
/// Each plays a hundred thousand fixed deals. The sums must be those of every machine, and the exit
/// code is 1 if they are not. Searches play on the processor so far: devices are only tested.
#[derive(Args, Debug)]
pub struct DevicesArgs {
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// What a test came to.
struct Tested {
    sums: Signature,
    /// Games a second.
    pace: f64,
}

impl Tested {
    fn holds(&self) -> bool {
        self.sums == Signature::FIRST
    }
}

type DeviceTest = (Device, Result<Tested, GpuError>);

pub fn run(args: &DevicesArgs) -> Outcome {
    let kernels: Vec<(Kernel, Tested)> = Kernel::available()
        .map(|kernel| (kernel, test_kernel(kernel)))
        .collect();
    let devices: Vec<DeviceTest> = devices()
        .into_iter()
        .map(|device| {
            let tested = device.open().and_then(|mut card| test_card(&mut card));
            (device, tested)
        })
        .collect();
    let told = if args.json {
        output::json_line(&report(&kernels, &devices))
    } else {
        output::print(|out| print(out, &kernels, &devices))
    };
    let on_devices = devices
        .iter()
        .filter_map(|(_, tested)| tested.as_ref().ok());
    let mut tests = kernels.iter().map(|(_, tested)| tested).chain(on_devices);
    let result = if tests.all(Tested::holds) {
        Exit::Done
    } else {
        Exit::ClaimFailed
    };
    printed(told, result)
}

fn test_kernel(kernel: Kernel) -> Tested {
    let begun = Instant::now();
    let sums = Signature::of(kernel, Signature::FIRST.games);
    let pace = sums.games as f64 / begun.elapsed().as_secs_f64().max(1e-9);
    Tested { sums, pace }
}

fn test_card(card: &mut Card) -> Result<Tested, GpuError> {
    let sums = Signature::on(card, Signature::FIRST.games as u32)?;
    let dealing = bench::standard_dealing();
    for batch in 0..BATCHES as u64 {
        let blocks: Vec<_> = (0..card.room(&dealing, BLOCK.into()) as u64)
            .map(|block| random_block(batch, block, BLOCK))
            .collect();
        if blocks.is_empty() {
            break;
        }
        let played = bench::play_on(card, &dealing, &blocks)?;
        if u128::from(played.nanoseconds) >= FULL.as_nanos() {
            break;
        }
    }
    let pace = card.pace();
    Ok(Tested { sums, pace })
}

fn report(kernels: &[(Kernel, Tested)], devices: &[DeviceTest]) -> Value {
    let kernels: Vec<Value> = kernels
        .iter()
        .map(|(kernel, tested)| {
            json!({
                "name": kernel.name(),
                "signature_holds": tested.holds(),
                "games_per_second": tested.pace.round(),
            })
        })
        .collect();
    let devices: Vec<Value> = devices
        .iter()
        .map(|(device, tested)| {
            let info = device.info();
            let mut value = json!({
                "name": info.name,
                "vendor": info.vendor,
                "platform": info.platform,
                "version": info.version,
                "driver": info.driver,
                "is_card": info.is_card,
                "units": info.units,
                "clock_mhz": info.clock,
                "memory_bytes": output::number(info.memory),
                "local_memory_bytes": output::number(info.local_memory),
            });
            match tested {
                Ok(tested) => {
                    value["signature_holds"] = json!(tested.holds());
                    value["games_per_second"] = json!(tested.pace.round());
                }
                Err(error) => value["error"] = json!(error.to_string()),
            }
            value
        })
        .collect();
    json!({ "kernels": kernels, "devices": devices })
}

fn print(out: &mut Out, kernels: &[(Kernel, Tested)], devices: &[DeviceTest]) -> io::Result<()> {
    let verdict = |tested: &Tested| {
        let word = if tested.holds() { "exact" } else { "WRONG" };
        [
            word.to_owned(),
            numbers::rate(tested.pace).trim_end().to_owned(),
        ]
    };
    let mut table = output::table(vec!["kernel", "plays", "games a second"]);
    for (kernel, tested) in kernels {
        let [word, rate] = verdict(tested);
        table.add_row([kernel.name().to_owned(), word, rate]);
    }
    output::right(&mut table, &[2]);
    output::print_table(out, &table)?;
    writeln!(out)?;
    if devices.is_empty() {
        return writeln!(out, "{STRONG}no OpenCL device{STRONG:#}\n{HELP}");
    }
    let mut table = output::table(vec![
        "OpenCL device",
        "kind",
        "units",
        "memory",
        "driver",
        "plays",
        "games a second",
    ]);
    for (device, tested) in devices {
        let info = device.info();
        let [word, rate] = match tested {
            Ok(tested) => verdict(tested),
            Err(_) => ["no".to_owned(), String::new()],
        };
        table.add_row([
            info.name.clone(),
            kind(info).to_owned(),
            info.units.to_string(),
            format!("{} MiB", numbers::grouped(info.memory >> 20)),
            info.driver.clone(),
            word,
            rate,
        ]);
    }
    output::right(&mut table, &[2, 3, 6]);
    output::print_table(out, &table)?;
    for (_, tested) in devices {
        if let Err(error) = tested {
            writeln!(out, "\n{}{error}{:#}", output::DEBT, output::DEBT)?;
        }
    }
    if devices
        .iter()
        .all(|(_, tested)| tested.as_ref().is_ok_and(Tested::holds))
    {
        writeln!(out, "\n{GOOD}all devices play exactly{GOOD:#}")?;
    }
    Ok(())
}

fn kind(info: &DeviceInfo) -> &'static str {
    if info.is_card { "card" } else { "processor" }
}

/// What to install, in Debian's words.
const HELP: &str = "\
OpenCL needs a loader and a driver. On Debian, as root:
  the loader, and a test   apt install ocl-icd-libopencl1 clinfo
  an NVIDIA card           apt install nvidia-opencl-icd
  an AMD card              apt install mesa-opencl-icd
  an Intel card            apt install intel-opencl-icd
  no card: the processor   apt install pocl-opencl-icd
clinfo lists what the system sees; camicia sees the same.";
