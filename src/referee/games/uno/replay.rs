//! A game of Uno played again by its rules alone.

use super::cards::UnoCard;
use super::notation;
use super::protocol::{Uno, ids};
use super::rules::{UnoOver, UnoState, UnoStep};
use super::scenes;
use crate::referee::games::replay::{Moves, Replay, ReplayError, ReplayStep, Replayable};
use crate::referee::host::game::{Fixture, Reason, Scene, Score};

impl Replayable for Uno {
    fn replay(&self, fixture: &Fixture, moves: &str) -> Result<Replay, ReplayError> {
        let mut moves = Moves::new(moves)?;
        let ids = ids(&fixture.names);
        let mut state = UnoState::deal(self.setup, ids.len(), &mut fixture.random(0));
        let dealt = state.census();
        let mut steps = vec![step(&state, None, scenes::opening(&state, &ids))];
        let mut last_out = None;
        while state.over().is_none() {
            let mover = state.mover();
            let before = (state.table(), state.suit(), state.debt());
            let word = moves.next()?;
            let done = if word == notation::OUT {
                state.forfeit();
                last_out = Some(mover);
                format!("{} is out: it failed", ids[mover])
            } else {
                let action = notation::read(word).map_err(|why| moves.fault(why))?;
                let result = state.act(action);
                if let UnoStep::Unpaid(_) = result {
                    last_out = Some(mover);
                }
                scenes::told(&result, &ids[mover], word)
            };
            moves.check_cards(state.census() == dealt)?;
            let scene = scenes::turn(&state, &ids, mover, before, &[], &done);
            steps.push(step(&state, Some(mover), scene));
        }
        moves.end()?;
        let winners = state.winners();
        steps.push(step(&state, None, scenes::ending(&state, &ids, &winners)));
        Ok(Replay {
            title: "Uno".to_owned(),
            names: fixture.names.clone(),
            steps,
            reason: match (state.over(), last_out) {
                (Some(UnoOver::LastOne(_)), Some(seat)) => Reason::Bot(seat),
                (Some(UnoOver::Emptied(_)), _) => Reason::Won,
                _ => Reason::DeckOut,
            },
            score: Score::Winners(winners),
            turns: state.turns(),
        })
    }
}

fn step(state: &UnoState, seat: Option<usize>, scene: Scene) -> ReplayStep {
    let words = |cards: &[UnoCard]| cards.iter().map(UnoCard::to_string).collect();
    ReplayStep {
        seat,
        scene,
        hands: (0..state.players())
            .map(|player| words(state.hand(player)))
            .collect(),
        table: vec![state.table().to_string()],
        pile: state.pile(),
    }
}
