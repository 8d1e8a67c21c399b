//! Questions about many vertices, beside what the device could do.

use std::fs::File;
use std::io::{BufReader, Read as _, Write as _};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail};
use clap::Parser;
use leadline_benches::{Load, leadline, median};

use crate::measure::{Outcome, drop_caches, measure};
use crate::table::spread;

/// The neighbors of many vertices chosen by chance, cold, in alternation with random reads of the same file
/// by Leadline's load generator, with as many in flight: of 4K, at whose rate the blocks that are needed
/// would take so long one by one, and of 64K, as the engine reads blocks that lie next to each other.
#[derive(Parser)]
pub struct Args {
    /// DIR/NAME.graph, imported without --renumber from DIR/NAME.u32, which `generate` wrote
    store: PathBuf,
    /// The program `leadline`
    #[arg(long)]
    leadline: PathBuf,
    /// Vertices of a question
    #[arg(long, default_value_t = 100_000)]
    vertices: usize,
    /// Reads in flight
    #[arg(long, default_value_t = 64)]
    depth: u32,
    /// Questions, each beside a run of the load generator
    #[arg(long, default_value_t = 11)]
    pairs: usize,
    /// Seconds of each of these
    #[arg(long, default_value_t = 1.0)]
    seconds: f64,
}

/// What a pair came to, by column.
const COLUMNS: [&str; 11] = [
    "blocks needed",
    "requests",
    "reading and collecting, s",
    "looking up ids, s",
    "rows with ids, s",
    "4K random reads/s",
    "64K random reads, MB/s",
    "blocks one by one at the first, s",
    "bytes at the second, s",
    "reading and collecting / the first",
    "reading and collecting / the second",
];

/// The largest requests of the engine, bytes.
const JOINED: u32 = 64 << 10;

/// Prints the table.
pub fn queries(args: &Args) -> Result<()> {
    let known = vertices(&args.store.with_extension("u32"))?;
    let dir = args.store.parent().filter(|dir| !dir.as_os_str().is_empty()).unwrap_or(".".as_ref());
    let scratch = tempfile::tempdir()?;
    let mut columns = [const { Vec::new() }; COLUMNS.len()];
    for pair in 0..args.pairs {
        let asked = scratch.path().join("ids.txt");
        ask(&known, args.vertices, pair as u64, &asked)?;
        drop_caches(dir)?;
        // Either goes first in turn.
        let before = if pair % 2 == 1 { Some(rates(args)?) } else { None };
        let [blocks, requests, bytes, seconds, ids, rows] = question(args, &asked, scratch.path())?;
        let [iops, bandwidth] = before.map_or_else(|| rates(args), Ok)?;
        let (single, joined) = (blocks / iops, bytes / bandwidth);
        let values = [
            blocks,
            requests,
            seconds,
            ids,
            rows,
            iops,
            bandwidth / 1e6,
            single,
            joined,
            seconds / single,
            seconds / joined,
        ];
        eprintln!("pair {pair}: {values:.3?}");
        columns.iter_mut().zip(values).for_each(|(column, value)| column.push(value));
    }
    println!("| {} vertices, {} reads in flight | median (lowest–highest) |", args.vertices, args.depth);
    println!("| --- | --- |");
    for (name, values) in COLUMNS.iter().zip(&columns) {
        println!("| {name} | {} |", spread(&median(values)));
    }
    Ok(())
}

/// The vertices that have edges: the first of each pair, which are in order.
fn vertices(pairs: &Path) -> Result<Vec<u32>> {
    let name = || pairs.display().to_string();
    let mut file = BufReader::with_capacity(1 << 20, File::open(pairs).with_context(name)?);
    let (mut vertices, mut pair) = (Vec::new(), [[0; 4]; 2]);
    while file.read_exact(pair.as_flattened_mut()).is_ok() {
        let vertex = u32::from_le_bytes(pair[0]);
        if vertices.last() != Some(&vertex) {
            vertices.push(vertex);
        }
    }
    if vertices.is_empty() { bail!("{}: has no pairs", name()) } else { Ok(vertices) }
}

/// Writes ids of different vertices, in no order.
fn ask(known: &[u32], count: usize, seed: u64, path: &Path) -> Result<()> {
    let mut random = fastrand::Rng::with_seed(seed);
    let mut file = std::io::BufWriter::new(File::create(path)?);
    for vertex in random.choose_multiple(known, count) {
        writeln!(file, "{vertex}")?;
    }
    Ok(file.flush()?)
}

/// Blocks, requests, bytes and three times of a question.
fn question(args: &Args, asked: &Path, scratch: &Path) -> Result<[f64; 6]> {
    let mut words = vec![args.leadline.clone().into_os_string()];
    words.extend(["graph", "neighbors"].map(Into::into));
    words.push(args.store.clone().into());
    words.extend(["--vertices".into(), asked.into(), "--json".into()]);
    words.extend(["--depth".into(), args.depth.to_string().into()]);
    words.extend(["-o".into(), scratch.join("rows.parquet").into()]);
    let run = measure(&words, None, 600.0)?;
    if run.outcome != Outcome::Done {
        bail!("the question: {:?}", run.outcome);
    }
    let number = |key| run.number(key);
    Ok([
        number("cache_misses")?,
        number("requests")?,
        number("bytes_read")?,
        number("seconds")?,
        number("ids_seconds")?,
        number("rows_seconds")?,
    ])
}

/// Random reads of 4K per second, and bytes per second of such of 64K.
fn rates(args: &Args) -> Result<[f64; 2]> {
    let single = Load::random_reads(args.depth);
    let joined = Load { block_bytes: JOINED, ..single };
    let iops = leadline(&args.store, single, args.seconds)?.iops;
    Ok([iops, leadline(&args.store, joined, args.seconds)?.iops * f64::from(JOINED)])
}
