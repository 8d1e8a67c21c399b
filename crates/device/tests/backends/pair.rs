//! The rules of a queue pair: depth, slots, deadlines, threads.

use leadline_device::clock::now;
use leadline_device::{Completion, Device, FileDevice, IoEngine, NEVER, Nanos, QueueShape, Request};

use crate::{BLOCK, CAPACITY, ENGINES, MS, device, drain, hanging, options, pair, perform, reason, scratch};

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
