//! DuckDB's settings, as `duckdb_settings()` of its Python package tells them; ranges are found out by
//! trying.

use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::bail;

use super::{Row, Table};

/// What is of the machine or of the caller is nobody's default.
const ASK: &str = r#"
import duckdb
con = duckdb.connect()
print(duckdb.__version__)
own = """threads worker_threads max_memory memory_limit write_buffer_row_group_memory_limit timezone calendar
secret_directory duckdb_api custom_user_agent home_directory temp_directory extension_directory""".split()
kinds = {"BOOLEAN": "bool", "BIGINT": "int", "UBIGINT": "int", "DOUBLE": "real", "FLOAT": "real"}

def takes(name, value):
    try:
        duckdb.connect().execute(f"SET {name} = {value}")
        return True
    except duckdb.Error:
        return False

for name, value, kind in con.execute("SELECT name, value, input_type FROM duckdb_settings()").fetchall():
    kind = kinds.get(kind, "string")
    least = ""
    if kind == "int":
        least = next((str(n) for n in (-1, 0, 1) if takes(name, n)), "")
    default = "" if name.lower() in own or value is None or kind == "string" else value
    print(name.lower(), kind, "", least, "", default, "", "reload", sep="\t")
"#;

/// Asks the package that this Python has.
pub(super) fn ask(python: &Path) -> anyhow::Result<Table> {
    let (told, rows) = told_by(python, ASK)?;
    let version = told.split('.').take(2).collect::<Vec<_>>().join(".");
    Ok(Table { version, told: format!("DuckDB {told}"), rows })
}

/// The version, and the rows, that a program in Python prints.
pub(super) fn told_by(python: &Path, program: &str) -> anyhow::Result<(String, Vec<Row>)> {
    let asked = Command::new(python).args(["-c", program]).stderr(Stdio::inherit()).output()?;
    let said = String::from_utf8(asked.stdout)?;
    let mut lines = said.lines();
    let told = lines.next().unwrap_or_default().to_owned();
    let rows: Vec<Row> = lines.filter_map(row).collect();
    if !asked.status.success() || rows.len() < 50 {
        bail!("only {} settings were told", rows.len());
    }
    Ok((told, rows))
}

fn row(line: &str) -> Option<Row> {
    let fields: Vec<String> = line.split('\t').map(str::to_owned).collect();
    fields.try_into().ok()
}
