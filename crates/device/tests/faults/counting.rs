//! Which request is the nth.

use std::sync::atomic::{AtomicU64, Ordering};

use leadline_device::{Fault, Faulty, Op, Request};

use crate::{EIO, flush, memory, pair, perform, random, read, write};

#[test]
fn threads_count_together_and_the_nth_fails_once() {
    const THREADS: u64 = 4;
    const EACH: u64 = 2000;
    let faults =
        [Fault::eio().on(Op::Write).nth(1234), Fault::enospc().on(Op::Read).from(THREADS * EACH - 100)];
    let device = Faulty::new(memory(), faults);
    let (failed, full) = (AtomicU64::new(0), AtomicU64::new(0));
    std::thread::scope(|scope| {
        for _ in 0..THREADS {
            scope.spawn(|| {
                let mut pair = pair(&device, 1);
                for _ in 0..EACH {
                    let write = perform(&mut *pair, Request::write(0, 0, 512));
                    let read = perform(&mut *pair, Request::read(0, 0, 512));
                    failed.fetch_add(u64::from(write == -EIO), Ordering::Relaxed);
                    full.fetch_add(u64::from(read == -libc::ENOSPC), Ordering::Relaxed);
                }
            });
        }
    });
    assert_eq!((failed.into_inner(), full.into_inner()), (1, 100));
    assert_eq!((device.strikes(), device.submitted()), (vec![1, 100], 2 * THREADS * EACH));
}

#[test]
fn each_fault_counts_the_requests_it_may_befall() {
    let faults = [
        Fault::eio().on(Op::Read).on(Op::Flush).nth(2),
        Fault::enospc().within(4096..8192).on(Op::Write).nth(1),
    ];
    let device = Faulty::new(memory(), faults);
    let mut pair = pair(&device, 1);
    let data = random(0, 512);
    assert_eq!(write(&mut *pair, 4096, &data), 512);
    assert_eq!((read(&mut *pair, 0, 512).0, flush(&mut *pair)), (512, 0));
    assert_eq!(write(&mut *pair, 0, &data), 512);
    assert_eq!(write(&mut *pair, 4608, &data), -libc::ENOSPC);
    assert_eq!((read(&mut *pair, 0, 512).0, flush(&mut *pair)), (-EIO, 0));
}
