//! Faults over every backend, and over virtual time.

use leadline_device::{
    Clock, Completion, Device, DeviceError, Fault, Faulty, Geometry, IoEngine, NEVER, Nanos, QueuePair,
    QueueShape, Request, RequestError, clock,
};

use crate::{BLOCK, CAPACITY, ENGINES, MS, device, pair, reason};

/// The simplest device in virtual time: each request takes a microsecond after the one before.
struct Virtual;

struct VirtualPair {
    shape: QueueShape,
    now: Nanos,
    queue: std::collections::VecDeque<(u32, Nanos)>,
}

impl Device for Virtual {
    fn geometry(&self) -> Geometry {
        Geometry { capacity_bytes: CAPACITY, block_bytes: BLOCK, writable: true }
    }

    fn clock(&self) -> Clock {
        Clock::Virtual
    }

    fn queue_pair(&self, shape: QueueShape) -> Result<Box<dyn QueuePair>, DeviceError> {
        Ok(Box::new(VirtualPair { shape, now: 0, queue: Default::default() }))
    }
}

impl QueuePair for VirtualPair {
    fn geometry(&self) -> Geometry {
        Virtual.geometry()
    }

    fn shape(&self) -> QueueShape {
        self.shape
    }

    fn buffer(&mut self, _: u32) -> &mut [u8] {
        &mut []
    }

    fn submit(&mut self, request: Request) -> Result<(), RequestError> {
        let start = self.queue.back().map_or(self.now, |(_, end)| *end);
        self.queue.push_back((request.slot, start + 1000));
        Ok(())
    }

    fn reap(
        &mut self,
        min: u32,
        deadline: Nanos,
        completions: &mut Vec<Completion>,
    ) -> Result<(), DeviceError> {
        if self.queue.is_empty() && deadline != NEVER {
            self.now = self.now.max(deadline);
        }
        let mut missing = min;
        while let Some((slot, at)) = self.queue.front().copied() {
            if at > self.now && (missing == 0 || at > deadline) {
                break;
            }
            (self.now, missing) = (self.now.max(at), missing.saturating_sub(1));
            completions.push(Completion { slot, result: BLOCK as i32, at });
            self.queue.pop_front();
        }
        if missing > 0 && deadline != NEVER && !self.queue.is_empty() {
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

/// Runs `check` on a faulty queue pair over each backend and over virtual time.
fn faulty(faults: &[Fault], depth: u32, check: impl Fn(&mut dyn QueuePair)) {
    let shape = QueueShape::new(depth, BLOCK);
    for engine in ENGINES {
        check(&mut *Faulty::new(device(engine), faults).queue_pair(shape).unwrap());
    }
    check(&mut *Faulty::new(Virtual, faults).queue_pair(shape).unwrap());
}

/// Results of reads done one after the other.
fn reads(pair: &mut dyn QueuePair, count: u32) -> Vec<i32> {
    (0..count).map(|_| perform_to(pair, Request::read(0, 0, BLOCK))).collect()
}

/// As `perform`, by the pair's own clock.
fn perform_to(pair: &mut dyn QueuePair, request: Request) -> i32 {
    let mut done = Vec::new();
    pair.submit(request).unwrap();
    while done.is_empty() {
        pair.reap(1, pair.now() + 10_000 * MS, &mut done).unwrap();
    }
    done[0].result
}

#[test]
fn faults_fail_from_the_nth_request_on_or_once() {
    faulty(&[Fault::FailFrom { nth: 2, errno: libc::EIO }], 1, |pair| {
        assert_eq!(reads(pair, 4), [4096, 4096, -libc::EIO, -libc::EIO]);
    });
    let faults =
        [Fault::FailOnce { nth: 1, errno: libc::ENOSPC }, Fault::FailOnce { nth: 2, errno: libc::ENODEV }];
    faulty(&faults, 2, |pair| {
        assert_eq!(reads(pair, 4), [4096, -libc::ENOSPC, -libc::ENODEV, 4096]);
    });
}

#[test]
fn fault_of_one_slot_is_not_anothers() {
    faulty(&[Fault::FailOnce { nth: 1, errno: libc::EIO }], 3, |pair| {
        let mut done = Vec::new();
        (0..3).for_each(|slot| pair.submit(Request::read(slot, 0, BLOCK)).unwrap());
        while pair.in_flight() > 0 {
            pair.reap(3, pair.now() + 1000 * MS, &mut done).unwrap();
        }
        done.sort_by_key(|done| done.slot);
        assert_eq!(done.iter().map(|done| done.result).collect::<Vec<_>>(), [4096, -libc::EIO, 4096]);
    });
}

#[test]
fn hanging_request_outlasts_every_deadline_and_others_complete() {
    faulty(&[Fault::HangFrom { nth: 1 }], 2, |pair| {
        let (mut done, start) = (Vec::new(), pair.now());
        pair.submit(Request::read(0, 0, BLOCK)).unwrap();
        pair.submit(Request::read(1, 0, BLOCK)).unwrap();
        assert!(reason(pair.submit(Request::read(1, 0, BLOCK))).contains("in flight"));
        pair.reap(2, start + 50 * MS, &mut done).unwrap();
        assert!((50 * MS..5000 * MS).contains(&(pair.now() - start)), "{}", pair.now() - start);
        assert_eq!((done.len(), done[0].slot, pair.in_flight()), (1, 0, 1));
        let start = pair.now();
        pair.reap(1, start + 20 * MS, &mut done).unwrap();
        assert!((20 * MS..5000 * MS).contains(&(pair.now() - start)));
        assert_eq!((done.len(), pair.in_flight()), (1, 1));
        assert!(pair.reap(1, NEVER, &mut done).is_err(), "waiting for ever must not hang the test");
    });
}

#[test]
fn stall_holds_everything_back_for_its_time_and_once() {
    faulty(&[Fault::Stall { nth: 1, nanos: 40 * MS }], 2, |pair| {
        assert_eq!(reads(pair, 1), [4096]);
        let (mut done, start) = (Vec::new(), pair.now());
        pair.submit(Request::read(0, 0, BLOCK)).unwrap();
        pair.reap(1, start + 10 * MS, &mut done).unwrap();
        assert!(done.is_empty() && pair.now() - start >= 10 * MS && pair.in_flight() == 1);
        while pair.in_flight() > 0 {
            pair.reap(1, start + 5000 * MS, &mut done).unwrap();
        }
        assert!((40 * MS..1000 * MS).contains(&(done[0].at - start)), "{}", done[0].at - start);
        assert_eq!(done[0].result, 4096);
        let start = pair.now();
        assert_eq!(reads(pair, 1), [4096]);
        assert!(pair.now() - start < 40 * MS);
    });
}

#[test]
fn faults_are_counted_over_all_queue_pairs() {
    let device = Faulty::new(device(IoEngine::Psync), [Fault::FailOnce { nth: 1, errno: libc::EIO }]);
    let shape = QueueShape::new(1, BLOCK);
    let (mut a, mut b) = (device.queue_pair(shape).unwrap(), device.queue_pair(shape).unwrap());
    assert_eq!((reads(&mut *a, 1), reads(&mut *b, 1), device.submitted()), (vec![4096], vec![-libc::EIO], 2));
}

#[test]
fn clocks_of_files_are_the_walls() {
    let pair = pair(IoEngine::IoUring, 1);
    let (before, at, after) = (clock::now(), pair.now(), clock::now());
    assert!(before <= at && at <= after);
    assert_eq!(device(IoEngine::Psync).clock(), Clock::Wall);
}
