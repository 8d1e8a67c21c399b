//! Descriptions of flash drives: a drive, or one line that says where it is wrong and what is allowed.

use leadline_device::{Device, NEVER};
use leadline_device::{DeviceError, QueueShape, Request};
use leadline_sim::{
    Allocation, BufferSpec, DeviceSpec, FlashModel, FlashSpec, GcPolicy, GcSpec, InitialState, LinkSpec,
    MappingSpec, WearSpec,
};
use proptest::prelude::*;

use crate::flash_drive::Drive;

/// One with every field.
fn full() -> Drive {
    [
        ("seed", "1"),
        ("allocation", "\"dynamic\""),
        ("geometry.planes", "1"),
        ("geometry.superblock", "false"),
        ("timing.controller_us", "1"),
        ("timing.suspend_us", "5"),
        ("timing.sigma", "0.1"),
        ("gc.policy", "\"greedy\""),
        ("gc.window", "64"),
        ("gc.soft", "3"),
        ("gc.hard", "1"),
        ("gc.tokens_per_write", "0"),
        ("buffer.write", "\"1M\""),
        ("buffer.read", "\"1M\""),
        ("buffer.hit_us", "1"),
        ("buffer.flush_us", "1"),
        ("buffer.power_loss_protection", "true"),
        ("slc.bytes", "\"1M\""),
        ("slc.read_us", "10"),
        ("slc.program_us", "20"),
        ("slc.idle_ms", "100"),
        ("mapping.unit", "4096"),
        ("mapping.cache", "\"64K\""),
        ("mapping.fine_entries", "0"),
        ("read_ahead.streams", "4"),
        ("read_ahead.bytes", "\"64K\""),
        ("disturb.reads", "1000"),
        ("disturb.pages", "0"),
        ("wear.cycles", "3000"),
        ("wear.spread", "0"),
        ("link.mb_per_s", "2000"),
        ("link.duplex", "true"),
        ("link.request_us", "1"),
        ("link.per_kib_us", "0.1"),
        ("link.queues", "1"),
        ("cap.iops", "100000"),
    ]
    .iter()
    .fold(Drive::new(), |drive, (field, value)| drive.set(field, value))
}

/// The message about a description that is refused; it is one line with the file and the line of the field.
fn refused(drive: &Drive, field: &str) -> String {
    let message = drive.parse().err().unwrap_or_else(|| panic!("accepted: {drive:?}")).to_string();
    assert!(!message.contains('\n'), "{message:?}");
    let (table, key) = field.split_once('.').unwrap_or(("", field));
    let text = drive.text();
    let mut within = "";
    let line = text.lines().position(|line| {
        within = line.strip_prefix('[').map_or(within, |name| name.trim_end_matches(']'));
        within == table && line.starts_with(&format!("{key} ="))
    });
    if let Some(line) = line {
        assert!(message.starts_with(&format!("my.toml: line {}: ", line + 1)), "{field}: {message}");
    } else {
        assert!(message.starts_with("my.toml: line "), "{message}");
    }
    message
}

#[test]
fn what_may_be_left_out_has_its_documented_default() {
    let DeviceSpec::Flash(spec) = Drive::new().without("state").spec() else { panic!("another kind") };
    assert_eq!((spec.seed, spec.state, spec.allocation), (1, InitialState::Steady, Allocation::Dynamic));
    let g = &spec.geometry;
    assert_eq!((g.planes, g.blocks_per_plane, g.superblock), (1, 0, false));
    assert_eq!((spec.timing.controller_us, spec.timing.suspend_us, spec.timing.sigma), (0.0, None, 0.0));
    let gc = GcSpec { policy: GcPolicy::Greedy, window: 64, soft: 3, hard: 1, tokens_per_write: 0.0 };
    assert_eq!(spec.gc, gc);
    let buffer = BufferSpec { write: 0, read: 0, hit_us: 0.0, flush_us: 0.0, power_loss_protection: true };
    assert_eq!(spec.buffer, buffer);
    assert_eq!(spec.mapping, MappingSpec { unit: 4096, cache: None, fine_entries: 0 });
    assert_eq!(
        spec.link,
        LinkSpec { mb_per_s: 0.0, duplex: true, request_us: 0.0, write_us: 0.0, per_kib_us: 0.0, queues: 1 }
    );
    assert_eq!(spec.wear, WearSpec { cycles: 3000, spread: 0 });
    assert!(spec.slc.is_none() && spec.read_ahead.is_none() && spec.disturb.is_none() && spec.cap.is_none());
    let partial = Drive::new()
        .set("slc.bytes", "\"1M\"")
        .set("slc.read_us", "1")
        .set("slc.program_us", "1")
        .set("read_ahead.bytes", "\"64K\"")
        .set("disturb.reads", "9");
    let DeviceSpec::Flash(spec) = partial.spec() else { panic!("another kind") };
    let (slc, ahead, disturb) = (spec.slc.unwrap(), spec.read_ahead.unwrap(), spec.disturb.unwrap());
    assert_eq!((slc.idle_ms, ahead.streams, disturb.pages), (100.0, 4, 0));
    full().spec();
}

