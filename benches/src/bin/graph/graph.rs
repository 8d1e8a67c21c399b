//! A generated graph, its line in a file, and how much memory a cell of the comparison grants.

use std::path::Path;

use anyhow::{Context as _, Result, bail};

/// What is added to every engine's cap: program text, stacks, buffers of the C library.
pub const ALLOWANCE_BYTES: u64 = 16 << 20;

/// A graph as [`crate::generate`] wrote it.
#[derive(Debug, Clone, PartialEq)]
pub struct Graph {
    /// Its files are NAME.u32, NAME.meta and NAME.graph.
    pub name: String,
    /// Vertices, those without edges included.
    pub vertices: u64,
    /// Edges, both directions counted.
    pub edges: u64,
    /// Where searches start.
    pub source: u32,
}

/// Writes DIR/NAME.meta: vertices, edges and source in one line, which a shell script reads with `read V E
/// S`.
pub fn store_meta(dir: &Path, graph: &Graph) -> Result<()> {
    let path = dir.join(format!("{}.meta", graph.name));
    std::fs::write(&path, format!("{} {} {}\n", graph.vertices, graph.edges, graph.source))
        .with_context(|| path.display().to_string())
}

/// Reads what [`store_meta`] wrote.
pub fn load_meta(dir: &Path, name: &str) -> Result<Graph> {
    let path = dir.join(format!("{name}.meta"));
    let text = std::fs::read_to_string(&path)
        .with_context(|| format!("{}: make it with `cargo xtask bench graph generate`", path.display()))?;
    parse_meta(name, &text).with_context(|| path.display().to_string())
}

fn parse_meta(name: &str, text: &str) -> Result<Graph> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let [vertices, edges, source] = words[..] else {
        bail!("expected `VERTICES EDGES SOURCE`, found {text:?}")
    };
    let name = name.to_owned();
    Ok(Graph { name, vertices: vertices.parse()?, edges: edges.parse()?, source: source.parse()? })
}

/// What an engine must hold of every vertex, bytes; the same for all engines, however much they really hold.
///
/// A parent or a label of 4 bytes (bfs, dfs, wcc); two ranks of 8 and a degree of 4 (pagerank); two labels of
/// 4, old and new (cdlp); a degree and a core number (kcore); a triangle count of 8 (lcc,
/// triangles); a count of visits (walk).
pub fn state_bytes(algorithm: &str) -> Result<u64> {
    Ok(match algorithm {
        "bfs" | "dfs" | "wcc" | "walk" => 4,
        "cdlp" | "kcore" | "lcc" | "triangles" => 8,
        "pagerank" => 20,
        _ => {
            bail!("no algorithm {algorithm:?}: bfs, dfs, wcc, pagerank, cdlp, lcc, triangles, kcore or walk")
        }
    })
}

/// How much memory a cell grants.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Cap {
    /// The state of the vertices, and this many percent of the edges at 4 bytes each.
    Percent(f64),
    /// This many bytes for all, whatever the graph.
    Bytes(u64),
}

impl Cap {
    /// What an engine is told, bytes.
    pub fn bytes(self, graph: &Graph, algorithm: &str) -> Result<u64> {
        Ok(match self {
            Cap::Percent(percent) => {
                let edges = 4.0 * graph.edges as f64 * percent / 100.0;
                state_bytes(algorithm)? * graph.vertices + edges.round() as u64
            }
            Cap::Bytes(bytes) => bytes,
        })
    }
}

impl std::fmt::Display for Cap {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Cap::Percent(percent) => write!(f, "{percent} %"),
            Cap::Bytes(bytes) => f.write_str(&leadline_device::format_size(*bytes)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn graph() -> Graph {
        Graph { name: "g".into(), vertices: 1000, edges: 20_000, source: 7 }
    }

    #[test]
    fn a_cap_is_the_state_and_a_share_of_the_edges() {
        assert_eq!(Cap::Percent(5.0).bytes(&graph(), "bfs").unwrap(), 4000 + 4000);
        assert_eq!(Cap::Percent(200.0).bytes(&graph(), "pagerank").unwrap(), 20_000 + 160_000);
        assert_eq!(Cap::Bytes(123).bytes(&graph(), "wcc").unwrap(), 123);
        let error = Cap::Percent(5.0).bytes(&graph(), "bsf").unwrap_err().to_string();
        assert!(error.contains("\"bsf\"") && error.contains("pagerank"), "{error}");
    }

    #[test]
    fn a_meta_line_round_trips_and_a_short_one_is_named() {
        assert_eq!(parse_meta("g", "1000 20000 7\n").unwrap(), graph());
        assert!(parse_meta("g", "1000 20000").unwrap_err().to_string().contains("VERTICES EDGES SOURCE"));
        assert!(parse_meta("g", "1000 x 7").is_err());
    }
}
