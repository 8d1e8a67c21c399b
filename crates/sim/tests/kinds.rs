//! Descriptions of drives with an inside: each value is checked, and what is wrong is told with its line.

use leadline_catalogue::DEVICES;
use leadline_device::{Device, NEVER, QueueShape, Request};
use leadline_sim::DeviceSpec;
use proptest::prelude::*;

const XPOINT: &str = "kind = \"xpoint\"
capacity = \"64G\"
seed = 1
[geometry]
channels = 8
part_bytes = 512
[timing]
controller_us = 1.5
read_us = 4
write_us = 5
sigma = 0.3
read_mb_per_s = 2000
write_mb_per_s = 1900
[stall]
share = 0.01
mean_us = 9
[settle]
us = 24
banks = 16
[alignment]
even_us = 2
odd_us = 4
fade = \"50K\"
[disturb]
reads = 30
penalty_us = 20
pages = 1000
[flush]
service_us = 1
durable_us = 1
[link]
mb_per_s = 3000
request_us = 3
per_kib_us = 0.1
latency_us = 2
queues = 4
duplex = false
[cap]
iops = 1000000
";

const DISK: &str = "kind = \"disk\"
capacity = \"64G\"
seed = 1
[platter]
rpm = 7200
mb_per_s = 180
inner_mb_per_s = 90
zones = 8
[seek]
track_us = 1000
average_us = 8000
full_us = 16000
write_us = 300
[timing]
controller_us = 100
[queue]
depth = 32
reorder_ms = 500
[buffer]
write = \"1M\"
read_ahead = \"2M\"
[link]
mb_per_s = 600
[cap]
iops = 1000
";

fn error(text: &str) -> String {
    let error = DeviceSpec::parse(text, "my.toml").err().unwrap_or_else(|| panic!("accepted: {text}"));
    let message = error.to_string();
    assert!(message.starts_with("my.toml: line ") && !message.contains('\n'), "{message}");
    message
}

/// The description with one line changed, or, for an empty `other`, left out.
fn with(text: &str, key: &str, other: &str) -> String {
    let line = text.lines().find(|line| line.split(" = ").next() == Some(key)).expect("it has the key");
    text.replacen(
        &format!("{line}\n"),
        &if other.is_empty() { String::new() } else { format!("{other}\n") },
        1,
    )
}

/// Keys of which the first stands in the text; `field` is the one that the message names.
fn refused(text: &str, rows: &[(&str, &[&str], &str)]) {
    for (key, values, said) in rows {
        let at = 1 + text.lines().position(|line| line.split(" = ").next() == Some(key)).unwrap();
        for value in *values {
            let message = error(&with(text, key, &format!("{key} = {value}")));
            assert!(message.contains(&format!("line {at}: ")), "{key} = {value}: {message}");
            assert!(message.contains(said), "{key} = {value}: {message}");
        }
    }
}

