//! A result's value for each vertex, in memory or in a file.

use std::fmt;
use std::sync::Arc;

use leadline_graph_store::format::Vertex;

use crate::engine::{StateColumn, StateFile, Stored};
use crate::{Graph, GraphError};

/// A value for each vertex, by vertex: in memory, or, where the cap had no room for all of them, in a
/// temporary file that is gone when this is dropped.
#[derive(Clone)]
pub enum PerVertex<T> {
    /// In memory.
    Memory(Vec<T>),
    /// In a file.
    File(FileValues<T>),
}

/// The values of [`PerVertex::File`].
pub struct FileValues<T> {
    file: Arc<StateFile>,
    column: StateColumn<T>,
}

impl<T> Clone for FileValues<T> {
    fn clone(&self) -> Self {
        FileValues { file: Arc::clone(&self.file), column: self.column }
    }
}

impl<T> fmt::Debug for FileValues<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} values in a file", self.len())
    }
}

impl<T> FileValues<T> {
    pub(crate) fn new(file: Arc<StateFile>, column: StateColumn<T>) -> FileValues<T> {
        FileValues { file, column }
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.column.count() as usize
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// What a [`PerVertex`] may hold.
#[allow(private_bounds, reason = "how values lie in a file is not for others to say")]
pub trait VertexValue: Stored + Copy + Default + PartialEq + fmt::Debug {}

impl VertexValue for u32 {}
impl VertexValue for u64 {}
impl VertexValue for f64 {}

impl<T: VertexValue> FileValues<T> {
    /// The values of a range of vertices, at the end of `out`.
    ///
    /// # Errors
    /// [`GraphError::Read`], [`GraphError::Device`].
    ///
    /// # Panics
    /// Where there are not as many vertices.
    pub fn range(&self, range: std::ops::Range<Vertex>, out: &mut Vec<T>) -> Result<(), GraphError> {
        assert!(range.end as usize <= self.len(), "{range:?} of {}", self.len());
        let start = out.len();
        out.resize(start + range.len(), T::default());
        let place = &mut out[start..];
        self.file.load(self.column, range.start.into()..range.end.into(), |at, value| place[at] = value)
    }

    /// The values of some vertices, in their order.
    ///
    /// # Errors
    /// As [`FileValues::range`].
    pub(crate) fn of(&self, vertices: &[Vertex]) -> Result<Vec<T>, GraphError> {
        let mut out = Vec::with_capacity(vertices.len());
        if let (Some(first), Some(last)) = (vertices.first(), vertices.last())
            && last.wrapping_sub(*first) as usize == vertices.len() - 1
            && vertices.is_sorted()
        {
            self.range(*first..last + 1, &mut out)?;
            return Ok(out);
        }
        // In the order in which they lie in the file, near ones in one request.
        let mut ascending: Vec<(Vertex, u32)> = vertices.iter().copied().zip(0..).collect();
        ascending.sort_unstable();
        out.resize(vertices.len(), T::default());
        let mut read = Vec::new();
        for near in ascending.chunk_by(|one, next| next.0 - one.0 < NEAR) {
            let (first, last) = (near[0].0, near[near.len() - 1].0);
            read.clear();
            self.range(first..last + 1, &mut read)?;
            near.iter().for_each(|(vertex, place)| out[*place as usize] = read[(vertex - first) as usize]);
        }
        Ok(out)
    }
}

/// Values that are no farther apart are read together.
const NEAR: u32 = 1 << 10;

impl<T> PerVertex<T> {
    /// How many there are.
    pub fn len(&self) -> usize {
        match self {
            PerVertex::Memory(values) => values.len(),
            PerVertex::File(values) => values.len(),
        }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The values, if they are in memory.
    pub fn in_memory(&self) -> Option<&[T]> {
        match self {
            PerVertex::Memory(values) => Some(values),
            PerVertex::File(_) => None,
        }
    }
}

impl<T: VertexValue> PerVertex<T> {
    /// Moves values that are in memory to a temporary file.
    ///
    /// # Errors
    /// What the file gives.
    pub(crate) fn move_to_file(&mut self, graph: &Graph) -> Result<(), GraphError> {
        if let PerVertex::Memory(values) = self {
            let count = values.len() as u64;
            let file = StateFile::create(graph.temp_folder(), StateFile::column_bytes::<T>(count))?;
            let column = file.column(count);
            file.store(column, 0..count, |place| values[place])?;
            *self = PerVertex::File(FileValues::new(Arc::new(file), column));
        }
        Ok(())
    }

    /// All values, in memory, whatever the cap.
    ///
    /// # Errors
    /// As [`FileValues::range`].
    pub fn into_vec(self) -> Result<Vec<T>, GraphError> {
        match self {
            PerVertex::Memory(values) => Ok(values),
            PerVertex::File(values) => {
                let mut all = Vec::new();
                values.range(0..values.len() as Vertex, &mut all)?;
                Ok(all)
            }
        }
    }
}

impl<T> From<Vec<T>> for PerVertex<T> {
    fn from(values: Vec<T>) -> PerVertex<T> {
        PerVertex::Memory(values)
    }
}

impl<T: fmt::Debug> fmt::Debug for PerVertex<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PerVertex::Memory(values) => values.fmt(f),
            PerVertex::File(values) => values.fmt(f),
        }
    }
}