#[test]
fn the_descriptions_of_the_manual_are_drives_and_have_every_field() {
    let page = include_str!("../../../docs/flash.md");
    let all: Vec<&str> =
        page.split("```toml").skip(1).map(|rest| rest.split("```").next().unwrap()).collect();
    for text in &all {
        DeviceSpec::parse(text, "docs/flash.md").unwrap_or_else(|error| panic!("{error}"));
    }
    for field in full().names() {
        let (table, key) = field.split_once('.').unwrap_or(("", &field));
        if table != "cap" {
            assert!(all[1].contains(&format!("\n{key} = ")), "{field}");
        }
    }
}

#[test]
fn a_value_out_of_range_is_told_with_its_line_its_field_and_the_range() {
    let numbers = ["-1", "-0.001", "nan", "inf", "-inf", "1e300"];
    for (field, values, range) in [
        ("capacity", &["0", "1048575", "\"33T\"", "1048577"][..], "must be"),
        ("over_provisioning", &["0", "0.0009", "10.1", "nan", "-0.07", "inf"], "must be from 0.001 to 10"),
        ("geometry.channels", &["0", "257"], "must be from 1 to 256 channels"),
        ("geometry.dies_per_channel", &["0", "257"], "must be from 1 to 256 dies"),
        ("geometry.planes", &["0", "17"], "must be from 1 to 16 planes"),
        ("geometry.pages_per_block", &["0", "65537"], "must be from 1 to 65536 pages"),
        ("geometry.page_bytes", &["256", "\"2M\"", "5000"], "must be"),
        ("mapping.unit", &["256", "\"64K\"", "3000", "8192"], "must be"),
        ("mapping.cache", &["0", "4095", "\"2T\""], "must be from 4096 to 1099511627776 bytes"),
        ("mapping.fine_entries", &["16385"], "must be from 0 to 16384 units"),
        ("timing.read_us", &["0", "-1", "nan", "inf", "[50, 0]", "1.1e7"], "must be from 0.001 to 10000000"),
        ("timing.read_us", &["[]"], "1 to 16 of them"),
        ("timing.program_us", &["0", "[200, nan]"], "must be from 0.001 to 10000000 microseconds"),
        ("timing.erase_us", &["0", "nan", "-5", "1.1e7"], "must be from 0.001 to 10000000 microseconds"),
        ("timing.bus_mb_per_s", &["0", "nan", "1.1e6"], "must be from 0.1 to 1000000 megabytes"),
        ("timing.controller_us", &numbers, "must be from 0 to 1000000 microseconds"),
        ("timing.suspend_us", &numbers, "must be from 0 to 1000000 microseconds"),
        ("timing.sigma", &["-1", "3.1", "nan"], "must be from 0 to 3"),
        ("gc.window", &["0", "1048577"], "must be from 1 to 1048576 blocks"),
        ("gc.hard", &["0", "65537"], "must be from 1 to 65536 blocks"),
        ("gc.soft", &["0", "1", "131073"], "must be from 2 (above gc.hard) to 131072 blocks"),
        ("gc.tokens_per_write", &numbers, "must be from 0 to 1000000 programs"),
        ("buffer.write", &["1", "8191", "\"65G\""], "must be from 8192 to 68719476736 bytes"),
        ("buffer.read", &["1", "4095", "\"65G\""], "must be from 4096 to 68719476736 bytes"),
        ("buffer.hit_us", &numbers, "must be from 0 to 1000000 microseconds"),
        ("buffer.flush_us", &numbers, "must be from 0 to 10000000 microseconds"),
        ("slc.bytes", &["0", "4095", "\"65M\""], "must be from 4096 to 67108864 bytes"),
        ("slc.read_us", &["0", "nan"], "must be from 0.001 to 10000000 microseconds"),
        ("slc.program_us", &["0", "nan"], "must be from 0.001 to 10000000 microseconds"),
        ("slc.idle_ms", &numbers, "must be from 0 to 1000000000 milliseconds"),
        ("read_ahead.streams", &["0", "1025"], "must be from 1 to 1024 streams"),
        ("read_ahead.bytes", &["0", "4095", "\"17M\""], "must be from 4096 to 16777216 bytes"),
        ("disturb.reads", &["0", "4294967295"], "must be from 1 to 4294967294 reads"),
        ("disturb.pages", &["65"], "must be from 0 to 64 pages"),
        ("wear.cycles", &["0", "100000001"], "must be from 1 to 100000000 cycles"),
        ("link.mb_per_s", &["-1", "0.09", "1e-300", "nan", "inf"], "must be from 0.1 to 1000000 megabytes"),
        ("link.request_us", &numbers, "must be from 0 to 1000000 microseconds"),
        ("link.per_kib_us", &["-1", "1001", "nan"], "must be from 0 to 1000 microseconds per KiB"),
        ("link.queues", &["0", "1025"], "must be from 1 to 1024 queues"),
        ("cap.iops", &["-1", "nan", "1e10"], "must be"),
    ] {
        for value in values {
            let message = refused(&full().set(field, value), field);
            assert!(message.contains(&format!("{field}: ")), "{field} = {value}: {message}");
            assert!(message.contains(range), "{field} = {value}: {message}");
        }
    }
}

