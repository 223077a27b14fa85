//! Results in every format that the program or its field writes, read as a stream of claims.
//!
//! - JSON lines: finds, as searches and `camicia records --json` write them; also the one object of
//!   a command with `--json` that has finds or deals in it.
//! - Tables with a header, separated by tabs, commas or semicolons: columns in any order, the deal as
//!   `deal` or as `hand_a` and `hand_b`.
//! - The `canonical-data.json` of the exercise: a list of cases.
//! - The lines `finished,INDEX,CARDS,TRICKS` and `loop,INDEX,CARDS,TRICKS` of the community project:
//!   indices of the standard deck in the order akqj-.
//!
//! Which one a file is, its first line says. A byte-order mark and blank lines count for nothing.

use std::collections::VecDeque;
use std::io::{self, BufRead, Cursor, Read};

use serde_json::Value;
use thiserror::Error;

use super::results::{ClaimError, Find};
use crate::cards::{Deal, Deck, Order, Player, Reader};
use crate::game::{Outcome, Span, exact};

/// The most bytes of a line, and of a JSON text of many lines.
const MAX_BYTES: u64 = 64 << 20;

/// One claim about a deal.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Claim {
    /// A find: everything is claimed.
    Find(Box<Find>),
    /// A game in short.
    Short(Box<ShortClaim>),
}

/// What the formats of others say of a game: not how long the lead-in of a loop is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ShortClaim {
    deal: Deal,
    deck: Option<Deck>,
    index: Option<u128>,
    status: String,
    played: Span,
    winner: Option<Player>,
    name: Option<String>,
    finder: Option<String>,
    year: Option<u16>,
}

/// A claim, or why there is none, and its line, from 1.
pub type NumberedClaim = (u64, Result<Claim, String>);

/// Why a file gives no claims at all, or no more.
#[derive(Debug, Error)]
pub enum FormatError {
    /// It cannot be read.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// It is none of the formats.
    #[error("{0}")]
    Format(String),
}

impl Claim {
    /// Plays the deal with the exact engine, and says the first thing that does not hold.
    ///
    /// # Errors
    /// [`ClaimError`].
    pub fn check(&self) -> Result<(), ClaimError> {
        match self {
            Claim::Find(find) => find.check(),
            Claim::Short(short) => short.proved().map(|_| ()),
        }
    }

    /// The claim as a find. What it leaves out is what the exact engine says.
    ///
    /// # Errors
    /// [`ClaimError`], if what it does say does not hold; a find is not played for that.
    pub fn into_find(self) -> Result<Find, ClaimError> {
        match self {
            Claim::Find(find) => Ok(*find),
            Claim::Short(short) => short.proved(),
        }
    }
}

impl ShortClaim {
    fn proved(&self) -> Result<Find, ClaimError> {
        let deck = self
            .deck
            .clone()
            .unwrap_or_else(|| Deck::of(&self.deal, false));
        if let Err(error) = deck.check(&self.deal) {
            return Err(ClaimError {
                what: "the deck",
                claimed: deck.to_string(),
                is: format!("not that of the deal ({error})"),
            });
        }
        let find = Find::of(&deck, &self.deal, &exact::play(&self.deal));
        let winner = match find.ending {
            Outcome::Finished { winner } => winner,
            Outcome::Loop { .. } => None,
        };
        let text = |player: Option<Player>| player.map_or("nobody".into(), |it| it.to_string());
        let claims = [
            ("status", self.status.clone(), find.status().to_owned()),
            (
                "cards",
                self.played.cards.to_string(),
                find.played.cards.to_string(),
            ),
            (
                "tricks",
                self.played.tricks.to_string(),
                find.played.tricks.to_string(),
            ),
            ("winner", text(self.winner.or(winner)), text(winner)),
            (
                "index",
                self.index.or(find.index).unwrap_or_default().to_string(),
                find.index.unwrap_or_default().to_string(),
            ),
        ];
        match claims.into_iter().find(|(_, claimed, is)| claimed != is) {
            Some((what, claimed, is)) => Err(ClaimError { what, claimed, is }),
            None => Ok(Find {
                name: self.name.clone(),
                finder: self.finder.clone(),
                year: self.year,
                version: None,
                ..find
            }),
        }
    }
}

