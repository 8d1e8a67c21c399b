//! Reading: a file of sysctl.d, a udev rule, an entry of the hardware database, lines of `io.cost.model` and
//! `io.cost.qos`, and shell commands that write into `queue/`. Each line says itself which of these it is.

use std::path::Path;

use super::kernel::RATES;
use crate::syntax::continued::continued;
use crate::{AdviseError, Config, Entry, Place};

const LIMITS: [&str; 6] = ["rpct", "rlat", "wpct", "wlat", "min", "max"];

pub(super) fn read(text: &str, path: &Path) -> Result<Config, AdviseError> {
    let mut config = Config::default();
    // A file in which nothing is set is one of them, too.
    let (mut understood, mut strange) = (false, false);
    // Of the hardware database: what the lines below it are for.
    let mut device = String::new();
    for (number, line) in continued(text) {
        let place = Place::Line { path: path.into(), line: number };
        let entry = |section: &str, key: String, value: &str| Entry {
            section: section.to_owned(),
            key,
            value: value.to_owned(),
            place: place.clone(),
        };
        let line = line.trim();
        if line.is_empty() || line.starts_with(['#', ';']) {
            continue;
        }
        if line.starts_with("block:") {
            device = line.to_owned();
            config.entries.push(entry("", device.clone(), ""));
            understood = true;
        } else if let Some((name, value)) =
            line.split_once('=').filter(|(name, _)| name.starts_with("IOCOST_"))
        {
            let section = format!("{device} {}", name.rsplit('_').next().unwrap_or_default());
            config.entries.extend(costs(value).map(|(key, value)| entry(&section, key, value)));
            understood = true;
        } else if line.contains("==") || line.contains("ATTR{") {
            config.entries.extend(assigned(line).map(|(key, value)| entry("", key, value)));
            understood = true;
        } else if costs(line).next().is_some() {
            let words = line.split(|c: char| c.is_whitespace() || matches!(c, '"' | '\''));
            let section = words.into_iter().find(|word| is_device(word)).unwrap_or_default();
            config.entries.extend(costs(line).map(|(key, value)| entry(section, key, value)));
            understood = true;
        } else if let Some((key, value)) = written(line) {
            config.entries.push(entry("", key, value));
            understood = true;
        } else if let Some((key, value)) = sysctl(line) {
            config.entries.push(entry("", key, value));
            understood = true;
        } else {
            strange = true;
        }
    }
    if strange && !understood {
        let reason =
            "has no line of sysctl.d, of a udev rule, of a hwdb entry, or of io.cost.model and io.cost.qos";
        return Err(AdviseError::syntax(path, None, reason));
    }
    Ok(config)
}

/// The rates and limits among the words of a line. A latency whose percentile is 0 has no effect and is left
/// out.
fn costs(line: &str) -> impl Iterator<Item = (String, &str)> {
    let words = line
        .split(|c: char| c.is_whitespace() || matches!(c, '"' | '\''))
        .filter_map(|word| word.split_once('='));
    let words: Vec<(&str, &str)> = words.collect();
    let is_off = |name: &str| {
        words
            .iter()
            .any(|(key, value)| *key == name && value.parse::<f64>().is_ok_and(|percent| percent == 0.0))
    };
    let off = [("rlat", is_off("rpct")), ("wlat", is_off("wpct"))];
    words.into_iter().filter(move |(key, _)| !off.contains(&(*key, true))).filter_map(|(key, value)| {
        let file = if RATES.contains(&key) {
            "io.cost.model"
        } else if LIMITS.contains(&key) {
            "io.cost.qos"
        } else {
            return None;
        };
        Some((format!("{file} {key}"), value))
    })
}

/// Whether it is `MAJOR:MINOR`.
fn is_device(word: &str) -> bool {
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    word.trim_matches(['"', '\''])
        .split_once(':')
        .is_some_and(|(major, minor)| is_number(major) && is_number(minor))
}

/// What a udev rule writes into `queue/`. Comparisons have `==` or `!=`.
fn assigned(line: &str) -> impl Iterator<Item = (String, &str)> {
    line.match_indices("ATTR{queue/").filter_map(|(at, start)| {
        let rest = &line[at + start.len()..];
        let (name, rest) = rest.split_once('}')?;
        let value = rest.strip_prefix("=\"").or_else(|| rest.strip_prefix(":=\""))?;
        let (value, _) = value.split_once('"')?;
        Some((format!("queue/{name}"), value))
    })
}

