//! A request to stop that wakes every game thread at once, from a signal handler or another thread.

use std::io::{self, Write};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::net::UnixStream;

use rustix::event::{PollFd, PollFlags, Timespec, poll};

/// A request to stop a match: once made it stays.
///
/// It is a pipe that nobody empties, so that any number of waiting threads see it, and a signal
/// handler can make the request by writing a byte.
#[derive(Debug)]
pub struct StopRequest {
    read: UnixStream,
    write: UnixStream,
}

impl StopRequest {
    /// A request not yet made.
    ///
    /// # Errors
    /// When the process has no file descriptors left.
    pub fn new() -> io::Result<StopRequest> {
        let (read, write) = UnixStream::pair()?;
        write.set_nonblocking(true)?;
        Ok(StopRequest { read, write })
    }

    /// Makes the request.
    pub fn request(&self) {
        // A full pipe has been written to before: the request stands.
        let _ = (&self.write).write(b"!");
    }

    /// An end to which a signal handler may write a byte, which makes the request.
    ///
    /// # Errors
    /// When the process has no file descriptors left.
    pub fn trigger(&self) -> io::Result<UnixStream> {
        self.write.try_clone()
    }

    /// An end that is readable once the request was made, for one who waits for something else too.
    /// Nothing may be read from it.
    ///
    /// # Errors
    /// When the process has no file descriptors left.
    pub fn listener(&self) -> io::Result<UnixStream> {
        self.read.try_clone()
    }

    /// Whether the request was made.
    pub fn requested(&self) -> bool {
        let mut fds = [PollFd::new(&self.read, PollFlags::IN)];
        poll(&mut fds, Some(&Timespec::default())).is_ok_and(|ready| ready > 0)
    }

    /// A descriptor that is readable once the request was made.
    pub(in crate::referee) fn fd(&self) -> BorrowedFd<'_> {
        self.read.as_fd()
    }
}
