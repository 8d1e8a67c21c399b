//! Every kind of fault, as a program sees it.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::time::{Duration, Instant};

use leadline_emulate::FaultKind;

use crate::drive::{Drive, O_DIRECT, can_mount};

/// A page that lies as direct I/O wants it.
#[repr(C, align(4096))]
struct Page([u8; 4096]);

/// A file of `pages` pages, each full of its number, durable.
fn numbered(drive: &Drive, pages: u8) -> File {
    let path = drive.path("file");
    let bytes: Vec<u8> = (0..pages).flat_map(|page| [page; 4096]).collect();
    fs::write(&path, bytes).unwrap();
    File::open(&path).unwrap().sync_all().unwrap();
    // Past the page cache: what is asked is what the drive does.
    OpenOptions::new().read(true).write(true).custom_flags(O_DIRECT).open(path).unwrap()
}

fn write(file: &File, page: u64, byte: u8) -> io::Result<()> {
    file.write_all_at(&Page([byte; 4096]).0, page * 4096)
}

fn read(file: &File, page: u64) -> io::Result<[u8; 4096]> {
    let mut buffer = Page([0xee; 4096]);
    file.read_exact_at(&mut buffer.0, page * 4096)?;
    Ok(buffer.0)
}

fn code(result: io::Result<impl Sized>) -> i32 {
    result.err().and_then(|error| error.raw_os_error()).expect("an error of the system")
}

const EIO: i32 = 5;
const ENOSPC: i32 = 28;

#[test]
fn an_error_is_returned_once_and_nothing_is_done() {
    if !can_mount() {
        return;
    }
    let drive = Drive::new();
    let file = numbered(&drive, 4);
    drive.inject(FaultKind::Eio);
    assert_eq!(code(write(&file, 1, 99)), EIO);
    assert_eq!(read(&file, 1).unwrap(), [1; 4096]);
    drive.inject(FaultKind::Eio);
    assert_eq!(code(read(&file, 2)), EIO);
    assert_eq!(read(&file, 2).unwrap(), [2; 4096]);
    drive.inject(FaultKind::Enospc);
    assert_eq!(code(write(&file, 3, 99)), ENOSPC);
    write(&file, 3, 98).unwrap();
    drive.inject(FaultKind::Eio);
    assert_eq!(code(file.sync_all()), EIO);
    file.sync_all().unwrap();
    // An fsync that failed and was repeated has done its work.
    drive.power_cut(None);
    assert_eq!(fs::read(drive.path("file")).unwrap()[3 * 4096], 98);
    assert_eq!(drive.report().faults["eio"], 3);
}

#[test]
fn an_error_may_last_forever() {
    if !can_mount() {
        return;
    }
    let schedule = "[[fault]]\nkind = \"eio\"\noperation = \"fsync\"\npath = \"file\"\nafter_ops = 1\ntimes = \"forever\"\n";
    let drive = Drive::with_faults(schedule);
    let file = numbered(&drive, 1);
    for _ in 0..3 {
        assert_eq!(code(file.sync_data()), EIO);
    }
    fs::write(drive.path("other"), "x").unwrap();
    File::open(drive.path("other")).unwrap().sync_all().unwrap();
}

#[test]
fn a_torn_write_leaves_whole_sectors_of_either_version() {
    if !can_mount() {
        return;
    }
    let drive = Drive::new();
    let file = numbered(&drive, 64);
    let mut mixed = 0;
    for page in 0..16 {
        drive.inject(FaultKind::TornWrite);
        write(&file, page, 200).unwrap();
        let now = read(&file, page).unwrap();
        for sector in now.chunks(512) {
            assert!(sector.iter().all(|&byte| byte == sector[0]));
            assert!(sector[0] == 200 || sector[0] == page as u8);
        }
        mixed += u32::from(now.contains(&200) && now.contains(&(page as u8)));
    }
    assert!(mixed >= 12, "{mixed} of 16 were torn");
}

#[test]
fn a_lost_write_is_acknowledged_and_the_old_bytes_stay() {
    if !can_mount() {
        return;
    }
    let drive = Drive::new();
    let file = numbered(&drive, 2);
    drive.inject(FaultKind::LostWrite);
    write(&file, 1, 99).unwrap();
    assert_eq!(read(&file, 1).unwrap(), [1; 4096]);
}

#[test]
fn a_misdirected_write_lands_on_another_page() {
    if !can_mount() {
        return;
    }
    let drive = Drive::new();
    let file = numbered(&drive, 8);
    drive.inject(FaultKind::MisdirectedWrite);
    write(&file, 3, 99).unwrap();
    assert_eq!(read(&file, 3).unwrap(), [3; 4096]);
    let hit = (0..8).filter(|&page| read(&file, page).unwrap() == [99; 4096]).count();
    assert_eq!(hit, 1);
}

