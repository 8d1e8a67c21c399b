//! The load on a real file.

use std::collections::HashSet;
use std::io::Read as _;
use std::sync::Arc;

use leadline_device::{Clock, Device, FileDevice, FileOptions, IoEngine, QueueShape};
use leadline_measure::load::{AddressStream, Lane, Limits, Recorder, Region, Workload, closed_loop};
use leadline_measure::{Budget, Lanes, Plan, Rig};

use super::{S, never, workload};

fn file_device(len: u64) -> (tempfile::NamedTempFile, FileDevice) {
    let file = tempfile::NamedTempFile::new().unwrap();
    file.as_file().set_len(len).unwrap();
    let options = FileOptions::new(IoEngine::Psync, 4096).direct(false);
    let device = FileDevice::new(file.reopen().unwrap(), len, options).unwrap();
    (file, device)
}

#[test]
fn what_is_written_is_on_the_file_and_no_two_blocks_are_alike() {
    let len = 2 << 20;
    let (file, device) = file_device(len);
    let began = leadline_device::clock::now();
    let mut seen: HashSet<Vec<u8>> = HashSet::new();
    for (seed, k) in [(1, 1), (1 << 32, 1), (2, 8)] {
        let queue = device.queue_pair(QueueShape::new(k, 8192)).unwrap();
        let mut lane = Lane::new(queue, Clock::Wall, seed);
        for pass in 0..2 {
            let mut stream = AddressStream::new(
                Workload { block_bytes: 8192, ..workload(0.0, 0.0) },
                Region { start: 0, len },
                seed,
            );
            let limits = Limits { max_bytes: len, ..Limits::of(3600 * S) };
            closed_loop(&mut lane, &mut stream, k, &limits, &mut Recorder::new(), &never()).unwrap();
            let mut bytes = Vec::new();
            file.reopen().unwrap().read_to_end(&mut bytes).unwrap();
            for (i, block) in bytes.chunks(4096).enumerate() {
                assert!(seen.insert(block.to_vec()), "seed {seed} pass {pass} block {i}: seen before");
                let zeros = block.iter().filter(|b| **b == 0).count();
                assert!(zeros < 64, "block {i} was not filled to its end: {zeros} zeros");
            }
        }
    }
    assert_eq!(seen.len() as u64, 6 * len / 4096);
    assert!(
        leadline_device::clock::now() - began < 9 * S,
        "it slept until the watchdog with nothing in flight"
    );
}

#[test]
fn lanes_share_out_concurrency_and_bytes() {
    let (_file, device) = file_device(4 << 20);
    for (lanes, k) in [(Lanes::Threads(3), 7), (Lanes::Threads(3), 2), (Lanes::OneRequestEach, 5)] {
        let mut plan = Plan::new(Budget::Quick, device.geometry(), device.clock());
        (plan.lanes, plan.max_concurrency) = (lanes, 8);
        let mut rig = Rig::new(&device, &plan, 4096, Arc::default()).unwrap();
        let mut streams = rig.streams(workload(0.0, 1.0), Region { start: 0, len: 4 << 20 }, 1);
        let mut latencies = Recorder::new();
        let limits = Limits { max_bytes: 1000 * 4096, ..Limits::of(3600 * S) };
        let result = rig.slice(&mut streams, k, &limits, &mut latencies).unwrap();
        let sent = rig.traffic().1;
        let used = u64::from(k.min(if lanes == Lanes::OneRequestEach { 8 } else { 3 }));
        assert_eq!(sent, 1000 / used * used * 4096, "{lanes:?}, k = {k}");
        assert_eq!(latencies.count(), result.ops);
        assert!(!result.complete, "it ran out of bytes, not of time");
    }
}
