//! `ceph tell osd.N bench`: writes that an OSD makes durable.

use std::path::Path;

use leadline_figures::number::{block, count};
use leadline_files::{TextError, from_json};
use leadline_profile::{OpKind, Pattern};
use serde::Deserialize;

use crate::found::Found;
use crate::interval::usable;
use crate::load::{Kind, Plateau};

/// Writes up to this size are at random places in objects; larger ones are whole objects.
const SMALL: u32 = 64 << 10;

/// Time and writes below which a result says nothing.
const LEAST_SECONDS: f64 = 1.0;
const LEAST_WRITES: f64 = 100.0;

#[derive(Deserialize)]
struct Bench {
    bytes_written: f64,
    blocksize: u32,
    elapsed_sec: f64,
    bytes_per_sec: f64,
}

pub(crate) fn read(text: &str, path: &Path) -> Result<Found, TextError> {
    let bench: Bench = from_json(text).map_err(|flaw| {
        TextError::file(path, format!("{flaw}; give the JSON of ceph tell osd.N bench alone"))
    })?;
    if bench.blocksize == 0
        || ![bench.bytes_written, bench.bytes_per_sec, bench.elapsed_sec].into_iter().all(usable)
    {
        return Err(TextError::file(path, "sizes, times and rates must be positive numbers"));
    }
    let mut found = Found::by("ceph", None);
    let writes = bench.bytes_written / f64::from(bench.blocksize);
    let what = format!("{} writes of {}", count(writes), block(bench.blocksize));
    if bench.blocksize > SMALL {
        found.skip(format!(
            "{what}: nothing follows from whole objects; ceph tell osd.N bench 12288000 4096 4194304 100 writes \
             4K at random"
        ));
        return Ok(found);
    }
    if bench.elapsed_sec < LEAST_SECONDS || writes < LEAST_WRITES {
        found.skip(format!("{what} in {} s: too few to count", bench.elapsed_sec));
        return Ok(found);
    }
    let iops = bench.bytes_per_sec / f64::from(bench.blocksize);
    let kind =
        Kind { pattern: Pattern::Random, block_bytes: bench.blocksize, op: OpKind::Write, durable: true };
    found.read(format!("{}: {} per second, as an OSD makes them", kind.words(), count(iops)));
    found.assume("the OSD, not the drive, may have set the pace: a processor's time goes into each write");
    found.assume("the writes went to random places (an object size and a number of objects were given)");
    found.plateaus.push(Plateau { kind, iops });
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = r#"{
    "bytes_written": 12288000,
    "blocksize": 4096,
    "elapsed_sec": 4.0,
    "bytes_per_sec": 3072000.0,
    "iops": 750.0
}"#;

    #[test]
    fn small_writes_are_a_plateau_of_durable_ones() {
        let found = read(TEXT, Path::new("x")).unwrap();
        let [plateau] = found.plateaus.as_slice() else { panic!("{found:?}") };
        assert!(plateau.kind.durable && plateau.kind.block_bytes == 4096);
        assert_eq!(plateau.iops, 750.0);
    }

    #[test]
    fn whole_objects_and_short_runs_are_skipped_with_why() {
        let skipped = |text: &str| read(text, Path::new("x")).unwrap().file.skipped.join("");
        assert!(skipped(&TEXT.replace("4096", "4194304")).contains("whole objects"));
        assert!(skipped(&TEXT.replace("4.0", "0.5")).contains("too few"));
    }

    #[test]
    fn impossible_numbers_are_refused() {
        let said = |text: &str| read(text, Path::new("x")).unwrap_err().to_string();
        assert!(said(&TEXT.replace("4.0", "0")).contains("must be positive"));
        assert!(said(&TEXT.replace("4096", "-1")).contains("line 3"));
        assert!(said("{}").contains("is missing"));
    }
}
