//! What the kernel and FUSE take: the way of a request to the drive, and of its answer back.

use std::io;
use std::path::Path;
use std::time::Duration;

use leadline_device::Nanos;
use leadline_fuse::{Read, read_apart};

use crate::answer::PROBE_BYTES;
use crate::durable::HIDDEN;
use crate::pace::Pacer;
use crate::processors::Processors;

/// Reads that are made one after the other.
const READS: usize = 400;

/// Reads that are made with a pause before each.
const PAUSED_READS: usize = 100;

/// Long enough for threads and processors to fall asleep.
const PAUSE: Duration = Duration::from_millis(1);

/// Nanoseconds of a request's way in, and of its answer's way out: one after the other, and after pauses. The
/// lower quartile, which other work on the machine hardly changes. The pacer has the drive's clock.
pub(crate) fn ways(
    mount: &Path,
    processors: Option<&Processors>,
    pacer: &Pacer,
) -> io::Result<[(Nanos, Nanos); 2]> {
    // As a program is, on a thread of its own: the caller's may run anywhere.
    std::thread::scope(|scope| {
        let probe = scope.spawn(|| {
            processors.into_iter().for_each(Processors::serve_here);
            let file = mount.join(HIDDEN);
            let (busy_in, busy_out) = taken(&read_apart(&file, PROBE_BYTES, READS, None)?, pacer);
            let paused = read_apart(&file, PROBE_BYTES, PAUSED_READS, Some(PAUSE))?;
            let (paused_in, paused_out) = taken(&paused, pacer);
            Ok([(busy_in, paused_in.max(busy_in)), (busy_out, paused_out.max(busy_out))])
        });
        probe.join().unwrap_or_else(|_| Err(io::Error::other("a thread panicked")))
    })
}

fn taken(reads: &[Read], pacer: &Pacer) -> (Nanos, Nanos) {
    let ways = reads.iter().map(|read| {
        // The file says when it was asked, and when it answered.
        let at =
            |i: usize| read.bytes.get(i..i + 8).and_then(|b| b.try_into().ok()).map_or(0, u64::from_le_bytes);
        let (sent, answered) = (pacer.at(read.sent), pacer.at(read.answered));
        (at(0).saturating_sub(sent), answered.saturating_sub(at(8)))
    });
    let (ins, outs) = ways.unzip();
    (quartile(ins), quartile(outs))
}

fn quartile(mut nanos: Vec<Nanos>) -> Nanos {
    nanos.sort_unstable();
    nanos[nanos.len() / 4]
}
