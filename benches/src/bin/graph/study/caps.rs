//! Memory caps with which the cache holds a given share of a graph's blocks.

use std::process::Command;

use anyhow::{Context as _, Result, bail};
use serde_json::Value;

use crate::engine::{Engine, Task};

/// Steps after which there is no such cap; a tenth of them is the rule.
const MOST_STEPS: u32 = 1000;

/// The cap for the task with which the cache holds `percent` of the graph's blocks, as `--estimate` says.
///
/// What a run needs besides comes on top: the vertices' state, the index, and buffers for the reads in
/// flight, which the engine makes half as large as the cache at most. So the cache is the same whatever the
/// number of reads in flight.
///
/// # Errors
/// Where `leadline` cannot be run, or fails.
pub fn cap_bytes(engine: &Engine, task: &Task<'_>, percent: u32) -> Result<u64> {
    let ask = |memory: u64| estimate(engine, &Task { cap_bytes: memory, ..*task });
    search(percent, |memory| {
        let answer = ask(memory)?;
        let number = |key: &str| answer[key].as_u64().with_context(|| format!("no {key} in the estimate"));
        Ok(Known {
            least: number("least_memory_bytes")?,
            blocks: number("block_bytes")?,
            cache: number("cache_bytes")?,
        })
    })
}

/// What an estimate says, bytes; `blocks` and `cache` are 0 where the memory is too little.
#[derive(Debug, Clone, Copy)]
struct Known {
    least: u64,
    blocks: u64,
    cache: u64,
}

fn search(percent: u32, mut ask: impl FnMut(u64) -> Result<Known>) -> Result<u64> {
    let mut memory = ask(1)?.least.next_multiple_of(1 << 10);
    let blocks = ask(memory)?.blocks;
    let wanted = (blocks as f64 * f64::from(percent) / 100.0).round().max(1.0) as u64;
    for _ in 0..MOST_STEPS {
        let cache = ask(memory)?.cache;
        if cache >= wanted {
            return Ok(memory);
        }
        // More memory never brings more cache than that; some of it goes to buffers and walkers.
        memory += (wanted - cache).max(1 << 10);
    }
    bail!("no memory cap has a cache of {wanted} of {blocks} bytes");
}

fn estimate(engine: &Engine, task: &Task<'_>) -> Result<Value> {
    let words = engine.command(task);
    let output = Command::new(&words[0]).args(&words[1..]).arg("--estimate").output();
    let output = output.with_context(|| words[0].display().to_string())?;
    if !output.status.success() {
        bail!("{}", String::from_utf8_lossy(&output.stderr).trim());
    }
    serde_json::from_slice(&output.stdout).context("the estimate is not JSON")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cap_is_the_least_and_the_share_of_blocks_and_what_buffers_take() {
        // An engine that gives a third of what is left to buffers, until they have 300,000 bytes.
        let engine = |memory: u64| {
            let spare = memory.saturating_sub(100_000);
            let cache = spare - (spare / 3).min(300_000);
            let enough = memory >= 100_000;
            Ok(Known { least: 100_000, blocks: if enough { 2_000_000 } else { 0 }, cache })
        };
        for (percent, buffers) in [(1, 10_000), (25, 250_000), (100, 300_000)] {
            let wanted = 20_000 * u64::from(percent);
            let cap = search(percent, engine).unwrap();
            let exact = 100_000 + wanted + buffers;
            assert!(cap >= exact && cap < exact + 4096, "{percent} %: {cap}, not {exact}");
        }
    }
}
