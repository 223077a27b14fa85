//! A game of BS played again by its rules alone.

use super::notation;
use super::protocol::Bs;
use super::rules::{BsOver, BsRank, BsState, RANKS, SEATS};
use super::scenes;
use crate::referee::games::replay::{Moves, Replay, ReplayError, ReplayStep, Replayable};
use crate::referee::host::game::{Fixture, Reason, Scene, Score, Tone};

impl Replayable for Bs {
    fn replay(&self, fixture: &Fixture, moves: &str) -> Result<Replay, ReplayError> {
        let mut moves = Moves::new(moves)?;
        let names = &fixture.names;
        let mut cards = fixture.random(0);
        let mut state = BsState::deal(self.rounds, &mut |deck| cards.shuffle(deck));
        let mut later = fixture.random(1);
        let mut steps = vec![step(&state, None, scenes::opening(&state, names))];
        let (mut turns, mut last_out) = (0, None);
        while state.over().is_none() {
            let mover = state.mover();
            if !state.is_live(mover) {
                state.skip();
                continue;
            }
            turns += 1;
            let title = scenes::title(&state, names);
            let word = moves.next()?;
            let scene = if word == notation::OUT {
                state.remove(mover);
                state.skip();
                last_out = Some(mover);
                let what = format!("{} is out: it failed", names[mover]);
                let scene = Scene::default().line(Tone::Title, title);
                scenes::table(scene.line(Tone::Trouble, what), &state, names)
            } else {
                let written = notation::read(word).map_err(|why| moves.fault(why))?;
                state.lay(&written.laid).map_err(|_| {
                    moves.fault(format!(
                        "{} does not hold what it lays: {word}",
                        names[mover]
                    ))
                })?;
                let (laid, lie) = (state.laid().to_vec(), state.is_lie());
                let asked: Vec<usize> = state.live().filter(|&seat| seat != mover).collect();
                let mut answered = [written.callers.clone(), written.out.clone()].concat();
                answered.sort_unstable();
                answered.dedup();
                let all = written.callers.len() + written.out.len();
                let in_order = written.callers.is_sorted() && written.out.is_sorted();
                if answered.len() != all
                    || !in_order
                    || answered.iter().any(|seat| !asked.contains(seat))
                {
                    return Err(moves.fault(format!("`{word}` names seats that were not asked")));
                }
                let mut fallen = Vec::new();
                for &seat in &written.out {
                    state.remove(seat);
                    last_out = Some(seat);
                    fallen.push(format!("{} is out: it failed", names[seat]));
                }
                let callers = written.callers.as_slice();
                let outcome = state.settle(callers, &mut |bound| later.below(bound));
                let told = scenes::Told {
                    mover,
                    laid: &laid,
                    lie,
                    callers,
                    outcome: &outcome,
                };
                scenes::turn(&title, &told, &fallen, &state, names)
            };
            moves.check_cards(is_whole(&state))?;
            steps.push(step(&state, Some(mover), scene));
        }
        moves.end()?;
        steps.push(step(&state, None, scenes::ending(&state, names)));
        Ok(Replay {
            title: "BS".to_owned(),
            names: names.clone(),
            steps,
            reason: match (state.over(), last_out) {
                (Some(BsOver::RoundLimit), _) => Reason::RoundLimit,
                (Some(BsOver::LastOne(_)), Some(seat)) => Reason::Bot(seat),
                _ => Reason::Won,
            },
            score: Score::Winners(state.winner().into_iter().collect()),
            turns,
        })
    }
}

/// Whether hands and pile hold four cards of each rank.
fn is_whole(state: &BsState) -> bool {
    let mut counts = [0; RANKS as usize];
    let hands = (0..SEATS).flat_map(|player| state.hand(player));
    for &rank in hands.chain(state.pile()) {
        counts[usize::from(rank)] += 1;
    }
    counts == [4; RANKS as usize]
}

fn step(state: &BsState, seat: Option<usize>, scene: Scene) -> ReplayStep {
    let words = |ranks: &[BsRank]| ranks.iter().map(BsRank::to_string).collect();
    ReplayStep {
        seat,
        scene,
        hands: (0..SEATS).map(|player| words(state.hand(player))).collect(),
        table: words(state.pile()),
        pile: 0,
    }
}
