//! Copying a file from the slow to the fast device.

use leadline_device::{Completion, Nanos, Request};
use leadline_sim::DeviceModel;

/// A copy reads and writes that much at a time,
const CHUNK_BYTES: u64 = 1 << 20;

/// and has that many chunks under way.
const DEPTH: u32 = 8;

/// Nanoseconds until that many bytes are read in order from the slow device and written in order to the fast
/// one, both idle at first, with eight chunks of 1 MiB under way.
pub(super) fn copy_ns(slow: &mut dyn DeviceModel, fast: &mut dyn DeviceModel, bytes: u64) -> Nanos {
    let mut copy = Copy { bytes, read: 0, under_way: 0, now: 0 };
    let mut done: Vec<Completion> = Vec::new();
    copy.start_reads(slow);
    while copy.under_way > 0 {
        let next = [&*slow, &*fast].into_iter().filter_map(DeviceModel::next_completion).min();
        let Some(next) = next else { break };
        copy.now = copy.now.max(next);
        fast.advance(copy.now, &mut done);
        copy.under_way -= done.drain(..).count() as u32;
        slow.advance(copy.now, &mut done);
        for completion in done.drain(..) {
            let offset = u64::from(completion.slot) * CHUNK_BYTES;
            fast.arrive(&Request::write(completion.slot, offset, completion.result as u32), copy.now);
        }
        copy.start_reads(slow);
    }
    copy.now
}

struct Copy {
    bytes: u64,
    read: u64,
    /// Chunks that are being read or written.
    under_way: u32,
    now: Nanos,
}

impl Copy {
    fn start_reads(&mut self, slow: &mut dyn DeviceModel) {
        while self.under_way < DEPTH && self.read < self.bytes {
            let len = CHUNK_BYTES.min(self.bytes - self.read);
            // Chunks have the numbers of their places: unique, and enough for 4 PiB.
            let slot = (self.read / CHUNK_BYTES) as u32;
            slow.arrive(&Request::read(slot, self.read, len as u32), self.now);
            self.read += len;
            self.under_way += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use leadline_sim::DeviceSpec;

    use super::*;

    fn device(us_per_kib: f64, servers: u32) -> Box<dyn DeviceModel> {
        let server = format!("{{ service_us = 0.0, per_kib_us = {us_per_kib:?}, servers = {servers} }}");
        let text = format!("kind = \"parametric\"\ncapacity = \"1G\"\nread = {server}\nwrite = {server}\n");
        DeviceSpec::parse(&text, "test").unwrap().model()
    }

    #[test]
    fn a_copy_takes_as_long_as_the_slower_side() {
        // 1 MiB in 1.024 ms by one server: 64 MiB read in 65.5 ms, the last of it written in 1/10 of that.
        let ns = copy_ns(&mut *device(1.0, 1), &mut *device(0.1, 1), 64 << 20);
        assert_eq!(ns, 64 * 1_024_000 + 102_400);
        // With four servers for reads, four at a time.
        let ns = copy_ns(&mut *device(1.0, 4), &mut *device(0.01, 1), 64 << 20);
        assert_eq!(ns, 16 * 1_024_000 + 4 * 10_240);
        assert_eq!(copy_ns(&mut *device(1.0, 1), &mut *device(1.0, 1), 0), 0);
        // The last chunk may be shorter.
        let ns = copy_ns(&mut *device(1.0, 1), &mut *device(1.0, 1), (1 << 20) + 4096);
        assert_eq!(ns, 1_024_000 + 1_024_000 + 4000);
    }
}
