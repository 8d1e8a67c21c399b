//! ceph.conf as Ceph reads it (`IniGrammer` in src/common/ConfUtils.cc).

use std::collections::BTreeSet;
use std::path::Path;

use crate::{AdviseError, Config, Entry, Place};

const REFUSED: &str = "with which Ceph does not load the file";

/// Reads what OSDs read. A section for one of them is in force whatever the order, then `[osd]`, then
/// `[global]`: so these are sorted, the most general first.
pub(super) fn read(text: &str, path: &Path) -> Result<Config, AdviseError> {
    let mut config = Config::default();
    let mut left = BTreeSet::new();
    let mut reader = Reader { rest: text, line: 1, path };
    let mut section: Option<String> = None;
    while let Some(item) = reader.item(section.is_some(), &mut config)? {
        match item {
            Item::Section(name) => section = Some(name),
            Item::Assigned { line, key, value } => {
                let section = section.clone().unwrap_or_default();
                if rank(&section).is_none() {
                    left.insert(section);
                    continue;
                }
                let place = Place::Line { path: path.into(), line };
                if key.starts_with("osd-") {
                    config
                        .notes
                        .push(format!("{place}: {key}: Ceph does not know it; keys have underscores"));
                }
                config.entries.push(Entry { section, key, value, place });
            }
        }
    }
    config.entries.sort_by_key(|entry| rank(&entry.section));
    drop_overridden(&mut config);
    if !left.is_empty() {
        let left: Vec<String> = left.iter().map(|section| format!("[{section}]")).collect();
        config.notes.push(format!("sections that OSDs do not read: {}", left.join(", ")));
    }
    Ok(config)
}

/// How special a section is; `None` if OSDs do not read it.
fn rank(section: &str) -> Option<u8> {
    match section {
        "" | "global" => Some(0),
        "osd" => Some(1),
        _ => section.starts_with("osd.").then_some(2),
    }
}

/// Takes out what `[osd]` overrides for all OSDs.
fn drop_overridden(config: &mut Config) {
    let of_osd: Vec<Entry> = config.entries.iter().filter(|entry| entry.section == "osd").cloned().collect();
    let overrides = |entry: &Entry| {
        let by = of_osd.iter().find(|other| other.key == entry.key);
        by.filter(|_| rank(&entry.section) == Some(0)).cloned()
    };
    let notes = config.entries.iter().filter_map(|entry| Some((entry, overrides(entry)?)));
    config.notes.extend(
        notes.map(|(entry, by)| {
            format!("{}: {} is overridden for OSDs in {}", entry.place, entry.key, by.place)
        }),
    );
    config.entries.retain(|entry| overrides(entry).is_none());
}

enum Item {
    Section(String),
    Assigned { line: usize, key: String, value: String },
}

struct Reader<'a> {
    rest: &'a str,
    /// Of `rest`, from 1.
    line: usize,
    path: &'a Path,
}