#[test]
fn a_mistake_of_form_is_told_with_its_line() {
    for (field, value, reason) in [
        ("capacity", "\"64X\"", "not a size"),
        ("capacity", "1.5", "must be a whole number of bytes, or a size"),
        ("capacity", "-5", "must be a whole number of bytes, or a size"),
        ("state", "\"empty\"", "must be one of `steady`, `filled`, `fresh`"),
        ("allocation", "\"hashed\"", "must be one of `dynamic`, `static`"),
        ("seed", "-1", "-1"),
        ("geometry.channels", "1.5", "must be "),
        ("geometry.channels", "4294967296", "4294967296"),
        ("geometry.superblock", "1", "must be true or false"),
        ("timing.read_us", "\"fast\"", "must be a number of microseconds, or a list"),
        ("gc.policy", "\"lru\"", "`cost-benefit`"),
        ("buffer.power_loss_protection", "\"yes\"", "must be true or false"),
    ] {
        let message = refused(&full().set(field, value), field);
        assert!(message.contains(reason), "{field} = {value}: {message}");
    }
    for table in [
        "",
        "geometry",
        "timing",
        "gc",
        "buffer",
        "slc",
        "mapping",
        "read_ahead",
        "disturb",
        "wear",
        "link",
        "cap",
    ] {
        let field = if table.is_empty() { "nosuch".to_owned() } else { format!("{table}.nosuch") };
        let message = refused(&full().set(&field, "1"), &field);
        assert!(message.contains("`nosuch` is not known here; known are"), "{message}");
    }
    for field in [
        "capacity",
        "geometry.channels",
        "geometry.dies_per_channel",
        "geometry.pages_per_block",
        "geometry.page_bytes",
        "timing.read_us",
        "timing.program_us",
        "timing.erase_us",
        "timing.bus_mb_per_s",
        "slc.bytes",
        "slc.read_us",
        "slc.program_us",
        "read_ahead.bytes",
        "disturb.reads",
    ] {
        let message = refused(&full().without(field), field);
        let (_, key) = field.split_once('.').unwrap_or(("", field));
        assert!(message.contains(&format!("`{key}` is missing")), "{field}: {message}");
    }
}

