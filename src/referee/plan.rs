//! What a match is, as one checked description: the options of the command line and a tournament file
//! both become a [`MatchFile`], and [`MatchFile::check`] makes a [`MatchPlan`] of it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::Deserialize;

use super::games::BUILTINS;
use super::games::barbu::{Barbu, Contract, Protocol};
use super::games::bs::{Bs, JavaError, JavaPlayers};
use super::games::uno::Uno;
use super::host::bot::{Bot, BotError, CommandLine, Program};
use super::host::game::CardGame;
use super::host::limits::BotLimits;
use super::tournament::course::{Course, Pairings};
use super::tournament::record::Header;
use super::tournament::schedule::Seating;
use super::tournament::sprt::SprtTest;

/// How a player class of BS is named.
const JAVA: &str = "java:";
/// The time for an action: Uno's text names it, the others' do not.
const TIMEOUT: f64 = 3.0;
/// The time on top for the first action of a process.
const STARTUP: f64 = 5.0;
/// The time on top for every action.
const MARGIN: f64 = 0.1;
/// The most bots of a match.
const MOST_BOTS: usize = 1000;

/// A match as it was written down, in a tournament file or on a command line. What is left out has its
/// usual value.
#[derive(Clone, Default, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct MatchFile {
    /// The game: uno, bs or barbu.
    pub game: String,
    /// The bots.
    #[serde(default)]
    pub bot: Vec<BotEntry>,
    /// How the bots meet: round-robin, gauntlet, all-tables or swiss.
    pub pairings: Option<String>,
    /// How many sit at a table.
    pub table: Option<usize>,
    /// How many rounds a Swiss tournament has.
    pub swiss_rounds: Option<u64>,
    /// How many games are played, at least.
    pub games: Option<u64>,
    /// How many deals each table plays, in place of `games`.
    pub deals: Option<u64>,
    /// Who sits where: fixed, rotate or permute.
    pub seating: Option<String>,
    /// The seed.
    pub seed: Option<u64>,
    /// Seconds for an action.
    pub timeout: Option<f64>,
    /// Seconds on top for the first action of a process.
    pub startup: Option<f64>,
    /// Seconds on top for every action.
    pub margin: Option<f64>,
    /// Whether the bots are held apart.
    #[serde(default)]
    pub isolate: bool,
    /// The sequential test, as `elo0=0,elo1=20,alpha=0.05,beta=0.05`.
    pub sprt: Option<String>,
    /// What each bot may use.
    #[serde(default)]
    pub limits: LimitsEntry,
    /// The options of the game.
    #[serde(default)]
    pub rules: RulesEntry,
}

/// A bot of a match file.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BotEntry {
    /// Its name; made from the command when it is left out.
    pub name: Option<String>,
    /// What to run.
    pub command: CommandEntry,
    /// The folder it runs in, from the folder of the file.
    pub folder: Option<PathBuf>,
    /// Variables that are set for it.
    #[serde(default)]
    pub env: BTreeMap<String, String>,
    /// What it may use, in place of the limits of the match.
    pub limits: Option<LimitsEntry>,
}

/// A command: a line that is split like a shell does, or its words.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
pub enum CommandEntry {
    /// A line, or `builtin:NAME`, or `java:FILE`.
    Line(String),
    /// The program and its arguments.
    Words(Vec<String>),
}

/// Limits as they are written.
#[derive(Clone, Default, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LimitsEntry {
    /// Memory of each process.
    pub memory: Option<Size>,
    /// Processor time of each process, in seconds.
    pub cpu: Option<u64>,
    /// The size of any file that is written.
    pub file: Option<Size>,
    /// Processes and threads of the user.
    pub processes: Option<u64>,
}

/// A number of bytes: a number, or a text such as `64K`, `512M`, `2G`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(try_from = "SizeText")]
pub struct Size(pub u64);

#[derive(Deserialize)]
#[serde(untagged)]
enum SizeText {
    Bytes(u64),
    Text(String),
}

impl TryFrom<SizeText> for Size {
    type Error = String;

    fn try_from(text: SizeText) -> Result<Size, String> {
        match text {
            SizeText::Bytes(bytes) => bytes.to_string().parse(),
            SizeText::Text(text) => text.parse(),
        }
    }
}

impl std::str::FromStr for Size {
    type Err = String;

