//! What `leadline graph louvain` and `leadline graph leiden` have in common.

use leadline_graph::algorithms::{CommunityLevel, CommunityOptions, LevelCommunities};
use leadline_graph::output::{Column, Output, Values};
use leadline_graph::{Graph, GraphError};

use super::report::grouped;
use crate::paths::OutputPath;

/// The flags of both.
#[derive(Debug, Clone, clap::Args)]
pub(super) struct CommunityArgs {
    /// Above 0: larger values make more and smaller communities
    #[arg(long, value_name = "R", default_value_t = 1.0, value_parser = resolution)]
    resolution: f64,
    /// Seed of the order in which vertices are moved
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// End after so many levels [default: as many as it takes]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    max_levels: Option<u32>,
    /// Also write each level's communities into this folder, as level-1.csv, level-2.csv, ...
    #[arg(long, value_name = "FOLDER")]
    levels: Option<OutputPath>,
}

fn resolution(text: &str) -> Result<f64, String> {
    let resolution = text.parse().ok().filter(|value: &f64| value.is_finite() && *value > 0.0);
    resolution.ok_or_else(|| "must be a number above 0, such as 1 or 0.5".to_owned())
}

/// What was found, for a line of words.
pub(super) struct Found<'a> {
    pub(super) count: u64,
    pub(super) modularity: f64,
    pub(super) levels: &'a [CommunityLevel],
}

/// What came of it, in a line.
pub(super) fn words(found: Found<'_>) -> String {
    let counts: Vec<String> = found.levels.iter().map(|level| grouped(level.communities)).collect();
    let levels = match counts.as_slice() {
        [] => "no level".to_owned(),
        [one] => format!("1 level ({one})"),
        several => format!("{} levels ({})", several.len(), several.join(", ")),
    };
    format!("{} communities of modularity {:.6}; {levels}", grouped(found.count), found.modularity)
}

impl CommunityArgs {
    pub(super) fn options(&self) -> CommunityOptions {
        let CommunityArgs { resolution, seed, max_levels, .. } = *self;
        CommunityOptions { resolution, seed, max_levels: max_levels.unwrap_or(u32::MAX) }
    }

    /// Makes the folder of levels, so that a place that cannot be written is found out first.
    ///
    /// # Errors
    /// [`GraphError::Path`].
    pub(super) fn prepare(&self) -> Result<(), GraphError> {
        let Some(folder) = &self.levels else { return Ok(()) };
        std::fs::create_dir_all(folder).map_err(|error| GraphError::Path {
            path: folder.display().to_string(),
            what: format!("no folder can be made there ({error}); name another"),
        })
    }

    /// Writes a level's communities, if that is wanted.
    ///
    /// # Errors
    /// What writing gives.
    pub(super) fn write_level(
        &self,
        graph: &Graph,
        level: u32,
        communities: LevelCommunities<'_>,
    ) -> Result<(), GraphError> {
        let Some(folder) = &self.levels else { return Ok(()) };
        let output = Output::create(&folder.join(format!("level-{level}.csv")), graph)?;
        let values = Values::Ranks(communities()?.into());
        output.write(graph, &[Column { name: "community", values }]).map(drop)
    }
}
