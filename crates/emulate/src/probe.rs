//! What the kernel and FUSE take: the way of a request to the drive, and of its answer back.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::time::Duration;

use leadline_device::Nanos;

use crate::answer::PROBE_BYTES;
use crate::durable::HIDDEN;
use crate::processors::Processors;

/// Reads that are made one after the other.
const READS: usize = 400;

/// Reads that are made with a pause before each.
const PAUSED_READS: usize = 100;

/// Long enough for threads and processors to fall asleep.
const PAUSE: Duration = Duration::from_millis(1);

/// Nanoseconds of a request's way in, and of its answer's way out: one after the other, and after pauses. The
/// lower quartile, which other work on the machine hardly changes. `now` is the drive's clock.
pub(crate) fn ways(
    mount: &Path,
    processors: Option<&Processors>,
    now: impl Fn() -> Nanos + Send,
) -> io::Result<[(Nanos, Nanos); 2]> {
    // As a program is, on a thread of its own: the caller's may run anywhere.
    std::thread::scope(|scope| {
        let probe = scope.spawn(|| {
            processors.into_iter().for_each(Processors::serve_here);
            of_thread(mount, now)
        });
        probe.join().unwrap_or_else(|_| Err(io::Error::other("a thread panicked")))
    })
}

fn of_thread(mount: &Path, now: impl Fn() -> Nanos) -> io::Result<[(Nanos, Nanos); 2]> {
    let file = File::open(mount.join(HIDDEN))?;
    let (busy_in, busy_out) = measure(&file, &now, READS, None)?;
    let (paused_in, paused_out) = measure(&file, &now, PAUSED_READS, Some(PAUSE))?;
    Ok([(busy_in, paused_in.max(busy_in)), (busy_out, paused_out.max(busy_out))])
}

fn measure(
    file: &File,
    now: impl Fn() -> Nanos,
    reads: usize,
    pause: Option<Duration>,
) -> io::Result<(Nanos, Nanos)> {
    let (mut ins, mut outs) = (Vec::with_capacity(reads), Vec::with_capacity(reads));
    let mut bytes = [0; PROBE_BYTES];
    for _ in 0..reads {
        pause.into_iter().for_each(std::thread::sleep);
        let sent = now();
        file.read_exact_at(&mut bytes, 0)?;
        let back = now();
        let at = |i: usize| bytes.get(i..i + 8).and_then(|b| b.try_into().ok()).map_or(0, u64::from_le_bytes);
        ins.push(at(0).saturating_sub(sent));
        outs.push(back.saturating_sub(at(8)));
    }
    Ok((quartile(ins), quartile(outs)))
}

fn quartile(mut nanos: Vec<Nanos>) -> Nanos {
    nanos.sort_unstable();
    nanos[nanos.len() / 4]
}
