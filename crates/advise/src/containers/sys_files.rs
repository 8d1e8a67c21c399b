//! Files of /sys with their content, as `grep . /sys/module/zfs/parameters/*` and `grep .
//! /sys/block/*/queue/*` print them, `tail -n +1` as well, and /proc/sys.

use super::found::Found;
use super::source::Source;
use crate::{AdviseError, Place, System};

pub(super) fn find(source: &Source) -> Result<Option<Vec<Found>>, AdviseError> {
    let mut zfs = Found::new(System::Zfs, source.path, "");
    let mut linux = Found::new(System::Linux, source.path, "");
    for (line, path, value) in files(source.text) {
        if let Some((_, name)) = path.split_once("/module/zfs/parameters/") {
            zfs.put(name, value, line);
        } else if let Some((device, name)) = path.split_once("/queue/") {
            let device = device.rsplit('/').next().unwrap_or_default();
            linux.put_in(device, &format!("queue/{name}"), chosen(value), line);
        } else if let Some(name) = path.strip_prefix("/proc/sys/") {
            linux.put(name, value, line);
        }
    }
    let mut found = Vec::new();
    for (mut one, of) in [(zfs, "parameters of the module zfs"), (linux, "files of queues and of /proc/sys")]
    {
        if let Some(first) = one.config.entries.first() {
            let Place::Line { line, .. } = first.place else { continue };
            one.evidence = format!("{} {of}, from line {line}", one.config.entries.len());
            found.push(one);
        }
    }
    Ok((!found.is_empty()).then_some(found))
}

/// Lines, paths and contents.
fn files(text: &str) -> Vec<(usize, &str, &str)> {
    let mut files = Vec::new();
    let mut headed: Option<&str> = None;
    for (at, line) in text.lines().enumerate() {
        let line = line.trim();
        if let Some(path) = line.strip_prefix("==> ").and_then(|rest| rest.strip_suffix(" <==")) {
            headed = Some(path);
        } else if let Some(path) = headed.filter(|_| !line.is_empty()) {
            files.push((at + 1, path, line));
            headed = None;
        } else if let Some((path, value)) = line
            .split_once(':')
            .filter(|(path, _)| path.starts_with("/sys/") || path.starts_with("/proc/sys/"))
        {
            files.push((at + 1, path, value.trim()));
        }
    }
    files
}

/// Of `none [mq-deadline] kyber` the one in brackets.
fn chosen(value: &str) -> &str {
    value.split_once('[').and_then(|(_, rest)| rest.split_once(']')).map_or(value, |(chosen, _)| chosen)
}