#[test]
fn parts_that_contradict_each_other_are_told_with_what_would_do() {
    for (drive, field, reason) in [
        (
            full().set("geometry.blocks_per_plane", "400"),
            "geometry.blocks_per_plane",
            "must be left out where",
        ),
        (
            full().without("over_provisioning"),
            "over_provisioning",
            "must be given, or geometry.blocks_per_plane",
        ),
        (
            full().without("over_provisioning").set("geometry.blocks_per_plane", "200"),
            "geometry.blocks_per_plane",
            "must be at least 261 for this capacity and gc.soft",
        ),
        (
            full().set("over_provisioning", "0.001"),
            "over_provisioning",
            "must be at least 0.0108 for this capacity",
        ),
        (full().set("geometry.pages_per_block", "65536"), "capacity", "must be at least "),
        (
            full().set("geometry.pages_per_block", "1").set("geometry.page_bytes", "8192"),
            "geometry.pages_per_block",
            "must be at least 2",
        ),
        (full().set("gc.hard", "3"), "gc.soft", "must be from 4 (above gc.hard)"),
        (
            full().set("mapping.unit", "512").set("mapping.fine_entries", "1"),
            "mapping.fine_entries",
            "0 where",
        ),
        (
            full().set("read_ahead.streams", "1024").set("read_ahead.bytes", "\"1M\""),
            "read_ahead.bytes",
            "at most 256M for all streams",
        ),
        (
            full().set("capacity", "\"16T\"").set("geometry.pages_per_block", "8192"),
            "capacity",
            "must be below 16.0T, over-provisioning included",
        ),
        (full().set("cap.credit", "5"), "cap.refill", "must be given with credit"),
    ] {
        let message = refused(&drive, field);
        assert!(message.contains(&format!("{field}: ")) && message.contains(reason), "{message}");
    }
}

/// Opens it and makes it do something.
fn open(drive: &Drive) -> FlashModel {
    let DeviceSpec::Flash(spec) = drive.spec() else { panic!("another kind") };
    assert_eq!(FlashSpec::parse(&drive.text(), "again").unwrap(), *spec);
    let device = DeviceSpec::Flash(spec.clone()).device();
    let answer = |queue: Result<Box<dyn leadline_device::QueuePair>, DeviceError>| {
        let (mut queue, mut completions) = (queue.unwrap(), Vec::new());
        for slot in 0..4 {
            let offset = u64::from(slot) * 65536;
            queue.submit(Request::write(slot, offset, 4096)).unwrap();
            queue.submit(Request::read(4 + slot, spec.capacity - 65536 + offset / 8, 4096)).unwrap();
        }
        queue.submit(Request::flush(8)).unwrap();
        queue.reap(9, NEVER, &mut completions).unwrap();
        assert_eq!(completions.len(), 9);
    };
    answer(device.queue_pair(QueueShape::new(9, 65536)));
    FlashModel::new(&spec)
}

#[test]
fn the_edges_of_the_ranges_are_drives() {
    for changes in [
        &[("capacity", "1048576")][..],
        &[("timing.read_us", "0.001"), ("timing.program_us", "0.001"), ("timing.erase_us", "0.001")],
        &[("timing.read_us", "1e7"), ("timing.program_us", "1e7"), ("timing.erase_us", "1e7")],
        &[("timing.bus_mb_per_s", "0.1"), ("timing.controller_us", "1e6")],
        &[("timing.bus_mb_per_s", "1e6"), ("timing.suspend_us", "1e6"), ("timing.sigma", "3")],
        &[("timing.read_us", "[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16]")],
        &[("gc.soft", "131072"), ("gc.hard", "65536"), ("gc.window", "1048576")],
        &[("gc.soft", "2"), ("gc.tokens_per_write", "1e6")],
        &[("buffer.write", "8192"), ("buffer.read", "4096"), ("buffer.hit_us", "1e6")],
        &[("buffer.write", "\"64G\""), ("buffer.read", "\"64G\""), ("buffer.flush_us", "1e7")],
        &[("slc.bytes", "4096"), ("slc.read_us", "0.001"), ("slc.program_us", "1e7"), ("slc.idle_ms", "0")],
        &[
            ("slc.bytes", "\"64M\""),
            ("slc.read_us", "1e7"),
            ("slc.program_us", "0.001"),
            ("slc.idle_ms", "1e9"),
        ],
        &[("mapping.unit", "512"), ("mapping.cache", "512")],
        &[("mapping.cache", "\"1T\""), ("mapping.fine_entries", "16384")],
        &[("read_ahead.streams", "1024"), ("read_ahead.bytes", "\"256K\"")],
        &[("read_ahead.streams", "1"), ("read_ahead.bytes", "\"16M\"")],
        &[("disturb.reads", "1"), ("disturb.pages", "64")],
        &[("disturb.reads", "1")],
        &[("disturb.reads", "4294967294"), ("wear.spread", "4294967295"), ("wear.cycles", "1")],
        &[("wear.spread", "1"), ("wear.cycles", "100000000")],
        &[("link.mb_per_s", "0.1"), ("link.request_us", "1e6"), ("link.queues", "1024")],
        &[("geometry.channels", "256"), ("geometry.pages_per_block", "1"), ("geometry.page_bytes", "4096")],
        &[("geometry.planes", "16"), ("geometry.pages_per_block", "16")],
        &[("geometry.page_bytes", "\"1M\""), ("geometry.pages_per_block", "2"), ("buffer.write", "\"2M\"")],
        &[("geometry.page_bytes", "512"), ("mapping.unit", "512"), ("geometry.superblock", "true")],
        &[("over_provisioning", "10"), ("seed", "18446744073709551615")],
    ] {
        let roomy = full().set("over_provisioning", "4");
        let drive = changes.iter().fold(roomy, |drive, (field, value)| drive.set(field, value));
        for state in ["\"fresh\"", "\"filled\"", "\"steady\""] {
            open(&drive.clone().set("state", state));
        }
    }
}

