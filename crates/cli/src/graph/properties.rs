//! `--properties`: the parameters that Graphalytics gives for a graph.

use leadline_graph::graphalytics::Properties;
use leadline_graph::{Graph, GraphError};

use crate::paths::InputPath;

/// The flag of the benchmark's six algorithms.
#[derive(clap::Args)]
pub(super) struct PropertiesArgs {
    /// Take the parameters that no flag gives from the graph's .properties file, as LDBC Graphalytics has it,
    /// and refuse a store whose edges lead another way than it says
    #[arg(long, value_name = "FILE")]
    properties: Option<InputPath>,
}

impl PropertiesArgs {
    /// What the file says, if there is one.
    ///
    /// # Errors
    /// [`GraphError::Malformed`], also where the graph is not the one that the file describes.
    pub(super) fn load(&self, graph: &Graph) -> Result<Option<Properties>, GraphError> {
        let Some(path) = &self.properties else { return Ok(None) };
        let properties = Properties::read(path)?;
        properties.check_direction(graph)?;
        Ok(Some(properties))
    }
}

/// The sources that flags give; without any, the one of the file.
///
/// # Errors
/// [`GraphError::Malformed`] where the file has none.
pub(super) fn sources(
    given: &[String],
    properties: Option<&Properties>,
    of_file: impl Fn(&Properties) -> Result<u64, GraphError>,
) -> Result<Vec<String>, GraphError> {
    match properties {
        Some(properties) if given.is_empty() => Ok(vec![of_file(properties)?.to_string()]),
        _ => Ok(given.to_vec()),
    }
}
