//! What a bot of Barbu reads and writes, word for word, in both protocols of the text.
//!
//! Nothing a bot wrote is passed on to another: every line is made anew from the state of the game.

use super::cards::{BarbuCard, BarbuSuit, Cards, DealtHands, SEATS, deal, list};
use super::contract::Contract;
use super::dominoes::{DominoAction, Dominoes};
use super::doubling::{Doubles, ORDER};
use super::tricks::Tricks;
use super::{notation, scenes};
use crate::referee::host::game::Score;
use crate::referee::host::game::{
    CardGame, Failure, Fixture, GameEnd, Life, Players, Reason, Result, SeatIndex,
};
use crate::referee::host::words::{printable, words};

/// The streams of a deal's chance.
pub const CARDS: u64 = 0;
pub const TRUMPS: u64 = 1;

/// Which of the text's two protocols is spoken.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Protocol {
    /// With doubling and all eight games; a bot hears every card as it is played.
    #[default]
    New,
    /// Without doubling and without dominoes; a bot hears what was played before and after it.
    Ai,
}

/// Barbu: four bots, each one process for game after game.
#[derive(Clone, Debug)]
pub struct Barbu {
    pub(super) contracts: Vec<Contract>,
    pub(super) protocol: Protocol,
    pub(super) lenient: bool,
}

impl Barbu {
    /// A match of these games, each played once a deal. A `lenient` referee lets a bot play another
    /// suit than the one it could follow.
    ///
    /// # Errors
    /// When there is no game, or one that the protocol cannot say.
    pub fn new(
        contracts: Vec<Contract>,
        protocol: Protocol,
        lenient: bool,
    ) -> std::result::Result<Barbu, String> {
        if contracts.is_empty() {
            return Err("no game is named".to_owned());
        }
        if protocol == Protocol::Ai && contracts.contains(&Contract::Dominoes) {
            return Err(
                "dominoes cannot be played by the ai protocol, which is about tricks; \
                 take --protocol new or another game"
                    .to_owned(),
            );
        }
        Ok(Barbu {
            contracts,
            protocol,
            lenient,
        })
    }

    /// Whether the ai protocol is spoken.
    pub fn speaks_ai(&self) -> bool {
        self.protocol == Protocol::Ai
    }

    /// Plays one game with these cards.
    pub(super) fn play_deal(
        &self,
        contract: Contract,
        trumps: BarbuSuit,
        deal: &DealtHands,
        names: &[String],
        players: &mut dyn Players,
    ) -> Result<GameEnd> {
        let mut play = Play {
            contract,
            trumps: (contract == Contract::Trumps).then_some(trumps),
            lenient: self.lenient,
            deal,
            names,
            doubles: Doubles::default(),
            turns: 0,
            moves: Vec::new(),
        };
        let title = play.title();
        players.show(&mut || scenes::opening(&title, names, deal));
        let finish = match self.protocol {
            Protocol::New => play.by_new_protocol(players)?,
            Protocol::Ai => play.by_ai_protocol(players)?,
        };
        let scores = match finish {
            Finish::Played(raw) => play.doubles.settle(raw),
            // The others get nothing, not even what they doubled for: the game was not played.
            Finish::Forfeited(seat) => {
                std::array::from_fn(|other| if other == seat { contract.worst() } else { 0 })
            }
        };
        if self.protocol == Protocol::New {
            let words = scores.map(|score| score.to_string());
            players.tell_all(0..SEATS, &format!("END {}", words.join(" ")));
        }
        let (reason, raw) = match finish {
            Finish::Played(raw) => (Reason::Won, Some(raw)),
            Finish::Forfeited(seat) => (Reason::Bot(seat), None),
        };
        let failure = match finish {
            Finish::Played(_) => None,
            Finish::Forfeited(seat) => players
                .failed(seat)
                .map(|failure| format!("{} forfeits the game: {failure}", names[seat])),
        };
        players.show(&mut || scenes::ending(names, raw, &play.doubles, scores, failure.as_deref()));
        Ok(GameEnd {
            reason,
            score: Score::Points(scores.to_vec()),
            turns: play.turns,
            moves: play.moves.join(" "),
        })
    }
}

impl CardGame for Barbu {
    const LIFE: Life = Life::Match;

