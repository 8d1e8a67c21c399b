//! What a field, and a column of them, holds.

/// What a field holds; a column holds the greatest of its fields' kinds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// Nothing.
    Empty,
    /// A whole number, of whatever size and sign.
    Integer,
    /// A number.
    Number,
    /// Anything else.
    Text,
}

impl Kind {
    /// Of a field without the blanks around it.
    pub fn of(field: &[u8]) -> Kind {
        let digits = field.strip_prefix(b"-").unwrap_or(field);
        if field.is_empty() {
            Kind::Empty
        } else if !digits.is_empty() && digits.iter().all(u8::is_ascii_digit) {
            Kind::Integer
        } else if is_number(field) {
            Kind::Number
        } else {
            Kind::Text
        }
    }

    /// Whether it is a number of any kind.
    pub fn is_numeric(self) -> bool {
        matches!(self, Kind::Integer | Kind::Number)
    }
}

/// As computers write numbers; `nan` and `inf` are as likely names.
fn is_number(field: &[u8]) -> bool {
    field.iter().any(u8::is_ascii_digit)
        && std::str::from_utf8(field).is_ok_and(|text| text.parse::<f64>().is_ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_told_from_names() {
        for (text, kind) in [
            ("", Kind::Empty),
            ("7", Kind::Integer),
            ("-7", Kind::Integer),
            ("007", Kind::Integer),
            ("1.5", Kind::Number),
            ("1e-3", Kind::Number),
            ("+3", Kind::Number),
            ("-", Kind::Text),
            ("nan", Kind::Text),
            ("inf", Kind::Text),
            ("1,5", Kind::Text),
            ("e1", Kind::Text),
            ("0x1f", Kind::Text),
        ] {
            assert_eq!(Kind::of(text.as_bytes()), kind, "{text}");
        }
    }
}