/// The claims of a text, one after the other; nothing is kept of those that were taken.
pub struct Claims<R: BufRead> {
    format: Format<R>,
    /// Claims that were read and not taken.
    ready: VecDeque<NumberedClaim>,
}

enum Format<R: BufRead> {
    /// Nothing more is there.
    End,
    /// JSON lines, or lines of the community project.
    Lines {
        from: io::Chain<Cursor<Vec<u8>>, R>,
        line: u64,
        read: fn(&str) -> Vec<Result<Claim, String>>,
    },
    /// A table.
    Table {
        rows: Box<csv::StringRecordsIntoIter<R>>,
        columns: Columns,
        /// Lines up to the header.
        before: u64,
    },
}

impl<R: BufRead> Claims<R> {
    /// Looks which format it is.
    ///
    /// # Errors
    /// [`FormatError`], with what is accepted.
    pub fn new(mut from: R) -> Result<Claims<R>, FormatError> {
        let mut line = 0;
        let mut first = Vec::new();
        while first.trim_ascii().is_empty() {
            first.clear();
            line += 1;
            if read_line(&mut from, &mut first)? == 0 {
                return Ok(Claims::of(Format::End));
            }
            if line == 1 && first.starts_with("\u{feff}".as_bytes()) {
                first.drain(..3);
            }
        }
        let text = utf8(&first, line)?.trim();
        if text.starts_with('{') {
            let unfinished = serde_json::from_str::<Value>(text).is_err_and(|it| it.is_eof());
            if unfinished {
                // One value over many lines.
                (&mut from).take(MAX_BYTES).read_to_end(&mut first)?;
                let whole = utf8(&first, line)?;
                if let Ok(value) = serde_json::from_str::<Value>(whole) {
                    let ready = value_claims(&value, whole, line)?;
                    let format = Format::End;
                    return Ok(Claims { format, ready });
                }
            } else if let Ok(value) = serde_json::from_str::<Value>(text)
                && value.get("cases").is_some()
            {
                let ready = value_claims(&value, text, line)?;
                let format = Format::End;
                return Ok(Claims { format, ready });
            }
            return Ok(Claims::lines(first, from, line, json_line));
        }
        if is_community(text) {
            return Ok(Claims::lines(first, from, line, |text| {
                vec![community(text)]
            }));
        }
        let (delimiter, columns) = Columns::find(text).map_err(FormatError::Format)?;
        let reader = csv::ReaderBuilder::new()
            .has_headers(false)
            // A carriage return is a blank at the end: so lines are counted right.
            .terminator(csv::Terminator::Any(b'\n'))
            .delimiter(delimiter)
            // A deal has no quotes; a name in a table of tabs may have one.
            .quoting(delimiter != b'\t')
            .flexible(true)
            .from_reader(from);
        let rows = Box::new(reader.into_records());
        Ok(Claims::of(Format::Table {
            rows,
            columns,
            before: line,
        }))
    }

    fn of(format: Format<R>) -> Claims<R> {
        Claims {
            format,
            ready: VecDeque::new(),
        }
    }

    fn lines(
        first: Vec<u8>,
        from: R,
        line: u64,
        read: fn(&str) -> Vec<Result<Claim, String>>,
    ) -> Claims<R> {
        Claims::of(Format::Lines {
            from: Cursor::new(first).chain(from),
            line: line - 1,
            read,
        })
    }

