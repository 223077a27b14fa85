//! The words of both protocols: games of real bots word for word, and what bots get wrong.

use proptest::prelude::*;

use super::super::cards::HAND;
use super::*;
use crate::chance::Generator;
use crate::referee::host::game::FailureKind;
use crate::referee::host::script::Script;

const CASES: [&str; 6] = [
    include_str!("../../../../../tests/data/barbu/new-barbu.txt"),
    include_str!("../../../../../tests/data/barbu/new-lasttwo.txt"),
    include_str!("../../../../../tests/data/barbu/new-queens.txt"),
    include_str!("../../../../../tests/data/barbu/new-ravage.txt"),
    include_str!("../../../../../tests/data/barbu/ai-lasttwo.txt"),
    include_str!("../../../../../tests/data/barbu/ai-ravage.txt"),
];

fn names() -> Vec<String> {
    ["ana", "bob", "cleo", "dan"].map(str::to_owned).to_vec()
}

fn cards(text: &str) -> Vec<BarbuCard> {
    words(text.as_bytes())
        .map(|word| BarbuCard::parse(word).unwrap())
        .collect()
}

fn referee(protocol: Protocol) -> Barbu {
    Barbu::new(vec![Contract::Nullo], protocol, false).unwrap()
}

fn points(ending: &GameEnd) -> Vec<i64> {
    match &ending.score {
        Score::Points(points) => points.clone(),
        Score::Winners(_) => panic!("Barbu counts points"),
    }
}

/// Plays with hands of a few cards; lines of answers by seat.
fn play(
    referee: &Barbu,
    contract: Contract,
    hands: [&str; 4],
    answers: [&[&str]; 4],
) -> (GameEnd, Script) {
    let mut script = Script::new(answers.map(<[&str]>::to_vec));
    let hands = hands.map(cards);
    let ending = referee
        .play_deal(contract, BarbuSuit::Hearts, &hands, &names(), &mut script)
        .unwrap();
    (ending, script)
}

/// A deal in which every seat holds one suit, in the order of the seats: c, d, h, s.
fn one_suit_each() -> DealtHands {
    BarbuSuit::ALL.map(|suit| Cards::ALL.of(suit).iter().collect())
}

#[test]
fn games_of_real_bots_are_the_same_to_the_byte() {
    for case in CASES {
        let mut scores: Vec<i64> = Vec::new();
        let mut lines: [Vec<&str>; 4] = Default::default();
        let mut seat = 0;
        for line in case.lines().filter(|line| !line.starts_with('#')) {
            if let Some(rest) = line.strip_prefix("scores ") {
                scores = rest.split(' ').map(|word| word.parse().unwrap()).collect();
            } else if let Some(rest) = line.strip_prefix("seat ") {
                seat = rest.parse().unwrap();
            } else {
                lines[seat].push(line.strip_suffix('|').unwrap());
            }
        }
        let protocol = match lines[0][0] {
            "> PLAYER 0" => Protocol::New,
            _ => Protocol::Ai,
        };
        let name = lines[0][if protocol == Protocol::New { 2 } else { 0 }];
        let contract = Contract::parse(name.strip_prefix("> ").unwrap()).unwrap();
        let hands: DealtHands = std::array::from_fn(|seat| cards(&lines[seat][1][2..]));
        let answers = lines.clone().map(|lines| {
            let said = lines.iter().filter_map(|line| line.strip_prefix("< "));
            said.collect::<Vec<&str>>()
        });
        let mut script = Script::new(answers);
        let ending = referee(protocol)
            .play_deal(contract, BarbuSuit::Clubs, &hands, &names(), &mut script)
            .unwrap();
        for (seat, (heard, lines)) in script.heard.iter().zip(&lines).enumerate() {
            assert_eq!(heard, lines, "{name}, seat {seat}");
        }
        assert_eq!(points(&ending), scores, "{name}");
        assert_eq!(ending.reason, Reason::Won);
        assert_eq!(script.failures, [None, None, None, None]);
    }
}

