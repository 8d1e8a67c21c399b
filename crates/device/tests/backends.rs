//! Every backend against the same model: a device is a `Vec<u8>`, whoever moves the bytes.

use std::fs::{File, OpenOptions};
use std::os::fd::OwnedFd;
use std::os::unix::fs::FileExt;

use leadline_device::clock::{self, now};
use leadline_device::{
    Clock, Completion, Device, DeviceError, Fault, Faulty, FileDevice, FileOptions, Geometry, IoEngine,
    NEVER, Nanos, Op, Payload, QueuePair, QueueShape, Request, RequestError, direct_alignment,
};
use proptest::prelude::*;

const BLOCK: u32 = 4096;
const CAPACITY: u64 = 1 << 20;
/// The last block that 64 bits can address.
const LAST: u64 = !4095;
const MS: Nanos = 1_000_000;
const ENGINES: [IoEngine; 2] = [IoEngine::IoUring, IoEngine::Psync];

/// An unnamed file of zeros, where the build's other scratch files are.
fn scratch() -> File {
    let file = tempfile::tempfile_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    file.set_len(CAPACITY).unwrap();
    file
}

/// O_DIRECT where the file system takes it.
fn options(engine: IoEngine, file: &File) -> FileOptions {
    let mut options = FileOptions::new(engine, BLOCK);
    options.direct = direct_alignment(file).is_ok_and(|alignment| alignment <= BLOCK);
    options
}

fn device(engine: IoEngine) -> FileDevice {
    let file = scratch();
    let options = options(engine, &file);
    FileDevice::new(file, CAPACITY, options).unwrap()
}

fn pair(engine: IoEngine, depth: u32) -> Box<dyn QueuePair> {
    device(engine).queue_pair(QueueShape::new(depth, 4 * BLOCK)).unwrap()
}

/// Reaps until nothing is in flight.
fn drain(pair: &mut dyn QueuePair) -> Vec<Completion> {
    let mut done = Vec::new();
    while pair.in_flight() > 0 {
        pair.reap(1, now() + 10_000 * MS, &mut done).unwrap();
    }
    done
}

/// Does one request alone and gives its result.
fn perform(pair: &mut dyn QueuePair, request: Request) -> i32 {
    pair.submit(request).unwrap();
    let done = drain(pair);
    assert_eq!((done.len(), done[0].slot), (1, request.slot));
    done[0].result
}

/// A read end on which nothing ever arrives, as a device: its reads hang (io_uring alone takes a pipe).
fn hanging() -> (FileDevice, std::io::PipeWriter) {
    let (reader, writer) = std::io::pipe().unwrap();
    let mut options = FileOptions::new(IoEngine::IoUring, BLOCK);
    (options.direct, options.writable) = (false, false);
    (FileDevice::new(OwnedFd::from(reader).into(), CAPACITY, options).unwrap(), writer)
}

/// Whether the scratch files' system can take blocks out of a file; says so where it cannot.
fn can_trim() -> bool {
    let mut pair = pair(IoEngine::Psync, 1);
    let can = perform(&mut *pair, Request::trim(0, 0, BLOCK)) != -libc::EOPNOTSUPP;
    if !can {
        eprintln!("SKIPPED trims: the file system of {} cannot punch holes", env!("CARGO_TARGET_TMPDIR"));
    }
    can
}

// ----------------------------------------------------------------------------------------------------
// integrity

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

// ----------------------------------------------------------------------------------------------------
// validator