    fn read_more(&mut self) -> Result<bool, FormatError> {
        match &mut self.format {
            Format::End => return Ok(false),
            Format::Lines { from, line, read } => {
                let mut bytes = Vec::new();
                if read_line(from, &mut bytes)? == 0 {
                    self.format = Format::End;
                    return Ok(false);
                }
                *line += 1;
                let text = utf8(&bytes, *line)?;
                if text.trim().is_empty() {
                    return Ok(true);
                }
                let mut claims = read(text.trim());
                if !text.ends_with('\n') && claims.iter().all(Result::is_err) {
                    claims = vec![Err(
                        "the last line was cut off while it was written, or is no claim: delete it"
                            .to_owned(),
                    )];
                }
                let at = *line;
                self.ready
                    .extend(claims.into_iter().map(|claim| (at, claim)));
            }
            Format::Table {
                rows,
                columns,
                before,
            } => {
                let Some(row) = rows.next() else {
                    self.format = Format::End;
                    return Ok(false);
                };
                let row = row.map_err(table_error)?;
                let line = row.position().map_or(0, csv::Position::line) + *before;
                if row.iter().any(|field| !field.trim().is_empty()) {
                    self.ready.push_back((line, columns.claim(&row)));
                }
            }
        }
        Ok(true)
    }
}

impl<R: BufRead> Iterator for Claims<R> {
    type Item = Result<NumberedClaim, FormatError>;

    fn next(&mut self) -> Option<Result<NumberedClaim, FormatError>> {
        loop {
            if let Some(claim) = self.ready.pop_front() {
                return Some(Ok(claim));
            }
            match self.read_more() {
                Ok(true) => {}
                Ok(false) => return None,
                Err(error) => {
                    self.format = Format::End;
                    return Some(Err(error));
                }
            }
        }
    }
}

fn read_line(from: &mut impl BufRead, line: &mut Vec<u8>) -> Result<usize, FormatError> {
    let read = from.take(MAX_BYTES).read_until(b'\n', line)?;
    if read as u64 == MAX_BYTES {
        let text = format!("a line is over {} MiB: that is no claim", MAX_BYTES >> 20);
        return Err(FormatError::Format(text));
    }
    Ok(read)
}

fn utf8(bytes: &[u8], line: u64) -> Result<&str, FormatError> {
    std::str::from_utf8(bytes).map_err(|error| {
        FormatError::Format(format!(
            "line {line}, byte {} is not UTF-8: results are text",
            error.valid_up_to()
        ))
    })
}

fn table_error(error: csv::Error) -> FormatError {
    let text = error.to_string();
    match error.into_kind() {
        csv::ErrorKind::Io(error) => FormatError::Io(error),
        _ => FormatError::Format(text),
    }
}

/// A line of JSON: a find, or the object of a command that has finds or deals in it.
fn json_line(text: &str) -> Vec<Result<Claim, String>> {
    let error = match Find::from_line(text) {
        Ok(find) => return vec![Ok(Claim::Find(Box::new(find)))],
        Err(error) => error,
    };
    let value = serde_json::from_str::<Value>(text).ok();
    let claims = value.and_then(|value| object_claims(&value));
    claims.unwrap_or_else(|| vec![Err(error.to_string())])
}

/// The claims of a command's object: the finds of a search (`best`), or the deals of a tree.
fn object_claims(value: &Value) -> Option<Vec<Result<Claim, String>>> {
    if let Some(best) = value.get("best").and_then(Value::as_array) {
        let find = |value: &Value| {
            let find = Find::from_line(&value.to_string()).map_err(|error| error.to_string())?;
            Ok(Claim::Find(Box::new(find)))
        };
        return Some(best.iter().map(find).collect());
    }
    let (deal, verdict) = (value.get("deal")?, value.get("verdict")?);
    let mut claims = vec![game(deal, verdict)];
    let all = value.get("all").and_then(Value::as_array);
    let top = value.get("top").filter(|top| !top.is_null());
    for entry in all.into_iter().flatten().chain(top) {
        claims.push(game(&entry["deal"], entry));
    }
    Some(claims)
}

