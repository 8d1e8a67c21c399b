//! What RocksDB costs the processor of a machine, read from a file.

use std::io::Read as _;
use std::path::{Path, PathBuf};

use leadline_files::{JsonFlaw, from_json};
use serde::Deserialize;
use serde_json::Value;

use crate::{FileCosts, ProcessorCosts};

/// The largest file that is read; results of `leadline lsm validate` have some 100 KiB.
const MOST_BYTES: u64 = 64 << 20;

/// Microseconds to which costs may come: a minute.
const MOST_US: f64 = 60e6;

/// What was measured of a machine with RocksDB on it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Calibration {
    /// Processor time of each piece of work.
    pub processor: ProcessorCosts,
    /// What making files durable takes, where that was measured.
    pub files: Option<FileCosts>,
}

/// Why a file has no [`Calibration`]. Every message is one line and names the file.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CalibrationError {
    /// The operating system refused to read the file.
    #[error("{path}: {source}")]
    Io {
        /// The file.
        path: PathBuf,
        /// The operating system's reason.
        source: std::io::Error,
    },
    /// It is not such a file: what is wrong, and what it must be.
    #[error(
        "{path}: {reason}; it must be a result of a validation or an object with the costs of each piece of work"
    )]
    Format {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// A cost that cannot be.
    #[error("{path}: {name} is {value}; it must be from 0 to 6e7 (microseconds)")]
    Range {
        /// The file.
        path: PathBuf,
        /// The field.
        name: String,
        /// Its value.
        value: f64,
    },
}

/// The part of a validation's result that is read.
#[derive(Deserialize)]
struct Validation {
    processor: ProcessorCosts,
    files: Option<FileCosts>,
}

impl Calibration {
    /// Reads the result of a validation (its `processor`, and its `files` where it has them), or a JSON
    /// object of [`ProcessorCosts`] alone.
    ///
    /// # Errors
    /// [`CalibrationError`]: unreadable, neither of both, or a cost that cannot be.
    pub fn read(path: impl AsRef<Path>) -> Result<Self, CalibrationError> {
        let path = path.as_ref();
        let io = |source| CalibrationError::Io { path: path.to_owned(), source };
        let file = std::fs::File::open(path).map_err(io)?;
        let mut bytes = Vec::new();
        file.take(MOST_BYTES + 1).read_to_end(&mut bytes).map_err(io)?;
        if bytes.len() as u64 > MOST_BYTES {
            let reason = "is larger than 64 MiB".to_owned();
            return Err(CalibrationError::Format { path: path.to_owned(), reason });
        }
        Self::parse(&bytes, path)
    }

    /// Reads the bytes of such a file; `path` is only for the messages.
    ///
    /// # Errors
    /// As [`Calibration::read`].
    pub fn parse(bytes: &[u8], path: &Path) -> Result<Self, CalibrationError> {
        let format = |reason| CalibrationError::Format { path: path.to_owned(), reason };
        let flawed = |flaw: JsonFlaw| format(flaw.to_string());
        let text = std::str::from_utf8(bytes).map_err(|error| {
            format(format!("is not a text file (byte {} is not UTF-8)", error.valid_up_to()))
        })?;
        let document: Value = from_json(text).map_err(flawed)?;
        let (processor, files) = if document.get("processor").is_some() {
            let found: Validation = from_json(text).map_err(flawed)?;
            (found.processor, found.files)
        } else {
            (from_json(text).map_err(flawed)?, None)
        };
        let costs = processor.named().into_iter().chain(files.iter().flat_map(FileCosts::named));
        for (name, value) in costs {
            if !(0.0..=MOST_US).contains(&value) {
                return Err(CalibrationError::Range { path: path.to_owned(), name: name.to_owned(), value });
            }
        }
        Ok(Calibration { processor, files })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn parse(document: &Value) -> Result<Calibration, String> {
        Calibration::parse(document.to_string().as_bytes(), Path::new("costs.json"))
            .map_err(|error| error.to_string())
    }

    #[test]
    fn costs_are_read_alone_and_from_a_validation() {
        let costs = json!(ProcessorCosts::default());
        let alone = parse(&costs).unwrap();
        assert_eq!(alone, Calibration { processor: ProcessorCosts::default(), files: None });
        let files = FileCosts::of_sync(1500.0);
        let found = parse(&json!({"processor": costs, "files": files, "fills": []})).unwrap();
        assert_eq!(found, Calibration { files: Some(files), ..alone });
    }

    #[test]
    fn what_is_not_a_calibration_is_refused_by_name() {
        let mut costs = json!(ProcessorCosts::default());
        costs["block_us"] = json!(-1.0);
        assert!(parse(&costs).unwrap_err().contains("costs.json: block_us is -1"));
        costs["block_us"] = json!(1.0);
        costs["blok_us"] = json!(1.0);
        assert!(parse(&costs).unwrap_err().contains("blok_us"));
        assert!(parse(&json!([])).unwrap_err().contains("costs of each piece of work"));
        assert!(parse(&json!({"processor": {}})).unwrap_err().contains("point_us"));
    }
}
