//! Whether what is spilled is compressed.

use leadline_profile::{OpKind, Pattern};

use super::{COMPRESSION, SOURCE};
use crate::streams::Stream;
use crate::{Drive, Fits, Setting, Unmeasured, Value};

/// What one processor writes and reads, bytes per second, and by how much what it writes is smaller. The
/// rates were measured with pyarrow 25, in batches of 8192 rows of numbers and short texts; the ratios are
/// assumed, below those of that table (2.4 and 4.4), since data differ.
const CODECS: [(&str, f64, f64, f64); 3] =
    [("uncompressed", 1.4e9, 3.8e9, 1.0), ("lz4_frame", 1.1e9, 1.4e9, 2.0), ("zstd", 0.69e9, 0.92e9, 2.7)];

/// How much longer than the best a lighter codec may take to be preferred: processors have other things to
/// do.
const LONGER: f64 = 1.1;

/// How much longer another one may take to do as well.
const AS_GOOD: f64 = 1.3;

/// The one with which a byte is soonest written and read again.
pub(super) fn compression(drive: &Drive, cores: u32) -> Result<Setting, Unmeasured> {
    let writes = drive.sustained_writes(Pattern::Sequential)?.value;
    let reads = Stream::of(drive, OpKind::Read)?.bandwidth;
    let cores = f64::from(cores.max(1));
    let seconds = CODECS.map(|(name, write, read, ratio)| {
        (name, (1.0 / writes + 1.0 / reads) / ratio + (1.0 / write + 1.0 / read) / cores)
    });
    let best = seconds.iter().map(|(_, time)| *time).fold(f64::INFINITY, f64::min);
    let within = |longer: f64| seconds.iter().filter(move |(_, time)| *time <= longer * best);
    let value = within(LONGER).next().map_or("uncompressed", |(name, _)| name);
    let told = seconds.map(|(name, time)| format!("{name} {:.2}", 1e9 * time)).join(", ");
    let rule = format!(
        "seconds per GB that is spilled and read again, on {cores} processors at {:.0} MB/s of sustained \
         writes and {:.0} MB/s of reads: {told}; half and 2.7 times smaller are assumed",
        writes / 1e6,
        reads / 1e6
    );
    let fits = within(AS_GOOD).map(|(name, _)| (*name).to_owned()).collect();
    let points = seconds.map(|(name, time)| (Value::word(name), time / best)).to_vec();
    let setting = Setting::new(COMPRESSION, Value::word(value), "a codec", rule, SOURCE);
    Ok(Setting { fits: Fits::Words(fits), ..setting }
        .default(Value::word("uncompressed"))
        .if_wrong("what does not fit in the memory takes longer to write and to read than it could", "")
        .costs("spilling", points))
}

/// A codec; nothing is `uncompressed`.
pub(super) fn word(text: &str) -> Option<Value> {
    let text = if text.is_empty() { "uncompressed" } else { text };
    CODECS.iter().find(|(name, ..)| name.eq_ignore_ascii_case(text)).map(|(name, ..)| Value::word(*name))
}
