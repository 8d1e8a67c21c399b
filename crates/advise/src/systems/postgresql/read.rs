//! postgresql.conf with the files that it includes, as the server reads them.

use std::path::Path;

use crate::files::{Files, is_conf};
use crate::syntax::{guc, templates};
use crate::{AdviseError, Config, Entry, Place};

/// How deep files may include each other (`CONF_FILE_MAX_DEPTH`).
const DEEPEST: usize = 10;

/// Reads a file and those that it includes, then what ALTER SYSTEM wrote into the data directory.
pub(super) fn read(text: &str, path: &Path, files: &Files) -> Result<Config, AdviseError> {
    let mut config = Config::default();
    let reader = Reader { files };
    reader.file(text, path, 0, &mut config)?;
    if files.are_there() {
        reader.data_folder(path, &mut config)?;
    }
    Ok(config)
}

struct Reader<'a> {
    files: &'a Files<'a>,
}

impl Reader<'_> {
    fn file(&self, text: &str, path: &Path, depth: usize, config: &mut Config) -> Result<(), AdviseError> {
        for (at, line) in text.split('\n').enumerate() {
            let place = Place::Line { path: path.into(), line: at + 1 };
            let assigned = match guc::line(line) {
                Ok(None) => continue,
                Ok(Some(assigned)) => assigned,
                Err(stopped) => match of_template(line) {
                    Some(Some(assigned)) => assigned,
                    Some(None) => {
                        config
                            .notes
                            .push(format!("{place}: {} is a template's and was not read", line.trim()));
                        config.incomplete = true;
                        continue;
                    }
                    None => return Err(stops(path, at + 1, line, &stopped)),
                },
            };
            let guc::Assigned { key, value } = assigned;
            match key.as_str() {
                "include" | "include_if_exists" | "include_dir" => {
                    self.include(&key, &value, &place, depth, config)?;
                }
                _ => config.entries.push(Entry { section: String::new(), key, value, place }),
            }
        }
        Ok(())
    }

    fn include(
        &self,
        key: &str,
        name: &str,
        place: &Place,
        depth: usize,
        config: &mut Config,
    ) -> Result<(), AdviseError> {
        let Place::Line { path, line } = place else { return Ok(()) };
        let wrong = |reason: &str| AdviseError::syntax(path, *line, format!("{key} '{name}': {reason}"));
        let mut unknown = |what: &str| {
            config.notes.push(format!("{place}: {key} '{name}' {what}; its settings are not known"));
            config.incomplete = true;
        };
        if name.trim().is_empty() {
            return Err(wrong("names no file, with which the server does not start"));
        }
        if !self.files.are_there() || templates::depends_on(name).is_some() {
            unknown("was not read");
            return Ok(());
        }
        let target = self.files.path(name, path.parent().unwrap_or(Path::new("")));
        if depth == DEEPEST || target == *path {
            let reason = if target == *path { "is the file itself" } else { "is more than 10 files deep" };
            return Err(wrong(&format!("{reason}, with which the server does not start")));
        }
        if key == "include_dir" {
            let Some(found) = self.files.in_folder(&target, is_conf)? else {
                unknown("is not a directory here");
                return Ok(());
            };
            for path in found {
                if let Some(text) = self.files.text(&path)? {
                    self.file(&text, &path, depth + 1, config)?;
                }
            }
            return Ok(());
        }
        match self.files.text(&target)? {
            Some(text) => self.file(&text, &target, depth + 1, config),
            // The folder of the file came here with it.
            None if key == "include_if_exists" && !Path::new(name).is_absolute() => Ok(()),
            None => {
                unknown("is not here");
                Ok(())
            }
        }
    }

    /// What is in the data directory: postgresql.auto.conf, which is read last, and PG_VERSION.
    fn data_folder(&self, path: &Path, config: &mut Config) -> Result<(), AdviseError> {
        let own = path.parent().unwrap_or(Path::new(""));
        let named = config.last("data_directory").cloned();
        let folder = named.as_ref().map_or(own.to_owned(), |entry| self.files.path(&entry.value, own));
        let absent = match std::fs::read_to_string(folder.join("PG_VERSION")) {
            Ok(version) => {
                config.version = Some(version.trim().to_owned());
                let auto = folder.join("postgresql.auto.conf");
                if let Some(text) = self.files.text(&auto)? {
                    self.file(&text, &auto, 0, config)?;
                }
                return Ok(());
            }
            Err(error) => error,
        };
        if let Some(entry) = named {
            let (place, value) = (&entry.place, &entry.value);
            config.notes.push(format!(
                "{place}: data_directory '{value}' cannot be read here ({absent}), so what ALTER SYSTEM set is \
                 not known"
            ));
        }
        Ok(())
    }
}

