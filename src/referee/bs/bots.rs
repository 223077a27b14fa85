//! Four bots of BS. Each is a program like any other: lines in, lines out, and no look at the
//! referee's state. What chance they need is seeded from the lines that open their game, so that a
//! match played again is the same match.

use std::collections::BTreeMap;
use std::io::{self, BufRead, Write};

use super::super::builtin::Builtin;
use super::super::random::Random;
use super::super::words::words;
use super::rules::{RANKS, Rank, SEATS};

/// The built-in bots of BS.
pub const BOTS: &[(&str, Builtin)] = &[
    ("random", |input, output| {
        play(input, output, random_lay, random_call)
    }),
    ("honest", |input, output| {
        play(input, output, honest_lay, honest_call)
    }),
    ("doubter", |input, output| {
        play(input, output, honest_lay, doubter_call)
    }),
    ("counter", |input, output| {
        play(input, output, counter_lay, counter_call)
    }),
];

/// Cards of one rank in a deck.
const SUITS: usize = 4;

/// How many cards of each rank.
type Counts = [u8; RANKS as usize];

/// Which cards to lay when this rank is due.
type Lay = fn(&View, Rank, &mut Random) -> Vec<Rank>;
/// Whether to call this claim a lie.
type Call = fn(&View, &Claim, &mut Random) -> bool;

/// What another player says it laid. The view it comes with is that after the cards were laid.
struct Claim {
    mover: usize,
    rank: Rank,
    count: usize,
}

/// A game as one of its players sees it.
#[derive(Clone, Default)]
struct View {
    me: usize,
    hand: Vec<Rank>,
    sizes: [usize; SEATS],
    pile: usize,
    /// Its own cards in the pile.
    buried: Counts,
    /// Cards that others are known to hold.
    known: [Counts; SEATS],
}

impl View {
    fn holds(&self, rank: Rank) -> usize {
        self.hand.iter().filter(|&&card| card == rank).count()
    }

    /// All cards of a rank, in order.
    fn all_of(&self, rank: Rank) -> Vec<Rank> {
        vec![rank; self.holds(rank)]
    }

    /// The card of the hand whose rank is due latest, when `rank` is due now.
    fn latest(&self, rank: Rank) -> Rank {
        let latest = self.hand.iter().max_by_key(|&&card| due(rank, card));
        *latest.expect("a player in the game holds a card")
    }
}

/// In how many of its own turns a player is due to lay `rank`, when `now` is due at once.
fn due(now: Rank, rank: Rank) -> u64 {
    let turns = SEATS as u64;
    (0..RANKS)
        .find(|turn| (u64::from(now) + turns * turn) % RANKS == u64::from(rank))
        .expect("13 is prime: every rank has its turn")
}

/// Honest half of the time when it can be, else some cards at random.
fn random_lay(view: &View, rank: Rank, random: &mut Random) -> Vec<Rank> {
    let honest = view.all_of(rank);
    if !honest.is_empty() && random.below(2) == 0 {
        return honest;
    }
    let mut cards = view.hand.clone();
    random.shuffle(&mut cards);
    cards.truncate(1 + random.below(SUITS));
    cards
}

/// Calls now and then.
fn random_call(_: &View, _: &Claim, random: &mut Random) -> bool {
    random.below(8) == 0
}

/// All cards of the rank; without one, the card it would be asked for last.
fn honest_lay(view: &View, rank: Rank, _: &mut Random) -> Vec<Rank> {
    let cards = view.all_of(rank);
    if cards.is_empty() {
        return vec![view.latest(rank)];
    }
    cards
}

/// Calls what its own hand shows to be a lie, and the last cards of a hand: there is nothing to lose.
fn honest_call(view: &View, claim: &Claim, _: &mut Random) -> bool {
    view.sizes[claim.mover] == 0 || claim.count + view.holds(claim.rank) > SUITS
}

/// Calls whenever three or more are claimed.
fn doubter_call(view: &View, claim: &Claim, random: &mut Random) -> bool {
    claim.count >= 3 || honest_call(view, claim, random)
}

/// Plans its last cards, and lies where a lie is least likely to be seen.
fn counter_lay(view: &View, rank: Rank, random: &mut Random) -> Vec<Rank> {
    if view.hand.len() > PLANNED {
        return honest_lay(view, rank, random);
    }
    let mut counts = [0; RANKS as usize];
    for &card in &view.hand {
        counts[usize::from(card)] += 1;
    }
    plan(counts, rank, &mut BTreeMap::new()).1
}

/// Hands up to this size are planned to their end.
const PLANNED: usize = 9;
/// What a lie costs, in turns: it is seen when all four of a rank are in other hands together.
const LIE: f64 = 0.6;
/// What a false card among true ones costs, by the number of true ones.
const STOWAWAY: [f64; SUITS] = [1.0, 1.0, 4.0, 20.0];
/// What it costs to lie with the last card: everybody calls.
const LAST_LIE: f64 = 12.0;

