//! Values on the command line, as people write them.

use std::time::Duration;

use leadline_device::{IoEngine, parse_large_size, parse_size};
use leadline_trace::Format;

const LARGEST_BLOCK: u64 = 16 << 20;

/// A block size, bytes.
pub(crate) fn block(text: &str) -> Result<u32, String> {
    match parse_size(text)? {
        size @ 512..=LARGEST_BLOCK => Ok(size as u32),
        _ => Err("must be from 512 to 16M".to_owned()),
    }
}

/// A time in seconds.
pub(crate) fn seconds(text: &str) -> Result<Duration, String> {
    let seconds = text.parse().ok().filter(|s| (0.1..=86_400.0).contains(s));
    seconds.map(Duration::from_secs_f64).ok_or_else(|| "must be from 0.1 to 86400".to_owned())
}

/// A time with its unit, `800us`, `5ms` or `1s`, in microseconds.
pub(crate) fn micros(text: &str) -> Result<f64, String> {
    let form = || "must be a time from 0.001us to 1e6s, such as 800us, 5ms or 1s".to_owned();
    let text = text.trim();
    let digits = text.find(|c: char| c.is_alphabetic() || c == '\u{b5}').ok_or_else(form)?;
    let scale = match text[digits..].trim() {
        "us" | "\u{b5}s" | "\u{3bc}s" => 1.0,
        "ms" => 1e3,
        "s" => 1e6,
        _ => return Err(form()),
    };
    let value: Option<f64> = text[..digits].trim().parse().ok().map(|number: f64| number * scale);
    value.filter(|us| (1e-3..=1e12).contains(us)).ok_or_else(form)
}

/// An amount of data or memory.
pub(crate) fn amount(text: &str) -> Result<u64, String> {
    parse_large_size(text)?;
    length(text)
}

/// The length of something in bytes.
pub(crate) fn length(text: &str) -> Result<u64, String> {
    match parse_size(text)? {
        size @ 1..=0x4_0000_0000_0000 => Ok(size),
        _ => Err("must be from 1 byte to 1024T".to_owned()),
    }
}

/// The size of a key of a tree.
pub(crate) fn key(text: &str) -> Result<u32, String> {
    match parse_size(text)? {
        size @ 1..=0x10_0000 => Ok(size as u32),
        _ => Err("must be from 1 byte to 1M".to_owned()),
    }
}

/// The size of a value of a tree.
pub(crate) fn value(text: &str) -> Result<u32, String> {
    match parse_size(text)? {
        size @ 0..=0x4000_0000 => Ok(size as u32),
        _ => Err("must be at most 1G".to_owned()),
    }
}

/// A share in percent, `70` or `70%`, as a number from 0 to 1.
pub(crate) fn percent(text: &str) -> Result<f64, String> {
    let number = text.strip_suffix('%').unwrap_or(text).trim_end();
    let percent = number.parse().ok().filter(|p| (0.0..=100.0).contains(p));
    percent.map(|p: f64| p / 100.0).ok_or_else(|| "must be from 0 to 100 (percent)".to_owned())
}

/// A share in percent that is not nothing, as a number above 0 and at most 1.
pub(crate) fn fill(text: &str) -> Result<f64, String> {
    percent(text)
        .ok()
        .filter(|share| *share > 0.0)
        .ok_or_else(|| "must be above 0 and at most 100 (percent)".to_owned())
}

/// How many times as long a device takes.
pub(crate) fn slowdown(text: &str) -> Result<f64, String> {
    let factor = text.parse().ok().filter(|s| (1.0..=1e6).contains(s));
    factor.ok_or_else(|| "must be from 1 to 1000000".to_owned())
}

/// `io_uring` or `psync`.
pub(crate) fn engine(text: &str) -> Result<IoEngine, String> {
    match text {
        "io_uring" => Ok(IoEngine::IoUring),
        "psync" => Ok(IoEngine::Psync),
        _ => Err("must be io_uring or psync".to_owned()),
    }
}

/// A trace's format.
pub(crate) fn format(text: &str) -> Result<Format, String> {
    Format::parse(text).ok_or_else(|| format!("must be one of {}", Format::names()))
}

/// What the option of a trace's format says of itself.
pub(crate) fn formats_of(trace: &str) -> String {
    let names = Format::names();
    format!("Format of {trace}: {names} [default: recognized by the ending, else by the content]")
}

/// Processors, ascending.
#[derive(Debug, Clone)]
pub(crate) struct Cpus(pub(crate) Vec<u32>);

/// `0-1,4` as 0, 1, 4; each must exist here.
pub(crate) fn cpus(list: &str) -> Result<Cpus, String> {
    let available = std::thread::available_parallelism().map_or(1, |n| n.get() as u32);
    let bad = |part: &str| format!("{part:?} is not a processor or range from 0 to {}", available - 1);
    let mut cpus = Vec::new();
    for part in list.split(',') {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        let parse = |text: &str| {
            text.trim().parse::<u32>().ok().filter(|&cpu| cpu < available).ok_or_else(|| bad(part))
        };
        let (first, last) = (parse(first)?, parse(last)?);
        if first > last {
            return Err(bad(part));
        }
        cpus.extend(first..=last);
    }
    cpus.sort_unstable();
    cpus.dedup();
    Ok(Cpus(cpus))
}