/// Values round the places where arithmetic goes wrong.
fn edges() -> impl Strategy<Value = u64> {
    let near = prop::sample::select(vec![0, 512, 4096, 1 << 20, 1 << 31, 1 << 32, 1 << 63, u64::MAX - 8191]);
    let step = prop::sample::select(vec![0u64, 1, 511, 512, 4095, 4096, 8191]);
    prop_oneof![
        (near, step, any::<bool>()).prop_map(|(near, step, up)| {
            if up { near.wrapping_add(step) } else { near.wrapping_sub(step) }
        }),
        any::<u64>(),
        (0u64..64).prop_map(|n| n * 4096)
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(20_000))]

    #[test]
    fn validator_accepts_what_the_model_accepts(
        op in prop::sample::select(vec![Op::Read, Op::Write, Op::Flush, Op::Trim]),
        durable: bool, slot in 0u32..10, slots in 1u32..10, len in edges(), offset in edges(),
        large_slots in 0u32..4, buffer_bytes in edges(), large_bytes in edges(), capacity_bytes in edges(),
        block_shift in 9u32..=16, writable: bool,
    ) {
        let (len, buffer_bytes, large_bytes) = (len as u32, buffer_bytes as u32, large_bytes as u32);
        let geometry = Geometry { capacity_bytes, block_bytes: 1 << block_shift, writable };
        let shape = QueueShape::new(1, buffer_bytes).slots(slots).large(large_slots, large_bytes);
        let buffer_bytes = if slot < slots { buffer_bytes } else { large_bytes };
        let request = Request { op, durable, slot, len, offset };
        let block = 1u128 << block_shift;
        let fits = len > 0
            && u128::from(len) % block == 0
            && u128::from(offset) % block == 0
            && len <= if op == Op::Trim { i32::MAX as u32 } else { buffer_bytes }
            && u128::from(offset) + u128::from(len) <= u128::from(capacity_bytes)
            && (op == Op::Read || writable);
        let accepted = slot < slots + large_slots && (op == Op::Flush || fits);
        let answer = request.validate(&geometry, &shape);
        prop_assert_eq!(answer.is_ok(), accepted, "{:?} {:?} {:?}", request, geometry, answer);
        if let Err(error) = answer {
            prop_assert_eq!(error.request, request);
            prop_assert!(op == Op::Flush || error.to_string().contains(&offset.to_string()));
        }
    }
}

#[test]
fn trims_may_be_longer_than_buffers_but_not_than_what_a_completion_can_say() {
    let shape = QueueShape::new(1, BLOCK);
    let geometry = Geometry { capacity_bytes: 1 << 40, block_bytes: BLOCK, writable: true };
    let longest = i32::MAX as u32 / BLOCK * BLOCK;
    assert!(Request::trim(0, 4096, longest).validate(&geometry, &shape).is_ok());
    let refused = |request: Request, geometry| request.validate(geometry, &shape).unwrap_err().to_string();
    let error = refused(Request::trim(0, 4096, longest + BLOCK), &geometry);
    let named = "trim of 2147483648 bytes at offset 4096 (slot 0) refused: it is longer than a trim may be";
    assert!(error.starts_with(named), "{error}");
    assert!(refused(Request::trim(0, 1 << 40, BLOCK), &geometry).contains("beyond the device"));
    assert!(refused(Request::trim(0, (1 << 40) - 4096, 2 * BLOCK), &geometry).contains("beyond the device"));
    assert!(refused(Request::trim(0, 0, 512), &geometry).contains("not a multiple"));
    assert!(refused(Request::trim(1, 0, BLOCK), &geometry).contains("slot does not exist"));
    let read_only = Geometry { writable: false, ..geometry };
    assert!(refused(Request::trim(0, 0, BLOCK), &read_only).contains("reading only"));
}

#[test]
fn validator_takes_the_last_block_and_no_byte_more() {
    let geometry = Geometry { capacity_bytes: LAST, block_bytes: BLOCK, writable: true };
    let shape = QueueShape::new(1, 2 * BLOCK);
    let last = geometry.capacity_bytes - 4096;
    assert!(Request::read(0, last, BLOCK).validate(&geometry, &shape).is_ok());
    assert!(Request::read(0, last, 2 * BLOCK).validate(&geometry, &shape).is_err());
    assert!(Request::read(0, LAST, BLOCK).validate(&geometry, &shape).is_err());
}

// --------------------------------------------------------------------------------------------- the pair's
// rules

fn reason(refused: Result<(), RequestError>) -> &'static str {
    refused.expect_err("it must be refused").reason
}

#[test]
fn depth_and_slots_are_respected_and_a_refusal_queues_nothing() {
    for engine in ENGINES {
        for depth in [1, 2, 5, 32] {
            let shape = QueueShape::new(depth, BLOCK).slots(depth + 1);
            let mut pair = device(engine).queue_pair(shape).unwrap();
            assert_eq!((pair.shape(), pair.geometry().block_bytes), (shape, BLOCK));
            for round in 0..5u32 {
                for slot in 0..depth {
                    pair.submit(Request::read(slot, u64::from(slot + round) * 4096, BLOCK)).unwrap();
                }
                assert!(reason(pair.submit(Request::read(0, 0, BLOCK))).contains("slot is in flight"));
                assert!(reason(pair.submit(Request::read(depth, 0, BLOCK))).contains("full"));
                assert!(reason(pair.submit(Request::flush(depth + 1))).contains("does not exist"));
                assert_eq!(pair.in_flight(), depth);
                let mut slots: Vec<u32> = drain(&mut *pair).iter().map(|done| done.slot).collect();
                slots.sort_unstable();
                assert_eq!(slots, (0..depth).collect::<Vec<_>>());
            }
        }
    }
}

