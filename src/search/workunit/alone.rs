//! A unit that is played without BOINC's library: by hand, in a script, or under BOINC's wrapper.

use std::path::PathBuf;
use std::time::Duration;

use super::host::{Host, Wish};
use crate::search::run::clock::Clock;
use crate::search::run::disk::{Disk, replace};

/// The file that says how far the unit is: one number from 0 to 1, as the wrapper reads it.
pub const FRACTION_DONE: &str = "fraction_done";

/// The file that says that the unit has ended, with its exit code on the first line.
pub const FINISH_CALLED: &str = "boinc_finish_called";

/// Time between two checkpoints.
const SAVE_EVERY: Duration = Duration::from_secs(60);

/// Time between two numbers in [`FRACTION_DONE`].
const TELL_EVERY: Duration = Duration::from_secs(1);

/// No BOINC: signals stop the unit, files tell how it goes.
pub struct Alone<'a> {
    folder: PathBuf,
    disk: &'a dyn Disk,
    clock: &'a dyn Clock,
    asked_to_stop: &'a dyn Fn() -> bool,
    warn: &'a mut dyn FnMut(&str),
    saved: Duration,
    told: Option<Duration>,
}

impl<'a> Alone<'a> {
    /// A unit in this folder, stopped when `asked_to_stop` says so. What goes wrong on the way is
    /// given to `warn`.
    pub fn new(
        folder: impl Into<PathBuf>,
        disk: &'a dyn Disk,
        clock: &'a dyn Clock,
        asked_to_stop: &'a dyn Fn() -> bool,
        warn: &'a mut dyn FnMut(&str),
    ) -> Alone<'a> {
        Alone {
            folder: folder.into(),
            disk,
            clock,
            asked_to_stop,
            warn,
            saved: clock.elapsed(),
            told: None,
        }
    }

    /// Says that the unit has ended with this exit code.
    ///
    /// # Errors
    /// As the system gives them.
    pub fn finish(&self, code: u8) -> std::io::Result<()> {
        let path = self.folder.join(FINISH_CALLED);
        replace(self.disk, &path, format!("{code}\n").as_bytes())
    }
}

impl Host for Alone<'_> {
    fn wish(&mut self) -> Wish {
        if (self.asked_to_stop)() {
            Wish::Quit
        } else {
            Wish::Play
        }
    }

    fn tell(&mut self, fraction: f64) {
        let now = self.clock.elapsed();
        let soon = self
            .told
            .is_some_and(|told| now.saturating_sub(told) < TELL_EVERY);
        if soon && fraction < 1.0 {
            return;
        }
        self.told = Some(now);
        let path = self.folder.join(FRACTION_DONE);
        // A number for show: an old one does no harm, so nothing waits for the disk and nobody is
        // told if it cannot be written.
        let new = self.folder.join(format!("{FRACTION_DONE}.new"));
        let written = std::fs::write(&new, format!("{fraction:.6}\n"));
        let _ = written.and_then(|()| self.disk.rename(&new, &path));
    }

    fn save_now(&mut self) -> bool {
        let now = self.clock.elapsed();
        let due = now.saturating_sub(self.saved) >= SAVE_EVERY;
        if due {
            self.saved = now;
        }
        due
    }

    fn saved(&mut self) {}

    fn not_saved(&mut self, why: &str) {
        (self.warn)(why);
    }
}
