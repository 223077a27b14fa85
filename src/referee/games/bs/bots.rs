//! Four bots of BS. Each is a program like any other: lines in, lines out, and no look at the
//! referee's state. What chance they need is seeded from the lines that open their game, so that a
//! match played again is the same match.

use std::collections::BTreeMap;
use std::io::{self, BufRead, Write};

use super::rules::{BsRank, RANKS, SEATS};
use crate::chance::Generator;
use crate::referee::host::builtin::{self, Builtin};
use crate::referee::host::words::words;

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
type RankCounts = [u8; RANKS as usize];

/// Which cards to lay when this rank is due.
type Lay = fn(&BsView, BsRank, &mut Generator) -> Vec<BsRank>;
/// Whether to call this claim a lie.
type Call = fn(&BsView, &BsClaim, &mut Generator) -> bool;

/// What another player says it laid. The view it comes with is that after the cards were laid.
struct BsClaim {
    mover: usize,
    rank: BsRank,
    count: usize,
}

/// A game as one of its players sees it.
#[derive(Clone, Default)]
struct BsView {
    me: usize,
    hand: Vec<BsRank>,
    sizes: [usize; SEATS],
    pile: usize,
    /// Its own cards in the pile.
    buried: RankCounts,
    /// Cards that others are known to hold.
    known: [RankCounts; SEATS],
}

impl BsView {
    fn holds(&self, rank: BsRank) -> usize {
        self.hand.iter().filter(|&&card| card == rank).count()
    }

    /// All cards of a rank, in order.
    fn all_of(&self, rank: BsRank) -> Vec<BsRank> {
        vec![rank; self.holds(rank)]
    }

    /// The card of the hand whose rank is due latest, when `rank` is due now.
    fn latest(&self, rank: BsRank) -> BsRank {
        let latest = self.hand.iter().max_by_key(|&&card| due(rank, card));
        *latest.expect("a player in the game holds a card")
    }
}

/// In how many of its own turns a player is due to lay `rank`, when `now` is due at once.
fn due(now: BsRank, rank: BsRank) -> u64 {
    let turns = SEATS as u64;
    (0..RANKS)
        .find(|turn| (u64::from(now) + turns * turn) % RANKS == u64::from(rank))
        .expect("13 is prime: every rank has its turn")
}

