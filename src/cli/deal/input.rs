//! Deals, decks and orders as they are given on the command line.

use std::ffi::OsString;
use std::path::Path;

use anyhow::anyhow;
use clap::{Args, Command};

use crate::cards::{Deal, Deck, Notation, NotationError, Reader, Split};
use crate::cli::term::fault::Fault;
use crate::cli::term::{input, output};
use crate::game::exact;

/// The most bytes of a file or of standard input that are read as one deal.
const MAX_BYTES: u64 = 16 << 20;

/// The most cards of one string that is played to show what it gives.
const MAX_TRIED: usize = 200;

/// A deal, and how to read it.
#[derive(Args, Debug)]
pub struct DealArgs {
    /// The deal, as HANDA/HANDB; or hand A alone, hand B following; or a file; or - for standard
    /// input
    #[arg(value_name = "DEAL", required = true, allow_hyphen_values = true)]
    deal: Option<String>,

    /// Hand B, if the first argument is hand A alone
    #[arg(value_name = "HANDB", allow_hyphen_values = true)]
    hand_b: Option<String>,

    /// The deck the deal must be of: standard, italian, half, or counts such as
    /// plain=28,1=4,2=4,3=4 [default: any]
    #[arg(long, value_name = "DECK")]
    pub deck: Option<Deck>,

    /// Digits say what a card pays (0 to 4), as in decks such as italian
    #[arg(long)]
    digits: bool,

    /// The deal is one string, dealt A, B, A, B ...
    #[arg(long, conflicts_with_all = ["hand_b", "halves"])]
    alternating: bool,

    /// The deal is one string: the first half is hand A, the second hand B
    #[arg(long, conflicts_with = "hand_b")]
    halves: bool,
}

impl DealArgs {
    /// The deal as given. It may be missing beside a flag that stands alone; then nothing reads it.
    fn given(&self) -> &str {
        self.deal.as_deref().unwrap_or_default()
    }

    /// How deals are written: as this one was.
    pub fn notation(&self) -> Notation {
        if self.digits() {
            Notation::Digits
        } else {
            Notation::Skeleton
        }
    }

    /// The hand sizes of deals of `deal`'s cards: those given, else the deck's, else as equal as
    /// can be.
    ///
    /// # Errors
    /// When they do not add up to the deal's cards.
    pub fn hands(&self, deal: &Deal, given: Option<[usize; 2]>) -> Result<[usize; 2], Fault> {
        let hands = given
            .or(self.deck.as_ref().map(Deck::hands))
            .unwrap_or_else(|| balanced(deal));
        if hands[0].checked_add(hands[1]) == Some(deal.len()) {
            return Ok(hands);
        }
        Err(Fault::usage(anyhow!(
            "--hands {}/{} does not add up to the deal's {} cards",
            hands[0],
            hands[1],
            deal.len()
        )))
    }

    /// Reads the deal and checks it against the deck, if one is given.
    pub fn read(&self) -> Result<Deal, Fault> {
        let reader = Reader {
            digits: self.digits(),
            whole: match (self.alternating, self.halves) {
                (true, _) => Some(Split::Alternating),
                (_, true) => Some(Split::Halves),
                _ => None,
            },
        };
        // A misspelt option would be read as a hand: no hand begins like one.
        let is_option = |text: &str| {
            let name = text.strip_prefix("--").unwrap_or_default();
            name.starts_with(|c: char| c.is_ascii_lowercase())
        };
        let given = [Some(self.given()), self.hand_b.as_deref()];
        if let Some(text) = given.into_iter().flatten().find(|text| is_option(text)) {
            return Err(Fault::usage(anyhow!(
                "there is no option {text}, and it is no hand: see --help"
            )));
        }
        let deal = match &self.hand_b {
            Some(b) => reader.hands(self.given(), b).map_err(Fault::usage)?,
            None => self.read_one(reader)?,
        };
        if let Some(deck) = &self.deck {
            deck.check(&deal).map_err(Fault::usage)?;
        }
        Ok(deal)
    }

    /// The deck given, or the one the deal was dealt from.
    pub fn deck_of(&self, deal: &Deal) -> Deck {
        self.deck
            .clone()
            .unwrap_or_else(|| Deck::of(deal, self.digits()))
    }

    /// Whether digits say what a card pays.
    pub fn digits(&self) -> bool {
        self.digits || self.deck.as_ref().is_some_and(Deck::digits)
    }

    fn read_one(&self, reader: Reader) -> Result<Deal, Fault> {
        let path = Path::new(self.given());
        let from_file = || {
            let text = input::text(path, MAX_BYTES)?;
            reader
                .deal(&text)
                .map_err(|error| refused(reader, &text, error).at(input::name(path)))
        };
        if self.given() == "-" {
            return from_file();
        }
        match reader.deal(self.given()) {
            Ok(deal) => Ok(deal),
            Err(_) if path.exists() && !path.is_dir() => from_file(),
            Err(error) => {
                let mut fault = refused(reader, self.given(), error);
                if looks_like_path(self.given()) {
                    fault = Fault::usage(anyhow!(
                        "there is no file {:?}, and it is no deal either: {:#}",
                        self.given(),
                        fault.error
                    ));
                }
                Err(fault)
            }
        }
    }
}

