//! The eight games, their names, and the worst that can happen to a seat in each.

/// One of the eight games of Barbu.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Contract {
    /// -2 a trick.
    Nullo,
    /// -6 a queen.
    Queens,
    /// -18 for the king of hearts.
    Barbu,
    /// -2 a heart, -6 for its ace.
    Hearts,
    /// -10 for the last trick but one, -20 for the last.
    LastTwo,
    /// -36 for the most cards of one suit, shared.
    Ravage,
    /// +5 a trick, with a suit of trumps.
    Trumps,
    /// Suits are built up and down; +40, +20, +10, -5 in the order of going out.
    Dominoes,
}

impl Contract {
    /// All eight, in the order of the text.
    pub const ALL: [Contract; 8] = [
        Contract::Nullo,
        Contract::Queens,
        Contract::Barbu,
        Contract::Hearts,
        Contract::LastTwo,
        Contract::Ravage,
        Contract::Trumps,
        Contract::Dominoes,
    ];

    /// The name for people, on command lines and in records.
    pub fn name(self) -> &'static str {
        match self {
            Contract::Nullo => "nullo",
            Contract::Queens => "queens",
            Contract::Barbu => "barbu",
            Contract::Hearts => "hearts",
            Contract::LastTwo => "lasttwo",
            Contract::Ravage => "ravage",
            Contract::Trumps => "trumps",
            Contract::Dominoes => "dominoes",
        }
    }

    /// The name that bots are told.
    pub(super) fn wire(self) -> &'static str {
        match self {
            Contract::Nullo => "NULLO",
            Contract::Queens => "KILLERQUEENS",
            Contract::Barbu => "BARBU",
            Contract::Hearts => "HEARTS",
            Contract::LastTwo => "LASTTWO",
            Contract::Ravage => "RAVAGE",
            Contract::Trumps => "TRUMPS",
            Contract::Dominoes => "DOMINOES",
        }
    }

    /// The game of this name, either for people or as bots are told, in any case.
    pub fn parse(text: &str) -> Option<Contract> {
        let same = |name: &str| name.eq_ignore_ascii_case(text);
        Contract::ALL
            .into_iter()
            .find(|game| same(game.name()) || same(game.wire()))
    }

    /// The lowest score that the rules can give a seat: what a seat gets that forfeits the game.
    ///
    /// Every trick of nullo, all four queens, the king of hearts, every heart (twelve at 2 and the ace
    /// at 6), both last tricks, the ravage alone; no trick at trumps; to be the last at dominoes. At
    /// trumps that is 0, which is also what the others get: nobody gains by a forfeit.
    pub fn worst(self) -> i64 {
        match self {
            Contract::Nullo => -26,
            Contract::Queens => -24,
            Contract::Barbu => -18,
            Contract::Hearts => -30,
            Contract::LastTwo => -30,
            Contract::Ravage => -36,
            Contract::Trumps => 0,
            Contract::Dominoes => -5,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn games_are_found_by_either_name() {
        for game in Contract::ALL {
            assert_eq!(Contract::parse(game.name()), Some(game));
            assert_eq!(Contract::parse(game.wire()), Some(game));
        }
        assert_eq!(Contract::parse("Queens"), Some(Contract::Queens));
        assert_eq!(Contract::parse("killerqueens"), Some(Contract::Queens));
        for text in ["", "ravages", "last two", "TRUMPS h"] {
            assert_eq!(Contract::parse(text), None, "{text}");
        }
    }
}
