//! Time, as a search asks for it, so that tests can turn it forward and back.

use std::time::{Duration, Instant, SystemTime};

/// Time, as a search uses it.
pub trait Clock: Sync {
    /// Time since some fixed moment. Never runs back; all intervals are measured with it.
    fn elapsed(&self) -> Duration;

    /// The time of day, for people to read. May jump.
    fn wall(&self) -> SystemTime;
}

/// The clocks of the machine.
#[derive(Clone, Copy, Debug)]
pub struct SystemClock {
    start: Instant,
}

impl SystemClock {
    /// Starts to measure.
    pub fn start() -> SystemClock {
        SystemClock {
            start: Instant::now(),
        }
    }
}

impl Clock for SystemClock {
    fn elapsed(&self) -> Duration {
        self.start.elapsed()
    }

    fn wall(&self) -> SystemTime {
        SystemTime::now()
    }
}
