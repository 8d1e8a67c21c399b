//! Tables of other people's measurements, as CSV; the header says which of two layouts a file has.
//! docs/model-tables.md describes both layouts.

mod columns;
mod costs;
mod points;
mod sheet;
mod shown;

use std::io::Read as _;
use std::path::Path;

use leadline_files::TextError;

use crate::CostTable;
use columns::Layout;
use leadline_profile::{
    DeviceFacts, DeviceKind, DeviceProfile, DeviceState, EngineKind, Experiments, Method, SCHEMA, Validity,
    Work,
};
use sheet::Sheet;

/// The largest file that is read: no table of measurements comes near it, and a wrong file should not fill
/// the memory.
const MOST_BYTES: u64 = 64 << 20;

/// Numbers from elsewhere that models can be fitted to.
#[derive(Debug, Clone, PartialEq)]
pub enum Table {
    /// Measured points: `op,random_fraction,concurrency,block_bytes,bytes,seconds`.
    ///
    /// Each row is one point, in the table's order. A row's random accesses are requests of block_bytes /
    /// random_fraction bytes, rounded to whole bytes, and every one jumps; with a random fraction of 0 the
    /// requests are the blocks, and none jumps. The time per request is the row's; where its bytes are not a
    /// whole number of requests, count and time are scaled together to the nearest one.
    Points(Work),
    /// Costs over concurrency: `k,s_us,beta_us,t_us,alpha_us`.
    Costs(CostTable),
}

/// A table of measured points as a profile: it has them as its `r-by-k` experiment, and nothing else. `name`
/// is what the table is called.
pub fn table_profile(name: &str, work: Work) -> DeviceProfile {
    let stem = Path::new(name).file_stem().map_or(name.into(), |stem| stem.to_string_lossy());
    DeviceProfile {
        schema: SCHEMA.to_owned(),
        leadline: env!("CARGO_PKG_VERSION").to_owned(),
        device: DeviceFacts {
            target: name.to_owned(),
            kind: DeviceKind::Table,
            name: stem.into_owned(),
            ..DeviceFacts::default()
        },
        method: Method { engine: EngineKind::Table, ..Method::default() },
        validity: Validity { complete: true, state: DeviceState::Table, ..Validity::default() },
        experiments: Experiments { r_by_k: Some(work), ..Experiments::default() },
        ..DeviceProfile::default()
    }
}

impl Table {
    /// Reads a table of either layout.
    ///
    /// # Errors
    /// [`TextError`]: unreadable, no such table, or impossible values.
    pub fn load(path: impl AsRef<Path>) -> Result<Self, TextError> {
        let path = path.as_ref();
        let io = |source| TextError::Io { path: path.to_owned(), source };
        let file = std::fs::File::open(path).map_err(io)?;
        let mut bytes = Vec::new();
        file.take(MOST_BYTES + 1).read_to_end(&mut bytes).map_err(io)?;
        too_large(bytes.len(), path)?;
        let text = std::str::from_utf8(&bytes).map_err(|error| {
            let before = &bytes[..error.valid_up_to()];
            let line = 1 + before.iter().filter(|&&byte| byte == b'\n').count();
            TextError::line(path, line, "is not UTF-8 text; save the table as CSV in UTF-8")
        })?;
        Self::parse(text, path)
    }

    /// [`Table::load`] from text; `path` is only for the messages.
    ///
    /// # Errors
    /// As [`Table::load`].
    pub fn parse(text: &str, path: impl AsRef<Path>) -> Result<Self, TextError> {
        let path = path.as_ref();
        too_large(text.len(), path)?;
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        if text.trim_start().starts_with(['{', '[']) {
            let reason = "is JSON, and a table is CSV; is this a profile? Then give it as one";
            return Err(TextError::file(path, reason));
        }
        let mut sheet = Sheet::new(text, path)?;
        match columns::layout(&sheet)? {
            Layout::Points => points::read(&mut sheet).map(Table::Points),
            Layout::Costs => costs::read(&mut sheet).map(Table::Costs),
        }
    }
}

fn too_large(bytes: usize, path: &Path) -> Result<(), TextError> {
    if bytes as u64 <= MOST_BYTES {
        return Ok(());
    }
    let reason =
        "is larger than 64 MiB; leave out everything but measurements, or give the means of repeated ones";
    Err(TextError::file(path, reason))
}
