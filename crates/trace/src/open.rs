//! From the name of a trace to the trace.

use std::io::Read;

use crate::capture::Reader;
use crate::format::{self, Format};
use crate::generate::{self, GENERATOR};
use crate::input::Input;
use crate::{Trace, TraceError};

/// The name that stands for standard input.
pub const STDIN: &str = "-";

/// Opens a trace: the path of a file, `-` for standard input, or a generator such as `gen:paper-ms?ops=1000`.
///
/// Files compressed by gzip, zstd or xz are seen through, whatever they are called. The format is told by the
/// ending (behind that of the compression), else by the first 4 KiB.
///
/// # Errors
/// [`TraceError::Io`] where the file cannot be read, [`TraceError::UnknownFormat`] where its format is not
/// recognised, [`TraceError::Name`] where the generator does not exist.
pub fn open(name: &str) -> Result<Box<dyn Trace>, TraceError> {
    if let Some(spec) = name.strip_prefix(GENERATOR) {
        return generate::open(spec);
    }
    let input = input(name)?;
    let format = detect(&input)?;
    format::reader(format, input)
}

/// Opens a file, or `-` for standard input, in the format that is named.
///
/// # Errors
/// As [`open`]; a generator has no format.
pub fn open_as(name: &str, format: Format) -> Result<Box<dyn Trace>, TraceError> {
    if name.starts_with(GENERATOR) {
        let reason = "is generated and in no format; leave the format out".to_owned();
        return Err(TraceError::Name { name: name.to_owned(), reason });
    }
    format::reader(format, input(name)?)
}

/// Reads a trace from anything that gives bytes; `name` stands for it in messages. Without a format it is
/// told as by [`open`].
///
/// # Errors
/// As [`open`].
pub fn read(
    reader: Box<dyn Read + Send>,
    name: &str,
    format: Option<Format>,
) -> Result<Box<dyn Trace>, TraceError> {
    let input = Input::new(reader, name, None)?;
    let format = match format {
        Some(format) => format,
        None => detect(&input)?,
    };
    format::reader(format, input)
}

/// What a name leads to: a capture with all it holds, or any other trace.
pub(crate) enum Opened {
    Capture(Box<Reader>),
    Trace(Box<dyn Trace>),
}

/// Opens a trace as [`open`] does, or as [`open_as`] where the format is given.
pub(crate) fn open_either(name: &str, format: Option<Format>) -> Result<Opened, TraceError> {
    if name.starts_with(GENERATOR) {
        let generated = format.map_or_else(|| open(name), |format| open_as(name, format));
        return generated.map(Opened::Trace);
    }
    let input = input(name)?;
    let format = format.map_or_else(|| detect(&input), Ok)?;
    match format {
        Format::Capture => Ok(Opened::Capture(Box::new(Reader::new(input)?))),
        _ => format::reader(format, input).map(Opened::Trace),
    }
}

fn input(name: &str) -> Result<Input, TraceError> {
    match name {
        STDIN => Input::new(Box::new(std::io::stdin()), "stdin", None),
        path => Input::file(path),
    }
}

fn detect(input: &Input) -> Result<Format, TraceError> {
    format::detect(&input.name, &input.head)
        .ok_or_else(|| TraceError::UnknownFormat { name: input.name.clone(), empty: input.head.is_empty() })
}
