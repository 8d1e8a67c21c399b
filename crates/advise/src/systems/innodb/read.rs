//! Option files with the files that they include, as the servers read them (mysys/my_default.c).

use std::collections::BTreeSet;
use std::path::Path;

use super::groups::{Reads, Server, reads};
use super::option::{entry, is_space};
use crate::files::Files;
use crate::{AdviseError, Config, Place};

/// How deep files may include each other; what is below is skipped with a warning.
const DEEPEST: usize = 10;

/// Reads a file and those that it includes.
pub(super) fn read(text: &str, path: &Path, files: &Files) -> Result<Config, AdviseError> {
    let server = files.version().and_then(Server::of);
    let mut reader = Reader { files, server, left: BTreeSet::new(), unknown: BTreeSet::new() };
    let mut config = Config::default();
    reader.file(text, path, 0, &mut config)?;
    reader.notes(&mut config);
    Ok(config)
}

struct Reader<'a> {
    files: &'a Files<'a>,
    server: Option<Server>,
    /// Groups with options that the server does not read.
    left: BTreeSet<String>,
    /// Groups of versions, where the server's is not known.
    unknown: BTreeSet<String>,
}

impl Reader<'_> {
    fn file(
        &mut self,
        text: &str,
        path: &Path,
        depth: usize,
        config: &mut Config,
    ) -> Result<(), AdviseError> {
        let mut group: Option<(String, Reads)> = None;
        for (at, line) in text.split_inclusive('\n').enumerate() {
            let wrong = |reason: &str| AdviseError::syntax(path, at + 1, reason);
            let place = Place::Line { path: path.into(), line: at + 1 };
            let option = line.trim_start_matches(is_space);
            if option.is_empty() || option.starts_with(['#', ';']) {
                continue;
            }
            if let Some(directive) = option.strip_prefix('!') {
                self.directive(directive, &place, depth, config)?;
            } else if let Some(name) = option.strip_prefix('[') {
                let (name, _) = name.split_once(']').ok_or_else(|| {
                    wrong("is a group whose ] is missing, with which the server does not start")
                })?;
                let name = name.trim_end_matches(is_space).to_owned();
                let read = reads(&name, self.server);
                group = Some((name, read));
            } else {
                let (name, read) = group.as_ref().ok_or_else(|| {
                    wrong(
                        "is an option before the first group, with which the server does not start; it is \
                           one of the server's below [mysqld]",
                    )
                })?;
                match read {
                    Reads::Yes => config.entries.push(entry(option, place)),
                    Reads::No => _ = self.left.insert(name.clone()),
                    Reads::Unknown => _ = self.unknown.insert(name.clone()),
                }
            }
        }
        Ok(())
    }

    fn directive(
        &mut self,
        text: &str,
        place: &Place,
        depth: usize,
        config: &mut Config,
    ) -> Result<(), AdviseError> {
        let Place::Line { path, line } = place else { return Ok(()) };
        let text = text.trim_start_matches(is_space);
        let word = &text[..text.find(is_space).unwrap_or(text.len())];
        if !["include", "includedir"].contains(&word) {
            return Ok(());
        }
        // The server cuts off the end of the line, whatever it is.
        let name: String = match text[word.len()..].strip_suffix('\n') {
            Some(name) => name.trim_matches(is_space).to_owned(),
            None => {
                let mut name = text[word.len()..].trim_matches(is_space).to_owned();
                name.pop();
                config.notes.push(format!(
                    "{place}: !{word} has no end of the line behind it, so the server takes its last letter \
                     for that and reads {name:?}"
                ));
                name
            }
        };
        let wrong = |reason: &str| AdviseError::syntax(path, *line, format!("!{word} {name}: {reason}"));
        if name.is_empty() {
            return Err(wrong("names nothing, with which the server does not start"));
        }
        let mut unknown = |what: &str| {
            config.notes.push(format!("{place}: !{word} {name} {what}; its settings are not known"));
            config.incomplete = true;
        };
        if depth == DEEPEST {
            config
                .notes
                .push(format!("{place}: !{word} {name} is more than {DEEPEST} deep; the server skips it"));
            return Ok(());
        }
        if !self.files.are_there() {
            unknown("was not read");
            return Ok(());
        }
        let target = self.files.path(&name, path.parent().unwrap_or(Path::new("")));
        let found = match word {
            "include" => self.files.text(&target)?.map(|text| vec![(target.clone(), text)]),
            _ => self.in_folder(&target)?,
        };
        let Some(found) = found else {
            unknown("is not here");
            return Ok(());
        };
        if !Path::new(&name).is_absolute() {
            config.notes.push(format!(
                "{place}: {name} was looked for next to this file; the server looks in its current directory"
            ));
        }
        for (path, text) in found {
            self.file(&text, &path, depth + 1, config)?;
        }
        Ok(())
    }

    /// All option files of a directory, hidden ones, too.
    fn in_folder(&self, folder: &Path) -> Result<Option<Vec<(std::path::PathBuf, String)>>, AdviseError> {
        let Some(found) = self.files.in_folder(folder, |name| name.ends_with(".cnf"))? else {
            return Ok(None);
        };
        let mut texts = Vec::with_capacity(found.len());
        for path in found {
            texts.extend(self.files.text(&path)?.map(|text| (path, text)));
        }
        Ok(Some(texts))
    }

    fn notes(&self, config: &mut Config) {
        let listed = |groups: &BTreeSet<String>| {
            groups.iter().map(|group| format!("[{group}]")).collect::<Vec<_>>().join(", ")
        };
        if !self.left.is_empty() {
            config.notes.push(format!("groups that the server does not read: {}", listed(&self.left)));
        }
        if !self.unknown.is_empty() {
            config.notes.push(format!(
                "groups of certain versions were left out: {}; --version, with both numbers, decides which are read",
                listed(&self.unknown)
            ));
            config.incomplete = true;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::Reading;

    fn pairs(text: &str) -> Vec<(String, String)> {
        let config = read(text, Path::new("my.cnf"), &Files::none()).unwrap();
        config.entries.into_iter().map(|entry| (entry.key, entry.value)).collect()
    }

    #[test]
    fn values_have_quotes_escapes_and_remarks() {
        let text = "# c\n; c\n[mysqld]\na=200#remark\n  b = \"x # y\" # z\nc = 'it\\'s'\nd=\\s\\q\\\\\ne\nf =\n\
                    g-h = \"\nj = ''\n i=\"a\" b\r\n";
        let want = [
            ("a", "200"),
            ("b", "x # y"),
            ("c", "it's"),
            ("d", " \\q\\"),
            ("e", ""),
            ("f", ""),
            ("g_h", "\""),
            ("j", ""),
            ("i", "\"a\" b"),
        ];
        assert_eq!(pairs(text), want.map(|(key, value)| (key.to_owned(), value.to_owned())));
    }

    #[test]
    fn prefixes_of_options_stand_for_values() {
        let text = "[mysqld]\nloose-a = 1\nskip_b\ndisable-c\nenable-d\nloose-skip-e\nskip-name-resolve\n\
                    skip-f = 0\nA = 1\n";
        let want = [
            ("a", "1"),
            ("b", "0"),
            ("c", "0"),
            ("d", "1"),
            ("e", "0"),
            ("skip_name_resolve", ""),
            ("f", "1"),
            ("a", "1"),
        ];
        assert_eq!(pairs(text), want.map(|(key, value)| (key.to_owned(), value.to_owned())));
    }

    #[test]
    fn groups_of_versions_are_read_by_their_servers() {
        let text = "[client]\nport=1\n[mysqld]\na=1\n[mariadb-10.6]\na=2\n[mariadb-10.11]\na=3\n[client-server]\nb=1\n";
        let of = |version: Option<&str>| {
            let reading = Reading { version: version.map(str::to_owned), ..Reading::default() };
            let config = read(text, Path::new("my.cnf"), &Files::new(&reading)).unwrap();
            let values: String =
                config.entries.iter().map(|entry| format!("{}{} ", entry.key, entry.value)).collect();
            (values, config.notes, config.incomplete)
        };
        let (values, notes, incomplete) = of(Some("mariadb-10.11"));
        assert_eq!((values.as_str(), incomplete), ("a1 a3 b1 ", false));
        assert_eq!(notes, ["groups that the server does not read: [client], [mariadb-10.6]"]);
        let (values, notes, incomplete) = of(None);
        assert_eq!((values.as_str(), incomplete), ("a1 b1 ", true));
        assert!(
            notes[1].starts_with("groups of certain versions were left out: [mariadb-10.11], [mariadb-10.6]")
        );
        assert_eq!(of(Some("mysql-8.0")).0, "a1 ");
    }

    #[test]
    fn files_that_are_included_are_read_at_their_place() {
        let folder = tempfile::tempdir().unwrap();
        let text = format!(
            "[mysqld]\na=1\n!includedir {0}/d/\n!include {0}/none.cnf\na=2\n",
            folder.path().display()
        );
        std::fs::create_dir(folder.path().join("d")).unwrap();
        for (name, text) in
            [("2.cnf", "[mysqld]\nb=2\n"), ("1.cnf", "[mysqld]\nb=1\n"), ("3.txt", "[mysqld]\nb=3\n")]
        {
            std::fs::write(folder.path().join("d").join(name), text).unwrap();
        }
        let reading = Reading::default();
        let config = read(&text, &folder.path().join("my.cnf"), &Files::new(&reading)).unwrap();
        let values: Vec<&str> = config.entries.iter().map(|entry| entry.value.as_str()).collect();
        assert_eq!(values, ["1", "1", "2", "2"]);
        assert!(config.entries[1].place.to_string().ends_with("d/1.cnf, line 2"));
        assert!(config.incomplete && config.notes[0].contains("line 4: !include") && config.notes.len() == 1);
    }

    #[test]
    fn what_the_server_does_not_start_with_is_refused() {
        let said = |text| read(text, Path::new("x.cnf"), &Files::none()).unwrap_err().to_string();
        assert!(said("a=1\n").starts_with("x.cnf, line 1: is an option before the first group"));
        assert!(said("[mysqld\n").starts_with("x.cnf, line 1: is a group whose ] is missing"));
        assert!(said("[mysqld]\n!include \n").starts_with("x.cnf, line 2: !include : names nothing"));
    }
}
