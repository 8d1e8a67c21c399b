//! Results of an earlier version of a graph to go on from: which version a result is of, and its values.
//!
//! A result file `X.bin` has a file `X.bin.json` next to it that says what it is a result of ([`Stamp`]).
//! Components, levels and ranks go on from it, after the changes that each can follow ([`GoesOn`]).

use std::fs::File;
use std::io::{BufReader, Read as _};
use std::path::{Path, PathBuf};

use leadline_graph_store::format::{MAX_VERTICES, Vertex};
use serde::{Deserialize, Serialize};

use crate::{Graph, GraphError};

/// What is written there has some hundred bytes.
const MOST_BYTES: u64 = 1 << 20;

/// What a result is of.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Stamp {
    /// The store: the same for all of its versions, and for no other.
    pub store: u64,
    /// Changes since the store was imported.
    pub version: u64,
    /// The algorithm, as the command is called.
    pub algorithm: String,
    /// What the result depends on, in addition to the graph.
    pub arguments: serde_json::Value,
}

impl Stamp {
    /// Of a result of a graph.
    pub fn new(graph: &Graph, algorithm: &str, arguments: serde_json::Value) -> Stamp {
        let (store, version) = (graph.history().store, graph.version());
        Stamp { store, version, algorithm: algorithm.to_owned(), arguments }
    }

    /// The file that says what a result is of.
    pub fn path(result: &Path) -> PathBuf {
        let mut name = result.as_os_str().to_owned();
        name.push(".json");
        PathBuf::from(name)
    }

    /// Checks that a result may have such a file: nothing is in its place, or another of its kind.
    ///
    /// # Errors
    /// [`GraphError::Path`] where a file is there that is somebody's.
    pub fn check_place(result: &Path) -> Result<(), GraphError> {
        let path = Stamp::path(result);
        match std::fs::symlink_metadata(&path) {
            Ok(_) if Stamp::read(result).is_err() => {
                let what = format!(
                    "is not the description of a result, and would be replaced by the description of {}; move \
                     it, or name another place for the result",
                    result.display()
                );
                Err(GraphError::path(&path, what))
            }
            _ => Ok(()),
        }
    }

    /// Says what a result is of, once it is whole.
    ///
    /// # Errors
    /// [`GraphError::Write`].
    pub fn write(&self, result: &Path) -> Result<(), GraphError> {
        let path = Stamp::path(result);
        let text = serde_json::to_string_pretty(self)
            .map_err(|error| GraphError::write(&path, std::io::Error::other(error)))?;
        Ok(leadline_files::replace(path, text)?)
    }

    fn read(result: &Path) -> Result<Stamp, GraphError> {
        let path = Stamp::path(result);
        let text = leadline_files::read_text(&path, MOST_BYTES);
        let text = text.map_err(|error| GraphError::opening(&path, error))?;
        leadline_files::from_json(&text).map_err(|flaw| {
            GraphError::malformed(path.display(), format!("does not say what a result is of: {flaw}"))
        })
    }
}

/// After which changes an algorithm can go on from a result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GoesOn {
    /// After any: the result is only where it begins.
    Always,
    /// After changes of edges and new vertices. Those changes have to be known, which they are not once the
    /// store was compacted; and where vertices are deleted, others get their numbers.
    AfterChangesOfEdges,
    /// The same, but after edges were deleted only where lists of incoming edges can be read.
    AfterDeletionsByIncoming,
}

/// A result that a run can go on from.
#[derive(Debug)]
pub struct Previous {
    path: PathBuf,
    version: u64,
    /// Numbers of 8 bytes per vertex that it had.
    columns: u64,
    rows: u64,
    /// Whether vertices that it has may be gone.
    lost_vertices: bool,
}

/// Whether there is one.
#[derive(Debug)]
pub enum Continued {
    /// It is.
    From(Previous),
    /// It is not, and why.
    FullRun(String),
}

