//! `provisioned-rate` in any text: a unit of systemd, a script, a manifest, the output of `ps`; and the
//! setting of the cluster in SQL.

use std::path::Path;

use super::{CLUSTER, KEY, WITH_DISK};
use crate::syntax::templates;
use crate::{AdviseError, Config, Entry, Place};

/// Units of go-humanize (`bytesSizeTable`), in lower case.
const UNITS: [(&str, f64); 26] = [
    ("", 1.0),
    ("b", 1.0),
    ("kib", 1024.0),
    ("kb", 1e3),
    ("mib", 1048576.0),
    ("mb", 1e6),
    ("gib", 1073741824.0),
    ("gb", 1e9),
    ("tib", 1099511627776.0),
    ("tb", 1e12),
    ("pib", 1125899906842624.0),
    ("pb", 1e15),
    ("eib", 1152921504606846976.0),
    ("eb", 1e18),
    ("ki", 1024.0),
    ("k", 1e3),
    ("mi", 1048576.0),
    ("m", 1e6),
    ("gi", 1073741824.0),
    ("g", 1e9),
    ("ti", 1099511627776.0),
    ("t", 1e12),
    ("pi", 1125899906842624.0),
    ("p", 1e15),
    ("ei", 1152921504606846976.0),
    ("e", 1e18),
];

/// Finds the flag and the setting.
pub(super) fn read(text: &str, path: &Path) -> Result<Config, AdviseError> {
    let mut config = Config::default();
    let text = without_remarks(text);
    let line_of = |at: usize| 1 + text[..at].matches('\n').count();
    let mut found = Vec::new();
    for (at, flag) in text.match_indices("provisioned-rate=") {
        if let Some((section, value)) = flag_value(&text[at + flag.len()..], path, line_of(at))? {
            found.push((at, section, value));
        }
    }
    for (at, _) in text.match_indices(CLUSTER) {
        let before = text[..at].trim_end().rsplit([';', '\n']).next().unwrap_or_default();
        let is_reset = before.trim_start().get(..5).is_some_and(|word| word.eq_ignore_ascii_case("reset"));
        match setting(&text[at + CLUSTER.len()..]).filter(|_| !is_reset) {
            Some(value) => found.push((at, CLUSTER, value)),
            // The default, by which nothing is held back.
            None => found.retain(|(_, section, _)| *section != CLUSTER),
        }
    }
    found.sort_by_key(|(at, ..)| *at);
    for (at, section, value) in found {
        let place = Place::Line { path: path.into(), line: line_of(at) };
        config.entries.push(Entry { section: section.to_owned(), key: KEY.to_owned(), value, place });
    }
    let has_words = !text.trim().is_empty();
    if config.entries.is_empty()
        && has_words
        && !text.contains(CLUSTER)
        && !text.contains("provisioned-rate=")
    {
        let reason = format!("has neither {KEY}=bandwidth=BYTES/s nor {CLUSTER}");
        return Err(AdviseError::syntax(path, None, reason));
    }
    Ok(config)
}

/// The text with blanks for what are remarks: lines that begin with `#` or with `--` and no flag, `-- ` to
/// the end of a line, and `/* */`.
fn without_remarks(text: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    let mut in_block = false;
    for line in text.split_inclusive('\n') {
        let start = line.trim_start();
        let is_sql = |rest: &str| rest.is_empty() || rest.starts_with([' ', '\t', '\n', '\r']);
        let is_statement =
            |rest: &str| rest.trim_start().get(..3).is_some_and(|word| word.eq_ignore_ascii_case("set"));
        let is_remark = start.strip_prefix("--").is_some_and(|rest| is_sql(rest) || is_statement(rest));
        if !in_block && (start.starts_with('#') || is_remark) {
            kept.push('\n');
            continue;
        }
        let mut rest = line;
        loop {
            let (mark, next) = if in_block { ("*/", false) } else { ("/*", true) };
            let Some((before, after)) = rest.split_once(mark) else { break };
            if !in_block {
                kept.push_str(before);
            }
            (in_block, rest) = (next, after);
        }
        if in_block {
            kept.push('\n');
        } else {
            match rest.split_once(" -- ") {
                Some((before, _)) => kept.extend([before, "\n"]),
                None => kept.push_str(rest),
            }
        }
    }
    kept
}

/// Section and value of the flag; `None` where it names no bandwidth, so that the setting of the cluster is
/// in force.
fn flag_value(text: &str, path: &Path, line: usize) -> Result<Option<(&'static str, String)>, AdviseError> {
    let ends = |c: char| c.is_whitespace() || matches!(c, ',' | '"' | '\'' | ';' | '\\');
    let value = &text[..templates::end(text, ends)];
    let section = if value.starts_with("disk-name=") { WITH_DISK } else { "" };
    let Some((_, bandwidth)) = value.split_once("bandwidth=") else { return Ok(None) };
    match bandwidth.strip_suffix("/s") {
        Some(bytes) => Ok(Some((section, bytes.to_owned()))),
        None if templates::depends_on(bandwidth).is_some() => Ok(Some((section, bandwidth.to_owned()))),
        None => {
            let reason = format!("{value}: the bandwidth does not end with /s, as in 250MiB/s");
            Err(AdviseError::syntax(path, line, reason))
        }
    }
}

