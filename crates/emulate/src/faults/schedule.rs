//! What may go wrong, and when: the file of `--faults`.

use std::ops::Range;
use std::path::Path;

use glob::Pattern;
use serde::{Deserialize, Serialize};
use toml::Spanned;

/// What goes wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum FaultKind {
    /// The operation fails with EIO and does nothing.
    Eio,
    /// The operation fails with ENOSPC and does nothing.
    Enospc,
    /// A write is acknowledged, and only some of its sectors of 512 bytes reach the file.
    TornWrite,
    /// A write is acknowledged and does not reach the file.
    LostWrite,
    /// A write is acknowledged and lands elsewhere in the file, at another multiple of its length.
    MisdirectedWrite,
    /// A read delivers one bit wrong; the file is not changed.
    BitFlipRead,
    /// One bit of what a read asks for is wrong from now on.
    BitFlipMedia,
    /// The drive answers nothing for `seconds`.
    Stall,
    /// All requests take `factor` times as long for `seconds`.
    Slow,
    /// A sync is acknowledged and makes nothing durable.
    FlushLies,
    /// A sync fails with EIO, and what it was to make durable is dropped: the next one succeeds without it.
    DropDirty,
    /// The power goes: all that is not durable is lost.
    PowerCut,
    /// The power goes: of what is not durable, some survives.
    PowerCutRandom,
}

impl FaultKind {
    /// All there are.
    pub const ALL: [FaultKind; 13] = [
        FaultKind::Eio,
        FaultKind::Enospc,
        FaultKind::TornWrite,
        FaultKind::LostWrite,
        FaultKind::MisdirectedWrite,
        FaultKind::BitFlipRead,
        FaultKind::BitFlipMedia,
        FaultKind::Stall,
        FaultKind::Slow,
        FaultKind::FlushLies,
        FaultKind::DropDirty,
        FaultKind::PowerCut,
        FaultKind::PowerCutRandom,
    ];

    /// As in a schedule.
    pub fn name(self) -> &'static str {
        match self {
            FaultKind::Eio => "eio",
            FaultKind::Enospc => "enospc",
            FaultKind::TornWrite => "torn-write",
            FaultKind::LostWrite => "lost-write",
            FaultKind::MisdirectedWrite => "misdirected-write",
            FaultKind::BitFlipRead => "bit-flip-read",
            FaultKind::BitFlipMedia => "bit-flip-media",
            FaultKind::Stall => "stall",
            FaultKind::Slow => "slow",
            FaultKind::FlushLies => "flush-lies",
            FaultKind::DropDirty => "drop-dirty",
            FaultKind::PowerCut => "power-cut",
            FaultKind::PowerCutRandom => "power-cut-random",
        }
    }

    /// Whether it applies to an operation.
    pub fn befalls(self, operation: FileOperation) -> bool {
        use FileOperation::{Fsync, Read, Write};
        match self {
            FaultKind::Eio | FaultKind::Enospc | FaultKind::Stall | FaultKind::Slow => true,
            FaultKind::PowerCut | FaultKind::PowerCutRandom => true,
            FaultKind::TornWrite | FaultKind::LostWrite | FaultKind::MisdirectedWrite => operation == Write,
            FaultKind::BitFlipRead | FaultKind::BitFlipMedia => operation == Read,
            FaultKind::FlushLies | FaultKind::DropDirty => operation == Fsync,
        }
    }
}

/// What a program asks of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum FileOperation {
    /// A read of bytes.
    Read,
    /// A write of bytes, from a program or from the kernel's page cache.
    Write,
    /// fsync or fdatasync, of a file or a directory, and a durable write.
    Fsync,
}

impl FileOperation {
    /// All there are.
    pub const ALL: [FileOperation; 3] = [FileOperation::Read, FileOperation::Write, FileOperation::Fsync];

    /// As in a schedule.
    pub fn name(self) -> &'static str {
        match self {
            FileOperation::Read => "read",
            FileOperation::Write => "write",
            FileOperation::Fsync => "fsync",
        }
    }
}