impl Reader<'_> {
    /// The next section or assignment; `in_section`: one has begun.
    fn item(&mut self, in_section: bool, config: &mut Config) -> Result<Option<Item>, AdviseError> {
        loop {
            let whole = self.rest.split('\n').next().unwrap_or_default().trim_end_matches('\r');
            let line = whole.trim_start_matches([' ', '\t']);
            if self.rest.is_empty() {
                return Ok(None);
            }
            if line.starts_with(['#', ';']) || whole.is_empty() {
                self.skip_line();
            } else if line.is_empty() {
                if !in_section {
                    return Err(self.wrong("has only spaces, before the first section"));
                }
                self.end_line()?;
            } else if let Some(inner) = whole.strip_prefix('[') {
                return self.section(inner).map(Some);
            } else if line.starts_with("{%") || line.starts_with("<%") {
                let place = Place::Line { path: self.path.into(), line: self.line };
                config.notes.push(format!("{place}: {line} is a template's and was not read"));
                config.incomplete = true;
                self.skip_line();
            } else {
                return self.assigned(in_section).map(Some);
            }
        }
    }

    fn section(&mut self, inner: &str) -> Result<Item, AdviseError> {
        let (name, end) = characters(inner, &[']', '#', ';']);
        let rest = inner[end..].strip_prefix(']');
        let rest =
            rest.filter(|_| !name.is_empty()).ok_or_else(|| self.wrong("is a section whose ] is missing"))?;
        if !is_blank(rest) {
            return Err(self.wrong("has something behind the ]"));
        }
        self.end_line()?;
        Ok(Item::Section(name))
    }

    fn assigned(&mut self, in_section: bool) -> Result<Item, AdviseError> {
        let first = self.line;
        let text = self.rest;
        let (_, end) = characters(text, &['=', '[', '#', ';', '\r', '\n']);
        let key = text[..end].trim_matches(is_space);
        let Some(value) = text[end..].strip_prefix('=').filter(|_| !key.is_empty()) else {
            return Err(self.wrong("is not of the form KEY = VALUE"));
        };
        if !in_section {
            return Err(self.wrong("is an option before the first section; [global] is missing above it"));
        }
        let key = key.split(is_space).filter(|word| !word.is_empty()).collect::<Vec<_>>().join("_");
        self.rest = value.trim_start_matches([' ', '\t']);
        let value = match self.rest.chars().next() {
            Some(quote @ ('"' | '\'')) => self.quoted(quote)?,
            _ => self.unquoted(),
        };
        let behind = self.rest.split('\n').next().unwrap_or_default();
        if !is_blank(behind) {
            return Err(self.wrong("has something behind the quotes"));
        }
        self.end_line()?;
        Ok(Item::Assigned { line: first, key, value })
    }

    fn quoted(&mut self, quote: char) -> Result<String, AdviseError> {
        let (value, end) = characters(&self.rest[1..], &[quote, '#', ';', '\r', '\n']);
        let rest = self.rest[1 + end..].strip_prefix(quote);
        self.rest =
            rest.ok_or_else(|| self.wrong("has a quote that does not end, or # or ; in it without a \\"))?;
        Ok(value.trim_matches(is_space).to_owned())
    }

    /// Up to a remark or the end of a line that has no backslash there.
    fn unquoted(&mut self) -> String {
        let mut value = String::new();
        loop {
            let (text, end) = characters(self.rest, &['#', ';', '\r', '\n', '\\']);
            value.push_str(&text);
            self.rest = &self.rest[end..];
            let ends = ["\\\n", "\\\r\n"];
            let Some(after) = ends.iter().find_map(|end| self.rest.strip_prefix(end)) else { break };
            self.rest = after;
            self.line += 1;
        }
        value.trim_matches(is_space).to_owned()
    }

    fn skip_line(&mut self) {
        self.rest = self.rest.split_once('\n').map_or("", |(_, rest)| rest);
        self.line += 1;
    }

    /// Past the end of a line, which has to have one.
    fn end_line(&mut self) -> Result<(), AdviseError> {
        if !self.rest.contains('\n') {
            return Err(self.wrong("is the last one and does not end"));
        }
        self.skip_line();
        Ok(())
    }

    fn wrong(&self, reason: &str) -> AdviseError {
        AdviseError::syntax(self.path, self.line, format!("{reason}, {REFUSED}"))
    }
}

fn is_space(c: char) -> bool {
    c.is_ascii_whitespace() || c == '\u{b}'
}

/// Nothing but spaces and a remark.
fn is_blank(text: &str) -> bool {
    let text = text.trim_start_matches([' ', '\t']);
    matches!(text.trim_end_matches('\r'), "") || text.starts_with(['#', ';'])
}

