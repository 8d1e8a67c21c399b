//! Writing: what was written is read back, in every format that can be written, up to what that format cannot
//! say.

use leadline_trace::{CopyError, Format, Request, Trace, TraceError, Unit, Writer, copy};
use proptest::prelude::*;

use crate::{all, in_memory, short};

/// Requests as a trace.
struct Given {
    unit: Unit,
    requests: std::vec::IntoIter<Request>,
}

impl Trace for Given {
    fn unit(&self) -> Unit {
        self.unit
    }

    fn next(&mut self) -> Result<Option<Request>, TraceError> {
        Ok(self.requests.next())
    }
}

fn written(requests: &[Request], unit: Unit, format: Format, page_bytes: u32) -> Result<Vec<u8>, TraceError> {
    let mut writer = Writer::new(Vec::new(), "out", format, unit, page_bytes)?;
    for request in requests {
        writer.write(request)?;
    }
    writer.finish()
}

/// Requests of up to four volumes, times ascending from 0, which formats can say to the microsecond at least.
fn requests(sectors: bool) -> impl Strategy<Value = Vec<Request>> {
    let one = (0u64..10_000_000, 0u32..4, any::<bool>(), 0u64..1 << 40, 1u32..1 << 20);
    prop::collection::vec(one, 0..50).prop_map(move |drawn| {
        let (mut at_us, mut known) = (0, Vec::new());
        let requests = drawn.into_iter().enumerate().map(|(i, (gap, volume, write, address, length))| {
            at_us += if i == 0 { 0 } else { gap };
            // Volumes are numbered as they appear.
            let volume = known.iter().position(|&seen| seen == volume).unwrap_or_else(|| {
                known.push(volume);
                known.len() - 1
            }) as u32;
            let address = if sectors { address * 512 } else { address };
            Request { at_ns: at_us * 1000, volume, write, address, length }
        });
        requests.collect()
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, rng_seed: prop::test_runner::RngSeed::Fixed(2), ..ProptestConfig::default() })]

    #[test]
    fn formats_of_bytes_keep_everything(requests in requests(true), format in prop::sample::select(vec![Format::Msr, Format::Spc, Format::Fio])) {
        let bytes = written(&requests, Unit::Byte, format, 4096).unwrap();
        prop_assert_eq!(all(in_memory(bytes.clone(), Some(format)).unwrap()), requests.clone());
        if !requests.is_empty() {
            prop_assert_eq!(all(in_memory(bytes, None).unwrap()), requests);
        }
    }

    #[test]
    fn pages_keep_all_but_times_and_volumes(requests in requests(false)) {
        let requests: Vec<Request> = requests.into_iter().map(|r| Request { volume: 0, ..r }).collect();
        let bytes = written(&requests, Unit::Page, Format::Pages, 4096).unwrap();
        let untimed: Vec<Request> = requests.iter().map(|r| Request { at_ns: 0, ..*r }).collect();
        prop_assert_eq!(all(in_memory(bytes, Some(Format::Pages)).unwrap()), untimed);
    }

    #[test]
    fn oraclegeneral_keeps_pages_and_seconds(requests in requests(false)) {
        let requests: Vec<Request> =
            requests.into_iter().map(|r| Request { volume: 0, length: 1 + r.length % 5, ..r }).collect();
        let bytes = written(&requests, Unit::Page, Format::OracleGeneral, 4096).unwrap();
        let expected: Vec<(u64, u64)> = requests
            .iter()
            .flat_map(|r| (0..u64::from(r.length)).map(|page| (r.at_ns / 1_000_000_000, r.address + page)))
            .collect();
        let got = all(in_memory(bytes, Some(Format::OracleGeneral)).unwrap());
        let got: Vec<(u64, u64)> = got.iter().map(|r| (r.at_ns / 1_000_000_000, r.address)).collect();
        prop_assert_eq!(got, expected);
    }

    /// Bytes as pages and pages as bytes cover the same ground.
    #[test]
    fn units_are_turned_into_each_other(requests in requests(false), page_bytes in 1u32..10_000) {
        let requests: Vec<Request> =
            requests.into_iter().map(|r| Request { volume: 0, at_ns: 0, length: r.length % 1000 + 1, ..r }).collect();
        let bytes = written(&requests, Unit::Page, Format::Fio, page_bytes).unwrap();
        let back = written(&all(in_memory(bytes, Some(Format::Fio)).unwrap()), Unit::Byte, Format::Pages, page_bytes).unwrap();
        prop_assert_eq!(all(in_memory(back, Some(Format::Pages)).unwrap()), requests);
    }
}

fn request(volume: u32, address: u64, length: u32) -> Request {
    Request { at_ns: 0, volume, write: true, address, length }
}