    fn from_str(text: &str) -> Result<Size, String> {
        let (digits, shift) = match text.as_bytes().last().map(u8::to_ascii_uppercase) {
            Some(b'K') => (&text[..text.len() - 1], 10),
            Some(b'M') => (&text[..text.len() - 1], 20),
            Some(b'G') => (&text[..text.len() - 1], 30),
            _ => (text, 0),
        };
        digits
            .parse::<u64>()
            .ok()
            .and_then(|number| number.checked_mul(1 << shift))
            .filter(|&bytes| bytes > 0)
            .map(Size)
            .ok_or_else(|| "a size is a number of bytes, such as 4096, 64K, 512M or 2G".to_owned())
    }
}

/// The options of all games; each game has its own.
#[derive(Clone, Default, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct RulesEntry {
    /// Uno: decks of 54 cards.
    pub decks: Option<u64>,
    /// Uno: cards dealt to each.
    pub hand: Option<u64>,
    /// Uno: after so many turns a game ends.
    pub turns: Option<u64>,
    /// BS: after so many rounds a game ends without a winner.
    pub rounds: Option<u64>,
    /// Barbu: the games that are played on each deal, or `all`.
    pub game: Option<Vec<String>>,
    /// Barbu: the protocol, new or ai.
    pub protocol: Option<String>,
    /// Barbu: whether a revoke passes.
    pub lenient: Option<bool>,
}

