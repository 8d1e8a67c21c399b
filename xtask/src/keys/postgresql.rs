//! PostgreSQL's parameters, as `pg_settings` of a new, empty cluster has them.

use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context, bail};

use super::{Row, Table};

/// One text per parameter: single-user mode prints each row with the names and types of its columns.
const QUERY: &str = "SELECT concat_ws(E'\\t', name, vartype, unit_or_none, min_or_none, max_or_none, \
                     boot_or_none, words_or_none, context) AS line FROM (SELECT name, vartype, context, \
                     coalesce(unit, '') unit_or_none, coalesce(min_val, '') min_or_none, coalesce(max_val, '') \
                     max_or_none, coalesce(translate(boot_val, E'\\n\\t', ''), '') boot_or_none, \
                     coalesce(array_to_string(enumvals, '|'), '') words_or_none FROM pg_settings WHERE context \
                     <> 'internal') settings ORDER BY name\n";

/// Asks the server `postgres`, next to which `initdb` lies. It refuses to run as root: then as `nobody`.
pub(super) fn ask(postgres: &Path) -> anyhow::Result<Table> {
    let folder = tempfile::tempdir()?;
    let data = folder.path().join("data");
    let initdb = postgres.with_file_name("initdb");
    allow_nobody(folder.path())?;
    let made = as_user(&initdb).args(["--auth=trust", "--no-sync", "-D"]).arg(&data).output()?;
    if !made.status.success() {
        bail!("initdb: {}", String::from_utf8_lossy(&made.stderr).trim());
    }
    let version = std::fs::read_to_string(data.join("PG_VERSION"))?.trim().to_owned();
    let told = String::from_utf8(Command::new(postgres).arg("--version").output()?.stdout)?;
    let mut server = as_user(postgres)
        .args(["--single", "-D"])
        .arg(&data)
        .arg("postgres")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()?;
    server.stdin.take().context("no input")?.write_all(QUERY.as_bytes())?;
    let said = String::from_utf8(server.wait_with_output()?.stdout)?;
    let rows: Vec<Row> = said.lines().filter_map(row).collect();
    if rows.len() < 200 {
        bail!("only {} parameters were told", rows.len());
    }
    Ok(Table { version, told: told.trim().to_owned(), rows })
}

/// `1: line = "..."  (typeid = ...`.
fn row(line: &str) -> Option<Row> {
    let (_, rest) = line.split_once("line = \"")?;
    let (fields, _) = rest.rsplit_once("\"\t(typeid")?;
    let fields: Vec<String> = fields.split('\t').map(str::to_owned).collect();
    let [name, kind, unit, min, max, default, words, context] = fields.try_into().ok()?;
    let kind = if kind == "integer" { "int".to_owned() } else { kind };
    let change = if context == "postmaster" { "restart" } else { "reload" }.to_owned();
    // Builds with liburing have it; those that are asked may be without.
    let words = if name == "io_method" { "sync|worker|io_uring".to_owned() } else { words };
    // What initdb found out about this machine is nobody's default.
    let default = if kind == "string" { String::new() } else { default };
    Some([name, kind, unit, min, max, default, words, change])
}

fn as_user(program: &Path) -> Command {
    if !rustix::process::geteuid().is_root() {
        return Command::new(program);
    }
    let mut command = Command::new("setpriv");
    command.args(["--reuid=nobody", "--regid=nogroup", "--clear-groups"]).arg(program);
    command
}

/// The folder is root's otherwise.
fn allow_nobody(folder: &Path) -> anyhow::Result<()> {
    use std::os::unix::fs::PermissionsExt as _;
    Ok(std::fs::set_permissions(folder, std::fs::Permissions::from_mode(0o777))?)
}