/// One entry of a schedule: what goes wrong, and which operations it hits.
#[derive(Debug, Clone, PartialEq)]
pub struct FaultSpec {
    /// What goes wrong.
    pub kind: FaultKind,
    /// Files it hits, as a glob on the path from the root of the mount (`base/*/1259`, `**/*.wal`); all
    /// without one.
    pub path: Option<Pattern>,
    /// The operation it hits; without one, every operation that it applies to.
    pub operation: Option<FileOperation>,
    /// Bytes of the file that the operation must touch.
    pub range: Option<Range<u64>>,
    /// That many operations that match are spared first.
    pub after_ops: u64,
    /// Not before that many seconds after the mount.
    pub at_s: f64,
    /// Share of the operations that match and are due, 0 to 1.
    pub probability: f64,
    /// It happens at most so often; `None` for no end.
    pub times: Option<u64>,
    /// Of a stall and of a slow period: how long.
    pub seconds: f64,
    /// Of a slow period: how many times as long requests take.
    pub factor: f64,
}

impl FaultSpec {
    /// A fault that hits the next matching operation, once.
    pub fn once(kind: FaultKind) -> FaultSpec {
        FaultSpec {
            kind,
            path: None,
            operation: None,
            range: None,
            after_ops: 0,
            at_s: 0.0,
            probability: 1.0,
            times: Some(1),
            seconds: 1.0,
            factor: 10.0,
        }
    }
}

/// A schedule of faults.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Schedule {
    /// Seed of all random choices.
    pub seed: u64,
    /// The faults; each counts the operations that it matches for itself.
    pub faults: Vec<FaultSpec>,
}

/// A schedule that cannot be used. The message names the file and the place in it.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ScheduleError {
    /// The file could not be read.
    #[error("{path}: {source}")]
    Io {
        /// The file.
        path: String,
        /// The operating system's reason.
        source: std::io::Error,
    },
    /// The text is not a schedule.
    #[error("{path}: line {line}, column {column}: {reason}")]
    Syntax {
        /// The file.
        path: String,
        /// Line, from 1.
        line: usize,
        /// Column, from 1.
        column: usize,
        /// What is wrong.
        reason: String,
    },
}

/// The file, before it is checked.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Document {
    #[serde(default = "default_seed")]
    seed: u64,
    #[serde(default)]
    fault: Vec<Spanned<Entry>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    kind: FaultKind,
    path: Option<Spanned<String>>,
    operation: Option<Spanned<FileOperation>>,
    range: Option<Spanned<[u64; 2]>>,
    after_ops: Option<u64>,
    at_s: Option<Spanned<f64>>,
    probability: Option<Spanned<f64>>,
    times: Option<Times>,
    seconds: Option<Spanned<f64>>,
    factor: Option<Spanned<f64>>,
}

/// How often: a number, or `"forever"`.
#[derive(Deserialize)]
#[serde(untagged)]
enum Times {
    Count(u64),
    Word(Forever),
}

#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
enum Forever {
    Forever,
}

fn default_seed() -> u64 {
    1
}

/// Schedules are written by hand.
const MOST_BYTES: u64 = 4 << 20;

impl Schedule {
    /// Reads a schedule from a file.
    ///
    /// # Errors
    /// [`ScheduleError`].
    pub fn load(path: impl AsRef<Path>) -> Result<Schedule, ScheduleError> {
        let path = path.as_ref();
        let name = path.display().to_string();
        let text = leadline_files::read_text(path, MOST_BYTES)
            .map_err(|source| ScheduleError::Io { path: name.clone(), source })?;
        Schedule::parse(&text, &name)
    }

    /// Reads a schedule from text; `path` is for the messages.
    ///
    /// # Errors
    /// [`ScheduleError::Syntax`].
    pub fn parse(text: &str, path: &str) -> Result<Schedule, ScheduleError> {
        let syntax = |at: usize, reason: String| {
            let before = &text[..at.min(text.len())];
            ScheduleError::Syntax {
                path: path.to_owned(),
                line: 1 + before.matches('\n').count(),
                column: 1 + before.rsplit('\n').next().unwrap_or_default().chars().count(),
                reason,
            }
        };
        let document: Document = toml::from_str(text).map_err(|error| {
            syntax(
                error.span().map_or(0, |span| span.start),
                leadline_files::plainly_of_toml(text, error.message()),
            )
        })?;
        let faults = document.fault.into_iter().map(check).collect::<Result<_, _>>();
        Ok(Schedule { seed: document.seed, faults: faults.map_err(|(at, reason)| syntax(at, reason))? })
    }
}

