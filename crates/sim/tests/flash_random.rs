//! Any small drive under any load: each request completes once and never before it arrived, nothing hangs,
//! and the counters say what must have happened.

use std::collections::BTreeSet;

use leadline_device::{NEVER, Nanos, Op, Request, Wear};
use proptest::prelude::*;

use crate::flash_drive::Drive;

/// Parts that a drive may have, each alone or with any of the others.
const PARTS: &[&[(&str, &str)]] = &[
    &[("buffer.write", "WRITE")],
    &[("buffer.power_loss_protection", "false"), ("buffer.flush_us", "7")],
    &[("buffer.read", "\"32K\""), ("buffer.hit_us", "2")],
    &[("slc.bytes", "\"256K\""), ("slc.read_us", "20"), ("slc.program_us", "60"), ("slc.idle_ms", "0.5")],
    &[("mapping.cache", "\"8K\"")],
    &[("mapping.fine_entries", "5")],
    &[("mapping.fine_entries", "200")],
    &[("read_ahead.bytes", "\"32K\""), ("read_ahead.streams", "2")],
    &[("disturb.reads", "20")],
    &[("disturb.reads", "9"), ("disturb.pages", "1")],
    &[("wear.spread", "3")],
    &[("link.mb_per_s", "800"), ("link.request_us", "1"), ("link.write_us", "2"), ("link.queues", "3")],
    &[("link.mb_per_s", "500"), ("link.duplex", "false")],
    &[("cap.iops", "50000"), ("cap.bytes_per_s", "\"300M\"")],
    &[("timing.suspend_us", "5"), ("timing.sigma", "0.3"), ("timing.controller_us", "3")],
    &[("timing.read_us", "[30, 50, 70]"), ("timing.program_us", "[200, 400, 900]")],
    &[("gc.tokens_per_write", "0.7"), ("gc.soft", "4")],
    &[("gc.soft", "7"), ("gc.hard", "3")],
    &[("gc.policy", "\"cost-benefit\"")],
    &[("gc.policy", "\"windowed\""), ("gc.window", "3")],
    &[("allocation", "\"static\"")],
    &[("geometry.superblock", "true")],
];

/// A drive with the least over-provisioning that its shape allows, or more.
fn drive() -> impl Strategy<Value = Drive> {
    let shape = (
        1u64..4,
        1u32..5,
        1u32..4,
        1u32..3,
        1u32..33,
        0u32..3,
        prop::sample::select(vec![512u64, 2048, 4096]),
    );
    let parts = prop_oneof![
        prop::collection::vec(any::<bool>(), PARTS.len()),
        Just(vec![true; PARTS.len()]),
        Just(vec![false; PARTS.len()]),
        prop::collection::vec(prop::bool::weighted(0.15), PARTS.len()),
    ];
    let state = prop::sample::select(vec!["\"steady\"", "\"filled\"", "\"fresh\""]);
    let spare = prop::sample::select(vec![0.001, 0.07, 0.5]);
    (shape, parts, state, spare, 2u64..9).prop_map(|(shape, parts, state, spare, programs)| {
        let (mib, channels, dies, planes, pages, page_units, unit) = shape;
        let page = unit << page_units;
        let mut drive = Drive::new()
            .set("capacity", &format!("\"{mib}M\""))
            .set("over_provisioning", &spare.to_string())
            .set("state", state)
            .set("geometry.channels", &channels.to_string())
            .set("geometry.dies_per_channel", &dies.to_string())
            .set("geometry.planes", &planes.to_string())
            .set("geometry.pages_per_block", &pages.to_string())
            .set("geometry.page_bytes", &page.to_string())
            .set("mapping.unit", &unit.to_string());
        for (field, value) in PARTS.iter().zip(parts).filter(|(_, on)| *on).flat_map(|(part, _)| *part) {
            let buffer = programs * 2 * page * u64::from(planes);
            drive = drive.set(field, &value.replace("WRITE", &buffer.to_string()));
        }
        // A unit of one sector has no parts.
        enough_space(if unit == 512 { drive.without("mapping.fine_entries") } else { drive })
    })
}

/// With as much as the messages about too little ask for.
fn enough_space(drive: Drive) -> Drive {
    let Err(error) = drive.parse() else { return drive };
    let message = error.to_string();
    let fields = ["over_provisioning", "capacity", "geometry.pages_per_block"];
    let asked = |field: &&&str| message.contains(&format!("{field}: must be at least "));
    let field = fields.iter().find(asked).expect(&message);
    let (_, least) = message.split_once("must be at least ").unwrap();
    enough_space(drive.set(field, least.split(' ').next().unwrap()))
}

/// One request: nanoseconds after the one before, what, where (a share of 1000), and 512-byte sectors.
type Step = (Nanos, u32, u64, u32);

