//! The settings of a server that runs, asked of it through its own client.

mod mariadb;
mod postgresql;

use std::fs::File;
use std::sync::atomic::AtomicBool;

use leadline_process::{Launch, ProcessError, Program, run};

use crate::{AdviseError, Config, Entry, Place, System};

/// What a server said.
#[derive(Debug, Clone, PartialEq)]
pub struct Asked {
    /// The settings that somebody set.
    pub config: Config,
    /// Its version, as [`System::versions`] has them; `None` if that is not one of them.
    pub version: Option<&'static str>,
}

/// Whether `name` is the address of a server, `postgresql://host/database`, and not a file.
pub fn is_address(name: &str) -> bool {
    name.contains("://")
}

/// Asks the server at `address` which settings are in force, without those that nobody set. It is only read.
///
/// Addresses are `postgresql://[USER@][HOST[:PORT]]/[DATABASE]` as libpq takes them, and
/// `mysql://[USER@][HOST[:PORT]]/` or `mysql://[USER@]/PATH/OF/SOCKET`. Passwords come from where the clients
/// look for them: PGPASSWORD or ~/.pgpass, MYSQL_PWD or ~/.my.cnf.
///
/// # Errors
/// [`AdviseError::Address`] for another address or another system, [`AdviseError::Client`] where the client
/// is not installed, or the server does not answer it.
pub fn ask(system: System, address: &str, cancel: &AtomicBool) -> Result<Asked, AdviseError> {
    let wrong = |reason: String| AdviseError::Address { address: shown(address), reason };
    let (scheme, rest) = address.split_once("://").unwrap_or((address, ""));
    if rest
        .split('/')
        .next()
        .is_some_and(|host| host.rsplit_once('@').is_some_and(|(user, _)| user.contains(':')))
    {
        let reason =
            "has a password, which other users of this machine would see; give it in PGPASSWORD or MYSQL_PWD";
        return Err(wrong(reason.to_owned()));
    }
    match (system, scheme) {
        (System::Postgresql, "postgresql" | "postgres") => postgresql::ask(address, cancel),
        (System::Innodb, "mysql" | "mariadb") => mariadb::ask(address, rest, cancel),
        (System::Postgresql, _) => Err(wrong("is not of the form postgresql://HOST/DATABASE".to_owned())),
        (System::Innodb, _) => Err(wrong("is not of the form mysql://HOST/ or mysql:///SOCKET".to_owned())),
        _ => Err(wrong(format!("{system} has no settings that a server could be asked for; name a file"))),
    }
}

/// The address without what may be secret in it.
fn shown(address: &str) -> String {
    match address.split_once("://").zip(address.rsplit_once('@')) {
        Some(((scheme, _), (_, host))) => format!("{scheme}://{host}"),
        None => address.to_owned(),
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
        assert_eq!(said, "mysql://localhost/: is not of the form postgresql://HOST/DATABASE");
        assert!(refused(System::Innodb, "postgresql://localhost/").contains("mysql://HOST/"));
        assert!(refused(System::Linux, "linux://localhost").contains("name a file"));
        let secret = refused(System::Postgresql, "postgresql://me:secret@localhost/x");
        assert!(
            secret.starts_with("postgresql://localhost/x: has a password") && !secret.contains("secret@")
        );
    }
}
