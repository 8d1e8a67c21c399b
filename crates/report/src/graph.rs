//! What a graph store looks like in words: rows of a name and a value, for the terminal and the page alike.

use serde::Serialize;

use crate::format::{bytes, seconds, significant};
use crate::trace::{Row, exact, share};

/// What a graph store holds.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct GraphInfo {
    /// The file, or the folder of a store that was changed.
    pub store: String,
    /// Changes since the store was imported.
    pub version: u64,
    /// Size of the file, or of all files, bytes.
    pub file_bytes: u64,
    /// What of it is changes; nothing for a store that was never changed.
    pub space: Option<GraphSpace>,
    /// Vertices.
    pub vertices: u64,
    /// Edges; an undirected one counts once.
    pub edges: u64,
    /// Edges from a vertex to itself.
    pub self_loops: u64,
    /// Whether edges are directed.
    pub directed: bool,
    /// Whether lists of incoming edges can be read.
    pub reverse: bool,
    /// Whether lists are compressed.
    pub compressed: bool,
    /// How weights are kept: `none`, `f32` or `f64`.
    pub weights: &'static str,
    /// What ids are: `dense` (0 to vertices - 1), `numbers` or `strings`.
    pub ids: &'static str,
    /// Whether vertices are numbered by falling degree.
    pub renumbered: bool,
    /// Size of a block, bytes.
    pub block_bytes: u32,
    /// Blocks of lists.
    pub blocks: u64,
    /// Share of the blocks' bytes that is used, 0 to 1; `None` where there are no blocks.
    pub block_fill: Option<f64>,
    /// Bytes of the file for each edge; `None` where there are no edges.
    pub bytes_per_edge: Option<f64>,
    /// Median number of outgoing edges.
    pub median_degree: u64,
    /// The longest list of outgoing edges.
    pub max_degree: u64,
    /// How long the import took; nothing where the store does not hold it.
    pub import_seconds: Option<f64>,
    /// Vertices by the number of their outgoing edges, ascending, none of them empty.
    pub degrees: Vec<DegreeBin>,
}

/// What a store that was changed takes on the device.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct GraphSpace {
    /// Lists as they were imported or last compacted, bytes.
    pub base_bytes: u64,
    /// Sorted runs of changes.
    pub runs: u64,
    /// Of these, bytes.
    pub run_bytes: u64,
    /// Of the log of commits that are in no run, bytes.
    pub log_bytes: u64,
    /// How many times the bytes of the base all of it is.
    pub amplification: f64,
}

/// Vertices whose degrees lie close together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct DegreeBin {
    /// The smallest degree of the bin.
    pub from: u64,
    /// The largest.
    pub to: u64,
    /// Vertices with a degree from `from` to `to`.
    pub vertices: u64,
}

/// A line of the table of degrees.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct Degrees {
    pub(crate) range: String,
    pub(crate) vertices: String,
    pub(crate) share: String,
    /// Of all vertices, 0 to 1.
    pub(crate) part: f64,
}

