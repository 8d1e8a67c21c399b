//! fio's output for people. It leaves out with which options a job ran, so that only one thing is taken: the
//! times of flushes behind appends, by which disks are checked for etcd, and which need no others.

use std::path::Path;

use leadline_files::TextError;
use leadline_profile::{Latency, Pattern};

use super::reading::{self, Appends};
use crate::found::Found;
use crate::interval::usable;

/// What a job is refused by.
const WHY: &str = "fio's output for people leaves out with which options it ran; output-format=json (or json+) \
                   has them";

/// The flushes of each job in `text`.
pub(super) fn read(text: &str, path: &Path) -> Result<Found, TextError> {
    let lines: Vec<&str> = text.lines().collect();
    let version = lines.iter().find_map(|line| line.strip_prefix("fio-")).map(|rest| rest.trim().to_owned());
    let mut found = Found::by("fio", version);
    let starts: Vec<usize> = (0..lines.len()).filter(|&at| is_result(lines[at])).collect();
    for (which, &start) in starts.iter().enumerate() {
        let end = starts.get(which + 1).copied().unwrap_or(lines.len());
        let name = lines[start].split(": (groupid=").next().unwrap_or_default();
        match flush(name, &lines, &lines[start..end]) {
            Ok(flush) => {
                found.read(format!("job {name:?}: {}", flush.words()));
                found.assume(format!(
                    "job {name:?}: a flush is an fdatasync: the output does not tell it from fsync"
                ));
                found.flushes.push(flush);
            }
            Err(why) => found.skip(format!("job {name:?}: {why}")),
        }
    }
    if starts.is_empty() {
        return Err(TextError::file(path, "has no results of jobs; give the whole output"));
    }
    Ok(found)
}

/// Whether a line begins the results of a job.
pub(crate) fn is_result(line: &str) -> bool {
    line.contains(": (groupid=") && line.contains("err=")
}

/// What a job's lines say of its flushes.
fn flush(name: &str, all: &[&str], own: &[&str]) -> Result<crate::flush::Flush, String> {
    let times = own.iter().position(|line| line.trim_start().starts_with("sync (")).ok_or(WHY)?;
    if !own[0].contains("err= 0") {
        return Err("ended with an error".to_owned());
    }
    if !own[0].contains("jobs=1)") {
        return Err("has several writers, each with a file of its own; numjobs=1 has one".to_owned());
    }
    let asked = all.iter().find(|line| line.starts_with(name) && line[name.len()..].starts_with(": (g="));
    let asked = asked.ok_or("the line with rw=, bs= and ioengine= is missing; give the whole output")?;
    let pattern = match between(asked, "rw=", ",") {
        Some("write") => Pattern::Sequential,
        Some("randwrite") => Pattern::Random,
        _ => return Err(WHY.to_owned()),
    };
    let wrong = |what: &str| format!("its {what} cannot be read");
    let size = between(asked, "(W) ", "-").and_then(bytes).ok_or_else(|| wrong("block size"))?;
    let depth = between(&format!("{asked},"), "iodepth=", ",").and_then(|depth| depth.trim().parse().ok());
    let line = |part: &str| own.iter().find(|line| line.trim_start().starts_with(part));
    let run =
        line("write: ").and_then(|line| line.rsplit_once('/')?.1.split("msec").next()?.parse::<f64>().ok());
    let writes = line("issued rwts: total=").and_then(|line| line.split(',').nth(1)?.parse::<f64>().ok());
    // Writes and flushes together are counted there, against writes alone.
    let share = line("IO depths")
        .and_then(|line| between(line, "1=", "%")?.parse::<f64>().ok())
        .filter(|share| share.is_finite());
    let (latency, deviation) = latency(&own[times..]).ok_or_else(|| wrong("times of flushes"))?;
    let writes = writes.filter(|writes| usable(*writes)).ok_or_else(|| wrong("number of writes"))?;
    reading::appends(Appends {
        pattern,
        append_bytes: size,
        is_alone: depth == Some(1_u32),
        writes,
        flushes: share.map_or(0.0, |share| ((share / 100.0 - 1.0) * writes).round()),
        seconds: run.map(|ms| ms / 1e3).filter(|s| usable(*s)).ok_or_else(|| wrong("time"))?,
        latency,
        deviation,
        notes: vec!["imported from fio's output for people".to_owned()],
    })
}

