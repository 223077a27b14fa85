//! `camicia report`: results as a page, as plots, in words.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use anyhow::anyhow;
use clap::Args;

use crate::cli::term::exit::Exit;
use crate::cli::term::fault::{Fault, Outcome};
use crate::cli::term::file;
use crate::cli::term::output::{self, STRONG};
use crate::pages::report::{self, MatchReport, Report, Run, SearchReport, SearchTexts};

/// Show what searches and matches came to: a page, plots, or words
///
/// Several runs are set side by side.
#[derive(Args, Debug)]
pub struct ReportArgs {
    /// Results folders of searches, for example results/quick, and results files of matches
    #[arg(required = true, value_name = "PATH")]
    paths: Vec<PathBuf>,

    /// Write a page: one file, for any browser
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,

    /// Write the plots alone to this folder, each for a light and a dark background
    #[arg(long, value_name = "DIR")]
    svg: Option<PathBuf>,

    /// Print every number that is shown, as JSON
    #[arg(long)]
    json: bool,
}

/// Runs `camicia report`.
pub fn run(args: &ReportArgs) -> Outcome {
    let runs = args.paths.iter().map(|path| read(path));
    let report = Report {
        runs: runs.collect::<Result<_, _>>()?,
    };
    if let Some(path) = &args.html {
        file::write(path, &report::page(&report))?;
    }
    if let Some(folder) = &args.svg {
        fs::create_dir_all(folder).map_err(|error| Fault::io(folder, error))?;
        for (name, svg) in report::plots(&report) {
            file::write(&folder.join(name), &svg)?;
        }
    }
    if args.json {
        output::json_line(&report::json(&report))?;
    } else if args.html.is_none() && args.svg.is_none() {
        print(&report)?;
    }
    Ok(Exit::Done)
}

fn print(report: &Report) -> io::Result<()> {
    let mut out = anstream::stdout().lock();
    for figure in report::figures(report) {
        writeln!(out, "{STRONG}{} ({}){STRONG:#}", figure.title, figure.name)?;
        writeln!(out, "{}", figure.text)?;
    }
    Ok(())
}

/// Reads the results of a search or of a match.
pub fn read(path: &Path) -> Result<Run, Fault> {
    let fault = |error| Fault::usage(anyhow::Error::new(error)).at(path);
    if !path.is_dir() {
        let text = text(path)?;
        if !MatchReport::is_match(&text) {
            let error = anyhow!(
                "it is neither the folder of a search's results, such as results/quick, nor the \
                 results file of a match"
            );
            return Err(Fault::usage(error).at(path));
        }
        let read = MatchReport::read(&name(path.file_stem()), &text).map_err(fault)?;
        return Ok(Run::Match(Box::new(read)));
    }
    let some = |file: &str| -> Result<Option<String>, Fault> {
        let path = path.join(file);
        if path.exists() {
            text(&path).map(Some)
        } else {
            Ok(None)
        }
    };
    let Some(summary) = some("summary.json")? else {
        let error = anyhow!(
            "the folder has no summary.json: give the folder of a search's results, such as \
             results/quick; a search writes it when it ends or stops"
        );
        return Err(Fault::usage(error).at(path));
    };
    let [histogram, cycles, leaderboard] = [
        some("histogram.csv")?,
        some("cycles.csv")?,
        some("leaderboard.jsonl")?,
    ];
    let texts = SearchTexts {
        summary: &summary,
        histogram: histogram.as_deref(),
        cycles: cycles.as_deref(),
        leaderboard: leaderboard.as_deref(),
    };
    let full = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let read = SearchReport::read(&name(full.file_name()), texts).map_err(fault)?;
    Ok(Run::Search(Box::new(read)))
}

fn name(part: Option<&std::ffi::OsStr>) -> String {
    part.map_or("run".to_owned(), |name| name.to_string_lossy().into_owned())
}

fn text(path: &Path) -> Result<String, Fault> {
    let bytes = fs::read(path).map_err(|error| Fault::io(path, error))?;
    String::from_utf8(bytes).map_err(|error| {
        let byte = error.utf8_error().valid_up_to();
        Fault::usage(anyhow!("byte {byte} is not UTF-8: results are text")).at(path)
    })
}
