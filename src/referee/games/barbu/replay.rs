//! A game of Barbu played again by its rules alone.

use super::cards::{BarbuCard, BarbuSuit, Cards, DealtHands, SEATS, deal};
use super::contract::Contract;
use super::dominoes::{DominoAction, Dominoes};
use super::doubling::{Doubles, ORDER};
use super::protocol::{Barbu, CARDS, Protocol, TRUMPS, first_legal, title};
use super::tricks::Tricks;
use super::{notation, scenes};
use crate::referee::games::replay::{Moves, Replay, ReplayError, ReplayStep, Replayable};
use crate::referee::host::game::{Fixture, Reason, Scene, Score};

impl Replayable for Barbu {
    fn replay(&self, fixture: &Fixture, moves: &str) -> Result<Replay, ReplayError> {
        let hands = deal(&mut fixture.random(CARDS));
        let contract = self.contracts[fixture.variant];
        let trumps = BarbuSuit::ALL[fixture.random(TRUMPS).below(4)];
        let trumps = (contract == Contract::Trumps).then_some(trumps);
        let title = title(contract, trumps);
        let opening = scenes::opening(&title, &fixture.names, &hands);
        let mut again = Again {
            contract,
            lenient: self.lenient,
            names: &fixture.names,
            deal: &hands,
            moves: Moves::new(moves)?,
            doubles: Doubles::default(),
            steps: vec![step(None, opening, sets(&hands), &[])],
            turns: 0,
        };
        let finish = match (self.protocol, contract) {
            (Protocol::Ai, _) => again.all_tricks(Tricks::new(contract, trumps, sets(&hands)))?,
            (Protocol::New, Contract::Dominoes) => again.doubling_then(Again::dominoes)?,
            (Protocol::New, _) => {
                let game = Tricks::new(contract, trumps, sets(&hands));
                again.doubling_then(|again| again.tricks(game))?
            }
        };
        again.moves.end()?;
        Ok(again.finished(title, finish))
    }
}

/// How a game came to its end: these scores before doubling, or the seat that failed.
type Finish = Result<[i64; SEATS], usize>;

/// A game while it is played again.
struct Again<'a> {
    contract: Contract,
    lenient: bool,
    names: &'a [String],
    deal: &'a DealtHands,
    moves: Moves<'a>,
    doubles: Doubles,
    steps: Vec<ReplayStep>,
    turns: u64,
}

