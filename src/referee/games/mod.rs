//! The games: rules, protocols and built-in bots. A game knows the host's contract
//! ([`CardGame`](crate::referee::CardGame), [`Players`](crate::referee::Players)) and no tournament.

pub mod barbu;
pub mod bs;
pub mod check;
pub mod replay;
pub mod uno;

use super::host::builtin::Builtins;

/// The built-in bots of every game, handed to the host from here.
pub const BUILTINS: Builtins =
    Builtins(&[("uno", uno::BOTS), ("bs", bs::BOTS), ("barbu", barbu::BOTS)]);
