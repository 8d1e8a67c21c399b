//! Memory that a run takes, by Leadline's own account.

use std::path::Path;
use std::process::Command;

use anyhow::{Context as _, Result, ensure};
use serde_json::Value;

use crate::engine::{Engine, Task};
use crate::graph::Graph;

/// More than any run takes.
const PLENTY: u64 = 1 << 50;

/// Reads in flight of all threads, and the threads themselves.
const BUFFERS: u64 = 16 << 20;

/// Bytes of memory for a task.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Needs {
    /// Less is refused.
    pub least: u64,
    /// For all blocks, all decoded lists next to them, and all that the algorithm keeps.
    pub all: u64,
}

impl Needs {
    /// What a build of Leadline says, whose store of the graph is there.
    ///
    /// # Errors
    /// Where it cannot be run or fails.
    pub fn of(leadline: &Path, task: &Task<'_>) -> Result<Needs> {
        let engine = Engine::Leadline(leadline.to_owned());
        let words = engine.command(&Task { cap_bytes: PLENTY, ..*task });
        let output = Command::new(leadline).args(&words[1..]).arg("--estimate").output();
        let output = output.with_context(|| leadline.display().to_string())?;
        let what = || format!("`{} graph {} --estimate`", leadline.display(), task.algorithm);
        ensure!(output.status.success(), "{} fails: {}", what(), String::from_utf8_lossy(&output.stderr));
        Needs::parse(&String::from_utf8_lossy(&output.stdout), task.graph).with_context(what)
    }

    fn parse(document: &str, graph: &Graph) -> Result<Needs> {
        let document: Value = serde_json::from_str(document)?;
        let bytes = |key: &str| document[key].as_u64().with_context(|| format!("no number {key}"));
        let blocks = bytes("block_bytes")?;
        // Of each block something is known; of each vertex, where its list begins, and at most a number.
        let lists = 4 * (graph.vertices + 1 + graph.edges) + 8 * graph.vertices;
        let all = bytes("state_bytes")? + blocks + blocks / 16 + lists + BUFFERS;
        Ok(Needs { least: bytes("least_memory_bytes")?, all })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_estimate_says_the_least_memory_and_what_all_takes() {
        let graph = Graph { name: "g".into(), vertices: 10, edges: 20, source: 7 };
        let document = r#"{"least_memory_bytes": 1024, "state_bytes": 300, "block_bytes": 8192}"#;
        let all = 300 + 8192 + 512 + 4 * 31 + 80 + BUFFERS;
        assert_eq!(Needs::parse(document, &graph).unwrap(), Needs { least: 1024, all });
        let error = Needs::parse(r#"{"state_bytes": 300, "block_bytes": 1}"#, &graph).unwrap_err();
        assert!(error.to_string().contains("least_memory_bytes"), "{error}");
    }
}
