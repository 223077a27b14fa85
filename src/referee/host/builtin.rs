//! The bots that come with the program. Each is an ordinary program: it reads lines and writes lines,
//! and runs as a subprocess like any other bot.

use std::fmt::Display;
use std::io::{self, BufRead, Write};

/// A built-in bot: plays until its input ends. It is handed its input and output and nothing else.
pub type Builtin = fn(&mut dyn BufRead, &mut dyn Write) -> io::Result<()>;

/// Gives each line of the input, its end included, to `hear`, and writes the answers, until the
/// input ends.
pub(in crate::referee) fn converse<A: Display>(
    input: &mut dyn BufRead,
    output: &mut dyn Write,
    mut hear: impl FnMut(&[u8]) -> Option<A>,
) -> io::Result<()> {
    let mut line = Vec::new();
    loop {
        line.clear();
        if input.read_until(b'\n', &mut line)? == 0 {
            return Ok(());
        }
        if let Some(answer) = hear(&line) {
            writeln!(output, "{answer}")?;
            output.flush()?;
        }
    }
}

/// The built-in bots of every game, by the names of the games. The list comes from whoever knows the
/// games; the host only looks bots up in it.
#[derive(Clone, Copy, Debug)]
pub struct Builtins(pub &'static [(&'static str, &'static [(&'static str, Builtin)])]);

impl Builtins {
    /// The bots of `game` with their names; empty for an unknown game.
    fn of(self, game: &str) -> &'static [(&'static str, Builtin)] {
        self.0
            .iter()
            .find(|(known, _)| *known == game)
            .map_or(&[], |&(_, bots)| bots)
    }

    /// The bot named `name` of `game`.
    pub fn find(self, game: &str, name: &str) -> Option<Builtin> {
        self.of(game)
            .iter()
            .find(|(known, _)| *known == name)
            .map(|&(_, bot)| bot)
    }

    /// The names of the bots of `game`.
    pub fn names(self, game: &str) -> Vec<&'static str> {
        self.of(game).iter().map(|&(name, _)| name).collect()
    }
}
