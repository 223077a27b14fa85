//! All that talks to OpenCL, and all unsafe code of the device engine.

// The calls of OpenCL take pointers and lengths, and some go on after they return.
#![allow(unsafe_code)]

use std::ptr;
use std::sync::Mutex;

use opencl3::command_queue::{CL_QUEUE_PROFILING_ENABLE, CommandQueue};
use opencl3::context::Context;
use opencl3::device::{CL_DEVICE_TYPE_ALL, CL_DEVICE_TYPE_CPU};
use opencl3::event::Event;
use opencl3::kernel::{ExecuteKernel, Kernel};
use opencl3::memory::{Buffer, CL_MEM_READ_WRITE};
use opencl3::platform::get_platforms;
use opencl3::program::Program;
use opencl3::types::{CL_BLOCKING, CL_NON_BLOCKING};

use super::{
    Batch, Block, Bounds, CARD_BINS, COUNTS, Counted, Dealing, DeviceInfo, GpuError, LISTED, Run,
    SOURCE, Source, TRICK_BINS,
};
use crate::game::lanes::{End, Played};

/// Lanes of a work group, where the device has as many.
const GROUP: usize = 64;
/// Runs that a lane of a work group should play at least: at the end of a slice lanes stand idle.
const RUNS_OF_A_LANE: usize = 8;
/// The most memory of a device that is used, in bytes.
const MOST_MEMORY: u64 = 1 << 30;
/// The most runs of one batch, in all.
const MOST_RUNS: u64 = 1 << 24;
/// How long a batch should take, in nanoseconds: a longer one makes a desktop stutter.
const LAUNCH: u64 = 80_000_000;

/// A device of this machine.
#[derive(Clone, Debug)]
pub struct Device {
    device: opencl3::device::Device,
    info: DeviceInfo,
}

/// The devices of this machine, in the order in which OpenCL lists them; none without OpenCL.
pub fn devices() -> Vec<Device> {
    // Two threads that load the drivers at the same time crash some of them.
    static LOADING: Mutex<()> = Mutex::new(());
    let _loading = LOADING
        .lock()
        .unwrap_or_else(std::sync::PoisonError::into_inner);
    let mut devices = Vec::new();
    for platform in get_platforms().unwrap_or_default() {
        let name = platform.name().unwrap_or_default();
        for id in platform.get_devices(CL_DEVICE_TYPE_ALL).unwrap_or_default() {
            let device = opencl3::device::Device::new(id);
            let info = info(&device, &name);
            devices.push(Device { device, info });
        }
    }
    devices
}

fn info(device: &opencl3::device::Device, platform: &str) -> DeviceInfo {
    let text = |text: Result<String, _>| text.unwrap_or_default().trim().to_owned();
    let lacks = if !device.available().unwrap_or(false) {
        Some("is not available".to_owned())
    } else if !device.compiler_available().unwrap_or(false) {
        Some("has no compiler".to_owned())
    } else if !device.endian_little().unwrap_or(false) {
        Some("stores the highest byte first".to_owned())
    } else if text(device.profile()) != "FULL_PROFILE" {
        // Only the full profile promises integers of 64 bits.
        Some("has no integers of 64 bits".to_owned())
    } else {
        None
    };
    DeviceInfo {
        name: text(device.name()),
        vendor: text(device.vendor()),
        driver: text(device.driver_version()),
        version: text(device.version()),
        platform: platform.trim().to_owned(),
        is_card: device.dev_type().unwrap_or(CL_DEVICE_TYPE_CPU) & CL_DEVICE_TYPE_CPU == 0,
        units: device.max_compute_units().unwrap_or(0),
        clock: device.max_clock_frequency().unwrap_or(0),
        memory: device.global_mem_size().unwrap_or(0),
        largest: device.max_mem_alloc_size().unwrap_or(0),
        local_memory: device.local_mem_size().unwrap_or(0),
        group: device.max_work_group_size().unwrap_or(1),
        lacks,
    }
}

impl Device {
    /// What is known about it.
    pub fn info(&self) -> &DeviceInfo {
        &self.info
    }

    /// Makes it ready to play.
    ///
    /// # Errors
    /// [`GpuError`].
    pub fn open(&self) -> Result<Card, GpuError> {
        Card::build(self, SOURCE)
    }
}

