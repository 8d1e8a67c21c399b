//! What is known of the disks of a cluster beyond their profiles. No drawing here, and no judging: who
//! compared the nodes says which of them differ.

use leadline_profile::Pattern;
use serde::{Deserialize, Serialize};

use crate::compare::{Quantity, Row};

/// The nodes of a cluster, and what was found out about them.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Fleet {
    /// What the page is about, in one line.
    pub heading: String,
    /// What is wrong: a slow disk, a node that was lost. One sentence each.
    pub troubles: Vec<String>,
    /// What else there is to say, one sentence each.
    pub sentences: Vec<String>,
    /// The rules by which nodes were judged, one sentence each.
    pub rules: Vec<String>,
    /// Names of the nodes, one per profile and in their order.
    pub nodes: Vec<String>,
    /// Numbers that most other nodes do not have.
    pub outliers: Vec<FleetOutlier>,
    /// What is different from last time.
    pub drift: Vec<FleetChange>,
}

/// A number of one node that most other nodes do not have.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FleetOutlier {
    /// The node's place among the profiles.
    pub node: usize,
    /// Access pattern.
    pub pattern: Pattern,
    /// Bytes per request.
    pub block_bytes: u32,
    /// Which number.
    pub quantity: Quantity,
    /// The number as a multiple of the other nodes'.
    pub ratio: f64,
}

/// A number of one node that is not what it was.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FleetChange {
    /// The node's name.
    pub node: String,
    /// The comparison of what was with what is: two cells and a verdict.
    pub row: Row,
}
