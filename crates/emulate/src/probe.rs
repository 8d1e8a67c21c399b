//! What the kernel and FUSE take to bring a request to the drive, and its answer back.

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

/// Nanoseconds that a request takes to the drive, and its answer back: one after the other, and after pauses.
/// The lower quartile, which other work on the machine hardly changes. The pacer has the drive's clock.
pub(crate) fn overheads(
    mount: &Path,
    processors: Option<&Processors>,
    pacer: &Pacer,
) -> io::Result<[(Nanos, Nanos); 2]> {
    // As a program is, on a thread of its own: the caller's may run anywhere.
    std::thread::scope(|scope| {
        let probe = scope.spawn(|| {
            processors.into_iter().for_each(Processors::serve_here);
            let file = mount.join(HIDDEN);
            let (busy_request, busy_answer) = taken(&read_apart(&file, PROBE_BYTES, READS, None)?, pacer);
            let paused = read_apart(&file, PROBE_BYTES, PAUSED_READS, Some(PAUSE))?;
            let (paused_request, paused_answer) = taken(&paused, pacer);
            Ok([
                (busy_request, paused_request.max(busy_request)),
                (busy_answer, paused_answer.max(busy_answer)),
            ])
        });
        probe.join().unwrap_or_else(|_| Err(io::Error::other("a thread panicked")))
    })
}

fn taken(reads: &[Read], pacer: &Pacer) -> (Nanos, Nanos) {
    let taken = reads.iter().map(|read| {
        // The file says when it was asked, and when it answered.
        let at =
            |i: usize| read.bytes.get(i..i + 8).and_then(|b| b.try_into().ok()).map_or(0, u64::from_le_bytes);
        let (sent, answered) = (pacer.at(read.sent), pacer.at(read.answered));
        (at(0).saturating_sub(sent), answered.saturating_sub(at(8)))
    });
    let (requests, answers) = taken.unzip();
    (quartile(requests), quartile(answers))
}

fn quartile(mut nanos: Vec<Nanos>) -> Nanos {
    nanos.sort_unstable();
    nanos[nanos.len() / 4]
}