#[test]
fn a_value_of_a_3d_xpoint_drive_out_of_range_is_told_with_line_field_and_range() {
    DeviceSpec::parse(XPOINT, "my.toml").unwrap();
    refused(
        XPOINT,
        &[
            ("capacity", &["0", "1048577", "\"1023K\""], "capacity: must be"),
            ("channels", &["0", "257"], "geometry.channels: must be from 1 to 256 channels"),
            (
                "part_bytes",
                &["0", "32", "768", "8192"],
                "geometry.part_bytes: must be a power of two from 64 to 4096",
            ),
            (
                "controller_us",
                &["-1", "1e7", "nan"],
                "timing.controller_us: must be from 0 to 1000000 microseconds",
            ),
            ("read_us", &["-0.1", "inf"], "timing.read_us: must be from 0 to 1000000 microseconds"),
            ("write_us", &["-0.1", "2e6"], "timing.write_us: must be from 0 to 1000000 microseconds"),
            ("sigma", &["-0.1", "3.1", "nan"], "timing.sigma: must be from 0 to 3"),
            (
                "read_mb_per_s",
                &["0", "nan", "2e6"],
                "timing.read_mb_per_s: must be from 1 to 1000000 megabytes",
            ),
            (
                "write_mb_per_s",
                &["0.9"],
                "timing.write_mb_per_s: must be from 1 to 1000000 megabytes per second",
            ),
            ("share", &["-0.1", "1.1", "nan"], "stall.share: must be from 0 to 1"),
            ("mean_us", &["-1", "nan"], "stall.mean_us: must be from 0 to 1000000 microseconds"),
            ("us", &["0", "2e6", "nan"], "settle.us: must be from 0.001 to 1000000 microseconds"),
            ("banks", &["0", "65537"], "settle.banks: must be from 1 to 65536 banks"),
            (
                "even_us",
                &["-1", "5", "nan"],
                "alignment.even_us: must be from 0 to 4 microseconds (alignment.odd_us)",
            ),
            ("odd_us", &["-1", "2e6", "nan"], "alignment.odd_us: must be from 0 to 1000000 microseconds"),
            ("fade", &["0", "4095", "\"17M\""], "alignment.fade: must be from 4096 to 16777216 bytes"),
            ("reads", &["0", "1", "1000000001"], "disturb.reads: must be from 2 to 1000000000 reads"),
            ("penalty_us", &["-1", "nan"], "disturb.penalty_us: must be from 0 to 1000000 microseconds"),
            ("pages", &["3", "4194305"], "disturb.pages: must be from 4 to 4194304 pages"),
            ("service_us", &["-1"], "flush.service_us: must be from 0 to 1e9 microseconds"),
            (
                "mb_per_s",
                &["0.5", "-1", "nan"],
                "link.mb_per_s: must be from 1 to 1000000 megabytes per second",
            ),
            ("request_us", &["-1", "2e6", "nan"], "link.request_us: must be from 0 to 1000000 microseconds"),
            (
                "latency_us",
                &["-1", "3.5", "nan"],
                "link.latency_us: must be from 0 to 3 microseconds (link.request_us)",
            ),
            ("per_kib_us", &["-1", "2e6", "nan"], "link.per_kib_us: must be from 0 to 1000000 microseconds"),
            ("queues", &["0", "1025"], "link.queues: must be from 1 to 1024 queues"),
            ("iops", &["-1"], "cap.iops: must be from 0.001 to 1e9"),
            // Of the wrong kind.
            ("duplex", &["1"], "must be "),
            ("reads", &["-1", "2.5", "\"x\""], ""),
        ],
    );
}

#[test]
fn a_value_of_a_disk_out_of_range_is_told_with_line_field_and_range() {
    DeviceSpec::parse(DISK, "my.toml").unwrap();
    refused(
        DISK,
        &[
            ("rpm", &["99", "100001"], "platter.rpm: must be from 100 to 100000 turns per minute"),
            (
                "mb_per_s",
                &["0.9", "10001", "nan"],
                "platter.mb_per_s: must be from 1 to 10000 megabytes per second",
            ),
            (
                "inner_mb_per_s",
                &["0", "181", "nan"],
                "platter.inner_mb_per_s: must be from 1 to 180 megabytes",
            ),
            ("zones", &["1", "65"], "platter.zones: must be from 2 to 64 zones"),
            ("track_us", &["-1", "100001", "nan"], "seek.track_us: must be from 0 to 100000 microseconds"),
            (
                "average_us",
                &["999", "2e6", "nan"],
                "seek.average_us: must be from 1000 to 1000000 microseconds",
            ),
            ("full_us", &["7999", "nan"], "seek.full_us: must be from 8000 to 1000000 microseconds"),
            ("write_us", &["-1", "nan"], "seek.write_us: must be from 0 to 100000 microseconds"),
            ("controller_us", &["-1", "nan"], "timing.controller_us: must be from 0 to 1000000 microseconds"),
            ("depth", &["0", "1025"], "queue.depth: must be from 1 to 1024 requests"),
            ("reorder_ms", &["-1", "nan"], "queue.reorder_ms: must be from 0 to 1000000 milliseconds"),
            ("write", &["\"2T\""], "buffer.write: must be from 0 to 1099511627776 bytes"),
            ("read_ahead", &["\"2T\""], "buffer.read_ahead: must be from 0 to 1099511627776 bytes"),
            ("iops", &["-1"], "cap.iops: must be from 0.001 to 1e9"),
        ],
    );
    let zones = error(&with(DISK, "inner_mb_per_s", ""));
    let said = "my.toml: line 7: platter.zones: must be left out without platter.inner_mb_per_s";
    assert!(zones.starts_with(said), "{zones}");
}

