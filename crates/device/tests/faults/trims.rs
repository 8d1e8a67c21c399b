//! Trims have the faults that any request may have.

use leadline_device::{Fault, Faulty, IoEngine, Op, Request};

use crate::{EIO, MS, PAGE, file, memory, pair, perform, random, write};

/// Longer than the buffers.
const TRIMMED: u32 = 4 * PAGE;

#[test]
fn faults_of_data_pass_trims_on() {
    let faults = [
        Fault::short(),
        Fault::torn(512),
        Fault::lost(),
        Fault::lying_flush(),
        Fault::misdirected(),
        Fault::stale(),
        Fault::bit_flip(),
    ];
    for fault in faults {
        let memory = memory();
        write(&mut *pair(&memory, 1), 0, &random(1, PAGE));
        let device = Faulty::new(memory, [fault]);
        let mut pair = pair(&device, 1);
        let trim = Request { durable: true, ..Request::trim(0, 0, TRIMMED) };
        assert_eq!(perform(&mut *pair, trim), TRIMMED as i32, "{fault:?}");
        assert_eq!(device.device().contents(0, PAGE as usize), [0; PAGE as usize], "{fault:?}");
        assert_eq!(device.strikes(), [0], "{fault:?}");
        let on_trims = std::panic::catch_unwind(|| fault.on(Op::Trim));
        assert!(on_trims.is_err(), "{fault:?} on trims must be refused");
    }
}

#[test]
fn faults_of_completions_befall_trims_too() {
    for (fault, result, reaches) in [
        (Fault::eio(), -EIO, false),
        (Fault::errno_though_done(EIO), -EIO, true),
        (Fault::delay(MS), TRIMMED as i32, true),
        (Fault::stall(MS), TRIMMED as i32, true),
        (Fault::reorder(), TRIMMED as i32, true),
    ] {
        let device = Faulty::new(memory(), [fault.on(Op::Trim).within(512..1024)]);
        let mut pair = pair(&device, 1);
        write(&mut *pair, 0, &random(1, PAGE));
        assert_eq!(perform(&mut *pair, Request::trim(0, 0, 512)), 512, "it lies beside the range");
        assert_eq!(perform(&mut *pair, Request::trim(0, 512, TRIMMED)), result, "{fault:?}");
        let trimmed = device.device().contents(512, 512) == [0; 512];
        assert_eq!((trimmed, device.strikes()), (reaches, vec![1]), "{fault:?}");
    }
}

#[test]
fn trims_pass_on_files_too() {
    for engine in [IoEngine::IoUring, IoEngine::Psync] {
        let device = Faulty::new(file(engine), [Fault::torn(512), Fault::stale().from(u64::MAX)]);
        let mut pair = pair(&device, 1);
        let trimmed = perform(&mut *pair, Request::trim(0, 0, TRIMMED));
        assert!(trimmed == TRIMMED as i32 || trimmed == -libc::EOPNOTSUPP, "{engine:?}: {trimmed}");
    }
}