/// Why a match cannot be played as it is described.
#[derive(Debug, thiserror::Error)]
pub enum PlanError {
    /// The file is not what a match file is.
    #[error("{0}")]
    Toml(String),
    /// The value of a key is wrong.
    #[error("{key}: {why}")]
    Key {
        /// The key, as in a file.
        key: &'static str,
        /// What is wrong, with what would be right.
        why: String,
    },
    /// So many bots cannot play like that.
    #[error("{0}")]
    Table(String),
    /// A bot is none.
    #[error(transparent)]
    Bot(#[from] BotError),
    /// A player class is none.
    #[error(transparent)]
    Java(#[from] JavaError),
    /// A temporary folder for player classes cannot be made.
    #[error("cannot make a temporary folder: {0}")]
    Folder(std::io::Error),
}

fn fault(key: &'static str, why: impl Into<String>) -> PlanError {
    PlanError::Key {
        key,
        why: why.into(),
    }
}

/// A game with its rules.
#[derive(Clone, Debug)]
pub enum GameRules {
    /// Uno.
    Uno(Uno),
    /// BS.
    Bs(Bs),
    /// Barbu.
    Barbu(Barbu),
}

/// A match that can be played.
#[derive(Debug)]
pub struct MatchPlan {
    /// The game.
    pub rules: GameRules,
    /// The options that change the rules, as on a command line: a match goes on under the same only.
    pub words: Vec<String>,
    /// The bots, with unique names.
    pub bots: Vec<Bot>,
    /// How they meet; `None` when all sit at one table, or are drawn.
    pub pairings: Option<Pairings>,
    /// How many sit at a table.
    pub seats: usize,
    /// Who sits where.
    pub seating: Seating,
    /// How many games are played.
    pub games: u64,
    /// The seed.
    pub seed: u64,
    /// The time for an action.
    pub timeout: Duration,
    /// The time on top for the first action of a process.
    pub startup: Duration,
    /// The time on top for every action.
    pub margin: Duration,
    /// What each bot may use that has no limits of its own.
    pub limits: BotLimits,
    /// Whether the bots are held apart.
    pub isolate: bool,
    /// The sequential test.
    pub sprt: Option<SprtTest>,
    /// The compiled player classes; they go when this is dropped.
    _java: Option<JavaPlayers>,
}

impl GameRules {
    /// The game's name.
    pub fn name(&self) -> &'static str {
        match self {
            GameRules::Uno(game) => game.name(),
            GameRules::Bs(game) => game.name(),
            GameRules::Barbu(game) => game.name(),
        }
    }

    /// The names of the variants.
    pub fn variants(&self) -> Vec<String> {
        match self {
            GameRules::Barbu(game) => game.variants(),
            _ => Vec::new(),
        }
    }

    /// How many sit at a table of `bots` bots, or why they cannot play.
    pub(super) fn seats(&self, bots: usize) -> Result<usize, String> {
        match self {
            GameRules::Uno(game) => game.seats(bots),
            GameRules::Bs(game) => game.seats(bots),
            GameRules::Barbu(game) => game.seats(bots),
        }
    }

    /// How many sit at a table of a tournament unless it is said.
    fn usual_table(&self) -> usize {
        match self {
            GameRules::Uno(_) => 2,
            GameRules::Bs(_) | GameRules::Barbu(_) => 4,
        }
    }

    /// The rules under which the games of a results file were played.
    ///
    /// # Errors
    /// When the file names a game or a rule that there is not.
    pub fn of(header: &Header) -> Result<GameRules, PlanError> {
        let mut entry = RulesEntry::default();
        for rule in &header.rules {
            let (name, value) = rule.split_once(' ').unwrap_or((rule, ""));
            let number = || {
                let why = || fault("rules", format!("`{rule}` has no number"));
                value.parse().map(Some).map_err(|_| why())
            };
            match name {
                "--decks" => entry.decks = number()?,
                "--hand" => entry.hand = number()?,
                "--turns" => entry.turns = number()?,
                "--rounds" => entry.rounds = number()?,
                "--game" => entry.game = Some(value.split(',').map(str::to_owned).collect()),
                "--protocol" => entry.protocol = Some(value.to_owned()),
                "--lenient" => entry.lenient = Some(true),
                _ => return Err(fault("rules", format!("there is no rule `{rule}`"))),
            }
        }
        Ok(entry.check(&header.game)?.0)
    }
}

impl RulesEntry {
    /// The game with these rules, and the rules in words.
    fn check(&self, game: &str) -> Result<(GameRules, Vec<String>), PlanError> {
        let given = [
            ("decks", self.decks.is_some(), "uno"),
            ("hand", self.hand.is_some(), "uno"),
            ("turns", self.turns.is_some(), "uno"),
            ("rounds", self.rounds.is_some(), "bs"),
            ("game", self.game.is_some(), "barbu"),
            ("protocol", self.protocol.is_some(), "barbu"),
            ("lenient", self.lenient.is_some(), "barbu"),
        ];
        if !["uno", "bs", "barbu"].contains(&game) {
            let why = format!("there is no game `{game}`; there are uno, bs, barbu");
            return Err(fault("game", why));
        }
        if let Some((name, ..)) = given.iter().find(|(_, is, of)| *is && *of != game) {
            return Err(fault("rules", format!("{name} is no rule of {game}")));
        }
        let within = |key, value: Option<u64>, usual, range: std::ops::RangeInclusive<u64>| {
            let value = value.unwrap_or(usual);
            if range.contains(&value) {
                return Ok(value);
            }
            let (low, high) = range.into_inner();
            Err(fault(
                key,
                format!("{value} is not between {low} and {high}"),
            ))
        };
        Ok(match game {
            "uno" => {
                let decks = within("decks", self.decks, 1, 1..=4)?;
                let hand = within("hand", self.hand, 7, 0..=255)?;
                let turns = within("turns", self.turns, 2000, 1..=u64::MAX)?;
                let words = [("decks", decks), ("hand", hand), ("turns", turns)];
                (
                    GameRules::Uno(Uno::new(decks as usize, hand as usize, turns)),
                    words
                        .map(|(name, value)| format!("--{name} {value}"))
                        .to_vec(),
                )
            }
            "bs" => {
                let rounds = within("rounds", self.rounds, 1000, 1..=1_000_000)?;
                (
                    GameRules::Bs(Bs::new(rounds)),
                    vec![format!("--rounds {rounds}")],
                )
            }
            _ => self.barbu()?,
        })
    }