#[test]
fn what_is_missing_unknown_or_of_another_kind_is_told_with_its_line() {
    for (text, key) in
        [(XPOINT, "channels"), (XPOINT, "read_us"), (XPOINT, "reads"), (DISK, "rpm"), (DISK, "full_us")]
    {
        assert!(error(&with(text, key, "")).contains(&format!("`{key}` is missing")), "{key}");
        let message = error(&with(text, key, &format!("{key}x = 1")));
        assert!(message.contains(&format!("`{key}x` is not known here; known are ")), "{message}");
    }
    assert!(error(&format!("{XPOINT}[platter]\nrpm = 7200\n")).contains("`platter` is not known here"));
    assert!(error(&format!("{DISK}[disturb]\nreads = 9\n")).contains("`disturb` is not known here"));
    assert_eq!(
        error(&XPOINT.replace("\"xpoint\"", "\"tape\"")),
        "my.toml: line 1: kind: must be \"parametric\", \"flash\", \"xpoint\" or \"disk\", not \"tape\""
    );
}

#[test]
fn what_may_be_left_out_has_defaults() {
    let short = "kind = \"xpoint\"\ncapacity = \"1G\"\ngeometry = { channels = 4 }\n\
                 timing = { read_us = 1, write_us = 1, read_mb_per_s = 1, write_mb_per_s = 1 }\n";
    let DeviceSpec::Xpoint(spec) = DeviceSpec::parse(short, "my.toml").unwrap() else {
        panic!("another kind")
    };
    assert_eq!((spec.geometry.part_bytes, spec.timing.sigma, spec.seed, spec.link.queues), (512, 0.0, 1, 1));
    assert!(
        spec.disturb.is_none() && spec.settle.is_none() && spec.stall.is_none() && spec.alignment.is_none()
    );
    let short = "kind = \"disk\"\ncapacity = \"1G\"\nplatter = { rpm = 7200, mb_per_s = 100 }\n\
                 seek = { track_us = 1, average_us = 1, full_us = 1 }\n";
    let DeviceSpec::Disk(spec) = DeviceSpec::parse(short, "my.toml").unwrap() else { panic!("another kind") };
    assert_eq!((spec.queue.depth, spec.queue.reorder_ms), (32, 500.0));
    assert_eq!((spec.buffer.write, spec.buffer.read_ahead), (0, 2 << 20));
}

/// Whatever it says, it says it in one line with the file's name, or it is a device that works.
fn parse_anything(text: &str) {
    match DeviceSpec::parse(text, "my.toml") {
        Ok(spec) => {
            let device = spec.device();
            let mut queue = device.queue_pair(QueueShape::new(4, 1 << 16)).unwrap();
            let end = device.geometry().capacity_bytes - 65536;
            queue.submit(Request::write(0, end, 65536)).unwrap();
            queue.submit(Request::read(1, end + 512, 512)).unwrap();
            queue.submit(Request::flush(2)).unwrap();
            queue.submit(Request::read(3, 0, 65536)).unwrap();
            let mut completions = Vec::new();
            queue.reap(4, NEVER, &mut completions).unwrap();
            assert_eq!(completions.len(), 4);
        }
        Err(error) => {
            let message = error.to_string();
            assert!(message.starts_with("my.toml: ") && !message.contains('\n'), "{message:?}");
        }
    }
}

