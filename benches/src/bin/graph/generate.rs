//! The graphs: R-MAT (Chakrabarti, Zhan, Faloutsos, SDM 2004) and a grid, as pairs of vertices in a file.

use std::fs::File;
use std::io::{BufWriter, Write as _};
use std::ops::RangeInclusive;
use std::path::Path;

use anyhow::{Context as _, Result, bail};
use clap::Parser;

use crate::graph::{Graph, store_meta};

/// Shares of the four quadrants of the adjacency matrix; the fourth gets what is left. As in Graph500.
const QUADRANTS: [f64; 3] = [0.57, 0.19, 0.19];

/// Samples of rmat20; each scale more has twice as many.
const SAMPLES: usize = 8_600_000;

/// Scales of R-MAT graphs, base 2.
const SCALES: RangeInclusive<u32> = 10..=26;

/// Sides of grids, vertices.
const SIDES: RangeInclusive<u32> = 10..=5000;

/// Writes the graphs: DIR/NAME.u32 (pairs of little-endian 32-bit numbers, both directions of every edge,
/// each once, in order, no edge from a vertex to itself) and DIR/NAME.meta (one line: vertices, edges, the
/// vertex of largest degree).
///
/// rmat24 needs 5 GB of memory and 2.1 GB of disk; each scale less half as much.
#[derive(Parser)]
pub struct Args {
    /// Folder to write into
    dir: std::path::PathBuf,
    /// Which ones: rmat10 to rmat26, grid10 to grid5k by the vertices on a side
    #[arg(long, value_delimiter = ',', default_value = "rmat20,grid1k")]
    graphs: Vec<String>,
    /// Number the vertices at random, as NAME-permuted: else the small numbers of an R-MAT graph have the
    /// large degrees, and neighbours of a grid lie side by side
    #[arg(long)]
    permute: bool,
}

/// Writes the graphs asked for and prints a table of them.
pub fn generate(args: &Args) -> Result<()> {
    std::fs::create_dir_all(&args.dir).with_context(|| args.dir.display().to_string())?;
    println!("| graph | vertices | edges, both directions | largest degree | of vertex |");
    println!("| --- | --- | --- | --- | --- |");
    for name in &args.graphs {
        let (Graph { name, vertices, edges, .. }, (hub, degree)) = make(&args.dir, name, args.permute)?;
        println!("| {name} | {vertices} | {edges} | {degree} | {hub} |");
    }
    Ok(())
}

/// What a name stands for.
#[derive(Debug, Clone, Copy)]
pub enum Shape {
    /// The scale, base 2.
    Rmat(u32),
    /// Vertices on a side.
    Grid(u32),
}

/// The graph of a name.
///
/// # Errors
/// Where there is none.
pub fn shape(name: &str) -> Result<Shape> {
    let scale = name.strip_prefix("rmat").and_then(|scale| scale.parse().ok());
    match (scale.filter(|scale| SCALES.contains(scale)), side(name)) {
        (Some(scale), _) => Ok(Shape::Rmat(scale)),
        (_, Some(side)) => Ok(Shape::Grid(side)),
        _ => bail!("no graph {name:?}: rmat10 to rmat26, or a grid such as grid500 or grid1k"),
    }
}

/// Writes one graph; also says which vertex has the largest degree, and that degree.
///
/// # Errors
/// Where there is no graph of that name, or it cannot be written.
pub fn make(dir: &Path, name: &str, permuted: bool) -> Result<(Graph, (u32, usize))> {
    let shape = shape(name)?;
    let (vertices, mut pairs) = match shape {
        Shape::Rmat(scale) => (1 << scale, rmat(scale, (SAMPLES << scale) >> 20, scale.into())),
        Shape::Grid(side) => (u64::from(side).pow(2), grid(side)),
    };
    let mut name = name.to_owned();
    if permuted {
        name += "-permuted";
        permute(&mut pairs, vertices);
    }
    let (hub, degree) = largest_degree(&pairs);
    // A grid has no vertex that stands out: its search starts in a corner.
    let source = if matches!(shape, Shape::Grid(_)) && !permuted { 0 } else { hub };
    write_pairs(&dir.join(format!("{name}.u32")), &pairs)?;
    let graph = Graph { name, vertices, edges: pairs.len() as u64, source };
    store_meta(dir, &graph)?;
    Ok((graph, (hub, degree)))
}

/// Vertices on a side, from `grid500` or `grid1k`.
fn side(name: &str) -> Option<u32> {
    let digits = name.strip_prefix("grid")?;
    let side = match digits.strip_suffix('k') {
        Some(thousands) => thousands.parse::<u32>().ok()?.checked_mul(1000)?,
        None => digits.parse().ok()?,
    };
    SIDES.contains(&side).then_some(side)
}

/// Both directions of an edge, the first vertex in the upper half: in the order of numbers they lie vertex by
/// vertex.
fn both(a: u32, b: u32) -> [u64; 2] {
    [u64::from(a) << 32 | u64::from(b), u64::from(b) << 32 | u64::from(a)]
}