#[test]
fn buffer_in_flight_is_the_kernels() {
    for engine in ENGINES {
        for depth in [1, 2] {
            let mut pair = pair(engine, depth);
            pair.submit(Request::read(0, 0, BLOCK)).unwrap();
            let touched = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| pair.buffer(0).len()));
            assert!(touched.is_err(), "{engine:?} handed out a buffer in flight");
            drain(&mut *pair);
            assert_eq!(pair.buffer(0).len(), 4 * BLOCK as usize);
        }
    }
}

#[test]
fn one_reap_waits_for_as_many_as_asked() {
    for engine in ENGINES {
        let mut pair = pair(engine, 8);
        (0..8).for_each(|slot| pair.submit(Request::read(slot, 0, BLOCK)).unwrap());
        let mut done = Vec::new();
        pair.reap(8, NEVER, &mut done).unwrap();
        assert_eq!((done.len(), pair.in_flight()), (8, 0));
        // More than are in flight can never come, and are not waited for.
        pair.submit(Request::read(0, 0, BLOCK)).unwrap();
        pair.reap(8, NEVER, &mut done).unwrap();
        assert_eq!(done.len(), 9);
    }
}

#[test]
fn polling_alone_completes_requests_in_the_end() {
    for engine in ENGINES {
        let mut pair = pair(engine, 4);
        // Writes, since a hole is read without waiting for any device.
        (0..4).for_each(|slot| pair.submit(Request::write(slot, u64::from(slot) * 4096, BLOCK)).unwrap());
        let (mut done, start) = (Vec::new(), now());
        while done.len() < 4 && now() - start < 5000 * MS {
            pair.reap(0, 0, &mut done).unwrap();
        }
        assert_eq!(done.len(), 4, "{engine:?}");
    }
}

#[test]
fn deadline_alone_is_waited_for_with_nothing_in_flight() {
    for engine in ENGINES {
        for depth in [1, 4] {
            let mut pair = pair(engine, depth);
            let (mut done, start) = (Vec::new(), pair.now());
            pair.reap(1, start + 30 * MS, &mut done).unwrap();
            assert!((30 * MS..1000 * MS).contains(&(pair.now() - start)));
            let start = pair.now();
            pair.reap(0, 0, &mut done).unwrap();
            pair.reap(1, NEVER, &mut done).unwrap();
            assert!(pair.now() - start < 1000 * MS && done.is_empty());
        }
    }
}

#[test]
fn deadline_ends_the_wait_for_a_request_that_hangs() {
    let (device, writer) = hanging();
    let mut pair = device.queue_pair(QueueShape::new(2, BLOCK)).unwrap();
    pair.submit(Request::read(1, 0, BLOCK)).unwrap();
    let (mut done, start) = (Vec::new(), pair.now());
    pair.reap(1, start + 50 * MS, &mut done).unwrap();
    assert!((50 * MS..1000 * MS).contains(&(pair.now() - start)), "{} ns", pair.now() - start);
    assert!(done.is_empty() && pair.in_flight() == 1);
    std::io::Write::write_all(&mut &writer, b"at last").unwrap();
    pair.reap(1, now() + 5000 * MS, &mut done).unwrap();
    assert_eq!((done[0].slot, done[0].result), (1, 7));
    assert_eq!(&pair.buffer(1)[..7], b"at last");
}

#[test]
fn dropping_with_a_hanging_request_takes_a_second_and_leaves_its_buffer_to_the_kernel() {
    let (device, writer) = hanging();
    let mut pair = device.queue_pair(QueueShape::new(1, BLOCK)).unwrap();
    let address = pair.buffer(0).as_ptr() as usize;
    pair.submit(Request::read(0, 0, BLOCK)).unwrap();
    pair.reap(0, 0, &mut Vec::new()).unwrap();
    let start = now();
    drop(pair);
    assert!(is_mapped(address), "the buffer was released under the kernel's hands");
    assert!((900 * MS..3000 * MS).contains(&(now() - start)));
    // The kernel now writes to a buffer that nobody reads; it must still be there.
    std::io::Write::write_all(&mut &writer, &[7; 4096]).unwrap();
    let fresh: Vec<Vec<u8>> = (0..64).map(|_| vec![1; 4096]).collect();
    assert!(fresh.iter().flatten().all(|byte| *byte == 1));
}

