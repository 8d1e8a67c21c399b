//! Parts of a file in a message.

/// A field for a message: quoted, cut short, without control characters.
pub fn shown(field: &[u8]) -> String {
    const MOST: usize = 40;
    let text = String::from_utf8_lossy(&field[..field.len().min(4 * MOST)]);
    let mut short: String = text.chars().take(MOST).flat_map(char::escape_debug).collect();
    if text.chars().count() > MOST {
        short.push_str("...");
    }
    format!("\"{short}\"")
}
