//! `camicia match check`: puts one bot through the situations of its game.

use std::io::Write;
use std::path::PathBuf;

use anyhow::anyhow;
use serde_json::json;

use super::options::plan_of_options;
use super::run::{fault, stop_on_signals};
use crate::cli::term::exit::Exit;
use crate::cli::term::fault::{Fault, Outcome};
use crate::cli::term::output::{GOOD, json_line};
use crate::referee::{
    BotEntry, BotLimits, MatchError, MatchFile, RulesEntry, Settings, SituationReport,
    count_situations, examine,
};

/// Options of `camicia match check`.
#[derive(clap::Args, Debug)]
pub struct CheckArgs {
    /// The game: uno, bs or barbu.
    #[arg(value_name = "GAME", value_parser = ["uno", "bs", "barbu"])]
    game: String,

    /// The bot: a command line, builtin:NAME, or java:FILE for BS.
    #[arg(long, value_name = "BOT")]
    bot: String,

    /// The protocol that a bot of Barbu speaks.
    #[arg(long, value_name = "PROTOCOL", value_parser = ["new", "ai"])]
    protocol: Option<String>,

    /// Seconds the bot has for an answer.
    #[arg(long, default_value_t = 3.0, value_name = "SECONDS")]
    timeout: f64,

    /// Seconds it has on top for its first answer.
    #[arg(long, default_value_t = 5.0, value_name = "SECONDS")]
    startup: f64,

    /// Seconds that every answer has on top, unannounced, for a busy machine.
    #[arg(long, default_value_t = 0.1, value_name = "SECONDS")]
    margin: f64,

    /// Shows what was sent and what came back in every situation, not only where something is wrong.
    #[arg(long)]
    all: bool,

    /// Prints a line of JSON a situation.
    #[arg(long)]
    json: bool,
}

/// Lines of talk that are shown before a fault.
const SHOWN: usize = 12;

/// Runs it.
pub fn run(args: &CheckArgs) -> Outcome {
    // The bot plays every seat of a plan that is never played, so that it is read like any other.
    let seats = if args.game == "uno" { 2 } else { 4 };
    let file = MatchFile {
        game: args.game.clone(),
        bot: vec![BotEntry::from_text(&args.bot); seats],
        timeout: Some(args.timeout),
        startup: Some(args.startup),
        margin: Some(args.margin),
        rules: RulesEntry {
            protocol: args.protocol.clone(),
            ..RulesEntry::default()
        },
        ..MatchFile::default()
    };
    if args.protocol.is_some() && args.game != "barbu" {
        return Err(Fault::usage(anyhow!(
            "--protocol: only Barbu has two protocols"
        )));
    }
    let plan = plan_of_options(&file)?;
    let settings = Settings {
        timeout: plan.timeout,
        startup: plan.startup,
        margin: plan.margin,
        jobs: 1,
        limits: BotLimits::default(),
        isolate: false,
        logs: None,
        program: PathBuf::from("/proc/self/exe"),
    };
    let stop = stop_on_signals()?;
    let all = count_situations(&plan.rules);
    let (mut played, mut wrong) = (0, 0);
    let complete = examine(
        &plan.rules,
        &plan.bots[0],
        &settings,
        &stop,
        &mut |report| {
            played += 1;
            wrong += usize::from(report.fault.is_some());
            if args.json {
                return json_line(&report);
            }
            show(&report, args.all)
        },
    );
    let complete = match complete {
        Ok(complete) => complete,
        Err(MatchError::Stopped) => return Ok(Exit::Stopped),
        Err(MatchError::Sink(error)) => return Err(error.into()),
        Err(error) => return Err(fault(error)),
    };
    if args.json {
        json_line(&json!({ "situations": all, "played": played, "wrong": wrong }))?;
    } else {
        let mut out = anstream::stdout().lock();
        if !complete {
            let left = all - played;
            writeln!(
                out,
                "{left} more situations were left out, for the bot did not answer three times in a row"
            )?;
        }
        writeln!(out, "{} of {played} situations are right", played - wrong)?;
    }
    Ok(if wrong > 0 {
        Exit::ClaimFailed
    } else {
        Exit::Done
    })
}

fn show(report: &SituationReport, all: bool) -> std::io::Result<()> {
    let mut out = anstream::stdout().lock();
    let trouble = anstyle::AnsiColor::Red.on_default().bold();
    let Some(fault) = &report.fault else {
        let chatter = match report.chatter {
            0 => String::new(),
            1 => "  (1 line was no answer and is skipped)".to_owned(),
            count => format!("  ({count} lines were no answers and are skipped)"),
        };
        writeln!(out, "{GOOD}right{GOOD:#}  {}{chatter}", report.name)?;
        if all {
            for line in &report.talk {
                writeln!(out, "    {line}")?;
            }
        }
        return Ok(());
    };
    writeln!(out, "{trouble}wrong{trouble:#}  {}", report.name)?;
    let first = match all {
        true => 0,
        false => report.talk.len().saturating_sub(SHOWN),
    };
    if first > 0 {
        writeln!(out, "    ... {first} lines before")?;
    }
    for line in &report.talk[first..] {
        writeln!(out, "    {line}")?;
    }
    writeln!(out, "    what is wrong: {}", fault.what)?;
    writeln!(out, "    right would be: {}", fault.right)
}