/// 2^`scale` vertices, not renumbered: small numbers have the large degrees.
fn rmat(scale: u32, samples: usize, seed: u64) -> Vec<u64> {
    let mut random = fastrand::Rng::with_seed(seed);
    let mut pairs = Vec::with_capacity(2 * samples);
    let [a, b, c] = QUADRANTS;
    for _ in 0..samples {
        let (mut row, mut column) = (0u32, 0u32);
        for _ in 0..scale {
            let x = random.f64();
            row = row << 1 | u32::from(x >= a + b);
            column = column << 1 | u32::from((x >= a && x < a + b) || x >= a + b + c);
        }
        if row != column {
            pairs.extend(both(row, column));
        }
    }
    pairs.sort_unstable();
    pairs.dedup();
    pairs
}

/// `side` by `side` vertices, numbered row by row, each joined to those beside, above and below it.
fn grid(side: u32) -> Vec<u64> {
    let mut pairs = Vec::new();
    for vertex in 0..side * side {
        if vertex % side + 1 < side {
            pairs.extend(both(vertex, vertex + 1));
        }
        if vertex + side < side * side {
            pairs.extend(both(vertex, vertex + side));
        }
    }
    pairs.sort_unstable();
    pairs
}

/// Gives every vertex another number, and puts the pairs in order again.
fn permute(pairs: &mut [u64], vertices: u64) {
    let mut numbers: Vec<u32> = (0..vertices as u32).collect();
    fastrand::Rng::with_seed(vertices).shuffle(&mut numbers);
    for pair in &mut *pairs {
        let [a, b] = [*pair >> 32, *pair & 0xffff_ffff].map(|vertex| numbers[vertex as usize]);
        *pair = both(a, b)[0];
    }
    pairs.sort_unstable();
}

/// The first vertex of largest degree, and the degree. The pairs are in order.
fn largest_degree(pairs: &[u64]) -> (u32, usize) {
    let mut best = (0, 0);
    for run in pairs.chunk_by(|a, b| a >> 32 == b >> 32) {
        if run.len() > best.1 {
            best = ((run[0] >> 32) as u32, run.len());
        }
    }
    best
}

fn write_pairs(path: &Path, pairs: &[u64]) -> Result<()> {
    let name = || path.display().to_string();
    let mut file = BufWriter::with_capacity(1 << 20, File::create(path).with_context(name)?);
    for pair in pairs {
        // As a little-endian number of 64 bits the halves would change places.
        file.write_all(&pair.rotate_left(32).to_le_bytes()).with_context(name)?;
    }
    file.into_inner().map_err(|e| e.into_error()).and_then(|f| f.sync_all()).with_context(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_grid_has_both_directions_of_its_edges_and_nothing_twice() {
        let expected = [both(0, 1), both(0, 2), both(1, 3), both(2, 3)];
        let mut expected = expected.concat();
        expected.sort_unstable();
        assert_eq!(grid(2), expected);
        assert_eq!(grid(1000).len(), 2 * 2 * 1000 * 999);
    }

    #[test]
    fn a_grid_is_named_by_its_side() {
        assert_eq!(["grid300", "grid1k", "grid5k"].map(side), [Some(300), Some(1000), Some(5000)]);
        for wrong in ["grid", "gridk", "grid9", "grid6k", "grid99999999k", "rmat20", "grid-5"] {
            assert_eq!(side(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn rmat_is_symmetric_without_loops_and_skewed() {
        let pairs = rmat(10, 8000, 1);
        for &pair in &pairs {
            assert!(pair >> 32 != pair & 0xffff_ffff, "{pair:#x} is a loop");
            assert!(pairs.binary_search(&pair.rotate_left(32)).is_ok(), "{pair:#x} has no way back");
        }
        assert!(pairs.windows(2).all(|w| w[0] < w[1]), "in order, each once");
        let (_, degree) = largest_degree(&pairs);
        assert!(degree > 10 * pairs.len() / 1024, "no vertex stands out: {degree} of {}", pairs.len());
    }

    #[test]
    fn permuted_graphs_have_the_same_degrees_at_other_vertices() {
        let (before, mut after) = (rmat(10, 8000, 1), rmat(10, 8000, 1));
        permute(&mut after, 1 << 10);
        let degrees = |pairs: &[u64]| {
            let mut degrees: Vec<usize> =
                pairs.chunk_by(|a, b| a >> 32 == b >> 32).map(<[u64]>::len).collect();
            degrees.sort_unstable();
            degrees
        };
        assert!(before != after && after.windows(2).all(|w| w[0] < w[1]));
        assert_eq!(degrees(&before), degrees(&after));
        assert!(after.iter().all(|pair| after.binary_search(&pair.rotate_left(32)).is_ok()));
    }

    #[test]
    fn pairs_are_written_first_vertex_first() {
        let path = std::env::temp_dir().join(format!("leadline-pairs-{}", std::process::id()));
        write_pairs(&path, &[both(1, 0x0203)[0]]).unwrap();
        let bytes = std::fs::read(&path).unwrap();
        std::fs::remove_file(&path).unwrap();
        assert_eq!(bytes, [1, 0, 0, 0, 3, 2, 0, 0]);
    }
}
