//! Bots as they are named on a command line: `COMMAND`, `NAME=COMMAND`, `builtin:NAME`.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::io::Read;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use rustix::fs::{Access, access};
use serde::{Deserialize, Serialize};

use super::builtin::Builtins;
use super::limits::BotLimits;
use super::words::printable;

/// A program that takes part in a match.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Bot {
    /// Its name in tables and records: unique in a match, without blanks.
    pub name: String,
    /// The text it was named by.
    pub text: String,
    /// What to run.
    pub program: Program,
    /// What it may use in place of the limits of the whole match.
    pub limits: Option<BotLimits>,
}

/// What to run for a bot.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Program {
    /// A bot that is part of this program, run as a subprocess of its own.
    Builtin {
        /// The game, as [`CardGame::name`](crate::referee::CardGame::name).
        game: String,
        /// The bot's name in that game.
        name: String,
    },
    /// A program of its own.
    Command(CommandLine),
}

/// A program, its arguments and its surroundings.
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
pub struct CommandLine {
    /// The program, then its arguments; at least one word.
    pub words: Vec<String>,
    /// The folder it runs in; that of the referee when none is named.
    pub folder: Option<PathBuf>,
    /// Variables that are set for it, beside those of the referee.
    pub env: BTreeMap<String, String>,
}

impl From<Vec<String>> for CommandLine {
    fn from(words: Vec<String>) -> CommandLine {
        CommandLine {
            words,
            ..CommandLine::default()
        }
    }
}

/// Why a text names no bot that can be run.
#[derive(Debug, thiserror::Error)]
pub enum BotError {
    /// The text is empty, or its quotes do not match.
    #[error("bot `{text}`: {why}")]
    Text {
        /// The text.
        text: String,
        /// What is wrong.
        why: String,
    },
    /// No such built-in bot.
    #[error("there is no bot `builtin:{name}` for {game}; there are {known}")]
    Unknown {
        /// The name asked for.
        name: String,
        /// The game.
        game: String,
        /// The names there are.
        known: String,
    },
    /// The program is not there or cannot be run.
    #[error("bot `{bot}` cannot be started: {why}")]
    NotRunnable {
        /// The bot's text.
        bot: String,
        /// What is wrong, with the remedy.
        why: String,
    },
}

impl Bot {
    /// Reads the bots of a match, one a text, as [`Bot::parse`] does.
    ///
    /// # Errors
    /// Those of the first text that names no bot.
    pub fn parse_all(
        builtins: Builtins,
        game: &str,
        texts: &[String],
    ) -> Result<Vec<Bot>, BotError> {
        texts
            .iter()
            .map(|text| Bot::parse(builtins, game, text))
            .collect()
    }

    /// Reads the bot that `text` names for a game: `builtin:NAME` (one of `builtins`), or a command line with quotes but
    /// without a shell, each with an optional `NAME=` before it.
    ///
    /// # Errors
    /// When the text is empty, its quotes do not match, or the built-in bot does not exist.
    pub fn parse(builtins: Builtins, game: &str, text: &str) -> Result<Bot, BotError> {
        let fault = |why: &str| BotError::Text {
            text: text.to_owned(),
            why: why.to_owned(),
        };
        let (given, rest) = Bot::split_name(text);
        let (name, program) = if let Some(name) = rest.trim().strip_prefix("builtin:") {
            if builtins.find(game, name).is_none() {
                return Err(BotError::Unknown {
                    name: name.to_owned(),
                    game: game.to_owned(),
                    known: builtins
                        .names(game)
                        .iter()
                        .map(|name| format!("builtin:{name}"))
                        .collect::<Vec<_>>()
                        .join(", "),
                });
            }
            let program = Program::Builtin {
                game: game.to_owned(),
                name: name.to_owned(),
            };
            (name.to_owned(), program)
        } else {
            let words = shell_words::split(rest).map_err(|error| fault(&error.to_string()))?;
            if let Some(mark) = shell_mark(rest) {
                return Err(fault(&format!(
                    "no shell runs it, so `{mark}` would go to the program as it is; \
                     write sh -c '...' for a shell, or quote `{mark}` if the program shall get it"
                )));
            }
            let Some(first) = words.first().filter(|first| !first.is_empty()) else {
                return Err(fault("no program is named"));
            };
            (label(&words, first), Program::Command(words.into()))
        };
        Ok(Bot {
            name: given.map_or(name, str::to_owned),
            text: text.to_owned(),
            program,
            limits: None,
        })
    }

