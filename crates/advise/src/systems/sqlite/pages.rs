//! How large pages are, and whether the file is mapped.

use super::{MMAP, PAGE_SIZE, SOURCE};
use crate::{Drive, Inputs, Setting, Unmeasured, Value};

/// `page_size` unless set, since 3.12.
const DEFAULT: u32 = 4096;

/// Sizes that are tried: steps of four, so that noise seldom chooses between two.
const SIZES: [u32; 3] = [DEFAULT, 16_384, 65_536];

/// Bytes of an entry of a page above the leaves: a key of an index with the number of its row and of its
/// child.
const ENTRY: f64 = 32.0;

/// How much longer than with the best a lookup may take: pages are logged whole, so that smaller ones are
/// better for all else.
const LONGER: f64 = 1.25;

/// The most that SQLite maps unless it was built to map more (`SQLITE_MAX_MMAP_SIZE`).
const MOST_MAPPED: f64 = 2_147_418_112.0;

/// Time of a lookup in pages of which the upper levels are in memory, as far as it depends on their size:
/// each read narrows the search by the number of entries of a page.
fn lookup(drive: &Drive, bytes: u32) -> Result<[f64; 2], Unmeasured> {
    let read = drive.one_read(bytes)?;
    let narrowed = (f64::from(bytes) / ENTRY).ln();
    Ok([read.value / narrowed, read.ci[0] / narrowed])
}

/// The smallest pages with which a lookup takes little longer than with the best.
pub(super) fn size(drive: &Drive) -> Result<Setting, Unmeasured> {
    let times: Vec<(u32, [f64; 2])> = SIZES
        .into_iter()
        .map(|bytes| Ok((bytes, lookup(drive, bytes)?)))
        .collect::<Result<_, Unmeasured>>()?;
    let best = times.iter().map(|(_, [time, _])| *time).fold(f64::INFINITY, f64::min);
    // Unless it is longer for certain, the smaller one is taken.
    let enough = times.iter().find(|(_, [_, least])| *least <= LONGER * best);
    let value = enough.map_or(DEFAULT, |(bytes, _)| *bytes);
    let relative = |time: f64| (time / best).max(1.0);
    let points: Vec<(Value, f64)> =
        times.iter().map(|&(bytes, [time, _])| (Value::Bytes(bytes.into()), relative(time))).collect();
    let alone = 1e3 * drive.one_read(value)?.value;
    let rule = format!(
        "a random read of a page takes {alone:.3} ms, and each narrows a search by the entries of a page, of \
         {ENTRY:.0} bytes: the smallest of 4, 16 and 64 KiB with which a lookup takes up to a quarter longer \
         than with the best, since every changed page is logged whole"
    );
    let low = times.iter().find(|(_, [time, _])| *time <= 1.5 * best).map_or(value, |(bytes, _)| *bytes);
    Ok(Setting::new(PAGE_SIZE, Value::Bytes(value.into()), "bytes", rule, SOURCE)
        .fits(f64::from(low.min(value)), f64::from(4 * value).min(65_536.0))
        .default(Value::Bytes(DEFAULT.into()))
        .if_wrong(
            "a lookup takes more reads than it needs",
            "each change of a row logs a larger page, and writes it again at the checkpoint",
        )
        .costs("a lookup whose pages are not in memory", points))
}

/// Not mapped, unless that costs nothing: around each page of a mapped file that is not in memory the kernel
/// reads ahead, while a read of a page reads the page.
pub(super) fn mapped(drive: &Drive, inputs: &Inputs) -> Result<Setting, Unmeasured> {
    let around = drive.read_around()?;
    let is_held = inputs.data_bytes.is_some() && inputs.cached_share() >= 1.0;
    let is_harmless = is_held || around <= LONGER;
    let rule = format!(
        "for a page of a mapped file that is not in memory the kernel reads 128 KiB around it, which takes \
         {around:.2} times as long as the page; {}",
        match (is_held, is_harmless) {
            (true, _) => "the data fit in the memory, so that mapping does as well",
            (_, true) => "mapping does as well",
            _ => "mapping does as well only where all data fit in the memory (--memory, --data)",
        }
    );
    let times = if is_held { 1.0 } else { around };
    Ok(Setting::new(MMAP, Value::Bytes(0), "bytes", rule, SOURCE)
        .fits(0.0, if is_harmless { MOST_MAPPED } else { 0.0 })
        .default(Value::Bytes(0))
        .if_wrong("", "a lookup reads much more than it needs wherever the data are larger than the memory")
        .costs(
            "a lookup whose pages are not in memory",
            vec![(Value::Bytes(0), 1.0), (Value::Bytes(1), times)],
        ))
}
