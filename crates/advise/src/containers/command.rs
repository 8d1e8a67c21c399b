//! Options of servers in their command lines.

use super::found::Found;
use super::image;
use super::shell::{Word, words};
use crate::syntax::templates::depends_on;
use crate::syntax::yaml::{Node, Value};
use crate::{AdviseError, System};

/// Programs that are servers.
const PROGRAMS: [(&str, System); 17] = [
    ("postgres", System::Postgresql),
    ("postmaster", System::Postgresql),
    ("pg_ctl", System::Postgresql),
    ("pg_ctlcluster", System::Postgresql),
    ("mysqld", System::Innodb),
    ("mysqld_safe", System::Innodb),
    ("mariadbd", System::Innodb),
    ("mariadbd-safe", System::Innodb),
    ("redis-server", System::Redis),
    ("valkey-server", System::Redis),
    ("etcd", System::Etcd),
    ("k3s", System::Etcd),
    ("cockroach", System::Cockroachdb),
    ("kafka-server-start.sh", System::Kafka),
    ("kafka-server-start", System::Kafka),
    ("consul", System::Etcd),
    ("mongod", System::Mongodb),
];

/// Of etcd's flags those that are judged.
const OF_ETCD: [&str; 2] = ["heartbeat-interval", "election-timeout"];

/// Options of `docker run` before a name.
const NAMING: [&str; 7] = ["--name", "--hostname", "-h", "--network", "--net", "--network-alias", "--link"];

/// Whose server a word starts: `/usr/lib/postgresql/15/bin/postgres`.
pub(crate) fn program(word: &str) -> Option<System> {
    let name = word.trim_start_matches(['-', '@', '!', '+']).rsplit('/').next()?;
    PROGRAMS.iter().find(|(known, _)| *known == name).map(|(_, system)| *system)
}

/// The server that a command starts, and its arguments: behind its program, or behind its image where it is
/// `docker run`.
pub(crate) fn started(command: &[Word]) -> Option<(System, &[Word])> {
    let first = command.iter().position(|word| !word.text.contains('=') || word.text.contains('/'))?;
    let runs_image = ["docker", "podman", "nerdctl"].contains(&command[first].text.as_str())
        && command.iter().any(|word| word.text == "run");
    if runs_image {
        // Names are often those of images.
        let is_name = |at: usize| NAMING.contains(&command[at - 1].text.as_str());
        let (at, system) = command
            .iter()
            .enumerate()
            .skip(2)
            .filter(|(at, _)| !is_name(*at))
            .find_map(|(at, word)| Some((at, image::system(&word.text)?)))?;
        return Some((system, &command[at + 1..]));
    }
    let (at, system) = command.iter().enumerate().find_map(|(at, word)| Some((at, program(&word.text)?)))?;
    Some((system, &command[at + 1..]))
}

/// Adds the options among the arguments of a server.
pub(crate) fn read(arguments: &[Word], found: &mut Found) -> Result<(), AdviseError> {
    // Of a shell: all of its options at once.
    for word in arguments.iter().filter(|word| word.text.starts_with('$') && !word.text.contains('=')) {
        if let Some(name) = depends_on(&word.text) {
            found.unread(word.line, &format!("what ${name} adds was not read"));
        }
    }
    match found.system {
        System::Postgresql => postgres(arguments, found),
        System::Innodb => options(arguments, "--", found),
        System::Redis => redis(arguments, found),
        System::Etcd => etcd(arguments, found),
        System::Kafka => kafka(arguments, found),
        System::Cockroachdb => return cockroach(arguments, found),
        System::Mongodb => return mongod(arguments, found),
        _ => {}
    }
    Ok(())
}

