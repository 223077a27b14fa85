//! A bot's process as the referee holds it: three streams that never block, and lines out of bytes.

use std::collections::VecDeque;
use std::io;
use std::ops::Range;
use std::os::fd::OwnedFd;

use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};
use rustix::io::Errno;

use super::keeper::Started;
use super::log::Excerpt;

/// The most bytes that wait for a bot that does not read.
pub(in crate::referee) const QUEUE: usize = 1024 * 1024;
/// The most bytes of one line, and of all lines of one action.
pub(in crate::referee) const FLOOD_BYTES: usize = 64 * 1024;
/// The most lines of one action.
pub(in crate::referee) const FLOOD_LINES: usize = 64;

/// What some programs write before their first line.
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// What a read found.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::referee) enum Read {
    /// Some bytes.
    Some,
    /// Nothing for now.
    Nothing,
    /// The end: nothing will come any more.
    End,
}

/// A running bot.
pub(in crate::referee) struct Process {
    pub pid: i32,
    /// `None` once the bot closed it.
    pub stdin: Option<OwnedFd>,
    /// `None` once the bot closed it.
    pub stdout: Option<OwnedFd>,
    /// `None` once the bot closed it.
    pub stderr: Option<OwnedFd>,
    /// Readable once the process has ended.
    pub process: OwnedFd,
    /// Whether it has given an answer before: its first one has the time to start on top.
    pub settled: bool,
    /// What it wrote on standard error.
    pub errors: Excerpt,
    outgoing: VecDeque<u8>,
    incoming: Vec<u8>,
    /// The bytes of `incoming` that were taken as lines.
    taken: usize,
    /// The bytes of `incoming` that were searched for an end of line.
    searched: usize,
    /// Whether a line was taken: a byte-order mark may stand before the first one.
    begun: bool,
}

impl Process {
    pub fn new(started: Started) -> io::Result<Process> {
        for fd in [&started.stdin, &started.stdout, &started.stderr] {
            fcntl_setfl(fd, fcntl_getfl(fd)? | OFlags::NONBLOCK)?;
        }
        Ok(Process {
            pid: started.pid,
            stdin: Some(started.stdin),
            stdout: Some(started.stdout),
            stderr: Some(started.stderr),
            process: started.process,
            settled: false,
            errors: Excerpt::default(),
            outgoing: VecDeque::new(),
            incoming: Vec::new(),
            taken: 0,
            searched: 0,
            begun: false,
        })
    }

    /// Queues a line; false when too much waits already.
    pub fn queue(&mut self, line: &str) -> bool {
        if self.stdin.is_none() {
            return true;
        }
        if self.outgoing.len() + line.len() >= QUEUE {
            return false;
        }
        self.outgoing.extend(line.as_bytes());
        self.outgoing.push_back(b'\n');
        true
    }

    /// Whether something waits to be written.
    pub fn has_queue(&self) -> bool {
        self.stdin.is_some() && !self.outgoing.is_empty()
    }

    /// Writes what waits, as far as the bot's pipe takes it. A bot that closed it is no error.
    pub fn write(&mut self) {
        while self.has_queue() {
            let Some(stdin) = &self.stdin else { return };
            match rustix::io::write(stdin, self.outgoing.as_slices().0) {
                Ok(count) => drop(self.outgoing.drain(..count)),
                Err(Errno::INTR) => {}
                Err(Errno::AGAIN) => return,
                Err(_) => {
                    self.stdin = None;
                    self.outgoing.clear();
                }
            }
        }
    }

    /// Reads once from standard output.
    pub fn read(&mut self) -> Read {
        let Some(stdout) = &self.stdout else {
            return Read::End;
        };
        if self.taken > 0 {
            self.incoming.drain(..self.taken);
            self.searched -= self.taken;
            self.taken = 0;
        }
        self.incoming.reserve(4096);
        let result = rustix::io::retry_on_intr(|| {
            rustix::io::read(stdout, rustix::buffer::spare_capacity(&mut self.incoming))
        });
        match result {
            Ok(0) => {
                self.stdout = None;
                Read::End
            }
            Ok(_) => Read::Some,
            Err(Errno::AGAIN) => Read::Nothing,
            Err(_) => {
                self.stdout = None;
                Read::End
            }
        }
    }

    /// Reads once from standard error; whether something came.
    pub fn read_errors(&mut self) -> bool {
        let Some(stderr) = &self.stderr else {
            return false;
        };
        let mut buffer = [0; 16 * 1024];
        match rustix::io::retry_on_intr(|| rustix::io::read(stderr, &mut buffer)) {
            Ok(0) => self.stderr = None,
            Ok(count) => {
                self.errors.push(&buffer[..count]);
                return true;
            }
            Err(Errno::AGAIN) => {}
            Err(_) => self.stderr = None,
        }
        false
    }

    /// Reads what still lies in the pipe of standard error. Bounded, for a bot that never ceases.
    pub fn drain_errors(&mut self) {
        for _ in 0..64 {
            if !self.read_errors() {
                return;
            }
        }
    }

    /// Takes the next whole line; its place in [`bytes`](Self::bytes), without end of line.
    pub fn take_line(&mut self) -> Option<Range<usize>> {
        let found = self.incoming[self.searched..]
            .iter()
            .position(|&byte| byte == b'\n');
        let Some(offset) = found else {
            self.searched = self.incoming.len();
            return None;
        };
        let end = self.searched + offset;
        let line = self.taken..end;
        self.taken = end + 1;
        self.searched = end + 1;
        Some(self.trimmed(line))
    }

    /// Takes a last line that has no end, after the end of the stream.
    pub fn take_rest(&mut self) -> Option<Range<usize>> {
        let line = self.taken..self.incoming.len();
        if line.is_empty() {
            return None;
        }
        self.taken = line.end;
        self.searched = line.end;
        Some(self.trimmed(line))
    }

    /// The line without a return at its end, and without a byte-order mark if it is the first one.
    fn trimmed(&mut self, line: Range<usize>) -> Range<usize> {
        let bytes = &self.incoming[line.clone()];
        let marks = if !self.begun && bytes.starts_with(BYTE_ORDER_MARK) {
            BYTE_ORDER_MARK.len()
        } else {
            0
        };
        self.begun = true;
        let returns = usize::from(bytes[marks..].last() == Some(&b'\r'));
        line.start + marks..line.end - returns
    }

    /// What came of a line that has no end yet.
    pub fn unfinished(&self) -> &[u8] {
        &self.incoming[self.taken..]
    }

    /// The bytes of a line that was just taken.
    pub fn bytes(&self, line: Range<usize>) -> &[u8] {
        &self.incoming[line]
    }

    /// How many bytes came that are no whole line yet, or were not taken.
    pub fn pending(&self) -> usize {
        self.incoming.len() - self.taken
    }
}
