//! Pairs of little-endian numbers, one behind the other: source, target, source, target.

use std::path::Path;

use super::source::Source;
use super::{Batch, Declared, EdgeReader, InputSummary, Sample};
use crate::GraphError;

/// Bytes read at once: 32,768 pairs of 32 bits, half as many of 64. They and what is made of them fit in a
/// processor's own cache.
pub(super) const PIECE: usize = 256 << 10;

/// Pairs of a sample that are read from one place.
const TOGETHER: usize = 32;

struct Binary {
    source: Source,
    /// Bytes of all pairs, where that is known.
    whole: Option<u64>,
    buffer: Vec<u8>,
    /// Bytes of a number.
    width: usize,
    /// Bytes of whole pairs so far.
    read: u64,
    summary: InputSummary,
    ended: bool,
}

/// `width` is the bytes of a number, 4 or 8.
pub(super) fn open(
    path: &Path,
    width: usize,
    summary: InputSummary,
) -> Result<Box<dyn EdgeReader>, GraphError> {
    let (source, compressed) = Source::binary(path)?;
    let whole = source.meter.total().filter(|_| !compressed);
    if let Some(total) = whole
        && total % (2 * width as u64) != 0
    {
        return Err(cut_off(&source.name, total, width));
    }
    Ok(Box::new(Binary { source, whole, buffer: vec![0; PIECE], width, read: 0, summary, ended: false }))
}

fn cut_off(name: &str, bytes: u64, width: usize) -> GraphError {
    let what = format!(
        "expected pairs of {} bytes, found {bytes} bytes, which is not a whole number of them; it was cut off or is \
         of another format",
        2 * width
    );
    GraphError::malformed(name, what)
}

/// Appends the pairs of bytes that are whole pairs.
fn add_pairs(width: usize, bytes: &[u8], pairs: &mut Vec<(u64, u64)>) {
    if width == 4 {
        pairs.extend(bytes.as_chunks::<8>().0.iter().map(|pair| {
            // The source stands first, in the lower half.
            let both = u64::from_le_bytes(*pair);
            (both & u64::from(u32::MAX), both >> 32)
        }));
    } else {
        pairs.extend(bytes.as_chunks::<16>().0.iter().map(|pair| {
            let both = u128::from_le_bytes(*pair);
            (both as u64, (both >> 64) as u64)
        }));
    }
}

impl EdgeReader for Binary {
    fn declared(&self) -> Declared {
        Declared::default()
    }

    fn next_batch(&mut self, batch: &mut Batch) -> Result<bool, GraphError> {
        batch.clear();
        if self.ended {
            return Ok(false);
        }
        let got = self.source.fill(&mut self.buffer).inspect_err(|_| self.ended = true)?;
        self.ended = got < self.buffer.len();
        self.read += got as u64;
        if got % (2 * self.width) != 0 {
            return Err(cut_off(&self.source.name, self.read, self.width));
        }
        add_pairs(self.width, &self.buffer[..got], &mut batch.pairs);
        Ok(got > 0)
    }

    fn sample(&mut self, most: usize) -> Result<Option<Sample>, GraphError> {
        let pair = 2 * self.width;
        let (Some(bytes), Some(anywhere)) = (self.whole, &self.source.anywhere) else { return Ok(None) };
        let edges = bytes / pair as u64;
        let places = (most / TOGETHER) as u64;
        let behind = edges.saturating_sub(TOGETHER as u64);
        if behind < places {
            return Ok(None);
        }
        let mut pairs = Vec::with_capacity(most);
        let places = (0..places).map(|place| behind / places * place * pair as u64);
        anywhere.at_places(places, TOGETHER * pair, |bytes| add_pairs(self.width, bytes, &mut pairs))?;
        Ok(Some(Sample { edges, pairs }))
    }

    fn progress(&self) -> (u64, Option<u64>) {
        self.source.meter.progress()
    }

    fn summary(&self) -> InputSummary {
        self.summary.clone()
    }

    fn memory_bytes(&self) -> u64 {
        PIECE as u64
    }
}