/// Whether this process has memory at an address.
fn is_mapped(address: usize) -> bool {
    let holds = |line: &str| {
        let (from, to) = line.split_once(' ')?.0.split_once('-')?;
        let number = |hex| usize::from_str_radix(hex, 16).ok();
        Some((number(from)?..number(to)?).contains(&address))
    };
    std::fs::read_to_string("/proc/self/maps").unwrap().lines().any(|line| holds(line) == Some(true))
}

#[test]
fn dropping_with_requests_never_sent_or_in_flight_is_quick() {
    for engine in ENGINES {
        for sent in [false, true] {
            let mut pair = pair(engine, 16);
            (0..16).for_each(|slot| pair.submit(Request::read(slot, 0, BLOCK)).unwrap());
            if sent {
                pair.reap(1, NEVER, &mut Vec::new()).unwrap();
            }
            let start = now();
            drop(pair);
            assert!(now() - start < 900 * MS);
        }
    }
}

#[test]
fn signal_ends_a_wait_early() {
    extern "C" fn ignore(_: libc::c_int) {}
    // SAFETY: the handler does nothing, and no other test uses this signal.
    unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        action.sa_sigaction = ignore as *const () as usize;
        assert_eq!(libc::sigaction(libc::SIGUSR2, &action, std::ptr::null_mut()), 0);
    }
    // SAFETY: asks for this thread's own name.
    let this = unsafe { libc::pthread_self() } as u64;
    let (hanging, _writer) = hanging();
    // The same call sends and waits, or it waits alone, or nothing is in flight.
    for (in_flight, sent) in [(true, false), (true, true), (false, false)] {
        let mut pair = hanging.queue_pair(QueueShape::new(1, BLOCK)).unwrap();
        if in_flight {
            pair.submit(Request::read(0, 0, BLOCK)).unwrap();
        }
        if sent {
            pair.reap(0, 0, &mut Vec::new()).unwrap();
        }
        let signaller = std::thread::spawn(move || {
            clock_sleep(100 * MS);
            // SAFETY: the thread waits to join us, so it is alive.
            unsafe { libc::pthread_kill(this as libc::pthread_t, libc::SIGUSR2) };
        });
        let start = now();
        pair.reap(1, start + 20_000 * MS, &mut Vec::new()).unwrap();
        assert!(now() - start < 10_000 * MS, "the signal did not end the wait");
        signaller.join().unwrap();
    }
}

fn clock_sleep(nanos: Nanos) {
    std::thread::sleep(std::time::Duration::from_nanos(nanos));
}

#[test]
fn pair_may_be_made_on_one_thread_and_used_on_another() {
    for engine in ENGINES {
        let mut pair = pair(engine, 4);
        let mut pair = std::thread::spawn(move || {
            assert_eq!(perform(&mut *pair, Request::read(0, 0, BLOCK)), BLOCK as i32);
            pair
        })
        .join()
        .unwrap();
        // From here on io_uring belongs to that thread; that must be an answer, not a hang or worse.
        pair.submit(Request::read(0, 0, BLOCK)).unwrap();
        match pair.reap(1, now() + 1000 * MS, &mut Vec::new()) {
            Ok(()) => assert_eq!(pair.in_flight(), 0),
            Err(error) => assert!(error.to_string().contains("thread"), "{error}"),
        }
    }
}

/// The kernel's submission thread posts a completion before it gives the entry back: room must be waited for.
#[test]
fn sqpoll_has_room_for_the_request_after_a_completion() {
    let file = scratch();
    let options = options(IoEngine::IoUring, &file).sqpoll(true);
    let device = FileDevice::new(file, CAPACITY, options).unwrap();
    for depth in [1, 2, 4] {
        let mut pair = device.queue_pair(QueueShape::new(depth, BLOCK)).unwrap();
        let (mut done, mut completed) = (Vec::new(), 0);
        (0..depth).for_each(|slot| pair.submit(Request::read(slot, 0, BLOCK)).unwrap());
        while completed < 20_000 {
            // Polled, so that a completion is answered at once.
            pair.reap(0, 0, &mut done).unwrap();
            for Completion { slot, result, .. } in done.drain(..) {
                assert_eq!(result, BLOCK as i32);
                pair.submit(Request::read(slot, 0, BLOCK)).unwrap();
                completed += 1;
            }
        }
        drain(&mut *pair);
    }
}

// ------------------------------------------------------------------------------------------- results and
// errors