#[test]
fn the_end_of_the_text_is_written_like_the_text() {
    // Seat 3 takes the king of hearts, and nobody doubled.
    let (ending, script) = play(
        &referee(Protocol::New),
        Contract::Barbu,
        ["kh 2c", "5h 3c", "6h 4c", "ah 5c"],
        [&["", "kh"], &["", "5h"], &["", "6h"], &["", "ah"]],
    );
    assert_eq!(points(&ending), [0, 0, 0, -18]);
    assert_eq!(ending.turns, 8);
    let heard = [
        "> PLAYER 2",
        "> 6h 4c",
        "> BARBU",
        "> DOUBLING",
        "> 1 DOUBLE",
        "> DOUBLE",
        "< ",
        "> 3 DOUBLE",
        "> 0 DOUBLE",
        "> TRICK",
        "> 0 kh",
        "> 1 5h",
        "> PLAY",
        "< 6h",
        "> 3 ah",
        "> END 0 0 0 -18",
    ];
    assert_eq!(script.heard[2], heard);
}

#[test]
fn doubling_is_told_as_it_counts() {
    // An empty line, one with a trailing blank; itself, twice, seat 7, a word; the dealer doubles 1,
    // who did not double it, and 2, who did.
    let (_, script) = play(
        &referee(Protocol::New),
        Contract::Barbu,
        ["kh", "5h", "6h", "ah"],
        [
            &["1 2 ", "kh"],
            &["", "5h"],
            &["\t3  0 2 7 3 x -1 +1 ", "6h"],
            &[" ", "ah"],
        ],
    );
    assert_eq!(
        script.heard[1][4..9],
        [
            "> DOUBLE",
            "< ",
            "> 2 DOUBLE 3 0",
            "> 3 DOUBLE",
            "> 0 DOUBLE 2"
        ]
    );
    // Raw 0 0 0 -18: 2 and 3 doubled once, 18 move; 0 and 2 twice, nothing between them.
    assert_eq!(script.heard[1].last().unwrap(), "> END 0 0 18 -36");
    assert_eq!(script.failures, [None, None, None, None]);
}

#[test]
fn a_card_that_may_not_be_played_forfeits_the_game() {
    let hands = ["2c 3c", "4c 5d", "6c 7c", "8c 9c"];
    let cases: [(&str, FailureKind, &str); 9] = [
        (
            "ah",
            FailureKind::Illegal,
            "played ah, which it does not hold",
        ),
        (
            "2c",
            FailureKind::Illegal,
            "played 2c, which it does not hold",
        ),
        (
            "5d",
            FailureKind::Illegal,
            "played 5d and could have followed c",
        ),
        ("", FailureKind::Protocol, "answered ``, which is no card"),
        (
            "4C",
            FailureKind::Protocol,
            "answered `4C`, which is no card",
        ),
        (
            "4c 5d",
            FailureKind::Protocol,
            "answered `4c 5d`, which is no card",
        ),
        (
            "PASS",
            FailureKind::Protocol,
            "answered `PASS`, which is no card",
        ),
        (
            "SAY hello",
            FailureKind::Protocol,
            "answered `SAY hello`, which is no card",
        ),
        (
            "\u{1b}[2J\u{0}",
            FailureKind::Protocol,
            "answered `\\u{1b}[2J\\u{0}`, which is no card",
        ),
    ];
    for (said, kind, detail) in cases {
        let (ending, script) = play(
            &referee(Protocol::New),
            Contract::Nullo,
            hands,
            [&["1", "2c"], &["0 2 3", said], &["1"], &["1"]],
        );
        assert_eq!(ending.reason, Reason::Bot(1));
        // The worst of nullo, whatever was doubled.
        assert_eq!(points(&ending), [0, -26, 0, 0]);
        assert_eq!(script.failures[1], Some(Failure::new(kind, detail)));
        assert_eq!(script.heard[2].last().unwrap(), "> END 0 -26 0 0");
        // Nothing of what it wrote reached the others.
        assert!(
            script.heard[2]
                .iter()
                .all(|line| !line.starts_with("> 1 ") || *line == "> 1 DOUBLE 0 2 3")
        );
        let shown = script.scenes.last().unwrap();
        assert!(
            shown.lines[0].1.starts_with("bob forfeits the game: "),
            "{shown:?}"
        );
    }
}

#[test]
fn a_lenient_referee_lets_a_revoke_pass_and_nothing_else() {
    let lenient = Barbu::new(vec![Contract::Nullo], Protocol::New, true).unwrap();
    let hands = ["2c kh", "4c 5d", "6c 7c", "8c 9c"];
    let game = |said| {
        play(
            &lenient,
            Contract::Barbu,
            hands,
            [&["", "2c"], &["", said], &["", "6c"], &["", "8c"]],
        )
    };
    let (_, script) = game("5d");
    assert_eq!(script.failures[1], None);
    assert!(script.heard[0].contains(&"> 1 5d".to_owned()));
    let (ending, _) = game("7c");
    assert_eq!(ending.reason, Reason::Bot(1));
    // Hearts led too early are no revoke.
    let (ending, script) = play(
        &lenient,
        Contract::Hearts,
        ["2h 3c", "4c 5d", "6c 7c", "8c 9c"],
        [&["", "2h"], &[""], &[""], &[""]],
    );
    assert_eq!(points(&ending), [-30, 0, 0, 0]);
    let detail = "led 2h at hearts, and holds other suits";
    assert_eq!(script.failures[0], Some(Failure::illegal(detail)));
}

