//! Notations and indices, on random deals and on published values.

use camicia::cards::{Card, Deal, Deck, Notation, Order, Rank, Reader, Split, Suit};
use proptest::prelude::*;

const RANKS: [Rank; 14] = [
    Rank::Plain,
    Rank::Two,
    Rank::Three,
    Rank::Four,
    Rank::Five,
    Rank::Six,
    Rank::Seven,
    Rank::Eight,
    Rank::Nine,
    Rank::Ten,
    Rank::Jack,
    Rank::Queen,
    Rank::King,
    Rank::Ace,
];
const SUITS: [Suit; 4] = [Suit::Hearts, Suit::Diamonds, Suit::Clubs, Suit::Spades];

fn card() -> impl Strategy<Value = Card> {
    (0..RANKS.len(), proptest::option::of(0..SUITS.len())).prop_map(|(rank, suit)| {
        let rank = RANKS[rank];
        let suit = suit.filter(|_| rank != Rank::Plain).map(|at| SUITS[at]);
        Card { rank, suit }
    })
}

/// Any deal of at least one card, with numbers and suits.
fn deal() -> impl Strategy<Value = Deal> {
    (
        proptest::collection::vec(card(), 0..60),
        proptest::collection::vec(card(), 1..60),
    )
        .prop_map(|(a, b)| Deal::new(a, b).unwrap())
}

proptest! {
    #[test]
    fn every_notation_reads_back(deal in deal()) {
        let plain = Reader::default();
        for (notation, reader) in [
            (Notation::Skeleton, plain),
            (Notation::Digits, Reader { digits: true, ..plain }),
            (Notation::TwoLines, plain),
        ] {
            let text = notation.write(&deal).unwrap();
            prop_assert_eq!(reader.deal(&text).unwrap(), deal.skeleton(), "{}", text);
        }
        for notation in [Notation::Cards, Notation::Json] {
            let text = notation.write(&deal).unwrap();
            prop_assert_eq!(plain.deal(&text).unwrap(), deal.clone(), "{}", text);
        }
    }

    #[test]
    fn alternating_reads_back(cards in proptest::collection::vec(card(), 1..60)) {
        let (a, b) = (cards.iter().step_by(2), cards.iter().skip(1).step_by(2));
        let deal = Deal::new(a.copied().collect(), b.copied().collect()).unwrap();
        let text = Notation::Alternating.write(&deal).unwrap();
        let reader = Reader { whole: Some(Split::Alternating), ..Reader::default() };
        prop_assert_eq!(reader.deal(&text).unwrap(), deal.skeleton());
    }

    #[test]
    fn halves_read_back(cards in proptest::collection::vec(card(), 1..60)) {
        let mut a = cards;
        let b = a.split_off(a.len().div_ceil(2));
        let deal = Deal::new(a, b).unwrap();
        let text = Notation::Halves.write(&deal).unwrap();
        let reader = Reader { whole: Some(Split::Halves), ..Reader::default() };
        prop_assert_eq!(reader.deal(&text).unwrap(), deal.skeleton());
    }

    #[test]
    fn any_text_is_a_deal_or_an_error_with_a_remedy(
        text in prop_oneof![
            "\\PC{0,40}",
            "[-.,/| 0-9TJQKAXHDCS♥️\n:]{0,30}",
        ],
        digits: bool,
        whole in proptest::option::of(prop_oneof![Just(Split::Alternating), Just(Split::Halves)]),
    ) {
        match (Reader { digits, whole }).deal(&text) {
            // What was read is read again as the same deal.
            Ok(deal) => {
                let again = Notation::Cards.write(&deal).unwrap();
                prop_assert_eq!(Reader::default().deal(&again).unwrap(), deal);
            }
            Err(error) => prop_assert!(error.to_string().len() > 20, "{}", error),
        }
    }

    #[test]
    fn the_deal_of_an_index_has_that_index(
        counts in proptest::array::uniform5(0usize..14), at: u128, cut in 0usize..70,
    ) {
        prop_assume!(counts.iter().sum::<usize>() > 0);
        let deck = Deck::new(counts).unwrap();
        let (all, a) = (deck.len(), cut.min(deck.len()));
        let deck = deck.with_hands(a, all - a).unwrap();
        let Some(deals) = deck.deals() else { return Ok(()) };
        for order in [Order::AcesFirst, Order::PlainFirst] {
            let deal = deck.deal_at(at % deals, order).unwrap();
            prop_assert_eq!(deck.index_of(&deal, order).unwrap(), at % deals);
        }
    }
}

#[test]
fn published_indices() {
    let deck = Deck::standard();
    for (index, text) in [
        (
            497985732634057566415,
            "---JQ---K-A----A-J-K---QK-/-J-----------AJQA----K---Q",
        ),
        (
            20134883549310237992,
            "A-QK------Q----KA-----J---/-JAK----A--Q----J---QJ--K-",
        ),
        (
            68136211402249829088,
            "K-KK----K-A-----JAA--Q--J-/---Q---Q-J-----J------AQ--",
        ),
        (
            545948611316293982168,
            "----Q------A--K--A-A--QJK-/-Q--J--J---QK---K----JA---",
        ),
        (
            354080525834808704496,
            "--A-Q--J--J---Q--AJ-K---K-/-J-------Q------A--A--QKK-",
        ),
        (
            340369661529056505191,
            "-J------Q------AAA-----QQ-/K----JA-----------KQ-K-JJK",
        ),
        (
            531619691202417210834,
            "----K---A--Q-A--JJA------J/-----KK---------A-JK-Q-Q-Q",
        ),
        (
            447247122283566119055,
            "---AJ--Q---------QAKQJJ-QK/-----A----KJ-K--------A---",
        ),
        (
            472460898658889399111,
            "---K---Q-KQAJ-----AAJ--J--/----------Q----KQ-J-----KA",
        ),
    ] {
        let deal = Reader::default().deal(text).unwrap();
        assert_eq!(deck.index_of(&deal, Order::AcesFirst), Ok(index), "{text}");
        assert_eq!(deck.deal_at(index, Order::AcesFirst), Ok(deal));
    }
    let italian = Deck::italian();
    let reader = Reader {
        digits: true,
        ..Reader::default()
    };
    for (index, text) in [
        (13099237281751, "00000010020302030310/00100300010020000200"),
        (192440806569261, "33000020000002100001/00003000200010203100"),
        (126725771973901, "03001001032010001000/02022000000003000030"),
    ] {
        let deal = reader.deal(text).unwrap();
        assert_eq!(
            italian.index_of(&deal, Order::PlainFirst),
            Ok(index),
            "{text}"
        );
        assert_eq!(italian.deal_at(index, Order::PlainFirst), Ok(deal));
    }
}