/// The cheapest way to lay a whole hand when `rank` is due, in turns, and the cards to lay first.
fn plan(
    hand: Counts,
    rank: Rank,
    seen: &mut BTreeMap<(Counts, Rank), (f64, Vec<Rank>)>,
) -> (f64, Vec<Rank>) {
    if let Some(known) = seen.get(&(hand, rank)) {
        return known.clone();
    }
    let next = ((u64::from(rank) + SEATS as u64) % RANKS) as Rank;
    let held = hand[usize::from(rank)];
    let mut best = (f64::INFINITY, Vec::new());
    let mut consider = |cards: Vec<Rank>, cost: f64, left: Counts| {
        let is_last = left == [0; RANKS as usize];
        let is_lie = cards.iter().any(|&card| card != rank);
        let rest = match (is_last, is_lie) {
            (true, false) => 0.0,
            (true, true) => LAST_LIE,
            (false, _) => plan(left, next, seen).0,
        };
        let cost = 1.0 + cost + rest;
        if cost < best.0 {
            best = (cost, cards);
        }
    };
    for laid in (1..=held).rev() {
        let mut left = hand;
        left[usize::from(rank)] -= laid;
        consider(vec![rank; usize::from(laid)], 0.0, left);
    }
    for other in (0..RANKS as Rank).filter(|&other| other != rank) {
        if hand[usize::from(other)] == 0 {
            continue;
        }
        let mut left = hand;
        left[usize::from(other)] -= 1;
        consider(vec![other], LIE, left);
        if held > 0 {
            left[usize::from(rank)] = 0;
            let mut cards = vec![rank; usize::from(held)];
            cards.push(other);
            consider(cards, STOWAWAY[usize::from(held).min(SUITS - 1)], left);
        }
    }
    seen.insert((hand, rank), best.clone());
    best
}

/// Counts cards, and calls when being right is worth the risk of being wrong.
fn counter_call(view: &View, claim: &Claim, _: &mut Random) -> bool {
    let left = view.sizes[claim.mover];
    if left == 0 {
        return true;
    }
    let lie = lie_chance(view, claim);
    let pile = view.pile as f64;
    // A rival close to the end is worth more to stop.
    let rival = if left <= 2 { 0.8 } else { 0.25 };
    lie * (1.0 + rival * pile) > (1.0 - lie) * pile
}

/// How likely a claim is a lie, if players lie only for want of a true card.
fn lie_chance(view: &View, claim: &Claim) -> f64 {
    let rank = usize::from(claim.rank);
    let sum = |counts: &Counts| counts.iter().map(|&count| usize::from(count)).sum::<usize>();
    let others = |seat: &usize| *seat != view.me && *seat != claim.mover;
    let elsewhere: usize = view.holds(claim.rank)
        + usize::from(view.buried[rank])
        + (0..SEATS)
            .filter(others)
            .map(|seat| usize::from(view.known[seat][rank]))
            .sum::<usize>();
    let mine = &view.known[claim.mover];
    let sure = usize::from(mine[rank]);
    if claim.count + elsewhere > SUITS {
        return 1.0;
    }
    if sure >= claim.count {
        return 0.0;
    }
    let free = (SUITS - elsewhere).saturating_sub(sure);
    let unseen = SUITS * RANKS as usize
        - view.hand.len()
        - sum(&view.buried);
    let placed: usize = view.known.iter().map(sum).sum();
    let unseen = unseen.saturating_sub(placed);
    let drawn = (view.sizes[claim.mover] + claim.count).saturating_sub(sum(mine));
    let chance = |hits: usize| hypergeometric(unseen, free, drawn, hits);
    if claim.count == 1 && sure == 0 {
        let none = chance(0);
        return none / (none + chance(1)).max(f64::MIN_POSITIVE);
    }
    let fewer: f64 = (0..claim.count - sure).map(chance).sum();
    let exact = chance(claim.count - sure);
    let rate = 0.1;
    rate * fewer / (rate * fewer + exact).max(f64::MIN_POSITIVE)
}

/// The chance of exactly `hits` among `drawn` cards out of `all`, of which `good` count.
fn hypergeometric(all: usize, good: usize, drawn: usize, hits: usize) -> f64 {
    if good.max(drawn) > all || hits > good.min(drawn) || drawn - hits > all - good {
        return 0.0;
    }
    // One good card after the other is drawn or left.
    let mut chance = 1.0;
    for card in 0..good {
        let left = (all - card) as f64;
        chance *= if card < hits {
            (drawn - card) as f64 / left
        } else {
            (all - drawn - (card - hits)) as f64 / left
        };
        if card < hits {
            chance *= (good - card) as f64 / (card + 1) as f64;
        }
    }
    chance
}