#[test]
fn a_bot_that_falls_silent_forfeits_at_doubling_and_at_play() {
    let hands = ["2c 3c", "4c 5d", "6c 7c", "8c 9c"];
    let (ending, script) = play(
        &referee(Protocol::New),
        Contract::Ravage,
        hands,
        [&[], &[""], &[], &[]],
    );
    assert_eq!(
        (ending.reason, points(&ending)),
        (Reason::Bot(2), vec![0, 0, -36, 0])
    );
    assert_eq!(script.heard[0].last().unwrap(), "> END 0 0 -36 0");
    assert_eq!(script.heard[1].last().unwrap(), "> END 0 0 -36 0");
    let (ending, _) = play(
        &referee(Protocol::New),
        Contract::Queens,
        hands,
        [&[""], &[""], &[""], &[""]],
    );
    assert_eq!(
        (ending.reason, points(&ending)),
        (Reason::Bot(0), vec![-24, 0, 0, 0])
    );
}

#[test]
fn trumps_are_named_with_their_suit_and_take_tricks() {
    let hands = one_suit_each();
    let all: [Vec<String>; 4] = hands.clone().map(|hand| {
        let cards = hand.iter().map(BarbuCard::to_string);
        [String::new()].into_iter().chain(cards).collect()
    });
    let mut script = Script::new(
        all.iter()
            .map(|lines| lines.iter().map(String::as_str).collect()),
    );
    let ending = referee(Protocol::New)
        .play_deal(
            Contract::Trumps,
            BarbuSuit::Spades,
            &hands,
            &names(),
            &mut script,
        )
        .unwrap();
    assert_eq!(script.heard[1][2], "> TRUMPS s");
    // 0 leads a club, 3 trumps it, and then nobody can follow a spade.
    assert_eq!(points(&ending), [0, 0, 0, 65]);
    assert_eq!(ending.turns, 4 + 52);
}

#[test]
fn dominoes_are_played_to_their_end_with_passes() {
    let (ending, script) = play(
        &referee(Protocol::New),
        Contract::Dominoes,
        ["9h 2c", "th 3c", "9s ts", "8h ah"],
        [
            &["", "9h"],
            &["", "th", "PASS"],
            &["", "9s", "ts"],
            &["", "8h", "PASS"],
        ],
    );
    // 0 has only the 2 of clubs left and is asked again; its script is over.
    assert_eq!(ending.reason, Reason::Bot(0));
    assert_eq!(points(&ending), [-5, 0, 0, 0]);
    assert_eq!(
        script.heard[3][2..],
        [
            "> DOMINOES",
            "> DOUBLING",
            "> 1 DOUBLE",
            "> 2 DOUBLE",
            "> DOUBLE",
            "< ",
            "> 0 DOUBLE",
            "> 0 9h",
            "> 1 th",
            "> 2 9s",
            "> PLAY",
            "< 8h",
            "> END -5 0 0 0"
        ]
    );
    let (ending, script) = play(
        &referee(Protocol::New),
        Contract::Dominoes,
        ["9h 2c", "th 3c", "9s ts", "8h qh jh"],
        [
            &["", "9h", "PASS", "PASS", "PASS"],
            &["", "th", "PASS", "PASS", "PASS"],
            &["", "9s", "ts"],
            &["2", "8h", "jh", "qh"],
        ],
    );
    // 2 goes out first; then 3; 0 and 1 are stuck for ever, which a whole deck cannot do.
    assert_eq!(
        script.heard[0][9..16],
        [
            "> PLAY", "< 9h", "> 1 th", "> 2 9s", "> 3 8h", "> PLAY", "< PASS"
        ]
    );
    assert!(script.heard[0].contains(&"> 1 PASS".to_owned()));
    assert_eq!(ending.reason, Reason::Bot(0));
}

