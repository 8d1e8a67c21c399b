//! Where in a description a field stands.

use toml::de::{DeTable, DeValue};

/// Line of `field` (`gc.soft`), from 1; of the table it belongs to, or of the first line, where it is left
/// out.
pub(crate) fn line_of(text: &str, field: &str) -> usize {
    let Ok(root) = DeTable::parse(text) else { return 1 };
    let mut at = 0;
    let mut table = Some(root.get_ref());
    for part in field.split('.') {
        let Some((key, value)) = table.and_then(|table| table.iter().find(|(key, _)| key.get_ref() == part))
        else {
            break;
        };
        at = key.span().start;
        table = match value.get_ref() {
            DeValue::Table(table) => Some(table),
            _ => None,
        };
    }
    1 + text[..at.min(text.len())].matches('\n').count()
}

#[cfg(test)]
mod tests {
    use super::line_of;

    #[test]
    fn a_field_is_found_in_its_table_or_the_table_where_it_is_left_out() {
        let text = "kind = \"flash\"\n\n[gc]\nsoft = 1\n[buffer]\nread = \"1M\"\nlink = { a = 1, b = 2 }\n";
        for (field, line) in [("kind", 1), ("gc.soft", 4), ("gc.hard", 3), ("buffer.read", 6), ("nosuch", 1)]
        {
            assert_eq!(line_of(text, field), line, "{field}");
        }
        assert_eq!(line_of("= nonsense", "kind"), 1);
    }
}
