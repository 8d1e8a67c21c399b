//! What came of a run: one JSON file.

use std::fs;
use std::path::{Path, PathBuf};

use leadline_emulate::Report;
use serde::{Deserialize, Serialize};

use super::{Access, Counters, Mounted, RunOptions};
use crate::TpchError;
use crate::answers::Answer;
use crate::database::{Folder, TableFile};
use crate::queries::{Plans, Query};

/// What came of a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunResult {
    /// `leadline.tpch/1`.
    pub schema: String,
    /// The drive, as it was named.
    pub device: String,
    /// TPC-H's scale factor.
    pub scale: f64,
    /// The tables' files.
    pub tables: Vec<TableFile>,
    /// The version of MariaDB that loaded them.
    pub mariadb: String,
    /// Bytes of the buffer pool.
    pub pool_bytes: u64,
    /// The server's settings.
    pub settings: Vec<String>,
    /// The processor that timed the drive's answers, and that the server was kept off; absent with one alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timing_processor: Option<usize>,
    /// Which plans.
    pub plans: Plans,
    /// Seconds after which queries were ended.
    pub limit_s: u32,
    /// In the order in which they ran.
    pub queries: Vec<Measured>,
    /// What the emulated drive says of the whole run, server starts included; absent before its end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub drive: Option<Report>,
}

/// A query that ran once.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Measured {
    /// Which.
    pub query: Query,
    /// With which plan.
    pub plans: Plans,
    /// 1 for the first time.
    pub repeat: u32,
    /// Whether it was within the limit; else everything is up to when it was ended.
    pub finished: bool,
    /// From sending the statement to its last row.
    pub seconds: f64,
    /// Processor time of the server in them, all threads.
    pub server_cpu_seconds: f64,
    /// Processor time of the emulated drive in them.
    pub drive_cpu_seconds: f64,
    /// Processors that both kept busy, 1 being one all of the time.
    pub processors: f64,
    /// Starting the server and opening the tables, not in `seconds`.
    pub start_seconds: f64,
    /// Ending the server, not in `seconds`.
    pub stop_seconds: f64,
    /// What it answered, in short; absent where it did not finish.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answer: Option<Answer>,
    /// The storage engine's reads and writes.
    pub innodb: Innodb,
    /// Requests that the drive answered.
    pub requests: u64,
    /// Those of them that were late, see `docs/emulate.md`.
    pub late: u64,
    /// Reads that reached the drive.
    pub reads: u64,
    /// Their bytes.
    pub read_bytes: u64,
    /// Writes that reached it.
    pub writes: u64,
    /// Their bytes.
    pub written_bytes: u64,
    /// Syncs.
    pub flushes: u64,
    /// Where its requests were recorded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub capture: Option<PathBuf>,
    /// How the tables were accessed, by that recording.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub access: Option<Access>,
    /// All counters of SHOW GLOBAL STATUS that grew, by how much.
    pub counters: Counters,
}

/// Pages of 16 KiB that the storage engine read and wrote.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Innodb {
    /// Pages read, `Innodb_pages_read`.
    pub pages_read: u64,
    /// Of them read ahead, `Innodb_buffer_pool_read_ahead`.
    pub read_ahead: u64,
    /// `read_ahead / pages_read`, 0 to 1; 0 where none were read.
    pub sequential_share: f64,
    /// Read ahead and evicted unused.
    pub read_ahead_evicted: u64,
    /// Pages not found in the pool, `Innodb_buffer_pool_reads`; in MariaDB 10.11 with those read ahead.
    pub pool_reads: u64,
    /// Pages asked for, `Innodb_buffer_pool_read_requests`.
    pub read_requests: u64,
    /// Pages written.
    pub pages_written: u64,
}

impl Innodb {
    pub(super) fn of(counted: &Counters) -> Innodb {
        let pages_read = counted.get("Innodb_pages_read");
        let read_ahead = counted.get("Innodb_buffer_pool_read_ahead");
        Innodb {
            pages_read,
            read_ahead,
            sequential_share: if pages_read == 0 { 0.0 } else { read_ahead as f64 / pages_read as f64 },
            read_ahead_evicted: counted.get("Innodb_buffer_pool_read_ahead_evicted"),
            pool_reads: counted.get("Innodb_buffer_pool_reads"),
            read_requests: counted.get("Innodb_buffer_pool_read_requests"),
            pages_written: counted.get("Innodb_pages_written"),
        }
    }
}

impl RunResult {
    /// The present version of the schema.
    pub const SCHEMA: &'static str = "leadline.tpch/1";

    pub(super) fn new(
        folder: &Folder,
        options: &RunOptions,
        mounted: &Mounted,
    ) -> Result<RunResult, TpchError> {
        Ok(RunResult {
            schema: Self::SCHEMA.to_owned(),
            device: options.device.clone(),
            scale: folder.scale(),
            tables: folder.tables()?,
            mariadb: folder.mariadb().to_owned(),
            pool_bytes: mounted.settings().pool.map_or(0, |pool| pool.bytes),
            settings: mounted.settings().named(),
            timing_processor: mounted.timing_processor(),
            plans: options.plans,
            limit_s: options.limit_s,
            queries: Vec::new(),
            drive: None,
        })
    }

    /// Refuses an answer that is not the expected one, or differs from that of an earlier repeat.
    pub(super) fn check_answer(&self, measured: &Measured) -> Result<(), TpchError> {
        let Some(answer) = &measured.answer else { return Ok(()) };
        let earlier = self.queries.iter().filter(|earlier| earlier.query == measured.query);
        let expected = Answer::expected(measured.query, self.scale);
        let known = expected.iter().chain(earlier.filter_map(|earlier| earlier.answer.as_ref()));
        match known.into_iter().find_map(|known| known.difference(answer)) {
            None => Ok(()),
            Some(what) => {
                let query = format!("{} with {} plans", measured.query, measured.plans.name());
                Err(TpchError::Answer { query, what: format!("the answer has {what}") })
            }
        }
    }

    /// Reads one that was written.
    ///
    /// # Errors
    /// [`TpchError::Input`] where it is none.
    pub fn load(path: &Path) -> Result<RunResult, TpchError> {
        let text = fs::read_to_string(path).map_err(TpchError::io(path))?;
        let result: RunResult = serde_json::from_str(&text).map_err(|error| {
            TpchError::Input(format!("{}: {error}; name a file that tpch run has written", path.display()))
        })?;
        if result.schema == Self::SCHEMA {
            return Ok(result);
        }
        let (named, schema) = (path.display(), &result.schema);
        Err(TpchError::Input(format!(
            "{named}: has the schema {schema}; this program reads {}",
            Self::SCHEMA
        )))
    }

    /// As indented JSON.
    pub fn to_json(&self) -> String {
        let mut text = serde_json::to_string_pretty(self).unwrap_or_default();
        text.push('\n');
        text
    }
}