/// Honest half of the time when it can be, else some cards at random.
fn random_lay(view: &BsView, rank: BsRank, random: &mut Generator) -> Vec<BsRank> {
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
fn random_call(_: &BsView, _: &BsClaim, random: &mut Generator) -> bool {
    random.below(8) == 0
}

/// All cards of the rank; without one, the card it would be asked for last.
fn honest_lay(view: &BsView, rank: BsRank, _: &mut Generator) -> Vec<BsRank> {
    let cards = view.all_of(rank);
    if cards.is_empty() {
        return vec![view.latest(rank)];
    }
    cards
}

/// Calls what its own hand shows to be a lie, and the last cards of a hand: there is nothing to lose.
fn honest_call(view: &BsView, claim: &BsClaim, _: &mut Generator) -> bool {
    view.sizes[claim.mover] == 0 || claim.count + view.holds(claim.rank) > SUITS
}

/// Calls whenever three or more are claimed.
fn doubter_call(view: &BsView, claim: &BsClaim, random: &mut Generator) -> bool {
    claim.count >= 3 || honest_call(view, claim, random)
}

/// Plans its last cards, and slips a false card among few true ones, where it is hardest to see.
fn counter_lay(view: &BsView, rank: BsRank, random: &mut Generator) -> Vec<BsRank> {
    if view.hand.len() > PLANNED {
        let mut cards = honest_lay(view, rank, random);
        if cards == [rank] {
            cards.push(view.latest(rank));
        }
        return cards;
    }
    let mut counts = [0; RANKS as usize];
    for &card in &view.hand {
        counts[usize::from(card)] += 1;
    }
    plan(counts, rank, &mut BTreeMap::new()).1
}

/// Hands up to this size are planned to their end.
const PLANNED: usize = 9;
/// What a lie costs, in turns: it is seen when all four of a rank are in one other hand.
const LIE: f64 = 0.6;
/// What a false card among true ones costs, by the number of true ones: with one, it is seen only
/// when the other three are in one hand. Found by play against the other bots.
const STOWAWAY: [f64; SUITS] = [9.0, 0.3, 1.5, 9.0];
/// What it costs to lie with the last card: everybody calls.
const LAST_LIE: f64 = 12.0;

/// The cheapest way to lay a whole hand when `rank` is due, in turns, and the cards to lay first.
fn plan(
    hand: RankCounts,
    rank: BsRank,
    seen: &mut BTreeMap<(RankCounts, BsRank), (f64, Vec<BsRank>)>,
) -> (f64, Vec<BsRank>) {
    if let Some(known) = seen.get(&(hand, rank)) {
        return known.clone();
    }
    let next = ((u64::from(rank) + SEATS as u64) % RANKS) as BsRank;
    let held = hand[usize::from(rank)];
    let mut best = (f64::INFINITY, Vec::new());
    let mut consider = |cards: Vec<BsRank>, cost: f64, left: RankCounts| {
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
    for other in (0..RANKS as BsRank).filter(|&other| other != rank) {
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

/// Counts cards, and calls what is a lie almost for certain, and the last cards of a hand.
fn counter_call(view: &BsView, claim: &BsClaim, _: &mut Generator) -> bool {
    view.sizes[claim.mover] == 0 || lie_chance(view, claim) > 0.9
}

/// How likely a claim is a lie, if players lie only for want of a true card.
fn lie_chance(view: &BsView, claim: &BsClaim) -> f64 {
    let rank = usize::from(claim.rank);
    let sum = |counts: &RankCounts| {
        counts
            .iter()
            .map(|&count| usize::from(count))
            .sum::<usize>()
    };
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
    let unseen = SUITS * RANKS as usize - view.hand.len() - sum(&view.buried);
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
    let mut mind = BsMemory::new(lay, call);
    builtin::converse(input, output, |line| mind.hear(line))
}

/// A bot without its streams.
struct BsMemory {
    lay: Lay,
    call: Call,
    game: BsFollower,
    random: Generator,
    start: Vec<u8>,
}

impl BsMemory {
    fn new(lay: Lay, call: Call) -> BsMemory {
        BsMemory {
            lay,
            call,
            game: BsFollower::default(),
            random: Generator::from_bytes([]),
            start: Vec::new(),
        }
    }

    /// Takes a line in, and answers it if an answer is due.
    fn hear(&mut self, line: &[u8]) -> Option<String> {
        match self.game.hear(line) {
            Heard::Start => self.start = line.to_vec(),
            Heard::Hand => self.random = Generator::from_bytes([self.start.as_slice(), line]),
            Heard::Play(rank) => {
                let cards = (self.lay)(&self.game.view, rank, &mut self.random);
                self.game.lay(&cards);
                let cards: Vec<String> = cards.iter().map(BsRank::to_string).collect();
                return Some(cards.join(" "));
            }
            Heard::BsClaim(claim) => {
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
    Play(BsRank),
    BsClaim(BsClaim),
    Nothing,
}

/// A game as one of its players follows it.
#[derive(Default)]
struct BsFollower {
    view: BsView,
    /// The claim whose turn is not yet over.
    claim: Option<BsClaim>,
    /// Whether it gave a card this turn, for it called rightly.
    gave: bool,
}

impl BsFollower {
    fn hear(&mut self, line: &[u8]) -> Heard {
        let text = String::from_utf8_lossy(line);
        let mut rest = words(text.as_bytes()).map(|word| str::from_utf8(word).unwrap_or(""));
        let verb = rest.next().unwrap_or("");
        let numbers: Vec<usize> = rest.filter_map(|word| word.parse().ok()).collect();
        let is_rank = |number: usize| number < RANKS as usize;
        let ranks = numbers.iter().copied().filter(|&number| is_rank(number));
        let ranks = ranks.map(|number| number as BsRank);
        match (verb, numbers.as_slice()) {
            ("START", [me, ..]) => {
                self.view = BsView {
                    me: *me,
                    ..BsView::default()
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
                return Heard::Play(*rank as BsRank);
            }
            ("CLAIM", [mover, rank, count, table @ ..]) if *mover < SEATS && is_rank(*rank) => {
                self.table(table);
                return Heard::BsClaim(BsClaim {
                    mover: *mover,
                    rank: *rank as BsRank,
                    count: *count,
                });
            }
            ("TAKE", _) => {
                self.view.hand.extend(ranks);
                self.view.buried = RankCounts::default();
            }
            ("GIVE", [rank]) if is_rank(*rank) => {
                let rank = *rank as BsRank;
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
    fn lay(&mut self, cards: &[BsRank]) {
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
        let mut true_cards = RankCounts::default();
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

fn remove(hand: &mut Vec<BsRank>, rank: BsRank) {
    if let Some(index) = hand.iter().position(|&card| card == rank) {
        hand.remove(index);
    }
}

fn add(counts: &mut RankCounts, more: &RankCounts) {
    for (count, more) in counts.iter_mut().zip(more) {
        *count = (*count + more).min(SUITS as u8);
    }
}

#[cfg(test)]
mod tests {
    use super::super::protocol::Bs;
    use super::*;
    use crate::referee::host::game::Score;
    use crate::referee::host::game::{
        CardGame, Failure, Fixture, Players, Reason, Reply, Result, Scene, SeatIndex,
    };

    /// Bots at a table without processes.
    struct BsTable {
        minds: Vec<BsMemory>,
        answers: Vec<Option<String>>,
    }

    impl BsTable {
        fn new(ways: &[(Lay, Call)]) -> BsTable {
            BsTable {
                minds: ways
                    .iter()
                    .map(|&(lay, call)| BsMemory::new(lay, call))
                    .collect(),
                answers: vec![None; ways.len()],
            }
        }
    }

    impl Players for BsTable {
        fn tell(&mut self, seat: SeatIndex, line: &str) {
            if let Some(answer) = self.minds[seat].hear(format!("{line}\n").as_bytes()) {
                let before = self.answers[seat].replace(answer);
                assert_eq!(before, None, "two answers are due at once");
            }
        }

        fn ask(
            &mut self,
            seats: &[SeatIndex],
            heed: &mut dyn FnMut(SeatIndex, &[u8]) -> bool,
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

        fn fail(&mut self, seat: SeatIndex, failure: Failure) -> Result<()> {
            panic!("seat {seat}: {failure}");
        }

        fn failed(&self, _: SeatIndex) -> Option<&Failure> {
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

    fn round(number: u64) -> Fixture {
        Fixture {
            number,
            deal: number,
            variant: 0,
            names: (0..SEATS).map(|seat| format!("bot{seat}")).collect(),
            seed: 1,
        }
    }

    /// Plays games in which each bot sits anywhere: wins by bot.
    fn wins(ways: &[(Lay, Call); 4], games: u64) -> [u64; 4] {
        let mut wins = [0; 4];
        for number in 0..games {
            let mut order = [0, 1, 2, 3];
            Generator::of(7, number, 9).shuffle(&mut order);
            let mut table = BsTable::new(&order.map(|bot| ways[bot]));
            let ending = Bs::new(1000).play(&round(number), &mut table).unwrap();
            assert!(table.answers.iter().all(Option::is_none));
            assert_eq!(ending.reason, Reason::Won);
            let Score::Winners(winners) = ending.score else {
                panic!("BS counts wins");
            };
            let [seat] = winners[..] else {
                panic!("one player wins");
            };
            // The follower knows to the last what it holds.
            assert!(table.minds[seat].game.view.hand.is_empty());
            wins[order[seat]] += 1;
        }
        wins
    }

    #[test]
    fn the_names_are_those_of_the_ways() {
        let names: Vec<&str> = BOTS.iter().map(|(name, _)| *name).collect();
        assert_eq!(names, WAYS.map(|(name, _)| name));
    }

    #[test]
    fn the_better_bots_win_more() {
        let [random, honest, doubter, counter] = wins(&WAYS.map(|(_, way)| way), 300);
        assert!(
            counter > honest && honest > doubter && doubter >= random,
            "{random} {honest} {doubter} {counter}"
        );
    }

    #[test]
    fn a_game_played_again_is_the_same_game() {
        let way = |bot: usize| WAYS[bot].1;
        let ways = [way(0), way(0), way(3), way(1)];
        assert_eq!(wins(&ways, 20), wins(&ways, 20));
    }

    #[test]
    fn after_a_thousand_rounds_nobody_has_won() {
        // Everybody lies with one card, and the next player calls: sizes go up and down by one.
        let lay: Lay = |view, rank, _| vec![view.latest(rank)];
        let call: Call = |view, claim, _| (claim.mover + 1) % SEATS == view.me;
        let mut table = BsTable::new(&[(lay, call); 4]);
        let ending = Bs::new(1000).play(&round(0), &mut table).unwrap();
        assert_eq!(ending.reason, Reason::RoundLimit);
        assert_eq!(ending.turns, 4000);
        assert_eq!(ending.score, Score::Winners(Vec::new()));
    }

    #[test]
    fn each_rank_is_due_in_its_turn() {
        assert_eq!((due(3, 3), due(3, 7), due(11, 2), due(0, 9)), (0, 1, 1, 12));
        let view = BsView {
            hand: vec![9, 2, 6, 10],
            ..BsView::default()
        };
        assert_eq!(view.latest(8), 9);
    }

    #[test]
    fn chances_add_up() {
        for (all, good, drawn) in [(39, 4, 13), (10, 3, 9), (5, 4, 5), (20, 2, 0)] {
            let sum: f64 = (0..=good)
                .map(|hits| hypergeometric(all, good, drawn, hits))
                .sum();
            assert!((sum - 1.0).abs() < 1e-12, "{all} {good} {drawn}: {sum}");
        }
        // Of 39 unseen cards 13 are drawn: none of 4, by hand.
        let none = 26.0 * 25.0 * 24.0 * 23.0 / (39.0 * 38.0 * 37.0 * 36.0);
        assert!((hypergeometric(39, 4, 13, 0) - none).abs() < 1e-12);
        assert_eq!(hypergeometric(3, 4, 2, 1), 0.0);
    }

    #[test]
    fn a_plan_ends_with_the_truth() {
        // Rank 5 is due, then 9: the 2 goes first, as a lie, and the 9 is true.
        let mut hand = RankCounts::default();
        (hand[2], hand[9]) = (1, 1);
        assert_eq!(
            plan(hand, 5, &mut BTreeMap::new()),
            (1.0 + LIE + 1.0, vec![2])
        );
        // Two 9s: one 9 is laid falsely before the other would be laid as the last.
        let mut hand = RankCounts::default();
        hand[9] = 3;
        let (cost, first) = plan(hand, 9, &mut BTreeMap::new());
        assert_eq!((cost, first), (1.0, vec![9, 9, 9]));
    }

    #[test]
    fn odd_lines_are_no_trouble_to_a_bot() {
        let mut mind = BsMemory::new(counter_lay, counter_call);
        for line in [
            "",
            "PLAY",
            "PLAY 99 SIZES",
            "CLAIM 9 1 1",
            "TAKE 77 x",
            "GIVE 13",
            "\u{ff}",
        ] {
            assert_eq!(mind.hear(line.as_bytes()), None, "{line}");
        }
    }
}