#[test]
fn durable_writes_and_flushes_complete() {
    for engine in ENGINES {
        for depth in [1, 4] {
            let mut pair = pair(engine, depth);
            let durable = Request { durable: true, ..Request::write(0, 8192, BLOCK) };
            pair.buffer(0).fill(9);
            assert_eq!(perform(&mut *pair, durable), BLOCK as i32);
            assert_eq!(perform(&mut *pair, Request::flush(0)), 0);
            pair.buffer(0).fill(0);
            assert_eq!(perform(&mut *pair, Request::read(0, 8192, BLOCK)), BLOCK as i32);
            assert!(pair.buffer(0)[..BLOCK as usize].iter().all(|byte| *byte == 9));
        }
    }
}

#[test]
fn reading_beyond_a_truncated_file_is_short() {
    for engine in ENGINES {
        let device = device(engine);
        device.file().set_len(2 * u64::from(BLOCK)).unwrap();
        let mut pair = device.queue_pair(QueueShape::new(2, 4 * BLOCK)).unwrap();
        assert_eq!(perform(&mut *pair, Request::read(0, 8 * u64::from(BLOCK), BLOCK)), 0);
        assert_eq!(perform(&mut *pair, Request::read(0, u64::from(BLOCK), 4 * BLOCK)), BLOCK as i32);
    }
}

#[test]
fn errors_come_back_as_negative_errno() {
    for engine in ENGINES {
        let named = tempfile::NamedTempFile::new_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
        let write_only = OpenOptions::new().write(true).open(named.path()).unwrap();
        let options = options(engine, &write_only);
        let device = FileDevice::new(write_only, CAPACITY, options).unwrap();
        for depth in [1, 3] {
            let mut pair = device.queue_pair(QueueShape::new(depth, BLOCK)).unwrap();
            assert_eq!(perform(&mut *pair, Request::read(0, 0, BLOCK)), -libc::EBADF);
            // The queue is as good as before.
            assert_eq!(perform(&mut *pair, Request::write(0, 0, BLOCK)), BLOCK as i32);
        }
    }
}

#[test]
fn a_bad_request_among_good_ones_fails_alone() {
    for engine in ENGINES {
        let file = scratch();
        let mut options = options(engine, &file);
        if !options.direct {
            return;
        }
        // A capacity beyond what ext4 lets a file have: the kernel itself refuses the last write.
        options.block_bytes = BLOCK;
        let device = FileDevice::new(file, i64::MAX as u64, options).unwrap();
        let mut pair = device.queue_pair(QueueShape::new(3, BLOCK)).unwrap();
        let far = (i64::MAX as u64 & !4095) - 4096;
        for (slot, offset) in [(0, 0), (1, far), (2, 4096)] {
            pair.submit(Request::write(slot, offset, BLOCK)).unwrap();
        }
        let mut done = drain(&mut *pair);
        done.sort_by_key(|done| done.slot);
        let results: Vec<i32> = done.iter().map(|done| done.result).collect();
        assert!(results[0] == 4096 && results[1] < 0 && results[2] == 4096, "{engine:?}: {results:?}");
    }
}

#[test]
fn trimmed_range_is_zeros_and_its_neighbours_survive() {
    if !can_trim() {
        return;
    }
    for engine in ENGINES {
        for depth in [1, 3] {
            let device = device(engine);
            let shape = QueueShape { buffer_bytes: 16 * BLOCK, ..QueueShape::new(depth, BLOCK) };
            let mut filling = device.queue_pair(shape).unwrap();
            filling.buffer(0).fill(7);
            assert_eq!(perform(&mut *filling, Request::write(0, 0, 16 * BLOCK)), 16 * BLOCK as i32);
            // Its buffers hold one block, the trim is of six.
            let mut pair = device.queue_pair(QueueShape::new(depth, BLOCK)).unwrap();
            assert_eq!(perform(&mut *pair, Request::trim(0, 5 * 4096, 6 * BLOCK)), 6 * BLOCK as i32);
            assert_eq!(perform(&mut *pair, Request::flush(0)), 0);
            assert_eq!(perform(&mut *filling, Request::read(0, 0, 16 * BLOCK)), 16 * BLOCK as i32);
            for (block, bytes) in filling.buffer(0).chunks(BLOCK as usize).enumerate() {
                let expected = if (5..11).contains(&block) { 0 } else { 7 };
                assert!(bytes.iter().all(|byte| *byte == expected), "{engine:?} {depth}: block {block}");
            }
            assert_eq!(device.file().metadata().unwrap().len(), CAPACITY, "the file keeps its length");
        }
    }
}

