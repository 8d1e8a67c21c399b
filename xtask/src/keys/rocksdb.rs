//! RocksDB's options of a database, as it writes them into the OPTIONS file of a new one.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, bail};

use super::{Row, Table};

/// Opens a new database in a folder, and says its version.
const PROGRAM: &str = "import org.rocksdb.*;
public class Fresh {
    public static void main(String[] folder) throws Exception {
        RocksDB.loadLibrary();
        try (Options o = new Options().setCreateIfMissing(true); RocksDB db = RocksDB.open(o, folder[0])) {}
        System.out.println(RocksDB.rocksdbVersion());
    }
}
";

/// Versions from whose first release on a table holds, by major version; others have one per major version.
const SINCE: [(&str, &str); 2] = [("7", "7.8"), ("8", "8.6")];

/// Asks RocksDB by its library for Java, `rocksdbjni-VERSION.jar`.
pub(super) fn ask(jar: &Path) -> anyhow::Result<Table> {
    let folder = tempfile::tempdir()?;
    let (source, database) = (folder.path().join("Fresh.java"), folder.path().join("db"));
    std::fs::write(&source, PROGRAM)?;
    let ran = Command::new("java").arg("-cp").arg(jar).arg(&source).arg(&database).output()?;
    if !ran.status.success() {
        bail!("{}", String::from_utf8_lossy(&ran.stderr).trim());
    }
    let told = String::from_utf8(ran.stdout)?.trim().to_owned();
    let names = std::fs::read_dir(&database)?.flatten().map(|entry| entry.path());
    let is_options = |path: &std::path::PathBuf| path.to_string_lossy().contains("/OPTIONS-");
    let options = names.filter(is_options).max().context("it wrote no OPTIONS file")?;
    let text = std::fs::read_to_string(options)?;
    let (_, of_database) = text.split_once("[DBOptions]\n").context("no [DBOptions]")?;
    let rows: Vec<Row> =
        of_database.lines().take_while(|line| !line.starts_with('[')).filter_map(row).collect();
    let major = told.split('.').next().unwrap_or_default();
    let since = SINCE.iter().find(|(one, _)| *one == major).map_or(major, |(_, since)| since);
    Ok(Table { version: since.to_owned(), told: format!("RocksDB {told}"), rows })
}

/// What an option takes is not told; its default shows of which kind it is.
fn row(line: &str) -> Option<Row> {
    let (name, default) = line.trim().split_once('=')?;
    let kind = match default {
        "true" | "false" => "bool",
        number if number.parse::<i64>().is_ok() => "int",
        number if number.parse::<f64>().is_ok() => "real",
        _ => "string",
    };
    let default = if kind == "string" { "" } else { default };
    Some([name, kind, "", "", "", default, "", "restart"].map(str::to_owned))
}
