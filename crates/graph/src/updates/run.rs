//! A sorted run: rows in a file, in blocks with an index in front of which block begins with which key
//! (docs/graph-format.md).

use std::fs::{File, OpenOptions};
use std::io::Write as _;
use std::ops::Range;
use std::os::unix::fs::{FileExt, OpenOptionsExt as _};
use std::path::Path;
use std::sync::Arc;

use rustix::fs::OFlags;

use super::rows::{self, Change, Row};
use crate::GraphError;
use crate::direct::{DirectFile, SequentialWriter};
use crate::format::{ALIGNMENT, checksum};

const MAGIC: &[u8; 8] = b"LEADRUN1";

/// Bytes of a block.
const BLOCK: usize = 16 << 10;

/// Bytes in front of a block's rows: checksum, number of rows.
const BLOCK_HEAD: usize = 12;

/// Blocks that are read at a time.
const AHEAD: usize = 4;

/// Bytes that the largest row takes: two numbers and a weight.
const MOST_ROW: usize = 10 + 5 + 8;

/// Bytes of a write: some blocks.
const WRITE: usize = 4 * BLOCK;

/// An open run.
#[derive(Debug)]
pub(crate) struct Run {
    pub(crate) forward: Arc<RunSide>,
    /// Of a directed graph with reverse lists.
    pub(crate) reverse: Option<Arc<RunSide>>,
}

/// The rows of one direction.
#[derive(Debug)]
pub(crate) struct RunSide {
    file: Arc<File>,
    name: String,
    seed: u64,
    weighted: bool,
    /// Of the first block in the file, and its number there.
    offset: u64,
    base: u64,
    /// By block, its first key.
    firsts: Vec<u64>,
}

/// The block of a run that a thread looked at last.
#[derive(Debug, Default)]
pub(crate) struct Window {
    rows: Vec<Row>,
    block: Option<usize>,
    /// Some blocks as they are in the file, from `from` on.
    raw: Vec<u8>,
    start: usize,
    from: usize,
    there: usize,
}

impl Window {
    /// Bytes in memory, about.
    pub(crate) const BYTES: u64 = ((AHEAD + 1) * BLOCK + BLOCK * 16) as u64;
}

impl RunSide {
    /// Appends the rows of a range of keys.
    ///
    /// # Errors
    /// [`GraphError::Read`], [`GraphError::Damaged`].
    pub(crate) fn rows(
        &self,
        keys: Range<u64>,
        window: &mut Window,
        out: &mut Vec<Row>,
    ) -> Result<(), GraphError> {
        debug_assert!(keys.start <= keys.end && self.firsts.is_sorted());
        let mut block = self.firsts.partition_point(|first| *first <= keys.start).saturating_sub(1);
        // Rows of one key may be in two blocks.
        while block > 0 && self.firsts[block] == keys.start {
            block -= 1;
        }
        while self.firsts.get(block).is_some_and(|first| *first < keys.end) {
            self.load(block, window)?;
            out.extend_from_slice(rows::within(&window.rows, keys.clone()));
            block += 1;
        }
        Ok(())
    }

    /// The first key of all; none where there are no rows.
    pub(crate) fn first(&self) -> Option<u64> {
        self.firsts.first().copied()
    }

    pub(crate) fn index_bytes(&self) -> u64 {
        size_of_val(&self.firsts[..]) as u64
    }

    fn load(&self, block: usize, window: &mut Window) -> Result<(), GraphError> {
        if window.block == Some(block) {
            return Ok(());
        }
        window.block = None;
        if !(window.from..window.from + window.there).contains(&block) {
            self.read(block, window)?;
        }
        let at = window.start + (block - window.from) * BLOCK;
        let bytes = &window.raw[at..at + BLOCK];
        let number = self.base + block as u64;
        let damaged = |what: &str| {
            let place = self.offset + (block * BLOCK) as u64;
            GraphError::damaged(&self.name, format!("block {number}, at byte {place}, {what}"))
        };
        let (sum, rest) = bytes.split_at(8);
        if sum != checksum(rest, self.seed ^ number).to_le_bytes() {
            return Err(damaged("fails its checksum"));
        }
        window.rows.clear();
        decode(rest, self.weighted, &mut window.rows)
            .ok_or_else(|| damaged("has rows that no writer writes"))?;
        window.block = Some(block);
        Ok(())
    }