/// A deal and its verdict, as `--json` writes them.
fn game(deal: &Value, verdict: &Value) -> Result<Claim, String> {
    let text = deal.as_str().ok_or("deal: a text is missing")?;
    let letters = Reader::default().deal(text);
    let (deal, digits) = match letters {
        Ok(deal) => (deal, false),
        Err(error) => {
            let digits = true;
            let reader = Reader {
                digits,
                ..Reader::default()
            };
            (reader.deal(text).map_err(|_| error.to_string())?, digits)
        }
    };
    let deck = digits.then(|| Deck::of(&deal, true));
    short(deal, deck, verdict, None)
}

/// The fields of a verdict beside a deal.
fn short(
    deal: Deal,
    deck: Option<Deck>,
    verdict: &Value,
    name: Option<String>,
) -> Result<Claim, String> {
    let number = |field: &str| {
        let value = &verdict[field];
        let text = value.as_str().and_then(|text| text.parse().ok());
        value
            .as_u64()
            .or(text)
            .ok_or_else(|| format!("{field}: a whole number is missing"))
    };
    let winner = match &verdict["winner"] {
        Value::Null => None,
        Value::String(text) => player(text)?,
        other => return Err(format!("winner: {other} is neither A nor B")),
    };
    Ok(Claim::Short(Box::new(ShortClaim {
        deal: deal.skeleton(),
        deck,
        index: None,
        status: status(verdict["status"].as_str().unwrap_or_default())?,
        played: Span {
            cards: number("cards")?,
            tricks: number("tricks")?,
        },
        winner,
        name,
        finder: None,
        year: None,
    })))
}

fn status(text: &str) -> Result<String, String> {
    match text.trim() {
        known @ ("finished" | "loop") => Ok(known.to_owned()),
        other => Err(format!("status: {other:?} is neither finished nor loop")),
    }
}

fn player(text: &str) -> Result<Option<Player>, String> {
    match text.trim() {
        "" => Ok(None),
        "A" => Ok(Some(Player::A)),
        "B" => Ok(Some(Player::B)),
        other => Err(format!("winner: {other:?} is neither A nor B")),
    }
}

/// The claims of a JSON value over many lines: the cases of the exercise, a find, or a command's
/// object. `text` is what it was read from, `line` its first line.
fn value_claims(
    value: &Value,
    text: &str,
    line: u64,
) -> Result<VecDeque<NumberedClaim>, FormatError> {
    if let Some(cases) = value.get("cases") {
        let mut found = Vec::new();
        gather_cases(cases, &mut found).map_err(FormatError::Format)?;
        let mut lines = text
            .match_indices("\"input\"")
            .map(|(at, _)| line + text[..at].matches('\n').count() as u64);
        return Ok(found
            .into_iter()
            .map(|case| (lines.next().unwrap_or(line), exercise(case)))
            .collect());
    }
    let claims = json_line(&value.to_string());
    Ok(claims.into_iter().map(|claim| (line, claim)).collect())
}

/// The cases, those in groups too.
fn gather_cases<'v>(cases: &'v Value, found: &mut Vec<&'v Value>) -> Result<(), String> {
    let Some(cases) = cases.as_array() else {
        return Err("cases: a list is expected, as in canonical-data.json".to_owned());
    };
    for case in cases {
        match case.get("cases") {
            Some(inner) => gather_cases(inner, found)?,
            None => found.push(case),
        }
    }
    Ok(())
}

/// A case of the exercise.
fn exercise(case: &Value) -> Result<Claim, String> {
    let input = case.get("input").ok_or("the case has no input")?;
    let deal = Reader::default()
        .deal(&input.to_string())
        .map_err(|error| format!("input: {error}"))?;
    let expected = case.get("expected").ok_or("the case has no expected")?;
    let name = case["description"].as_str().map(str::to_owned);
    short(deal, None, expected, name)
}

