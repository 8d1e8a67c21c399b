//! Makes and fills the tables, on the backing folder and not on the emulated drive, so that it is fast.

use std::fs::{self, File};
use std::io::{BufWriter, Write as _};
use std::path::Path;

use leadline_files::Space;

use super::folder::{DATA, Folder, LOG, TEMPORARY, drive};
use crate::data::{self, Scale};
use crate::schema::{TABLES, Table};
use crate::server::{Server, Session, Settings, create_data_folder};
use crate::{Interrupt, TpchError};

/// Loads TPC-H's tables into a folder, which must be empty or not there, and computes their statistics. What
/// was written is removed again where it fails. `said` is called with a line for each table.
///
/// # Errors
/// [`TpchError::Input`] for a folder that has something in it or too little space; what the server says.
pub fn load(
    path: &Path,
    scale: Scale,
    interrupt: &Interrupt,
    said: &mut dyn FnMut(&str),
) -> Result<Folder, TpchError> {
    let was_there = claim(path, scale)?;
    let log = path.join(LOG);
    let loaded = fill(path, scale, interrupt, said);
    if loaded.is_err() {
        let _ = fs::remove_dir_all(drive(path));
    }
    if !matches!(loaded, Err(TpchError::Server { .. })) {
        let _ = fs::remove_file(log);
    }
    if loaded.is_err() && !was_there {
        // Not where it has a log that the error names.
        let _ = fs::remove_dir(path);
    }
    loaded
}

/// Makes the folder, or checks that it is empty but for an earlier log: whether it was there.
fn claim(path: &Path, scale: Scale) -> Result<bool, TpchError> {
    let was_there = path.is_dir();
    fs::create_dir_all(path).map_err(TpchError::io(path))?;
    let mut others = fs::read_dir(path).map_err(TpchError::io(path))?;
    let (needed, space) = (scale.peak_bytes(), Space::of(path).map_err(TpchError::io(path))?);
    let problem = if others.any(|entry| entry.is_ok_and(|entry| entry.file_name() != LOG)) {
        "has something in it; name a new directory".to_owned()
    } else if space.available_bytes < needed {
        format!(
            "loading scale {} takes {} MB, and {} MB are free; name a folder on another file system, or a \
             smaller --scale",
            scale.factor(),
            needed / 1_000_000,
            space.available_bytes / 1_000_000
        )
    } else {
        return Ok(was_there);
    };
    if !was_there {
        let _ = fs::remove_dir(path);
    }
    Err(TpchError::Input(format!("{}: {problem}", path.display())))
}

fn fill(
    path: &Path,
    scale: Scale,
    interrupt: &Interrupt,
    said: &mut dyn FnMut(&str),
) -> Result<Folder, TpchError> {
    let path = &path.canonicalize().map_err(TpchError::io(path))?;
    let drive = drive(path);
    fs::create_dir(&drive).map_err(TpchError::io(&drive))?;
    let private = tempfile::Builder::new().prefix("tpch").tempdir().map_err(TpchError::io(path))?;
    let settings = Settings {
        data: drive.join(DATA),
        temporary: drive.join(TEMPORARY),
        private: private.path().to_owned(),
        log: path.join(LOG),
        pool: None,
        further: Vec::new(),
    };
    for folder in [&settings.data, &settings.temporary] {
        fs::create_dir(folder).map_err(TpchError::io(folder))?;
    }
    create_data_folder(&settings)?;
    let server = Server::start(settings.clone(), interrupt)?;
    let mut session = server.session()?;
    session.run("create database tpch character set latin1 collate latin1_bin")?;
    session.run("use tpch")?;
    for table in &TABLES {
        fill_table(&mut session, table, scale, &settings.temporary.join("rows"), interrupt)?;
        said(table.name);
    }
    let version = session.run("select version()")?.concat().concat();
    drop(session);
    server.stop()?;
    let synced = File::open(&drive).and_then(|file| Ok(rustix::fs::syncfs(file)?));
    synced.map_err(TpchError::io(&drive))?;
    Folder::seal(path, scale, version)
}

fn fill_table(
    session: &mut Session,
    table: &Table,
    scale: Scale,
    rows: &Path,
    interrupt: &Interrupt,
) -> Result<(), TpchError> {
    let file = File::create(rows).map_err(TpchError::io(rows))?;
    let mut file = BufWriter::with_capacity(1 << 20, file);
    data::write(table, scale, &mut file, &|| interrupt.is_set())?;
    file.flush().map_err(|source| TpchError::Data { source })?;
    session.run(&table.create())?;
    // One row after the other, in the order of the key: pages that follow each other lie next to each other.
    // A bulk load or a rebuild puts one page of each extent 256 pages off, which leads read-ahead astray.
    session.run("set unique_checks=1, foreign_key_checks=1")?;
    session.run(&format!(
        "load data infile '{}' into table {} character set latin1 \
         fields terminated by '|' lines terminated by '|\\n'",
        rows.display(),
        table.name
    ))?;
    fs::remove_file(rows).map_err(TpchError::io(rows))?;
    if let Some(statement) = table.add_key() {
        session.run(&statement)?;
    }
    session.run(&format!("analyze table {}", table.name)).map(drop)
}