fn wrong_bits(found: &[u8], expected: u8) -> u32 {
    found.iter().map(|byte| (byte ^ expected).count_ones()).sum()
}

#[test]
fn a_bit_flipped_on_the_way_is_gone_and_one_on_the_medium_stays() {
    if !can_mount() {
        return;
    }
    let drive = Drive::new();
    let file = numbered(&drive, 2);
    drive.inject(FaultKind::BitFlipRead);
    assert_eq!(wrong_bits(&read(&file, 1).unwrap(), 1), 1);
    assert_eq!(wrong_bits(&read(&file, 1).unwrap(), 1), 0);
    drive.inject(FaultKind::BitFlipMedia);
    assert_eq!(wrong_bits(&read(&file, 1).unwrap(), 1), 1);
    assert_eq!(wrong_bits(&read(&file, 1).unwrap(), 1), 1);
    // Also where a change that is not durable covers the byte.
    write(&file, 0, 77).unwrap();
    drive.inject(FaultKind::BitFlipMedia);
    assert_eq!(wrong_bits(&read(&file, 0).unwrap(), 77), 1);
    assert_eq!(wrong_bits(&read(&file, 0).unwrap(), 77), 1);
    drop(file);
    drive.power_cut(None);
    assert_eq!(wrong_bits(&fs::read(drive.path("file")).unwrap()[4096..], 1), 1);
}

#[test]
fn a_stalled_drive_answers_nothing_and_a_slow_one_later() {
    if !can_mount() {
        return;
    }
    let drive = Drive::with_faults(
        "[[fault]]\nkind = \"stall\"\noperation = \"write\"\nrange = [4096, 4097]\nseconds = 0.3\n\
         [[fault]]\nkind = \"slow\"\noperation = \"write\"\nrange = [8192, 8193]\nseconds = 60\nfactor = 200000\n",
    );
    let path = drive.path("file");
    let file = OpenOptions::new().write(true).create_new(true).custom_flags(O_DIRECT).open(path).unwrap();
    write(&file, 0, 1).unwrap();
    let began = Instant::now();
    write(&file, 1, 1).unwrap();
    // Less what was taken off for the way, which a busy machine makes longer.
    assert!(began.elapsed() >= Duration::from_millis(240));
    let began = Instant::now();
    write(&file, 2, 1).unwrap();
    // A microsecond, 200,000 times as long.
    assert!(began.elapsed() >= Duration::from_millis(160));
}

#[test]
fn a_flush_that_lies_makes_nothing_durable() {
    if !can_mount() {
        return;
    }
    let drive = Drive::new();
    let file = numbered(&drive, 2);
    write(&file, 0, 98).unwrap();
    file.sync_all().unwrap();
    drive.inject(FaultKind::FlushLies);
    write(&file, 1, 99).unwrap();
    file.sync_all().unwrap();
    assert_eq!(read(&file, 1).unwrap(), [99; 4096]);
    drive.power_cut(None);
    let left = fs::read(drive.path("file")).unwrap();
    assert_eq!((left[0], left[4096]), (98, 1));
}

#[test]
fn a_failed_sync_may_drop_what_it_was_to_write_and_the_next_succeeds() {
    if !can_mount() {
        return;
    }
    let drive = Drive::new();
    let file = numbered(&drive, 2);
    drive.inject(FaultKind::DropDirty);
    write(&file, 1, 99).unwrap();
    assert_eq!(code(file.sync_all()), EIO);
    file.sync_all().unwrap();
    assert_eq!(read(&file, 1).unwrap(), [1; 4096]);
}

#[test]
fn the_power_goes_at_an_operation_of_the_schedule() {
    if !can_mount() {
        return;
    }
    for (kind, survives) in [("power-cut", false), ("power-cut-random", true)] {
        let schedule = format!(
            "seed = 3\n[[fault]]\nkind = \"{kind}\"\noperation = \"write\"\npath = \"file\"\nrange = [65536, 65537]\n"
        );
        let drive = Drive::with_faults(&schedule);
        let file = numbered(&drive, 16);
        for page in 0..16 {
            write(&file, page, 100 + page as u8).unwrap();
        }
        assert_eq!(code(write(&file, 16, 116)), EIO);
        // The handle is one of a machine that is gone.
        assert_eq!(code(read(&file, 0)), EIO);
        let left = fs::read(drive.path("file")).unwrap();
        assert_eq!(left.len(), 16 * 4096);
        let new = left.chunks(512).enumerate().filter(|(i, sector)| sector[0] == 100 + (i / 8) as u8).count();
        assert!(if survives { (20..108).contains(&new) } else { new == 0 }, "{kind}: {new} of 128 sectors");
        let report = drive.report();
        assert_eq!((report.power_cuts.len(), report.faults[kind]), (1, 1));
        assert!(report.power_cuts[0].cut.writes_lost > 0);
    }
}
