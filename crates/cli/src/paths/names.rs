//! Arguments that are the name of a file or of something else: a device of the catalogue, a generator, a
//! stream.

use std::ffi::{OsStr, OsString};
use std::fmt;
use std::ops::Deref;
use std::os::unix::ffi::OsStrExt as _;
use std::path::PathBuf;

use clap::builder::{MapValueParser, OsStringValueParser, TypedValueParser as _, ValueParserFactory};
use leadline_catalogue::behind;
use leadline_trace::{GENERATOR, STDIN};

use super::{Leads, Use};
use crate::failure::Failure;

/// What a program that calls a command names the trace with that it has in memory.
pub const MEMORY: &str = "memory:";

/// As on the command line for input, so for output.
const STDOUT: &str = STDIN;

/// A type of arguments that are names; `$files` says which files a name leads to.
macro_rules! name_argument {
    ($(#[$doc:meta])* $name:ident, $what:expr, $files:expr) => {
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Eq)]
        pub(crate) struct $name(OsString);

        impl Leads for $name {
            const USE: Use = $what;

            fn files(&self) -> Vec<PathBuf> {
                let files: fn(&OsStr) -> Vec<PathBuf> = $files;
                files(&self.0)
            }
        }

        impl ValueParserFactory for $name {
            type Parser = MapValueParser<OsStringValueParser, fn(OsString) -> Self>;

            fn value_parser() -> Self::Parser {
                OsStringValueParser::new().map($name as fn(OsString) -> Self)
            }
        }

        impl Deref for $name {
            type Target = OsStr;

            fn deref(&self) -> &OsStr {
                &self.0
            }
        }

        impl AsRef<OsStr> for $name {
            fn as_ref(&self) -> &OsStr {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.display().fmt(f)
            }
        }
    };
}

name_argument!(
    /// PROFILE: a file, or a device of the catalogue.
    ProfileName, Use::Read, device
);
name_argument!(
    /// DEVICE: a modelled device, built in or described by a file.
    DeviceName, Use::Read, device
);
name_argument!(
    /// A device of the catalogue, or the file of a description.
    CatalogueName, Use::Read, |name| match leadline_catalogue::is_file(name) {
        true => vec![name.into()],
        false => Vec::new(),
    }
);
name_argument!(
    /// TARGET: a folder to work in, a file, a block device or a simulated one.
    TargetName, Use::Place, device
);
name_argument!(
    /// TRACE: a file, standard input or a generator.
    TraceName, Use::Read, trace
);
name_argument!(
    /// Where a trace goes: a file or standard output.
    TraceOutput, Use::Write, |name| stream(name, STDOUT, "/dev/stdout")
);
name_argument!(
    /// CHANGES: a file, a folder or standard input.
    ChangesName, Use::Read, |name| stream(name, STDIN, "/dev/stdin")
);
name_argument!(
    /// A configuration: its file, or the address of a server.
    ConfigName, Use::Read, |name| match name.to_str() {
        Some(name) if leadline_advise::is_address(name) => Vec::new(),
        _ => vec![name.into()],
    }
);
name_argument!(
    /// A program: its file, or its name in PATH.
    ProgramName, Use::Read, |name| match name.as_bytes().contains(&b'/') {
        true => vec![name.into()],
        false => Vec::new(),
    }
);

impl DeviceName {
    /// As text, where it is told to a drive that is mounted.
    ///
    /// # Errors
    /// [`Failure::Input`] where it is no text.
    pub(crate) fn text(&self) -> Result<&str, Failure> {
        self.0.to_str().ok_or_else(|| {
            Failure::Input(format!(
                "{self}: is not UTF-8, and an emulated drive is named in text; name another"
            ))
        })
    }
}

impl ChangesName {
    pub(crate) fn is_standard_input(&self) -> bool {
        self.0 == STDIN
    }
}

/// Of what is named as devices are: their files, and those that these name.
fn device(name: &OsStr) -> Vec<PathBuf> {
    leadline_tiers::files(name)
}

fn trace(name: &OsStr) -> Vec<PathBuf> {
    match behind(name, GENERATOR).is_some() || name == MEMORY {
        true => Vec::new(),
        false => stream(name, STDIN, "/dev/stdin"),
    }
}

/// A file, or the one that a stream was redirected to.
fn stream(name: &OsStr, stands_for_it: &str, stream: &str) -> Vec<PathBuf> {
    let its_own = crate::console::call().is_none();
    match name == stands_for_it {
        true => its_own.then(|| stream.into()).into_iter().collect(),
        false => vec![name.into()],
    }
}
