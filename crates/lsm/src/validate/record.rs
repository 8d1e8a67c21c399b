//! What a validation leaves: all that was measured, and on what.

use leadline_profile::{DeviceFacts, DeviceProfile};
use serde::{Deserialize, Serialize};

use crate::{DeviceCosts, FileCosts, Layout, LsmError, ProcessorCosts};

use super::comparison::Comparison;
use super::fill::Fill;
use super::output::Level;
use super::plan::Plan;
use super::read::{Query, Read};
use super::scale::{LayoutName, Scale, expected_levels};
use super::summary::Summary;

/// The version of the format of [`Record`].
pub const SCHEMA: &str = "leadline.lsm-validation/1";

/// A validation, as it is written to its file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// [`SCHEMA`].
    pub schema: String,
    /// When it ended, RFC 3339.
    pub measured_at: String,
    /// Version of Leadline.
    pub leadline: String,
    /// Version of RocksDB, of db_bench.
    pub rocksdb: String,
    /// The device and the machine.
    pub machine: DeviceFacts,
    /// What was measured.
    pub plan: Plan,
    /// Each layout with each count of compaction threads.
    pub layouts: Vec<LayoutCell>,
    /// What RocksDB cost the processor on databases of other shapes.
    pub processor: ProcessorCosts,
    /// What making files durable takes, the median over the repeats.
    #[serde(default)]
    pub files: Option<FileCosts>,
    /// The device before each repeat, where it was measured.
    #[serde(default)]
    pub devices: Vec<DeviceCell>,
    /// All fills, in the order in which they were made.
    pub fills: Vec<FillCell>,
    /// All queries, likewise.
    pub queries: Vec<QueryCell>,
    /// The predictions next to them; `None` where none were made.
    #[serde(default)]
    pub comparison: Option<Comparison>,
}

/// The device before a repeat.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DeviceCell {
    /// The repeat, from 0.
    pub repeat: u32,
    /// Its profile, without slices and histograms.
    pub profile: DeviceProfile,
    /// What making files durable takes.
    pub files: FileCosts,
}

/// A layout that was measured.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LayoutCell {
    /// Its name.
    pub name: LayoutName,
    /// Compaction threads.
    pub jobs: u32,
    /// Whether its database was queried, too.
    pub queried: bool,
    /// Its settings.
    pub layout: Layout,
    /// [`super::expected_levels`]: bytes of each level from level 1 on, if all but the last are full.
    pub expected_level_bytes: Vec<f64>,
}

/// One fill.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FillCell {
    /// The layout.
    pub layout: LayoutName,
    /// Compaction threads.
    pub jobs: u32,
    /// The repeat, from 0.
    pub repeat: u32,
    /// What it came to.
    #[serde(flatten)]
    pub fill: Fill,
}

/// Queries of one kind by one number of clients, on one database.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct QueryCell {
    /// The layout.
    pub layout: LayoutName,
    /// Compaction threads with which the database was filled.
    pub jobs: u32,
    /// The repeat, from 0.
    pub repeat: u32,
    /// What was asked.
    pub operation: Query,
    /// Clients.
    pub clients: u32,
    /// The tree that was asked, level 0 first. After a run was resumed, it is one that was filled again.
    pub levels: Vec<Level>,
    /// What it came to.
    #[serde(flatten)]
    pub read: Read,
}

impl Record {
    /// The cost of the device over all repeats, by its profiles and the costs of its files; `None` where it
    /// was not measured.
    ///
    /// # Errors
    /// As [`DeviceCosts::from_profile`].
    pub fn device_costs(&self) -> Option<Result<DeviceCosts, LsmError>> {
        let profiles: Vec<&DeviceProfile> = self.devices.iter().map(|device| &device.profile).collect();
        let files = self.files?;
        Some(DeviceCosts::from_profiles(&profiles).map(|costs| costs.with_files(files)))
    }

    /// Median and interval over the repeats of fills of this layout with this many compaction threads.
    pub fn fill(&self, layout: LayoutName, jobs: u32, of: impl Fn(&Fill) -> f64) -> Option<Summary> {
        let cells = self.fills.iter().filter(|cell| (cell.layout, cell.jobs) == (layout, jobs));
        Summary::of(cells.map(|cell| of(&cell.fill)))
    }

    /// Median and interval over the repeats of these queries.
    pub fn query(
        &self,
        layout: LayoutName,
        operation: Query,
        clients: u32,
        of: impl Fn(&Read) -> f64,
    ) -> Option<Summary> {
        let key = (layout, operation, clients);
        let cells = self.queries.iter().filter(|cell| (cell.layout, cell.operation, cell.clients) == key);
        Summary::of(cells.map(|cell| of(&cell.read)))
    }

    /// The document: JSON, indented, with a line feed at its end.
    pub fn to_json(&self) -> String {
        let text = serde_json::to_string_pretty(self).expect("numbers and text can be written as JSON");
        text + "\n"
    }
}

/// Each layout of a plan with each count of compaction threads, in the order of the plan.
pub fn layout_cells(plan: &Plan, scale: &Scale) -> Vec<LayoutCell> {
    let mut cells = Vec::new();
    for &name in &plan.layouts {
        for jobs in plan.jobs_of(name) {
            let layout = plan.layout(scale, name, jobs);
            let expected_level_bytes = expected_levels(&layout, &plan.data);
            let queried = jobs == plan.queried_jobs(name);
            cells.push(LayoutCell { name, jobs, queried, layout, expected_level_bytes });
        }
    }
    cells
}