#[test]
fn a_whole_game_of_dominoes_ends_when_three_are_out() {
    // Each lays its suit upwards from the 2: 0, 1, 2 are out in that order, 3 holds its ace.
    let hands = one_suit_each();
    let all: [Vec<String>; 4] = hands.clone().map(|hand| {
        let cards = hand.iter().map(BarbuCard::to_string);
        [String::new()].into_iter().chain(cards).collect()
    });
    let mut script = Script::new(
        all.iter()
            .map(|lines| lines.iter().map(String::as_str).collect()),
    );
    let ending = referee(Protocol::New)
        .play_deal(
            Contract::Dominoes,
            BarbuSuit::Spades,
            &hands,
            &names(),
            &mut script,
        )
        .unwrap();
    assert_eq!(
        (ending.reason, points(&ending)),
        (Reason::Won, vec![40, 20, 10, -5])
    );
    assert_eq!(ending.turns, 4 + 51);
    assert_eq!(script.heard[3].last().unwrap(), "> END 40 20 10 -5");
    assert_eq!(script.answers[3], [b"as".to_vec()]);
}

#[test]
fn a_pass_with_a_card_that_fits_forfeits_dominoes() {
    for (said, detail) in [
        ("PASS", "passed and could have laid 8h"),
        ("3c", "laid 3c, which fits nowhere"),
        ("9h", "laid 9h, which it does not hold"),
    ] {
        let (ending, script) = play(
            &referee(Protocol::New),
            Contract::Dominoes,
            ["9h 2c", "8h 3c", "9s ts", "th ah"],
            [&["", "9h"], &["", said], &[""], &[""]],
        );
        assert_eq!(points(&ending), [0, -5, 0, 0]);
        assert_eq!(script.failures[1], Some(Failure::illegal(detail)));
    }
    let (_, script) = play(
        &referee(Protocol::New),
        Contract::Dominoes,
        ["9h 2c", "8h 3c", "9s ts", "th ah"],
        [&["", "9h"], &["", "pass"], &[""], &[""]],
    );
    let detail = "answered `pass`, which is no card";
    assert_eq!(script.failures[1], Some(Failure::protocol(detail)));
}

#[test]
fn the_ai_protocol_plays_on_for_those_who_count_tricks() {
    // 1 plays a card it does not hold in the second trick; the others still get thirteen tricks.
    let hands = one_suit_each();
    let said = |seat: usize| {
        hands[seat]
            .iter()
            .map(BarbuCard::to_string)
            .collect::<Vec<String>>()
    };
    let mut all: [Vec<String>; 4] = std::array::from_fn(said);
    all[1][1] = "2c".to_owned();
    let mut script = Script::new(
        all.iter()
            .map(|lines| lines.iter().map(String::as_str).collect()),
    );
    let ending = referee(Protocol::Ai)
        .play_deal(
            Contract::Barbu,
            BarbuSuit::Spades,
            &hands,
            &names(),
            &mut script,
        )
        .unwrap();
    assert_eq!(
        (ending.reason, points(&ending)),
        (Reason::Bot(1), vec![0, -18, 0, 0])
    );
    assert_eq!(ending.turns, 2 + 3 * 13);
    // The referee plays 2d and so on for it. 0 leads always; it hears two lines a trick.
    assert_eq!(script.heard[0].len(), 2 + 3 * 13);
    assert_eq!(
        script.heard[0][2..8],
        ["> ", "< 2c", "> 2d 2h 2s", "> ", "< 3c", "> 3d 3h 3s"]
    );
    assert_eq!(script.heard[3][2..5], ["> 2c 2d 2h", "< 2s", "> "]);
    assert!(script.failures[0].is_none() && script.failures[2].is_none());
}

#[test]
fn the_ai_protocol_tells_the_whole_hand_of_barbu_and_queens() {
    let hands = one_suit_each();
    for contract in [Contract::Barbu, Contract::Queens] {
        let all: [Vec<String>; 4] = hands
            .clone()
            .map(|hand| hand.iter().map(BarbuCard::to_string).collect());
        let mut script = Script::new(
            all.iter()
                .map(|lines| lines.iter().map(String::as_str).collect()),
        );
        let ending = referee(Protocol::Ai)
            .play_deal(contract, BarbuSuit::Spades, &hands, &names(), &mut script)
            .unwrap();
        assert_eq!(points(&ending), [contract.worst(), 0, 0, 0]);
        assert!(script.answers.iter().all(|left| left.is_empty()));
    }
}

