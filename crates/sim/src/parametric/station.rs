//! The servers of one operation, and which of them takes a request.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use leadline_device::Nanos;

use super::spec::{BLOCK_BYTES, Placement, ServerSpec};
use crate::scramble::scramble;

/// One operation's servers: when each is free again.
enum Servers {
    AnyFree(BinaryHeap<Reverse<Nanos>>),
    Hashed(Vec<Nanos>),
}

/// The servers of reads, or those of writes.
pub(super) struct Station {
    fixed_ns: f64,
    ns_per_byte: f64,
    servers: Servers,
}

impl Station {
    pub(super) fn new(spec: &ServerSpec, placement: Placement) -> Self {
        let n = spec.servers as usize;
        Station {
            fixed_ns: spec.service_us * 1e3,
            ns_per_byte: spec.per_kib_us * 1e3 / 1024.0,
            servers: match placement {
                Placement::AnyFree => Servers::AnyFree(vec![Reverse(0); n].into()),
                Placement::Hashed => Servers::Hashed(vec![0; n]),
            },
        }
    }

    /// Nanoseconds that a request of `len` bytes takes on a server, before jitter and noise.
    #[inline]
    pub(super) fn service_ns(&self, len: u32) -> f64 {
        self.fixed_ns + self.ns_per_byte * f64::from(len)
    }

    /// When a request that arrives at `arrival` and takes `time` is done.
    #[inline]
    pub(super) fn serve(&mut self, arrival: Nanos, time: Nanos, offset: u64) -> Nanos {
        match &mut self.servers {
            Servers::AnyFree(heap) => {
                let mut first = heap.peek_mut().expect("at least one server");
                let done = arrival.max(first.0).saturating_add(time);
                *first = Reverse(done);
                done
            }
            Servers::Hashed(free) => {
                let server = scramble(offset / u64::from(BLOCK_BYTES)) % free.len() as u64;
                let free = &mut free[server as usize];
                *free = arrival.max(*free).saturating_add(time);
                *free
            }
        }
    }
}
