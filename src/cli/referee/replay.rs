//! `camicia match replay` and `camicia match verify`: games of a results file, played again by the
//! rules alone.

use std::io::{self, BufReader, Read, Write};
use std::path::{Path, PathBuf};

use serde_json::json;

use super::show;
use crate::cli::term::exit::Exit;
use crate::cli::term::fault::{Fault, Outcome};
use crate::cli::term::output::json_line;
use crate::cli::term::{file, input};
use crate::pages::table;
use crate::referee::{ProofError, replay_game, verify_games};

/// Options of `camicia match replay`.
#[derive(clap::Args, Debug)]
pub struct ReplayArgs {
    /// The results of a match, as --results writes them; - is standard input.
    #[arg(value_name = "FILE")]
    file: PathBuf,

    /// The number of the game.
    #[arg(long, default_value_t = 0, value_name = "K")]
    game_number: u64,

    /// Writes the game as a page, one file for any browser, in place of text.
    #[arg(long, value_name = "OUT")]
    html: Option<PathBuf>,

    /// Prints the game as JSON: every step with hands, table and pile.
    #[arg(long)]
    json: bool,
}

/// Options of `camicia match verify`.
#[derive(clap::Args, Debug)]
pub struct VerifyMatchArgs {
    /// The results of a match, as --results writes them; - is standard input.
    #[arg(value_name = "FILE")]
    file: PathBuf,

    /// Prints JSON.
    #[arg(long)]
    json: bool,
}

/// Plays one game again and shows it.
pub fn run_replay(args: &ReplayArgs) -> Outcome {
    let mut input = open(&args.file)?;
    let (record, replay) =
        replay_game(&mut input, args.game_number).map_err(|error| fault(&args.file, error))?;
    if let Some(path) = &args.html {
        file::write(path, &table::page(&record, &replay))?;
    }
    if args.json {
        json_line(&json!({ "record": record, "replay": replay }))?;
    }
    if args.json || args.html.is_some() {
        return Ok(Exit::Done);
    }
    let mut out = anstream::stdout().lock();
    show::game(&record, &mut out)?;
    writeln!(out)?;
    for (index, step) in replay.steps.iter().enumerate() {
        show::scene(&step.scene, index > 0, &mut out)?;
    }
    Ok(Exit::Done)
}

/// Proves all games.
pub fn run_verify(args: &VerifyMatchArgs) -> Outcome {
    let mut input = open(&args.file)?;
    let proof = verify_games(&mut input).map_err(|error| fault(&args.file, error))?;
    let failed = proof.wrong > 0 || proof.without_moves > 0;
    let exit = if failed {
        Exit::ClaimFailed
    } else {
        Exit::Done
    };
    if args.json {
        let faults: Vec<_> = proof
            .faults
            .iter()
            .map(|(line, why)| json!({ "line": line, "why": why }))
            .collect();
        json_line(&json!({
            "games": proof.games,
            "proved": proof.proved,
            "without_moves": proof.without_moves,
            "wrong": proof.wrong,
            "cut_off": proof.cut_off,
            "faults": faults,
        }))?;
        return Ok(exit);
    }
    let mut out = anstream::stdout().lock();
    for (line, why) in &proof.faults {
        writeln!(out, "line {line}: {why}")?;
    }
    let more = proof.wrong - proof.faults.len() as u64;
    if more > 0 {
        writeln!(out, "and {more} more")?;
    }
    writeln!(out, "{} of {} games hold", proof.proved, proof.games)?;
    if proof.without_moves > 0 {
        writeln!(
            out,
            "{} games cannot be proved: their moves were not kept, for an older version wrote them",
            proof.without_moves
        )?;
    }
    if proof.cut_off {
        writeln!(out, "the last line is cut off; the match can be resumed")?;
    }
    Ok(exit)
}

fn open(path: &Path) -> Result<BufReader<Box<dyn Read + Send>>, Fault> {
    input::open(path).map(BufReader::new)
}

fn fault(path: &Path, error: ProofError) -> Fault {
    let exit = match &error {
        // A line that is too long.
        ProofError::Io(error) if error.kind() == io::ErrorKind::InvalidData => Exit::Usage,
        ProofError::Io(_) => Exit::Io,
        ProofError::Game { .. } => Exit::ClaimFailed,
        _ => Exit::Usage,
    };
    Fault {
        exit,
        error: anyhow::Error::new(error),
    }
    .at(input::name(path))
}