    fn barbu(&self) -> Result<(GameRules, Vec<String>), PlanError> {
        let (protocol, spoken) = match self.protocol.as_deref() {
            None | Some("new") => (Protocol::New, "new"),
            Some("ai") => (Protocol::Ai, "ai"),
            Some(other) => {
                let why = format!("there is no protocol `{other}`; there are new and ai");
                return Err(fault("protocol", why));
            }
        };
        let contracts = contracts(self.game.as_deref().unwrap_or_default(), protocol)?;
        let names: Vec<&str> = contracts.iter().map(|contract| contract.name()).collect();
        let mut words = vec![
            format!("--game {}", names.join(",")),
            format!("--protocol {spoken}"),
        ];
        let lenient = self.lenient == Some(true);
        words.extend(lenient.then(|| "--lenient".to_owned()));
        let game = Barbu::new(contracts, protocol, lenient).map_err(|why| fault("game", why))?;
        Ok((GameRules::Barbu(game), words))
    }
}

/// The games of Barbu named, in the order of the text, each once; all that the protocol can say when
/// none is named.
fn contracts(names: &[String], protocol: Protocol) -> Result<Vec<Contract>, PlanError> {
    let mut chosen = Vec::new();
    let is_all = |name: &str| name.trim().eq_ignore_ascii_case("all");
    for name in names.iter().filter(|name| !is_all(name)) {
        let name = name.trim();
        let contract = Contract::parse(name).ok_or_else(|| {
            let known: Vec<&str> = Contract::ALL.iter().map(|game| game.name()).collect();
            let why = format!(
                "there is no game `{name}`; there are {}, and all",
                known.join(", ")
            );
            fault("game", why)
        })?;
        chosen.push(contract);
    }
    if names.is_empty() || names.iter().any(|name| is_all(name)) {
        let sayable =
            |contract: &Contract| protocol == Protocol::New || *contract != Contract::Dominoes;
        chosen.extend(Contract::ALL.into_iter().filter(sayable));
    }
    chosen.sort();
    chosen.dedup();
    Ok(chosen)
}

impl LimitsEntry {
    fn check(&self) -> BotLimits {
        BotLimits {
            memory: self.memory.map(|size| size.0),
            cpu: self.cpu,
            file: self.file.map(|size| size.0),
            processes: self.processes,
        }
    }
}

impl MatchFile {
    /// Reads the text of a tournament file.
    ///
    /// # Errors
    /// When it is no TOML, or a key is unknown, missing or of another kind; with the line.
    pub fn read(text: &str) -> Result<MatchFile, PlanError> {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        toml::from_str(text)
            .map_err(|error| PlanError::Toml(error.to_string().trim_end().to_owned()))
    }

    /// Makes a plan of it. `base` is the folder of the file: its bots run there, or in the folder that
    /// each names. Without one, they run in the folder of the referee.
    ///
    /// # Errors
    /// For the first thing that is wrong.
    pub fn check(&self, base: Option<&Path>) -> Result<MatchPlan, PlanError> {
        let (rules, words) = self.rules.check(&self.game)?;
        if self.bot.len() > MOST_BOTS {
            let why = format!("{} are too many; at most {MOST_BOTS}", self.bot.len());
            return Err(fault("bot", why));
        }
        let mut java = None;
        let mut bots = self
            .bot
            .iter()
            .map(|entry| entry.check(rules.name(), base, &mut java))
            .collect::<Result<Vec<Bot>, PlanError>>()?;
        Bot::make_names_unique(&mut bots);
        let seats = self.seats(&rules, bots.len())?;
        let seating = self.seating(&rules)?;
        let (pairings, games) = self.games(&rules, bots.len(), seats, seating)?;
        let sprt = self.sprt(&rules, bots.len())?;
        let timeout = seconds("timeout", self.timeout.unwrap_or(TIMEOUT))?;
        if timeout.is_zero() {
            return Err(fault("timeout", "a bot needs more than 0 seconds"));
        }
        Ok(MatchPlan {
            words,
            bots,
            pairings,
            seats,
            seating,
            games,
            seed: self.seed.unwrap_or(0),
            timeout,
            startup: seconds("startup", self.startup.unwrap_or(STARTUP))?,
            margin: seconds("margin", self.margin.unwrap_or(MARGIN))?,
            limits: self.limits.check(),
            isolate: self.isolate,
            sprt,
            rules,
            _java: java,
        })
    }

    fn seats(&self, rules: &GameRules, bots: usize) -> Result<usize, PlanError> {
        if self.pairings.is_none() {
            if self.table.is_some() {
                return Err(fault(
                    "table",
                    "only a tournament has tables; name its pairings",
                ));
            }
            return rules.seats(bots).map_err(|why| {
                let more = if bots > rules.usual_table() {
                    "; more of them play a tournament: --pairings round-robin, gauntlet, all-tables or swiss"
                } else {
                    ""
                };
                PlanError::Table(format!("{why}{more}"))
            });
        }
        let table = self.table.unwrap_or(rules.usual_table());
        let fits = rules.seats(table).map_err(|why| fault("table", why))?;
        if fits != table {
            let why = format!("a table of {} has {fits} seats, not {table}", rules.name());
            return Err(fault("table", why));
        }
        if bots < table {
            return Err(PlanError::Table(format!(
                "{bots} bots cannot fill a table of {table}"
            )));
        }
        Ok(table)
    }