#[test]
fn trim_of_a_file_that_cannot_be_trimmed_fails_with_the_systems_reason() {
    for engine in ENGINES {
        // A writable file of a file system that has no such thing; nothing is written to it.
        let file = OpenOptions::new().read(true).write(true).open("/proc/self/comm").unwrap();
        let device = FileDevice::new(file, CAPACITY, FileOptions::new(engine, BLOCK).direct(false)).unwrap();
        for depth in [1, 3] {
            let mut pair = device.queue_pair(QueueShape::new(depth, BLOCK)).unwrap();
            assert_eq!(perform(&mut *pair, Request::trim(0, 0, BLOCK)), -libc::EOPNOTSUPP, "{engine:?}");
        }
    }
}

#[test]
fn opening_refuses_what_cannot_be_and_says_why() {
    let refused = |file: File, capacity, options| match FileDevice::new(file, capacity, options) {
        Ok(_) => panic!("accepted: {options:?}"),
        Err(error) => error.to_string(),
    };
    let plain = FileOptions::new(IoEngine::Psync, BLOCK).direct(false);
    let with = |block_bytes| FileOptions::new(IoEngine::Psync, block_bytes).direct(false);
    for block_bytes in [0, 1, 256, 513, 4095, 1 << 17] {
        assert!(refused(scratch(), CAPACITY, with(block_bytes)).contains("power of two"));
    }
    assert!(refused(scratch(), u64::MAX, plain).contains("capacity"));
    assert!(refused(scratch(), CAPACITY, plain.iopoll(true)).contains("psync"));
    let polled = FileOptions::new(IoEngine::IoUring, BLOCK).direct(false).iopoll(true);
    assert!(refused(scratch(), CAPACITY, polled).contains("O_DIRECT"));
    let named = tempfile::NamedTempFile::new().unwrap();
    assert!(refused(File::open(named.path()).unwrap(), CAPACITY, plain).contains("reading only"));
    let device = FileDevice::new(scratch(), CAPACITY, plain).unwrap();
    for (depth, slots, buffer_bytes) in
        [(0, 1, BLOCK), (32_769, 32_769, BLOCK), (2, 1, BLOCK), (1, 1, 0), (1, 1, 5000)]
    {
        assert!(device.queue_pair(QueueShape::new(depth, buffer_bytes).slots(slots)).is_err());
    }
}

#[test]
fn direct_is_set_and_cleared_on_the_file_and_the_alignment_found() {
    use rustix::fs::{OFlags, fcntl_getfl};
    let file = scratch();
    let Ok(alignment) = direct_alignment(&file) else { return };
    assert!(alignment.is_power_of_two() && (512..=65536).contains(&alignment));
    let file =
        FileDevice::new(file, CAPACITY, FileOptions::new(IoEngine::Psync, alignment.max(BLOCK))).unwrap();
    assert!(fcntl_getfl(&**file.file()).unwrap().contains(OFlags::DIRECT));
    let again = file.file().try_clone().unwrap();
    let buffered = file.options().direct(false);
    let buffered = FileDevice::new(again, CAPACITY, buffered).unwrap();
    assert!(!fcntl_getfl(&**buffered.file()).unwrap().contains(OFlags::DIRECT));
}

#[test]
fn polling_for_completions_works_or_is_refused_at_once() {
    let file = scratch();
    let options = options(IoEngine::IoUring, &file).iopoll(true);
    if !options.direct {
        return;
    }
    match FileDevice::new(file, CAPACITY, options) {
        Err(error) => assert!(error.to_string().contains("IOPOLL"), "{error}"),
        Ok(device) => {
            let mut pair = device.queue_pair(QueueShape::new(4, BLOCK)).unwrap();
            assert_eq!(perform(&mut *pair, Request::write(0, 0, BLOCK)), BLOCK as i32);
            assert!(reason(pair.submit(Request::flush(0))).contains("cannot flush"));
            assert!(reason(pair.submit(Request::trim(0, 0, BLOCK))).contains("cannot trim"));
        }
    }
}

#[test]
fn best_engine_has_a_reason_when_it_is_not_io_uring() {
    match IoEngine::best() {
        (IoEngine::IoUring, None) => {}
        (IoEngine::Psync, Some(reason)) => assert!(reason.contains("io_uring"), "{reason}"),
        other => panic!("{other:?}"),
    }
}

// -------------------------------------------------------------------------------------------------------
// faults

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
