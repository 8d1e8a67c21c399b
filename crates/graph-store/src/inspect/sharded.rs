//! What a sharded store holds.

use std::path::Path;

use leadline_figures::number::{bytes, exact};
use leadline_figures::{Table, Text};
use serde::Serialize;

use super::info::weights;
use crate::GraphError;
use crate::tiles::Shards;

/// What a sharded store holds.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ShardedInfo {
    /// The directory.
    pub store: String,
    /// Size of all files, bytes.
    pub file_bytes: u64,
    /// Vertices.
    pub vertices: u64,
    /// Edges; an undirected one counts once.
    pub edges: u64,
    /// Edges from a vertex to itself.
    pub self_loops: u64,
    /// The longest list of outgoing edges.
    pub max_degree: u64,
    /// Whether edges are directed.
    pub directed: bool,
    /// Whether lists of incoming edges can be read.
    pub reverse: bool,
    /// Whether lists are compressed.
    pub compressed: bool,
    /// How weights are kept: `none`, `f32` or `f64`.
    pub weights: String,
    /// What ids are: `dense` (0 to vertices - 1) or `numbers`.
    pub ids: &'static str,
    /// Whether parallel edges were merged.
    pub dedupe: bool,
    /// Whether self-loops were left out.
    pub drop_self_loops: bool,
    /// Size of a block, bytes.
    pub block_bytes: u32,
    /// Parts of the vertices.
    pub shards: u64,
    /// Vertices of each; the last may have fewer.
    pub shard_vertices: u64,
    /// Files of edges, of both directions.
    pub tiles: u64,
    /// Bytes of the files for each edge; `None` where there are no edges.
    pub bytes_per_edge: Option<f64>,
}

impl ShardedInfo {
    /// Of a sharded store, by its manifest.
    ///
    /// # Errors
    /// [`GraphError::Damaged`], [`GraphError::Read`].
    pub fn of(store: &Path) -> Result<ShardedInfo, GraphError> {
        let (shards, file_bytes) = (Shards::read(store)?, Shards::bytes(store)?);
        let edges = shards.edges();
        Ok(ShardedInfo {
            store: store.display().to_string(),
            file_bytes,
            vertices: shards.vertices,
            edges,
            self_loops: shards.self_loops,
            max_degree: shards.max_degree,
            directed: shards.directed,
            reverse: shards.has_reverse(),
            compressed: shards.compressed,
            ids: if shards.id_pages == 0 { "dense" } else { "numbers" },
            dedupe: shards.dedupe,
            drop_self_loops: shards.drop_self_loops,
            block_bytes: shards.block_bytes,
            shards: shards.count(),
            shard_vertices: shards.shard_vertices,
            tiles: (shards.tiles.len() + shards.reverse_tiles.len()) as u64,
            bytes_per_edge: (edges > 0).then(|| file_bytes as f64 / edges as f64),
            weights: shards.weights,
        })
    }

    /// What there is to say, for a terminal.
    pub fn text(&self) -> Text {
        let number = |number: u64| exact(number as f64);
        let incoming = match (self.directed, self.reverse) {
            (true, true) => "directed, lists of outgoing and of incoming edges",
            (true, false) => "directed, lists of outgoing edges only",
            _ => "undirected",
        };
        let ids = if self.ids == "dense" { "numbers from 0 on without a gap" } else { "numbers" };
        let each = self.bytes_per_edge.map_or(String::new(), |each| format!(", {each:.2} bytes per edge"));
        let kept = if self.compressed { "compressed" } else { "plain" };
        let (edges, loops) = (number(self.edges), number(self.self_loops));
        let facts = vec![
            ("vertices", number(self.vertices)),
            ("edges", format!("{edges}, {incoming}; {loops} self-loops")),
            ("degree", format!("{} at most", number(self.max_degree))),
            ("ids", ids.to_owned()),
            ("weights", weights(&self.weights).to_owned()),
            ("shards", format!("{} of {} vertices", number(self.shards), number(self.shard_vertices))),
            ("files", format!("{}{each}; {} tiles", bytes(self.file_bytes), number(self.tiles))),
            ("blocks", format!("{}, {kept}", bytes(self.block_bytes.into()))),
        ];
        let mut text = Text::new();
        text.say(format!("{}, a sharded graph store", self.store));
        text.gap();
        text.table(Table::of_facts(facts));
        text
    }
}