/// `deal` as the kernels see it.
#[repr(C)]
#[derive(Clone, Copy)]
struct RawDealing {
    swaps: [u64; 6],
    pays: u32,
    cards: u32,
    payment_cards: u32,
    a: u32,
    b: u32,
    list_from: u32,
    cap: u32,
    list: u32,
    slices: u32,
    circles: u32,
}

/// A block as the kernels see it.
#[repr(C)]
#[derive(Clone, Copy, Default)]
struct RawBlock {
    keys: [u64; 2],
    first_run: u32,
    runs: u32,
    games: u32,
    unused: u32,
}

/// A device that is ready to play.
pub struct Card {
    info: DeviceInfo,
    // In the order in which they must go.
    slots: [Slot; 2],
    tails: Buffer<u32>,
    /// The tails that are there.
    has_tails: Vec<u32>,
    shuffle: Kernel,
    play: Kernel,
    _program: Program,
    context: Context,
    /// Games a second, lately; 0 before the first batch.
    pace: f64,
    /// Games of the last batch.
    last: u64,
}

/// A batch in flight, or room for one.
struct Slot {
    queue: CommandQueue,
    dealing: Buffer<RawDealing>,
    blocks: Room<RawBlock>,
    runs: Room<Run>,
    counts: Room<u32>,
    lists: Room<[u32; 4]>,
    /// Where what the device read out is written.
    read_counts: Vec<u32>,
    read_lists: Vec<[u32; 4]>,
    /// What is in flight: how many games each block has, and the events of playing and of the last
    /// reading.
    flight: Option<(Vec<u32>, Event, Event)>,
}

impl Drop for Slot {
    fn drop(&mut self) {
        // The device may still write into the vectors. If it is lost it does not.
        let _ = self.queue.finish();
    }
}

/// A buffer that grows.
struct Room<T> {
    buffer: Buffer<T>,
    len: usize,
}

impl<T> Room<T> {
    fn new(context: &Context) -> Result<Room<T>, String> {
        Ok(Room {
            buffer: buffer(context, 1)?,
            len: 1,
        })
    }

    fn reserve(&mut self, context: &Context, len: usize) -> Result<(), String> {
        if len > self.len {
            let len = len.next_power_of_two();
            self.buffer = buffer(context, len)?;
            self.len = len;
        }
        Ok(())
    }
}

fn buffer<T>(context: &Context, len: usize) -> Result<Buffer<T>, String> {
    // SAFETY: no memory of the host is handed over.
    unsafe { Buffer::create(context, CL_MEM_READ_WRITE, len, ptr::null_mut()) }
        .map_err(|error| error.to_string())
}

impl Slot {
    fn new(context: &Context, device: &opencl3::device::Device) -> Result<Slot, String> {
        // SAFETY: the device is one of the context, and the properties are of OpenCL 1.2. The older
        // call works with every version.
        #[allow(deprecated)]
        let queue =
            unsafe { CommandQueue::create(context, device.id(), CL_QUEUE_PROFILING_ENABLE) };
        Ok(Slot {
            queue: queue.map_err(|error| error.to_string())?,
            dealing: buffer(context, 1)?,
            blocks: Room::new(context)?,
            runs: Room::new(context)?,
            counts: Room::new(context)?,
            lists: Room::new(context)?,
            read_counts: Vec::new(),
            read_lists: Vec::new(),
            flight: None,
        })
    }
}

impl Card {
    fn build(device: &Device, source: &str) -> Result<Card, GpuError> {
        let info = device.info.clone();
        info.fit()?;
        let lost = |what, error: String| GpuError::Lost {
            device: info.name.clone(),
            what,
            error,
        };
        let context = Context::from_device(&device.device)
            .map_err(|error| lost("making a context", error.to_string()))?;
        let program = Program::create_and_build_from_source(&context, source, "-cl-std=CL1.2")
            .map_err(|log| GpuError::Build {
                device: info.name.clone(),
                driver: info.driver.clone(),
                log: log.trim().to_owned(),
            })?;
        let kernel = |name| {
            Kernel::create(&program, name)
                .map_err(|error| lost("making a kernel", error.to_string()))
        };
        let slot =
            || Slot::new(&context, &device.device).map_err(|error| lost("taking memory", error));
        Ok(Card {
            slots: [slot()?, slot()?],
            tails: buffer(&context, 1).map_err(|error| lost("taking memory", error))?,
            has_tails: Vec::new(),
            shuffle: kernel("shuffle_circles")?,
            play: kernel("play_runs")?,
            _program: program,
            context,
            pace: 0.0,
            last: 0,
            info,
        })
    }

