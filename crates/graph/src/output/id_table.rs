//! All ids of a graph in memory, by rank: to name many vertices without reading for each.

use leadline_graph_store::format::NO_VERTEX;

use super::ROWS;
use super::budget::Budget;
use super::columns::{RowValues, Texts};
use crate::{Graph, GraphError};

/// Bytes of strings that are read at a time.
const PIECE: usize = 4 << 20;

/// Ids by rank.
#[derive(Debug)]
pub(crate) enum IdTable {
    /// Each is its rank.
    Dense,
    Numbers(Vec<u64>),
    Texts(Texts),
}

impl IdTable {
    /// Bytes in memory, as a column of all vertices too.
    pub(crate) fn bytes(graph: &Graph) -> u64 {
        match graph.ids().are_strings() {
            true => graph.header().id_bytes() + graph.new_id_bytes(),
            false => graph.vertices() * 8,
        }
    }

    /// Reads all ids.
    ///
    /// # Errors
    /// [`GraphError::Damaged`], [`GraphError::Interrupted`].
    pub(crate) fn read(graph: &Graph) -> Result<IdTable, GraphError> {
        let mut ids = graph.ids();
        if ids.are_dense() {
            return Ok(IdTable::Dense);
        }
        if ids.are_strings() && ids.are_changed() {
            return IdTable::read_texts(graph);
        }
        let count = graph.vertices() + u64::from(ids.are_strings());
        let mut numbers = Vec::with_capacity(count as usize);
        for start in (0..count).step_by(ROWS) {
            graph.check_stop()?;
            ids.numbers(start..count.min(start + ROWS as u64), &mut numbers)?;
        }
        if !ids.are_strings() {
            return Ok(IdTable::Numbers(numbers));
        }
        let damaged = |what: &str| GraphError::damaged(graph.name(), format!("its ids {what}"));
        let bytes = numbers[count as usize - 1];
        if !numbers.is_sorted() || bytes > graph.header().id_bytes() {
            return Err(damaged("have no sound lengths"));
        }
        let mut text = vec![0; bytes as usize];
        for (piece, part) in text.chunks_mut(PIECE).enumerate() {
            graph.check_stop()?;
            ids.text_bytes((piece * PIECE) as u64, part)?;
        }
        let text = String::from_utf8(text).map_err(|_| damaged("are no UTF-8 text"))?;
        if !numbers.iter().all(|place| text.is_char_boundary(*place as usize)) {
            return Err(damaged("are no UTF-8 text"));
        }
        // Below 2^63: there are as many bytes.
        let offsets = numbers.into_iter().map(|place| place as i64).collect();
        Ok(IdTable::Texts(Texts { offsets, bytes: text.into_bytes() }))
    }

    /// The ids of some ranks, by their places among these, which ascend, each once.
    ///
    /// # Errors
    /// [`GraphError::Memory`], [`GraphError::Damaged`], [`GraphError::Interrupted`].
    pub(crate) fn of(graph: &Graph, budget: &mut Budget, ranks: &[u32]) -> Result<IdTable, GraphError> {
        let mut ids = graph.ids();
        budget.take(ranks.len() as u64 * 8)?;
        if !ids.are_strings() {
            let mut numbers = Vec::with_capacity(ranks.len());
            for chunk in ranks.chunks(ROWS) {
                graph.check_stop()?;
                for rank in chunk {
                    numbers.push(ids.number(u64::from(*rank))?);
                }
            }
            return Ok(IdTable::Numbers(numbers));
        }
        let mut texts = Texts { offsets: vec![0], bytes: Vec::new() };
        for rank in ranks {
            graph.check_stop()?;
            let text = ids.text(u64::from(*rank))?;
            budget.take(text.len() as u64)?;
            texts.bytes.extend_from_slice(text.as_bytes());
            texts.offsets.push(texts.bytes.len() as i64);
        }
        Ok(IdTable::Texts(texts))
    }

    /// Strings one by one, where they are not all in the store.
    fn read_texts(graph: &Graph) -> Result<IdTable, GraphError> {
        let mut ids = graph.ids();
        let (mut offsets, mut bytes) = (vec![0], Vec::new());
        for rank in 0..graph.vertices() {
            if rank % ROWS as u64 == 0 {
                graph.check_stop()?;
            }
            bytes.extend(ids.text(rank)?.into_bytes());
            offsets.push(bytes.len() as i64);
        }
        Ok(IdTable::Texts(Texts { offsets, bytes }))
    }

