//! The same description and seed give the same profile, byte for byte, in every version: a description gives
//! the same times as when it was first run, to the nanosecond.

use leadline_device::{Device, NEVER, QueueShape, Request};
use leadline_sim::ParametricSpec;

/// FNV-1a of every completion (slot, bytes, time) of a mixed load: reads and writes of several lengths,
/// flushes, pauses, and queues that are never full for long.
fn fingerprint(device: &dyn Device) -> u64 {
    const DEPTH: u32 = 40;
    let mut queue = device.queue_pair(QueueShape::new(DEPTH, 1 << 20)).unwrap();
    let mut random = fastrand::Rng::with_seed(11);
    let mut free: Vec<u32> = (0..DEPTH).collect();
    let (mut hash, mut completions) = (0xcbf2_9ce4_8422_2325u64, Vec::new());
    for _ in 0..3000 {
        for _ in 0..random.usize(0..=free.len()) {
            let slot = free.pop().unwrap();
            let (len, offset) = (512 << random.u32(0..8), random.u64(..1 << 17) * 4096);
            queue
                .submit(match random.u32(..20) {
                    0 => Request::flush(slot),
                    1 => Request { durable: true, ..Request::write(slot, offset, len) },
                    2..8 => Request::write(slot, offset, len),
                    _ => Request::read(slot, offset, len),
                })
                .unwrap();
        }
        let deadline = if random.bool() { NEVER } else { queue.now() + random.u64(..200_000) };
        let min = random.u32(..4);
        queue.reap(min, deadline, &mut completions).unwrap();
        for completion in completions.drain(..) {
            free.push(completion.slot);
            for value in [u64::from(completion.slot), completion.result as u64, completion.at, queue.now()] {
                hash = (hash ^ value).wrapping_mul(0x0100_0000_01b3);
            }
        }
    }
    drop(queue);
    hash ^ device.queue_pair(QueueShape::new(1, 4096)).unwrap().now()
}

#[test]
fn a_description_gives_the_same_times_in_every_version() {
    for (name, expected) in [
        ("flash", 0x867d_0c78_e900_14aa),
        ("optane", 0x5fbf_f938_7a55_4610),
        ("sata", 0xad80_ff50_bd10_ed39),
        ("capped", 0x8f5b_03e3_88ae_613a),
        ("p4800x-xpoint", 0xbbd9_5cb2_41b1_ac07),
        ("hdd-disk", 0xefa7_e1de_d0cf_7ebd),
    ] {
        assert_eq!(fingerprint(&leadline_sim::open(name).unwrap()), expected, "{name}");
    }
    let text = "kind = \"parametric\"\ncapacity = \"1G\"\nnoise = 0.2\nnoise_ms = 1\ncap_iops = 70000\n\
                [read]\nservice_us = 100\nper_kib_us = 0.3\nservers = 3\n[write]\nservice_us = 30\nservers = 2\n";
    let device = ParametricSpec::parse(text, "test.toml").unwrap().device();
    assert_eq!(fingerprint(&device), 0x6a51_a75b_da1e_0ef1, "noise, a cap");
}
