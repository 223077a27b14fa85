//! The log of one bot in one game: every line in both directions with its time, then what it wrote on
//! standard error.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::Path;
use std::time::Instant;

use super::words::printable;

/// The most letters of a line that a log shows.
const SHOWN: usize = 4096;

/// The most letters of a line that a failure quotes.
pub(in crate::referee) const QUOTED: usize = 200;

/// The log of one bot in one game. Trouble while writing is kept until [`close`](Log::close).
pub(in crate::referee) struct Log {
    out: BufWriter<File>,
    opened: Instant,
    trouble: Option<io::Error>,
}

impl Log {
    /// Makes `folder/<game>/seat<seat>-<name>.log`, and the folders it needs.
    pub fn create(folder: &Path, game: u64, seat: usize, name: &str) -> io::Result<Log> {
        let folder = folder.join(format!("{game:06}"));
        fs::create_dir_all(&folder)?;
        let file = File::create(folder.join(format!("seat{seat}-{name}.log")))?;
        Ok(Log {
            out: BufWriter::new(file),
            opened: Instant::now(),
            trouble: None,
        })
    }

    /// A line to the bot.
    pub fn told(&mut self, line: &[u8]) {
        self.line('>', line);
    }

    /// A line from the bot.
    pub fn said(&mut self, line: &[u8]) {
        self.line('<', line);
    }

    /// A remark of the referee.
    pub fn remark(&mut self, text: &str) {
        self.line('#', text.as_bytes());
    }

    /// Ends the log with what the bot wrote on standard error.
    pub fn close(mut self, errors: &Excerpt) -> io::Result<()> {
        if !errors.is_empty() {
            self.remark("standard error:");
            for line in errors.head.split(|&byte| byte == b'\n') {
                self.plain(line);
            }
            if errors.dropped > 0 {
                self.plain(format!("[{} bytes left out]", errors.dropped).as_bytes());
            }
            let (one, two) = errors.tail.as_slices();
            for line in [one, two].concat().split(|&byte| byte == b'\n') {
                self.plain(line);
            }
        }
        self.trouble.map_or(Ok(()), Err)?;
        self.out.flush()
    }

    fn line(&mut self, mark: char, bytes: &[u8]) {
        let seconds = self.opened.elapsed().as_secs_f64();
        let text = printable(bytes, SHOWN);
        let result = writeln!(self.out, "{seconds:10.6} {mark} {text}");
        self.keep(result);
    }

    fn plain(&mut self, bytes: &[u8]) {
        if !bytes.is_empty() {
            let text = printable(bytes, SHOWN);
            let result = writeln!(self.out, "           ! {text}");
            self.keep(result);
        }
    }

    fn keep(&mut self, result: io::Result<()>) {
        if let Err(error) = result {
            self.trouble.get_or_insert(error);
        }
    }
}

/// The first and the last 64 KiB of a stream without end.
#[derive(Default)]
pub(in crate::referee) struct Excerpt {
    head: Vec<u8>,
    tail: std::collections::VecDeque<u8>,
    dropped: u64,
}

impl Excerpt {
    /// How much is kept of either end.
    const KEPT: usize = 64 * 1024;

    /// Adds what came next.
    pub fn push(&mut self, bytes: &[u8]) {
        let room = Self::KEPT - self.head.len();
        let (head, rest) = bytes.split_at(room.min(bytes.len()));
        self.head.extend_from_slice(head);
        let excess = (self.tail.len() + rest.len()).saturating_sub(Self::KEPT);
        let old = excess.min(self.tail.len());
        self.tail.drain(..old);
        self.tail.extend(&rest[excess - old..]);
        self.dropped += excess as u64;
    }

    /// What the stream began with.
    pub fn head(&self) -> &[u8] {
        &self.head
    }

    /// The last line that is not blank, printable; none when nothing was written.
    pub fn last_line(&self) -> Option<String> {
        let (one, two) = self.tail.as_slices();
        let tail = [one, two].concat();
        let last = |bytes: &[u8]| {
            let line = bytes
                .rsplit(|&byte| byte == b'\n' || byte == b'\r')
                .map(<[u8]>::trim_ascii)
                .find(|line| !line.is_empty())?;
            Some(printable(line, QUOTED))
        };
        last(&tail).or_else(|| last(&self.head))
    }

    fn is_empty(&self) -> bool {
        self.head.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_excerpt_keeps_both_ends() {
        let mut excerpt = Excerpt::default();
        let stream: Vec<u8> = (0..300_000u32).map(|index| (index % 251) as u8).collect();
        for chunk in stream.chunks(7_777) {
            excerpt.push(chunk);
        }
        assert_eq!(excerpt.head, stream[..65_536]);
        assert_eq!(Vec::from(excerpt.tail), stream[300_000 - 65_536..]);
        assert_eq!(excerpt.dropped, 300_000 - 2 * 65_536);
        let mut one = Excerpt::default();
        one.push(&stream);
        assert_eq!(one.dropped, 300_000 - 2 * 65_536);
    }

    #[test]
    fn the_last_line_of_a_stream_is_found_at_either_end() {
        let mut excerpt = Excerpt::default();
        assert_eq!(excerpt.last_line(), None);
        excerpt.push(b"Traceback\n  File x\nNameError: name 'y'\r\n \n");
        assert_eq!(excerpt.last_line().as_deref(), Some("NameError: name 'y'"));
        excerpt.push(&[b'e'; 200_000]);
        excerpt.push(b"\nlast \x1b[31mwords");
        assert_eq!(
            excerpt.last_line().as_deref(),
            Some(r"last \u{1b}[31mwords")
        );
    }

    #[test]
    fn a_log_shows_both_directions_and_escapes_what_would_move_a_cursor() {
        let folder = tempfile::tempdir().unwrap();
        let mut log = Log::create(folder.path(), 7, 1, "ana").unwrap();
        log.told("TURN ♥".as_bytes());
        log.said(b"\x1b[2J\xff\0 BUY 1");
        let mut errors = Excerpt::default();
        errors.push(b"oh\nno");
        log.close(&errors).unwrap();
        let text = fs::read_to_string(folder.path().join("000007/seat1-ana.log")).unwrap();
        let lines: Vec<&str> = text.lines().map(|line| line[11..].trim_end()).collect();
        assert_eq!(
            lines,
            [
                "> TURN ♥",
                r"< \u{1b}[2J\xff\u{0} BUY 1",
                "# standard error:",
                "! oh",
                "! no"
            ]
        );
    }
}