    /// What is known about the device.
    pub fn info(&self) -> &DeviceInfo {
        &self.info
    }

    /// Games a second of the last batch, by the device's clock; 0 before the first one.
    pub fn pace(&self) -> f64 {
        self.pace
    }

    /// How many blocks of `games` games a batch should have; 0 if one takes too much memory or time.
    pub fn room(&self, dealing: &Dealing, games: u64) -> usize {
        let games = games.max(1);
        // In index order a run may be as short as one deal.
        let runs = if dealing.tails.is_empty() {
            games.div_ceil(dealing.cards().into())
        } else {
            games
        };
        let memory = MOST_MEMORY.min(self.info.memory / 4);
        let of_block = runs * size_of::<Run>() as u64 + (COUNTS * 4 + LISTED * 16) as u64;
        // Two batches share the memory, and buffers grow to powers of two.
        let fitting = (memory / 4 / of_block)
            .min(self.info.largest / 2 / of_block)
            .min(MOST_RUNS / runs);
        if fitting == 0 {
            return 0;
        }
        let wanted = if self.pace == 0.0 {
            1
        } else {
            let in_time = self.pace * LAUNCH as f64 / 1e9;
            if games as f64 > 8.0 * in_time {
                return 0;
            }
            // The first launches are small, and their pace is not yet that of a full device.
            (in_time.min(4.0 * self.last as f64) / games as f64) as u64
        };
        fitting.min(wanted.max(1)) as usize
    }

    /// Whether a batch can be sent.
    pub fn has_room(&self) -> bool {
        self.slots.iter().any(|slot| slot.flight.is_none())
    }

    /// Sends a batch, at most as large as [`room`](Card::room) says, and returns at once: which of
    /// the two batches in flight it is.
    ///
    /// # Errors
    /// [`GpuError::Lost`].
    ///
    /// # Panics
    /// If two are in flight, or the batch is empty.
    pub fn send(
        &mut self,
        dealing: &Dealing,
        bounds: Bounds,
        blocks: &[Block],
    ) -> Result<usize, GpuError> {
        assert!(!blocks.is_empty(), "an empty batch");
        let free = self.slots.iter().position(|slot| slot.flight.is_none());
        let at = free.expect("two batches are in flight");
        match self.try_send(at, dealing, bounds, blocks) {
            Ok(()) => Ok(at),
            Err(error) => Err(GpuError::Lost {
                device: self.info.name.clone(),
                what: "starting a batch",
                error,
            }),
        }
    }