    fn seating(&self, rules: &GameRules) -> Result<Seating, PlanError> {
        let drawn = matches!(rules, GameRules::Bs(_)) && self.pairings.is_none();
        match self.seating.as_deref() {
            Some(_) if drawn => Err(fault(
                "seating",
                "without pairings the seats of BS are drawn",
            )),
            None if drawn => Ok(Seating::Draw),
            // A tournament that is fair to all needs both sides of every deal.
            None if self.pairings.is_some() => Ok(Seating::Rotate),
            None | Some("fixed") => Ok(Seating::Fixed),
            Some("rotate") => Ok(Seating::Rotate),
            Some("permute") => Ok(Seating::Permute),
            Some(other) => Err(fault(
                "seating",
                format!("there is no `{other}`; there are fixed, rotate, permute"),
            )),
        }
    }

    /// How the bots meet, and how many games that takes.
    fn games(
        &self,
        rules: &GameRules,
        bots: usize,
        seats: usize,
        seating: Seating,
    ) -> Result<(Option<Pairings>, u64), PlanError> {
        if self.games.is_some() && self.deals.is_some() {
            return Err(fault(
                "deals",
                "either games or deals are counted, not both",
            ));
        }
        if self
            .deals
            .is_some_and(|deals| !(1..=1_000_000_000).contains(&deals))
        {
            return Err(fault(
                "deals",
                "between 1 and 1000000000 deals can be played",
            ));
        }
        let is_swiss = self.pairings.as_deref() == Some("swiss");
        if self.swiss_rounds.is_some() && !is_swiss {
            return Err(fault("swiss-rounds", "only pairings of swiss have rounds"));
        }
        let variants = rules.variants().len().max(1);
        let course =
            |pairings: Option<&Pairings>| Course::new(pairings, 0, bots, seats, variants, seating);
        let wanted = self.games.unwrap_or(match rules {
            GameRules::Uno(_) => 100,
            GameRules::Bs(_) => 1000,
            GameRules::Barbu(_) => 0,
        });
        let deals = match (self.deals, rules) {
            (None, GameRules::Barbu(_)) if self.games.is_none() => Some(10),
            (deals, _) => deals,
        };
        let pairings = match self.pairings.as_deref() {
            None => None,
            Some("round-robin") => Some(Pairings::RoundRobin),
            Some("gauntlet") => Some(Pairings::Gauntlet),
            Some("all-tables") => Some(Pairings::AllTables),
            Some("swiss") => {
                let usual = u64::from(bots.next_power_of_two().trailing_zeros()) + 2;
                let rounds = self.swiss_rounds.unwrap_or(usual);
                if !(1..=10_000).contains(&rounds) {
                    let why = format!("{rounds} is not between 1 and 10000");
                    return Err(fault("swiss-rounds", why));
                }
                let per_deal = course(None).schedule().games_per_deal();
                let round = rounds * (bots / seats) as u64 * per_deal;
                let deals = deals.unwrap_or(wanted.div_ceil(round)).max(1);
                Some(Pairings::Swiss { rounds, deals })
            }
            Some(other) => {
                return Err(fault(
                    "pairings",
                    format!(
                        "there are no `{other}`; there are round-robin, gauntlet, all-tables, swiss"
                    ),
                ));
            }
        };
        let course = course(pairings.as_ref());
        let cycle = course.schedule().games_per_cycle();
        if pairings.is_some() && cycle > 1 << 40 {
            return Err(fault(
                "pairings",
                format!("{bots} bots have too many tables of {seats}; take round-robin or swiss"),
            ));
        }
        let games = match deals {
            Some(deals) if course.is_known_ahead() => deals.saturating_mul(cycle),
            _ => wanted,
        };
        Ok((pairings, course.games(games)))
    }