/// Whether a line is one of the community project.
fn is_community(text: &str) -> bool {
    let rest = text
        .strip_prefix("finished,")
        .or(text.strip_prefix("loop,"));
    rest.is_some_and(|rest| rest.trim_start().starts_with(|c: char| c.is_ascii_digit()))
}

/// A line of the community project: `finished,INDEX,CARDS,TRICKS`.
fn community(text: &str) -> Result<Claim, String> {
    let fields: Vec<&str> = text.split(',').map(str::trim).collect();
    let [kind, index, cards, tricks] = fields[..] else {
        return Err(format!(
            "the line has {} fields: finished or loop, the index, cards and tricks are expected",
            fields.len()
        ));
    };
    let deck = Deck::standard();
    let index: u128 = whole("index", index)?;
    let deal = deck
        .deal_at(index, Order::AcesFirst)
        .map_err(|error| format!("index: {error}"))?;
    Ok(Claim::Short(Box::new(ShortClaim {
        deal,
        deck: Some(deck),
        index: Some(index),
        status: status(kind)?,
        played: Span {
            cards: whole("cards", cards)?,
            tricks: whole("tricks", tricks)?,
        },
        winner: None,
        name: None,
        finder: None,
        year: None,
    })))
}

fn whole<T: std::str::FromStr>(name: &str, text: &str) -> Result<T, String> {
    let text = text.trim();
    text.parse()
        .map_err(|_| format!("{name}: {text:?} is no whole number, or too large"))
}

/// Where the columns of a table are.
struct Columns {
    width: usize,
    deal: Option<usize>,
    hands: Option<[usize; 2]>,
    status: usize,
    cards: usize,
    tricks: usize,
    others: Vec<(&'static str, usize)>,
}

impl Columns {
    /// Columns that may be left out.
    const OTHERS: [&'static str; 10] = [
        "deck",
        "index",
        "winner",
        "lead_in_cards",
        "lead_in_tricks",
        "period_cards",
        "period_tricks",
        "name",
        "finder",
        "year",
    ];

    /// The separator of a table, and its columns, from its header.
    fn find(header: &str) -> Result<(u8, Columns), String> {
        let split = |delimiter: char| -> Vec<String> {
            let fields = header.split(delimiter);
            fields
                .map(|field| field.trim().trim_matches('"').to_owned())
                .collect()
        };
        let most = ['\t', ';', ','].map(|it| (split(it), it)).into_iter();
        let (names, delimiter) = most.max_by_key(|(names, _)| names.len()).expect("three");
        let place = |name: &str| {
            let mut places = (0..names.len()).filter(|&at| names[at] == name);
            match (places.next(), places.next()) {
                (Some(_), Some(_)) => Err(format!("two columns are named {name}: keep one")),
                (at, _) => Ok(at),
            }
        };
        let needed = |name: &str| {
            place(name)?.ok_or_else(|| {
                format!(
                    "no results: neither JSON lines nor a table (tabs, commas or semicolons) with \
                     the columns deal (or hand_a and hand_b), status, cards, tricks (and perhaps \
                     {}); {name} is missing",
                    Columns::OTHERS.join(", ")
                )
            })
        };
        let deal = place("deal")?;
        let hands = match deal {
            Some(_) => None,
            None => Some([needed("hand_a")?, needed("hand_b")?]),
        };
        let mut others = Vec::new();
        for name in Columns::OTHERS {
            if let Some(at) = place(name)? {
                others.push((name, at));
            }
        }
        let columns = Columns {
            width: names.len(),
            deal,
            hands,
            status: needed("status")?,
            cards: needed("cards")?,
            tricks: needed("tricks")?,
            others,
        };
        Ok((delimiter as u8, columns))
    }

