//! Runs are written, read, merged, and damaged.

use super::*;
use crate::updates::rows::Change;

fn rows(count: u64, step: u64) -> Vec<Row> {
    let row = |at: u64| {
        let key = at * step * 0x3_0000_0007;
        Row::new(key, if at.is_multiple_of(5) { Change::Remove } else { Change::Add(at as f64 / 3.0) })
    };
    (0..count).map(row).collect()
}

fn write(path: &Path, forward: &[Row], reverse: &[Row]) -> Run {
    let mut writer = RunWriter::create(path, 9, true, 4).unwrap();
    forward.iter().for_each(|row| writer.push(*row).unwrap());
    writer.start_reverse().unwrap();
    reverse.iter().for_each(|row| writer.push(*row).unwrap());
    writer.finish().unwrap();
    Run::open(path, 9).unwrap()
}

#[test]
fn ranges_of_a_run_have_the_rows_that_were_written() {
    let folder = tempfile::tempdir().unwrap();
    let all = rows(50_000, 1);
    let run = write(&folder.path().join("run"), &all, &all[..3]);
    assert!(run.forward.firsts.len() > 10);
    let mut window = Window::default();
    let keys: Vec<u64> = all.iter().step_by(977).map(|row| row.key).collect();
    for start in &keys {
        for end in [*start, start + 1, start + (1 << 36), start + (1 << 45)] {
            let mut found = Vec::new();
            run.forward.rows(*start..end, &mut window, &mut found).unwrap();
            assert_eq!(found, rows::within(&all, *start..end));
        }
    }
    let mut found = Vec::new();
    run.reverse.unwrap().rows(0..u64::MAX, &mut Window::default(), &mut found).unwrap();
    assert_eq!(found, all[..3]);
}

#[test]
fn single_keys_have_their_rows_before_and_after_there_is_a_filter() {
    let folder = tempfile::tempdir().unwrap();
    let all = rows(50_000, 1);
    let run = write(&folder.path().join("run"), &all, &[]).forward;
    let wanted: Vec<Row> = all.iter().step_by(977).copied().collect();
    let mut window = Window::default();
    let mut look_up = |keys: &[u64]| {
        let mut found = Vec::new();
        run.each_of(keys, &mut window, |row| found.push(row)).unwrap();
        (found, window.take_reads())
    };
    for row in &wanted {
        assert_eq!(look_up(&[row.key, row.key + 1]).0, [*row]);
    }
    let keys: Vec<u64> = wanted.iter().flat_map(|row| [row.key, row.key + 1]).collect();
    assert_eq!(look_up(&keys).0, wanted);
    let others: Vec<u64> = wanted.iter().map(|row| row.key + 1).collect();
    let (found, reads) = look_up(&others);
    assert!(found.is_empty() && reads < 5, "{reads} reads for {} keys that are not there", others.len());
}

#[test]
fn merged_runs_come_to_what_their_rows_composed_do() {
    let folder = tempfile::tempdir().unwrap();
    let layers = [rows(9000, 2), rows(7000, 3), rows(5000, 1)];
    let names = ["a", "b", "c"].map(|name| folder.path().join(name));
    let runs: Vec<Run> = layers.iter().zip(&names).map(|(layer, path)| write(path, layer, &[])).collect();
    let sides: Vec<&RunSide> = runs.iter().map(|run| &*run.forward).collect();
    let mut found = Vec::new();
    merge(&sides, |row| {
        found.push(row);
        Ok(())
    })
    .unwrap();
    let mut expected = layers.concat();
    rows::compose(&mut expected, &[0, 9000, 16_000]);
    assert_eq!(found, expected);
}

#[test]
fn a_run_that_claims_more_blocks_than_memory_holds_is_damaged() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run");
    write(&path, &rows(3000, 1), &rows(2000, 1));
    let whole = std::fs::read(&path).unwrap();
    for (forward, reverse) in [(1 << 58, 0), (u64::MAX, 2), (0, u64::MAX / BLOCK as u64)] {
        let mut forged = whole.clone();
        forged[24..32].copy_from_slice(&u64::to_le_bytes(forward));
        forged[32..40].copy_from_slice(&u64::to_le_bytes(reverse));
        let sum = checksum(&forged[..40], 9);
        forged[40..48].copy_from_slice(&sum.to_le_bytes());
        std::fs::write(&path, &forged).unwrap();
        let opened = Run::open(&path, 9);
        assert!(matches!(opened, Err(GraphError::Damaged { .. })), "{forward} and {reverse}: {opened:?}");
    }
}

#[test]
#[should_panic(expected = "rows in order")]
fn rows_out_of_order_are_never_written() {
    let folder = tempfile::tempdir().unwrap();
    let mut all = rows(3000, 1);
    all.swap(2000, 1000);
    write(&folder.path().join("run"), &all, &[]);
}

#[test]
fn a_byte_that_changed_is_found() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run");
    write(&path, &rows(3000, 1), &rows(2000, 1));
    let whole = std::fs::read(&path).unwrap();
    let used = |at: usize| at < 48 || at >= ALIGNMENT as usize;
    for at in (0..whole.len()).step_by(61).filter(|at| used(*at)) {
        let mut changed = whole.clone();
        changed[at] ^= 16;
        std::fs::write(&path, &changed).unwrap();
        let read = Run::open(&path, 9).and_then(|run| {
            let all = |side: &Arc<RunSide>| side.rows(0..u64::MAX, &mut Window::default(), &mut Vec::new());
            all(&run.forward).and_then(|()| all(run.reverse.as_ref().unwrap()))
        });
        assert!(matches!(read, Err(GraphError::Damaged { .. })), "byte {at}: {read:?}");
    }
}
