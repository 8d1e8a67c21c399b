//! The values of options: as the file has them, or the release's defaults.

use std::path::Path;

use leadline_files::TextError;

use super::known;
use super::release::Release;
use super::section::{Kind, Section, Setting};
use super::shown::shown;

/// The options of a database and one of its column families.
pub(super) struct Values<'a> {
    pub(super) path: &'a Path,
    pub(super) release: Release,
    pub(super) sections: &'a [Section],
    pub(super) family: &'a str,
}

/// An option's value, and the line it is on; 0 for a default.
#[derive(Clone, Copy)]
pub(super) struct Value<'a> {
    pub(super) name: &'a str,
    pub(super) text: &'a str,
    pub(super) line: usize,
}

impl<'a> Values<'a> {
    /// What the file says about an option.
    pub(super) fn setting(&self, kind: Kind, name: &str) -> Option<&'a Setting> {
        let is_meant = |s: &&Section| s.kind == kind && (!kind.is_per_family() || s.family == self.family);
        self.sections.iter().find(is_meant)?.get(name)
    }

    /// The file's value or the default; an empty text where there is neither.
    pub(super) fn get(&self, kind: Kind, name: &'a str) -> Value<'a> {
        if let Some(setting) = self.setting(kind, name) {
            return Value { name, text: &setting.value, line: setting.line };
        }
        let table = known::table();
        let default = table.find(kind, name).and_then(|option| table.defaults(option, self.release)[0]);
        Value { name, text: default.unwrap_or_default(), line: 0 }
    }

    /// An integer from `least` to `most`. RocksDB takes K, M, G and T for factors of 1024.
    pub(super) fn integer(
        &self,
        kind: Kind,
        name: &'a str,
        [least, most]: [i128; 2],
    ) -> Result<i128, TextError> {
        let value = self.get(kind, name);
        match integer(value.text) {
            Some(integer) if (least..=most).contains(&integer) => Ok(integer),
            Some(_) => Err(self.error(value, format!("must be from {least} to {most}"))),
            None => Err(self.error(value, "must be a whole number, such as 65536 or 64K".to_owned())),
        }
    }

    /// A number of bytes, 1 or more if `least` is 1.
    pub(super) fn bytes(&self, kind: Kind, name: &'a str, least: u64) -> Result<u64, TextError> {
        let bytes = self.integer(kind, name, [i128::from(least), i128::from(u64::MAX)])?;
        u64::try_from(bytes).map_err(|_| self.error(self.get(kind, name), "is too large".to_owned()))
    }

    /// A count, of RocksDB's type int: -1 often stands for "not set".
    pub(super) fn count(&self, kind: Kind, name: &'a str) -> Result<i32, TextError> {
        let count = self.integer(kind, name, [-1, i128::from(i32::MAX)])?;
        i32::try_from(count).map_err(|_| self.error(self.get(kind, name), "is too large".to_owned()))
    }

    /// A finite number above 0.
    pub(super) fn positive(&self, kind: Kind, name: &'a str) -> Result<f64, TextError> {
        let value = self.get(kind, name);
        match value.text.parse::<f64>() {
            Ok(number) if number > 0.0 && number.is_finite() => Ok(number),
            _ => Err(self.error(value, "must be a number above 0".to_owned())),
        }
    }

    /// true or false.
    pub(super) fn flag(&self, kind: Kind, name: &'a str) -> Result<bool, TextError> {
        let value = self.get(kind, name);
        match value.text {
            "true" | "1" => Ok(true),
            "false" | "0" => Ok(false),
            _ => Err(self.error(value, "must be true or false".to_owned())),
        }
    }

    pub(super) fn error(&self, value: Value<'_>, reason: String) -> TextError {
        TextError::value(self.path, value.line, format!("{}={}: {reason}", value.name, shown(value.text)))
    }
}

/// A whole number, with RocksDB's suffix.
pub(super) fn integer(text: &str) -> Option<i128> {
    let last = text.chars().last()?;
    let shift = match last.to_ascii_uppercase() {
        'K' => 10,
        'M' => 20,
        'G' => 30,
        'T' => 40,
        _ => 0,
    };
    let digits = if shift > 0 { &text[..text.len() - last.len_utf8()] } else { text };
    // RocksDB's numbers have at most 64 bits: the product has at most 104.
    digits
        .parse::<i64>()
        .map(i128::from)
        .or_else(|_| digits.parse::<u64>().map(i128::from))
        .ok()
        .map(|n| n << shift)
}

#[cfg(test)]
mod tests {
    use super::integer;

    #[test]
    fn integers_have_suffixes() {
        assert_eq!(integer("4096"), Some(4096));
        assert_eq!(integer("-1"), Some(-1));
        assert_eq!(integer("64k"), Some(65536));
        assert_eq!(integer("1T"), Some(1 << 40));
        assert_eq!(integer("18446744073709551615"), Some(u64::MAX.into()));
        for wrong in ["", "K", "1.5", "12x", "é", "99999999999999999999"] {
            assert_eq!(integer(wrong), None, "{wrong}");
        }
    }
}
