//! The layout of a graph that is exported as a directory (docs/graph-export.md), for its writer and its
//! reader.

use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::GraphError;
use crate::format::{ChangeRules, Header};

/// The directory of edges in it.
pub(crate) const EDGES: &str = "edges";

/// The directory of vertices.
pub(crate) const VERTICES: &str = "vertices";

/// The file that describes the graph; written last.
pub(crate) const DESCRIPTION: &str = "graph.json";

/// What that file names its format.
const FORMAT: &str = "leadline.graph-export/1";

/// Most bytes of a description.
const MOST_BYTES: u64 = 1 << 20;

/// What an exported graph is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Description {
    format: String,
    pub(crate) directed: bool,
    pub(crate) weighted: bool,
    pub(crate) vertices: u64,
    /// An undirected edge counts once.
    pub(crate) edges: u64,
    /// Whether an update of the graph leaves out an edge that is there, and self-loops.
    #[serde(default, skip_serializing_if = "is_not")]
    dedupe: bool,
    #[serde(default, skip_serializing_if = "is_not")]
    drop_self_loops: bool,
}

/// Of a rule that a graph does not have, its description says nothing.
fn is_not(rule: &bool) -> bool {
    !rule
}

impl Description {
    pub(crate) fn new(header: &Header, weighted: bool) -> Description {
        let Header { directed, vertices, rules, .. } = *header;
        let (dedupe, drop_self_loops) = (rules.dedupe(), rules.drop_self_loops());
        let (format, edges) = (FORMAT.into(), header.graph_edges());
        Description { format, directed, weighted, vertices, edges, dedupe, drop_self_loops }
    }

    /// Which edges an update of the graph leaves out.
    pub(crate) fn rules(&self) -> ChangeRules {
        ChangeRules::new(self.dedupe, self.drop_self_loops)
    }

    /// The text of the file.
    pub(crate) fn to_json(&self) -> Result<String, serde_json::Error> {
        Ok(serde_json::to_string_pretty(self)? + "\n")
    }

    /// Reads the description of a directory; none where it has no such file.
    ///
    /// # Errors
    /// [`GraphError::Malformed`] where the file is of another format, [`GraphError::Read`].
    pub(crate) fn read(folder: &Path) -> Result<Option<Description>, GraphError> {
        use std::io::Read as _;
        let path = folder.join(DESCRIPTION);
        if !path.exists() {
            return Ok(None);
        }
        let name = path.display().to_string();
        let mut text = String::new();
        let file = std::fs::File::open(&path).map_err(|error| GraphError::opening(&path, error))?;
        let read = file.take(MOST_BYTES).read_to_string(&mut text);
        let wrong = |found: String| {
            let what = format!("expected the description of an exported graph, {FORMAT:?}; {found}");
            GraphError::malformed(&name, what)
        };
        match read {
            Err(error) if error.kind() == std::io::ErrorKind::InvalidData => {
                return Err(wrong("found no text".into()));
            }
            read => read.map_err(|error| GraphError::read(&name, error))?,
        };
        let found: Description = leadline_files::from_json(&text).map_err(|flaw| wrong(flaw.to_string()))?;
        if found.format != FORMAT {
            return Err(wrong(format!("found {:?}", found.format)));
        }
        Ok(Some(found))
    }
}
