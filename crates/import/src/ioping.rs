//! ioping: requests one at a time, as JSON (`-J`), as numbers alone (`-B`) and as text.
//!
//! None of them says whether places were random or in sequence (`-L`), and only the text whether it read or
//! wrote.

use std::path::Path;

use leadline_figures::number::{block, micros};
use leadline_files::{TextError, from_json};
use leadline_profile::{Latency, OpKind, Pattern};
use serde::Deserialize;

use crate::detect::RAW;
use crate::found::Found;
use crate::interval::usable;
use crate::load::{Kind, Load};
use crate::options::Options;

/// Requests below which a mean says nothing.
const LEAST_REQUESTS: f64 = 100.0;

/// A mean below this is of memory, microseconds.
const MEMORY_US: f64 = 5.0;

/// Requests per second sent / completed if one followed the other, below which there were pauses.
const PAUSES: f64 = 0.5;

/// What all three have: nanoseconds.
struct Statistics {
    count: f64,
    bytes: f64,
    time: f64,
    max: f64,
    mdev: f64,
    /// Requests per second that were sent, pauses included.
    sent: Option<f64>,
}

pub(crate) fn read(text: &str, path: &Path, options: &Options) -> Result<Found, TextError> {
    let (statistics, device) = if text.trim_start().starts_with('[') {
        json(text, path)?
    } else if text.contains("ioping statistics ---") {
        (in_words(text, path)?, None)
    } else {
        (raw(text, path)?, None)
    };
    let Some(pattern) = options.pattern else {
        let reason = "ioping's output does not say where it read: at random places, as it does by default, or \
                      in sequence (-L); say which with --pattern random or --pattern sequential. It is taken \
                      to have read, and not from the page cache (-C)";
        return Err(TextError::file(path, reason));
    };
    let mut found = Found::by("ioping", None);
    if let Some(device) = device {
        found.disk = device.device.and_then(|disk| Some(disk.rsplit('/').next()?.to_owned()));
        found.capacity_bytes = device.device_size.filter(|size| *size > 0);
    }
    take(&statistics, pattern, path, &mut found)?;
    Ok(found)
}

/// The load that the statistics are of.
fn take(statistics: &Statistics, pattern: Pattern, path: &Path, found: &mut Found) -> Result<(), TextError> {
    let Statistics { count, bytes, time, max, mdev, sent } = *statistics;
    let numbers = [count, bytes, time, max];
    let block_bytes = bytes / count;
    if !numbers.into_iter().all(usable) || block_bytes.fract() != 0.0 || !(1.0..=1e9).contains(&block_bytes) {
        return Err(TextError::file(path, "its numbers are no times, counts and sizes of whole requests"));
    }
    let (mean_us, mdev) = (time / count / 1e3, if mdev.is_finite() { mdev.max(0.0) } else { 0.0 });
    let kind = Kind { pattern, block_bytes: block_bytes as u32, op: OpKind::Read, durable: false };
    let what = format!("{count} requests of {}, {} each", block(kind.block_bytes), micros(mean_us));
    if count < LEAST_REQUESTS {
        found.skip(format!(
            "{what}: fewer than {LEAST_REQUESTS}; ioping -D -q -i 0 -w 10 makes thousands, one after the other"
        ));
        return Ok(());
    }
    if mean_us < MEMORY_US {
        found.skip(format!("{what}: so fast is only memory (-C, or the page cache); ioping -D bypasses it"));
        return Ok(());
    }
    let seconds = time / 1e9;
    if sent.is_some_and(|sent| sent < PAUSES * count / seconds) {
        found.assume("requests would take as long without the pauses between them (-i 0 leaves them out)");
    }
    found.assume("it read, and not from the page cache (-C): its output does not tell");
    let latency = Latency { mean: mean_us, max: max / 1e3, ..Latency::default() };
    // Of the mean: the deviation over the square root of their number.
    let spread = Some(1e-3 * mdev / mean_us / count.sqrt());
    let load = Load { kind, concurrency: 1, ops: count, seconds, spread, latency, histogram: Vec::new() };
    found.read(load.words());
    found.loads.push(load);
    Ok(())
}

#[derive(Deserialize)]
struct Report {
    target: Target,
    stat: Stat,
    load: Option<Sent>,
}

#[derive(Deserialize)]
struct Target {
    device: Option<String>,
    device_size: Option<u64>,
}

#[derive(Deserialize)]
struct Stat {
    count: f64,
    size: f64,
    time: f64,
    max: f64,
    mdev: f64,
}

