//! Images of containers: whose server they run, and which version.

use crate::System;

/// Names of images, without their directories.
const IMAGES: [(&str, System); 37] = [
    ("postgres", System::Postgresql),
    ("postgresql", System::Postgresql),
    ("postgresql-repmgr", System::Postgresql),
    ("postgis", System::Postgresql),
    ("pgvector", System::Postgresql),
    ("timescaledb", System::Postgresql),
    ("timescaledb-ha", System::Postgresql),
    ("timescaledb-postgis", System::Postgresql),
    ("pgvecto-rs", System::Postgresql),
    ("mysql", System::Innodb),
    ("mysql-server", System::Innodb),
    ("mariadb", System::Innodb),
    ("mariadb-galera", System::Innodb),
    ("percona", System::Innodb),
    ("percona-server", System::Innodb),
    ("percona-xtradb-cluster", System::Innodb),
    ("community-server", System::Innodb),
    ("redis", System::Redis),
    ("redis-cluster", System::Redis),
    ("redis-stack", System::Redis),
    ("redis-stack-server", System::Redis),
    ("valkey", System::Redis),
    ("redis-sentinel", System::Redis),
    ("etcd", System::Etcd),
    ("etcd-arm64", System::Etcd),
    ("kafka", System::Kafka),
    ("kafka-native", System::Kafka),
    ("cp-kafka", System::Kafka),
    ("cp-server", System::Kafka),
    ("cockroach", System::Cockroachdb),
    ("cockroach-unstable", System::Cockroachdb),
    ("k3s", System::Etcd),
    ("mongo", System::Mongodb),
    ("mongodb", System::Mongodb),
    ("mongodb-community-server", System::Mongodb),
    ("percona-server-mongodb", System::Mongodb),
    ("cassandra", System::Cassandra),
];

/// Name and tag: `postgres` and `16.2` of `docker.io/library/postgres:16.2@sha256:…`.
fn parts(image: &str) -> (&str, Option<&str>) {
    let image = image.split('@').next().unwrap_or_default();
    let name = image.rsplit('/').next().unwrap_or_default();
    name.split_once(':').map_or((name, None), |(name, tag)| (name, Some(tag)))
}

/// Whose server an image runs, by its name.
pub(crate) fn system(image: &str) -> Option<System> {
    let (name, _) = parts(image);
    IMAGES.iter().find(|(known, _)| *known == name).map(|(_, system)| *system)
}

/// The version that the tag names, as the server would say it.
pub(crate) fn version(image: &str) -> Option<String> {
    let (name, tag) = parts(image);
    let tag = tag?.trim_start_matches('v');
    // Confluent counts its own releases, TimescaleDB its own behind those of PostgreSQL.
    if name.starts_with("cp-") || name == "k3s" {
        return None;
    }
    let tag = match tag.rsplit_once("pg") {
        Some((_, major)) => major,
        None if name.starts_with("timescaledb") => return None,
        None => tag,
    };
    let number: String = tag.chars().take_while(|c| c.is_ascii_digit() || *c == '.').collect();
    let number = number.trim_end_matches('.');
    let flavour = if name.starts_with("mariadb") { "-MariaDB" } else { "" };
    (!number.is_empty()).then(|| format!("{number}{flavour}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn images_tell_system_and_version() {
        for (image, told, said) in [
            ("postgres:16.2-alpine", Some(System::Postgresql), Some("16.2")),
            ("quay.io/coreos/etcd:v3.5.9@sha256:12", Some(System::Etcd), Some("3.5.9")),
            ("localhost:5000/mariadb:11.4", Some(System::Innodb), Some("11.4-MariaDB")),
            ("timescale/timescaledb:2.14.2-pg15", Some(System::Postgresql), Some("15")),
            ("redis", Some(System::Redis), None),
            ("confluentinc/cp-kafka:7.5.0", Some(System::Kafka), None),
            ("prometheuscommunity/postgres-exporter:v0.15", None, Some("0.15")),
            ("postgres:${TAG:-16}", Some(System::Postgresql), None),
        ] {
            assert_eq!((system(image), version(image).as_deref()), (told, said), "{image}");
        }
    }
}
