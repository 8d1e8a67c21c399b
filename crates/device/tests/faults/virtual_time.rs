//! Faults of a device in virtual time.

use std::collections::VecDeque;

use leadline_device::{
    Clock, Completion, Device, DeviceError, Fault, Faulty, Geometry, NEVER, Nanos, QueuePair, QueueShape,
    Request, RequestError,
};

use crate::{CAPACITY, MS, PAGE, pair, perform};

/// A device in virtual time, without data, on which every request takes a millisecond and none waits for
/// another.
struct Virtual;

struct VirtualPair {
    now: Nanos,
    queue: VecDeque<(Request, Nanos)>,
}

impl Device for Virtual {
    fn geometry(&self) -> Geometry {
        Geometry { capacity_bytes: CAPACITY, block_bytes: 512, writable: true }
    }

    fn clock(&self) -> Clock {
        Clock::Virtual
    }

    fn queue_pair(&self, _: QueueShape) -> Result<Box<dyn QueuePair>, DeviceError> {
        Ok(Box::new(VirtualPair { now: 0, queue: VecDeque::new() }))
    }
}

impl QueuePair for VirtualPair {
    fn geometry(&self) -> Geometry {
        Virtual.geometry()
    }

    fn shape(&self) -> QueueShape {
        QueueShape::new(8, PAGE)
    }

    fn buffer(&mut self, _: u32) -> &mut [u8] {
        &mut []
    }

    fn submit(&mut self, request: Request) -> Result<(), RequestError> {
        self.queue.push_back((request, self.now + MS));
        Ok(())
    }

    fn reap(&mut self, min: u32, deadline: Nanos, done: &mut Vec<Completion>) -> Result<(), DeviceError> {
        let before = done.len();
        while let Some((request, at)) = self.queue.front().copied() {
            let wanted = done.len() - before < min as usize && at <= deadline;
            if at > self.now && !wanted {
                break;
            }
            self.now = self.now.max(at);
            done.push(Completion { slot: request.slot, result: request.len as i32, at });
            self.queue.pop_front();
        }
        if done.len() - before < min as usize || self.queue.is_empty() && min == 0 && deadline != NEVER {
            self.now = self.now.max(deadline);
        }
        Ok(())
    }

    fn now(&self) -> Nanos {
        self.now
    }

    fn in_flight(&self) -> u32 {
        self.queue.len() as u32
    }
}

/// Slots and times, in milliseconds, of eight reads submitted at once and awaited together.
fn virtual_reads(faults: &[Fault]) -> Vec<(u32, Nanos)> {
    let device = Faulty::new(Virtual, faults);
    let (mut pair, mut done) = (pair(&device, 8), Vec::new());
    (0..8).for_each(|slot| pair.submit(Request::read(slot, 0, 4096)).unwrap());
    pair.reap(8, NEVER, &mut done).unwrap();
    assert_eq!(pair.in_flight(), 0);
    done.iter().map(|done| (done.slot, done.at / MS)).collect()
}

#[test]
fn delay_and_stall_are_exact_in_virtual_time() {
    let late = virtual_reads(&[Fault::delay(10 * MS).nth(2), Fault::delay(5 * MS).nth(6)]);
    assert_eq!(late, [(0, 1), (1, 1), (3, 1), (4, 1), (5, 1), (7, 1), (6, 6), (2, 11)]);
    assert!(virtual_reads(&[Fault::stall(7 * MS).nth(3)]).into_iter().eq((0..8).map(|slot| (slot, 7))));
}

#[test]
fn data_faults_leave_a_device_without_data_alone() {
    let damage =
        [Fault::torn(512), Fault::stale(), Fault::bit_flip(), Fault::misdirected(), Fault::lying_flush()];
    assert!(virtual_reads(&damage).into_iter().eq((0..8).map(|slot| (slot, 1))));
    let device = Faulty::new(Virtual, [Fault::short(), Fault::bit_flip(), Fault::torn(512), Fault::stale()]);
    let mut pair = pair(&device, 8);
    for request in [Request::read(0, 0, 4096), Request::write(0, 0, 4096)] {
        let result = perform(&mut *pair, request);
        assert!((512..4096).contains(&result) && result % 512 == 0, "{result}");
    }
}

#[test]
fn order_and_hangs_in_virtual_time() {
    let mut slots: Vec<u32> = virtual_reads(&[Fault::reorder()]).iter().map(|(slot, _)| *slot).collect();
    assert!(!slots.is_sorted());
    slots.sort_unstable();
    assert!(slots.into_iter().eq(0..8));
    let device = Faulty::new(Virtual, [Fault::hang().nth(0)]);
    let mut pair = pair(&device, 8);
    (0..2).for_each(|slot| pair.submit(Request::read(slot, 0, 4096)).unwrap());
    let mut done = Vec::new();
    pair.reap(2, 20 * MS, &mut done).unwrap();
    assert_eq!((done.len(), done[0].at, pair.now(), pair.in_flight()), (1, MS, 20 * MS, 1));
}
