//! What `ceph config dump`, `ceph config show` and an OSD's `config show`, `config get` and `config diff`
//! print: tables and JSON.

use super::found::Found;
use super::source::Source;
use crate::syntax::yaml::Node;
use crate::{AdviseError, System, plain};

pub(super) fn find(source: &Source) -> Result<Option<Vec<Found>>, AdviseError> {
    let mut found = Found::new(System::Ceph, source.path, "");
    let evidence = match table(source.text, &mut found) {
        Some(evidence) => evidence,
        None if source.text.trim_start().starts_with(['{', '[']) => match source.documents().first() {
            Some(document) => match json(document, &mut found) {
                Some(evidence) => evidence,
                None => return Ok(None),
            },
            None => return Ok(None),
        },
        None => return Ok(None),
    };
    found.evidence = evidence;
    Ok(Some(vec![found]))
}

/// Columns below their names: WHO, MASK, LEVEL, OPTION, VALUE, or NAME, VALUE, SOURCE.
fn table(text: &str, found: &mut Found) -> Option<String> {
    let mut lines = text.lines().enumerate();
    let (at, header) = lines.find(|(_, line)| {
        let words: Vec<&str> = line.split_whitespace().collect();
        words.starts_with(&["WHO"]) && words.contains(&"OPTION") && words.contains(&"VALUE")
            || words.starts_with(&["NAME", "VALUE", "SOURCE"])
    })?;
    let column = |name: &str| header.split_whitespace().any(|word| word == name);
    for (at, line) in lines {
        let words: Vec<&str> = line.split_whitespace().collect();
        if column("OPTION") {
            // MASK is mostly empty; LEVEL is one of three words.
            let Some(level) = words.iter().position(|word| ["basic", "advanced", "dev"].contains(word))
            else {
                continue;
            };
            let (Some(who), Some(key), Some(value)) =
                (words.first(), words.get(level + 1), words.get(level + 2))
            else {
                continue;
            };
            put(who, if level > 1 { words[1] } else { "" }, key, value, at + 1, found);
        } else if let [key, value, rest @ ..] = words.as_slice()
            && rest.first() != Some(&"default")
        {
            found.put_in("osd", key, value, at + 1);
        }
    }
    Some(format!("line {} names the columns", at + 1))
}

/// A list of options, or a map of keys.
fn json(document: &Node, found: &mut Found) -> Option<String> {
    if let Some(list) = document.list() {
        let first = list.first()?;
        ["section", "name", "value"].iter().all(|key| first.get(key).is_some()).then_some(())?;
        for option in list {
            let text = |key| option.get(key).and_then(Node::text).unwrap_or_default();
            let line = option.get("value").map_or(option.line, |node| node.line);
            put(text("section"), text("mask"), text("name"), text("value"), line, found);
        }
        return Some(format!("a list of {} options with section, name and value", list.len()));
    }
    let keys = document.map()?;
    if let Some((_, diff)) = keys.iter().find(|(key, _)| key == "diff") {
        for (key, values) in diff.map()?.iter().filter(|(key, _)| key.contains('_')) {
            if let Some(node) = values.get("final") {
                found.put_in("osd", key, node.text().unwrap_or_default(), node.line);
            }
        }
        return Some("the difference to the defaults".to_owned());
    }
    let ours = keys.iter().filter(|(key, _)| plain::is_key(System::Ceph, key));
    (2 * ours.count() > keys.len()).then_some(())?;
    for (key, node) in keys {
        if let Some(value) = node.text() {
            found.put_in("osd", key, value, node.line);
        }
    }
    found
        .config
        .notes
        .push("unset options are judged like set ones: the output does not distinguish them".to_owned());
    Some(format!("a map of {} options", keys.len()))
}

/// Those of OSDs; a mask limits an option to some.
fn put(who: &str, mask: &str, key: &str, value: &str, line: usize, found: &mut Found) {
    let is_osds = who == "global" || who == "osd" || who.starts_with("osd.");
    if is_osds {
        let section = if mask.is_empty() || mask == "*" { who.to_owned() } else { format!("{who}/{mask}") };
        found.put_in(&section, key, value, line);
    }
}
