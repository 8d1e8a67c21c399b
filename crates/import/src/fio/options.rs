//! A job's options: what load it keeps, and what makes it none that says something of the device.

use std::collections::BTreeMap;

use leadline_profile::{OpKind, Pattern};

use super::engine;

/// Options that leave a job's numbers without meaning here, the values with which they do nothing, and why.
const UNFIT: [(&[&str], &[&str], &str); 13] = [
    (&["rate", "rate_iops"], &["0"], "was held to a rate, and shows the rate, not the device"),
    (&["thinktime"], &["0"], "paused between requests"),
    (&["verify"], &["0", "none"], "verified its writes, whose time is included"),
    (&["bssplit", "bsrange", "blocksize_range"], &[], "had requests of several sizes"),
    (&["bs_unaligned", "blocksize_unaligned"], &["0"], "had requests of several sizes"),
    (&["percentage_random"], &[], "was partly random, partly sequential"),
    (&["random_distribution"], &["random"], "did not read or write everywhere alike"),
    (&["latency_target"], &["0"], "changed its depth to meet a latency"),
    (&["read_iolog"], &[], "replayed a trace, which leadline trace is for"),
    (&["flow"], &["0"], "was paced by another job"),
    (&["zonemode"], &["none"], "kept to the rules of zones"),
    (&["profile"], &[], "followed a profile of fio's own"),
    (&["replay_redirect"], &[], "replayed a trace, which leadline trace is for"),
];

/// What is read of the options.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Asked {
    pub(super) op: OpKind,
    pub(super) pattern: Pattern,
    /// Bytes per request.
    pub(super) block_bytes: u32,
    /// Whether the page cache was bypassed.
    pub(super) direct: bool,
    /// Whether writes were durable on completion.
    pub(super) durable: bool,
    /// What follows each write.
    pub(super) flush: Option<FlushBy>,
    /// Requests that each job kept in flight.
    pub(super) depth: u32,
    /// Copies of the job.
    pub(super) jobs: u32,
    /// What was understood in a way that may surprise.
    pub(super) assumed: Vec<String>,
}

/// How writes were flushed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FlushBy {
    Fsync,
    Fdatasync,
}

type Options<'a> = BTreeMap<&'a str, &'a str>;

/// The load that the options ask for.
///
/// # Errors
/// Why it is none.
pub(super) fn asked(options: &Options) -> Result<Asked, String> {
    for (keys, harmless, why) in UNFIT {
        if let Some((key, value)) = given(options, keys).filter(|(_, value)| !harmless.contains(value)) {
            return Err(format!("{why} ({key}={value})"));
        }
    }
    let (op, pattern) = load(options)?;
    let block_bytes = match given(options, &["bs", "blocksize"]) {
        None => 4096,
        Some((key, value)) => size(value, options).ok_or_else(|| format!("{key}={value} is not one size"))?,
    };
    if let Some((key, value)) = given(options, &["filename"]).filter(|(_, value)| is_several(value)) {
        return Err(format!("used several devices at once ({key}={value})"));
    }
    let number = |key: &'static str| match given(options, &[key]) {
        None => Ok(1),
        Some((_, value)) => value
            .parse::<u32>()
            .ok()
            .filter(|number| (1..=1 << 20).contains(number))
            .ok_or_else(|| format!("{key}={value} is not a number of requests or jobs")),
    };
    let (depth, jobs) = (number("iodepth")?, number("numjobs")?);
    let engine = given(options, &["ioengine"]).map(|(_, value)| value);
    let is_asynchronous = engine::is_asynchronous(engine)?;
    let mut assumed = Vec::new();
    if !is_asynchronous && depth > 1 {
        let name = engine.unwrap_or("psync");
        assumed
            .push(format!("one request in flight per job, since ioengine={name} has no more, not {depth}"));
    }
    Ok(Asked {
        op,
        pattern,
        block_bytes,
        direct: is_direct(options)?,
        durable: durable(options)?,
        flush: flush(options)?,
        depth: if is_asynchronous { depth } else { 1 },
        jobs,
        assumed,
    })
}

/// Which of `keys`, spellings of one option, was given, with its value.
fn given<'a>(options: &Options<'a>, keys: &[&'static str]) -> Option<(&'static str, &'a str)> {
    keys.iter().find_map(|key| Some((*key, options.get(key)?.trim())))
}

