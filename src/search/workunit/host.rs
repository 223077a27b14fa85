//! Who a unit is played for: it says when to pause, save and stop.

/// What the host wants now.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Wish {
    /// Play.
    Play,
    /// Use no processor time until told otherwise.
    Pause,
    /// Save and end; the unit is gone on with another time.
    Quit,
    /// End without an answer; nobody wants it any more.
    Abort,
}

/// Who a unit is played for. Asked several times a second.
pub trait Host {
    /// What it wants now.
    fn wish(&mut self) -> Wish;

    /// Tells it the share of the unit that is done, from 0 to 1.
    fn tell(&mut self, fraction: f64);

    /// Whether it is time to save.
    fn save_now(&mut self) -> bool;

    /// Tells it that the checkpoint is on the disk.
    fn saved(&mut self);

    /// Tells it that saving failed. The unit goes on, and saves again when asked.
    fn not_saved(&mut self, why: &str);
}
