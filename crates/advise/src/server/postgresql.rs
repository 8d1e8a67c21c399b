//! PostgreSQL, asked through psql.

use std::sync::atomic::AtomicBool;

use leadline_process::Program;

use super::{Asked, client, entries, shown};
use crate::{AdviseError, Config, System};

/// With their units, as `SHOW` has them. What nobody set is left out.
const SETTINGS: &str = "SELECT name, current_setting(name) FROM pg_settings WHERE source <> 'default'";

const VERSION: &str = "SHOW server_version";

pub(super) fn ask(address: &str, cancel: &AtomicBool) -> Result<Asked, AdviseError> {
    let psql = Program { name: "psql", package: "postgresql-client" };
    let plain = ["-X", "-q", "-A", "-t", "-w", "-F", "\t", "-v", "ON_ERROR_STOP=1", "-d", address];
    let arguments =
        |query: &str| plain.into_iter().chain(["-c", query]).map(str::to_owned).collect::<Vec<_>>();
    let settings = client(psql, &arguments(SETTINGS), address, cancel)?;
    let version = client(psql, &arguments(VERSION), address, cancel)?;
    let config = Config { entries: entries(&settings, "", address), ..Config::default() };
    Ok(Asked { name: shown(address), config, version: System::Postgresql.version_of(&version) })
}