/// The first of the requests that a seed gives.
fn load(seed: u64, count: usize) -> Vec<Step> {
    let mut random = fastrand::Rng::with_seed(seed);
    let (bursts, sectors) = (random.u32(1..10), [8, 32, 256][random.usize(..3)]);
    let step = |random: &mut fastrand::Rng| {
        let gap = match random.u32(..10) {
            kind if kind < bursts => 0,
            9 => random.u64(..3_000_000),
            _ => random.u64(..20_000),
        };
        (gap, random.u32(..20), random.u64(..1000), random.u32(1..=sectors))
    };
    (0..count).map(|_| step(&mut random)).collect()
}

fn request(slot: u32, (_, op, place, sectors): Step, capacity: u64) -> Request {
    let len = (u64::from(sectors) * 512).min(capacity) as u32;
    // Three quarters of the requests are in a tenth of the drive.
    let place = if place < 750 { place * 100 / 750 } else { place };
    let offset = (capacity / 1000 * place / 512 * 512).min(capacity - u64::from(len));
    match op {
        0 => Request::flush(slot),
        1 => Request::trim(slot, offset, len),
        2..4 => Request { durable: true, ..Request::write(slot, offset, len) },
        4..13 => Request::write(slot, offset, len),
        _ => Request::read(slot, offset, len),
    }
}

/// Runs it all; what the drive has done to its flash in the end.
fn run(drive: &Drive, load: &[Step]) -> Wear {
    let mut model = drive.model();
    let capacity = model.geometry().capacity_bytes;
    let mut arrived: Vec<(Nanos, Request, u32)> = Vec::new();
    let (mut now, mut completions, mut wear) =
        (0, Vec::new(), Wear { blocks: model.wear().unwrap().blocks, ..Wear::default() });
    let mut settle = |model: &mut dyn leadline_sim::DeviceModel,
                      arrived: &mut Vec<(Nanos, Request, u32)>,
                      until: Nanos| {
        let mut steps = 0u64;
        loop {
            assert_eq!(model.in_flight() == 0, model.next_completion().is_none(), "hangs or is never done");
            let Some(due) = model.next_completion().filter(|&due| due <= until) else { break };
            model.advance(due, &mut completions);
            steps = if completions.is_empty() { steps + 1 } else { 0 };
            assert!(steps < 1_000_000, "goes on for ever");
            for completion in completions.drain(..) {
                let (at, request, done) = &mut arrived[completion.slot as usize];
                assert!(completion.at >= *at && completion.at <= due);
                let moved = if request.op == Op::Flush { 0 } else { request.len as i32 };
                assert_eq!((completion.result, *done), (moved, 0));
                *done = 1;
            }
            let after = model.wear().unwrap();
            assert_eq!(after.blocks, wear.blocks);
            assert!(after.media_bytes >= wear.media_bytes && after.erases >= wear.erases);
            wear = after;
        }
    };
    for (&step, slot) in load.iter().zip(0..) {
        now += step.0;
        settle(&mut *model, &mut arrived, now);
        let request = request(slot, step, capacity);
        model.arrive(&request, now);
        arrived.push((now, request, 0));
    }
    settle(&mut *model, &mut arrived, NEVER);
    assert!(arrived.iter().all(|(_, _, done)| *done == 1));
    model.wear().unwrap()
}

/// Bytes that must have been programmed: units that hold something new and that have left the buffer.
fn least_programmed(drive: &Drive, load: &[Step]) -> u64 {
    let spec = drive.spec();
    let leadline_sim::DeviceSpec::Flash(flash) = &spec else { unreachable!() };
    let mut units = BTreeSet::new();
    for &step in load {
        let Request { op, offset, len, .. } = request(0, step, flash.capacity);
        let range = offset / flash.mapping.unit..(offset + u64::from(len)).div_ceil(flash.mapping.unit);
        match op {
            Op::Write => units.extend(range),
            Op::Trim => range.for_each(|unit| {
                units.remove(&unit);
            }),
            Op::Read | Op::Flush => {}
        }
    }
    (units.len() as u64 * flash.mapping.unit).saturating_sub(flash.buffer.write)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 100, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_drive_answers_any_load(drive in drive(), seed in any::<u64>(), count in 1usize..1000) {
        let load = load(seed, count);
        let wear = run(&drive, &load);
        let written = |step: &Step| request(0, *step, drive.spec().capacity_bytes());
        let host = load.iter().map(written).filter(|request| request.op == Op::Write);
        let host: u64 = host.map(|request| u64::from(request.len)).sum();
        prop_assert_eq!(wear.host_bytes, host);
        prop_assert!(wear.media_bytes >= least_programmed(&drive, &load));
        prop_assert_eq!(run(&drive, &load), wear);
    }
}
