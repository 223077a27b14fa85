//! Commands on what searches found.

pub mod claims;
pub mod records;
pub mod report;
pub mod verify;