#[derive(Deserialize)]
struct Sent {
    iops: f64,
}

/// One report; with `-p` and `-P` there are several, of parts of the run.
fn json(text: &str, path: &Path) -> Result<(Statistics, Option<Target>), TextError> {
    let reports: Vec<Report> = from_json(text)
        .map_err(|flaw| TextError::file(path, format!("{flaw}; give the output of ioping -J")))?;
    let [report] = <[Report; 1]>::try_from(reports).map_err(|several| {
        let reason = format!("has {} reports where one is read; leave out -p and -P", several.len());
        TextError::file(path, reason)
    })?;
    let Stat { count, size, time, max, mdev } = report.stat;
    let statistics =
        Statistics { count, bytes: size, time, max, mdev, sent: report.load.map(|sent| sent.iops) };
    Ok((statistics, Some(report.target)))
}

/// One line: requests, their time, requests and bytes per second, least, mean and longest time, deviation,
/// requests sent, the time of all.
fn raw(text: &str, path: &Path) -> Result<Statistics, TextError> {
    let mut lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    let missing = || TextError::file(path, "has no line of ten numbers, as ioping -B prints");
    let (at, line) = lines.next().ok_or_else(missing)?;
    if lines.next().is_some() {
        return Err(TextError::file(path, "has several lines where one is read; leave out -p and -P"));
    }
    let numbers: Result<Vec<f64>, _> = line.split_whitespace().map(str::parse).collect();
    let numbers = numbers.ok().filter(|numbers: &Vec<f64>| numbers.len() == RAW);
    let wrong = || TextError::line(path, at + 1, "is not ten numbers, as ioping -B prints");
    let numbers = numbers.ok_or_else(wrong)?;
    let (count, time, iops, per_second) = (numbers[0], numbers[1], numbers[2], numbers[3]);
    // Bytes per request, of two rates that were rounded.
    let block_bytes = (per_second / iops / 512.0).round() * 512.0;
    let sent = Some(numbers[8] / (numbers[9] / 1e9));
    Ok(Statistics { count, bytes: count * block_bytes, time, max: numbers[6], mdev: numbers[7], sent })
}

/// The statistics at the end of the text.
fn in_words(text: &str, path: &Path) -> Result<Statistics, TextError> {
    let lines: Vec<&str> = text.lines().collect();
    let of = |part: &str| lines.iter().position(|line| line.contains(part));
    let missing =
        |what: &str| TextError::file(path, format!("has no line with {what:?}; give the whole output"));
    let done = of(" requests completed in ").ok_or_else(|| missing("requests completed in"))?;
    let times = of("min/avg/max/mdev = ").ok_or_else(|| missing("min/avg/max/mdev"))?;
    if lines[done].contains(" written, ") {
        let reason = "wrote, and does not say whether each write was flushed; fio with direct=1, \
                      rw=randwrite and output-format=json does";
        return Err(TextError::line(path, done + 1, reason));
    }
    let wrong = |at: usize| TextError::line(path, at + 1, "is not as ioping prints it");
    let list = lines[times].split(" = ").nth(1).unwrap_or_default().split(" / ");
    let list: Vec<f64> = list.map(nanoseconds).collect::<Option<_>>().ok_or_else(|| wrong(times))?;
    let [_, mean, max, mdev] = *list.as_slice() else { return Err(wrong(times)) };
    // `20.2 k requests completed in 990.1 ms, 79.0 MiB read, ..`
    let (count, _) = lines[done].split_once(" requests").ok_or_else(|| wrong(done))?;
    let count = scaled(count, &[("k", 1e3), ("M", 1e6)]).ok_or_else(|| wrong(done))?.round();
    let size =
        lines.iter().find_map(|line| line.split_once(" <<< ")?.0.split(": ").last().map(str::to_owned));
    let size = match size {
        Some(size) => bytes(&size).ok_or_else(|| wrong(done))?,
        // With -q only the sum is there, and sizes are powers of two.
        None => {
            let sum = lines[done].split(", ").nth(1).and_then(|part| part.strip_suffix(" read"));
            let sum = sum.and_then(bytes).ok_or_else(|| wrong(done))?;
            2_f64.powi((sum / count).log2().round() as i32)
        }
    };
    Ok(Statistics { count, bytes: count * size, time: count * mean, max, mdev, sent: None })
}

/// `195.6 us`.
fn nanoseconds(text: &str) -> Option<f64> {
    scaled(text, &[("ns", 1.0), ("us", 1e3), ("ms", 1e6), ("s", 1e9), ("min", 6e10)])
}

