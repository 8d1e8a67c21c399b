//! `--from`: going on from the result of an earlier version of the graph.

use leadline_graph::algorithms::{Continued, Previous, Stamp};
use leadline_graph::{Graph, GraphError};

use crate::output;
use crate::paths::ContinuedResult;

/// The flag of the algorithms that can.
#[derive(clap::Args)]
pub(super) struct FromArgs {
    /// Go on from the result that an earlier run with the same arguments has written to this .bin file; only
    /// additions since then can be followed, after anything else the run is a full one, and says so
    #[arg(long, value_name = "PREVIOUS.bin")]
    pub(super) from: Option<ContinuedResult>,
}

impl FromArgs {
    /// The result to go on from, if there is one; `columns` is how many numbers it has beside each id.
    pub(super) fn open(
        &self,
        graph: &Graph,
        stamp: &Stamp,
        columns: u64,
    ) -> Result<Option<Previous>, GraphError> {
        let Some(path) = &self.from else { return Ok(None) };
        match Previous::open(graph, path, stamp, columns)? {
            Continued::From(previous) => Ok(Some(previous)),
            Continued::Anew(why) => {
                output::say(&format!("{}: {why}; this is a full run", path.display()));
                Ok(None)
            }
        }
    }
}