    /// The ids of `count` ranks, each by its row; [`NO_VERTEX`] stands for none.
    ///
    /// # Errors
    /// [`GraphError::Memory`] where the cap has no room for them, [`GraphError::Interrupted`].
    pub(crate) fn column(
        &self,
        graph: &Graph,
        budget: &mut Budget,
        count: usize,
        rank: impl Fn(usize) -> u32,
    ) -> Result<RowValues, GraphError> {
        if let IdTable::Texts(texts) = self {
            return Ok(RowValues::Texts(texts.pick(graph, budget, count, rank)?));
        }
        budget.take(count as u64 * 8)?;
        Ok(RowValues::Ids(fill(graph, count, |row| self.number(rank(row)))?))
    }

    /// The ids of all ranks, in their order.
    pub(super) fn into_column(self, graph: &Graph) -> Result<RowValues, GraphError> {
        Ok(match self {
            IdTable::Dense => RowValues::Ids(fill(graph, graph.vertices() as usize, |rank| rank as u64)?),
            IdTable::Numbers(numbers) => RowValues::Ids(numbers),
            IdTable::Texts(texts) => RowValues::Texts(texts),
        })
    }

    /// The id of a rank; 2^64 - 1 where there is none, as in files.
    #[inline]
    fn number(&self, rank: u32) -> u64 {
        match self {
            _ if rank == NO_VERTEX => u64::MAX,
            IdTable::Numbers(numbers) => numbers[rank as usize],
            _ => rank.into(),
        }
    }
}

impl Texts {
    /// The strings of these ranks; an empty one for none.
    fn pick(
        &self,
        graph: &Graph,
        budget: &mut Budget,
        count: usize,
        rank: impl Fn(usize) -> u32,
    ) -> Result<Texts, GraphError> {
        budget.take((count as u64 + 1) * 8)?;
        let mut end = 0;
        let mut offsets = Vec::with_capacity(count + 1);
        offsets.push(end);
        for row in 0..count {
            if row % ROWS == 0 {
                graph.check_stop()?;
            }
            end += self.get(rank(row)).len() as i64;
            offsets.push(end);
        }
        budget.take(end as u64)?;
        let mut bytes = Vec::with_capacity(end as usize);
        for row in 0..count {
            if row % ROWS == 0 {
                graph.check_stop()?;
            }
            bytes.extend_from_slice(self.get(rank(row)));
        }
        Ok(Texts { offsets, bytes })
    }

    fn get(&self, rank: u32) -> &[u8] {
        match rank {
            NO_VERTEX => &[],
            rank => {
                let at = rank as usize;
                &self.bytes[self.offsets[at] as usize..self.offsets[at + 1] as usize]
            }
        }
    }
}

/// A bit per row: whether it has an id; nothing where all have.
///
/// # Errors
/// As [`IdTable::column`].
pub(super) fn present(
    graph: &Graph,
    budget: &mut Budget,
    count: usize,
    rank: impl Fn(usize) -> u32,
) -> Result<Option<Vec<u8>>, GraphError> {
    let bytes = count.div_ceil(8);
    budget.take(bytes as u64)?;
    let bits = fill(graph, bytes, |byte| {
        let rows = byte * 8..count.min(byte * 8 + 8);
        rows.fold(0u8, |bits, row| bits | u8::from(rank(row) != NO_VERTEX) << (row % 8))
    })?;
    let all = bits.iter().map(|bits| bits.count_ones() as usize).sum::<usize>() == count;
    Ok((!all).then_some(bits))
}

/// A vector of that many values, some thousands at a time, until somebody asks to stop.
pub(super) fn fill<T>(graph: &Graph, count: usize, value: impl Fn(usize) -> T) -> Result<Vec<T>, GraphError> {
    let mut values = Vec::with_capacity(count);
    for start in (0..count).step_by(ROWS) {
        graph.check_stop()?;
        values.extend((start..count.min(start + ROWS)).map(&value));
    }
    Ok(values)
}
