//! `pg_test_fsync`: the ways to make one write of 8 KiB to a file durable that was written before.

use std::path::Path;

use leadline_figures::number::count;
use leadline_files::TextError;
use leadline_profile::{EngineKind, FileState, Latency, Procedure, SyncMethod, SyncMethods, SyncPoint};

use crate::found::Found;
use crate::interval::{around, usable};

/// What begins the section that is read.
const SECTION: &str = "Compare file sync methods using one ";

/// A test of less time than this is said to be short, seconds.
const SHORT: f64 = 2.0;

/// The section of one write. Those of two writes and of other sizes are nothing that settings follow from.
pub(crate) fn read(text: &str, path: &Path) -> Result<Found, TextError> {
    let missing = || TextError::file(path, format!("has no section {SECTION:?}; give the whole output"));
    let lines: Vec<(usize, &str)> = text.lines().enumerate().map(|(at, line)| (at + 1, line)).collect();
    let start = lines.iter().position(|(_, line)| line.starts_with(SECTION)).ok_or_else(missing)?;
    let block_bytes = block(lines[start], path)?;
    let seconds = lines
        .iter()
        .find_map(|(_, line)| line.strip_suffix(" seconds per test"))
        .or_else(|| lines.iter().find_map(|(_, line)| line.strip_suffix(" second per test")))
        .and_then(|number| number.trim().parse().ok())
        .filter(|seconds| usable(*seconds));
    let mut found = Found::by("pg_test_fsync", None);
    let length = seconds.unwrap_or(5.0);
    match seconds {
        None => found.assume("5 seconds per test, as by default: the line that says so is missing"),
        Some(seconds) if seconds < SHORT => {
            found.assume(format!("{seconds} s for each method suffice, though 5 s are its default"));
        }
        Some(_) => {}
    }
    let mut points = Vec::new();
    let section = lines[start + 1..].iter().take_while(|(_, line)| !line.starts_with("Compare"));
    for &(at, line) in section.filter(|(_, line)| line.starts_with([' ', '\t'])) {
        if let Some(point) = point(at, line, length, path, &mut found)? {
            points.push(point);
        }
    }
    if points.is_empty() {
        return Err(TextError::line(path, lines[start].0, "no method follows; give the whole output"));
    }
    let procedure = Procedure {
        engine: EngineKind::Imported,
        measured_seconds: length * points.len() as f64,
        notes: vec!["imported from pg_test_fsync".to_owned()],
        ..Procedure::default()
    };
    found.sync_methods = Some(SyncMethods { procedure, block_bytes, points });
    found.skip("its other sections: no setting follows from them");
    Ok(found)
}

/// Bytes of a write, of `Compare file sync methods using one 8kB write:`.
fn block((at, line): (usize, &str), path: &Path) -> Result<u32, TextError> {
    let size = line[SECTION.len()..].split("kB").next().and_then(|size| size.parse::<u32>().ok());
    size.filter(|size| (1..=1024).contains(size))
        .map(|size| size * 1024)
        .ok_or_else(|| TextError::line(path, at, "does not say the size of a write in kB"))
}

/// A line such as `fdatasync   290.856 ops/sec    3438 usecs/op`; `None` where it is no method that is known,
/// or one that the system does not have.
fn point(
    at: usize,
    line: &str,
    seconds: f64,
    path: &Path,
    found: &mut Found,
) -> Result<Option<SyncPoint>, TextError> {
    let mut words = line.split_whitespace();
    let (Some(name), Some(number)) = (words.next(), words.next()) else { return Ok(None) };
    let method = match name {
        "open_datasync" => SyncMethod::ODsync,
        "fdatasync" => SyncMethod::Fdatasync,
        "fsync" => SyncMethod::Fsync,
        "open_sync" | "fsync_writethrough" => {
            if number != "n/a" {
                found.skip(format!("{name}: a profile has no place for it"));
            }
            return Ok(None);
        }
        _ => return Ok(None),
    };
    if number == "n/a" || number == "n/a*" {
        found.skip(format!("{name}: the system does not have it"));
        return Ok(None);
    }
    let iops: f64 = number
        .parse()
        .ok()
        .filter(|iops| usable(*iops) && words.next() == Some("ops/sec"))
        .ok_or_else(|| TextError::line(path, at, format!("{number:?} is not a number of ops/sec")))?;
    found.read(format!("{name}: {} durable writes per second", count(iops)));
    Ok(Some(SyncPoint {
        method,
        file: FileState::Written,
        ops: (iops * seconds).round().max(1.0) as u64,
        seconds,
        iops,
        iops_ci: Some(around(iops, None)),
        latency_us: Latency { mean: 1e6 / iops, ..Latency::default() },
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "5 seconds per test\n\
        O_DIRECT supported on this platform for open_datasync and open_sync.\n\n\
        Compare file sync methods using one 8kB write:\n\
        (in wal_sync_method preference order, except fdatasync is Linux's default)\n\
        \x20       open_datasync                      5000.000 ops/sec     200 usecs/op\n\
        \x20       fdatasync                          2500.000 ops/sec     400 usecs/op\n\
        \x20       fsync                              1250.000 ops/sec     800 usecs/op\n\
        \x20       fsync_writethrough                              n/a\n\
        \x20       open_sync                           583.681 ops/sec    1713 usecs/op\n\n\
        Compare file sync methods using two 8kB writes:\n\
        \x20       fdatasync                             1.000 ops/sec     399 usecs/op\n";

    #[test]
    fn the_methods_of_one_write_are_read_and_those_of_two_are_not() {
        let found = read(TEXT, Path::new("x")).unwrap();
        let methods = found.sync_methods.unwrap();
        assert_eq!(methods.block_bytes, 8192);
        let points: Vec<_> = methods.points.iter().map(|p| (p.method, p.iops, p.ops)).collect();
        assert_eq!(
            points,
            [
                (SyncMethod::ODsync, 5000.0, 25_000),
                (SyncMethod::Fdatasync, 2500.0, 12_500),
                (SyncMethod::Fsync, 1250.0, 6250)
            ]
        );
        assert_eq!(methods.points[1].latency_us.mean, 400.0);
        assert!(found.file.skipped.iter().any(|line| line.starts_with("open_sync")));
        assert_eq!(found.file.assumed, [""; 0]);
    }

    #[test]
    fn what_is_not_whole_is_refused_with_its_line() {
        let said = |text: &str| read(text, Path::new("x")).unwrap_err().to_string();
        assert!(said(&TEXT.replace("2500.000", "many")).contains("line 7: \"many\""));
        assert!(said(&TEXT.replace("one 8kB", "one big")).contains("line 4"));
        assert!(said(TEXT.split("        open").next().unwrap()).contains("line 4: no method follows"));
        assert!(said("nothing").contains("has no section"));
        let short = read(&TEXT.replace("5 seconds", "1 second"), Path::new("x")).unwrap();
        assert!(short.file.assumed[0].starts_with("1 s for each method"));
    }
}
