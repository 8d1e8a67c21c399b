//! What becomes of the sum of what a vertex is given.

use leadline_graph_store::format::Vertex;

use super::PageRankOptions;

/// Where jumps go in an iteration, and how much they bring.
pub(super) struct Jumps {
    damping: f64,
    /// What jumps bring to each vertex that they may go to.
    jump: f64,
    /// Those vertices, ascending; all where it is empty.
    personal: Vec<Vertex>,
}

impl Jumps {
    /// Of an iteration that begins with this rank of all vertices without edges together.
    pub(super) fn new(options: &PageRankOptions, dangling: f64, vertices: u64) -> Jumps {
        let jumping = 1.0 - options.damping + options.damping * dangling;
        let mut personal = options.personal.clone();
        personal.sort_unstable();
        let places = if personal.is_empty() { vertices as f64 } else { personal.len() as f64 };
        Jumps { damping: options.damping, jump: jumping / places, personal }
    }

    /// The rank of a vertex that is given `sum` along its edges.
    #[inline]
    pub(super) fn rank(&self, sum: f64, vertex: Vertex) -> f64 {
        if self.personal.is_empty() {
            return self.jump + self.damping * sum;
        }
        let start = self.personal.partition_point(|other| *other < vertex);
        let times = self.personal[start..].iter().take_while(|other| **other == vertex).count();
        self.jump * times as f64 + self.damping * sum
    }
}