    /// Splits a text that names a bot into the NAME of `NAME=...`, if there is one, and the rest.
    pub fn split_name(text: &str) -> (Option<&str>, &str) {
        match text.split_once('=') {
            Some((name, rest)) if Bot::is_name(name) => (Some(name), rest),
            _ => (None, text),
        }
    }

    /// Whether `text` may be the name of a bot.
    pub fn is_name(text: &str) -> bool {
        !text.is_empty()
            && text
                .chars()
                .all(|letter| letter.is_alphanumeric() || "_-.".contains(letter))
    }

    /// Makes the names of `bots` unique: the second `x` becomes `x-2`.
    pub fn make_names_unique(bots: &mut [Bot]) {
        for index in 1..bots.len() {
            let base = bots[index].name.clone();
            let mut number = 1;
            while bots[..index]
                .iter()
                .any(|other| other.name == bots[index].name)
            {
                number += 1;
                bots[index].name = format!("{base}-{number}");
            }
        }
    }

    /// Checks that the program is there and executable, and that its interpreter is. Whether the
    /// system runs it is found out by starting it.
    ///
    /// # Errors
    /// When it is not, with the remedy.
    pub fn check(&self) -> Result<(), BotError> {
        let Program::Command(command) = &self.program else {
            return Ok(());
        };
        let fault = |why| BotError::NotRunnable {
            bot: self.text.clone(),
            why,
        };
        if let Some(folder) = &command.folder
            && !folder.is_dir()
        {
            let folder = folder.display();
            return Err(fault(format!("there is no folder {folder} to run it in")));
        }
        match locate(command).and_then(|path| interpreter(&path)) {
            Ok(()) => Ok(()),
            Err(why) => Err(fault(format!("{why}{}", self.shell_hint(&command.words)))),
        }
    }

    /// The remedy for what only a shell would understand, when a program was not found.
    fn shell_hint(&self, words: &[String]) -> String {
        let first = &words[0];
        if let Some((variable, _)) = first.split_once('=')
            && is_variable(variable)
        {
            return format!(
                "; no shell runs it, so write `env {}` to set {variable}",
                words.join(" ")
            );
        }
        // `LEVEL=3 python3 a.py` reads as a bot named LEVEL.
        if let (Some(name), rest) = Bot::split_name(&self.text)
            && is_variable(name)
            && words.len() > 1
        {
            return format!(
                "; NAME= before a command names the bot, so write `env {name}={}` to set {name}",
                rest.trim()
            );
        }
        if first.starts_with('~') || first.contains('$') {
            return format!(
                "; no shell runs it, so `{first}` is taken as it stands; write the whole path"
            );
        }
        String::new()
    }
}

/// Whether `text` may be the name of a variable of the environment.
fn is_variable(text: &str) -> bool {
    !text.is_empty()
        && !text.starts_with(|letter: char| letter.is_ascii_digit())
        && text
            .chars()
            .all(|letter| letter.is_ascii_alphanumeric() || letter == '_')
}

/// The first mark in a command line that a shell would act on: a pipe, a redirection, a list. Quoted
/// ones are ordinary letters.
fn shell_mark(text: &str) -> Option<&str> {
    let mut quote = None;
    let mut letters = text.char_indices();
    while let Some((index, letter)) = letters.next() {
        match (quote, letter) {
            (Some('\''), '\'') | (Some('"'), '"') => quote = None,
            (None, '\'' | '"') => quote = Some(letter),
            (None | Some('"'), '\\') => drop(letters.next()),
            (None, '|' | '&' | ';' | '<' | '>') => {
                let rest = &text[index..];
                let length = rest.chars().take_while(|&next| next == letter).count();
                return Some(&rest[..length]);
            }
            _ => {}
        }
    }
    None
}

/// A name for a command: the script of an interpreter, else the program; without folder and ending.
fn label(words: &[String], first: &str) -> String {
    const INTERPRETERS: [&str; 9] = [
        "python", "python3", "sh", "bash", "node", "ruby", "perl", "java", "env",
    ];
    let stem = |word: &str| {
        Path::new(word)
            .file_stem()
            .map(|stem| stem.to_string_lossy().into_owned())
            .unwrap_or_default()
    };
    let mut name = stem(first);
    let has_code = words.iter().any(|word| word == "-c" || word == "-e");
    if INTERPRETERS.contains(&name.as_str())
        && !has_code
        && let Some(script) = words[1..].iter().find(|word| !word.starts_with('-'))
    {
        name = stem(script);
    }
    let name: String = name
        .chars()
        .map(|letter| {
            if Bot::is_name(letter.encode_utf8(&mut [0; 4])) {
                letter
            } else {
                '_'
            }
        })
        .take(40)
        .collect();
    if name.is_empty() {
        "bot".to_owned()
    } else {
        name
    }
}

