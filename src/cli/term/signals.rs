//! Signals that ask for a stop: INT, TERM and HUP.
//!
//! The first one asks. One that follows within two seconds is the same stop: `timeout` signals the
//! process and then its group, and a shell that closes hangs up twice. A later one, or a second
//! Ctrl-C on a terminal, ends the process at once, with exit code 128 and the number of the signal.
//!
//! A signal that was ignored when the program started (`nohup`, `trap '' HUP`, INT of a job in the
//! background of a plain shell) stays ignored.

use std::io::IsTerminal;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::Context;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM, SIGXFSZ};
use signal_hook::iterator::Signals;

use super::exit::{Exit, second_signal};
use super::fault::Fault;
use super::output;

/// A signal that comes so soon after the first one is the same stop.
const SAME: Duration = Duration::from_secs(2);

/// Whether a signal asked for a stop.
#[derive(Clone, Debug, Default)]
pub struct StopSignals {
    asked: Arc<AtomicBool>,
}

impl StopSignals {
    /// Listens from now on, to the end of the process.
    ///
    /// # Errors
    /// [`Exit::Io`] if the system refuses.
    pub fn listen() -> Result<StopSignals, Fault> {
        StopSignals::listen_and(|| {})
    }

    /// As [`listen`](Self::listen); the first signal also calls `then`.
    ///
    /// # Errors
    /// As for [`listen`](Self::listen).
    pub fn listen_and(then: impl Fn() + Send + 'static) -> Result<StopSignals, Fault> {
        let fault = |error: std::io::Error| Fault {
            exit: Exit::Io,
            error: anyhow::Error::new(error).context("cannot listen to signals"),
        };
        let ignored = ignored_signals();
        let heard = [SIGINT, SIGTERM, SIGHUP]
            .into_iter()
            .filter(|signal| ignored >> (signal - 1) & 1 == 0);
        let mut signals = Signals::new(heard).map_err(fault)?;
        let stop = StopSignals::default();
        let asked = Arc::clone(&stop.asked);
        thread::Builder::new()
            .name("signals".to_owned())
            .spawn(move || {
                let mut stop = Heard::default();
                let terminal = std::io::stderr().is_terminal();
                for signal in signals.forever() {
                    match stop.take(signal, Instant::now(), terminal) {
                        Meaning::Ask => {
                            asked.store(true, Ordering::Relaxed);
                            then();
                            if terminal {
                                output::notice(
                                    "stopping; press Ctrl-C again to end at once, without saving",
                                );
                            }
                        }
                        Meaning::Same => {}
                        Meaning::End => {
                            output::notice("ended at once by a second signal");
                            signal_hook::low_level::exit(second_signal(signal));
                        }
                    }
                }
            })
            .context("cannot start the thread that listens to signals")
            .map_err(|error| Fault {
                exit: Exit::Io,
                error,
            })?;
        Ok(stop)
    }

    /// Whether a stop was asked for.
    pub fn asked(&self) -> bool {
        self.asked.load(Ordering::Relaxed)
    }
}

/// Lets a write that passes the limit on the size of files (`ulimit -f`) fail as on a full disk,
/// instead of ending the process without a word.
pub fn outlive_file_size_limit() {
    // Where it cannot be done, the process ends as it would have.
    let _ = signal_hook::flag::register(SIGXFSZ, Arc::new(AtomicBool::new(false)));
}

/// What a signal means.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Meaning {
    Ask,
    Same,
    End,
}

/// The signals so far.
#[derive(Default)]
struct Heard {
    first: Option<Instant>,
    interrupted: bool,
}

impl Heard {
    fn take(&mut self, signal: i32, now: Instant, terminal: bool) -> Meaning {
        let pressed_again = terminal && signal == SIGINT && self.interrupted;
        self.interrupted |= signal == SIGINT;
        match self.first {
            None => {
                self.first = Some(now);
                Meaning::Ask
            }
            Some(_) if pressed_again => Meaning::End,
            Some(first) if now.duration_since(first) < SAME => Meaning::Same,
            Some(_) => Meaning::End,
        }
    }
}

/// The signals that the process ignores, signal `n` in bit `n - 1`; none where the system does not
/// tell.
fn ignored_signals() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok())
        .unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_signal_soon_after_the_first_is_the_same_stop() {
        let start = Instant::now();
        let after = |millis| start + Duration::from_millis(millis);
        let mut stop = Heard::default();
        assert_eq!(stop.take(SIGTERM, start, true), Meaning::Ask);
        assert_eq!(stop.take(SIGTERM, after(1), true), Meaning::Same);
        assert_eq!(stop.take(SIGHUP, after(1999), true), Meaning::Same);
        assert_eq!(stop.take(SIGTERM, after(2000), true), Meaning::End);
    }

    #[test]
    fn a_second_ctrl_c_on_a_terminal_ends_at_once() {
        let start = Instant::now();
        for (terminal, wanted) in [(true, Meaning::End), (false, Meaning::Same)] {
            let mut stop = Heard::default();
            assert_eq!(stop.take(SIGINT, start, terminal), Meaning::Ask);
            assert_eq!(stop.take(SIGINT, start, terminal), wanted);
        }
        let mut stop = Heard::default();
        assert_eq!(stop.take(SIGTERM, start, true), Meaning::Ask);
        assert_eq!(stop.take(SIGINT, start, true), Meaning::Same);
    }
}
