//! The vertices that a question is about.

use std::collections::HashSet;

use leadline_graph::format::Vertex;
use leadline_graph::{Graph, GraphError};

use crate::failure::Failure;
use crate::paths::InputPath;

/// Most bytes of a file of ids.
const MOST_BYTES: u64 = 1 << 30;

/// The vertices that a question is about.
#[derive(clap::Args)]
pub(super) struct IdArgs {
    /// Ids of the vertices, in the order of the rows; after -- if one begins with -
    #[arg(value_name = "VERTEX", required_unless_present = "vertices")]
    ids: Vec<String>,
    /// File of further ids, one per line
    #[arg(long, value_name = "FILE")]
    vertices: Option<InputPath>,
}

impl IdArgs {
    /// Those vertices.
    pub(super) fn vertices(&self, graph: &Graph) -> Result<Vec<Vertex>, Failure> {
        let mut vertices = graph.vertices_of(&self.ids)?;
        if let Some(path) = &self.vertices {
            vertices.extend(of_file(graph, path)?);
        }
        Ok(vertices)
    }
}

/// The vertices of a file, in which blank lines are left out.
fn of_file(graph: &Graph, path: &InputPath) -> Result<Vec<Vertex>, Failure> {
    let text =
        leadline_files::read_text(path, MOST_BYTES).map_err(|error| GraphError::opening(path, error))?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
    // Blanks belong to an id that is a string.
    let strings = graph.ids().are_strings();
    let id = |line: &str| if strings { line.to_owned() } else { line.trim().to_owned() };
    let ids: Vec<String> = text.lines().filter(|line| !line.trim().is_empty()).map(id).collect();
    graph.vertices_of(&ids).map_err(|error| match &error {
        GraphError::NoVertex { id, .. } => {
            let line = text.lines().position(|line| line == id || !strings && line.trim() == id);
            let place = line.map_or(String::new(), |line| format!(":{}", line + 1));
            Failure::Input(format!("{}{place}: {error}", path.display()))
        }
        _ => error.into(),
    })
}

/// How many of them there are, each counted once.
pub(super) fn distinct(vertices: &[Vertex]) -> u64 {
    vertices.iter().collect::<HashSet<_>>().len() as u64
}
