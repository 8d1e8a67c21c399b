//! What is sequential, random and repeated.

use std::fs;
use std::path::Path;

use leadline_tpch::compare::Class;
use leadline_tpch::run::{Access, TableAccess};
use leadline_trace::capture::{Event, Operation, Thread, Writer};

const PAGE: u64 = 16_384;

/// A capture of reads of ORDERS: when each was issued and completed, and of which page.
fn capture(path: &Path, reads: impl Iterator<Item = (u64, u64, u64)>) {
    let mut writer = Writer::new(Vec::new());
    let others = writer.file("data/ibdata1").unwrap();
    let temporary = writer.file("tmp/#sql-temptable-1.MAD").unwrap();
    let file = writer.file("data/tpch/orders.ibd").unwrap();
    let thread = writer.thread(&Thread { tid: 7, pid: 7, name: "mariadbd".into() }).unwrap();
    let mut event = |issued_ns, completed_ns, file, operation, offset, length| {
        writer.event(&Event { issued_ns, completed_ns, thread, file, operation, offset, length }).unwrap();
    };
    event(0, 1000, others, Operation::Read, 0, PAGE);
    event(0, 1000, temporary, Operation::Write, 0, PAGE);
    for (issued, completed, page) in reads {
        event(issued, completed, file, Operation::Read, page * PAGE, PAGE);
    }
    fs::write(path, writer.finish(100_000_000).unwrap()).unwrap();
}

#[test]
fn tables_are_told_from_other_files_and_read_ahead_from_reads_on_demand() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("c.capture");
    // Sixteen pages one at a time, an extent at once, and three of the first pages again.
    let on_demand = (0..16).map(|page| (1_000_000 * page, 1_000_000 * page + 200_000, page));
    let ahead = (64..128).map(|page| (20_000_000 + 1000 * page, 21_000_000, page));
    let again = (0..3).map(|page| (30_000_000 + 1_000_000 * page, 30_200_000 + 1_000_000 * page, page));
    capture(&path, on_demand.chain(ahead).chain(again));
    let access = Access::of(&path).unwrap();
    assert_eq!(access.all, access.tables["orders"]);
    assert_eq!(access.tables.len(), 1);
    assert_eq!(access.all, TableAccess { pages: 83, sequential: 64, distinct: 80, written: 0 });
    assert_eq!(access.all.repeat_access_rate(), 83.0 / 80.0);
    assert_eq!(access.temporary_written_bytes, PAGE);
    assert_eq!(access.temporary_share(), 1.0 / 84.0);
    // 19 reads of 200 us, and the extent from its first read to the last answer.
    assert!((access.io_seconds - (19.0 * 0.0002 + 0.000_936)).abs() < 1e-9, "{access:?}");
    assert!((access.computing_seconds - 0.1 + access.io_seconds).abs() < 1e-9, "{access:?}");
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
