//! A configuration of etcd, k3s or Consul, whatever it is in.

use std::path::Path;

use super::{config_file, mentions};
use crate::files::Files;
use crate::{AdviseError, Config};

/// The flag that names etcd's file.
const CONFIG_FILE: &str = "--config-file";

/// Reads etcd's own file by its structure, and any other text by the keys that are mentioned in it.
pub(super) fn read(text: &str, path: &Path, files: &Files) -> Result<Config, AdviseError> {
    if let Some(config) = config_file::read(text, path) {
        return Ok(config);
    }
    let mut config = mentions::read(text, path);
    if let Some((line, name)) = named_file(text) {
        from_file(&name, line, path, files, &mut config)?;
    }
    Ok(config)
}

/// The file that etcd is started with, and the line that says so.
fn named_file(text: &str) -> Option<(usize, String)> {
    if text.contains("consul") {
        return None;
    }
    text.lines().enumerate().filter(|(_, line)| !line.trim_start().starts_with('#')).find_map(|(at, line)| {
        let after = line.split_once(CONFIG_FILE)?.1;
        let name = after.trim_start_matches(['=', ' ', '"', '\'', ',']);
        let end =
            name.find(|c: char| c.is_whitespace() || matches!(c, '"' | '\'' | ',')).unwrap_or(name.len());
        Some((at + 1, name[..end].to_owned())).filter(|(_, name)| !name.is_empty())
    })
}

/// With a file etcd passes over all flags and its environment.
fn from_file(
    name: &str,
    line: usize,
    path: &Path,
    files: &Files,
    config: &mut Config,
) -> Result<(), AdviseError> {
    let place = format!("{}, line {line}", path.display());
    for entry in config.entries.drain(..) {
        config.notes.push(format!("{}: {} is passed over because of {CONFIG_FILE}", entry.place, entry.key));
    }
    let target = files.path(name, path.parent().unwrap_or(Path::new("")));
    let text = if files.are_there() { files.text(&target)? } else { None };
    match text.and_then(|text| config_file::read(&text, &target)) {
        Some(read) => config.entries = read.entries,
        None => {
            config
                .notes
                .push(format!("{place}: {CONFIG_FILE} {name} is not here; its settings are not known"));
            config.incomplete = true;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::Reading;

    #[test]
    fn the_file_that_etcd_is_started_with_is_read_instead_of_its_flags() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("etcd.yml"), "name: a\nheartbeat-interval: 300\n").unwrap();
        let text = "ExecStart=/usr/bin/etcd --heartbeat-interval=250 \\\n  --config-file=etcd.yml\n";
        let reading = Reading::default();
        let config = read(text, &folder.path().join("etcd.service"), &Files::new(&reading)).unwrap();
        assert_eq!(config.last("heartbeat-interval").unwrap().value, "300");
        assert!(config.notes[0].ends_with("heartbeat-interval is passed over because of --config-file"));
        let without = read(text, Path::new("etcd.service"), &Files::none()).unwrap();
        assert!(without.incomplete && without.entries.is_empty());
        assert!(without.notes[1].starts_with("etcd.service, line 2: --config-file etcd.yml is not here"));
    }
}