/// Plays game after game until the input ends.
fn play(input: &mut dyn BufRead, output: &mut dyn Write, lay: Lay, call: Call) -> io::Result<()> {
    let mut mind = Mind::new(lay, call);
    let mut line = Vec::new();
    loop {
        line.clear();
        if input.read_until(b'\n', &mut line)? == 0 {
            return Ok(());
        }
        if let Some(answer) = mind.hear(&line) {
            writeln!(output, "{answer}")?;
            output.flush()?;
        }
    }
}

/// A bot without its streams.
struct Mind {
    lay: Lay,
    call: Call,
    game: Follower,
    random: Random,
    start: Vec<u8>,
}

impl Mind {
    fn new(lay: Lay, call: Call) -> Mind {
        Mind {
            lay,
            call,
            game: Follower::default(),
            random: Random::from_bytes([]),
            start: Vec::new(),
        }
    }

    /// Takes a line in, and answers it if an answer is due.
    fn hear(&mut self, line: &[u8]) -> Option<String> {
        match self.game.hear(line) {
            Heard::Start => self.start = line.to_vec(),
            Heard::Hand => self.random = Random::from_bytes([self.start.as_slice(), line]),
            Heard::Play(rank) => {
                let cards = (self.lay)(&self.game.view, rank, &mut self.random);
                self.game.lay(&cards);
                let cards: Vec<String> = cards.iter().map(Rank::to_string).collect();
                return Some(cards.join(" "));
            }
            Heard::Claim(claim) => {
                let calls = (self.call)(&self.game.view, &claim, &mut self.random);
                self.game.claim = Some(claim);
                return Some(if calls { "BS" } else { "PASS" }.to_owned());
            }
            Heard::Nothing => {}
        }
        None
    }
}

/// What a line asks for.
enum Heard {
    Start,
    Hand,
    Play(Rank),
    Claim(Claim),
    Nothing,
}

/// A game as one of its players follows it.
#[derive(Default)]
struct Follower {
    view: View,
    /// The claim whose turn is not yet over.
    claim: Option<Claim>,
    /// Whether it gave a card this turn, for it called rightly.
    gave: bool,
}

impl Follower {
    fn hear(&mut self, line: &[u8]) -> Heard {
        let text = String::from_utf8_lossy(line);
        let mut rest = words(text.as_bytes()).map(|word| str::from_utf8(word).unwrap_or(""));
        let verb = rest.next().unwrap_or("");
        let numbers: Vec<usize> = rest.filter_map(|word| word.parse().ok()).collect();
        let is_rank = |number: usize| number < RANKS as usize;
        let ranks = numbers.iter().copied().filter(|&number| is_rank(number));
        let ranks = ranks.map(|number| number as Rank);
        match (verb, numbers.as_slice()) {
            ("START", [me, ..]) => {
                self.view = View {
                    me: *me,
                    ..View::default()
                };
                self.claim = None;
                self.gave = false;
                return Heard::Start;
            }
            ("HAND", _) => {
                self.view.hand = ranks.collect();
                return Heard::Hand;
            }
            ("PLAY", [rank, table @ ..]) if is_rank(*rank) => {
                self.table(table);
                return Heard::Play(*rank as Rank);
            }
            ("CLAIM", [mover, rank, count, table @ ..]) if *mover < SEATS && is_rank(*rank) => {
                self.table(table);
                return Heard::Claim(Claim {
                    mover: *mover,
                    rank: *rank as Rank,
                    count: *count,
                });
            }
            ("TAKE", _) => {
                self.view.hand.extend(ranks);
                self.view.buried = Counts::default();
            }
            ("GIVE", [rank]) if is_rank(*rank) => {
                let rank = *rank as Rank;
                self.taken_by_another();
                self.gave = true;
                remove(&mut self.view.hand, rank);
                self.view.buried[usize::from(rank)] += 1;
            }
            ("STATE", table) => self.state(table),
            _ => {}
        }
        Heard::Nothing
    }

    fn table(&mut self, numbers: &[usize]) {
        if let [a, b, c, d, pile] = *numbers {
            self.view.sizes = [a, b, c, d];
            self.view.pile = pile;
        }
    }

    /// Its own cards are laid.
    fn lay(&mut self, cards: &[Rank]) {
        for &card in cards {
            remove(&mut self.view.hand, card);
            self.view.buried[usize::from(card)] += 1;
        }
    }

