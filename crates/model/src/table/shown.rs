//! What messages about tables have in common.

/// Both layouts, for messages.
pub(super) const LAYOUTS: &str = "a table of measured points has op, random_fraction, concurrency, block_bytes, bytes, \
    seconds; a table of costs has k with s_us, beta_us (writes) or t_us, alpha_us (reads) or both";

/// Text from a file, made fit for a message of one line: quoted, without control characters, and not too
/// long.
pub(super) fn quoted(text: &str) -> String {
    const MOST: usize = 40;
    let clipped: String = text.chars().take(MOST).collect();
    if clipped.len() < text.len() { format!("{clipped:?}...") } else { format!("{clipped:?}") }
}