#[test]
fn files_look_as_other_programs_expect_them() {
    let two = [
        Request { at_ns: 0, volume: 0, write: false, address: 4096, length: 8192 },
        Request { at_ns: 1_500_000_700, volume: 1, write: true, address: 512, length: 512 },
    ];
    let text = |format| String::from_utf8(written(&two, Unit::Byte, format, 4096).unwrap()).unwrap();
    assert_eq!(text(Format::Spc), "0,8,8192,R,0.000000000\n1,1,512,W,1.500000700\n");
    assert_eq!(
        text(Format::Msr),
        "116444736000000000,leadline,0,Read,4096,8192,0\n116444736015000007,leadline,1,Write,512,512,0\n"
    );
    assert_eq!(
        text(Format::Fio),
        "fio version 3 iolog\n0 volume0 add\n0 volume0 open\n0 volume0 read 4096 8192\n\
         1500000 volume1 add\n1500000 volume1 open\n1500000 volume1 write 512 512\n\
         1500000 volume0 close\n1500000 volume1 close\n"
    );
    // Page 0 of the second volume lies 2^44 pages on.
    assert_eq!(text(Format::Pages), "R 1 2\nW 17592186044416\n");
    let record = written(&two[1..], Unit::Byte, Format::OracleGeneral, 4096).unwrap();
    let expected = [&[1, 0, 0, 0][..], &(1u64 << 44).to_le_bytes(), &[0, 16, 0, 0], &[0xff; 8]].concat();
    assert_eq!(record, expected);
}

#[test]
fn what_a_format_cannot_say_is_refused() {
    for (request, unit, format, parts) in [
        (request(0, 100, 1), Unit::Byte, Format::Spc, &["request 1", "address 100", "512"][..]),
        (request(0, 1 << 60, 1), Unit::Page, Format::Fio, &["2^64"]),
        (request(0, 0, 1 << 30), Unit::Page, Format::Msr, &["4 GiB"]),
        (request(1, 1 << 44, 1), Unit::Page, Format::Pages, &["several volumes"]),
    ] {
        let text = written(&[request], unit, format, 4096).unwrap_err().to_string();
        assert!(text.starts_with("out:1: ") && parts.iter().all(|part| text.contains(part)), "{text}");
    }
    let late = Request { at_ns: u64::MAX, ..request(0, 0, 1) };
    assert!(written(&[late], Unit::Page, Format::OracleGeneral, 4096).is_err());
    for format in [Format::CloudPhysics, Format::Vscsi, Format::Arc, Format::Blkparse] {
        let text = written(&[], Unit::Page, format, 4096).unwrap_err().to_string();
        assert!(text.contains("only read") && text.contains("oraclegeneral"), "{text}");
    }
}

#[test]
fn a_request_of_all_lengths_in_pages_of_a_byte_is_kept_whole() {
    let bytes = written(&[request(0, 5, u32::MAX)], Unit::Byte, Format::Pages, 1).unwrap();
    assert_eq!(bytes, b"W 5 4294967295\n");
}

#[test]
fn writes_that_become_reads_are_counted() {
    let mut writer = Writer::new(Vec::new(), "out", Format::OracleGeneral, Unit::Page, 4096).unwrap();
    writer.write(&request(0, 1, 1)).unwrap();
    writer.write(&Request { write: false, ..request(0, 1, 1) }).unwrap();
    assert_eq!((writer.writes_lost(), writer.keeps_times()), (1, true));
    let mut writer = Writer::new(Vec::new(), "out", Format::Pages, Unit::Page, 4096).unwrap();
    writer.write(&request(0, 1, 1)).unwrap();
    assert_eq!((writer.writes_lost(), writer.keeps_times()), (0, false));
}

#[test]
fn copying_stops_at_what_is_bad_or_leaves_it_out() {
    let text = "R 1\nbad\nR 2\nR\nW 3\n";
    let writer = || Writer::new(Vec::new(), "out", Format::Pages, Unit::Page, 4096).unwrap();
    let mut trace = in_memory(text, Some(Format::Pages)).unwrap();
    match copy(&mut *trace, &mut writer(), false, &mut |_, _| true) {
        Err(CopyError::Read(error)) => assert!(error.to_string().starts_with("t:2: "), "{error}"),
        other => panic!("{other:?}"),
    }
    let mut trace = in_memory(text, Some(Format::Pages)).unwrap();
    let mut kept = writer();
    let copied = copy(&mut *trace, &mut kept, true, &mut |_, _| true).unwrap();
    assert_eq!((copied.requests, copied.skipped), (3, 2));
    assert!(copied.first_skipped.unwrap().to_string().starts_with("t:2: "));
    assert_eq!(kept.finish().unwrap(), b"R 1\nR 2\nW 3\n");
}

#[test]
fn copying_ends_when_the_watcher_says_so() {
    let requests = vec![request(0, 1, 1); 100_000];
    let mut trace = Given { unit: Unit::Page, requests: requests.into_iter() };
    let mut writer = Writer::new(Vec::new(), "out", Format::Pages, Unit::Page, 4096).unwrap();
    let mut seen = 0;
    let result = copy(&mut trace, &mut writer, false, &mut |done, _| {
        seen = done;
        done < 50_000
    });
    assert!(matches!(result, Err(CopyError::Interrupted)));
    assert!((50_000..100_000).contains(&seen), "{seen}");
}

#[test]
fn volumes_of_another_trace_are_kept_apart_as_pages() {
    let requests = [request(0, 7, 1), request(1, 7, 1), request(0, 7, 1)];
    let bytes = written(&requests, Unit::Page, Format::Pages, 4096).unwrap();
    let pages: Vec<String> = all(in_memory(bytes, Some(Format::Pages)).unwrap()).iter().map(short).collect();
    assert_eq!(pages[0], pages[2]);
    assert_ne!(pages[0], pages[1]);
}