    /// Reads some blocks from one on.
    fn read(&self, block: usize, window: &mut Window) -> Result<(), GraphError> {
        let Window { raw, start, from, there, .. } = window;
        if raw.is_empty() {
            // Direct reads go to aligned places.
            raw.resize(AHEAD * BLOCK + ALIGNMENT as usize, 0);
            *start = raw.as_ptr().align_offset(ALIGNMENT as usize);
        }
        assert!(block < self.firsts.len(), "block {block} of {}", self.firsts.len());
        let count = AHEAD.min(self.firsts.len() - block);
        let bytes = &mut raw[*start..*start + count * BLOCK];
        *there = 0;
        let read = self.file.read_exact_at(bytes, self.offset + (block * BLOCK) as u64);
        read.map_err(|error| GraphError::read(&self.name, error))?;
        (*from, *there) = (block, count);
        Ok(())
    }
}

/// Numbers with 7 bits per byte, the lowest first.
fn put_number(mut number: u64, out: &mut Vec<u8>) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

fn take_number(bytes: &mut &[u8]) -> Option<u64> {
    let mut number = 0;
    for shift in (0..64).step_by(7) {
        let (first, rest) = bytes.split_first()?;
        *bytes = rest;
        number |= u64::from(first & 0x7f) << shift;
        if *first < 0x80 {
            return Some(number);
        }
    }
    None
}

/// A row behind another: by how much the neighbour is larger, or the vertex, and then the neighbour; with two
/// bits for which of both, and for what the row says.
fn encode(row: Row, before: u64, weighted: bool, out: &mut Vec<u8>) {
    let (vertex, neighbour) = (row.key >> 32, row.key & 0xffff_ffff);
    let remove = u64::from(row.change() == Change::Remove);
    match vertex - (before >> 32) {
        0 => put_number((neighbour - (before & 0xffff_ffff)) << 2 | remove, out),
        further => {
            put_number(further << 2 | 2 | remove, out);
            put_number(neighbour, out);
        }
    }
    if let Change::Add(weight) = row.change()
        && weighted
    {
        out.extend(weight.to_le_bytes());
    }
}

/// The rows of a block, behind its checksum.
fn decode(bytes: &[u8], weighted: bool, rows: &mut Vec<Row>) -> Option<()> {
    let (count, mut bytes) = bytes.split_first_chunk()?;
    let mut before = 0u64;
    for _ in 0..u32::from_le_bytes(*count) {
        let number = take_number(&mut bytes)?;
        let key = match number & 2 {
            0 => before.checked_add(number >> 2)?,
            _ => ((before >> 32).checked_add(number >> 2)?.checked_mul(1 << 32)?) | take_number(&mut bytes)?,
        };
        let change = match number & 1 {
            1 => Change::Remove,
            _ if weighted => {
                let (weight, rest) = bytes.split_first_chunk()?;
                bytes = rest;
                Change::Add(f64::from_le_bytes(*weight))
            }
            _ => Change::Add(0.0),
        };
        rows.push(Row::new(key, change));
        before = key;
    }
    Some(())
}

/// Writes a run.
#[derive(Debug)]
pub(crate) struct RunWriter<'p> {
    path: &'p Path,
    file: File,
    out: SequentialWriter,
    seed: u64,
    weighted: bool,
    sides: Vec<Vec<u64>>,
    blocks: u64,
    block: Vec<u8>,
    count: u32,
    before: u64,
}

