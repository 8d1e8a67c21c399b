//! `cargo xtask keys`: the tables of `crates/advise/keys`, written anew by asking the programs themselves.
//!
//! A table is for one system and one major version: a line per key with its kind, unit, range, default, words
//! and what puts a change into force. They are checked in, so that advice and lint need no program.

mod datafusion;
mod duckdb;
mod mariadb;
mod postgresql;
mod redis;
mod rocksdb;

use std::ffi::OsString;
use std::path::PathBuf;

use anyhow::Context;

use crate::run::{Usage, root, say};

/// The line above the rows, which their reader checks.
const COLUMNS: &str = "key\tkind\tunit\tmin\tmax\tdefault\twords\tchange";

/// One line of a table, in the order of [`COLUMNS`]; empty where the program does not say.
type Row = [String; 8];

/// What a program said.
struct Table {
    /// The major version, as `leadline advise --version` has it.
    version: String,
    /// What the program says of itself.
    told: String,
    rows: Vec<Row>,
}

/// `cargo xtask keys SYSTEM PROGRAM...`.
pub(crate) fn keys(words: &[OsString]) -> anyhow::Result<()> {
    let usage = || {
        let systems = "postgresql, innodb, rocksdb, duckdb, datafusion, redis";
        Usage::error(format!("say cargo xtask keys SYSTEM PROGRAM...; systems: {systems}"))
    };
    let [system, programs @ ..] = words else { return Err(usage()) };
    if programs.is_empty() {
        return Err(usage());
    }
    for program in programs {
        let program = PathBuf::from(program);
        let table = match system.to_str() {
            Some("postgresql") => postgresql::ask(&program),
            Some("innodb") => mariadb::ask(&program),
            Some("rocksdb") => rocksdb::ask(&program),
            Some("duckdb") => duckdb::ask(&program),
            Some("datafusion") => datafusion::ask(&program),
            Some("redis") => redis::ask(&program),
            _ => return Err(usage()),
        }
        .with_context(|| program.display().to_string())?;
        write(&system.to_string_lossy(), &table)?;
    }
    Ok(())
}

fn write(system: &str, table: &Table) -> anyhow::Result<()> {
    let folder = root().join("crates/advise/keys").join(system);
    std::fs::create_dir_all(&folder)?;
    let path = folder.join(format!("{}.tsv", table.version));
    let mut rows = table.rows.clone();
    rows.sort();
    let lines: String = rows.iter().map(|row| format!("{}\n", row.join("\t"))).collect();
    std::fs::write(&path, format!("# {}\n{COLUMNS}\n{lines}", table.told))?;
    say(&format!("{}: {} keys", path.display(), rows.len()));
    Ok(())
}