/// Characters up to one of `ends`, a backslash before one taken away; and how many bytes they are. A
/// backslash at the end of a line ends them, too.
fn characters(text: &str, ends: &[char]) -> (String, usize) {
    let mut found = String::new();
    let mut chars = text.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        if c == '\\' {
            match chars.peek() {
                Some((_, next)) if !matches!(next, '\r' | '\n') => found.extend(chars.next().map(|(_, c)| c)),
                _ => return (found, at),
            }
        } else if ends.contains(&c) {
            return (found, at);
        } else {
            found.push(c);
        }
    }
    (found, text.len())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::syntax::templates;

    fn found(text: &str) -> Vec<(String, String, String)> {
        let config = read(text, Path::new("c")).unwrap();
        config.entries.into_iter().map(|entry| (entry.section, entry.key, entry.value)).collect()
    }

    #[test]
    fn the_most_special_section_comes_last() {
        let text =
            "[osd.3]\na = 1\n[osd]\na = 2\nb = 2\n[mon]\na = 9\n[global]\na = 3\nc = 3\n[osd]\nb = 4\n";
        let want = [
            ("global", "c", "3"),
            ("osd", "a", "2"),
            ("osd", "b", "2"),
            ("osd", "b", "4"),
            ("osd.3", "a", "1"),
        ];
        assert_eq!(found(text), want.map(|(s, k, v)| (s.to_owned(), k.to_owned(), v.to_owned())));
        let config = read(text, Path::new("c")).unwrap();
        assert_eq!(
            config.notes,
            ["c, line 9: a is overridden for OSDs in c, line 4", "sections that OSDs do not read: [mon]"]
        );
        assert_eq!(config.last("a").unwrap().place.to_string(), "c, line 2");
    }

    #[test]
    fn values_have_remarks_quotes_escapes_and_further_lines() {
        for (text, value) in [
            ("a = 1 # x", "1"),
            ("a=1;x", "1"),
            ("a = x y  ", "x y"),
            ("a = \"q r\" ; x", "q r"),
            ("a = 'it'", "it"),
            ("a = it's", "it's"),
            ("a = \"x\\\"y\"", "x\"y"),
            ("a = \\#1 \\; 2", "#1 ; 2"),
            ("a = u\\\n  v", "u  v"),
            ("a = \\\n v", "v"),
            ("a = x \\\n\\\ny", "x y"),
            ("a = 5 \\\n# x", "5"),
            ("a = b = c", "b = c"),
            ("a =", ""),
            ("  a  = \\q", "q"),
            ("a\t= x\\\\", "x\\"),
        ] {
            let want = vec![("osd".to_owned(), "a".to_owned(), value.to_owned())];
            assert_eq!(found(&format!("[osd]\n{text}\n")), want, "{text}");
        }
        let keys = found("[osd] # x\r\nosd max\t backfills = 1\r\n\r\n  \nosd-x_y = 2\n");
        assert_eq!((keys[0].1.as_str(), keys[1].1.as_str()), ("osd_max_backfills", "osd-x_y"));
    }

    #[test]
    fn what_ceph_does_not_load_is_refused_with_its_line() {
        for (text, line) in [
            ("a = 1\n[osd]\n", 1),
            ("  \n[osd]\n", 1),
            (" [osd]\n", 1),
            ("[osd]\na = 1", 2),
            ("[osd]\na = 1 # x", 2),
            ("[osd]\nnonsense\n", 2),
            ("[osd]\na = \\\n1\n= 2\n", 4),
            ("[osd\n", 1),
            ("[osd] a = 1\n", 1),
            ("[osd]\na = \"x\n", 2),
            ("[osd]\na = \"x # y\"\n", 2),
            ("[osd]\na = \"q\" r\n", 2),
            ("[osd]\na# = 1\n", 2),
            ("[osd]\n  ", 2),
        ] {
            let said = read(text, Path::new("c")).expect_err(text).to_string();
            assert!(
                said.starts_with(&format!("c, line {line}: ")) && said.ends_with(REFUSED),
                "{text:?}: {said}"
            );
        }
        for text in ["", "# only", "[osd]\na = 1\n# x", "\n# x\n\n[osd]\n"] {
            assert!(read(text, Path::new("c")).is_ok(), "{text:?}");
        }
    }

    #[test]
    fn templates_are_no_values() {
        let text = "[osd]\n{% if x %}\na = {{ a }}\n{% endif %}\nb = $cluster\n";
        let config = templates::set_aside(read(text, Path::new("c")).unwrap());
        assert!(config.entries.is_empty() && config.undecided.len() == 2 && config.incomplete);
    }
}
