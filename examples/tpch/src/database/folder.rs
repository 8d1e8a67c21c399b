//! What is in a loaded folder, and whether it is the one that is wanted.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::TpchError;
use crate::data::Scale;
use crate::schema::TABLES;
use crate::server::Pool;

/// Its marker, written when everything is loaded.
const MARKER: &str = "leadline-tpch.json";

/// Grows when what is loaded changes: schema, keys, settings that leave their mark on the files.
const VERSION: u32 = 1;

/// The paper's buffer pool, of its data: 4 of 89.1 GB.
const POOL_SHARE: f64 = 4.0 / 89.1;

/// The paper's scale.
const PAPER_SCALE: f64 = 60.0;

/// MariaDB's and MySQL's default of `innodb_old_blocks_time`, ms.
const OLD_BLOCKS_MS: f64 = 1000.0;

/// Smaller ones MariaDB refuses.
const LEAST_POOL: u64 = 6 << 20;

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Marker {
    schema: String,
    version: u32,
    scale: f64,
    mariadb: String,
}

/// A table's file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TableFile {
    /// The table's name.
    pub name: String,
    /// Bytes of its file, indexes included.
    pub bytes: u64,
}

/// A loaded folder.
#[derive(Debug)]
pub struct Folder {
    path: PathBuf,
    marker: Marker,
}

impl Folder {
    const SCHEMA: &'static str = "leadline.tpch-folder/1";

    /// Opens a folder that was loaded.
    ///
    /// # Errors
    /// [`TpchError::Input`] where it was not, or not in full, by another version, or at another scale than is
    /// wanted.
    pub fn open(path: &Path, wanted: Option<Scale>) -> Result<Folder, TpchError> {
        let named = path.display();
        let text = match fs::read_to_string(path.join(MARKER)) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Err(TpchError::Input(format!(
                    "{named}: no loaded TPC-H tables are there; load them with tpch load {named}"
                )));
            }
            Err(error) => return Err(TpchError::io(path.join(MARKER))(error)),
        };
        let marker: Marker = serde_json::from_str(&text).map_err(|error| {
            TpchError::Input(format!("{named}/{MARKER}: {error}; remove the directory and load it again"))
        })?;
        if marker.schema != Self::SCHEMA || marker.version != VERSION {
            return Err(TpchError::Input(format!(
                "{named}: loaded by another version of tpch ({} {}, this one reads {} {VERSION}); load it \
                 again into a new directory",
                marker.schema,
                marker.version,
                Self::SCHEMA
            )));
        }
        match wanted {
            Some(scale) if scale.factor() != marker.scale => Err(TpchError::Input(format!(
                "--scale {}: the tables in {named} have scale {}; name another directory, or leave --scale out",
                scale.factor(),
                marker.scale
            ))),
            _ => {
                let path = path.canonicalize().map_err(TpchError::io(path))?;
                Ok(Folder { path, marker })
            }
        }
    }

    /// Says that the folder is loaded in full.
    pub(super) fn seal(path: &Path, scale: Scale, mariadb: String) -> Result<Folder, TpchError> {
        let schema = Self::SCHEMA.to_owned();
        let marker = Marker { schema, version: VERSION, scale: scale.factor(), mariadb };
        let text = serde_json::to_string_pretty(&marker).unwrap_or_default() + "\n";
        leadline_files::replace(path.join(MARKER), text)?;
        Ok(Folder { path: path.to_owned(), marker })
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The scale of its tables.
    pub fn scale(&self) -> f64 {
        self.marker.scale
    }

    /// The server that loaded it.
    pub fn mariadb(&self) -> &str {
        &self.marker.mariadb
    }

    /// What lies on the emulated drive.
    pub fn drive(&self) -> PathBuf {
        drive(&self.path)
    }

    /// The log of the last server, as long as it is of interest.
    pub fn log(&self) -> PathBuf {
        self.path.join(LOG)
    }

    /// The tables' files, as large as they are.
    ///
    /// # Errors
    /// [`TpchError::Io`] where one is missing.
    pub fn tables(&self) -> Result<Vec<TableFile>, TpchError> {
        TABLES
            .iter()
            .map(|table| {
                let path = self.drive().join(DATA).join("tpch").join(format!("{}.ibd", table.name));
                let bytes = fs::metadata(&path).map_err(TpchError::io(&path))?.len();
                Ok(TableFile { name: table.name.to_owned(), bytes })
            })
            .collect()
    }

    /// A buffer pool in the paper's ratio to the tables: whole MiB, at least what MariaDB takes.
    ///
    /// # Errors
    /// As [`Folder::tables`].
    pub fn pool(&self) -> Result<Pool, TpchError> {
        let tables: u64 = self.tables()?.iter().map(|table| table.bytes).sum();
        let bytes = (tables as f64 * POOL_SHARE) as u64;
        // A pool of a hundredth is full a hundred times sooner.
        let old_blocks_ms = (OLD_BLOCKS_MS * self.scale() / PAPER_SCALE).round().max(1.0) as u32;
        Ok(Pool { bytes: bytes.next_multiple_of(1 << 20).max(LEAST_POOL), old_blocks_ms })
    }
}

/// What lies on the emulated drive.
pub(super) fn drive(folder: &Path) -> PathBuf {
    folder.join("drive")
}

/// The database's folder on the drive.
pub(crate) const DATA: &str = "data";

/// The server's log, beside the drive.
pub(super) const LOG: &str = "server.log";

/// Temporary files on the drive.
pub(crate) const TEMPORARY: &str = "tmp";