#[test]
fn a_deal_is_the_same_under_every_seating_and_game() {
    let referee = Barbu::new(Contract::ALL.to_vec(), Protocol::New, false).unwrap();
    assert_eq!(referee.variants().len(), 8);
    let hands = |variant: usize, number: u64, names: [&str; 4]| {
        let round = Fixture {
            number,
            deal: 3,
            variant,
            names: names.map(str::to_owned).to_vec(),
            seed: 9,
        };
        let mut script = Script::new([vec![], vec![], vec![], vec![]]);
        referee.play(&round, &mut script).unwrap();
        script
            .heard
            .iter()
            .map(|heard| heard[1].clone())
            .collect::<Vec<String>>()
    };
    let first = hands(0, 0, ["a", "b", "c", "d"]);
    assert_eq!(first, hands(7, 5, ["d", "b", "a", "c"]));
    let all: Cards = first.iter().flat_map(|hand| cards(&hand[2..])).collect();
    assert_eq!(all, Cards::ALL);
}

#[test]
fn what_cannot_be_played_is_refused_beforehand() {
    assert!(Barbu::new(vec![], Protocol::New, false).is_err());
    let why = Barbu::new(
        vec![Contract::Nullo, Contract::Dominoes],
        Protocol::Ai,
        false,
    )
    .unwrap_err();
    assert!(why.contains("--protocol new"), "{why}");
    let referee = referee(Protocol::New);
    assert_eq!(referee.seats(4), Ok(4));
    for bots in [0, 1, 3, 5] {
        assert!(referee.seats(bots).unwrap_err().contains("exactly 4"));
    }
}

#[test]
fn numbers_are_read_from_any_line() {
    assert_eq!(numbers(b" 1\t 0 \r"), [1, 0]);
    assert_eq!(numbers(b"x -1 +2 3.0 1x \xff 2"), [2]);
    assert_eq!(numbers(b"99999999999999999999999 3"), [3]);
    assert!(numbers(b"").is_empty());
}

proptest! {
    // Any cards that may be played: none is lost or made, and the points of a game add up.
    #[test]
    fn games_of_tricks_keep_their_cards_and_their_points(seed: u64, index in 0..7usize) {
        let contract = Contract::ALL[index];
        let mut random = Generator::of(seed, 0, 0);
        let hands = deal(&mut random).map(|hand| hand.into_iter().collect());
        let trumps = (contract == Contract::Trumps).then(|| *random.pick(&BarbuSuit::ALL).unwrap());
        let mut game = Tricks::new(contract, trumps, hands);
        while !game.is_over() {
            let legal: Vec<BarbuCard> = game.legal().iter().collect();
            let card = *random.pick(&legal).unwrap();
            prop_assert_eq!(game.check(card), Ok(()));
            game.play(card);
            let taken = game.taken().iter().flat_map(|trick| trick.cards);
            let open: Vec<BarbuCard> = taken.chain(game.table().iter().copied()).collect();
            let held = (0..SEATS).fold(Cards::default(), |all, seat| all.and(game.hand(seat)));
            prop_assert_eq!(open.len() + held.len(), SEATS * HAND);
            prop_assert_eq!(held.and(open.into_iter().collect()), Cards::ALL);
        }
        let raw = game.raw();
        let sum = match contract {
            Contract::Trumps => 65,
            contract => contract.worst(),
        };
        prop_assert_eq!(raw.iter().sum::<i64>(), sum);
        prop_assert!(raw.iter().all(|&score| score >= contract.worst()));
        let early = matches!(contract, Contract::Queens | Contract::Barbu);
        prop_assert!(early || game.is_played_out());
    }

    // Whatever bots answer, the game ends, and what others are told is made of the game's own words.
    #[test]
    fn no_answer_breaks_the_referee(
        seed: u64,
        index in 0..8usize,
        answers in prop::collection::vec(prop::collection::vec("[ -~\t]{0,8}|[2-9tjqka][cdhs]|PASS|", 0..20), 4),
    ) {
        let mut script = Script::new(answers.iter().map(|lines| lines.iter().map(String::as_str).collect()));
        let hands = deal(&mut Generator::of(seed, 0, 0));
        let contract = Contract::ALL[index];
        let protocol = if seed % 2 == 0 && contract != Contract::Dominoes { Protocol::Ai } else { Protocol::New };
        let ending = referee(protocol)
            .play_deal(contract, BarbuSuit::Clubs, &hands, &names(), &mut script)
            .unwrap();
        prop_assert_eq!(points(&ending).len(), 4);
        prop_assert_eq!(matches!(ending.reason, Reason::Bot(_)), script.failures.iter().any(Option::is_some));
    }
}