/// `4 KiB`.
fn bytes(text: &str) -> Option<f64> {
    scaled(text, &[("B", 1.0), ("KiB", 1024.0), ("MiB", 1048576.0), ("GiB", 1073741824.0)])
}

/// A number and its unit, which may be missing.
fn scaled(text: &str, units: &[(&str, f64)]) -> Option<f64> {
    let mut words = text.split_whitespace();
    let number: f64 = words.next()?.parse().ok()?;
    let unit = match words.next() {
        None => 1.0,
        Some(word) => units.iter().find(|(name, _)| *name == word)?.1,
    };
    (words.next().is_none() && usable(number)).then_some(number * unit)
}

#[cfg(test)]
mod tests {
    use super::*;

    const JSON: &str = r#"[{
  "target": {"path": ".", "fstype": "ext4", "device": "/dev/vda", "device_size": 270553174016},
  "stat": {"count": 2000, "size": 8192000, "time": 200000000, "iops": 10000.0, "bps": 40960000,
    "min": 69865, "avg": 100000, "max": 179259, "mdev": 10000},
  "load": {"count": 2001, "iops": 9900.0}
}]"#;

    const WORDS: &str = "4 KiB <<< . (ext4 /dev/vda 252.0 GiB): request=1 time=89.9 us (warmup)\n\n\
        --- . (ext4 /dev/vda 252.0 GiB) ioping statistics ---\n\
        20.2 k requests completed in 1.01 s, 79.0 MiB read, 20.0 k iops, 79.8 MiB/s\n\
        generated 20.2 k requests in 1.00 s, 79.0 MiB, 20.2 k iops, 79.0 MiB/s\n\
        min/avg/max/mdev = 34.9 us / 50.0 us / 1.05 ms / 17.2 us\n";

    fn random() -> Options {
        Options { pattern: Some(Pattern::Random), ..Options::default() }
    }

    fn load(text: &str) -> Load {
        read(text, Path::new("x"), &random()).unwrap().loads.remove(0)
    }

    #[test]
    fn all_three_outputs_are_read_as_the_same_load() {
        let json = load(JSON);
        assert_eq!((json.concurrency, json.kind.block_bytes, json.latency.mean), (1, 4096, 100.0));
        assert!((json.iops() - 10_000.0).abs() < 1e-6 && json.latency.max == 179.259);
        let raw = load("2000 200000000 10000 40960123 69865 100000 179259 10000 2001 202000000\n");
        assert_eq!(raw, Load { spread: raw.spread, ..json.clone() });
        assert!((json.spread.unwrap() - 0.1 / 2000_f64.sqrt()).abs() < 1e-9);
        let words = load(WORDS);
        assert_eq!((words.kind.block_bytes, words.latency.mean, words.latency.max), (4096, 50.0, 1050.0));
        assert!((words.iops() - 20_000.0).abs() < 1e-6);
        let quiet = load(WORDS.split_once("\n\n").unwrap().1);
        assert_eq!(quiet, words);
        let found = read(JSON, Path::new("x"), &random()).unwrap();
        assert_eq!((found.disk.as_deref(), found.capacity_bytes), (Some("vda"), Some(270_553_174_016)));
    }

    #[test]
    fn what_the_output_does_not_tell_is_asked_for() {
        let said = read(JSON, Path::new("x"), &Options::default()).unwrap_err().to_string();
        assert!(said.contains("--pattern random or --pattern sequential"), "{said}");
    }

    #[test]
    fn few_requests_and_memory_are_skipped_and_writes_refused() {
        let skipped = |text: &str| {
            let found = read(text, Path::new("x"), &random()).unwrap();
            assert_eq!(found.loads, []);
            found.file.skipped.join("")
        };
        assert!(
            skipped(&JSON.replace("2000,", "10,").replace("8192000", "40960")).contains("fewer than 100")
        );
        assert!(skipped(&JSON.replace("200000000", "2000000")).contains("only memory"));
        let said = |text: &str| read(text, Path::new("x"), &random()).unwrap_err().to_string();
        assert!(said(&WORDS.replace(" read,", " written,")).contains("line 4: wrote"));
        assert!(said(&JSON.replace("8192000", "8192001")).contains("whole requests"));
        assert!(said(&WORDS.replace("50.0 us", "50.0 ago")).contains("line 6"));
        assert!(said("1 2 3 4 5 6 7 8 9\n").contains("line 1"));
        assert!(said("[]").contains("0 reports"));
    }
}