    /// A turn is over: sizes tell who took the pile, and so whether the claim was true.
    fn state(&mut self, numbers: &[usize]) {
        let before = self.view.sizes;
        self.table(numbers);
        let claim = self.claim.take();
        let others = (0..SEATS).filter(|&seat| seat != self.view.me);
        let taker = others
            .into_iter()
            .find(|&seat| self.view.sizes[seat] > before[seat]);
        if let Some(taker) = taker
            && !std::mem::take(&mut self.gave)
        {
            let buried = std::mem::take(&mut self.view.buried);
            add(&mut self.view.known[taker], &buried);
        }
        let Some(claim) = claim else { return };
        let rank = usize::from(claim.rank);
        if taker == Some(claim.mover) {
            return;
        }
        let mut true_cards = Counts::default();
        true_cards[rank] = claim.count.min(SUITS) as u8;
        let known = &mut self.view.known;
        known[claim.mover][rank] = known[claim.mover][rank].saturating_sub(true_cards[rank]);
        if let Some(taker) = taker {
            add(&mut known[taker], &true_cards);
        }
    }

    /// This player called rightly: the mover has the cards that lay in the pile.
    fn taken_by_another(&mut self) {
        let buried = std::mem::take(&mut self.view.buried);
        if let Some(claim) = &self.claim {
            add(&mut self.view.known[claim.mover], &buried);
        }
    }
}

fn remove(hand: &mut Vec<Rank>, rank: Rank) {
    if let Some(index) = hand.iter().position(|&card| card == rank) {
        hand.remove(index);
    }
}

fn add(counts: &mut Counts, more: &Counts) {
    for (count, more) in counts.iter_mut().zip(more) {
        *count = (*count + more).min(SUITS as u8);
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::super::super::game::{
        Failure, Game, Players, Reason, Reply, Result, Round, Scene, Seat,
    };
    use super::super::super::record::Score;
    use super::super::protocol::Bs;
    use super::*;

    /// Bots at a table without processes.
    struct Table {
        minds: Vec<Mind>,
        answers: Vec<Option<String>>,
    }

    impl Table {
        fn new(ways: &[(Lay, Call)]) -> Table {
            Table {
                minds: ways.iter().map(|&(lay, call)| Mind::new(lay, call)).collect(),
                answers: vec![None; ways.len()],
            }
        }
    }

    impl Players for Table {
        fn tell(&mut self, seat: Seat, line: &str) {
            if let Some(answer) = self.minds[seat].hear(format!("{line}\n").as_bytes()) {
                let before = self.answers[seat].replace(answer);
                assert_eq!(before, None, "two answers are due at once");
            }
        }

        fn ask(
            &mut self,
            seats: &[Seat],
            heed: &mut dyn FnMut(Seat, &[u8]) -> bool,
        ) -> Result<Vec<Reply>> {
            Ok(seats
                .iter()
                .map(|&seat| {
                    let answer = self.answers[seat].take().expect("an answer is due");
                    assert!(heed(seat, answer.as_bytes()));
                    Ok(answer.into_bytes())
                })
                .collect())
        }

        fn fail(&mut self, seat: Seat, failure: Failure) -> Result<()> {
            panic!("seat {seat}: {failure}");
        }

        fn failed(&self, _: Seat) -> Option<&Failure> {
            None
        }

        fn show(&mut self, _: &mut dyn FnMut() -> Scene) {}
    }

    const WAYS: [(&str, (Lay, Call)); 4] = [
        ("random", (random_lay, random_call)),
        ("honest", (honest_lay, honest_call)),
        ("doubter", (honest_lay, doubter_call)),
        ("counter", (counter_lay, counter_call)),
    ];

    /// Plays games, each bot on each seat in turn: wins by bot, games by reason, turns.
    fn wins(games: u64) -> ([u64; 4], BTreeMap<String, u64>, u64) {
        let (mut wins, mut reasons, mut turns) = ([0; 4], BTreeMap::new(), 0);
        for number in 0..games {
            let mut order = [0, 1, 2, 3];
            Random::of(7, number, 9).shuffle(&mut order);
            let mut table = Table::new(&order.map(|bot| WAYS[bot].1));
            let round = Round {
                number,
                deal: number,
                variant: 0,
                names: order.iter().map(|&bot| WAYS[bot].0.to_owned()).collect(),
                seed: 1,
            };
            let ending = Bs::new(1000).play(&round, &mut table).unwrap();
            assert!(table.answers.iter().all(Option::is_none));
            *reasons.entry(format!("{:?}", ending.reason)).or_default() += 1;
            turns += ending.turns;
            let Score::Winners(winners) = ending.score else {
                panic!("BS counts wins");
            };
            assert_eq!(winners.len(), usize::from(ending.reason == Reason::Won));
            for seat in winners {
                wins[order[seat]] += 1;
            }
        }
        (wins, reasons, turns)
    }

    #[test]
    fn tune() {
        let start = std::time::Instant::now();
        println!("{:?} {:?}", wins(4000), start.elapsed());
    }
}
