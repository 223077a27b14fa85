//! A state: what is saved of a run, and the frame around it.
//!
//! A state is a frame around a body. The frame's first 36 bytes mean the same in every version:
//! magic (8 bytes), format version (u32), plan fingerprint (u64), length of the body (u64), crc32
//! of the body (u32), crc32 of the 32 bytes before (u32); numbers are little-endian. So a newer
//! state is told from a damaged one, and nothing of a damaged one is ever used.
//! How a body is encoded stands in [`encoding`](crate::search::encoding).

use serde::{Deserialize, Serialize};

use crate::search::encoding::{decode, encode};
use crate::search::plan::Fingerprint;
use crate::search::plan::shard::Shard;

/// The format written, and the newest one read.
pub const FORMAT: u32 = 1;

const MAGIC: [u8; 8] = *b"camicia\x1a";
const HEADER: usize = 36;

/// What a search needs to go on.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Saved {
    /// The plan as [`Canonical`](crate::search::plan::Canonical) writes it.
    pub plan: String,
    /// Which part of the plan is worked on.
    pub shard: Shard,
    /// How many blocks of the shard are done: the first ones, without a gap.
    pub done: u64,
    /// The finds that belong to those blocks.
    pub finds: Extent,
    /// The tally of those blocks, encoded by itself.
    pub tally: Vec<u8>,
    /// The version of the program that wrote it.
    pub program: String,
}

/// The first bytes of a file.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
pub struct Extent {
    /// How many.
    pub bytes: u64,
    /// Their crc32.
    pub crc32: u32,
}

impl Extent {
    /// This extent and `more` after it.
    pub fn with(self, more: &[u8]) -> Extent {
        let mut hasher = crc32fast::Hasher::new_with_initial_len(self.crc32, self.bytes);
        hasher.update(more);
        Extent {
            bytes: self.bytes + more.len() as u64,
            crc32: hasher.finalize(),
        }
    }
}

/// Why a frame is not a state.
#[derive(Debug)]
pub(super) enum FrameError {
    Damaged(String),
    Newer(u32),
}

fn damaged(what: impl Into<String>) -> FrameError {
    FrameError::Damaged(what.into())
}

pub(super) fn seal(fingerprint: Fingerprint, saved: &Saved) -> Vec<u8> {
    let body = encode(saved);
    let mut frame = Vec::with_capacity(HEADER + body.len());
    frame.extend(MAGIC);
    frame.extend(FORMAT.to_le_bytes());
    frame.extend(fingerprint.0.to_le_bytes());
    frame.extend((body.len() as u64).to_le_bytes());
    frame.extend(crc32fast::hash(&body).to_le_bytes());
    frame.extend(crc32fast::hash(&frame).to_le_bytes());
    frame.extend(body);
    frame
}

pub(super) fn unseal(frame: &[u8]) -> Result<(Fingerprint, Saved), FrameError> {
    let Some((header, body)) = frame.split_at_checked(HEADER) else {
        return Err(damaged(format!("it has only {} bytes", frame.len())));
    };
    let u32_at = |at: usize| u32::from_le_bytes(header[at..at + 4].try_into().expect("4 bytes"));
    let u64_at = |at: usize| u64::from_le_bytes(header[at..at + 8].try_into().expect("8 bytes"));
    if crc32fast::hash(&header[..32]) != u32_at(32) {
        return Err(damaged("the checksum of its header does not fit"));
    }
    if header[..8] != MAGIC {
        return Err(damaged("it is no state of a search"));
    }
    let version = u32_at(8);
    if version > FORMAT {
        return Err(FrameError::Newer(version));
    }
    if version == 0 {
        return Err(damaged("it says that it has format 0, which never was"));
    }
    if body.len() as u64 != u64_at(20) {
        return Err(damaged(format!(
            "it has {} bytes of body instead of {}",
            body.len(),
            u64_at(20)
        )));
    }
    if crc32fast::hash(body) != u32_at(28) {
        return Err(damaged("its checksum does not fit"));
    }
    let saved: Saved = decode(body).ok_or_else(|| damaged("its body does not decode"))?;
    let fingerprint = Fingerprint(u64_at(12));
    if fingerprint != Fingerprint::of(&saved.plan) {
        return Err(damaged("its fingerprint is not that of its plan"));
    }
    Ok((fingerprint, saved))
}
