//! The settings of a server that runs, asked of it through its own client.

mod keywords;
mod mariadb;
mod postgresql;

use std::fs::File;
use std::sync::atomic::AtomicBool;

use leadline_process::{Launch, ProcessError, Program, run};

use crate::{AdviseError, Config, Entry, Place, System};

/// What a server said.
#[derive(Debug, Clone, PartialEq)]
pub struct Asked {
    /// What the server is called: its address without what may be secret in it.
    pub name: String,
    /// The settings that somebody set.
    pub config: Config,
    /// Its version, as [`System::versions`] has them; `None` if that is not one of them.
    pub version: Option<&'static str>,
}

/// Whether `name` is the address of a server, `postgresql://host/database`, and not a file.
pub fn is_address(name: &str) -> bool {
    name.contains("://")
}

/// Asks the server at `address` which settings are in force, without unset ones. The server is only read.
///
/// Addresses are `postgresql://[USER@][HOST[:PORT]]/[DATABASE]` as libpq takes them,
/// `mysql://[USER@][HOST[:PORT]]/` or `mysql://[USER@]/PATH/OF/SOCKET`, or keywords: `host=db
/// dbname=postgres` and whatever else libpq has, of MySQL and MariaDB `host`, `port`, `user` and `socket`.
/// Passwords come from where the clients look for them: PGPASSWORD or ~/.pgpass, MYSQL_PWD or ~/.my.cnf.
///
/// # Errors
/// [`AdviseError::Address`] for another address or another system, [`AdviseError::Client`] where the client
/// is not installed, or the server does not answer it.
pub fn ask(system: System, address: &str, cancel: &AtomicBool) -> Result<Asked, AdviseError> {
    let wrong = |reason: String| AdviseError::Address { address: shown(address), reason };
    if has_password(address) {
        let reason =
            "has a password, which other users of this machine would see; give it in PGPASSWORD or MYSQL_PWD";
        return Err(wrong(reason.to_owned()));
    }
    let scheme = address.split_once("://");
    let forms = match system {
        System::Postgresql => "postgresql://HOST/DATABASE or 'host=HOST dbname=DATABASE'",
        System::Innodb => "mysql://HOST/, mysql:///SOCKET or 'host=HOST user=USER'",
        _ => {
            return Err(wrong(format!(
                "{system} has no settings that a server could be asked for; name a file"
            )));
        }
    };
    let is_of = |reason: &str| wrong(format!("{reason}; the form is {forms}"));
    match (system, scheme) {
        (System::Postgresql, Some(("postgresql" | "postgres", _))) => postgresql::ask(address, cancel),
        (System::Innodb, Some(("mysql" | "mariadb", rest))) => {
            mariadb::ask(address, &mariadb::options(rest), cancel)
        }
        (_, Some((scheme, _))) => Err(is_of(&format!("{scheme}:// is none of {system}"))),
        (System::Innodb, None) => {
            let pairs = keywords::parse(address).map_err(|reason| is_of(&reason))?;
            let options = mariadb::options_of(&pairs).map_err(|reason| is_of(&reason))?;
            mariadb::ask(address, &options, cancel)
        }
        (_, None) => {
            keywords::parse(address).map_err(|reason| is_of(&reason))?;
            postgresql::ask(address, cancel)
        }
    }
}

/// Whether a password is in an address, behind the user, among its parameters or as a keyword.
fn has_password(address: &str) -> bool {
    let host = address.split_once("://").map(|(_, rest)| rest.split('/').next().unwrap_or_default());
    let user = host.and_then(|host| host.rsplit_once('@'));
    user.is_some_and(|(user, _)| user.contains(':')) || address.to_ascii_lowercase().contains("password")
}

/// The address without what may be secret in it.
fn shown(address: &str) -> String {
    match address.split_once("://") {
        Some((scheme, rest)) => {
            let rest = rest.rsplit_once('@').map_or(rest, |(_, host)| host);
            format!("{scheme}://{}", rest.split('?').next().unwrap_or_default())
        }
        None => match address.to_ascii_lowercase().find("password") {
            Some(at) => format!("{}...", &address[..at]),
            None => address.to_owned(),
        },
    }
}

/// What a client prints.
fn client(
    program: Program,
    arguments: &[String],
    address: &str,
    cancel: &AtomicBool,
) -> Result<String, AdviseError> {
    let failed = |source| AdviseError::Client { address: shown(address), source };
    let path = program.find(&[]).map_err(failed)?;
    let null = File::open("/dev/null")
        .map_err(|source| failed(ProcessError::Start { program: path.clone(), source }))?;
    run(&Launch::new(&path, arguments, &null), "asking the server", cancel, &mut |_, _| ()).map_err(failed)
}

/// Lines of a key, a tab and a value.
fn entries(text: &str, section: &str, address: &str) -> Vec<Entry> {
    let entry = |line: &str| {
        let (key, value) = line.split_once('\t')?;
        let (section, place) = (section.to_owned(), Place::Server(shown(address)));
        Some(Entry { section, key: key.to_lowercase(), value: value.to_owned(), place })
    };
    text.lines().filter_map(entry).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(system: System, address: &str) -> String {
        ask(system, address, &AtomicBool::new(false)).unwrap_err().to_string()
    }

    #[test]
    fn addresses_of_another_form_and_passwords_are_refused() {
        let said = refused(System::Postgresql, "mysql://localhost/");
        let form = "the form is postgresql://HOST/DATABASE or 'host=HOST dbname=DATABASE'";
        assert_eq!(said, format!("mysql://localhost/: mysql:// is none of postgresql; {form}"));
        assert!(refused(System::Innodb, "postgresql://localhost/").contains("mysql://HOST/"));
        assert!(refused(System::Linux, "linux://localhost").contains("name a file"));
        let secret = refused(System::Postgresql, "postgresql://me:secret@localhost/x");
        assert!(
            secret.starts_with("postgresql://localhost/x: has a password") && !secret.contains("secret@")
        );
        for secret in ["host=db Password = secret user=me", "postgresql://db/x?password=secret"] {
            let said = refused(System::Postgresql, secret);
            assert!(said.contains("has a password") && !said.contains("secret"), "{said}");
        }
    }

    #[test]
    fn keywords_of_another_form_are_refused() {
        assert!(refused(System::Postgresql, "db").starts_with("db: db: has no =; the form is postgresql://"));
        let said = refused(System::Innodb, "host=db sslmode=off");
        assert!(
            said.starts_with("host=db sslmode=off: sslmode: is none of host, port, user, socket;"),
            "{said}"
        );
    }
}
