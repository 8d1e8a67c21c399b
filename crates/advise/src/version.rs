//! Which of the versions that are known is meant by what a program prints of itself.

use crate::{AdviseError, System};

/// A version by whose rules advice is given.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Version {
    /// One of [`System::versions`].
    pub(crate) known: &'static str,
    /// What is to be said of it, where it is not the one that was asked for.
    pub(crate) note: Option<String>,
}

impl System {
    /// The version by whose rules a server is advised that says this of itself: `15` for `15.18`,
    /// `mariadb-10.11` for `10.11.6-MariaDB`. `None` if it is older than all that are known.
    pub fn version_of(self, said: &str) -> Option<&'static str> {
        self.nearest(said).filter(|nearest| !nearest.is_later).map(|nearest| nearest.version)
    }

    /// Those of [`System::versions`] that begin with `product`, in their order.
    pub(crate) fn versions_of(self, product: &str) -> impl DoubleEndedIterator<Item = &'static str> {
        self.versions().iter().copied().filter(move |version| version.starts_with(product))
    }

    /// By whose rules what is `given` is advised: one of [`System::versions`], or anything that a program
    /// prints of its version. One that is not known is taken for the nearest, with a note.
    pub(crate) fn version(self, given: &str) -> Result<Version, AdviseError> {
        if let Some(known) = self.versions().iter().find(|one| one.eq_ignore_ascii_case(given.trim())) {
            return Ok(Version { known, note: None });
        }
        let unknown = || AdviseError::Version { system: self, given: given.to_owned() };
        let Nearest { version, is_same, is_later } = self.nearest(given).ok_or_else(unknown)?;
        let (title, side) = (self.title(), if is_later { "after" } else { "before" });
        let note = || {
            format!(
                "version {given} is not known: the rules are for {title} {version}, the nearest {side} it"
            )
        };
        Ok(Version { known: version, note: (!is_same).then(note) })
    }

    /// The newest known version that is not later than `said`, else the oldest.
    fn nearest(self, said: &str) -> Option<Nearest> {
        // A product, not a number: k3s says v1.28.3+k3s1.
        let is_product =
            |version: &&&str| !version.contains(['.', '-']) && version.contains(char::is_alphabetic);
        let mut products = self.versions().iter().filter(is_product);
        if let Some(version) = products.find(|product| said.to_ascii_lowercase().contains(**product)) {
            return Some(Nearest { version, is_same: true, is_later: false });
        }
        let flavour = self.rules().flavour(said);
        let running = numbers(said)?;
        let mut known: Vec<(Vec<u32>, &'static str)> = self
            .versions()
            .iter()
            .filter_map(|version| Some((version.strip_prefix(flavour)?, *version)))
            .filter(|(number, _)| number.starts_with(|c: char| c.is_ascii_digit()))
            .filter_map(|(number, version)| Some((numbers(number)?, version)))
            .collect();
        known.sort();
        let earlier = known.iter().rev().find(|(numbers, _)| *numbers <= running);
        let is_later = earlier.is_none();
        let (numbers, version) = earlier.or(known.first())?;
        let is_same = running.starts_with(numbers);
        Some(Nearest { version, is_same, is_later })
    }
}

struct Nearest {
    version: &'static str,
    /// Whether what was said is a release of this version.
    is_same: bool,
    /// Whether this version is later than what was said.
    is_later: bool,
}

/// The first version in a text: `15.4` of `postgres (PostgreSQL) 15.4`. A client of MySQL says its own
/// version before `Distrib`.
fn numbers(text: &str) -> Option<Vec<u32>> {
    let text = text.split_once("Distrib").map_or(text, |(_, rest)| rest);
    let start = text.find(|c: char| c.is_ascii_digit())?;
    let end = |rest: &str| rest.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(rest.len());
    let number = &text[start..start + end(&text[start..])];
    number.split('.').filter(|part| !part.is_empty()).map(|part| part.parse().ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_is_advised_by_the_newest_version_that_is_not_later() {
        for (system, said, version) in [
            (System::Innodb, "10.11.6-MariaDB-0+deb12u1", Some("mariadb-10.11")),
            (System::Innodb, "11.4.2-MariaDB", Some("mariadb-11")),
            (System::Innodb, "10.5.1-MariaDB", None),
            (System::Innodb, "8.0.36", Some("mysql-8.0")),
            (System::Innodb, "8.4.0", Some("mysql-8.4")),
            (System::Innodb, "9.1.0", Some("mysql-9")),
            (System::Postgresql, "15.18", Some("15")),
            (System::Postgresql, "9.6", None),
            (System::Rocksdb, "8.10.0", Some("8.6")),
            (System::Postgresql, "nonsense", None),
        ] {
            assert_eq!(system.version_of(said), version, "{said}");
        }
    }

    #[test]
    fn versions_are_taken_as_programs_print_them() {
        let known = |system: System, given: &str| system.version(given).map(|version| version.known).ok();
        for (system, given, version) in [
            (System::Postgresql, "15.4", "15"),
            (System::Postgresql, "postgres (PostgreSQL) 16.2 (Debian 16.2-1.pgdg120+2)", "16"),
            (System::Postgresql, "PostgreSQL 14.11 on x86_64-pc-linux-gnu", "14"),
            (System::Innodb, "mysql-8.0.36", "mysql-8.0"),
            (System::Innodb, "mariadb-11.4", "mariadb-11"),
            (System::Innodb, "10.11.0", "mariadb-10.11"),
            (System::Innodb, "mysqld  Ver 8.4.2 for Linux on x86_64", "mysql-8.4"),
            (
                System::Innodb,
                "mysql  Ver 15.1 Distrib 10.11.6-MariaDB, for debian-linux-gnu",
                "mariadb-10.11",
            ),
            (System::Etcd, "3.5.12", "3.5"),
            (System::Etcd, "v1.28.3+k3s1", "k3s"),
            (System::Linux, "6.1.0-18-amd64", "6"),
            (System::Kafka, "3.7.1", "3"),
        ] {
            assert_eq!(known(system, given), Some(version), "{given}");
            assert_eq!(system.version(given).unwrap().note, None, "{given}");
        }
        assert_eq!(known(System::Postgresql, "newest"), None);
    }

    #[test]
    fn a_version_that_is_not_known_is_the_nearest_with_a_word() {
        for (system, given, version) in [
            (System::Postgresql, "9.6", "13"),
            (System::Postgresql, "19beta1", "18"),
            (System::Innodb, "10.7.0", "mariadb-10.11"),
            (System::Innodb, "5.7.44", "mysql-8.0"),
        ] {
            let found = system.version(given).unwrap();
            assert_eq!(found.known, version, "{given}");
            let note = found.note.unwrap();
            assert!(note.contains(given) && note.contains("the nearest"), "{note}");
        }
    }
}