#[test]
fn drives_of_any_size_are_opened_in_little_memory() {
    // 32 TiB: 256 dies, blocks of 32 MiB; and as many blocks as there may be.
    let large = full()
        .set("capacity", "\"31T\"")
        .set("over_provisioning", "0.02")
        .set("mapping.unit", "16384")
        .set("geometry.channels", "32")
        .set("geometry.dies_per_channel", "8")
        .set("geometry.page_bytes", "16384")
        .set("geometry.planes", "4")
        .set("geometry.pages_per_block", "512")
        .set("buffer.write", "\"64G\"")
        .set("buffer.read", "\"64G\"")
        .set("mapping.cache", "\"1T\"")
        .set("mapping.fine_entries", "16777216");
    for drive in [
        large.clone(),
        large.clone().set("geometry.superblock", "true"),
        large.clone().set("geometry.pages_per_block", "128"),
    ] {
        let bytes = open(&drive.set("state", "\"steady\"")).memory_bytes();
        assert!(bytes < 512 << 20, "{bytes} bytes");
    }
    for (changes, field, reason) in [
        (&[("geometry.pages_per_block", "64")][..], "geometry.pages_per_block", "must be at least 128, for"),
        (
            &[
                ("geometry.pages_per_block", "65536"),
                ("geometry.superblock", "true"),
                ("geometry.channels", "128"),
            ],
            "geometry.pages_per_block",
            "must be at most 4096 with this number of dies",
        ),
        (
            &[("geometry.pages_per_block", "65536"), ("geometry.planes", "16")],
            "geometry.pages_per_block",
            "must be at most 4096 ",
        ),
        (&[("gc.soft", "100000")], "gc.soft", "must be at most 8192"),
    ] {
        let drive = changes.iter().fold(large.clone(), |drive, (field, value)| drive.set(field, value));
        let message = refused(&drive, field);
        assert!(message.contains(&format!("{field}: ")) && message.contains(reason), "{message}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_field_with_any_number_is_taken_or_refused(
        which in any::<prop::sample::Index>(), value in any::<f64>(), whole in any::<u64>(), kind in 0u32..4,
    ) {
        let all = full();
        let fields: Vec<String> = all.names();
        let value = match kind {
            0 => format!("{value:?}").to_lowercase(),
            1 => whole.to_string(),
            2 => (whole >> 40).to_string(),
            _ => (whole >> 56).to_string(),
        };
        let field = which.get(&fields);
        let drive = all.set(field, &value);
        match drive.parse() {
            Ok(spec) => {
                let mut model = spec.model();
                model.arrive(&Request::write(0, whole, 4096), 0);
                prop_assert_eq!(model.in_flight(), 1);
            }
            Err(error) => {
                let message = error.to_string();
                prop_assert!(message.starts_with("my.toml: line ") && !message.contains('\n'), "{}", message);
            }
        }
    }
}
