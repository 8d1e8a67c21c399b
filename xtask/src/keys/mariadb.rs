//! MariaDB's variables of InnoDB, as `information_schema.SYSTEM_VARIABLES` of a new server has them.

use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::bail;

use super::{Row, Table};

const QUERY: &str = "SELECT LOWER(VARIABLE_NAME), VARIABLE_TYPE, COALESCE(NUMERIC_MIN_VALUE, ''), \
                     COALESCE(NUMERIC_MAX_VALUE, ''), COALESCE(DEFAULT_VALUE, ''), \
                     COALESCE(REPLACE(ENUM_VALUE_LIST, ',', '|'), ''), READ_ONLY FROM \
                     information_schema.SYSTEM_VARIABLES WHERE VARIABLE_NAME LIKE 'INNODB%' ORDER BY 1";

/// Asks the server `mariadbd` through the client `mariadb` on PATH.
pub(super) fn ask(mariadbd: &Path) -> anyhow::Result<Table> {
    let folder = tempfile::tempdir()?;
    let (data, socket) = (folder.path().join("data"), folder.path().join("socket"));
    std::fs::create_dir(&data)?;
    // Without system tables: nobody has to log in.
    let plain =
        ["--no-defaults", "--skip-grant-tables", "--skip-networking", "--user=root", "--skip-log-bin"];
    let server = Command::new(mariadbd)
        .args(plain)
        .arg(format!("--datadir={}", data.display()))
        .arg(format!("--socket={}", socket.display()))
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()?;
    let mut server = Stopped(server);
    let query = |query: &str| {
        let socket = format!("--socket={}", socket.display());
        let plain = ["--no-defaults", &socket, "--batch", "--skip-column-names", "--execute", query];
        Command::new("mariadb").args(plain).output()
    };
    let begin = Instant::now();
    while !socket.exists() || !query("SELECT 1")?.status.success() {
        if begin.elapsed() > Duration::from_secs(60) || server.0.try_wait()?.is_some() {
            bail!("does not answer");
        }
        std::thread::sleep(Duration::from_millis(100));
    }
    let said = String::from_utf8(query(QUERY)?.stdout)?;
    let told = String::from_utf8(query("SELECT VERSION()")?.stdout)?;
    let rows: Vec<Row> = said.lines().filter_map(row).collect();
    if rows.len() < 50 {
        bail!("only {} variables were told", rows.len());
    }
    let mut parts = told.trim().split('.');
    let (major, minor) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
    let version = if major == "10" { format!("mariadb-10.{minor}") } else { format!("mariadb-{major}") };
    Ok(Table { version, told: format!("MariaDB {} (those of devices only)", told.trim()), rows })
}

/// Stopped when it is no longer needed.
struct Stopped(Child);

impl Drop for Stopped {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn row(line: &str) -> Option<Row> {
    let fields: Vec<&str> = line.split('\t').collect();
    let [name, kind, min, max, default, words, read_only] = fields[..] else { return None };
    let kind = match kind {
        "BOOLEAN" => "bool",
        "DOUBLE" => "real",
        "ENUM" | "SET" => "enum",
        kind if kind.contains("INT") => "int",
        _ => "string",
    };
    let default = if kind == "string" { "" } else { default };
    let (words, change) =
        (if kind == "enum" { words } else { "" }, if read_only == "YES" { "restart" } else { "reload" });
    let (min, max) = if ["int", "real"].contains(&kind) { (min, max) } else { ("", "") };
    Some([name, kind, "", min, max, default, words, change].map(str::to_owned))
}