/// `-c KEY=VALUE`, `--KEY=VALUE`, and what `pg_ctl -o` hands on.
fn postgres(arguments: &[Word], found: &mut Found) {
    let mut rest = arguments.iter();
    while let Some(word) = rest.next() {
        let (set, line) = match word.text.as_str() {
            "-c" => match rest.next() {
                Some(next) => (next.text.as_str(), next.line),
                None => continue,
            },
            "-o" | "--options" => {
                if let Some(next) = rest.next() {
                    postgres(&words(&next.text, next.line), found);
                }
                continue;
            }
            "-F" => {
                found.put("fsync", "off", word.line);
                continue;
            }
            "-B" => {
                if let Some(next) = rest.next() {
                    found.put("shared_buffers", &next.text, next.line);
                }
                continue;
            }
            text => match text.strip_prefix("--").or_else(|| text.strip_prefix("-c")) {
                Some(set) => (set, word.line),
                None => continue,
            },
        };
        match set.split_once('=') {
            Some(("config_file" | "config-file", file)) => not_read(file, line, found),
            Some((key, value)) => found.put(key, value, line),
            None => {}
        }
    }
}

fn not_read(file: &str, line: usize, found: &mut Found) {
    found.unread(line, &format!("{file}, which the server reads first, was not read; name that file, too"));
}

/// `--KEY=VALUE` and `--KEY VALUE`.
fn options(arguments: &[Word], dashes: &str, found: &mut Found) {
    let mut rest = arguments.iter().peekable();
    while let Some(word) = rest.next() {
        let Some(option) = word.text.strip_prefix(dashes) else { continue };
        let (key, value) = match option.split_once('=') {
            Some((key, value)) => (key, value.to_owned()),
            None => {
                let next = rest.next_if(|next| !is_option(&next.text));
                (option, next.map_or(String::new(), |next| next.text.clone()))
            }
        };
        match key {
            "defaults-file" | "defaults-extra-file" => not_read(&value, word.line, found),
            "" | "no-defaults" => {}
            key => found.put(key, &value, word.line),
        }
    }
}

/// Whether a word is an option and no negative number.
fn is_option(word: &str) -> bool {
    word.strip_prefix('-').is_some_and(|rest| !rest.starts_with(|c: char| c.is_ascii_digit()))
}

/// A file and `--KEY VALUE…`.
fn redis(arguments: &[Word], found: &mut Found) {
    let mut option: Option<(&str, Vec<&str>, usize)> = None;
    for word in arguments {
        match (word.text.strip_prefix("--").filter(|key| !key.is_empty()), &mut option) {
            (Some(key), _) => {
                put_all(option.take(), found);
                option = Some((key, Vec::new(), word.line));
            }
            (None, Some((_, values, _))) => values.push(&word.text),
            (None, None) if word.text.ends_with(".conf") => not_read(&word.text, word.line, found),
            (None, None) => {}
        }
    }
    put_all(option, found);
}

fn put_all(option: Option<(&str, Vec<&str>, usize)>, found: &mut Found) {
    if let Some((key, values, line)) = option {
        let (key, first) = key.split_once('=').map_or((key, None), |(key, value)| (key, Some(value)));
        let values: Vec<&str> = first.into_iter().chain(values).collect();
        found.put(key, values.join(" ").trim_matches('"'), line);
    }
}

/// `--KEY=VALUE`, `-KEY VALUE`; of k3s and RKE2 `--etcd-arg=KEY=VALUE`.
fn etcd(arguments: &[Word], found: &mut Found) {
    let mut rest = arguments.iter();
    while let Some(word) = rest.next() {
        let Some(option) = word.text.strip_prefix('-') else { continue };
        let option = option.trim_start_matches('-');
        let (key, value) = match option.split_once('=') {
            Some(("config-file", file)) => {
                not_read(file, word.line, found);
                continue;
            }
            Some(("etcd-arg", set)) => match set.trim_start_matches('-').split_once('=') {
                Some((key, value)) => (key, value),
                None => continue,
            },
            Some(set) => set,
            None if option == "etcd-arg" || OF_ETCD.contains(&option) => match rest.next() {
                Some(next) if option == "etcd-arg" => match next.text.split_once('=') {
                    Some(set) => set,
                    None => continue,
                },
                Some(next) => (option, next.text.as_str()),
                None => continue,
            },
            None => continue,
        };
        put_etcds(key, value, word.line, found);
    }
}

