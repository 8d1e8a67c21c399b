//! Sizes as descriptions have them: a number of bytes, or a text with K, M, G or T.

use leadline_device::parse_size;
use serde::Deserialize;

#[derive(Deserialize)]
#[serde(untagged, expecting = "must be a whole number of bytes, or a size with K, M, G or T such as \"4G\"")]
enum Size {
    Bytes(u64),
    Text(String),
}

/// Reads a size of a description, for `#[serde(deserialize_with)]`: bytes; K, M, G and T are powers of two.
///
/// # Errors
/// The deserializer's, with what a size may look like.
pub fn size<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<u64, D::Error> {
    match Size::deserialize(deserializer)? {
        Size::Bytes(bytes) => Ok(bytes),
        Size::Text(text) => parse_size(&text).map_err(serde::de::Error::custom),
    }
}

/// The same where it may be left out.
pub(crate) fn optional_size<'de, D: serde::Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<u64>, D::Error> {
    size(deserializer).map(Some)
}
