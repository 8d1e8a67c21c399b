//! Edges from memory: an array of sources, one of targets, and one of weights where there are any. An array
//! may belong to somebody else, and is not copied as a whole.

mod further;
mod ids;
mod reader;
mod weights;

use std::fmt;
use std::sync::Arc;

use super::Declared;
use super::strings::Strings;
use crate::GraphError;
use further::Further;
use ids::{NUMBERS, STRINGS};

pub use ids::{ArrayIds, StringArray};
pub use weights::ArrayWeights;

/// Numbers in memory, and what keeps them alive: a vector, or the owner of another program's buffer. As many
/// as there are must not change.
pub type Array<T> = Arc<dyn AsRef<[T]> + Send + Sync>;

/// Edges in arrays, for [`import_edges`](crate::import::import_edges).
///
/// The arrays are the caller's: no cap of an import covers them. Where that is too much, they are given in
/// batches, each when those before it were read ([`ArrayEdges::followed_by`]). Ids that are strings are
/// numbered as in a text, and the cap covers that memory.
///
/// ```
/// use leadline_graph_store::import::{ImportOptions, import_edges};
/// use leadline_graph_store::input::ArrayEdges;
///
/// let edges = ArrayEdges::new(vec![1u32, 2], vec![2i64, 7])?.with_weights(vec![0.5, 1.5])?;
/// let folder = tempfile::tempdir()?;
/// let store = folder.path().join("roads.graph");
/// let report = import_edges(Box::new(edges), &store, &ImportOptions::default(), &mut |_| {})?;
/// assert_eq!((report.vertices, report.edges), (3, 2));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct ArrayEdges {
    sources: ArrayIds,
    targets: ArrayIds,
    weights: Option<ArrayWeights>,
    vertices: ArrayIds,
    declared: Declared,
    /// What all ids are; nothing until there is one.
    kind: Option<&'static str>,
    /// Where ids are strings.
    strings: Option<Strings>,
    /// What errors call the arrays before the names of their columns: "batch 3: ", or nothing.
    place: String,
    /// Edges that precede those of the arrays under the same name.
    first: usize,
    further: Option<Further>,
    /// Of these arrays: edges, and vertices without edges, that were given out.
    edges_given: usize,
    vertices_given: usize,
    /// Bytes of the arrays that were read.
    bytes_read: u64,
    ended: bool,
}

impl fmt::Debug for ArrayEdges {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ArrayEdges").field("edges", &self.sources.count()).finish_non_exhaustive()
    }
}

impl ArrayEdges {
    /// The edges from each of `sources` to the target at the same place.
    ///
    /// # Errors
    /// [`GraphError::Malformed`]: not as many targets as sources, or numbers on one side and strings on the
    /// other.
    pub fn new(sources: impl Into<ArrayIds>, targets: impl Into<ArrayIds>) -> Result<ArrayEdges, GraphError> {
        let (sources, targets) = (sources.into(), targets.into());
        if sources.count() != targets.count() {
            let (sources, targets) = (sources.count(), targets.count());
            let what =
                format!("expected as many targets as sources, found {sources} sources and {targets} targets");
            return Err(GraphError::malformed("edges", what));
        }
        let edges = ArrayEdges {
            sources,
            targets,
            weights: None,
            vertices: Vec::<u64>::new().into(),
            declared: Declared::default(),
            kind: None,
            strings: None,
            place: String::new(),
            first: 0,
            further: None,
            edges_given: 0,
            vertices_given: 0,
            bytes_read: 0,
            ended: false,
        };
        edges.of_one_kind()
    }

    /// With a weight for each edge: any finite number.
    ///
    /// # Errors
    /// [`GraphError::Malformed`]: not as many weights as edges.
    pub fn with_weights(mut self, weights: impl Into<ArrayWeights>) -> Result<ArrayEdges, GraphError> {
        let weights = weights.into();
        if weights.count() != self.sources.count() {
            let (weights, edges) = (weights.count(), self.sources.count());
            let what = format!("expected one for each edge, found {weights} weights and {edges} edges");
            return Err(GraphError::malformed("weights", what));
        }
        self.weights = Some(weights);
        self.declared.weighted = true;
        Ok(self)
    }

    /// With these vertices too, whether or not they have edges.
    ///
    /// # Errors
    /// [`GraphError::Malformed`]: strings where other ids are numbers, or the other way round.
    pub fn with_vertices(mut self, vertices: impl Into<ArrayIds>) -> Result<ArrayEdges, GraphError> {
        self.vertices = vertices.into();
        self.of_one_kind()
    }

    /// With the vertices 0 to `count` - 1, whether or not they have edges, as a matrix of that many rows has
    /// them.
    ///
    /// # Errors
    /// [`GraphError::Malformed`]: other ids are strings.
    pub fn with_vertices_below(mut self, count: u64) -> Result<ArrayEdges, GraphError> {
        self.declared.vertices = Some(count);
        self.of_one_kind()
    }

    /// Errors name an edge by this text and its number, counted from `first` on: `batch 3: edges[17]`.
    pub fn placed(mut self, place: impl Into<String>, first: usize) -> ArrayEdges {
        (self.place, self.first) = (place.into(), first);
        self
    }

    /// Sources, targets and weights.
    pub(crate) fn arrays(&self) -> (&ArrayIds, &ArrayIds, Option<&ArrayWeights>) {
        (&self.sources, &self.targets, self.weights.as_ref())
    }

    /// What [`ArrayEdges::placed`] was told.
    pub(crate) fn place(&self) -> (&str, usize) {
        (&self.place, self.first)
    }

    /// All ids must be numbers, or all strings. An array without ids is of either kind.
    fn of_one_kind(mut self) -> Result<ArrayEdges, GraphError> {
        let below = self.declared.vertices.filter(|count| *count > 0).map(|_| ("vertices", NUMBERS));
        let arrays = [("sources", &self.sources), ("targets", &self.targets), ("vertices", &self.vertices)];
        let there = arrays.into_iter().filter(|(_, ids)| ids.count() > 0);
        let all = below.into_iter().chain(there.map(|(name, ids)| (name, ids.kind())));
        let kinds: Vec<(&str, &'static str)> = all.collect();
        if let Some(two) = kinds.windows(2).find(|two| two[0].1 != two[1].1) {
            let [(name, kind), (other, found)] = [two[0], two[1]];
            return Err(GraphError::malformed(
                other,
                format!("expected {kind}, as {name} are, found {found}"),
            ));
        }
        if let Some((_, kind)) = kinds.first() {
            self.are(kind);
        }
        Ok(self)
    }

    /// Ids are of this kind from now on.
    fn are(&mut self, kind: &'static str) {
        self.kind = Some(kind);
        // How much memory they take is asked by the import, as of every reader.
        self.strings = (kind == STRINGS).then(|| Strings::new(u64::MAX));
    }
}
