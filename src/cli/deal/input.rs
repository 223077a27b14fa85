//! Deals, decks and orders as they are given on the command line.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use anyhow::anyhow;
use clap::Args;

use crate::cards::{Deal, Deck, Notation, NotationError, Reader};
use crate::cli::term::fault::Fault;

/// The most bytes of a file or of standard input that are read as one deal.
const MAX_BYTES: u64 = 16 << 20;

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
    #[arg(long, conflicts_with = "hand_b")]
    alternating: bool,
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
            alternating: self.alternating,
        };
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
        let given = self.given();
        if given == "-" {
            let text = read_text(io::stdin().lock(), "standard input")?;
            return reader
                .deal(&text)
                .map_err(|error| at("standard input", error));
        }
        let path = Path::new(given);
        match reader.deal(given) {
            Ok(deal) => Ok(deal),
            Err(_) if path.is_file() => {
                let file = File::open(path).map_err(|error| Fault::usage(error).at(path))?;
                let text = read_text(file, given)?;
                reader.deal(&text).map_err(|error| at(given, error))
            }
            Err(error) => {
                let mut fault = Fault::usage(error);
                if looks_like_path(given) {
                    fault = Fault::usage(anyhow!(
                        "there is no file {:?}, and it is no deal either: {:#}",
                        given,
                        fault.error
                    ));
                }
                Err(fault)
            }
        }
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

fn at(place: &str, error: NotationError) -> Fault {
    Fault::usage(error).at(place)
}

fn read_text(from: impl Read, name: &str) -> Result<String, Fault> {
    let mut bytes = Vec::new();
    from.take(MAX_BYTES + 1)
        .read_to_end(&mut bytes)
        .map_err(|error| Fault::usage(error).at(name))?;
    if bytes.len() as u64 > MAX_BYTES {
        return Err(Fault::usage(anyhow!(
            "{name} is over {} MiB: one deal is read, of at most {} cards",
            MAX_BYTES >> 20,
            crate::cards::MAX_CARDS
        )));
    }
    String::from_utf8(bytes).map_err(|error| {
        let byte = error.utf8_error().valid_up_to();
        Fault::usage(anyhow!("{name} is no text: byte {byte} is not UTF-8"))
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
