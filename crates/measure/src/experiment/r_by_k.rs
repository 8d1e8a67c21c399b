//! `r-by-k`: random accesses of many lengths at many concurrencies, each one request: the MQSSD paper's
//! benchmark, with requests in flight where it has threads.

use leadline_device::format_size;
use leadline_profile::Work;

use super::cells;
use super::frame::Frame;
use crate::MeasureError;
use crate::load::Region;
use crate::outcome::Stop;

/// Bytes of an access: r = 4096 / bytes from 100 % down to 0.1 %. The largest, 128 in flight, take 512 MiB of
/// memory.
const SIZES: [u32; 6] = [4 << 10, 16 << 10, 64 << 10, 256 << 10, 1 << 20, 4 << 20];

/// Requests in flight.
const CONCURRENCIES: [u32; 8] = [1, 2, 4, 8, 16, 32, 64, 128];

/// Extents of one size that the region must hold, or they would not be random accesses.
const FEWEST_EXTENTS: u64 = 16;

/// The sizes of which the region holds enough, ascending.
pub(super) fn sizes(region: Region) -> Vec<u32> {
    SIZES.into_iter().filter(|&size| region.len / u64::from(size) >= FEWEST_EXTENTS).collect()
}

pub(super) fn run(frame: &mut Frame) -> Result<(Work, Option<Stop>), MeasureError> {
    let sizes = sizes(frame.plan.region);
    let mut notes = Vec::new();
    let left_out: Vec<String> =
        SIZES.iter().filter(|size| !sizes.contains(size)).map(|&size| format_size(size.into())).collect();
    if !left_out.is_empty() {
        let region = format_size(frame.plan.region.len);
        notes.push(format!(
            "left out, since {region} hold fewer than {FEWEST_EXTENTS} of them: accesses of {}",
            left_out.join(", ")
        ));
    }
    let shares: &[f64] = if frame.plan.writes { &[1.0, 0.0] } else { &[1.0] };
    let mut wanted = Vec::new();
    for &share in shares {
        for &size in &sizes {
            wanted.extend(CONCURRENCIES.map(|k| (Frame::workload(share, size), k)));
        }
    }
    cells::measure(frame, &wanted, notes)
}
