//! The bots that come with the program. Each is an ordinary program: it reads lines and writes lines,
//! and runs as a subprocess like any other bot.

use std::fmt::Display;
use std::io::{self, BufRead, Write};

use super::{barbu, bs, uno};

/// A built-in bot: plays until its input ends. It is handed its input and output and nothing else.
pub type Builtin = fn(&mut dyn BufRead, &mut dyn Write) -> io::Result<()>;

/// Gives each line of the input, its end included, to `hear`, and writes the answers, until the
/// input ends.
pub(super) fn converse<A: Display>(
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

/// The bots of a game, with their names; empty for an unknown game.
fn bots(game: &str) -> &'static [(&'static str, Builtin)] {
    match game {
        "bs" => bs::BOTS,
        "barbu" => barbu::BOTS,
        "uno" => uno::BOTS,
        _ => &[],
    }
}

/// The bot of this name for a game.
pub fn find(game: &str, name: &str) -> Option<Builtin> {
    bots(game)
        .iter()
        .find(|(known, _)| *known == name)
        .map(|&(_, bot)| bot)
}

/// The names of a game's bots.
pub fn names(game: &str) -> Vec<&'static str> {
    bots(game).iter().map(|&(name, _)| name).collect()
}