impl Previous {
    /// Looks whether a run with this stamp can go on from a result with `columns` numbers for each id, after
    /// the changes that there were.
    ///
    /// # Errors
    /// [`GraphError::Path`], [`GraphError::Malformed`] where it is not a result.
    pub fn open(
        graph: &Graph,
        path: &Path,
        now: &Stamp,
        columns: u64,
        goes_on: GoesOn,
    ) -> Result<Continued, GraphError> {
        let before = Stamp::read(path)?;
        let length = std::fs::metadata(path).map_err(|error| GraphError::opening(path, error))?.len();
        let history = graph.history();
        let anew = |why: &str| Ok(Continued::FullRun(why.to_owned()));
        if before.store != now.store {
            return anew("is a result of another store");
        }
        if before.algorithm != now.algorithm || before.arguments != now.arguments {
            return anew("is a result of another algorithm, or with other arguments");
        }
        if before.version > now.version {
            return anew("is a result of a later version");
        }
        let lost_vertices = history.renumbered() > before.version;
        if goes_on != GoesOn::Always && lost_vertices {
            return anew("is a result from before a vertex was deleted");
        }
        if goes_on != GoesOn::Always && history.base_version > before.version {
            return anew("is a result from before the store was compacted, which loses the list of changes");
        }
        let deleted = history.removed > before.version;
        if goes_on == GoesOn::AfterDeletionsByIncoming && deleted && !graph.header().has_reverse() {
            return anew(
                "is a result from before an edge was deleted or given another weight, and the store has no \
                 lists of incoming edges (import with --reverse)",
            );
        }
        let row = 8 * (1 + columns);
        let most = if lost_vertices { MAX_VERTICES } else { graph.vertices() };
        if !length.is_multiple_of(row) || length / row > most {
            let what = format!("expected {row} bytes for each of at most {most} vertices");
            return Err(GraphError::malformed(path.display(), what));
        }
        let (version, rows) = (before.version, length / row);
        Ok(Continued::From(Previous { path: path.to_owned(), version, columns, rows, lost_vertices }))
    }

    /// Calls `each` with the vertex, the id and the first number of each row, without vertices that are gone.
    ///
    /// # Errors
    /// [`GraphError::Read`]; [`GraphError::Malformed`] where an id is not one of the graph's.
    pub(crate) fn each(
        &self,
        graph: &Graph,
        mut each: impl FnMut(Vertex, u64, u64) -> Result<(), GraphError>,
    ) -> Result<(), GraphError> {
        let name = self.path.display().to_string();
        let file = File::open(&self.path).map_err(|error| GraphError::opening(&self.path, error))?;
        let mut file = BufReader::with_capacity(1 << 20, file);
        let mut ids = graph.ids();
        let mut record = vec![0; 8 * (1 + self.columns as usize)];
        // The id before this rank, the last that was looked at.
        let (mut rank, mut next) = (0, None);
        for row in 0..self.rows {
            file.read_exact(&mut record).map_err(|error| GraphError::read(&name, error))?;
            let number = |at: usize| u64::from_le_bytes(*record[8 * at..].first_chunk().unwrap_or(&[0; 8]));
            let id = number(0);
            // Both ascend; ids between those of the result are new.
            while next < Some(id) && rank < graph.vertices() {
                next = Some(ids.number(rank)?);
                rank += 1;
            }
            if next == Some(id) {
                each(ids.vertex(rank - 1)?, id, number(1))?;
            } else if !self.lost_vertices {
                return Err(self.wrong(row, format!("has the id {id}, which the graph does not have")));
            }
        }
        Ok(())
    }

    /// Calls `each` with the ends of the edges that were added since then, and maybe of some before, that are
    /// there now; those of an undirected graph from both ends.
    ///
    /// # Errors
    /// Of reading changes.
    pub(crate) fn added(
        &self,
        graph: &Graph,
        mut each: impl FnMut(Vertex, Vertex),
    ) -> Result<(), GraphError> {
        graph.changed_since(self.version, |source, target, is_there| {
            if is_there {
                each(source, target);
            }
        })
    }

    /// The same of edges that were deleted since then, or before, and are not there now. None may have been
    /// there then.
    ///
    /// # Errors
    /// Of reading changes.
    pub(crate) fn deleted(
        &self,
        graph: &Graph,
        mut each: impl FnMut(Vertex, Vertex),
    ) -> Result<(), GraphError> {
        if graph.history().removed <= self.version {
            return Ok(());
        }
        graph.changed_since(self.version, |source, target, is_there| {
            if !is_there {
                each(source, target);
            }
        })
    }

    pub(crate) fn wrong(&self, row: u64, what: String) -> GraphError {
        GraphError::malformed(self.path.display(), format!("row {row} {what}"))
    }
}
