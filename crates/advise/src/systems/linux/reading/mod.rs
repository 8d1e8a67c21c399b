//! Reading: a file of sysctl.d or of tmpfiles.d, udev rules, entries of the hardware database, lines of
//! `io.cost.model` and `io.cost.qos`, and scripts. Each line says itself which of these it is.

mod commands;
pub(super) mod costs;
mod paths;
pub(super) mod scope;
mod shell;
mod tmpfiles;
pub(super) mod udev;
mod words;

use std::path::Path;

use crate::{AdviseError, Config, Entry, Place};
use paths::Target;
use scope::LineScope;
use shell::Shell;

/// Section of the lines of the hardware database, before the patterns that they are for.
pub(super) const HWDB: &str = "hwdb ";

pub(super) fn read(text: &str, path: &Path) -> Result<Config, AdviseError> {
    let mut reader = Reader::default();
    for (number, line) in joined(text) {
        reader.line(&line, Place::Line { path: path.into(), line: number });
    }
    if reader.is_strange && !reader.is_understood && reader.config.entries.is_empty() {
        let reason = "has no line of sysctl.d, of tmpfiles.d, of a udev rule, of a hwdb entry, of \
                      io.cost.model and io.cost.qos, or of a script that writes into files of the kernel";
        return Err(AdviseError::syntax(path, None, reason));
    }
    Ok(reader.config)
}

/// What a rule of udev or a line of another file starts by way of a shell.
pub(super) fn script(line: &str, place: &Place) -> Config {
    let mut config = Config::default();
    Shell::default().line(line, place, &mut config);
    config
}

#[derive(Default)]
struct Reader {
    config: Config,
    shell: Shell,
    /// Patterns of the hardware database that the lines below are for, and whether such a line was seen.
    matches: Vec<String>,
    has_properties: bool,
    /// A file in which nothing is set is one of them, too.
    is_understood: bool,
    is_strange: bool,
}

impl Reader {
    fn line(&mut self, whole: &str, place: Place) {
        let line = whole.trim();
        let is_indented = whole.starts_with([' ', '\t']);
        if line.is_empty() {
            self.matches.clear();
            return;
        }
        if line.starts_with(['#', ';']) {
            return;
        }
        self.is_understood |= match () {
            () if self.hardware(line, is_indented, &place) => true,
            () if udev::is_rule(line) => {
                udev::read(line, &place, &mut self.config);
                true
            }
            () if self.temporary(line, &place) => true,
            () if self.kernels(line, &place) => true,
            () if self.sysctl(line, &place) => true,
            () => {
                self.is_strange = true;
                self.shell.line(line, &place, &mut self.config);
                false
            }
        };
    }

    fn push(&mut self, section: String, key: String, value: &str, place: &Place) {
        self.config.entries.push(Entry { section, key, value: value.to_owned(), place: place.clone() });
    }

    /// An entry of the hardware database: lines that begin with `block:`, then indented ones.
    fn hardware(&mut self, line: &str, is_indented: bool, place: &Place) -> bool {
        if line.starts_with("block:") {
            if std::mem::take(&mut self.has_properties) {
                self.matches.clear();
            }
            self.matches.push(line.to_owned());
            self.push(String::new(), line.to_owned(), "", place);
            return true;
        }
        let is_property = is_indented && !self.matches.is_empty();
        let pair = line.split_once('=').filter(|(name, _)| is_property && !name.is_empty());
        let Some((name, value)) = pair else { return false };
        self.has_properties = true;
        let section = format!("{HWDB}{}", self.matches.join("\n"));
        self.push(section, name.to_owned(), value, place);
        true
    }

    fn temporary(&mut self, line: &str, place: &Place) -> bool {
        match tmpfiles::line(line) {
            None => false,
            Some(tmpfiles::Line::Other) => true,
            Some(tmpfiles::Line::Writes(path, value)) => {
                let value = value.trim();
                match paths::target(&path) {
                    Some(Target::Queue { drive, key }) => {
                        let section = LineScope { drives: vec![drive], condition: None }.section();
                        self.push(section, key, value, place);
                    }
                    Some(Target::Sysctl(key)) => self.push(String::new(), key, value, place),
                    Some(Target::Cost) => self.costs(value, place),
                    None => {}
                }
                true
            }
        }
    }

    /// Lines of `io.cost.model` and `io.cost.qos` as the kernel prints them.
    fn kernels(&mut self, line: &str, place: &Place) -> bool {
        let mut words = line.split_whitespace();
        let first = words.next().unwrap_or_default();
        let is_pair = |word: &str| word.contains('=') && !word.contains(['$', '(', '>', '[']);
        let is_whole = (costs::is_number(first) || is_pair(first)) && words.all(is_pair);
        let is_one = is_whole && !costs::costs(line).is_empty();
        if is_one {
            self.costs(line, place);
        }
        is_one
    }

    fn costs(&mut self, line: &str, place: &Place) {
        let section = costs::number(line).unwrap_or_default().to_owned();
        for (key, value) in costs::costs(line) {
            self.push(section.clone(), key, value, place);
        }
    }

    /// `vm.dirty_bytes = 1`, with `/` for `.` if one likes; a failure to write one that begins with `-` is no
    /// error.
    fn sysctl(&mut self, line: &str, place: &Place) -> bool {
        let Some((key, value)) = line.strip_prefix('-').unwrap_or(line).split_once('=') else { return false };
        let key = key.trim();
        let is_of_key = |c: char| c.is_ascii_alphanumeric() || "._/-*?@:%".contains(c);
        let is_key = key.contains(['.', '/']) && !key.starts_with(['/', '.']) && key.chars().all(is_of_key);
        if is_key {
            self.push(String::new(), key.replace('/', "."), value.trim(), place);
        }
        is_key
    }
}

/// The lines of `text`, where one that ends with a backslash goes on in the next; each with the number of its
/// first line, from 1. Remarks within are left out, as udev does.
fn joined(text: &str) -> Vec<(usize, String)> {
    let mut lines: Vec<(usize, String)> = Vec::new();
    let mut goes_on = false;
    for (at, line) in text.lines().enumerate() {
        if goes_on && line.trim_start().starts_with('#') {
            continue;
        }
        let (part, more) = line.strip_suffix('\\').map_or((line, false), |part| (part, true));
        match lines.last_mut().filter(|_| goes_on) {
            Some((_, before)) => before.push_str(part.trim_start()),
            None => lines.push((at + 1, part.to_owned())),
        }
        goes_on = more && !line.trim_start().starts_with('#');
    }
    lines
}