fn stops(path: &Path, line: usize, text: &str, stopped: &str) -> AdviseError {
    let stopped: String = stopped.trim_end().chars().take(40).collect();
    let has_unit =
        stopped.chars().all(|c| c.is_ascii_alphabetic()) && text.contains(|c: char| c.is_ascii_digit());
    let remedy = match stopped.starts_with('\'') {
        true => "a quote that does not end",
        false if has_unit => "a fraction or a space before the unit needs quotes, as in '1.5 GB'",
        false => "a line is KEY = VALUE, with quotes around a VALUE that is not one word",
    };
    AdviseError::syntax(path, line, format!("the server does not start: it stops at {stopped}: {remedy}"))
}

/// A line that a template writes: its key and what stands for the value, `None` in it where it has no key.
fn of_template(line: &str) -> Option<Option<guc::Assigned>> {
    templates::depends_on(line)?;
    let line = line.trim();
    let end =
        line.find(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '_' | '.'))).unwrap_or(line.len());
    let (key, rest) = line.split_at(end);
    if key.is_empty() || !rest.starts_with([' ', '\t', '=']) {
        return Some(None);
    }
    let value = rest.trim_start().trim_start_matches('=').trim().to_owned();
    Some(Some(guc::Assigned { key: key.to_ascii_lowercase(), value }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::Reading;

    fn written(folder: &Path, files: &[(&str, &str)]) {
        for (name, text) in files {
            let path = folder.join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
    }

    fn found(folder: &Path, root: Option<&Path>) -> Result<Config, AdviseError> {
        let path = folder.join("postgresql.conf");
        let text = std::fs::read_to_string(&path).unwrap();
        let reading = Reading { root: root.map(Path::to_owned), ..Reading::default() };
        read(&text, &path, &Files::new(&reading))
    }

    fn lines(config: &Config, folder: &Path) -> Vec<String> {
        let short = |entry: &Entry| entry.place.to_string().replace(&format!("{}/", folder.display()), "");
        config
            .entries
            .iter()
            .map(|entry| format!("{}: {}={}", short(entry), entry.key, entry.value))
            .collect()
    }

    #[test]
    fn includes_are_read_at_their_place_and_what_alter_system_set_last() {
        let folder = tempfile::tempdir().unwrap();
        let main =
            "a = 1\ninclude_dir 'conf.d'\nINCLUDE = 'more/one.conf'\ninclude_if_exists 'none.conf'\na = 2\n";
        written(
            folder.path(),
            &[
                ("postgresql.conf", main),
                ("conf.d/20.conf", "b = 20\n"),
                ("conf.d/10.conf", "b = 10\n"),
                ("conf.d/.hidden.conf", "b = 0\n"),
                ("conf.d/30.conf.off", "b = 30\n"),
                ("more/one.conf", "c = 1\ninclude 'two.conf'\n"),
                ("more/two.conf", "c = 2\n"),
                ("PG_VERSION", "15\n"),
                ("postgresql.auto.conf", "# written by ALTER SYSTEM\na = '3'\n"),
            ],
        );
        let config = found(folder.path(), None).unwrap();
        let want = [
            "postgresql.conf, line 1: a=1",
            "conf.d/10.conf, line 1: b=10",
            "conf.d/20.conf, line 1: b=20",
            "more/one.conf, line 1: c=1",
            "more/two.conf, line 1: c=2",
            "postgresql.conf, line 5: a=2",
            "postgresql.auto.conf, line 2: a=3",
        ];
        assert_eq!(lines(&config, folder.path()), want);
        assert_eq!(config.version.as_deref(), Some("15"));
        assert!(!config.incomplete && config.notes.is_empty(), "{:?}", config.notes);
    }

    #[test]
    fn absolute_names_are_below_the_root_of_a_copy() {
        let root = tempfile::tempdir().unwrap();
        let folder = root.path().join("etc/postgresql");
        let main = "data_directory = '/var/lib/pg'\ninclude '/etc/more.conf'\n";
        written(
            root.path(),
            &[
                ("etc/postgresql/postgresql.conf", main),
                ("etc/more.conf", "a = 1\n"),
                ("var/lib/pg/PG_VERSION", "16\n"),
                ("var/lib/pg/postgresql.auto.conf", "a = 2\n"),
            ],
        );
        let config = found(&folder, Some(root.path())).unwrap();
        assert_eq!(config.last("a").unwrap().value, "2");
        assert_eq!(config.version.as_deref(), Some("16"));
        let elsewhere = found(&folder, None).unwrap();
        assert!(elsewhere.incomplete);
        assert!(
            elsewhere.notes[0]
                .ends_with("line 2: include '/etc/more.conf' is not here; its settings are not known")
        );
        assert!(elsewhere.notes[1].contains("what ALTER SYSTEM set is not known"));
    }

    #[test]
    fn files_without_end_are_refused_as_by_the_server() {
        let folder = tempfile::tempdir().unwrap();
        written(folder.path(), &[("postgresql.conf", "\ninclude 'postgresql.conf'\n")]);
        let said = found(folder.path(), None).unwrap_err().to_string();
        assert!(said.ends_with(
            "line 2: include 'postgresql.conf': is the file itself, with which the server does not start"
        ));
        written(folder.path(), &[("postgresql.conf", "include b\n"), ("b", "include 'postgresql.conf'\n")]);
        let said = found(folder.path(), None).unwrap_err().to_string();
        assert!(said.contains("is more than 10 files deep"), "{said}");
    }

    #[test]
    fn a_template_has_keys_whose_values_are_not_known() {
        let text = "a = {{ pg.a }}\n{% if b %}\nb = 1\n{% endif %}\nc = '${C:-5}'\n";
        let config = templates::set_aside(read(text, Path::new("t"), &Files::none()).unwrap());
        let keys: Vec<&str> = config.undecided.iter().map(|entry| entry.key.as_str()).collect();
        assert_eq!(keys, ["a", "c"]);
        assert_eq!(config.notes[0], "t, line 2: {% if b %} is a template's and was not read");
        assert!(config.incomplete);
    }

    #[test]
    fn lines_of_another_form_are_refused_with_their_number() {
        let said = |text| read(text, Path::new("x.conf"), &Files::none()).unwrap_err().to_string();
        let reason = "a line is KEY = VALUE, with quotes around a VALUE that is not one word";
        let first = said("a = 1\nnonsense\n");
        assert_eq!(
            first,
            format!("x.conf, line 2: the server does not start: it stops at the end of the line: {reason}")
        );
        let unit = said("shared_buffers = 1.5GB\n");
        assert!(
            unit.ends_with(
                "it stops at GB: a fraction or a space before the unit needs quotes, as in '1.5 GB'"
            )
        );
        assert!(said("a = 'b").ends_with("it stops at 'b: a quote that does not end"));
    }
}
