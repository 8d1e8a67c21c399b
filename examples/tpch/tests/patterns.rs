//! What is sequential, random and repeated.

use std::fs;
use std::path::Path;

use leadline_tpch::compare::Class;
use leadline_tpch::run::{Access, TableAccess};
use leadline_trace::capture::{Event, Operation, Thread, Writer};

const PAGE: u64 = 16_384;

/// A capture of reads of ORDERS: when each was issued and completed, and of which page.
fn capture(path: &Path, reads: &[(u64, u64, u64)]) {
    let mut writer = Writer::new(Vec::new());
    let others = writer.file("data/ibdata1").unwrap();
    let temporary = writer.file("tmp/#sql-temptable-1.MAD").unwrap();
    let file = writer.file("data/tpch/orders.ibd").unwrap();
    let thread = writer.thread(&Thread { tid: 7, pid: 7, name: "mariadbd".into() }).unwrap();
    let mut event = |issued_ns, completed_ns, file, operation, offset, length| {
        writer.event(&Event { issued_ns, completed_ns, thread, file, operation, offset, length }).unwrap();
    };
    event(0, 1, others, Operation::Read, 0, PAGE);
    event(0, 1, temporary, Operation::Write, 0, 1000);
    for (issued, completed, page) in reads {
        event(*issued, *completed, file, Operation::Read, page * PAGE, PAGE);
    }
    fs::write(path, writer.finish(1_000_000).unwrap()).unwrap();
}

#[test]
fn read_ahead_is_several_pages_of_an_area_without_waiting() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("c.capture");
    let reads = [
        // One after the other, each awaited: random, though neighbours.
        (10, 20, 5),
        (30, 40, 6),
        // Read ahead, past a page that is in the pool already.
        (50, 90, 64),
        (51, 90, 65),
        (52, 90, 67),
        // Awaited: page 5 again.
        (100, 110, 5),
        // Two at once, of different areas.
        (120, 140, 127),
        (121, 140, 128),
    ];
    capture(&path, &reads);
    let access = Access::of(&path).unwrap();
    assert_eq!(access.all, access.tables["orders"]);
    assert_eq!(access.tables.len(), 1);
    assert_eq!(access.all, TableAccess { pages: 8, sequential: 3, distinct: 7, written: 0 });
    assert_eq!(access.all.repeat_access_rate(), 8.0 / 7.0);
    assert_eq!(access.temporary_written_bytes, 1000);
}

#[test]
fn classes_are_the_papers() {
    assert_eq!(Class::of(0.50, Some(4.0)), Class::Sequential);
    assert_eq!(Class::of(0.51, Some(1.0)), Class::Random);
    // The paper's rates have one decimal.
    assert_eq!(Class::of(0.51, Some(1.149)), Class::Random);
    assert_eq!(Class::of(0.51, Some(1.151)), Class::RandomRepeated);
    assert_eq!(Class::of(0.51, None), Class::RandomUnknown);
    assert!(Class::RandomUnknown.may_be(Class::Random) && !Class::RandomUnknown.may_be(Class::Sequential));
}
