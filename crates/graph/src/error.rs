//! What can go wrong with a graph.

use std::io;
use std::path::Path;

/// Why a graph could not be imported, opened or worked on. Each is one line that names the input, the place and the remedy.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum GraphError {
    /// Bad usage or bad input, said in full.
    #[error("{0}")]
    Input(String),
    /// Not a store at all.
    #[error("{name}: is no graph store; make one with leadline graph import EDGES STORE")]
    NoStore {
        /// The file.
        name: String,
    },
    /// A store of another version.
    #[error(
        "{name}: is a graph store of version {found}, this program reads version {known}; import it again"
    )]
    Version {
        /// The file.
        name: String,
        /// Its version.
        found: u32,
        /// Ours.
        known: u32,
    },
    /// A store whose bytes are not those that were written.
    #[error("{name}: is damaged: {what}; import it again or restore it from a copy")]
    Damaged {
        /// The file.
        name: String,
        /// What is wrong, and where.
        what: String,
    },
    /// The system would not read.
    #[error("{name}: cannot be read: {source}")]
    Read {
        /// The file.
        name: String,
        /// The system's reason.
        source: io::Error,
    },
    /// The system would not write.
    #[error("{name}: cannot be written: {source}")]
    Write {
        /// The file.
        name: String,
        /// The system's reason.
        source: io::Error,
    },
    /// The cap is too small.
    #[error(
        "--memory {}: {what} needs at least {}; give it that much",
        leadline_device::format_size(*given),
        rounded_up(*needed)
    )]
    Memory {
        /// What was to be done.
        what: String,
        /// The cap, bytes.
        given: u64,
        /// The least that would do, bytes.
        needed: u64,
    },
    /// The device failed.
    #[error("{name}: {source}")]
    Device {
        /// The file.
        name: String,
        /// The device's reason.
        source: leadline_device::DeviceError,
    },
    /// Somebody asked to stop.
    #[error("interrupted; nothing was left behind")]
    Interrupted,
}

impl GraphError {
    pub(crate) fn damaged(name: &str, what: String) -> GraphError {
        GraphError::Damaged { name: name.into(), what }
    }

    pub(crate) fn read(name: &str, source: io::Error) -> GraphError {
        GraphError::Read { name: name.into(), source }
    }

    pub(crate) fn write(path: &Path, source: io::Error) -> GraphError {
        GraphError::Write { name: path.display().to_string(), source }
    }

    pub(crate) fn device(name: &str, source: leadline_device::DeviceError) -> GraphError {
        GraphError::Device { name: name.into(), source }
    }

    /// Whether what the user gave is at fault (exit code 2), and not the operation (1).
    pub fn is_input(&self) -> bool {
        !matches!(
            self,
            GraphError::Read { .. }
                | GraphError::Write { .. }
                | GraphError::Device { .. }
                | GraphError::Interrupted
        )
    }
}

/// A size in whole units, which is at least as much: it is to be given back.
fn rounded_up(bytes: u64) -> String {
    match bytes {
        0..1_048_576 => format!("{}K", bytes.div_ceil(1 << 10)),
        _ => format!("{}M", bytes.div_ceil(1 << 20)),
    }
}
