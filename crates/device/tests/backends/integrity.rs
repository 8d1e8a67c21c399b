//! Random sessions: a device is a `Vec<u8>`, whoever moves the bytes.

use std::fs::File;
use std::os::unix::fs::FileExt;

use leadline_device::clock::now;
use leadline_device::{
    Completion, Device, FileDevice, IoEngine, NEVER, Nanos, Op, Payload, QueuePair, QueueShape, Request,
};
use proptest::prelude::*;

use crate::{BLOCK, CAPACITY, can_trim, options, scratch};

/// A step of a random session.
#[derive(Debug, Clone)]
struct Step {
    op: Op,
    durable: bool,
    block: u64,
    blocks: u32,
    reap: u32,
}

fn step() -> impl Strategy<Value = Step> {
    let op = prop_oneof![
        10 => Just(Op::Read), 10 => Just(Op::Write), 2 => Just(Op::Flush), 3 => Just(Op::Trim)
    ];
    (op, prop::bool::weighted(0.1), 0..CAPACITY / u64::from(BLOCK) - 4, 1u32..=4, 0u32..3)
        .prop_map(|(op, durable, block, blocks, reap)| Step { op, durable, block, blocks, reap })
}

/// A session against the model; requests that overlap one in flight wait for it, as their order is open.
struct Session {
    pair: Box<dyn QueuePair>,
    model: Vec<u8>,
    flying: Vec<Option<Request>>,
    results: Vec<(Op, u64, i32)>,
}

impl Session {
    fn run(device: &FileDevice, depth: u32, steps: &[Step]) -> (Vec<u8>, Vec<(Op, u64, i32)>) {
        let shape = QueueShape::new(depth, 2 * BLOCK).slots(depth + 3).large(depth + 1, 4 * BLOCK);
        let mut session = Session {
            pair: device.queue_pair(shape).unwrap(),
            model: vec![0; CAPACITY as usize],
            flying: vec![None; shape.all_slots() as usize],
            results: Vec::new(),
        };
        let mut payload = Payload::new(u64::from(depth));
        steps.iter().for_each(|step| session.step(step, &mut payload));
        session.reap(NEVER, u32::MAX);
        assert_eq!(session.pair.in_flight(), 0);
        session.results.sort_by_key(|(op, offset, result)| (*op as u8, *offset, *result));
        (session.model, session.results)
    }

    fn step(&mut self, step: &Step, payload: &mut Payload) {
        let (offset, len) = (step.block * u64::from(BLOCK), step.blocks * BLOCK);
        let end = offset + u64::from(len);
        let overlaps =
            |flying: &Request| flying.offset < end && offset < flying.offset + u64::from(flying.len);
        let blocked = self.flying.iter().flatten().any(overlaps);
        if blocked || self.pair.in_flight() == self.pair.shape().depth {
            self.reap(NEVER, u32::MAX);
        }
        // Any free slot that is large enough, not always the first.
        let (slots, shape) = (self.flying.len() as u32, self.pair.shape());
        let fits = |slot: &u32| self.flying[*slot as usize].is_none() && len <= shape.bytes_of(*slot);
        let slot = (0..slots).map(|i| (i + step.block as u32) % slots).find(fits).unwrap();
        let mut request = Request { op: step.op, durable: step.durable, slot, len, offset };
        match step.op {
            Op::Flush => (request.offset, request.len) = (0, 0),
            Op::Read => self.pair.buffer(slot).fill(0xEE),
            Op::Write => {
                let buffer = &mut self.pair.buffer(slot)[..len as usize];
                payload.fill(buffer);
                self.model[offset as usize..end as usize].copy_from_slice(buffer);
            }
            Op::Trim => self.model[offset as usize..end as usize].fill(0),
        }
        self.pair.submit(request).unwrap();
        self.flying[slot as usize] = Some(request);
        self.reap(0, step.reap);
    }

    fn reap(&mut self, deadline: Nanos, min: u32) {
        let mut done = Vec::new();
        self.pair.reap(min, deadline, &mut done).unwrap();
        for Completion { slot, result, at } in done {
            let request = self.flying[slot as usize].take().expect("it was in flight");
            assert!(at <= now());
            assert_eq!(result, request.len as i32, "{request:?}");
            self.results.push((request.op, request.offset, result));
            if request.op == Op::Read {
                let range = request.offset as usize..request.offset as usize + request.len as usize;
                let buffer = &self.pair.buffer(slot)[..request.len as usize];
                assert!(*buffer == self.model[range], "{request:?} read other bytes than were written");
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, max_shrink_iters: 200, ..ProptestConfig::default() })]

    #[test]
    fn every_backend_is_a_vec_of_bytes(steps in prop::collection::vec(step(), 1..60), depth in 1u32..10) {
        let mut steps = steps;
        if !can_trim() {
            steps.retain(|step| step.op != Op::Trim);
        }
        let mut outcomes = Vec::new();
        for (engine, sqpoll) in [(IoEngine::IoUring, false), (IoEngine::IoUring, true), (IoEngine::Psync, false)] {
            let file = scratch();
            let options = options(engine, &file).sqpoll(sqpoll);
            let device = FileDevice::new(file, CAPACITY, options).unwrap();
            let (model, results) = Session::run(&device, depth, &steps);
            let mut bytes = vec![0; CAPACITY as usize];
            let plain = File::open(format!("/proc/self/fd/{}", std::os::fd::AsRawFd::as_raw_fd(&**device.file())));
            plain.unwrap().read_exact_at(&mut bytes, 0).unwrap();
            prop_assert!(bytes == model, "{engine:?} left other bytes in the file than the model has");
            outcomes.push(results);
        }
        prop_assert_eq!(&outcomes[0], &outcomes[1]);
        prop_assert_eq!(&outcomes[0], &outcomes[2]);
    }
}
