//! Between the program and the controller: software, limits, the link.

use leadline_device::Nanos;

use super::spec::FlashSpec;
use crate::cap::Limits;
use crate::nearest::nearest;

/// The way of requests in and of their answers out, each part with the time at which it is free again.
pub(super) struct Host {
    request_ns: Nanos,
    /// Of software more for a write.
    write_ns: Nanos,
    /// Picoseconds of software per KiB.
    copy_ps_per_kib: u64,
    controller_ns: Nanos,
    /// Picoseconds per byte; 0 for no limit.
    link_ps_per_byte: u64,
    duplex: bool,
    software: Vec<Nanos>,
    limits: Option<Limits>,
    link_in: Nanos,
    link_out: Nanos,
}

impl Host {
    pub(super) fn new(spec: &FlashSpec) -> Self {
        let link = &spec.link;
        Host {
            request_ns: nearest(link.request_us * 1e3),
            write_ns: nearest(link.write_us * 1e3),
            copy_ps_per_kib: nearest(link.per_kib_us * 1e6),
            controller_ns: nearest(spec.timing.controller_us * 1e3),
            link_ps_per_byte: if link.mb_per_s > 0.0 { nearest(1e6 / link.mb_per_s) } else { 0 },
            duplex: link.duplex,
            software: vec![0; link.queues as usize],
            limits: spec.cap.as_ref().map(Limits::new),
            link_in: 0,
            link_out: 0,
        }
    }

    /// When a request that arrives at `at` has been taken up by the controller: software, limits, the data of
    /// a write over the link.
    pub(super) fn enter(&mut self, slot: u32, at: Nanos, len: u32, data_in: u32) -> Nanos {
        let queue = slot as usize % self.software.len();
        let begins = at.max(self.software[queue]);
        let copy_ns = u64::from(len) * self.copy_ps_per_kib / 1_024_000;
        let write_ns = if data_in > 0 { self.write_ns } else { 0 };
        let mut now = begins + self.request_ns + write_ns + copy_ns;
        self.software[queue] = now;
        if let Some(limits) = self.limits.as_mut().filter(|_| len > 0) {
            now = limits.admit(len, now);
        }
        if data_in > 0 && self.link_ps_per_byte > 0 {
            let free = if self.duplex { self.link_in } else { self.link_in.max(self.link_out) };
            now = now.max(free) + self.transfer(data_in);
            self.link_in = now;
        }
        now + self.controller_ns
    }

    /// When `bytes` that are in the controller at `at` are with the host.
    pub(super) fn leave(&mut self, at: Nanos, bytes: u32) -> Nanos {
        if self.link_ps_per_byte == 0 {
            return at;
        }
        let free = if self.duplex { self.link_out } else { self.link_in.max(self.link_out) };
        self.link_out = at.max(free) + self.transfer(bytes);
        self.link_out
    }

    fn transfer(&self, bytes: u32) -> Nanos {
        (u64::from(bytes) * self.link_ps_per_byte).div_ceil(1000)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn software_takes_its_time_for_each_request_and_for_each_kib_one_after_the_other() {
        let spec = FlashSpec::parse(
            "kind = \"flash\"\ncapacity = \"64M\"\nover_provisioning = 0.5\n\
             geometry = { channels = 1, dies_per_channel = 1, pages_per_block = 16, page_bytes = \"4K\" }\n\
             timing = { read_us = 50, program_us = 100, erase_us = 1000, bus_mb_per_s = 100 }\n\
             link = { request_us = 5, per_kib_us = 0.5 }\n",
            "test",
        )
        .unwrap();
        let mut host = Host::new(&spec);
        let us = 1000;
        assert_eq!(host.enter(0, 0, 4096, 0), 7 * us, "a read of 4K: 5 and 2 us");
        assert_eq!(host.enter(1, 0, 65536, 65536), 44 * us, "then a write of 64K: 5 and 32 us");
        assert_eq!(host.enter(2, 0, 0, 0), 49 * us, "then a flush: 5 us");
    }
}