    fn try_send(
        &mut self,
        at: usize,
        dealing: &Dealing,
        bounds: Bounds,
        blocks: &[Block],
    ) -> Result<(), String> {
        let text = |error: opencl3::error_codes::ClError| error.to_string();
        let cards = dealing.cards();
        let random = matches!(blocks[0].source, Source::Random(_));
        let mut raw = Vec::with_capacity(blocks.len());
        let mut runs: Vec<Run> = Vec::new();
        let (mut all_runs, mut most_runs) = (0u32, 0u32);
        for block in blocks {
            let here = block.runs(cards);
            let keys = match &block.source {
                Source::Random(keys) => *keys,
                Source::Runs(of_block) => {
                    // The kernel trusts these numbers.
                    for run in of_block {
                        let end = u64::from(run.first) + u64::from(run.count);
                        assert!(end <= dealing.tails.len() as u64, "a run without tails");
                    }
                    runs.extend_from_slice(of_block);
                    [0; 2]
                }
            };
            assert_eq!(random, matches!(block.source, Source::Random(_)));
            raw.push(RawBlock {
                keys,
                first_run: all_runs,
                runs: here,
                games: block.games,
                unused: 0,
            });
            all_runs = all_runs.checked_add(here).expect("too large a batch");
            most_runs = most_runs.max(here);
        }
        let lanes = GROUP.min(self.info.group.max(1));
        let slices = (most_runs as usize / (lanes * RUNS_OF_A_LANE)).clamp(1, 1 << 10);
        let raw_dealing = RawDealing {
            swaps: dealing.swaps,
            pays: (0..)
                .zip(&dealing.pays)
                .fold(0, |all, (at, &pays)| all | u32::from(pays & 3) << (2 * at)),
            cards,
            payment_cards: dealing.pays.len() as u32,
            a: dealing.hands[0],
            b: dealing.hands[1],
            list_from: bounds.list_from,
            cap: bounds.cap,
            list: LISTED as u32,
            slices: slices as u32,
            circles: u32::from(random),
        };

        if !random && self.has_tails != dealing.tails {
            // Whatever is in flight may use the old ones.
            for slot in &self.slots {
                slot.queue.finish().map_err(text)?;
            }
            self.tails = buffer(&self.context, dealing.tails.len())?;
            // SAFETY: the buffer has room for as many words, and the call returns when it is done.
            let wrote = unsafe {
                self.slots[at].queue.enqueue_write_buffer(
                    &mut self.tails,
                    CL_BLOCKING,
                    0,
                    &dealing.tails,
                    &[],
                )
            };
            wrote.map_err(text)?;
            self.has_tails.clone_from(&dealing.tails);
        }

        let slot = &mut self.slots[at];
        let (counts, lists) = (blocks.len() * COUNTS, blocks.len() * LISTED);
        slot.blocks.reserve(&self.context, raw.len())?;
        slot.runs.reserve(&self.context, all_runs as usize)?;
        slot.counts.reserve(&self.context, counts)?;
        slot.lists.reserve(&self.context, lists)?;
        slot.read_counts.resize(counts, 0);
        slot.read_lists.resize(lists, [0; 4]);
        let queue = &slot.queue;
        // SAFETY: every buffer has room for what is written or read here, as reserved above; the
        // kernels stay inside them, since the runs of a block, its counts and its list are where
        // `raw` and `blocks` say. Blocking calls are over when they return. The vectors that the
        // last calls fill are kept in the slot and not touched until their event is over, and the
        // slot waits for it before it is dropped.
        unsafe {
            queue
                .enqueue_write_buffer(&mut slot.dealing, CL_BLOCKING, 0, &[raw_dealing], &[])
                .map_err(text)?;
            queue
                .enqueue_write_buffer(&mut slot.blocks.buffer, CL_BLOCKING, 0, &raw, &[])
                .map_err(text)?;
            queue
                .enqueue_fill_buffer(&mut slot.counts.buffer, &[0u32], 0, counts * 4, &[])
                .map_err(text)?;
            if random {
                ExecuteKernel::new(&self.shuffle)
                    .set_arg(&slot.dealing)
                    .set_arg(&slot.blocks.buffer)
                    .set_arg(&slot.runs.buffer)
                    .set_global_work_sizes(&[
                        (most_runs as usize).next_multiple_of(lanes),
                        blocks.len(),
                    ])
                    .set_local_work_sizes(&[lanes, 1])
                    .enqueue_nd_range(queue)
                    .map_err(text)?;
            } else {
                queue
                    .enqueue_write_buffer(&mut slot.runs.buffer, CL_BLOCKING, 0, &runs, &[])
                    .map_err(text)?;
            }
            let played = ExecuteKernel::new(&self.play)
                .set_arg(&slot.dealing)
                .set_arg(&slot.blocks.buffer)
                .set_arg(&slot.runs.buffer)
                .set_arg(&self.tails)
                .set_arg(&slot.counts.buffer)
                .set_arg(&slot.lists.buffer)
                .set_global_work_size(blocks.len() * slices * lanes)
                .set_local_work_size(lanes)
                .enqueue_nd_range(queue)
                .map_err(text)?;
            let (counts, lists) = (&mut slot.read_counts, &mut slot.read_lists);
            queue
                .enqueue_read_buffer(&slot.counts.buffer, CL_NON_BLOCKING, 0, counts, &[])
                .map_err(text)?;
            let read = queue
                .enqueue_read_buffer(&slot.lists.buffer, CL_NON_BLOCKING, 0, lists, &[])
                .map_err(text)?;
            slot.flight = Some((
                blocks.iter().map(|block| block.games).collect(),
                played,
                read,
            ));
        }
        queue.flush().map_err(text)
    }

