//! What the kernel and FUSE take: the way of a request to the drive, and of its answer back.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::path::Path;

use leadline_device::Nanos;

use crate::answer::PROBE_BYTES;
use crate::durable::HIDDEN;

/// Reads that are made.
const READS: usize = 400;

/// Median nanoseconds of both ways. `now` is the drive's clock.
pub(crate) fn ways(mount: &Path, now: impl Fn() -> Nanos) -> io::Result<(Nanos, Nanos)> {
    let file = File::open(mount.join(HIDDEN))?;
    let (mut ins, mut outs) = (Vec::with_capacity(READS), Vec::with_capacity(READS));
    let mut bytes = [0; PROBE_BYTES];
    for _ in 0..READS {
        let sent = now();
        file.read_exact_at(&mut bytes, 0)?;
        let back = now();
        let at = |i: usize| bytes.get(i..i + 8).and_then(|b| b.try_into().ok()).map_or(0, u64::from_le_bytes);
        ins.push(at(0).saturating_sub(sent));
        outs.push(back.saturating_sub(at(8)));
    }
    Ok((median(ins), median(outs)))
}

fn median(mut nanos: Vec<Nanos>) -> Nanos {
    nanos.sort_unstable();
    nanos[nanos.len() / 2]
}