    fn sprt(&self, rules: &GameRules, bots: usize) -> Result<Option<SprtTest>, PlanError> {
        let Some(text) = &self.sprt else {
            return Ok(None);
        };
        if bots != 2 || matches!(rules, GameRules::Barbu(_)) {
            return Err(fault(
                "sprt",
                "the test is for two bots of a game that is won",
            ));
        }
        text.parse().map(Some).map_err(|why| fault("sprt", why))
    }
}

impl BotEntry {
    /// A bot as it is named on a command line: `COMMAND` or `NAME=COMMAND`.
    pub fn from_text(text: &str) -> BotEntry {
        BotEntry {
            name: None,
            command: CommandEntry::Line(text.to_owned()),
            folder: None,
            env: BTreeMap::new(),
            limits: None,
        }
    }

    fn check(
        &self,
        game: &str,
        base: Option<&Path>,
        java: &mut Option<JavaPlayers>,
    ) -> Result<Bot, PlanError> {
        let mut bot = match &self.command {
            CommandEntry::Line(line) => parse(game, line, base, java)?,
            CommandEntry::Words(words) => {
                let line = shell_words::join(words);
                let mut bot = Bot::parse(BUILTINS, game, &format!("bot={line}"))?;
                bot.name = Bot::parse(BUILTINS, game, &line)
                    .map(|bot| bot.name)
                    .unwrap_or(bot.name);
                bot.text = line;
                bot
            }
        };
        if let Some(name) = &self.name {
            if !Bot::is_name(name) {
                let why = format!(
                    "`{name}` is no name; a name has letters, digits, `_`, `-` and `.` only"
                );
                return Err(fault("bot", why));
            }
            bot.name.clone_from(name);
        }
        bot.limits = self.limits.as_ref().map(LimitsEntry::check);
        let Program::Command(command) = &mut bot.program else {
            if self.folder.is_some() || !self.env.is_empty() {
                let why = format!(
                    "{} is built in and has no folder and no variables",
                    bot.text
                );
                return Err(fault("bot", why));
            }
            return Ok(bot);
        };
        let folder = match (base, &self.folder) {
            (Some(base), Some(folder)) => Some(base.join(folder)),
            (Some(base), None) => Some(base.to_owned()),
            (None, folder) => folder.clone(),
        };
        command.folder = folder.filter(|folder| !folder.as_os_str().is_empty());
        command.env.clone_from(&self.env);
        if !self.env.is_empty() {
            let set: Vec<String> = self
                .env
                .iter()
                .map(|(name, value)| format!("{name}={}", shell_words::quote(value)))
                .collect();
            bot.text = format!("env {} {}", set.join(" "), bot.text);
        }
        if let Some(folder) = &self.folder {
            bot.text = format!("{} (in {})", bot.text, folder.display());
        }
        Ok(bot)
    }
}

/// Reads the name of a bot; a player class is compiled at once.
fn parse(
    game: &str,
    text: &str,
    base: Option<&Path>,
    java: &mut Option<JavaPlayers>,
) -> Result<Bot, PlanError> {
    let (given, rest) = Bot::split_name(text);
    let path = rest.trim().strip_prefix(JAVA);
    let Some(path) = path.filter(|_| game == "bs") else {
        return Ok(Bot::parse(BUILTINS, game, text)?);
    };
    let players = match java {
        Some(players) => players,
        None => java.insert(JavaPlayers::new().map_err(PlanError::Folder)?),
    };
    let place = base.unwrap_or(Path::new("")).join(path);
    let command = players.compile(&place.display().to_string())?;
    // A class's name without what a bot's name cannot have.
    let stem = place.file_stem().unwrap_or_default();
    let stem = stem.to_string_lossy().replace('$', "_");
    Ok(Bot {
        name: given.map_or(stem, str::to_owned),
        text: text.to_owned(),
        program: Program::Command(CommandLine::from(command)),
        limits: None,
    })
}

/// A number of seconds, at most a day.
fn seconds(key: &'static str, number: f64) -> Result<Duration, PlanError> {
    if !(0.0..=86_400.0).contains(&number) {
        let why = format!("{number} is not between 0 and 86400 seconds");
        return Err(fault(key, why));
    }
    Ok(Duration::from_secs_f64(number))
}

impl MatchPlan {
    /// The course of the match.
    pub fn course(&self) -> Course {
        Course::new(
            self.pairings.as_ref(),
            self.seed,
            self.bots.len(),
            self.seats,
            self.rules.variants().len().max(1),
            self.seating,
        )
    }

