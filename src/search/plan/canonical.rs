//! The canonical form of a plan, and the name made of it.

use std::fmt::{self, Write};

use crate::cards::Deck;

/// The name of a plan: a hash of all that decides its results.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Fingerprint(pub u64);

impl Fingerprint {
    /// The fingerprint of a plan in canonical form: FNV-1a, 64 bits.
    pub fn of(canonical: &str) -> Fingerprint {
        let mut hash = 0xcbf2_9ce4_8422_2325_u64;
        for byte in canonical.bytes() {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
        Fingerprint(hash)
    }
}

/// Sixteen hexadecimal digits.
impl fmt::Display for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

/// Everything that decides the results of a plan, and nothing else (no paths, no threads), as a
/// plan that [`Keys::read`](super::Keys::read) reads.
///
/// Keys are in a fixed order, and a key with the value it has when it is left out is written too.
/// To change this text for a plan is to change what its states are checked against.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Canonical(String);

impl Canonical {
    /// The keys that all plans begin with.
    pub(super) fn begin(how: &str, deck: &Deck, keep: usize, keep_cycles: usize) -> Canonical {
        Canonical(format!(
            "how = \"{how}\"\ndeck = \"{deck}\"\nkeep = {keep}\nkeep_cycles = {keep_cycles}\n"
        ))
    }

    /// A number.
    pub fn number(&mut self, key: &str, value: u64) {
        writeln!(self.0, "{key} = {value}").expect("a string takes all");
    }

    /// A yes or no.
    pub fn flag(&mut self, key: &str, value: bool) {
        writeln!(self.0, "{key} = {value}").expect("a string takes all");
    }

    /// A text without quotes and backslashes.
    pub fn text(&mut self, key: &str, value: &str) {
        writeln!(self.0, "{key} = \"{value}\"").expect("a string takes all");
    }

    /// A list of texts without quotes and backslashes.
    pub fn list(&mut self, key: &str, values: impl Iterator<Item = String>) {
        let values: Vec<String> = values.map(|value| format!("\"{value}\"")).collect();
        writeln!(self.0, "{key} = [{}]", values.join(", ")).expect("a string takes all");
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The plan's name.
    pub fn fingerprint(&self) -> Fingerprint {
        Fingerprint::of(&self.0)
    }
}