impl<'p> RunWriter<'p> {
    /// `writes` are in flight at a time.
    pub(crate) fn create(
        path: &'p Path,
        seed: u64,
        weighted: bool,
        writes: u32,
    ) -> Result<RunWriter<'p>, GraphError> {
        let failed = |error| GraphError::write(path, error);
        let file =
            File::options().read(true).write(true).create(true).truncate(true).open(path).map_err(failed)?;
        let mut out = SequentialWriter::new(&DirectFile::new(&file, path)?, writes.max(1) as usize, WRITE)?;
        out.write_all(&[0; ALIGNMENT as usize]).map_err(failed)?;
        Ok(RunWriter {
            path,
            file,
            out,
            seed,
            weighted,
            sides: vec![Vec::new()],
            blocks: 0,
            block: Vec::with_capacity(BLOCK),
            count: 0,
            before: 0,
        })
    }

    /// The next row of the direction that is being written; their keys never fall.
    ///
    /// # Panics
    /// Where they do: what is written is the difference, and a reader would find none of what follows.
    pub(crate) fn push(&mut self, row: Row) -> Result<(), GraphError> {
        if self.count > 0 && self.block.len() + MOST_ROW > BLOCK {
            self.end_block()?;
        }
        if self.count == 0 {
            self.block.resize(BLOCK_HEAD, 0);
            let Some(firsts) = self.sides.last_mut() else {
                unreachable!("one of both directions is written")
            };
            // Until now it was that of the block before.
            assert!(firsts.is_empty() || self.before <= row.key, "rows in order");
            firsts.push(row.key);
            self.before = 0;
        }
        assert!(self.before <= row.key, "rows in order");
        encode(row, self.before, self.weighted, &mut self.block);
        (self.count, self.before) = (self.count + 1, row.key);
        Ok(())
    }

    /// Goes on with the rows of the other direction.
    pub(crate) fn start_reverse(&mut self) -> Result<(), GraphError> {
        assert_eq!(self.sides.len(), 1, "there are two directions");
        self.end_block()?;
        self.sides.push(Vec::new());
        Ok(())
    }

    fn end_block(&mut self) -> Result<(), GraphError> {
        if self.count == 0 {
            return Ok(());
        }
        // To make it shorter would cut rows off, under a checksum that is right.
        assert!(self.block.len() <= BLOCK, "{} bytes in a block", self.block.len());
        self.block.resize(BLOCK, 0);
        self.block[8..12].copy_from_slice(&self.count.to_le_bytes());
        let sum = checksum(&self.block[8..], self.seed ^ self.blocks);
        self.block[..8].copy_from_slice(&sum.to_le_bytes());
        self.out.write_all(&self.block).map_err(|error| GraphError::write(self.path, error))?;
        self.block.clear();
        (self.count, self.blocks) = (0, self.blocks + 1);
        Ok(())
    }

    /// Makes all durable; the file is a run then. Returns its bytes.
    pub(crate) fn finish(mut self) -> Result<u64, GraphError> {
        self.end_block()?;
        let RunWriter { path, file, out, seed, weighted, sides, blocks, .. } = self;
        assert_eq!(sides.iter().map(Vec::len).sum::<usize>() as u64, blocks, "each block has a first key");
        out.finish()?;
        let mut index: Vec<u8> = sides.iter().flatten().flat_map(|first| first.to_le_bytes()).collect();
        index.extend(checksum(&index, seed).to_le_bytes());
        let mut head = Vec::from(*MAGIC);
        let counts = sides.iter().map(|firsts| firsts.len() as u64).chain([0]).take(2);
        let fields = [u64::from(weighted), sides.len() as u64].into_iter().chain(counts);
        head.extend(fields.flat_map(u64::to_le_bytes));
        head.extend(checksum(&head, seed).to_le_bytes());
        let end = ALIGNMENT + blocks * BLOCK as u64;
        let written = file.write_all_at(&index, end).and_then(|()| file.sync_all());
        let written = written.and_then(|()| file.write_all_at(&head, 0)).and_then(|()| file.sync_all());
        written.map_err(|error| GraphError::write(path, error))?;
        Ok(end + index.len() as u64)
    }
}