    /// The first line of its results.
    pub fn header(&self) -> Header {
        let pairings = self.pairings.clone();
        Header {
            game: self.rules.name().to_owned(),
            version: Header::VERSION,
            seed: self.seed.to_string(),
            bots: self
                .bots
                .iter()
                .map(|bot| (bot.name.clone(), bot.text.clone()))
                .collect(),
            seating: self.seating,
            table: pairings.is_some().then_some(self.seats),
            pairings,
            rules: self.words.clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(text: &str) -> Result<MatchPlan, PlanError> {
        MatchFile::read(text)?.check(Some(Path::new("/tournaments")))
    }

    #[track_caller]
    fn refused(text: &str, why: &str) {
        let error = file(text).unwrap_err().to_string();
        assert!(error.contains(why), "{error}");
    }

    const TWO: &str =
        "[[bot]]\ncommand = \"builtin:random\"\n[[bot]]\ncommand = \"builtin:random\"\n";

    #[test]
    fn a_file_says_all_that_a_match_is() {
        let plan = file(
            r#"
            game = "uno"
            pairings = "round-robin"
            games = 50
            seed = 7
            timeout = 1.5
            isolate = true
            [limits]
            memory = "64M"
            cpu = 10
            [rules]
            decks = 2
            [[bot]]
            name = "ana"
            command = "python3 ana.py --deep"
            folder = "bots/ana"
            env = { LEVEL = "3" }
            limits = { memory = 1048576 }
            [[bot]]
            command = ["./bea", "x y"]
            [[bot]]
            command = "builtin:greedy"
            "#,
        )
        .unwrap();
        assert_eq!(plan.games, 54, "three pairs, two seatings, whole rounds");
        assert_eq!((plan.seats, plan.seating), (2, Seating::Rotate));
        assert_eq!(plan.words, ["--decks 2", "--hand 7", "--turns 2000"]);
        assert_eq!(plan.timeout, Duration::from_millis(1500));
        assert!(plan.isolate);
        assert_eq!(plan.limits.memory, Some(64 << 20));
        let names: Vec<&str> = plan.bots.iter().map(|bot| bot.name.as_str()).collect();
        assert_eq!(names, ["ana", "bea", "greedy"]);
        assert_eq!(plan.bots[0].limits.unwrap().memory, Some(1 << 20));
        assert_eq!(
            plan.bots[0].text,
            "env LEVEL=3 python3 ana.py --deep (in bots/ana)"
        );
        let Program::Command(ana) = &plan.bots[0].program else {
            panic!("a command");
        };
        assert_eq!(
            ana.folder.as_deref(),
            Some(Path::new("/tournaments/bots/ana"))
        );
        assert_eq!(ana.words, ["python3", "ana.py", "--deep"]);
        let Program::Command(bea) = &plan.bots[1].program else {
            panic!("a command");
        };
        assert_eq!(bea.words, ["./bea", "x y"]);
        assert_eq!(bea.folder.as_deref(), Some(Path::new("/tournaments")));
        let header = plan.header();
        let again = GameRules::of(&header).unwrap();
        assert_eq!(again.name(), "uno");
    }

    #[test]
    fn what_a_file_says_wrong_is_named() {
        refused("game = \"chess\"", "there is no game `chess`");
        refused("game = \"uno\"\nbots = 3", "unknown field `bots`");
        refused("game = \"uno\"", "Uno is for 2 to 4 bots, not 0");
        refused(&format!("game = \"uno\"\ntable = 3\n{TWO}"), "table:");
        refused(
            &format!("game = \"uno\"\npairings = \"cup\"\n{TWO}"),
            "no `cup`",
        );
        refused(
            &format!("game = \"uno\"\npairings = \"swiss\"\ntable = 5\n{TWO}"),
            "Uno is for 2 to 4 bots",
        );
        refused(
            &format!("game = \"bs\"\npairings = \"swiss\"\ntable = 5\n{TWO}"),
            "a table of bs has 4 seats, not 5",
        );
        refused(
            &format!("game = \"bs\"\npairings = \"swiss\"\n{TWO}"),
            "2 bots cannot fill",
        );
        refused(
            &format!("game = \"uno\"\nrules.rounds = 3\n{TWO}"),
            "rounds is no rule of uno",
        );
        refused(
            &format!("game = \"uno\"\nrules.decks = 5\n{TWO}"),
            "decks: 5 is not between",
        );
        refused(&format!("game = \"uno\"\ntimeout = 0\n{TWO}"), "timeout:");
        refused(&format!("game = \"uno\"\ntimeout = -1\n{TWO}"), "timeout:");
        refused(
            &format!("game = \"uno\"\nsprt = \"elo1=0\"\n{TWO}"),
            "sprt:",
        );
        refused(
            &format!("game = \"uno\"\nseating = \"best\"\n{TWO}"),
            "no `best`",
        );
        refused(
            &format!("game = \"uno\"\nswiss-rounds = 3\n{TWO}"),
            "swiss-rounds:",
        );
        refused(
            &format!("game = \"uno\"\ngames = 3\ndeals = 2\n{TWO}"),
            "not both",
        );
        refused(
            &format!("game = \"uno\"\nlimits.memory = \"x\"\n{TWO}"),
            "a size is",
        );
        refused(
            &format!("game = \"uno\"\n{TWO}name = \"a b\"\n"),
            "`a b` is no name",
        );
        refused(
            &format!("game = \"uno\"\n{TWO}folder = \"x\"\n"),
            "built in",
        );
        refused(
            "game = \"uno\"\n[[bot]]\ncommand = \"builtin:x\"\n",
            "there is no bot `builtin:x`",
        );
        refused("game = ", "line 1");
    }

    #[test]
    fn sizes_have_units() {
        let size = |text: &str| text.parse::<Size>().map(|size| size.0);
        assert_eq!(size("4096"), Ok(4096));
        assert_eq!(size("64K"), Ok(65_536));
        assert_eq!(size("512m"), Ok(512 << 20));
        assert_eq!(size("2G"), Ok(2 << 30));
        for text in ["", "K", "-1", "1T", "1.5G", "0", "99999999999G", "é"] {
            assert!(size(text).is_err(), "{text}");
        }
    }

    #[test]
    fn seconds_are_bounded() {
        assert_eq!(seconds("x", 0.25).unwrap(), Duration::from_millis(250));
        for number in [-0.1, f64::NAN, f64::INFINITY, 1e6] {
            assert!(seconds("x", number).is_err(), "{number}");
        }
    }

    fn named(names: &[&str]) -> Result<Vec<Contract>, PlanError> {
        let names: Vec<String> = names.iter().map(|&name| name.to_owned()).collect();
        contracts(&names, Protocol::New)
    }

    #[test]
    fn games_of_barbu_are_named_once_several_times_or_not_at_all() {
        assert_eq!(named(&[]).unwrap(), Contract::ALL);
        assert_eq!(named(&["all"]).unwrap(), Contract::ALL);
        assert_eq!(named(&["ravage"]).unwrap(), [Contract::Ravage]);
        assert_eq!(
            named(&["ravage", "NULLO", "ravage"]).unwrap(),
            [Contract::Nullo, Contract::Ravage]
        );
        assert_eq!(named(&["ravage", "All"]).unwrap(), Contract::ALL);
        assert_eq!(contracts(&[], Protocol::Ai).unwrap().len(), 7);
        let error = named(&["ravage", "ravages"]).unwrap_err().to_string();
        assert!(
            error.contains("`ravages`")
                && error.contains(
                    "nullo, queens, barbu, hearts, lasttwo, ravage, trumps, dominoes, and all"
                ),
            "{error}"
        );
        assert!(named(&[""]).is_err());
    }

    #[test]
    fn swiss_rounds_and_deals_share_the_games() {
        let bots = "[[bot]]\ncommand = \"builtin:random\"\n".repeat(10);
        let plan = file(&format!(
            "game = \"uno\"\npairings = \"swiss\"\ngames = 500\n{bots}"
        ))
        .unwrap();
        // Six rounds of five tables, both seatings: 60 games a deal.
        let Some(Pairings::Swiss { rounds, deals }) = plan.pairings else {
            panic!("swiss");
        };
        assert_eq!((rounds, deals, plan.games), (6, 9, 540));
        assert_eq!(plan.bots[9].name, "random-10");
    }
}
