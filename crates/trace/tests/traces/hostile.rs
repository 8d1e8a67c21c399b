//! Bytes from anywhere: every reader gets through them without a panic, in as many steps as there can be
//! lines.

use leadline_trace::{Format, Pages, TraceError, Unit};
use proptest::prelude::*;

use crate::in_memory;

/// Reads to the end, and checks what every request promises.
fn reads_to_the_end(bytes: &[u8], format: Option<Format>) {
    let Ok(mut trace) = in_memory(bytes, format) else { return };
    let unit = trace.unit();
    let mut last = 0;
    // A line of CacheLib stands for up to a million requests.
    let most = if format == Some(Format::Cachelib) { 1 << 24 } else { bytes.len() + 3 };
    for _ in 0..most {
        match trace.next() {
            Ok(Some(request)) => {
                assert!(request.length > 0);
                assert!(request.address.checked_add(u64::from(request.length) - 1).is_some());
                assert!(request.at_ns >= last, "times do not go back");
                assert!(trace.timed() || request.at_ns == 0);
                assert_eq!(trace.unit(), unit);
                last = request.at_ns;
            }
            Ok(None) => return assert!(matches!(trace.next(), Ok(None)), "the end is the end"),
            Err(TraceError::Syntax { line, reason, .. }) => {
                assert!(line > 0 && reason.len() < 300 && !reason.contains('\n'), "{reason}");
            }
            Err(_) => {}
        }
    }
    panic!("{format:?} does not end");
}

fn everywhere(bytes: &[u8]) {
    reads_to_the_end(bytes, None);
    Format::ALL.into_iter().for_each(|format| reads_to_the_end(bytes, Some(format)));
}

/// Text made of what the formats are made of, so that it gets far into them.
fn like_a_trace() -> impl Strategy<Value = Vec<u8>> {
    let word = prop_oneof![
        prop::sample::select(vec![
            "R",
            "W",
            "r",
            "Q",
            "D",
            "+",
            "RA",
            "WS",
            "FWS",
            "Read",
            "Write",
            "read",
            "write",
            "add",
            "open",
            "8,0",
            "259,12",
            "[x]",
            "#",
            "2a",
            "28",
            "ff",
            "web",
            "/dev/sda",
            "wait",
            "trim",
            "CPU0",
            "Total",
            "version",
            "fio version 2 iolog\n",
            "fio version 3 iolog\n",
            "#Serial Number,\n",
            "Timestamp",
        ])
        .prop_map(str::to_owned),
        any::<u64>().prop_map(|n| n.to_string()),
        (0u64..5000).prop_map(|n| n.to_string()),
        any::<f64>().prop_map(|n| n.to_string()),
        (0.0..1e3).prop_map(|n| format!("{n:.6}")),
        Just("18446744073709551616".to_owned()),
        Just("-1".to_owned()),
        Just("NaN".to_owned()),
        Just(String::new()),
    ];
    let between = prop::sample::select(vec![",", " ", "\t", "\n", "\r\n", ", ", "\0"]);
    prop::collection::vec((word, between), 0..200).prop_map(|parts| {
        parts
            .into_iter()
            .flat_map(|(word, between)| {
                word.into_bytes().into_iter().chain(between.bytes()).collect::<Vec<_>>()
            })
            .collect()
    })
}

/// A line that is right but for one field.
fn nearly_right() -> impl Strategy<Value = Vec<u8>> {
    let line = prop::sample::select(vec![
        "R 15 4",
        "130000000000000000,web,0,Read,4096,8192,501",
        "1,5000000,2a,512,40000001",
        "0,30000128,8192,W,0.100000",
        "1 1 0 0",
        "fio version 3 iolog\n7 /dev/sdb write 4096 16384",
        "8,0 3 2 0.000001829 412 Q W 300016 + 8 [jbd2/sda1]",
        "419,W,8792731648,16384,1577808144360767",
        "1538323200,6338688,8,1,1627",
        "1456095145.133076000,0.000806000,R,0,899056122368,131072",
        "89968195792462 20782 gzip 283193184 8 R 6 0 56f11b711d91a065a2b6458eca924523",
        "4851.3 1 524288 16 0",
        "0,nsq5ZkMLB3aBkSuCc,17,204,11,get,0",
        "1668601561,GET,4096,2,18",
        "0.000004 supervise 1950 xvda1 W 13092560 4096 0.74",
    ]);
    (line, any::<prop::sample::Index>(), "[0-9a-zA-Z.,+-]{0,25}").prop_map(|(line, at, new)| {
        let fields: Vec<&str> = line.split_inclusive([' ', ',']).collect();
        let at = at.index(fields.len());
        let edited = fields.iter().enumerate().map(|(i, field)| match i == at {
            true => format!("{new}{}", field.matches([' ', ',']).next_back().unwrap_or("")),
            false => (*field).to_owned(),
        });
        let edited: String = edited.collect();
        format!("{line}\n{edited}\n{line}\n").into_bytes()
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, rng_seed: prop::test_runner::RngSeed::Fixed(1), ..ProptestConfig::default() })]

    #[test]
    fn any_bytes(bytes in prop::collection::vec(any::<u8>(), 0..2000)) {
        everywhere(&bytes);
    }

    #[test]
    fn bytes_that_say_they_are_compressed(kind in 0usize..3, bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        let magic: [&[u8]; 3] = [&[0x1f, 0x8b, 8], &[0x28, 0xb5, 0x2f, 0xfd], b"\xfd7zXZ\0"];
        everywhere(&[magic[kind], &bytes].concat());
    }

    #[test]
    fn compressed_files_with_bytes_changed(
        name in prop::sample::select(vec!["members.gz", "frames.zst", "streams.xz"]),
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6),
    ) {
        let mut bytes = std::fs::read(crate::sample(name)).unwrap();
        for (at, byte) in changes {
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        reads_to_the_end(&bytes, Some(Format::Pages));
    }

    #[test]
    fn text_like_a_trace(bytes in like_a_trace()) {
        everywhere(&bytes);
    }

    #[test]
    fn lines_that_are_nearly_right(bytes in nearly_right()) {
        everywhere(&bytes);
    }

    #[test]
    fn records_like_a_trace(version in 1u8..3, fields in prop::collection::vec(any::<[u64; 5]>(), 1..20)) {
        let mut bytes = Vec::new();
        for field in &fields {
            let mut record: Vec<u8> = field.iter().flat_map(|word| word.to_le_bytes()).collect();
            match version {
                1 => {
                    record.truncate(32);
                    record[12..16].copy_from_slice(&[0x2a, 0, 0, 1]);
                }
                _ => record[0..4].copy_from_slice(&[0x28, 0, 0, 2]),
            }
            bytes.extend(record);
        }
        everywhere(&bytes);
    }

    /// Any request as pages: as many accesses as it has pages, and no panic at the edges.
    #[test]
    fn requests_become_pages(address in any::<u64>(), length in 1u32..100_000, page_bytes in 512u32..65_536) {
        let length = length.min((u64::MAX - address).saturating_add(1).min(100_000) as u32).max(1);
        let text = format!("1,leadline,0,Read,{address},{length},0\n");
        let trace = in_memory(text, Some(Format::Msr)).unwrap();
        prop_assert_eq!(trace.unit(), Unit::Byte);
        let mut pages = Pages::new(trace, page_bytes);
        let size = u64::from(page_bytes);
        let last = (address + u64::from(length - 1)) / size;
        for page in address / size..=last {
            prop_assert_eq!(pages.next().unwrap().unwrap().page, page);
        }
        prop_assert!(pages.next().unwrap().is_none());
    }
}
