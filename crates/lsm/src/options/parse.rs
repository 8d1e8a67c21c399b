//! From text to sections, by the rules of RocksDB's own parser (options/options_parser.cc).

use std::collections::HashMap;
use std::path::Path;

use leadline_files::TextError;

use super::section::{Kind, Section, Setting};
use super::shown::shown;

/// The sections of a file, in its order. `path` is only for the messages.
pub(super) fn sections(text: &str, path: &Path) -> Result<Vec<Section>, TextError> {
    let mut sections: Vec<Section> = Vec::new();
    let mut lines = HashMap::new();
    for (at, line) in text.lines().enumerate() {
        let number = at + 1;
        let line = without_comment(line).trim();
        if line.is_empty() {
            continue;
        }
        if let Some(inner) = line.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
            let section = section(inner, number, path)?;
            if let Some(first) = lines.insert((section.title.clone(), section.family.clone()), number) {
                let reason = format!("[{}] is there already, at line {first}; leave out one", shown(inner));
                return Err(TextError::line(path, number, reason));
            }
            sections.push(section);
            continue;
        }
        let Some((name, value)) = line.split_once('=') else {
            let reason = format!("{:?} is neither a [Section] nor an option=value", shown(line));
            return Err(TextError::line(path, number, reason));
        };
        let Some(section) = sections.last_mut() else {
            let reason = "an option before the first section; an OPTIONS file starts with [Version]";
            return Err(TextError::line(path, number, reason));
        };
        let (name, value) = (name.trim().to_owned(), value.trim().to_owned());
        section.settings.push(Setting { name, value, line: number });
    }
    Ok(sections)
}

/// What is before the first # that has no backslash before it.
fn without_comment(line: &str) -> &str {
    let starts = |&(at, _): &(usize, &str)| at == 0 || line.as_bytes()[at - 1] != b'\\';
    line.match_indices('#').find(starts).map_or(line, |(at, _)| &line[..at])
}

fn section(inner: &str, line: usize, path: &Path) -> Result<Section, TextError> {
    let (title, family) = match (inner.find('"'), inner.rfind('"')) {
        (Some(start), Some(end)) if start < end => (inner[..start].trim(), &inner[start + 1..end]),
        _ => (inner.trim(), ""),
    };
    let error = |reason: String| TextError::line(path, line, reason);
    let Some(kind) = Kind::of_title(title) else {
        let titles = "Version, DBOptions, CFOptions \"default\" and TableOptions/BlockBasedTable \"default\"";
        return Err(error(format!(
            "[{}] is not a section of an OPTIONS file: they are {titles}",
            shown(inner)
        )));
    };
    if kind.is_per_family() && family.is_empty() {
        return Err(error(format!("[{}] names no column family; write [{title} \"default\"]", shown(inner))));
    }
    let family = if kind.is_per_family() { family } else { "" };
    Ok(Section { kind, title: title.to_owned(), family: family.to_owned(), line, settings: Vec::new() })
}

/// The options in a value `{a=1;b={c=2;};}`, and in one without the outer braces. Not those in braces within.
pub(super) fn nested(value: &str) -> Vec<(&str, &str)> {
    let value = value.trim();
    let inner = value.strip_prefix('{').and_then(|rest| rest.strip_suffix('}')).unwrap_or(value);
    let mut depth = 0_usize;
    let parts = inner.split(|c| {
        match c {
            '{' => depth += 1,
            '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        c == ';' && depth == 0
    });
    parts.filter_map(|part| part.split_once('=')).map(|(name, value)| (name.trim(), value.trim())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_in_braces_come_apart_at_the_outermost_level() {
        assert_eq!(
            nested("{id=BlockBasedTable;filter_policy={id=bloomfilter:10:false;};block_size=4096;}"),
            [
                ("id", "BlockBasedTable"),
                ("filter_policy", "{id=bloomfilter:10:false;}"),
                ("block_size", "4096")
            ]
        );
        assert_eq!(nested("capacity=8M;num_shard_bits=4"), [("capacity", "8M"), ("num_shard_bits", "4")]);
        assert_eq!(nested("BlockBasedTable"), []);
    }

    #[test]
    fn a_comment_starts_at_a_bare_hash() {
        assert_eq!(without_comment("a=1 # one"), "a=1 ");
        assert_eq!(without_comment("# all"), "");
        assert_eq!(without_comment(r"a=\#1"), r"a=\#1");
    }
}