/// The file that a command's program stands for, or why there is none.
fn locate(command: &CommandLine) -> Result<PathBuf, String> {
    let program = command.words[0].as_str();
    if program.contains('/') {
        let path = match &command.folder {
            Some(folder) => folder.join(program),
            None => PathBuf::from(program),
        };
        return runnable(&path).map(|()| path);
    }
    let mut found = None;
    let path = match command.env.get("PATH") {
        Some(path) => path.into(),
        None => std::env::var_os("PATH").unwrap_or_default(),
    };
    for folder in std::env::split_paths(&path) {
        let path = folder.join(program);
        match runnable(&path) {
            Ok(()) => return Ok(path),
            Err(why) if path.is_file() => found = found.or(Some(why)),
            Err(_) => {}
        }
    }
    Err(found.unwrap_or_else(|| {
        let here = command.folder.clone().unwrap_or_default().join(program);
        let remedy = if here.is_file() {
            format!("; for the file in its folder write ./{program}")
        } else {
            String::new()
        };
        format!("no program `{program}` is on the PATH{remedy}")
    }))
}

fn runnable(path: &Path) -> Result<(), String> {
    let name = path.display();
    let data = std::fs::metadata(path).map_err(|error| match error.kind() {
        std::io::ErrorKind::NotFound => format!("there is no file {name}"),
        _ => format!("{name}: {error}"),
    })?;
    if !data.is_file() {
        return Err(format!("{name} is not a file"));
    }
    access(path, Access::EXEC_OK)
        .map_err(|_| format!("{name} is not executable; `chmod +x {name}` makes it so"))
}

