//! MariaDB and MySQL, asked through the client of either.

use std::sync::atomic::AtomicBool;

use leadline_process::Program;

use super::{Asked, client, entries, shown};
use crate::{AdviseError, Config, System};

/// InnoDB's variables that somebody set, as MariaDB keeps them and as MySQL does.
const OF_MARIADB: &str = "SELECT VARIABLE_NAME, GLOBAL_VALUE FROM information_schema.SYSTEM_VARIABLES \
                          WHERE GLOBAL_VALUE_ORIGIN <> 'COMPILE-TIME' AND VARIABLE_NAME LIKE 'INNODB%'";
const OF_MYSQL: &str = "SELECT VARIABLE_NAME, VARIABLE_VALUE FROM performance_schema.global_variables \
                        JOIN performance_schema.variables_info USING (VARIABLE_NAME) \
                        WHERE VARIABLE_SOURCE <> 'COMPILED' AND VARIABLE_NAME LIKE 'innodb%'";

const VERSION: &str = "SELECT VERSION()";

/// `connect` are the client's options for the server.
pub(super) fn ask(address: &str, connect: &[String], cancel: &AtomicBool) -> Result<Asked, AdviseError> {
    let [mariadb, mysql] = [("mariadb", "mariadb-client"), ("mysql", "default-mysql-client")]
        .map(|(name, package)| Program { name, package });
    let program = if mariadb.find(&[]).is_ok() || mysql.find(&[]).is_err() { mariadb } else { mysql };
    let ask = |query: &str| {
        let plain = ["--batch", "--skip-column-names", "--execute", query].map(str::to_owned);
        let arguments: Vec<String> = connect.iter().cloned().chain(plain).collect();
        client(program, &arguments, address, cancel)
    };
    let version = ask(VERSION)?;
    let settings = ask(if is_mariadb(&version) { OF_MARIADB } else { OF_MYSQL })?;
    let config = Config { entries: entries(&settings, "mysqld", address), ..Config::default() };
    Ok(Asked { name: shown(address), config, version: System::Innodb.version_of(&version) })
}

fn is_mariadb(version: &str) -> bool {
    version.contains("MariaDB")
}

/// `[USER@][HOST[:PORT]]/[SOCKET]` as options of the client.
pub(super) fn options(rest: &str) -> Vec<String> {
    let (user, rest) = rest.split_once('@').map_or((None, rest), |(user, rest)| (Some(user), rest));
    let (host, path) = rest.split_once('/').unwrap_or((rest, ""));
    let mut options = Vec::new();
    options.extend(user.filter(|user| !user.is_empty()).map(|user| format!("--user={user}")));
    if host.is_empty() && !path.is_empty() {
        options.push(format!("--socket=/{path}"));
        return options;
    }
    let (host, port) = host.split_once(':').map_or((host, None), |(host, port)| (host, Some(port)));
    options.extend((!host.is_empty()).then(|| format!("--host={host}")));
    options.extend(port.map(|port| format!("--port={port}")));
    options
}

/// Keywords as options of the client; the reason where one is none of its.
pub(super) fn options_of(pairs: &[(String, String)]) -> Result<Vec<String>, String> {
    let option = |(key, value): &(String, String)| match key.as_str() {
        "host" | "port" | "user" | "socket" => Ok(format!("--{key}={value}")),
        "unix_socket" => Ok(format!("--socket={value}")),
        other => Err(format!("{other}: is none of host, port, user, socket")),
    };
    pairs.iter().map(option).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_become_options_of_the_client() {
        assert_eq!(options("me@db:3307/"), ["--user=me", "--host=db", "--port=3307"]);
        assert_eq!(options("/run/mysqld/mysqld.sock"), ["--socket=/run/mysqld/mysqld.sock"]);
        assert_eq!(options("root@/tmp/s"), ["--user=root", "--socket=/tmp/s"]);
        assert!(options("").is_empty());
    }
}
