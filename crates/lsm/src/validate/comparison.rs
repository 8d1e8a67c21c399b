//! What a comparison of predictions with measurements says.

use serde::{Deserialize, Serialize};

use super::scale::LayoutName;
use super::summary::Summary;
use crate::Estimate;

/// What a cell measures.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// Filling a database and settling its tree: seconds.
    Fill,
    /// A point query: microseconds.
    Point,
    /// A scan: microseconds.
    Scan,
}

impl Kind {
    /// All of them.
    pub const ALL: [Kind; 3] = [Kind::Point, Kind::Scan, Kind::Fill];

    /// In words, of several.
    pub fn words(self) -> &'static str {
        match self {
            Kind::Fill => "fills",
            Kind::Point => "point queries",
            Kind::Scan => "scans",
        }
    }
}

/// A part of a prediction, and what it was.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Term {
    /// What it is, with its unit.
    pub name: String,
    /// As predicted.
    pub predicted: f64,
    /// As measured: the median of the repeats.
    pub measured: f64,
}

impl Term {
    /// Predicted over measured, less 1.
    pub fn error(&self) -> f64 {
        self.predicted / self.measured - 1.0
    }
}

/// A cell of the grid, predicted and measured.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ComparedCell {
    /// What it measures, and in which unit.
    pub kind: Kind,
    /// The layout.
    pub layout: LayoutName,
    /// Compaction threads with which it was filled.
    pub jobs: u32,
    /// Clients; `None` of a fill.
    pub clients: Option<u32>,
    /// The prediction.
    pub predicted: Estimate,
    /// What was measured.
    pub measured: Summary,
    /// Predicted over measured, less 1.
    pub error: f64,
    /// What the prediction is made of.
    pub terms: Vec<Term>,
    /// Names of the terms that are off by more than 15 %.
    pub off: Vec<String>,
}

/// How well the order of cells is foretold.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Order {
    /// Of which cells.
    pub kind: Kind,
    /// Pairs whose measured intervals have no number in common.
    pub pairs: usize,
    /// Pairs that are predicted in the order in which they were measured.
    pub right: usize,
}

/// Errors of one kind of cells.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Errors {
    /// Of which cells.
    pub kind: Kind,
    /// Median of the absolute relative errors.
    pub median: f64,
    /// Their mean.
    pub mean: f64,
    /// The largest.
    pub largest: f64,
}

/// The layout that predictions choose for a mix, and the one that measurements do.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Choice {
    /// The mix.
    pub mix: String,
    /// Clients.
    pub clients: u32,
    /// Chosen by predictions: a layout and its compaction threads.
    pub predicted: (LayoutName, u32),
    /// The best one measured.
    pub measured: (LayoutName, u32),
    /// Time of an operation with the first over that with the second, less 1.
    pub regret: f64,
}

/// Everything that was compared.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Comparison {
    /// Each cell.
    pub cells: Vec<ComparedCell>,
    /// Errors of each kind.
    pub errors: Vec<Errors>,
    /// Order of each kind.
    pub orders: Vec<Order>,
    /// Choices for a few quite different mixes.
    pub choices: Vec<Choice>,
}
