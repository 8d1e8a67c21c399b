//! What every algorithm says of itself: what it needs of a graph and of memory, what it reads, what comes
//! out, and how it is run; and how it is asked for by name.
//!
//! The algorithms themselves are in `algorithms`, each next to its implementation of [`Algorithm`].

mod call;
mod check;
mod definition;
mod job;
mod option;

use std::fmt::Debug;

pub use call::{Argument, Arguments, Call};
pub use definition::Definition;
pub use job::{Destination, Job, Ran, Written};
pub use option::{AlgorithmOption, OptionKind, Within, must_be};

use crate::engine::EnginePlan;
use crate::estimate::{Blocks, Size, Spilled};
use crate::output::{Kind, Output, Rows, VertexTable};
use crate::{Graph, GraphError};

/// An algorithm with its arguments, ready to run on a graph.
pub trait Algorithm: Debug + Send + Sync {
    /// What it is called in reports.
    fn name(&self) -> &'static str;

    /// What it is called where it lacks something, if that is not its name.
    fn what(&self) -> &'static str {
        self.name()
    }

    /// What it cannot do without.
    fn needs(&self) -> Needs {
        Needs::default()
    }

    /// Whether the graph has what the algorithm cannot do without.
    ///
    /// # Errors
    /// [`GraphError::NeedsWeights`], [`GraphError::NeedsReverse`].
    fn check(&self, graph: &Graph) -> Result<(), GraphError> {
        self.needs().check(graph, self.what())
    }

    /// Another algorithm, if that does the work on this graph.
    fn instead(&self, _graph: &Graph) -> Option<Box<dyn Algorithm>> {
        None
    }

    /// The columns of the result, where it has a row per vertex.
    fn table(&self) -> Option<TableShape>;

    /// Bytes that it holds under a cap of `memory`. What is shared out by the cap is least under none.
    fn state_bytes(&self, graph: &Graph, memory: u64) -> u64;

    /// The least cap with which it runs, in whole KiB.
    fn least_memory(&self, graph: &Graph) -> u64 {
        least_memory_of(graph, self.state_bytes(graph, 0))
    }

    /// The least caps with which its result is also written to a file, and becomes rows in memory.
    fn least_memory_with_result(&self, graph: &Graph) -> [u64; 2] {
        let alone = self.least_memory(graph);
        let shape = self.table().unwrap_or(TableShape { columns: &[], spills: false });
        shape.least_memory(graph).map(|least| least.max(alone))
    }

    /// Whether most of what it reads is read in the order of the blocks, so that neighbours come in one
    /// request.
    fn scans(&self) -> bool {
        false
    }

    /// The least and the most blocks that a first run reads, when nothing is cached. Sources are taken to
    /// lead to nearly all vertices.
    fn reads(&self, blocks: &Blocks<'_>) -> [u64; 2];

    /// What goes through a temporary file where the cap has no room for all vertex state.
    fn spilled(&self, _blocks: &Blocks<'_>) -> Option<Spilled> {
        None
    }

    /// Nanoseconds of one thread without any waiting for the device, at least and at most; none where nothing
    /// was measured.
    fn computing(&self, _size: &Size) -> Option<[f64; 2]> {
        None
    }

    /// Runs it, and brings the result to where the job says.
    ///
    /// # Errors
    /// The errors of the algorithm's own method of [`Graph`], and of writing the result.
    fn run(&self, graph: &Graph, job: &Job) -> Result<Ran, GraphError>;
}

/// What a graph must have for an algorithm.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Needs {
    /// Weights of edges.
    pub weights: bool,
    /// Lists of incoming edges, if it is directed.
    pub reverse: bool,
}

impl Needs {
    /// Lists of incoming edges.
    pub const REVERSE: Needs = Needs { weights: false, reverse: true };

    /// Whether a graph has it, for `what`.
    ///
    /// # Errors
    /// [`GraphError::NeedsWeights`], [`GraphError::NeedsReverse`].
    pub fn check(self, graph: &Graph, what: &str) -> Result<(), GraphError> {
        if self.weights {
            graph.need_weights(what)?;
        }
        if self.reverse {
            graph.need_reverse(what)?;
        }
        Ok(())
    }

    /// Weights, if they are to count.
    pub const fn weights(weighted: bool) -> Needs {
        Needs { weights: weighted, reverse: false }
    }
}

/// What a result with a row per vertex looks like.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TableShape {
    /// As [`VertexTable::COLUMNS`].
    pub columns: &'static [(&'static str, Kind)],
    /// As [`VertexTable::SPILLS`].
    pub spills: bool,
}

impl TableShape {
    /// The shape of a result.
    pub const fn of<T: VertexTable>() -> TableShape {
        TableShape { columns: T::COLUMNS, spills: T::SPILLS }
    }

    /// The least memory with which such a result is written, and becomes rows.
    pub(crate) fn least_memory(self, graph: &Graph) -> [u64; 2] {
        let TableShape { columns, spills } = self;
        [Output::least_memory(graph, columns, spills), Rows::least_memory(graph, columns)]
    }
}

/// The least cap with which an algorithm runs that holds that many bytes, in whole KiB.
pub(crate) fn least_memory_of(graph: &Graph, state_bytes: u64) -> u64 {
    let (header, options, blocks) = (graph.header(), graph.options(), graph.all_blocks());
    EnginePlan::least_memory(header, options, blocks, state_bytes).next_multiple_of(1 << 10)
}
