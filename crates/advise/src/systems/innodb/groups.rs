//! Which groups of an option file a server reads.

/// A server, as far as it is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Server {
    is_mariadb: bool,
    major: u32,
    minor: Option<u32>,
}

/// Whether a server reads a group.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reads {
    /// It does.
    Yes,
    /// It is another program's, or another version's.
    No,
    /// That depends on the version, which is not known.
    Unknown,
}

impl Server {
    /// From a version as somebody gave it: `mariadb-10.11`, `8.0.36`, `10.11.6-MariaDB`.
    pub(super) fn of(version: &str) -> Option<Server> {
        let digits = version.trim_start_matches(|c: char| !c.is_ascii_digit());
        let mut numbers = digits.split(|c: char| !c.is_ascii_digit());
        let major: u32 = numbers.next()?.parse().ok()?;
        let minor = numbers.next().and_then(|minor| minor.parse().ok());
        let version = version.to_ascii_lowercase();
        // MySQL has not come to 10, where MariaDB began.
        let is_mariadb = version.contains("mariadb") || !version.contains("mysql") && major >= 10;
        Some(Server { is_mariadb, major, minor })
    }
}

/// Whether `server` reads the group (`load_default_groups` in sql/mysqld.cc of both).
pub(super) fn reads(group: &str, server: Option<Server>) -> Reads {
    let group = group.to_ascii_lowercase();
    let of_mariadb = if server.is_none_or(|server| server.is_mariadb) { Reads::Yes } else { Reads::No };
    match group.as_str() {
        "mysqld" | "server" => return Reads::Yes,
        "mariadb" | "mariadbd" | "client-server" | "galera" => return of_mariadb,
        _ => {}
    }
    let Some((base, version)) = group.split_once('-') else { return Reads::No };
    let is_base = base == "mysqld" || ["mariadb", "mariadbd"].contains(&base) && of_mariadb == Reads::Yes;
    let numbers =
        version.split_once('.').and_then(|(a, b)| Some((a.parse::<u32>().ok()?, b.parse::<u32>().ok()?)));
    let Some((major, minor)) = numbers.filter(|_| is_base) else { return Reads::No };
    match server {
        None => Reads::Unknown,
        Some(server) if server.major != major => Reads::No,
        Some(server) => match server.minor {
            None => Reads::Unknown,
            Some(own) => {
                if own == minor {
                    Reads::Yes
                } else {
                    Reads::No
                }
            }
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_of_other_versions_and_programs_are_not_read() {
        let reads = |group, version: &str| super::reads(group, Server::of(version));
        for (group, version, want) in [
            ("mysqld", "", Reads::Yes),
            ("MySQLd", "mysql-8.4", Reads::Yes),
            ("mysqld-5.7", "mysql-8.0", Reads::No),
            ("mysqld-8.0", "8.0.36", Reads::Yes),
            ("mysqld-10.11", "mariadb-10.11", Reads::Yes),
            ("mariadb-10.11", "10.11.6-MariaDB-0+deb12u1", Reads::Yes),
            ("mariadb-10.6", "mariadb-10.11", Reads::No),
            ("mariadb-11.4", "mariadb-11", Reads::Unknown),
            ("mariadb-10.11", "", Reads::Unknown),
            ("mysqld-5.7", "", Reads::Unknown),
            ("mariadb", "mysql-8.0", Reads::No),
            ("mariadb-10.11", "mysql-8.0", Reads::No),
            ("client-server", "mariadb-11.4", Reads::Yes),
            ("client-server", "mysql-9", Reads::No),
            ("galera", "", Reads::Yes),
            ("client", "", Reads::No),
            ("mysqldump", "mariadb-10.11", Reads::No),
            ("mysqld_safe", "mariadb-10.11", Reads::No),
            ("mysqld-x", "", Reads::No),
        ] {
            assert_eq!(reads(group, version), want, "[{group}] of {version:?}");
        }
    }
}
