//! PostgreSQL, asked through psql.

use std::sync::atomic::AtomicBool;

use leadline_process::Program;

use super::{Asked, client, entries};
use crate::{AdviseError, Config, System};

/// With their units, as `SHOW` has them. What nobody set is left out.
const SETTINGS: &str = "SELECT name, current_setting(name) FROM pg_settings WHERE source <> 'default'";

const VERSION: &str = "SELECT current_setting('server_version_num')::int / 10000";

pub(super) fn ask(address: &str, cancel: &AtomicBool) -> Result<Asked, AdviseError> {
    let psql = Program { name: "psql", package: "postgresql-client" };
    let plain = ["-X", "-q", "-A", "-t", "-w", "-F", "\t", "-v", "ON_ERROR_STOP=1", "-d", address];
    let arguments =
        |query: &str| plain.into_iter().chain(["-c", query]).map(str::to_owned).collect::<Vec<_>>();
    let settings = client(psql, &arguments(SETTINGS), address, cancel)?;
    let version = client(psql, &arguments(VERSION), address, cancel)?.trim().to_owned();
    let known = System::Postgresql.versions().contains(&version.as_str());
    let config = Config { entries: entries(&settings, "", address), notes: Vec::new() };
    Ok(Asked { config, version: known.then_some(version) })
}