/// `echo VALUE > /sys/block/DEVICE/queue/NAME`.
fn written(line: &str) -> Option<(String, &str)> {
    let (command, file) = line.split_once('>')?;
    let (_, name) = file.rsplit_once("/queue/")?;
    let name: String = name.chars().take_while(|c| c.is_ascii_alphanumeric() || *c == '_').collect();
    let value = command.trim().strip_prefix("echo")?.trim().trim_matches(['"', '\'']);
    Some((format!("queue/{name}"), value))
}

/// `vm.dirty_bytes = 1`, with `/` for `.` if one likes; a failure to write one that begins with `-` is no
/// error.
fn sysctl(line: &str) -> Option<(String, &str)> {
    let (key, value) = line.trim_start_matches('-').split_once('=')?;
    let key = key.trim();
    let is_key =
        !key.is_empty() && !key.contains(|c: char| c.is_whitespace() || c == '$') && key.contains(['.', '/']);
    is_key.then(|| (key.replace('/', "."), value.trim()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_as(text: &str) -> Vec<(String, String, String)> {
        let config = read(text, Path::new("x")).unwrap();
        config.entries.into_iter().map(|entry| (entry.section, entry.key, entry.value)).collect()
    }

    fn pairs(text: &str) -> Vec<(String, String)> {
        read_as(text).into_iter().map(|(_, key, value)| (key, value)).collect()
    }

    fn owned<const N: usize>(pairs: [(&str, &str); N]) -> Vec<(String, String)> {
        pairs.map(|(key, value)| (key.to_owned(), value.to_owned())).to_vec()
    }

    #[test]
    fn sysctl_has_dots_or_slashes_and_may_forgive() {
        let text = "# c\n; c\nvm.dirty_bytes = 8192\n-vm/dirty_background_bytes=4096\nnet.core.somaxconn=1\n";
        let want =
            [("vm.dirty_bytes", "8192"), ("vm.dirty_background_bytes", "4096"), ("net.core.somaxconn", "1")];
        assert_eq!(pairs(text), owned(want));
    }

    #[test]
    fn udev_rules_assign_over_several_lines_and_compare() {
        let text = "ACTION==\"add\", ATTR{queue/rotational}==\"0\", \\\n  ATTR{queue/scheduler}=\"none\", \
                    \\\n  ATTR{queue/nr_requests}:=\"64\"\nSUBSYSTEM!=\"block\", GOTO=\"end\"\n";
        assert_eq!(pairs(text), owned([("queue/scheduler", "none"), ("queue/nr_requests", "64")]));
    }

    #[test]
    fn rates_are_told_by_device_and_by_solution() {
        let text = "block:*:name:X:fwrev:*:\n IOCOST_SOLUTIONS=naive\n IOCOST_MODEL_NAIVE=rbps=5 wbps=6\n \
                    IOCOST_QOS_NAIVE=rpct=99.00 rlat=7 wpct=0.00 wlat=8\n";
        let device = "block:*:name:X:fwrev:*:";
        let naive = format!("{device} NAIVE");
        let want = [
            ("", device, ""),
            (&naive, "io.cost.model rbps", "5"),
            (&naive, "io.cost.model wbps", "6"),
            (&naive, "io.cost.qos rpct", "99.00"),
            (&naive, "io.cost.qos rlat", "7"),
            (&naive, "io.cost.qos wpct", "0.00"),
        ];
        assert_eq!(read_as(text), want.map(|(a, b, c)| (a.to_owned(), b.to_owned(), c.to_owned())));
        let text = "8:16 ctrl=user model=linear rbps=5\necho '8:0 rbps=6' > /sys/fs/cgroup/io.cost.model\n";
        let sections: Vec<String> = read_as(text).into_iter().map(|(section, ..)| section).collect();
        assert_eq!(sections, ["8:16", "8:0"]);
    }

    #[test]
    fn commands_that_write_into_the_queue_are_read() {
        let text = "#!/bin/sh\nset -e\necho 16384 > /sys/block/nvme0n1/queue/read_ahead_kb\n";
        assert_eq!(pairs(text), owned([("queue/read_ahead_kb", "16384")]));
    }

    #[test]
    fn a_file_without_any_of_these_is_refused() {
        let said = read("hello\nworld\n", Path::new("x")).unwrap_err().to_string();
        assert!(said.starts_with("x: has no line of sysctl.d"), "{said}");
        assert_eq!(read("# nothing is set\n\n", Path::new("x")).unwrap(), Config::default());
    }
}
