//! A part of a device as a device of its own, which also tells whether this thread has sent a read.
//!
//! The part is what was laid out: page 0 is at its beginning, and nothing read ahead lies beyond it.

use std::cell::Cell;
use std::sync::Arc;

use leadline_device::{
    Clock, Completion, Device, DeviceError, Geometry, Nanos, Op, QueuePair, QueueShape, Request,
    RequestError, Wear,
};

thread_local! {
    static SENT_READ: Cell<bool> = const { Cell::new(false) };
}

/// Whether this thread has sent a read through any window since it asked last: a pool reads a page that it
/// misses on the thread that asked for it.
pub(super) fn sent_read() -> bool {
    SENT_READ.replace(false)
}

/// A part of a device.
pub(super) struct DeviceRange {
    device: Arc<dyn Device>,
    start: u64,
    geometry: Geometry,
}

impl DeviceRange {
    /// `bytes` of a device from byte `start` on, both multiples of its block and within it.
    pub(super) fn new(device: Arc<dyn Device>, start: u64, bytes: u64) -> DeviceRange {
        let geometry = Geometry { capacity_bytes: bytes, ..device.geometry() };
        DeviceRange { device, start, geometry }
    }

    fn pair(&self, inner: Box<dyn QueuePair>) -> Box<dyn QueuePair> {
        let shape = inner.shape();
        Box::new(RangePair { inner, shape, start: self.start, geometry: self.geometry })
    }
}

impl Device for DeviceRange {
    fn geometry(&self) -> Geometry {
        self.geometry
    }

    fn clock(&self) -> Clock {
        self.device.clock()
    }

    fn queue_pair(&self, shape: QueueShape) -> Result<Box<dyn QueuePair>, DeviceError> {
        Ok(self.pair(self.device.queue_pair(shape)?))
    }

    fn shared_queue_pair(&self, shape: QueueShape) -> Result<Box<dyn QueuePair>, DeviceError> {
        Ok(self.pair(self.device.shared_queue_pair(shape)?))
    }

    fn warnings(&self) -> Vec<String> {
        self.device.warnings()
    }
}

struct RangePair {
    inner: Box<dyn QueuePair>,
    shape: QueueShape,
    start: u64,
    geometry: Geometry,
}

impl QueuePair for RangePair {
    fn geometry(&self) -> Geometry {
        self.geometry
    }

    fn shape(&self) -> QueueShape {
        self.shape
    }

    fn buffer(&mut self, slot: u32) -> &mut [u8] {
        self.inner.buffer(slot)
    }

    fn submit(&mut self, request: Request) -> Result<(), RequestError> {
        request.validate(&self.geometry, &self.shape)?;
        let offset = match request.op {
            Op::Flush => request.offset,
            Op::Read | Op::Write | Op::Trim => request.offset + self.start,
        };
        self.inner.submit(Request { offset, ..request })?;
        if request.op == Op::Read {
            SENT_READ.set(true);
        }
        Ok(())
    }

    fn reap(
        &mut self,
        min: u32,
        deadline: Nanos,
        completions: &mut Vec<Completion>,
    ) -> Result<(), DeviceError> {
        self.inner.reap(min, deadline, completions)
    }

    fn now(&self) -> Nanos {
        self.inner.now()
    }

    fn in_flight(&self) -> u32 {
        self.inner.in_flight()
    }

    fn wear(&self) -> Option<Wear> {
        self.inner.wear()
    }
}

#[cfg(test)]
mod tests {
    use leadline_device::{MemoryDevice, NEVER};

    use super::*;

    #[test]
    fn a_window_writes_nothing_outside() {
        let device = MemoryDevice::new(1 << 16, 4096);
        let window = DeviceRange::new(Arc::new(device.clone()), 8192, 8192);
        let mut pair = window.queue_pair(QueueShape::new(1, 4096)).unwrap();
        pair.buffer(0).fill(7);
        pair.submit(Request::write(0, 4096, 4096)).unwrap();
        pair.reap(1, NEVER, &mut Vec::new()).unwrap();
        assert!(pair.submit(Request::write(0, 8192, 4096)).is_err(), "beyond its end");
        let bytes = device.contents(0, 1 << 16);
        assert!(bytes.iter().enumerate().all(|(at, &byte)| byte == if at / 4096 == 3 { 7 } else { 0 }));
    }

    #[test]
    fn a_window_trims_nothing_outside() {
        let device = MemoryDevice::new(1 << 16, 4096);
        let mut whole = device.queue_pair(QueueShape::new(1, 1 << 16)).unwrap();
        whole.buffer(0).fill(7);
        whole.submit(Request::write(0, 0, 1 << 16)).unwrap();
        whole.reap(1, NEVER, &mut Vec::new()).unwrap();
        let window = DeviceRange::new(Arc::new(device.clone()), 8192, 8192);
        let mut pair = window.queue_pair(QueueShape::new(1, 4096)).unwrap();
        assert!(pair.submit(Request::trim(0, 4096, 8192)).is_err(), "beyond its end");
        pair.submit(Request::trim(0, 0, 8192)).unwrap();
        pair.reap(1, NEVER, &mut Vec::new()).unwrap();
        let bytes = device.contents(0, 1 << 16);
        let trimmed = 8192..16384;
        assert!(
            bytes.iter().enumerate().all(|(at, &byte)| byte == if trimmed.contains(&at) { 0 } else { 7 })
        );
    }

    #[test]
    fn reads_are_told_to_the_thread_that_sent_them() {
        let window = DeviceRange::new(Arc::new(MemoryDevice::new(1 << 16, 4096)), 0, 1 << 16);
        let mut pair = window.queue_pair(QueueShape::new(2, 4096)).unwrap();
        assert!(!sent_read());
        pair.submit(Request::write(0, 0, 4096)).unwrap();
        assert!(!sent_read());
        pair.submit(Request::read(1, 0, 4096)).unwrap();
        assert!(!std::thread::spawn(sent_read).join().unwrap());
        assert!(sent_read() && !sent_read());
    }
}
