//! The same description and seed give the same times and the same wear in every version, to the nanosecond,
//! whoever keeps the time.

use leadline_device::{Completion, Device, NEVER, Nanos, QueueShape, Request, Wear};
use leadline_sim::DeviceSpec;

use crate::flash_drive::{Drive, M};

/// A mixed load with the times at which it arrives: reads, writes and trims of several lengths, durable ones,
/// flushes, bursts and pauses.
fn load() -> Vec<(Nanos, Request)> {
    let mut random = fastrand::Rng::with_seed(11);
    let mut at = 0;
    let request = |slot| {
        at += if random.u32(..8) == 0 { random.u64(..2_000_000) } else { random.u64(..50_000) };
        let len = 512 << random.u32(..8);
        let offset = random.u64(..(64 * M - 16 * u64::from(len)) / 512) * 512;
        let request = match random.u32(..20) {
            0 => Request::flush(slot),
            1 => Request { durable: true, ..Request::write(slot, offset, len) },
            2 => Request::trim(slot, offset, 16 * len),
            3..11 => Request::write(slot, offset, len),
            _ => Request::read(slot, offset, len),
        };
        (at, request)
    };
    (0..6_000).map(request).collect()
}

fn by_model(spec: &DeviceSpec) -> (Vec<Completion>, Wear) {
    let mut model = spec.model();
    let mut completions = Vec::new();
    for (at, request) in load() {
        model.advance(at, &mut completions);
        model.arrive(&request, at);
    }
    while let Some(due) = model.next_completion() {
        model.advance(due, &mut completions);
    }
    (completions, model.wear().unwrap())
}

fn by_queue_pair(spec: &DeviceSpec) -> (Vec<Completion>, Wear) {
    let mut queue = spec.device().queue_pair(QueueShape::new(6_000, M as u32)).unwrap();
    let mut completions = Vec::new();
    for (at, request) in load() {
        while queue.now() < at {
            queue.reap(u32::MAX, at, &mut completions).unwrap();
        }
        queue.submit(request).unwrap();
    }
    queue.reap(u32::MAX, NEVER, &mut completions).unwrap();
    (completions, queue.wear().unwrap())
}

/// FNV-1a of every completion and of the wear in the end.
fn fingerprint((completions, wear): &(Vec<Completion>, Wear)) -> u64 {
    let all = completions.iter().flat_map(|c| [u64::from(c.slot), c.result as u64, c.at]);
    let counters = [wear.host_bytes, wear.media_bytes, wear.erases, wear.blocks];
    all.chain(counters)
        .fold(0xcbf2_9ce4_8422_2325, |hash, value| (hash ^ value).wrapping_mul(0x0100_0000_01b3))
}

/// A drive with every part that can be there beside the others.
fn everything() -> Drive {
    [
        ("state", "\"steady\""),
        ("geometry.channels", "2"),
        ("geometry.dies_per_channel", "2"),
        ("geometry.planes", "2"),
        ("timing.read_us", "[40, 60]"),
        ("timing.sigma", "0.3"),
        ("timing.suspend_us", "5"),
        ("timing.controller_us", "2"),
        ("gc.tokens_per_write", "2"),
        ("gc.soft", "4"),
        ("buffer.write", "\"512K\""),
        ("buffer.read", "\"256K\""),
        ("buffer.power_loss_protection", "false"),
        ("buffer.flush_us", "9"),
        ("slc.bytes", "\"4M\""),
        ("slc.read_us", "20"),
        ("slc.program_us", "60"),
        ("slc.idle_ms", "1"),
        ("mapping.cache", "\"32K\""),
        ("mapping.fine_entries", "100"),
        ("read_ahead.bytes", "\"64K\""),
        ("disturb.reads", "50"),
        ("wear.spread", "4"),
        ("link.mb_per_s", "2000"),
        ("link.request_us", "1"),
        ("link.per_kib_us", "0.05"),
        ("link.queues", "2"),
        ("cap.iops", "100000"),
    ]
    .iter()
    .fold(Drive::new(), |drive, (field, value)| drive.set(field, value))
}

#[test]
fn a_flash_drive_is_the_same_in_every_version_and_whoever_keeps_the_time() {
    for (what, drive, expected) in [
        ("plain", Drive::new().set("state", "\"steady\""), 0xfe53_4c51_ad19_6113),
        ("everything", everything(), 0x8405_9fde_9ed4_81a8),
        ("static", everything().set("allocation", "\"static\""), 0x67a4_81d1_18f7_dc95),
        ("superblocks", everything().set("geometry.superblock", "true"), 0x615a_f320_71f9_0b7e),
        ("cost-benefit", everything().set("gc.policy", "\"cost-benefit\""), 0xcc90_5642_fd12_93d3),
        (
            "windowed",
            everything().set("gc.policy", "\"windowed\"").set("disturb.pages", "2"),
            0x6832_e199_33ae_1c21,
        ),
        ("fresh", everything().set("state", "\"fresh\""), 0x8bc1_c377_f000_9b0a),
        ("another seed", everything().set("seed", "2"), 0x7d94_fd1e_e012_45ce),
    ] {
        let spec = drive.spec();
        let found = by_model(&spec);
        assert_eq!(found.0.len(), 6_000, "{what}");
        assert_eq!(by_queue_pair(&spec), found, "{what}");
        let found = fingerprint(&found);
        assert_eq!(found, expected, "{what}: {found:#018x}");
    }
}