/// The fault of an entry, or the place and the reason why there is none.
fn check(entry: Spanned<Entry>) -> Result<FaultSpec, (usize, String)> {
    let start = entry.span().start;
    let entry = entry.into_inner();
    let mut fault = FaultSpec::once(entry.kind);
    if let Some(path) = entry.path {
        let at = path.span().start;
        let pattern = Pattern::new(path.get_ref().trim_start_matches('/'));
        fault.path = Some(pattern.map_err(|error| (at, format!("path: {}", error.msg)))?);
    }
    if let Some(operation) = entry.operation {
        let at = operation.span().start;
        let operation = operation.into_inner();
        if !fault.kind.befalls(operation) {
            let reason = format!("operation: {} does not apply to {}", fault.kind.name(), operation.name());
            return Err((at, reason));
        }
        fault.operation = Some(operation);
    }
    if let Some(range) = entry.range {
        let at = range.span().start;
        let [first, end] = range.into_inner();
        if first >= end {
            return Err((at, "range: the first byte and the one after the last, such as [0, 8192]".into()));
        }
        fault.range = Some(first..end);
    }
    let number =
        |value: Option<Spanned<f64>>, name: &str, default: f64, allowed: std::ops::RangeInclusive<f64>| {
            let Some(value) = value else { return Ok(default) };
            let at = value.span().start;
            let value = value.into_inner();
            match allowed.contains(&value) {
                true => Ok(value),
                false => Err((at, format!("{name}: must be from {} to {}", allowed.start(), allowed.end()))),
            }
        };
    fault.after_ops = entry.after_ops.unwrap_or(0);
    fault.at_s = number(entry.at_s, "at_s", 0.0, 0.0..=1e9)?;
    fault.probability = number(entry.probability, "probability", 1.0, 0.0..=1.0)?;
    fault.seconds = number(entry.seconds, "seconds", fault.seconds, 0.0..=1e6)?;
    fault.factor = number(entry.factor, "factor", fault.factor, 1.0..=1e6)?;
    fault.times = match entry.times {
        None => Some(1),
        Some(Times::Count(0)) => return Err((start, "times: must be at least 1, or \"forever\"".into())),
        Some(Times::Count(count)) => Some(count),
        Some(Times::Word(Forever::Forever)) => None,
    };
    Ok(fault)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(text: &str) -> String {
        Schedule::parse(text, "faults.toml").unwrap_err().to_string()
    }

    #[test]
    fn a_schedule_is_read() {
        let text = "seed = 7\n[[fault]]\nkind = \"eio\"\npath = \"**/*.wal\"\noperation = \"fsync\"\n\
                    after_ops = 3\nprobability = 0.5\ntimes = \"forever\"\n[[fault]]\nkind = \"stall\"\nseconds = 2\n";
        let schedule = Schedule::parse(text, "faults.toml").unwrap();
        assert_eq!(schedule.seed, 7);
        let [eio, stall] = &schedule.faults[..] else { panic!("two faults") };
        assert_eq!((eio.kind, eio.operation, eio.after_ops), (FaultKind::Eio, Some(FileOperation::Fsync), 3));
        assert_eq!((eio.probability, eio.times), (0.5, None));
        assert!(
            eio.path.as_ref().unwrap().matches("a/b/x.wal") && !eio.path.as_ref().unwrap().matches("x.dat")
        );
        assert_eq!((stall.seconds, stall.times), (2.0, Some(1)));
    }

    #[test]
    fn what_is_wrong_is_named_with_its_place() {
        let unknown = refused("[[fault]]\nkind = \"meteor\"\n");
        assert!(unknown.starts_with("faults.toml: line 2, column 8: must be one of `eio`"), "{unknown}");
        let never = refused("[[fault]]\nkind = \"torn-write\"\noperation = \"read\"\n");
        assert_eq!(never, "faults.toml: line 3, column 13: operation: torn-write does not apply to read");
        let probability = refused("[[fault]]\nkind = \"eio\"\nprobability = 1.5\n");
        assert_eq!(probability, "faults.toml: line 3, column 15: probability: must be from 0 to 1");
        assert!(
            refused("[[fault]]\nkind = \"eio\"\nwhen = 3\n")
                .contains("line 3, column 1: `when` is not known here")
        );
    }
}
