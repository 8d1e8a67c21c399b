//! From the name of a trace to the trace.

use std::ffi::OsStr;
use std::io::Read;
use std::os::unix::ffi::OsStrExt as _;

use crate::capture::Reader;
use crate::cpus;
use crate::format::{self, Format};
use crate::generate::{self, GENERATOR};
use crate::input::Input;
use crate::{RecognizedBy, Trace, TraceError};

/// The name that stands for standard input.
pub const STDIN: &str = "-";

/// Opens a trace: the path of a file, `-` for standard input, or a generator such as `gen:paper-ms?ops=1000`.
/// The files of several CPUs that blktrace wrote are one trace: their folder, or what their names have in
/// common (`sda` of `sda.blktrace.0` and so on).
///
/// Files compressed by gzip, zstd or xz are seen through, whatever they are called. The format is told by the
/// ending (behind that of the compression), else by the first lines.
///
/// # Errors
/// [`TraceError::Io`] where the file cannot be read, [`TraceError::UnknownFormat`] where its format is not
/// recognised, [`TraceError::AmbiguousFormat`] where it could be one of several, [`TraceError::Name`] where
/// the generator does not exist.
pub fn open(name: &(impl AsRef<OsStr> + ?Sized)) -> Result<Box<dyn Trace>, TraceError> {
    let name = name.as_ref();
    if is_generator(name) {
        return generate::open(&name.to_string_lossy()[GENERATOR.len()..]);
    }
    opened(name, None)
}

/// Opens a file, or `-` for standard input, in the format that is named.
///
/// # Errors
/// As [`open`]; a generator has no format.
pub fn open_as(name: &(impl AsRef<OsStr> + ?Sized), format: Format) -> Result<Box<dyn Trace>, TraceError> {
    let name = name.as_ref();
    if is_generator(name) {
        let reason = "is generated and in no format; leave the format out".to_owned();
        return Err(TraceError::Name { name: name.display().to_string(), reason });
    }
    opened(name, Some(format))
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
    let (format, input) = told(Input::new(reader, name, None)?, format)?;
    format::reader(format, input)
}

/// What a name leads to: a capture with all it holds, or any other trace.
pub(crate) enum Opened {
    Capture(Box<Reader>),
    Trace(Box<dyn Trace>),
}

/// Opens a trace as [`open`] does, or as [`open_as`] where the format is given.
pub(crate) fn open_either(name: &OsStr, format: Option<Format>) -> Result<Opened, TraceError> {
    if is_generator(name) {
        let generated = format.map_or_else(|| open(name), |format| open_as(name, format));
        return generated.map(Opened::Trace);
    }
    if let Some(trace) = all_cpus(name, format)? {
        return Ok(Opened::Trace(trace));
    }
    let (format, input) = told(input(name)?, format)?;
    match format {
        Format::Capture => Ok(Opened::Capture(Box::new(Reader::new(input)?))),
        _ => format::reader(format, input).map(Opened::Trace),
    }
}

/// The trace that a name other than a generator's leads to.
fn opened(name: &OsStr, format: Option<Format>) -> Result<Box<dyn Trace>, TraceError> {
    if let Some(trace) = all_cpus(name, format)? {
        return Ok(trace);
    }
    let (format, input) = told(input(name)?, format)?;
    format::reader(format, input)
}

/// The format, named or told, which the input notes.
fn told(mut input: Input, format: Option<Format>) -> Result<(Format, Input), TraceError> {
    let (format, mut recognition) = match format {
        Some(format) => (format, format::named(format)),
        None => format::detect(&input)?,
    };
    if format == Format::Blktrace
        && let Some(stem) = cpus::stem_of_several(&input.name)
    {
        recognition.evidence += &format!("; one CPU of several: {stem} names all of them");
    }
    input.recognition = Some(recognition);
    Ok((format, input))
}

/// The files of several CPUs, merged, where the name is that of their folder or their stem.
fn all_cpus(name: &OsStr, format: Option<Format>) -> Result<Option<Box<dyn Trace>>, TraceError> {
    if name == STDIN || format.is_some_and(|format| format != Format::Blktrace) {
        return Ok(None);
    }
    let Some(files) = cpus::files(name.as_ref())? else { return Ok(None) };
    let mut inputs = Vec::with_capacity(files.len());
    for file in &files {
        let (_, mut input) = told(Input::file(file)?, Some(Format::Blktrace))?;
        if let Some(recognition) = &mut input.recognition {
            recognition.by = RecognizedBy::Ending;
            recognition.evidence = format!("the files of {} CPUs, merged by time", files.len());
        }
        inputs.push(input);
    }
    Ok(Some(format::blktrace_of_cpus(inputs)))
}

fn is_generator(name: &OsStr) -> bool {
    name.as_bytes().starts_with(GENERATOR.as_bytes())
}

fn input(name: &OsStr) -> Result<Input, TraceError> {
    match name == STDIN {
        true => Input::new(Box::new(std::io::stdin()), "stdin", None),
        false => Input::file(name.as_ref()),
    }
}