    fn name(&self) -> &'static str {
        "barbu"
    }

    fn seats(&self, bots: usize) -> std::result::Result<usize, String> {
        if bots != SEATS {
            return Err(format!("Barbu is for exactly 4 bots, not {bots}"));
        }
        Ok(SEATS)
    }

    fn variants(&self) -> Vec<String> {
        let names = self.contracts.iter().map(|contract| contract.name());
        names.map(str::to_owned).collect()
    }

    fn play(&self, round: &Fixture, players: &mut dyn Players) -> Result<GameEnd> {
        let hands = deal(&mut round.random(CARDS));
        let trumps = BarbuSuit::ALL[round.random(TRUMPS).below(4)];
        let contract = self.contracts[round.variant];
        self.play_deal(contract, trumps, &hands, &round.names, players)
    }
}

/// The game's name as bots are told, with the suit of trumps.
pub fn title(contract: Contract, trumps: Option<BarbuSuit>) -> String {
    let name = contract.wire();
    match trumps {
        Some(suit) => format!("{name} {}", suit.letter()),
        None => name.to_owned(),
    }
}

/// How a game came to its end.
#[derive(Clone, Copy)]
enum Finish {
    /// With these scores, before doubling.
    Played([i64; SEATS]),
    /// This seat failed.
    Forfeited(SeatIndex),
}

/// One game while it is played.
struct Play<'a> {
    contract: Contract,
    trumps: Option<BarbuSuit>,
    lenient: bool,
    deal: &'a DealtHands,
    names: &'a [String],
    doubles: Doubles,
    turns: u64,
    /// What the bots did, see `notation`.
    moves: Vec<String>,
}

impl Play<'_> {
    fn title(&self) -> String {
        title(self.contract, self.trumps)
    }

    fn hands(&self) -> [Cards; SEATS] {
        std::array::from_fn(|seat| self.deal[seat].iter().copied().collect())
    }

    fn by_new_protocol(&mut self, players: &mut dyn Players) -> Result<Finish> {
        for (seat, hand) in self.deal.iter().enumerate() {
            players.tell(seat, &format!("PLAYER {seat}"));
            players.tell(seat, &list(hand.iter().copied()));
            players.tell(seat, &self.title());
            players.tell(seat, "DOUBLING");
        }
        if let Some(seat) = self.double(players)? {
            return Ok(Finish::Forfeited(seat));
        }
        match self.contract {
            Contract::Dominoes => self.dominoes(players),
            _ => self.tricks(players),
        }
    }

    /// Asks everyone once whom it doubles; the seat that failed, if one did.
    fn double(&mut self, players: &mut dyn Players) -> Result<Option<SeatIndex>> {
        let mut said = Vec::new();
        for seat in ORDER {
            players.tell(seat, "DOUBLE");
            self.turns += 1;
            let Ok(line) = players.ask_one(seat, &mut |_| true)? else {
                self.moves.push(notation::OUT.to_owned());
                return Ok(Some(seat));
            };
            let taken = self.doubles.accept(seat, numbers(&line));
            self.moves.push(notation::doubles(&taken));
            let mut event = format!("{seat} DOUBLE");
            for other in &taken {
                event.push_str(&format!(" {other}"));
            }
            players.tell_all(others(seat), &event);
            said.push((seat, taken));
        }
        players.show(&mut || scenes::doubling(self.names, &said));
        Ok(None)
    }

    fn tricks(&mut self, players: &mut dyn Players) -> Result<Finish> {
        let mut game = Tricks::new(self.contract, self.trumps, self.hands());
        while !game.is_over() {
            players.tell_all(0..SEATS, "TRICK");
            let trick = loop {
                let mover = game.mover();
                players.tell(mover, "PLAY");
                let Some(card) = self.ask_card(&game, players)? else {
                    return Ok(Finish::Forfeited(mover));
                };
                players.tell_all(others(mover), &format!("{mover} {card}"));
                if let Some(trick) = game.play(card) {
                    break trick;
                }
            };
            players.show(&mut || scenes::trick(self.names, &trick, &game));
        }
        Ok(Finish::Played(game.raw()))
    }

    fn dominoes(&mut self, players: &mut dyn Players) -> Result<Finish> {
        let mut game = Dominoes::new(self.hands());
        while !game.is_over() {
            let mover = game.mover();
            players.tell(mover, "PLAY");
            self.turns += 1;
            let Ok(line) = players.ask_one(mover, &mut |_| true)? else {
                self.moves.push(notation::OUT.to_owned());
                return Ok(Finish::Forfeited(mover));
            };
            let action = action(&line).and_then(|action| match game.check(action) {
                Ok(()) => Ok(action),
                Err(why) => Err(Failure::illegal(why.to_string())),
            });
            let action = match action {
                Ok(action) => action,
                Err(failure) => {
                    players.fail(mover, failure)?;
                    self.moves.push(notation::OUT.to_owned());
                    return Ok(Finish::Forfeited(mover));
                }
            };
            self.moves.push(action.to_string());
            players.tell_all(others(mover), &format!("{mover} {action}"));
            game.act(action);
            players.show(&mut || scenes::domino(self.names, mover, action, &game));
        }
        Ok(Finish::Played(game.raw()))
    }

    /// All thirteen tricks are played, for a bot of this protocol counts them: it is not told that a
    /// game is over. For the same reason the cards of a seat that failed are played out by the
    /// referee, the first that may be played in the order of the deal; nothing of that counts.
    fn by_ai_protocol(&mut self, players: &mut dyn Players) -> Result<Finish> {
        for (seat, hand) in self.deal.iter().enumerate() {
            players.tell(seat, &self.title());
            players.tell(seat, &list(hand.iter().copied()));
        }
        let mut game = Tricks::new(self.contract, self.trumps, self.hands());
        let mut forfeited = None;
        while !game.is_played_out() {
            let trick = loop {
                let mover = game.mover();
                players.tell(mover, &list(game.table().iter().copied()));
                let card = match players.failed(mover) {
                    Some(_) => None,
                    None => self.ask_card(&game, players)?,
                };
                let card = match card {
                    Some(card) => card,
                    None => {
                        forfeited.get_or_insert(mover);
                        first_legal(&game, self.deal)
                    }
                };
                if let Some(trick) = game.play(card) {
                    break trick;
                }
            };
            for position in 0..SEATS {
                let seat = (trick.leader + position) % SEATS;
                players.tell(seat, &list(trick.cards[position + 1..].iter().copied()));
            }
            players.show(&mut || scenes::trick(self.names, &trick, &game));
        }
        Ok(match forfeited {
            Some(seat) => Finish::Forfeited(seat),
            None => Finish::Played(game.raw()),
        })
    }

    /// Asks the mover for a card; none when it failed.
    fn ask_card(&mut self, game: &Tricks, players: &mut dyn Players) -> Result<Option<BarbuCard>> {
        let mover = game.mover();
        self.turns += 1;
        let Ok(line) = players.ask_one(mover, &mut |_| true)? else {
            self.moves.push(notation::OUT.to_owned());
            return Ok(None);
        };
        let judged = card(&line).and_then(|card| match game.check(card) {
            Err(why) if !(self.lenient && why.is_revoke()) => {
                Err(Failure::illegal(why.to_string()))
            }
            _ => Ok(card),
        });
        match judged {
            Ok(card) => {
                self.moves.push(card.to_string());
                Ok(Some(card))
            }
            Err(failure) => {
                players.fail(mover, failure)?;
                self.moves.push(notation::OUT.to_owned());
                Ok(None)
            }
        }
    }
}