impl<'a> Again<'a> {
    /// The next move, or none for a seat that failed.
    fn next(&mut self) -> Result<Option<&'a str>, ReplayError> {
        self.turns += 1;
        let word = self.moves.next()?;
        Ok((word != notation::OUT).then_some(word))
    }

    fn doubling_then(
        &mut self,
        play: impl FnOnce(&mut Self) -> Result<Finish, ReplayError>,
    ) -> Result<Finish, ReplayError> {
        let mut said = Vec::new();
        for seat in ORDER {
            let Some(word) = self.next()? else {
                return Ok(Err(seat));
            };
            let seats = notation::read_doubles(word)
                .ok_or_else(|| self.moves.fault(format!("`{word}` is no doubling")))?;
            let taken = self.doubles.accept(seat, seats.iter().copied());
            if taken != seats {
                let why = format!("{} may not double as in `{word}`", self.names[seat]);
                return Err(self.moves.fault(why));
            }
            said.push((seat, taken));
        }
        let scene = scenes::doubling(self.names, &said);
        self.steps.push(step(None, scene, sets(self.deal), &[]));
        play(self)
    }

    fn card(&self, word: &str, game: &Tricks) -> Result<BarbuCard, ReplayError> {
        let card = BarbuCard::parse(word.as_bytes())
            .ok_or_else(|| self.moves.fault(format!("`{word}` is no card")))?;
        match game.check(card) {
            Err(why) if !(self.lenient && why.is_revoke()) => {
                let name = &self.names[game.mover()];
                Err(self.moves.fault(format!("{name} {why}")))
            }
            _ => Ok(card),
        }
    }

    fn tricks(&mut self, mut game: Tricks) -> Result<Finish, ReplayError> {
        while !game.is_over() {
            let mover = game.mover();
            let Some(word) = self.next()? else {
                return Ok(Err(mover));
            };
            let card = self.card(word, &game)?;
            self.play(&mut game, card)?;
        }
        Ok(Ok(game.raw()))
    }

    /// As [`tricks`](Self::tricks), but all thirteen are played, and those who failed play the first
    /// card that they may.
    fn all_tricks(&mut self, mut game: Tricks) -> Result<Finish, ReplayError> {
        let mut failed = [false; SEATS];
        let mut forfeited = None;
        while !game.is_played_out() {
            let mover = game.mover();
            let word = if failed[mover] { None } else { self.next()? };
            let card = match word {
                Some(word) => self.card(word, &game)?,
                None => {
                    failed[mover] = true;
                    forfeited.get_or_insert(mover);
                    first_legal(&game, self.deal)
                }
            };
            self.play(&mut game, card)?;
        }
        Ok(match forfeited {
            Some(seat) => Err(seat),
            None => Ok(game.raw()),
        })
    }

    fn play(&mut self, game: &mut Tricks, card: BarbuCard) -> Result<(), ReplayError> {
        let trick = game.play(card);
        let hands: [Cards; SEATS] = std::array::from_fn(|seat| game.hand(seat));
        let taken = game.taken().iter().flat_map(|trick| trick.cards);
        let played: Vec<BarbuCard> = taken.chain(game.table().iter().copied()).collect();
        self.check_cards(hands, &played)?;
        if let Some(trick) = trick {
            let scene = scenes::trick(self.names, &trick, game);
            self.steps
                .push(step(Some(trick.leader), scene, hands, &trick.cards));
        }
        Ok(())
    }

    /// That hands and played cards are the whole deck, each card once.
    fn check_cards(&self, hands: [Cards; SEATS], played: &[BarbuCard]) -> Result<(), ReplayError> {
        let held: usize = hands.iter().map(|hand| hand.len()).sum();
        let all = hands
            .iter()
            .fold(Cards::default(), |all, hand| all.and(*hand));
        let all = all.and(played.iter().copied().collect());
        self.moves
            .check_cards(held + played.len() == 52 && all == Cards::ALL)
    }

    fn dominoes(&mut self) -> Result<Finish, ReplayError> {
        let mut game = Dominoes::new(sets(self.deal));
        let mut laid = Vec::new();
        while !game.is_over() {
            let mover = game.mover();
            let Some(word) = self.next()? else {
                return Ok(Err(mover));
            };
            let action = match (word, BarbuCard::parse(word.as_bytes())) {
                ("PASS", _) => DominoAction::Pass,
                (_, Some(card)) => DominoAction::Lay(card),
                _ => return Err(self.moves.fault(format!("`{word}` is no card"))),
            };
            game.check(action).map_err(|why| {
                let name = &self.names[mover];
                self.moves.fault(format!("{name} {why}"))
            })?;
            game.act(action);
            if let DominoAction::Lay(card) = action {
                laid.push(card);
            }
            let hands: [Cards; SEATS] = std::array::from_fn(|seat| game.hand(seat));
            self.check_cards(hands, &laid)?;
            let scene = scenes::domino(self.names, mover, action, &game);
            self.steps.push(step(Some(mover), scene, hands, &laid));
        }
        Ok(Ok(game.raw()))
    }

    fn finished(mut self, title: String, finish: Finish) -> Replay {
        let scores = match finish {
            Ok(raw) => self.doubles.settle(raw),
            Err(seat) => {
                let worst = self.contract.worst();
                std::array::from_fn(|other| if other == seat { worst } else { 0 })
            }
        };
        let failure = finish
            .err()
            .map(|seat| format!("{} forfeits the game: it failed", self.names[seat]));
        let scene = scenes::ending(
            self.names,
            finish.ok(),
            &self.doubles,
            scores,
            failure.as_deref(),
        );
        let last = self.steps.last().expect("the deal is a step").clone();
        self.steps.push(ReplayStep {
            seat: None,
            scene,
            ..last
        });
        Replay {
            title: format!("Barbu: {title}"),
            names: self.names.to_vec(),
            steps: self.steps,
            reason: match finish {
                Ok(_) => Reason::Won,
                Err(seat) => Reason::Bot(seat),
            },
            score: Score::Points(scores.to_vec()),
            turns: self.turns,
        }
    }
}

fn sets(deal: &DealtHands) -> [Cards; SEATS] {
    std::array::from_fn(|seat| deal[seat].iter().copied().collect())
}

fn step(
    seat: Option<usize>,
    scene: Scene,
    hands: [Cards; SEATS],
    table: &[BarbuCard],
) -> ReplayStep {
    ReplayStep {
        seat,
        scene,
        hands: hands
            .iter()
            .map(|hand| hand.iter().map(|card| card.to_string()).collect())
            .collect(),
        table: table.iter().map(BarbuCard::to_string).collect(),
        pile: 0,
    }
}
