//! How states are encoded: bincode 2 with its standard configuration. No other file knows it.

use serde::Serialize;
use serde::de::DeserializeOwned;

/// Encodes a value.
pub fn encode<T: Serialize>(value: &T) -> Vec<u8> {
    bincode::serde::encode_to_vec(value, bincode::config::standard())
        .expect("states hold numbers, strings and lists")
}

/// Decodes what [`encode`] wrote; `None` if it is something else.
pub fn decode<T: DeserializeOwned>(bytes: &[u8]) -> Option<T> {
    // The limit keeps a wrong length from asking for memory that the bytes cannot fill.
    let config = bincode::config::standard().with_limit::<{ 1 << 32 }>();
    match bincode::serde::decode_from_slice(bytes, config) {
        Ok((value, used)) if used == bytes.len() => Some(value),
        _ => None,
    }
}
