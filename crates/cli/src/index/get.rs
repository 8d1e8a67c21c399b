//! `leadline index get`: the values of keys, read at once.

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Read};
use std::os::unix::ffi::OsStrExt as _;

use leadline_graph::output::grouped;

use super::keys::TypeArgs;
use super::opening::OpenArgs;
use crate::failure::Failure;
use crate::output;
use crate::paths::{ChangesName, InputPath};

/// Bytes of a file of keys at most.
const MOST_BYTES: u64 = 4 << 30;

/// Keys that are looked up at once: enough for any device, in little memory.
const AT_ONCE: usize = 65_536;

/// Missing keys that the last line names.
const NAMED: usize = 5;

/// Print the values of keys, which are all read at once
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  leadline index get words.index apple pear
  # A million keys, one per line
  leadline index get words.index --keys wanted.txt > found.tsv
  leadline index get orders.index 4711 --key-type integer --json

Prints a line for each key that is there: key, tab, value. The exit code is 1 if a key is not there.")]
pub(super) struct Args {
    /// The directory of the index
    #[arg(value_name = "DIR")]
    folder: InputPath,
    /// Keys, in the order of the lines; after -- if one begins with -
    #[arg(value_name = "KEY", required_unless_present = "keys")]
    key: Vec<OsString>,
    /// File of further keys, one per line; - for standard input
    #[arg(long, value_name = "FILE")]
    keys: Option<ChangesName>,
    #[command(flatten)]
    open: OpenArgs,
    /// Print the keys and their values as one JSON document
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    types: TypeArgs,
}

pub(super) fn run(args: &Args) -> Result<(), Failure> {
    let written = written_keys(args)?;
    let keys = keys(args, &written)?;
    let index = args.open.read(&args.folder)?;
    let shown = |what: String| Failure::Input(format!("{}: {what}", args.folder.display()));
    let (mut lines, mut objects, mut missing) = (String::new(), Vec::new(), Vec::new());
    for keys in keys.chunks(AT_ONCE) {
        let values = index.multi_get(keys)?;
        for (key, value) in keys.iter().zip(&values) {
            match value {
                _ if args.json => {
                    objects.push(args.types.object(key, value.as_deref()).map_err(shown)?);
                }
                Some(value) => args.types.line(key, value, &mut lines).map_err(shown)?,
                None => {}
            }
            if value.is_none() {
                missing.push(key);
            }
        }
        output::print(&std::mem::take(&mut lines))?;
    }
    if args.json {
        output::print_json(&objects)?;
    }
    args.open.leave(index)?;
    if missing.is_empty() {
        return Ok(());
    }
    let named: Vec<String> = missing.iter().take(NAMED).map(|key| args.types.shown(key)).collect();
    let more = if missing.len() > NAMED { ", .." } else { "" };
    Err(Failure::Misfit(format!(
        "{}: {} of {} keys are not there: {}{more}",
        args.folder.display(),
        grouped(missing.len() as u64),
        grouped(keys.len() as u64),
        named.join(", ")
    )))
}

/// All keys as they were given.
fn written_keys(args: &Args) -> Result<Vec<Vec<u8>>, Failure> {
    let mut keys: Vec<Vec<u8>> = args.key.iter().map(|key| key.as_bytes().to_vec()).collect();
    let Some(file) = &args.keys else { return Ok(keys) };
    let failed = |error: io::Error| Failure::Input(format!("{file}: {error}"));
    let mut text = Vec::new();
    match file.is_standard_input() {
        true if crate::console::call().is_some() => {
            return Err(Failure::Input(
                "--keys -: standard input is for the command line; name a file".to_owned(),
            ));
        }
        true => io::stdin().take(MOST_BYTES + 1).read_to_end(&mut text),
        false => File::open(&**file).and_then(|opened| opened.take(MOST_BYTES + 1).read_to_end(&mut text)),
    }
    .map_err(failed)?;
    if text.len() as u64 > MOST_BYTES {
        return Err(Failure::Input(format!("{file}: is larger than 4 GiB; divide it")));
    }
    let lines = text.split(|byte| *byte == b'\n').map(|line| line.strip_suffix(b"\r").unwrap_or(line));
    keys.extend(lines.filter(|line| !line.is_empty()).map(<[u8]>::to_vec));
    Ok(keys)
}

/// Their bytes.
fn keys(args: &Args, written: &[Vec<u8>]) -> Result<Vec<Vec<u8>>, Failure> {
    args.types.check_decided(written.iter().map(Vec::as_slice)).map_err(Failure::Input)?;
    let key = |(at, key): (usize, &Vec<u8>)| {
        args.types.key(key).map_err(|what| match (at.checked_sub(args.key.len()), &args.keys) {
            (Some(behind), Some(file)) => Failure::Input(format!("{file}: key {}: {what}", behind + 1)),
            _ => Failure::Input(format!("KEY: {what}")),
        })
    };
    written.iter().enumerate().map(key).collect()
}
