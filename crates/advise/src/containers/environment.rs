//! Environment variables that set what a file would.

use super::found::Found;
use super::shell::words;
use super::{command, shell::Word};
use crate::{AdviseError, System};

/// Variables whose value is options of the server.
const OPTIONS: [(&str, System); 8] = [
    ("POSTGRES_INITDB_ARGS", System::Postgresql),
    ("POSTGRESQL_EXTRA_FLAGS", System::Postgresql),
    ("MYSQL_EXTRA_FLAGS", System::Innodb),
    ("MARIADB_EXTRA_FLAGS", System::Innodb),
    ("REDIS_EXTRA_FLAGS", System::Redis),
    ("VALKEY_EXTRA_FLAGS", System::Redis),
    ("REDIS_ARGS", System::Redis),
    ("ETCD_EXTRA_ARGS", System::Etcd),
];

/// Whose settings a variable has, whatever the program: `ETCD_HEARTBEAT_INTERVAL`.
pub(crate) fn system(name: &str) -> Option<System> {
    if let Some((_, system)) = OPTIONS.iter().find(|(known, _)| *known == name) {
        return Some(*system);
    }
    match name {
        "ETCD_HEARTBEAT_INTERVAL" | "ETCD_ELECTION_TIMEOUT" => Some(System::Etcd),
        name if name.starts_with("KAFKA_CFG_") => Some(System::Kafka),
        name if name.starts_with("KAFKA_LOG_") || name.starts_with("KAFKA_NUM_") => Some(System::Kafka),
        _ => None,
    }
}

/// Adds what a variable sets.
pub(crate) fn read(name: &str, value: &str, line: usize, found: &mut Found) -> Result<(), AdviseError> {
    if OPTIONS.iter().any(|(known, system)| *known == name && *system == found.system) {
        let arguments: Vec<Word> = words(value, line).into_iter().map(|word| Word { line, ..word }).collect();
        return command::read(&arguments, found);
    }
    match found.system {
        System::Etcd => command::put_etcds(name, value, line, found),
        System::Kafka => {
            let key = name.strip_prefix("KAFKA_CFG_").or_else(|| name.strip_prefix("KAFKA_"));
            if let Some(key) = key.filter(|key| !key.is_empty()) {
                found.put(&property(key), value, line);
            }
        }
        _ => {}
    }
    Ok(())
}

/// `LOG_FLUSH_INTERVAL_MS` is log.flush.interval.ms; two underscores stand for one, three for a dash.
fn property(name: &str) -> String {
    let name = name.replace("___", "-").replace("__", "\u{0}").replace('_', ".").replace('\u{0}', "_");
    name.to_ascii_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn underscores_are_dots() {
        assert_eq!(property("LOG_FLUSH_INTERVAL_MS"), "log.flush.interval.ms");
        assert_eq!(property("A__B___C"), "a_b-c");
    }
}
