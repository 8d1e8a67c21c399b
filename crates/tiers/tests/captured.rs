//! The cache on what MariaDB asked for in TPC-H's Q3: `data/q3-0.01.capture`, made at scale 0.01 by
//! `tpch run FOLDER --device devices/slow.toml --queries q3 --traces .` (examples/tpch).

use leadline_device::Request;
use leadline_pool::policy::PolicyKind;
use leadline_tiers::Admission;
use leadline_trace::capture::Reader;

use crate::hits::agree;

/// Files lie so far apart.
const FILE_BYTES: u64 = 32 << 20;

fn requests() -> Vec<Request> {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/q3-0.01.capture");
    let mut reader = Reader::open(path).unwrap();
    let mut requests = Vec::new();
    while let Some(event) = reader.next_event().unwrap() {
        let (offset, length) = (u64::from(event.file) * FILE_BYTES + event.offset, event.length as u32);
        assert!(event.offset + event.length <= FILE_BYTES);
        if event.operation.moves_bytes() && length > 0 {
            let write = event.operation.is_write();
            requests.push(if write {
                Request::write(0, offset, length)
            } else {
                Request::read(0, offset, length)
            });
        }
    }
    requests
}

#[test]
fn every_policy_hits_as_a_plain_cache_does_on_a_captured_query() {
    let requests = requests();
    assert!(requests.len() > 500, "{}", requests.len());
    for &kind in PolicyKind::ALL {
        for admission in Admission::ALL {
            for frames in [16, 200] {
                agree(kind, admission, frames, &requests).unwrap();
            }
        }
    }
}