fn load(options: &Options) -> Result<(OpKind, Pattern), String> {
    let Some((key, value)) = given(options, &["rw", "readwrite"]) else {
        return Ok((OpKind::Read, Pattern::Sequential));
    };
    match value {
        "read" => Ok((OpKind::Read, Pattern::Sequential)),
        "randread" => Ok((OpKind::Read, Pattern::Random)),
        "write" => Ok((OpKind::Write, Pattern::Sequential)),
        "randwrite" => Ok((OpKind::Write, Pattern::Random)),
        "rw" | "readwrite" | "randrw" => {
            Err(format!("mixed reads and writes ({key}={value}); leadline experiment mixed measures mixes"))
        }
        _ if value.contains(':') => Err(format!("neither random nor in sequence ({key}={value})")),
        _ => Err(format!("neither reads nor writes ({key}={value})")),
    }
}

/// `4k`, `4096`, `1m`; all three of `4k,4k,4k` alike. K and Ki are 1024, and KiB
/// is 1000, the other way around with `kb_base=1000`: so fio 3.33 was seen to take them.
fn size(value: &str, options: &Options) -> Option<u32> {
    let mut sizes = value.split(',').map(|part| one_size(part.trim(), options));
    let first = sizes.next()??;
    sizes.all(|size| size == Some(first)).then_some(first)
}

fn one_size(text: &str, options: &Options) -> Option<u32> {
    let lower = text.to_ascii_lowercase();
    let digits = lower.find(|c: char| !c.is_ascii_digit()).unwrap_or(lower.len());
    let number: u64 = lower[..digits].parse().ok()?;
    let is_decimal = options.get("kb_base") == Some(&"1000");
    let (unit, base) = match lower[digits..].strip_suffix("ib") {
        Some(unit) => (unit, if is_decimal { 1024_u64 } else { 1000 }),
        None => (lower[digits..].trim_end_matches(['i', 'b']), if is_decimal { 1000 } else { 1024 }),
    };
    let power = match unit {
        "" => 0,
        "k" => 1,
        "m" => 2,
        "g" => 3,
        _ => return None,
    };
    let bytes = number.checked_mul(base.checked_pow(power)?)?;
    u32::try_from(bytes).ok().filter(|bytes| *bytes > 0)
}

/// Whether `filename` lists devices.
fn is_several(value: &str) -> bool {
    let parts = value.replace("\\:", "");
    let devices = parts.split(':').filter(|part| part.starts_with("/dev/"));
    devices.count() > 1
}

/// `direct=1`, or `buffered=0`, which is the same; neither where both are given and differ.
fn is_direct(options: &Options) -> Result<bool, String> {
    let (direct, buffered) = (is_set(options, "direct")?, is_set(options, "buffered")?);
    Ok(direct.or(buffered.map(|buffered| !buffered)) == Some(true) && buffered != Some(true))
}

/// A yes or no; without a value it is yes.
fn is_set(options: &Options, key: &'static str) -> Result<Option<bool>, String> {
    match given(options, &[key]) {
        None => Ok(None),
        Some((_, "" | "1")) => Ok(Some(true)),
        Some((_, "0")) => Ok(Some(false)),
        Some((key, value)) => Err(format!("{key}={value} is neither 0 nor 1")),
    }
}

/// `sync`: O_SYNC or O_DSYNC.
fn durable(options: &Options) -> Result<bool, String> {
    match given(options, &["sync"]) {
        None | Some((_, "0" | "none")) => Ok(false),
        Some((_, "1" | "sync" | "dsync" | "")) => Ok(true),
        Some((key, value)) => Err(format!("{key}={value} is not known")),
    }
}

/// A flush behind each write; one behind several is no append that is durable by itself.
fn flush(options: &Options) -> Result<Option<FlushBy>, String> {
    for (key, by) in [("fdatasync", FlushBy::Fdatasync), ("fsync", FlushBy::Fsync)] {
        match given(options, &[key]) {
            None | Some((_, "0")) => {}
            Some((_, "1")) => return Ok(Some(by)),
            Some((key, value)) => return Err(format!("flushed behind several writes ({key}={value})")),
        }
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_what_fio_takes_them_for() {
        let of = |text: &str, kb_base: &str| size(text, &[("kb_base", kb_base)].into());
        for (text, binary, decimal) in [
            ("4k", 4096, 4000),
            ("4KI", 4096, 4000),
            ("4kb", 4096, 4000),
            ("4kib", 4000, 4096),
            ("2300", 2300, 2300),
            ("1m", 1 << 20, 1_000_000),
            ("8k,8k,8k", 8192, 8000),
        ] {
            assert_eq!((of(text, "1024"), of(text, "1000")), (Some(binary), Some(decimal)), "{text}");
        }
        for text in ["", "k", "0", "-4k", "4k,8k", "4k,", "4x", "5g", "99999999999g"] {
            assert_eq!(of(text, "1024"), None, "{text}");
        }
    }
}