/// Adds one of etcd's keys if it is judged.
pub(crate) fn put_etcds(key: &str, value: &str, line: usize, found: &mut Found) {
    let key = super::found::spelt(System::Etcd, key);
    if OF_ETCD.contains(&key.as_str()) {
        found.put(&key, value, line);
    }
}

/// `--override KEY=VALUE`.
fn kafka(arguments: &[Word], found: &mut Found) {
    let mut rest = arguments.iter();
    while let Some(word) = rest.next() {
        if word.text == "--override"
            && let Some(next) = rest.next()
            && let Some((key, value)) = next.text.split_once('=')
        {
            found.put(key, value, next.line);
        } else if word.text.ends_with(".properties") {
            not_read(&word.text, word.line, found);
        }
    }
}

/// `--KEY=VALUE` and `--KEY VALUE`, which are those of the older form of its file.
fn mongod(arguments: &[Word], found: &mut Found) -> Result<(), AdviseError> {
    let mut rest = arguments.iter().peekable();
    while let Some(word) = rest.next() {
        if word.text == "-f"
            && let Some(file) = rest.next()
        {
            not_read(&file.text, word.line, found);
        }
        let Some(option) = word.text.strip_prefix("--") else { continue };
        let set = match option.split_once('=') {
            Some((key, value)) => Some((key, value.to_owned())),
            None => rest.next_if(|next| !is_option(&next.text)).map(|next| (option, next.text.clone())),
        };
        match set {
            Some(("config", file)) => not_read(&file, word.line, found),
            Some((key, value)) => {
                let value = Value::Text(format!("{key} = {value}"));
                found.embed(&Node { line: word.line, value, is_quoted: true, is_literal: false })?;
            }
            None => {}
        }
    }
    Ok(())
}

/// Its own reader finds the flag in any text.
fn cockroach(arguments: &[Word], found: &mut Found) -> Result<(), AdviseError> {
    for word in arguments.iter().filter(|word| word.text.contains("provisioned-rate=")) {
        let value = Value::Text(word.text.clone());
        found.embed(&Node { line: word.line, value, is_quoted: true, is_literal: false })?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    fn pairs(line: &str) -> Vec<(String, String)> {
        let command = words(line, 1);
        let (system, arguments) = started(&command).expect(line);
        let mut found = Found::new(system, Path::new("x"), "");
        read(arguments, &mut found).unwrap();
        found.config.entries.into_iter().map(|entry| (entry.key, entry.value)).collect()
    }

    #[test]
    fn options_are_read_as_each_server_reads_them() {
        for (line, key, value) in [
            ("postgres -D /d -c effective_io_concurrency=1", "effective_io_concurrency", "1"),
            ("postgres --effective-io-concurrency=1", "effective_io_concurrency", "1"),
            ("pg_ctl -D /d start -o '-c random_page_cost=2'", "random_page_cost", "2"),
            ("mysqld --innodb-io-capacity 200", "innodb_io_capacity", "200"),
            ("A=b exec /usr/sbin/mariadbd --loose_innodb_io_capacity=2K", "innodb_io_capacity", "2K"),
            ("redis-server --appendfsync always", "appendfsync", "always"),
            ("redis-server --save 60 1 300 10", "save", "60 1 300 10"),
            ("etcd --name a -heartbeat-interval 5", "heartbeat-interval", "5"),
            ("k3s server --etcd-arg=election-timeout=5000", "election-timeout", "5000"),
            ("kafka-server-start.sh s.properties --override num.io.threads=8", "num.io.threads", "8"),
            ("docker run -d --name postgres -e A=b postgres:16 -c fsync=off", "fsync", "off"),
            ("mongod --setParameter a=1 --auth", "a", "1"),
            ("mongod --journalCommitInterval=50", "storage.journal.commitIntervalMs", "50"),
            ("cockroach start --store=path=/d,provisioned-rate=bandwidth=5MiB/s", "provisioned-rate", "5MiB"),
        ] {
            assert_eq!(pairs(line), [(key.to_owned(), value.to_owned())], "{line}");
        }
    }
}
