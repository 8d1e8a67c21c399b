//! The algorithms that run on a sharded store, as they are asked for by name.

use std::time::Instant;

use serde_json::{Map, Value, json};

use crate::algorithm::{Argument, Arguments, Definition, Destination, Job, Ran, Written};
use crate::output::{RankRows, grouped};
use crate::sharded::{CHUNK, ShardedGraph, UNREACHED, not_on_shards};
use crate::{GraphError, RunStats};

use super::bfs::sharded::ShardedBfs;
use super::wcc::sharded::ShardedWcc;

/// What an algorithm is called in reports of a sharded store.
pub fn sharded_name(definition: &Definition) -> &'static str {
    match definition.name {
        "bfs" => super::bfs::NAME,
        "wcc" => super::wcc::NAME,
        other => other,
    }
}

/// Runs an algorithm on a sharded store, and brings the result to where the job says.
///
/// # Errors
/// [`GraphError::Path`] where the algorithm, or one of its options, needs a store that is not sharded; the
/// errors of the algorithm and of writing its result.
pub fn run_sharded(
    graph: &mut ShardedGraph,
    definition: &Definition,
    arguments: &Arguments,
    job: &Job,
) -> Result<Ran, GraphError> {
    check(graph, definition, arguments)?;
    let rows = match definition.name {
        "bfs" => RankRows::create(graph, &job.to, "level")?,
        _ => RankRows::create(graph, &job.to, "component")?,
    };
    let keep = job.to != Destination::Nowhere;
    match definition.name {
        "bfs" => {
            let ids = match arguments.get("source") {
                Some(Argument::Ids(ids)) => ids.as_slice(),
                _ => &[],
            };
            let sources = ids.iter().map(|id| graph.vertex(id)).collect::<Result<Vec<u64>, _>>()?;
            repeat(graph, job, rows, |graph| graph.bfs(&sources, keep))
        }
        _ => repeat(graph, job, rows, |graph| graph.wcc(keep)),
    }
}

/// What does not run on a sharded store is refused.
fn check(graph: &ShardedGraph, definition: &Definition, arguments: &Arguments) -> Result<(), GraphError> {
    let (name, path) = (definition.name, graph.name());
    if !["bfs", "wcc"].contains(&name) {
        return Err(not_on_shards(path.as_ref()));
    }
    match arguments.keys().find(|option| **option != "source") {
        Some(option) => {
            let what = format!("is a sharded graph store, on which {name} has no --{option}; leave it out");
            Err(GraphError::Path { path, what })
        }
        None => Ok(()),
    }
}

/// A result on a sharded store.
trait OfShards {
    fn stats(&self) -> RunStats;
    fn facts(&self) -> Map<String, Value>;
    fn words(&self) -> String;
    /// Hands over its value for each vertex.
    fn write(self, graph: &ShardedGraph, rows: &mut RankRows) -> Result<(), GraphError>;
}

fn repeat<T: OfShards>(
    graph: &mut ShardedGraph,
    job: &Job,
    mut rows: RankRows,
    mut run: impl FnMut(&mut ShardedGraph) -> Result<T, GraphError>,
) -> Result<Ran, GraphError> {
    let mut found = run(graph)?;
    let mut runs = vec![found.stats()];
    for _ in 1..job.runs {
        // The result before is let go first: the cap covers one.
        drop(found);
        found = run(graph)?;
        runs.push(found.stats());
    }
    let (facts, words, iterations) = (found.facts(), found.words(), found.stats().sweeps);
    let started = Instant::now();
    if job.to != Destination::Nowhere {
        found.write(graph, &mut rows)?;
    }
    let (bytes, rows) = rows.finish()?;
    let written = bytes.map(|bytes| Written { bytes, seconds: started.elapsed().as_secs_f64() });
    Ok(Ran { facts, words, iterations, unfinished: None, runs, written, rows })
}

impl OfShards for ShardedBfs {
    fn stats(&self) -> RunStats {
        self.stats
    }

    fn facts(&self) -> Map<String, Value> {
        let facts = [("reached", json!(self.reached)), ("depth", json!(self.depth))];
        facts.map(|(name, fact)| (name.to_owned(), fact)).into_iter().collect()
    }

    fn words(&self) -> String {
        format!("reached {} vertices; the farthest {} edges away", grouped(self.reached), self.depth)
    }

    fn write(self, graph: &ShardedGraph, rows: &mut RankRows) -> Result<(), GraphError> {
        let Some(mut file) = self.levels else { return Ok(()) };
        let (each, all) = (graph.shards().shard_vertices, graph.shards().vertices);
        let mut levels = Vec::new();
        for shard in 0..graph.count() {
            let first = shard as u64 * each;
            let own = each.min(all.saturating_sub(first));
            for start in (0..own).step_by(CHUNK as usize) {
                graph.check_stop()?;
                file.read(shard, start / CHUNK, &mut levels)?;
                levels.truncate((own - start) as usize);
                let level = |level: &u32| if *level == UNREACHED { -1 } else { i64::from(*level) };
                rows.put_integers(first + start, levels.iter().map(level))?;
            }
        }
        Ok(())
    }
}

impl OfShards for ShardedWcc {
    fn stats(&self) -> RunStats {
        self.stats
    }

    fn facts(&self) -> Map<String, Value> {
        Map::from_iter([("components".to_owned(), json!(self.count))])
    }

    fn words(&self) -> String {
        format!("{} components", grouped(self.count))
    }

    fn write(self, graph: &ShardedGraph, rows: &mut RankRows) -> Result<(), GraphError> {
        let Some(mut file) = self.components else { return Ok(()) };
        let all = graph.shards().vertices;
        let mut components = Vec::new();
        for start in (0..all).step_by(CHUNK as usize) {
            graph.check_stop()?;
            file.read(start..(start + CHUNK).min(all), &mut components)?;
            rows.put_ranks(start, &components)?;
        }
        Ok(())
    }
}
