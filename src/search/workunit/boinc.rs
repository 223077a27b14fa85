//! BOINC's client as a host. Its own library does the talking; `boinc.c` calls it.

use std::ffi::c_int;
use std::io::{self, Write};
use std::path::Path;

use thiserror::Error;

use super::host::{Host, Wish};

// SAFETY: all of them take and give plain numbers, and may be called from any thread once the first
// one was. Only a `Client`, which the first one makes, calls the others.
unsafe extern "C" {
    safe fn camicia_boinc_begin() -> c_int;
    safe fn camicia_boinc_wish() -> c_int;
    safe fn camicia_boinc_tell(fraction: f64);
    safe fn camicia_boinc_save_now() -> c_int;
    safe fn camicia_boinc_saved();
    safe fn camicia_boinc_not_saved();
    safe fn camicia_boinc_finish(code: c_int) -> !;
}

/// Exit code of an application whose unit the client aborted.
const ABORTED: c_int = 194;

/// Whether a folder is a slot of BOINC's client: it has the file by which the client speaks to an
/// application.
pub fn is_slot(folder: &Path) -> bool {
    folder.join("init_data.xml").is_file()
}

/// The client did not take the process as its application.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error(
    "BOINC's library refuses to begin (its error {0}): another process may hold the slot; under \
     BOINC's wrapper, use --alone"
)]
pub struct ConnectError(c_int);

/// BOINC's client. There is one of it in a process.
#[derive(Debug)]
pub struct Client {
    _one: (),
}

impl Client {
    /// Makes this process an application of the client in whose slot it works.
    ///
    /// # Errors
    /// [`ConnectError`] if BOINC's library says so.
    pub fn connect() -> Result<Client, ConnectError> {
        match camicia_boinc_begin() {
            0 => Ok(Client { _one: () }),
            error => Err(ConnectError(error)),
        }
    }

    /// Leaves the exit code as the last word for the client, and ends the process.
    pub fn finish(self, code: i32) -> ! {
        camicia_boinc_finish(code)
    }

    /// Ends the process as one whose unit was aborted.
    pub fn abort(self) -> ! {
        camicia_boinc_finish(ABORTED)
    }
}

impl Host for Client {
    fn wish(&mut self) -> Wish {
        match camicia_boinc_wish() {
            0 => Wish::Play,
            1 => Wish::Pause,
            2 => Wish::Quit,
            _ => Wish::Abort,
        }
    }

    fn tell(&mut self, fraction: f64) {
        camicia_boinc_tell(fraction);
    }

    fn save_now(&mut self) -> bool {
        camicia_boinc_save_now() != 0
    }

    fn saved(&mut self) {
        camicia_boinc_saved();
    }

    fn not_saved(&mut self, why: &str) {
        camicia_boinc_not_saved();
        // The client keeps what an application writes on standard error and shows it; if it does
        // not, the unit goes on all the same.
        let _ = writeln!(
            io::stderr(),
            "warning: {why}; the unit goes on and tries again to save"
        );
    }
}