/// Mean, longest and percentiles in microseconds, and the standard deviation / the mean.
fn latency(lines: &[&str]) -> Option<(Latency, f64)> {
    let unit = |line: &str| {
        Some(match between(line, "(", ")")? {
            "nsec" => 1e-3,
            "usec" => 1.0,
            "msec" => 1e3,
            _ => return None,
        })
    };
    let (scale, of) = (unit(lines[0])?, |key: &str| number(between(&format!("{},", lines[0]), key, ",")?));
    let (mean, deviation) = (of("avg=")?, of("stdev=")?);
    let mut latency = Latency { mean: mean * scale, max: of("max=")? * scale, ..Latency::default() };
    let head = lines.get(1).filter(|line| line.trim_start().starts_with("sync percentiles"))?;
    let scale = unit(head)?;
    for line in lines[2..].iter().take_while(|line| line.trim_start().starts_with('|')) {
        for part in line.trim_start().trim_start_matches('|').split("],") {
            let Some((name, time)) = part.split_once("th=[") else { continue };
            let us = number(time.trim_end_matches(']'))? * scale;
            match name.trim() {
                "50.00" => latency.p50 = us,
                "90.00" => latency.p90 = us,
                "99.00" => latency.p99 = us,
                "99.50" => latency.p99_5 = us,
                "99.90" => latency.p99_9 = us,
                "99.95" => latency.p99_95 = us,
                "99.99" => latency.p99_99 = us,
                _ => {}
            }
        }
    }
    let all =
        [latency.p50, latency.p90, latency.p99_5, latency.p99_9, latency.p99_95, latency.p99_99, latency.max];
    all.into_iter().all(|us| us >= 0.0 && us.is_finite()).then_some((latency, deviation / mean))
}

/// `4000.5k`.
fn number(text: &str) -> Option<f64> {
    let text = text.trim();
    match text.strip_suffix('k') {
        Some(thousands) => Some(1e3 * thousands.parse::<f64>().ok()?),
        None => text.parse().ok(),
    }
}

/// `2300B`, `4096B`, `64.0KiB`.
fn bytes(text: &str) -> Option<u32> {
    let (number, unit) = match text.strip_suffix("KiB") {
        Some(number) => (number, 1024.0),
        None => (text.strip_suffix('B')?, 1.0),
    };
    let bytes = number.parse::<f64>().ok()? * unit;
    (bytes.fract() == 0.0 && (1.0..=1e9).contains(&bytes)).then_some(bytes as u32)
}

/// What is behind `start`, up to `end`.
fn between<'a>(text: &'a str, start: &str, end: &str) -> Option<&'a str> {
    let rest = text.split_once(start)?.1;
    Some(rest.split_once(end)?.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "etcd: (g=0): rw=write, bs=(R) 2300B-2300B, (W) 2300B-2300B, (T) 2300B-2300B, \
        ioengine=sync, iodepth=1\nfio-3.33\nStarting 1 process\n\n\
        etcd: (groupid=0, jobs=1): err= 0: pid=30435: Thu Nov 26 20:47:24 2026\n\
        \x20 write: IOPS=1000, BW=2246KiB/s (2300kB/s)(21.9MiB/10000msec); 0 zone resets\n\
        \x20   clat (nsec): min=1502, max=4004.5k, avg=65817.49, stdev=256891.25\n\
        \x20 fsync/fdatasync/sync_file_range:\n\
        \x20   sync (usec): min=59, max=5.4k, avg=900.00, stdev=1376.15\n\
        \x20   sync percentiles (usec):\n\
        \x20    |  1.00th=[   76], 50.00th=[  145], 60.00th=[  326],\n\
        \x20    | 99.00th=[ 4490], 99.50th=[ 5211], 99.90th=[ 5407], 99.95th=[ 5407],\n\
        \x20    | 99.99th=[ 5407]\n\
        \x20 IO depths    : 1=200.0%, 2=0.0%, 4=0.0%\n\
        \x20    issued rwts: total=0,10000,0,0 short=10000,0,0,0 dropped=0,0,0,0\n";

    #[test]
    fn flushes_behind_appends_are_read() {
        let found = read(TEXT, Path::new("x")).unwrap();
        let flush = &found.flushes[0];
        assert_eq!((flush.append_bytes, flush.commits, flush.seconds), (2300, 10_000, 10.0));
        let latency = &flush.latency;
        assert_eq!((latency.mean, latency.p50, latency.p99, latency.p99_99), (900.0, 145.0, 4490.0, 5407.0));
        assert_eq!((latency.max, latency.p90), (5400.0, 0.0));
        assert_eq!(found.file.version.as_deref(), Some("3.33"));
    }

    #[test]
    fn all_other_jobs_are_skipped_with_why() {
        for (old, new, why) in [
            ("    sync (usec)", "    other (usec)", "leaves out with which options"),
            ("1=200.0%", "1=103.1%", "310 flushes of 10000 writes"),
            ("rw=write", "rw=randwrite", "at random places"),
            ("jobs=1)", "jobs=2)", "several writers"),
            ("iodepth=1\n", "iodepth=8\n", "several writers"),
            ("err= 0", "err= 5", "error"),
            ("(W) 2300B", "(W) some", "block size"),
            ("avg=900.00", "avg=many", "times of flushes"),
            ("etcd: (g=0)", "other: (g=0)", "is missing"),
        ] {
            let found = read(&TEXT.replace(old, new), Path::new("x")).unwrap();
            assert_eq!(found.flushes, [], "{new}");
            assert!(found.file.skipped[0].contains(why), "{new}: {:?}", found.file.skipped);
        }
    }
}