impl Run {
    /// Opens a run, for reads past the page cache.
    ///
    /// # Errors
    /// [`GraphError::Damaged`], [`GraphError::Path`] where it is gone.
    pub(crate) fn open(path: &Path, seed: u64) -> Result<Run, GraphError> {
        let name = path.display().to_string();
        let file = File::open(path).map_err(|error| GraphError::opening(path, error))?;
        let failed = |error| GraphError::read(&name, error);
        let length = file.metadata().map_err(failed)?.len();
        let mut head = [0; 48];
        file.read_exact_at(&mut head, 0).map_err(failed)?;
        let number = |at: usize| u64::from_le_bytes(*head[at..].first_chunk().unwrap_or(&[0; 8]));
        let damaged = |what: &str| GraphError::damaged(&name, what.into());
        if head[..8] != *MAGIC || number(40) != checksum(&head[..40], seed) {
            return Err(damaged("its first bytes are not those of this store's run"));
        }
        let [weighted, sides, forward, reverse] = [8, 16, 24, 32].map(number);
        let bytes_of = |blocks: u64| blocks.checked_mul(BLOCK as u64 + 8)?.checked_add(ALIGNMENT + 8);
        let blocks = forward.checked_add(reverse).filter(|blocks| bytes_of(*blocks) == Some(length));
        let Some(blocks) = blocks else { return Err(damaged("it is not as long as it has blocks")) };
        let end = ALIGNMENT + blocks * BLOCK as u64;
        let mut index = vec![0; 8 * blocks as usize + 8];
        file.read_exact_at(&mut index, end).map_err(failed)?;
        let (firsts, sum) = index.split_at(8 * blocks as usize);
        if sum != checksum(firsts, seed).to_le_bytes() {
            return Err(damaged("its index fails its checksum"));
        }
        let firsts: Vec<u64> = firsts.as_chunks().0.iter().map(|raw| u64::from_le_bytes(*raw)).collect();
        let direct = OpenOptions::new().read(true).custom_flags(OFlags::DIRECT.bits() as i32).open(path);
        let file = Arc::new(direct.unwrap_or(file));
        let side = |base: u64, firsts: &[u64]| {
            Arc::new(RunSide {
                file: Arc::clone(&file),
                name: name.clone(),
                seed,
                weighted: weighted != 0,
                offset: ALIGNMENT + base * BLOCK as u64,
                base,
                firsts: firsts.to_vec(),
            })
        };
        let (of_forward, of_reverse) = firsts.split_at(forward as usize);
        let reverse = (sides == 2).then(|| side(forward, of_reverse));
        Ok(Run { forward: side(0, of_forward), reverse })
    }
}

/// Walks along all rows of a direction.
#[derive(Debug)]
pub(crate) struct Cursor<'r> {
    side: &'r RunSide,
    window: Window,
    block: usize,
    at: usize,
}

impl<'r> Cursor<'r> {
    pub(crate) fn new(side: &'r RunSide) -> Cursor<'r> {
        Cursor { side, window: Window::default(), block: 0, at: 0 }
    }

    /// The row that is next.
    pub(crate) fn peek(&mut self) -> Result<Option<Row>, GraphError> {
        while self.block < self.side.firsts.len() {
            self.side.load(self.block, &mut self.window)?;
            if let Some(row) = self.window.rows.get(self.at) {
                return Ok(Some(*row));
            }
            (self.block, self.at) = (self.block + 1, 0);
        }
        Ok(None)
    }

    pub(crate) fn step(&mut self) {
        self.at += 1;
    }
}

/// Merges the rows of some runs, the oldest first, and gives them to `each` in order.
///
/// # Errors
/// Of the runs, and of `each`.
pub(crate) fn merge(
    sides: &[&RunSide],
    mut each: impl FnMut(Row) -> Result<(), GraphError>,
) -> Result<(), GraphError> {
    let mut cursors: Vec<Cursor<'_>> = sides.iter().map(|side| Cursor::new(side)).collect();
    let (mut rows, mut starts) = (Vec::new(), Vec::new());
    let mut before = None;
    loop {
        let mut least = None;
        for cursor in &mut cursors {
            let key = cursor.peek()?.map(|row| row.key);
            least = [least, key].into_iter().flatten().min();
        }
        let Some(key) = least else { return Ok(()) };
        debug_assert!(
            before.replace(key).is_none_or(|before| before < key),
            "all rows of a key come at once"
        );
        rows.clear();
        starts.clear();
        for cursor in &mut cursors {
            starts.push(rows.len());
            while let Some(row) = cursor.peek()?.filter(|row| row.key == key) {
                rows.push(row);
                cursor.step();
            }
        }
        rows::compose(&mut rows, &starts);
        rows.iter().try_for_each(|row| each(*row))?;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
                let all =
                    |side: &Arc<RunSide>| side.rows(0..u64::MAX, &mut Window::default(), &mut Vec::new());
                all(&run.forward).and_then(|()| all(run.reverse.as_ref().unwrap()))
            });
            assert!(matches!(read, Err(GraphError::Damaged { .. })), "byte {at}: {read:?}");
        }
    }
}