    /// What a row claims.
    fn claim(&self, row: &csv::StringRecord) -> Result<Claim, String> {
        if row.len() != self.width {
            return Err(format!(
                "the row has {} columns, the header {}",
                row.len(),
                self.width
            ));
        }
        let other = |name: &str| {
            let column = self.others.iter().find(|(other, _)| *other == name);
            let text = column.map(|&(_, at)| row[at].trim());
            text.filter(|text| !text.is_empty())
        };
        let deck: Option<Deck> = match other("deck") {
            Some(text) => Some(text.parse().map_err(|error| format!("deck: {error}"))?),
            None => None,
        };
        let reader = deck.as_ref().map_or(Reader::default(), Deck::reader);
        let deal = match (self.deal, self.hands) {
            (Some(deal), _) => reader.deal(&row[deal]),
            (None, Some([a, b])) => reader.hands(&row[a], &row[b]),
            (None, None) => return Err("the row has no deal".to_owned()),
        };
        let deal = deal.map_err(|error| error.to_string())?.skeleton();
        let index = other("index")
            .map(|text| whole("index", text))
            .transpose()?;
        let winner = player(other("winner").unwrap_or_default())?;
        let year = other("year").map(|text| whole("year", text)).transpose()?;
        let text = |name: &str| other(name).map(str::to_owned);
        let status = status(&row[self.status])?;
        let played = Span {
            cards: whole("cards", &row[self.cards])?,
            tricks: whole("tricks", &row[self.tricks])?,
        };
        let spans = [
            "lead_in_cards",
            "lead_in_tricks",
            "period_cards",
            "period_tricks",
        ]
        .map(|name| other(name).map(|text| whole::<u64>(name, text)));
        let mut numbers = Vec::new();
        for span in spans.into_iter().flatten() {
            numbers.push(span?);
        }
        let ending = match (status.as_str(), &numbers[..]) {
            (_, []) => None,
            ("loop", &[lead_cards, lead_tricks, cards, tricks]) => Some(Outcome::Loop {
                lead_in: Span {
                    cards: lead_cards,
                    tricks: lead_tricks,
                },
                period: Span { cards, tricks },
            }),
            ("loop", _) => return Err("lead-in and period need cards and tricks each".to_owned()),
            _ => return Err("a finished game has neither lead-in nor period".to_owned()),
        };
        if status == "loop" && winner.is_some() {
            return Err("a loop has no winner".to_owned());
        }
        let (name, finder) = (text("name"), text("finder"));
        Ok(match (ending, deck) {
            (Some(ending), deck) => {
                let deck = deck.unwrap_or_else(|| Deck::of(&deal, false));
                Claim::Find(Box::new(Find {
                    deal,
                    deck,
                    index,
                    played,
                    ending,
                    cycle: None,
                    found: None,
                    version: None,
                    name,
                    finder,
                    year,
                    source: None,
                }))
            }
            (None, deck) => Claim::Short(Box::new(ShortClaim {
                deal,
                deck,
                index,
                status,
                played,
                winner,
                name,
                finder,
                year,
            })),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn claims(text: &str) -> Vec<NumberedClaim> {
        let claims = Claims::new(text.as_bytes()).unwrap();
        claims.map(Result::unwrap).collect()
    }

    fn told(text: &str) -> Vec<String> {
        let told = |(line, claim): NumberedClaim| match claim {
            Ok(claim) => match claim.check() {
                Ok(()) => format!("{line}: holds"),
                Err(error) => format!("{line}: {error}"),
            },
            Err(error) => format!("{line}: {error}"),
        };
        claims(text).into_iter().map(told).collect()
    }

    #[test]
    fn a_text_without_a_claim_has_none() {
        for text in ["", "\u{feff}", "\n \n", "deal,status,cards,tricks\n"] {
            assert_eq!(claims(text), [], "{text:?}");
        }
    }

    #[test]
    fn tables_are_read_by_their_header_whatever_separates_them() {
        let table = "tricks,hand_b,status,cards,note,hand_a\n1,3 4 5 6 7,finished,7,!,2 A\n\
                     1,3 4 5 6 7,finished,8,!,2 A\n";
        let wanted = ["2: holds", "3: cards is claimed as 8, but is 7"];
        for separator in [",", ";", "\t"] {
            assert_eq!(told(&table.replace(',', separator)), wanted);
        }
        assert_eq!(
            told(&format!("\u{feff}{}", table.replace('\n', "\r\n"))),
            wanted
        );
        let table = "deal;deck;index;cards;tricks;status;winner\n-A/-----;;;7;1;finished;B\n\
                     \"-A/-----\";;5;7;1;finished;A\n04/00000;plain=6,4=1,hands=2/5;;7;1;finished;A\n";
        assert_eq!(
            told(table),
            [
                "2: winner is claimed as B, but is A",
                "3: index is claimed as 5, but is 1",
                "4: holds"
            ]
        );
    }

    #[test]
    fn loops_in_tables_claim_what_they_say() {
        let head =
            "deal,cards,tricks,status,lead_in_cards,lead_in_tricks,period_cards,period_tricks";
        assert_eq!(
            told(&format!(
                "{head}\nJ--/-J-,8,3,loop,2,1,6,2\nJ--/-J-,8,3,loop,2,1,6,3\n\
                           J--/-J-,8,3,loop,,,,\nJ--/-J-,8,3,loop,2,,,\n"
            )),
            [
                "2: holds",
                "3: period tricks is claimed as 3, but is 2",
                "4: holds",
                "5: lead-in and period need cards and tricks each"
            ]
        );
    }

    #[test]
    fn the_lines_of_the_community_project_are_indices_of_the_standard_deck() {
        assert_eq!(
            told(
                "finished,447247122283566119055,8344,1164\n\nloop,472460898658889399111,474,66\n\
                  loop,472460898658889399111,474,67\nfinished,1,2\n"
            ),
            [
                "1: holds",
                "3: holds",
                "4: tricks is claimed as 67, but is 66",
                "5: the line has 3 fields: finished or loop, the index, cards and tricks are expected"
            ]
        );
    }

    #[test]
    fn the_cases_of_the_exercise_are_claims() {
        let text = r#"{
  "exercise": "camicia",
  "cases": [
    { "description": "one", "input": { "playerA": ["2", "A"], "playerB": "34567" },
      "expected": { "status": "finished", "cards": 7, "tricks": 1 } },
    { "description": "a group", "cases": [
      { "description": "two",
        "input": { "playerA": "J23", "playerB": "4J5" },
        "expected": { "status": "loop", "cards": 9, "tricks": 3 } } ] }
  ]
}
"#;
        let wanted = ["4: holds", "8: cards is claimed as 9, but is 8"];
        assert_eq!(told(text), wanted);
        let line: String = text.lines().map(str::trim).collect();
        assert_eq!(told(&line)[1], "1: cards is claimed as 9, but is 8");
    }

    #[test]
    fn what_is_no_claim_is_refused_with_its_place() {
        let error = |text: &[u8]| Claims::new(text).err().unwrap().to_string();
        assert!(error(b"[package]\n").contains("hand_a is missing"));
        assert!(error(b"hello\n").contains("no results: neither JSON lines nor a table"));
        assert!(error(b"deal,deal,status\n").contains("two columns are named deal"));
        assert!(error(b"J/\xff\n").contains("line 1, byte 2 is not UTF-8"));
        let torn = "{\"deal\":\"-A/-----\",\"deck\":\"plain=6,A=1,hands=2/5\",\"cards\":7,\"tricks\":1,\
                    \"status\":\"finished\"}\n{\"deal\":\"-A/---";
        let told = told(torn);
        assert_eq!(told[0], "1: holds");
        assert!(
            told[1].starts_with("2: the last line was cut off"),
            "{told:?}"
        );
    }
}