/// What there is to say, in order.
pub(crate) fn rows(info: &GraphInfo) -> Vec<Row> {
    let row = |name, value: String| Row { name, value };
    let (edges, loops) = (exact(info.edges as f64), exact(info.self_loops as f64));
    let ways = if info.directed { "directed" } else { "undirected" };
    let incoming = match (info.directed, info.reverse) {
        (true, true) => ", lists of outgoing and of incoming edges",
        (true, false) => ", lists of outgoing edges only",
        _ => "",
    };
    let ids = match info.ids {
        "dense" => "numbers from 0 on without a gap",
        "numbers" => "numbers",
        _ => "strings",
    };
    let order = if info.renumbered { ", which vertices are not in the order of" } else { "" };
    let mut rows = vec![
        row("vertices", exact(info.vertices as f64)),
        row("edges", format!("{edges}, {ways}{incoming}; {loops} self-loops")),
        row("degree", degree_words(info)),
        row("ids", format!("{ids}{order}")),
        row("weights", weights(info.weights).to_owned()),
    ];
    let each =
        info.bytes_per_edge.map_or(String::new(), |each| format!(", {} bytes per edge", significant(each)));
    rows.push(row("file", format!("{}{each}", bytes(info.file_bytes))));
    let fill = info.block_fill.map_or(String::new(), |fill| format!(", {} full", share(fill)));
    let kept = if info.compressed { "compressed" } else { "plain" };
    let blocks = exact(info.blocks as f64);
    rows.push(row("blocks", format!("{blocks} of {}{fill}, {kept}", bytes(info.block_bytes.into()))));
    if let Some(space) = &info.space {
        let GraphSpace { base_bytes, runs, run_bytes, log_bytes, amplification } = space;
        let (runs, times) = (exact(*runs as f64), significant(*amplification));
        let (base, in_runs, log) = (bytes(*base_bytes), bytes(*run_bytes), bytes(*log_bytes));
        rows.push(row("version", format!("{} changes since the import", exact(info.version as f64))));
        let parts = format!("{base} of lists, {in_runs} of changes in sorted runs ({runs}), {log} of log");
        rows.push(row("space", format!("{parts}; {times} times the lists")));
    }
    rows.extend(info.import_seconds.map(|took| row("import time", seconds(took))));
    rows
}

fn degree_words(info: &GraphInfo) -> String {
    let [median, most] = [info.median_degree, info.max_degree].map(|degree| exact(degree as f64));
    format!("{} on average, median {median}, {most} at most", average(info))
}

fn weights(kind: &str) -> &'static str {
    match kind {
        // What was read, which 64 bits may have rounded.
        "f32" => "32 bits each, the same as in 64",
        "f64" => "64 bits each",
        _ => "none",
    }
}

/// Outgoing edges of a vertex on average; an undirected edge goes out from both its ends.
pub(crate) fn average(info: &GraphInfo) -> String {
    if info.vertices == 0 {
        return "0".to_owned();
    }
    let ends = if info.directed { info.edges } else { 2 * info.edges - info.self_loops };
    significant(ends as f64 / info.vertices as f64)
}

/// Vertices by powers of two of their degree, from the first that has one to the last.
pub(crate) fn degrees(info: &GraphInfo) -> Vec<Degrees> {
    let power = |degree: u64| if degree == 0 { 0 } else { degree.ilog2() as usize + 1 };
    let Some(last) = info.degrees.last().map(|bin| power(bin.to)) else { return Vec::new() };
    let mut counts = vec![0; last + 1];
    for bin in &info.degrees {
        counts[power(bin.from)] += bin.vertices;
    }
    let line = |(at, &vertices): (usize, &u64)| {
        let range = match at {
            0 | 1 => at.to_string(),
            _ => {
                let from = 1u64 << (at - 1);
                format!("{}-{}", exact(from as f64), exact((from - 1 + from) as f64))
            }
        };
        let part = vertices as f64 / info.vertices.max(1) as f64;
        Degrees { range, vertices: exact(vertices as f64), share: share(part), part }
    };
    counts.iter().enumerate().map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::graphs::sample_graph;

    #[test]
    fn degrees_are_gathered_by_powers_of_two() {
        let lines = degrees(&sample_graph());
        let ranges: Vec<&str> = lines.iter().map(|line| line.range.as_str()).collect();
        assert_eq!(ranges[..5], ["0", "1", "2-3", "4-7", "8-15"]);
        let whole: f64 = lines.iter().map(|line| line.part).sum();
        assert!((whole - 1.0).abs() < 1e-9, "{whole}");
    }

    #[test]
    fn an_undirected_edge_has_two_ends() {
        let mut info = sample_graph();
        (info.vertices, info.edges, info.self_loops, info.directed) = (4, 4, 0, true);
        assert_eq!(average(&info), "1.00");
        info.directed = false;
        assert_eq!(average(&info), "2.00");
    }
}
