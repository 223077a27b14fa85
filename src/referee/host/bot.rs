//! Bots as they are named on a command line: `COMMAND`, `NAME=COMMAND`, `builtin:NAME`.

use std::path::{Path, PathBuf};

use rustix::fs::{Access, access};
use serde::{Deserialize, Serialize};

use super::builtin::Builtins;

/// A program that takes part in a match.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Bot {
    /// Its name in tables and records: unique in a match, without blanks.
    pub name: String,
    /// The text it was named by.
    pub text: String,
    /// What to run.
    pub program: Program,
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
    /// A program and its arguments.
    Command(Vec<String>),
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
            let Some(first) = words.first().filter(|first| !first.is_empty()) else {
                return Err(fault("no program is named"));
            };
            (label(&words, first), Program::Command(words))
        };
        Ok(Bot {
            name: given.map_or(name, str::to_owned),
            text: text.to_owned(),
            program,
        })
    }

    /// Splits a text that names a bot into the NAME of `NAME=...`, if there is one, and the rest.
    pub fn split_name(text: &str) -> (Option<&str>, &str) {
        match text.split_once('=') {
            Some((name, rest)) if is_name(name) => (Some(name), rest),
            _ => (None, text),
        }
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

    /// Checks that the program is there and executable. Whether the system runs it is found out by
    /// starting it.
    ///
    /// # Errors
    /// When it is not, with the remedy.
    pub fn check(&self) -> Result<(), BotError> {
        let Program::Command(words) = &self.program else {
            return Ok(());
        };
        locate(&words[0])
            .map(|_| ())
            .map_err(|why| BotError::NotRunnable {
                bot: self.text.clone(),
                why,
            })
    }
}

/// Whether `text` may be the NAME of `NAME=COMMAND`.
fn is_name(text: &str) -> bool {
    !text.is_empty()
        && text
            .chars()
            .all(|letter| letter.is_alphanumeric() || "_-.".contains(letter))
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
            if is_name(letter.encode_utf8(&mut [0; 4])) {
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

/// The file that a program's name stands for, or why there is none.
fn locate(program: &str) -> Result<PathBuf, String> {
    if program.contains('/') {
        let path = PathBuf::from(program);
        return runnable(&path).map(|()| path);
    }
    let mut found = None;
    for folder in std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default()) {
        let path = folder.join(program);
        match runnable(&path) {
            Ok(()) => return Ok(path),
            Err(why) if path.is_file() => found = found.or(Some(why)),
            Err(_) => {}
        }
    }
    Err(found.unwrap_or_else(|| {
        let here = if Path::new(program).is_file() {
            format!("; for the file in this folder write ./{program}")
        } else {
            String::new()
        };
        format!("no program `{program}` is on the PATH{here}")
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

#[cfg(test)]
mod tests {
    use super::*;

    /// One bot is enough to look up.
    const BUILTINS: Builtins = Builtins(&[("uno", &[("random", |_, _| Ok(()))])]);

    fn command(words: &[&str]) -> Program {
        Program::Command(words.iter().map(|&word| word.to_owned()).collect())
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