/// A text that is no deal. If it is one string, both ways to deal it are named, with what each
/// gives.
fn refused(reader: Reader, text: &str, error: NotationError) -> Fault {
    if error != NotationError::OneHand {
        return Fault::usage(error);
    }
    let gives = |dealt| {
        let whole = Some(dealt);
        let deal = Reader { whole, ..reader }.deal(text).ok()?;
        if deal.len() > MAX_TRIED {
            return None;
        }
        let verdict = exact::play(&deal);
        Some(format!(
            "{}, {}",
            verdict.status(),
            output::spoken(verdict.played)
        ))
    };
    match (gives(Split::Halves), gives(Split::Alternating)) {
        (Some(halves), Some(alternating)) => Fault::usage(anyhow!(
            "only one hand is written; if it is one string for both, say how it is dealt: --halves \
             (first A's half, then B's: {halves}) or --alternating (A, B, A, B ...: {alternating})"
        )),
        _ => Fault::usage(error),
    }
}

/// Whether a person who wrote this most likely meant a file.
fn looks_like_path(text: &str) -> bool {
    let name = text.rsplit('/').next().unwrap_or(text);
    text.starts_with('/') && text.len() > 1 && text[1..].contains('/')
        || text.starts_with("./")
        || text.starts_with("../")
        || name.rsplit_once('.').is_some_and(|(stem, ending)| {
            !stem.is_empty() && ending.len() >= 2 && ending.chars().all(|c| c.is_ascii_lowercase())
        })
}

/// Hand sizes as equal as can be.
pub fn balanced(deal: &Deal) -> [usize; 2] {
    [deal.len().div_ceil(2), deal.len() / 2]
}

/// `A/B` as two numbers: the cards of each hand.
pub fn hand_sizes(text: &str) -> Result<[usize; 2], String> {
    text.split_once('/')
        .and_then(|(a, b)| Some([a.trim().parse().ok()?, b.trim().parse().ok()?]))
        .ok_or_else(|| "write the cards of both hands, for example 26/26".to_owned())
}

/// The command line, with a hand that is written `--` (two plain cards) as `..`, which is the same
/// hand: clap would take it for the end of the options. It is a hand where a command that takes a
/// deal has one hand already, or, before any, if one other hand is all that follows.
pub fn hands_apart(program: &Command, args: impl IntoIterator<Item = OsString>) -> Vec<OsString> {
    let mut args: Vec<OsString> = args.into_iter().collect();
    let name = args.get(1).and_then(|name| name.to_str());
    let command = name.and_then(|name| program.find_subcommand(name));
    let Some(command) = command.filter(|it| it.get_arguments().any(|arg| arg.get_id() == "hand_b"))
    else {
        return args;
    };
    let takes_value = |option: &str| {
        let mut arguments = command.get_arguments();
        let argument = arguments.find(|arg| arg.get_long() == Some(option));
        argument.is_some_and(|arg| arg.get_action().takes_values() && !arg.is_require_equals_set())
    };
    let is_hand = |text: &OsString| {
        let text = text.to_str().unwrap_or_default();
        let whole = Some(Split::Halves);
        [false, true]
            .iter()
            .any(|&digits| Reader { digits, whole }.deal(text).is_ok())
    };
    let mut hands = 0;
    let mut at = 2;
    while at < args.len() {
        let text = args[at].to_string_lossy().into_owned();
        if text == "--" {
            let alone = hands == 0 && at + 2 == args.len() && is_hand(&args[at + 1]);
            if hands != 1 && !alone {
                // The end of the options: nothing after it is one.
                break;
            }
            args[at] = OsString::from("..");
            hands += 1;
        } else if let Some(option) = text
            .strip_prefix("--")
            .filter(|name| name.starts_with(|c: char| c.is_ascii_lowercase()))
        {
            at += usize::from(takes_value(option));
        } else {
            hands += 1;
        }
        at += 1;
    }
    args
}

#[cfg(test)]
mod tests {
    use clap::{Args as _, Command};

    use super::*;

    #[test]
    fn two_plain_cards_are_a_hand() {
        let play = DealArgs::augment_args(Command::new("play"));
        let program = Command::new("camicia").subcommand(play);
        for (given, wanted) in [
            ("play A- --", "play A- .."),
            ("play A- -- --digits", "play A- .. --digits"),
            ("play -- A-", "play .. A-"),
            ("play -- --", "play .. .."),
            ("play --deck half A- --", "play --deck half A- .."),
            ("play -- A-/--", "play -- A-/--"),
            ("play -- A- --", "play -- A- --"),
            ("play --digits -- 1/2", "play --digits -- 1/2"),
            ("search -- --", "search -- --"),
        ] {
            let args = std::iter::once("camicia")
                .chain(given.split(' '))
                .map(OsString::from);
            let args = hands_apart(&program, args);
            let told: Vec<_> = args[1..].iter().map(|arg| arg.to_str().unwrap()).collect();
            assert_eq!(told.join(" "), wanted, "{given}");
        }
    }
}