/// The first card of the mover's hand, as it was dealt, that may be played.
pub fn first_legal(game: &Tricks, deal: &DealtHands) -> BarbuCard {
    let legal = game.legal();
    let mut hand = deal[game.mover()].iter();
    *hand
        .find(|&&card| legal.has(card))
        .expect("a hand has a card for every trick")
}

/// All seats but one.
fn others(seat: SeatIndex) -> impl Iterator<Item = SeatIndex> {
    (0..SEATS).filter(move |&other| other != seat)
}

/// The seats that a line names. Words that are no number are skipped, like numbers that are no seat.
fn numbers(line: &[u8]) -> Vec<usize> {
    words(line)
        .filter(|word| word.iter().all(u8::is_ascii_digit))
        .filter_map(|word| std::str::from_utf8(word).ok()?.parse().ok())
        .collect()
}

/// The one card of a line.
fn card(line: &[u8]) -> std::result::Result<BarbuCard, Failure> {
    let mut line_words = words(line);
    let card = line_words.next().and_then(BarbuCard::parse);
    match (card, line_words.next()) {
        (Some(card), None) => Ok(card),
        _ => Err(Failure::protocol(format!(
            "answered `{}`, which is no card",
            printable(line, 60)
        ))),
    }
}

/// The one card of a line, or `PASS`.
fn action(line: &[u8]) -> std::result::Result<DominoAction, Failure> {
    let mut line_words = words(line);
    if line_words.next() == Some(b"PASS") && line_words.next().is_none() {
        return Ok(DominoAction::Pass);
    }
    card(line).map(DominoAction::Lay)
}

#[cfg(test)]
mod tests;