/// Checks the interpreter that a script names in its first line. Whatever has no such line is left to
/// the system.
fn interpreter(path: &Path) -> Result<(), String> {
    let name = path.display();
    let mut head = Vec::new();
    // What may be run and not read is no script.
    let Ok(file) = std::fs::File::open(path) else {
        return Ok(());
    };
    if file.take(256).read_to_end(&mut head).is_err() {
        return Ok(());
    }
    if head.starts_with(b"\xef\xbb\xbf#!") {
        return Err(format!(
            "{name} begins with a byte-order mark, so the system does not see its `#!`; \
             `sed -i '1s/^\\xef\\xbb\\xbf//' {name}` takes it away"
        ));
    }
    let Some(line) = head.strip_prefix(b"#!") else {
        return Ok(());
    };
    let line = line.split(|&byte| byte == b'\n').next().unwrap_or(line);
    if line.ends_with(b"\r") {
        let line = printable(line.trim_ascii(), 100);
        return Err(format!(
            "the first line of {name} names the interpreter `{line}` and ends as lines do on Windows \
             (CR LF), so the system looks for `{line}\\r`; `sed -i 's/\\r$//' {name}` mends the file"
        ));
    }
    let program = line.trim_ascii().split(u8::is_ascii_whitespace).next();
    match program.map(|program| Path::new(OsStr::from_bytes(program))) {
        Some(program) if program.is_absolute() && !program.exists() => Err(format!(
            "{name} names the interpreter {} in its first line, and there is no such file",
            program.display()
        )),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One bot is enough to look up.
    const BUILTINS: Builtins = Builtins(&[("uno", &[("random", |_, _| Ok(()))])]);

    fn command(words: &[&str]) -> Program {
        let words: Vec<String> = words.iter().map(|&word| word.to_owned()).collect();
        Program::Command(words.into())
    }

    #[test]
    fn commands_are_split_like_a_shell_does_but_not_run_by_one() {
        let bot = Bot::parse(BUILTINS, "uno", r#"python3 "my bot.py" --deep '$HOME'"#).unwrap();
        assert_eq!(
            bot.program,
            command(&["python3", "my bot.py", "--deep", "$HOME"])
        );
        assert_eq!(bot.name, "my_bot");
        let bot = Bot::parse(BUILTINS, "uno", "ana=/opt/bots/ana.out -x a=b").unwrap();
        assert_eq!(
            (bot.name.as_str(), bot.program),
            ("ana", command(&["/opt/bots/ana.out", "-x", "a=b"]))
        );
        let bot = Bot::parse(BUILTINS, "uno", "./x=y/bot").unwrap();
        assert_eq!(
            (bot.name.as_str(), bot.program),
            ("bot", command(&["./x=y/bot"]))
        );
    }

    #[test]
    fn the_script_of_an_interpreter_gives_the_name() {
        assert_eq!(
            Bot::parse(BUILTINS, "uno", "python3 -u bots/lisa.py 3")
                .unwrap()
                .name,
            "lisa"
        );
        assert_eq!(
            Bot::parse(BUILTINS, "uno", "sh -c 'echo a b'")
                .unwrap()
                .name,
            "sh"
        );
        assert_eq!(Bot::parse(BUILTINS, "uno", "/").unwrap().name, "bot");
    }

    #[test]
    fn texts_that_name_nothing_are_errors() {
        for text in ["", "  ", "a=", "'x", "''"] {
            assert!(Bot::parse(BUILTINS, "uno", text).is_err(), "{text}");
        }
        let error = Bot::parse(BUILTINS, "uno", "builtin:nobody")
            .unwrap_err()
            .to_string();
        assert!(error.contains("builtin:random"), "{error}");
    }

    #[test]
    fn what_only_a_shell_understands_is_named_with_the_remedy() {
        let fault = |text: &str| Bot::parse(BUILTINS, "uno", text).unwrap_err().to_string();
        for (text, mark) in [
            ("python3 a.py | tee log", "`|`"),
            ("a.py>log", "`>`"),
            ("a || b", "`||`"),
            ("x=a 2>> log", "`>>`"),
            ("a; b", "`;`"),
            ("a&", "`&`"),
        ] {
            let why = fault(text);
            assert!(why.contains(mark) && why.contains("sh -c '...'"), "{why}");
        }
        for text in ["a '|' b", r#"a "x;y""#, r"a \| b", "sh -c 'a | b'"] {
            assert!(Bot::parse(BUILTINS, "uno", text).is_ok(), "{text}");
        }
        let why = |text: &str| {
            let bot = Bot::parse(BUILTINS, "uno", text).unwrap();
            bot.check().unwrap_err().to_string()
        };
        let named = why("LEVEL=3 python3 a.py");
        assert!(
            named.contains("write `env LEVEL=3 python3 a.py`"),
            "{named}"
        );
        let second = why("ana=LEVEL=3 python3 a.py");
        assert!(
            second.contains("write `env LEVEL=3 python3 a.py`"),
            "{second}"
        );
        assert!(why("~/bots/a").contains("no shell runs it"));
    }

    #[test]
    fn the_interpreter_of_a_script_is_looked_for() {
        let folder = tempfile::tempdir().unwrap();
        let why = |text: &[u8]| {
            let path = folder.path().join("bot");
            std::fs::write(&path, text).unwrap();
            interpreter(&path).err().unwrap_or_default()
        };
        assert_eq!(why(b"#!/bin/sh\necho"), "");
        assert_eq!(why(b"#!/bin/sh -e\necho"), "");
        assert_eq!(why(b"\x7fELF"), "");
        let windows = why(b"#!/bin/sh\r\necho\r\n");
        assert!(windows.contains("the interpreter `/bin/sh`"), "{windows}");
        assert!(
            windows.contains("CR LF") && windows.contains("sed -i"),
            "{windows}"
        );
        assert!(why(b"#!/usr/bin/env python3\r\n").contains("CR LF"));
        assert!(why(b"#!/no/such/sh\n").contains("interpreter /no/such/sh"));
        assert!(why(b"\xef\xbb\xbf#!/bin/sh\n").contains("byte-order mark"));
    }

    #[test]
    fn names_become_unique() {
        let mut bots: Vec<Bot> = ["a=x", "a=y", "a-2=z", "a=w"]
            .iter()
            .map(|text| Bot::parse(BUILTINS, "uno", text).unwrap())
            .collect();
        Bot::make_names_unique(&mut bots);
        let names: Vec<&str> = bots.iter().map(|bot| bot.name.as_str()).collect();
        assert_eq!(names, ["a", "a-2", "a-2-2", "a-3"]);
    }

    #[test]
    fn a_missing_program_is_named_with_the_remedy() {
        let why = |text: &str| {
            Bot::parse(BUILTINS, "uno", text)
                .unwrap()
                .check()
                .unwrap_err()
                .to_string()
        };
        assert!(why("./no/such/file").contains("there is no file ./no/such/file"));
        assert!(why("no-such-program-anywhere").contains("PATH"));
        assert!(why("./src").contains("not a file"));
        assert!(why("./Cargo.toml").contains("chmod +x ./Cargo.toml"));
        assert!(
            Bot::parse(BUILTINS, "uno", "sh -c true")
                .unwrap()
                .check()
                .is_ok()
        );
    }
}
