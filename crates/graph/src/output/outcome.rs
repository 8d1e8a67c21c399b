//! What every result has beside its table: what the run did, and what came of it in short.

use serde_json::{Map, Value, json};

use crate::RunStats;
use crate::algorithms::{
    Bfs, Cdlp, Dfs, KCore, Lcc, Leiden, Louvain, MostSimilar, PageRank, Scc, Similarities, Sssp, Triangles,
    Walks, Wcc,
};

/// The result of an algorithm.
pub trait Outcome {
    /// What the run did.
    fn stats(&self) -> RunStats;

    /// The result in short, by name: `result` in the document of a run.
    fn facts(&self) -> Map<String, Value>;
}

/// The names of facts, and what they are of a result.
macro_rules! outcome {
    ($result:ty, $found:ident: { $($name:literal: $fact:expr),+ }) => {
        impl Outcome for $result {
            fn stats(&self) -> RunStats {
                self.stats
            }

            fn facts(&self) -> Map<String, Value> {
                let $found = self;
                Map::from_iter([$(($name.to_owned(), json!($fact))),+])
            }
        }
    };
}

outcome!(Bfs, found: { "reached": found.reached, "depth": found.depth });
outcome!(Wcc, found: { "components": found.count });
outcome!(Scc, found: { "components": found.count });
outcome!(PageRank, found: {
    "iterations": found.iterations, "highest_rank": found.highest, "change": found.change
});
outcome!(Sssp, found: { "reached": found.reached, "farthest": found.farthest });
outcome!(Cdlp, found: { "labels": found.count });
outcome!(Lcc, found: { "triangles": found.triangles, "mean_coefficient": found.mean() });
outcome!(Louvain, found: {
    "communities": found.count, "modularity": found.modularity, "levels": found.levels
});
outcome!(Leiden, found: {
    "communities": found.count, "modularity": found.modularity, "levels": found.levels
});
outcome!(Triangles, found: { "triangles": found.total, "passes": found.passes });
outcome!(KCore, found: { "max_core": found.max, "max_core_vertices": found.innermost() });
outcome!(Dfs, found: { "reached": found.reached, "trees": found.trees() });
outcome!(Walks, found: {
    "walks": found.walks, "steps": found.steps, "steps_per_second": found.steps_per_second()
});

outcome!(Similarities, found: { "pairs": found.values.len(), "mean_similarity": found.mean() });
outcome!(MostSimilar, found: {
    "vertices": found.vertices, "pairs": found.pairs, "batches": found.batches
});

impl Similarities {
    /// The mean similarity; 0 where there are no pairs.
    pub fn mean(&self) -> f64 {
        self.values.iter().sum::<f64>() / self.values.len().max(1) as f64
    }
}

impl Lcc {
    /// The mean coefficient; 0 where there are no vertices.
    pub fn mean(&self) -> f64 {
        self.coefficients.iter().sum::<f64>() / self.coefficients.len().max(1) as f64
    }
}

impl KCore {
    /// How many vertices are in the innermost core.
    pub fn innermost(&self) -> u64 {
        self.cores.iter().filter(|core| **core == self.max).count() as u64
    }
}

impl Dfs {
    /// How many trees there are: sources that were not reached from one before.
    pub fn trees(&self) -> u64 {
        self.roots.iter().zip(0..).filter(|(root, vertex)| **root == *vertex).count() as u64
    }
}

impl Walks {
    /// Steps per second of the run.
    pub fn steps_per_second(&self) -> f64 {
        self.steps as f64 / self.stats.seconds
    }
}
