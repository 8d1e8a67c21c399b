//! From the name of a trace to the trace.

use std::ffi::OsStr;
use std::io::Read;
use std::os::unix::ffi::OsStrExt as _;

use crate::capture::Reader;
use crate::cpus;
use crate::format::{self, Format};
use crate::generate::{self, GENERATOR};
use crate::input::Input;
use crate::read_as::ReadAs;
use crate::{Recognition, RecognizedBy, Trace, TraceError};

/// The name that stands for standard input.
pub const STDIN: &str = "-";

/// Opens a trace: the path of a file, `-` for standard input, or a generator such as `gen:paper-ms?ops=1000`.
/// The files of several CPUs that blktrace wrote are one trace: their directory, or what their names have in
/// common (`sda` of `sda.blktrace.0` and so on).
///
/// Files compressed by gzip, bzip2, zstd or xz, and a tar or zip of one file, are seen through, whatever they
/// are called. The format is told by the ending (after the ending of the compression), else by the first
/// lines.
///
/// # Errors
/// [`TraceError::Io`] where the file cannot be read, [`TraceError::UnknownFormat`] where its format is not
/// recognised, [`TraceError::AmbiguousFormat`] where it could be one of several, [`TraceError::Name`] where
/// the generator does not exist.
pub fn open(name: &(impl AsRef<OsStr> + ?Sized)) -> Result<Box<dyn Trace>, TraceError> {
    open_as(name, ReadAs::Told)
}

/// Opens a file, or `-` for standard input, in the format or with the columns that are named.
///
/// # Errors
/// As [`open`]; a generator has no format.
pub fn open_as(
    name: &(impl AsRef<OsStr> + ?Sized),
    read_as: impl Into<ReadAs>,
) -> Result<Box<dyn Trace>, TraceError> {
    let (name, read_as) = (name.as_ref(), read_as.into());
    match open_either(name, &read_as)? {
        Opened::Capture(reader) => Ok(format::captured(*reader)),
        Opened::Trace(trace) => Ok(trace),
    }
}

/// Reads a trace from anything that gives bytes; `name` stands for it in messages. Where nothing is said of
/// its format, that is told as by [`open`].
///
/// # Errors
/// As [`open`].
pub fn read(
    reader: Box<dyn Read + Send>,
    name: &str,
    read_as: impl Into<ReadAs>,
) -> Result<Box<dyn Trace>, TraceError> {
    match of_input(Input::new(reader, name, None)?, &read_as.into())? {
        Opened::Capture(reader) => Ok(format::captured(*reader)),
        Opened::Trace(trace) => Ok(trace),
    }
}

/// What a name leads to: a capture with all it holds, or any other trace.
pub(crate) enum Opened {
    Capture(Box<Reader>),
    Trace(Box<dyn Trace>),
}

/// Opens a trace as [`open`] and [`open_as`] do.
pub(crate) fn open_either(name: &OsStr, read_as: &ReadAs) -> Result<Opened, TraceError> {
    if is_generator(name) {
        if *read_as != ReadAs::Told {
            let reason = "is generated and in no format; leave the format out".to_owned();
            return Err(TraceError::Name { name: name.display().to_string(), reason });
        }
        return generate::open(&name.to_string_lossy()[GENERATOR.len()..]).map(Opened::Trace);
    }
    match all_cpus(name, read_as)? {
        Some(trace) => Ok(Opened::Trace(trace)),
        None => of_input(input(name)?, read_as),
    }
}

/// The trace that these bytes are.
fn of_input(mut input: Input, read_as: &ReadAs) -> Result<Opened, TraceError> {
    let (format, recognition) = match read_as {
        ReadAs::Columns(columns) => return format::columns_reader(columns, input).map(Opened::Trace),
        ReadAs::Format(format) => (*format, format::named(*format)),
        ReadAs::Told => format::detect(&input)?,
    };
    input.recognition = Some(recognition);
    if format == Format::Blktrace {
        say_other_cpus(&mut input);
    }
    match format {
        Format::Capture => Ok(Opened::Capture(Box::new(Reader::new(input)?))),
        _ => format::reader(format, input).map(Opened::Trace),
    }
}

/// Notes where this is the file of one CPU of several.
fn say_other_cpus(input: &mut Input) {
    if let (Some(stem), Some(recognition)) = (cpus::stem_of_several(&input.name), &mut input.recognition) {
        recognition.evidence += &format!("; one CPU of several: {stem} names all of them");
    }
}

/// The files of several CPUs, merged, where the name is that of their directory or their stem.
fn all_cpus(name: &OsStr, read_as: &ReadAs) -> Result<Option<Box<dyn Trace>>, TraceError> {
    if name == STDIN || !read_as.may_be(Format::Blktrace) {
        return Ok(None);
    }
    let Some(files) = cpus::files(name.as_ref())? else { return Ok(None) };
    let mut inputs = Vec::with_capacity(files.len());
    for file in &files {
        let mut input = Input::file(file)?;
        input.recognition = Some(Recognition {
            by: RecognizedBy::Ending,
            evidence: format!("the files of {} CPUs, merged by time", files.len()),
            ..format::named(Format::Blktrace)
        });
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
