//! Writing a run.

use std::fs::File;
use std::io::Write as _;
use std::os::unix::fs::FileExt as _;
use std::path::Path;

use super::code::encode;
use super::{BLOCK, BLOCK_HEAD, MAGIC, MOST_ROW, WRITE};
use crate::GraphError;
use crate::direct::{DirectFile, SequentialWriter};
use crate::format::{ALIGNMENT, checksum};
use crate::updates::rows::Row;

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
