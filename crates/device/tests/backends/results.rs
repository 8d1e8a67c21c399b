//! What requests, and opening a device, come to.

use std::fs::{File, OpenOptions};

use leadline_device::{Device, FileDevice, FileOptions, IoEngine, QueueShape, Request, direct_alignment};

use crate::{BLOCK, CAPACITY, ENGINES, can_trim, device, drain, options, pair, perform, reason, scratch};

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