/// What follows the name of the setting: `= '125 MiB'`, `TO '125 MiB'`, or a column of a table; `None` for
/// the default.
fn setting(text: &str) -> Option<String> {
    let is_between = |c: char| c.is_whitespace() || matches!(c, '=' | ':' | '|' | '"');
    let mut rest = text.trim_start_matches(is_between);
    if rest.get(..2).is_some_and(|word| word.eq_ignore_ascii_case("to"))
        && rest[2..].starts_with(char::is_whitespace)
    {
        rest = rest[2..].trim_start();
    }
    if rest.get(..7).is_some_and(|word| word.eq_ignore_ascii_case("default")) {
        return None;
    }
    if let Some(quoted) = rest.strip_prefix('\'') {
        return Some(quoted.split('\'').next().unwrap_or_default().to_owned());
    }
    if rest.starts_with(['$', '{', '<']) {
        return Some(rest[..templates::end(rest, |c| c.is_whitespace() || c == ';')].to_owned());
    }
    // A table has the value without quotes: a number, and perhaps a unit.
    let number =
        rest.find(|c: char| !(c.is_ascii_digit() || matches!(c, '.' | ',' | '-'))).unwrap_or(rest.len());
    let unit = rest[number..].trim_start_matches(' ');
    let letters = unit.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(unit.len());
    let has_unit = number > 0 && UNITS.iter().any(|(name, _)| *name == unit[..letters].to_ascii_lowercase());
    Some(match has_unit {
        true => format!("{}{}", &rest[..number], &unit[..letters]),
        false => rest[..rest.find(|c: char| c.is_whitespace() || c == ';').unwrap_or(rest.len())].to_owned(),
    })
}

/// A size as go-humanize's `ParseBytes` takes it, bytes.
pub(super) fn bytes(text: &str) -> Option<f64> {
    let end = text.find(|c: char| !(c.is_ascii_digit() || matches!(c, '.' | ','))).unwrap_or(text.len());
    let number: f64 = text[..end].replace(',', "").parse().ok()?;
    let unit = text[end..].trim().to_ascii_lowercase();
    let (_, factor) = UNITS.iter().find(|(name, _)| *name == unit)?;
    Some(number * factor)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<(String, String, usize)> {
        let config = read(text, Path::new("u")).unwrap();
        let line = |place: &Place| if let Place::Line { line, .. } = place { *line } else { 0 };
        config.entries.into_iter().map(|entry| (entry.section, entry.value, line(&entry.place))).collect()
    }

    #[test]
    fn the_flag_is_found_wherever_it_stands() {
        let text = "ExecStart=cockroach start --store=path=/d,provisioned-rate=bandwidth=250MiB/s \\\n\
                    --store 'path=/e,provisioned-rate=disk-name=sdb:bandwidth=1GB/s,attrs=ssd'\n\
                    # provisioned-rate=bandwidth=1MiB/s\nprovisioned-rate=bandwidth=${RATE:-5MiB}/s,\n";
        let want = [("", "250MiB", 1), (WITH_DISK, "1GB", 2), ("", "${RATE:-5MiB}", 4)];
        assert_eq!(found(text), want.map(|(s, v, l)| (s.to_owned(), v.to_owned(), l)));
    }

    #[test]
    fn the_setting_is_found_in_statements_and_tables() {
        for (text, value) in [
            ("SET CLUSTER SETTING kvadmission.store.provisioned_bandwidth = '128MiB';", "128MiB"),
            ("set cluster setting kvadmission.store.provisioned_bandwidth to '125 MiB';", "125 MiB"),
            ("SET CLUSTER SETTING\n  kvadmission.store.provisioned_bandwidth\n  = '0B'", "0B"),
            ("kvadmission.store.provisioned_bandwidth\t128 MiB\tz\ttrue", "128MiB"),
            (" kvadmission.store.provisioned_bandwidth | 1,024 KiB | z", "1,024KiB"),
            ("SET CLUSTER SETTING kvadmission.store.provisioned_bandwidth = ${BW};", "${BW}"),
            ("/* x\n*/ SET CLUSTER SETTING kvadmission.store.provisioned_bandwidth = '1GB' -- x", "1GB"),
        ] {
            let values: Vec<String> = found(text).into_iter().map(|(_, value, _)| value).collect();
            assert_eq!(values, [value], "{text}");
        }
        let set = "SET CLUSTER SETTING kvadmission.store.provisioned_bandwidth = '1GB';\n";
        for last in [
            "RESET CLUSTER SETTING kvadmission.store.provisioned_bandwidth;",
            "SET CLUSTER SETTING kvadmission.store.provisioned_bandwidth = DEFAULT;",
        ] {
            assert_eq!(found(&format!("{set}{last}")), [], "{last}");
        }
        let remarks = format!("-- {set}--{set}# {set}/* {set} */");
        assert_eq!(found(&remarks), []);
    }

    #[test]
    fn a_rate_is_per_second_and_a_text_without_one_is_refused() {
        let said = |text| read(text, Path::new("u")).unwrap_err().to_string();
        let one = said("--store=provisioned-rate=bandwidth=1GiB\n");
        assert_eq!(one, "u, line 1: bandwidth=1GiB: the bandwidth does not end with /s, as in 250MiB/s");
        assert!(said("nothing\n").starts_with("u: has neither provisioned-rate"));
        assert_eq!(read("# nothing is set\n", Path::new("u")).unwrap(), Config::default());
    }

    #[test]
    fn sizes_are_those_of_go_humanize() {
        for (text, value) in [
            ("125 MiB", 131_072_000.0),
            ("1.5GB", 1.5e9),
            ("0B", 0.0),
            ("1,024", 1024.0),
            ("2k", 2e3),
            ("2Ki", 2048.0),
        ] {
            assert_eq!(bytes(text), Some(value), "{text}");
        }
        for text in ["", "MiB", "-1", "1.2.3", "1 apple"] {
            assert_eq!(bytes(text), None, "{text}");
        }
    }
}