#[test]
fn the_edges_of_every_range_are_devices() {
    for (text, rows) in [
        (
            XPOINT,
            &[
                ("capacity", &["\"1M\"", "\"1048576T\""][..]),
                ("channels", &["1", "256"]),
                ("part_bytes", &["64", "4096"]),
                ("read_us", &["0", "1e6"]),
                ("sigma", &["0", "3.0"]),
                ("read_mb_per_s", &["1", "1e6"]),
                ("share", &["0", "1"]),
                ("us", &["0.001", "1e6"]),
                ("banks", &["1", "65536"]),
                ("reads", &["2", "1000000000"]),
                ("pages", &["4", "4194304"]),
                ("mb_per_s", &["0", "1", "1e6"]),
                ("request_us", &["2", "1e6"]),
                ("queues", &["1", "1024"]),
            ][..],
        ),
        (
            DISK,
            &[
                ("capacity", &["\"1M\"", "\"1048576T\""][..]),
                ("rpm", &["100", "100000"]),
                ("mb_per_s", &["90", "1e4"]),
                ("inner_mb_per_s", &["1", "180"]),
                ("zones", &["2", "64"]),
                ("track_us", &["0", "8000"]),
                ("average_us", &["1000", "16000"]),
                ("full_us", &["8000", "1e6"]),
                ("depth", &["1", "1024"]),
                ("reorder_ms", &["0", "1e6"]),
                ("write", &["0", "\"1T\""]),
                ("read_ahead", &["0", "\"1T\""]),
            ],
        ),
    ] {
        for (key, values) in rows {
            for value in *values {
                let text = with(text, key, &format!("{key} = {value}"));
                DeviceSpec::parse(&text, "my.toml").unwrap_or_else(|error| panic!("{error}"));
                parse_anything(&text);
            }
        }
    }
}

#[test]
fn a_model_takes_requests_of_any_length_at_any_place() {
    for text in [XPOINT, DISK] {
        let mut model = DeviceSpec::parse(text, "my.toml").unwrap().model();
        let mut completions = Vec::new();
        for (offset, len) in
            [(0, 1), (4095, 2), (u64::MAX, 1), (u64::MAX - 4096, i32::MAX as u32), (1 << 62, 513)]
        {
            model.arrive(&Request::write(0, offset, len), 0);
            model.arrive(&Request::read(1, offset, len), 0);
            model.advance(NEVER, &mut completions);
            let moved: Vec<i32> = completions.drain(..).map(|completion| completion.result).collect();
            assert_eq!((moved, model.in_flight()), (vec![len as i32; 2], 0));
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_mutation_of_a_good_file_makes_it_panic(
        which in 0..DEVICES.len() + 2, at in 0usize..5000, cut in 0usize..20,
        insert in "\\PC{0,3}|[0-9eE.+\\-\"\n=\\[\\]]{0,8}",
    ) {
        let text = [XPOINT, DISK].into_iter().chain(DEVICES.map(|device| device.text)).nth(which).unwrap();
        let text: Vec<char> = text.chars().collect();
        let at = at % text.len();
        let end = (at + cut).min(text.len());
        let mutated = text[..at].iter().copied().chain(insert.chars()).chain(text[end..].iter().copied());
        parse_anything(&mutated.collect::<String>());
    }

    #[test]
    fn any_number_is_taken_or_refused(value in any::<f64>(), xpoint in any::<bool>(), which in 0usize..40) {
        let text = if xpoint { XPOINT } else { DISK };
        let keys: Vec<&str> = text.lines().filter_map(|line| Some(line.split_once(" = ")?.0)).collect();
        let key = keys[which % keys.len()];
        parse_anything(&with(text, key, &format!("{key} = {value:?}").to_lowercase()));
    }
}