    /// Waits for a batch and takes it.
    ///
    /// # Errors
    /// [`GpuError::Lost`], also if what came back cannot be: then the device has erred.
    ///
    /// # Panics
    /// If it is not in flight.
    pub fn take(&mut self, at: usize) -> Result<Batch, GpuError> {
        let name = self.info.name.clone();
        let lost = |error| GpuError::Lost {
            device: name,
            what: "a batch",
            error,
        };
        let slot = &mut self.slots[at];
        let (games, played, read) = slot.flight.take().expect("the batch is in flight");
        if let Err(error) = read.wait() {
            // The device must not write where the next batch is read.
            let _ = slot.queue.finish();
            return Err(lost(error.to_string()));
        }
        let times = [
            played.profiling_command_start(),
            played.profiling_command_end(),
        ];
        let [Ok(start), Ok(end)] = times else {
            return Err(lost(
                "the device does not say how long it played".to_owned(),
            ));
        };
        let nanoseconds = end.saturating_sub(start).max(1);
        self.last = games.iter().copied().map(u64::from).sum();
        self.pace = self.last as f64 / (nanoseconds as f64 / 1e9);
        let counts = slot.read_counts.chunks_exact(COUNTS);
        let lists = slot.read_lists.chunks_exact(LISTED);
        let mut blocks = Vec::with_capacity(games.len());
        for ((counts, list), games) in counts.zip(lists).zip(games) {
            match counted(counts, list, games) {
                Ok(block) => blocks.push(block),
                Err(error) => return Err(lost(error)),
            }
        }
        Ok(Batch {
            blocks,
            nanoseconds,
        })
    }
}

/// Reads what a block came to.
fn counted(counts: &[u32], list: &[[u32; 4]], games: u32) -> Result<Option<Counted>, String> {
    let (cards, rest) = counts.split_at(CARD_BINS);
    let (tricks, rest) = rest.split_at(TRICK_BINS);
    let (won_by_a, listed) = (rest[0], rest[1]);
    for bins in [cards, tricks] {
        let sum: u64 = bins.iter().copied().map(u64::from).sum();
        if sum + u64::from(listed) != u64::from(games) {
            return Err(format!("{sum} games and {listed} came out of {games}"));
        }
    }
    let Some(list) = list.get(..listed as usize) else {
        return Ok(None);
    };
    let mut list: Vec<Played> = list
        .iter()
        .map(|&[at, cards, tricks, end]| Played {
            at: at.into(),
            cards,
            tricks,
            end: match end {
                0 => End::A,
                1 => End::B,
                _ => End::Capped,
            },
        })
        .collect();
    list.sort_unstable_by_key(|game| game.at);
    if list.iter().any(|game| game.at >= u64::from(games)) {
        return Err("it lists a game that the block has not".to_owned());
    }
    Ok(Some(Counted {
        cards: cards.to_vec(),
        tricks: tricks.to_vec(),
        won_by_a,
        listed: list,
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kernel_that_does_not_compile_shows_what_the_driver_says() {
        let Some(device) = devices().into_iter().next() else {
            println!("not tested here, since there is no OpenCL device: what its compiler says");
            return;
        };
        let error = Card::build(&device, "kernel void play_runs() { no_such_name(); }")
            .err()
            .expect("it calls what is not there")
            .to_string();
        assert!(
            error.contains("does not compile") && error.contains("no_such_name"),
            "{error}"
        );
    }

    #[test]
    fn a_device_that_lacks_something_is_refused_by_name() {
        let info = DeviceInfo {
            name: "Old card".to_owned(),
            vendor: String::new(),
            driver: String::new(),
            version: String::new(),
            platform: String::new(),
            is_card: true,
            units: 1,
            clock: 1,
            memory: 1 << 30,
            largest: 1 << 28,
            local_memory: 4096,
            group: 64,
            lacks: None,
        };
        let error = info.fit().unwrap_err().to_string();
        assert!(
            error.contains("Old card") && error.contains("4096 bytes of local memory"),
            "{error}"
        );
        let lacks = Some("has no integers of 64 bits".to_owned());
        let error = DeviceInfo { lacks, ..info }.fit().unwrap_err().to_string();
        assert!(error.contains("no integers of 64 bits"), "{error}");
    }

    #[test]
    fn sums_that_cannot_be_are_refused() {
        let mut counts = vec![0; COUNTS];
        counts[10] = 7;
        counts[CARD_BINS + 3] = 7;
        let list = vec![[0; 4]; LISTED];
        assert!(counted(&counts, &list, 7).unwrap().is_some());
        assert!(counted(&counts, &list, 8).is_err());
        // One is listed, but the block has no game 9.
        counts[COUNTS - 1] = 1;
        let mut wrong = list.clone();
        wrong[0] = [9, 5_000, 600, 0];
        assert!(counted(&counts, &wrong, 8).is_err());
        wrong[0] = [7, 5_000, 600, 0];
        assert!(counted(&counts, &wrong, 8).unwrap().is_some());
        // More are listed than the list holds.
        counts[COUNTS - 1] = LISTED as u32 + 1;
        assert_eq!(counted(&counts, &list, 264).unwrap(), None);
    }
}
