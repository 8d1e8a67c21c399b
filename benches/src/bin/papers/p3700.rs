//! What Yang, Li and Lilja (ACM TOMPECS 5(1), 2020) measured of a P3700: the text of sections 4.1 to 4.8.

mod tail;

use anyhow::Result;

use leadline_sim::InitialState;

use self::tail::table_1;
use super::drive::{Drive, Running};
use super::figure::{Figure, Within};
use super::load::{Actor, Region, reads, writes};

const PAGE: u32 = 4096;

/// Bytes of a request of the background. Theirs are not known: 4K reads do not reach 1500 MB/s on their
/// machine.
const BACKGROUND: u32 = 8 << 10;

/// A file that fills what a drive's buffers hold many times over, and one that is soon written anew.
const FILE: Region = Region { start: 0, bytes: 64 << 30 };
const SMALL_FILE: Region = Region { start: 0, bytes: 1 << 30 };

/// Requests whose mean is taken.
const REQUESTS: u64 = 50_000;

pub(crate) fn p3700(drive: &Drive) -> Result<Vec<Figure>> {
    let mut figures = alone(drive)?;
    let (read, write) = (figures[0].ours(), figures[2].ours());
    figures.extend(interleaving(drive)?);
    figures.extend(pressure(drive, read, write)?);
    figures.extend(unaligned(drive)?);
    figures.push(overwriting(drive)?);
    figures.push(read_buffer(drive)?);
    figures.push(server_trace(drive)?);
    figures.extend(table_1(drive)?);
    Ok(figures)
}

/// Written once in sequence, as files are laid out: there is room to write without collecting.
fn filled(drive: &Drive) -> Result<Running> {
    drive.changed(|spec| spec.state = InitialState::Filled)
}

/// Section 4.1.
fn alone(drive: &Drive) -> Result<Vec<Figure>> {
    let mut running = filled(drive)?;
    let mut mean =
        |actor: Actor| Ok::<f64, anyhow::Error>(running.run(&mut [actor.over(FILE)], REQUESTS)?.mean());
    Ok(vec![
        Figure::new("sequential read", "us", 10.11, mean(reads(PAGE).in_sequence())?).fitted(),
        Figure::new("random read", "us", 100.0, mean(reads(PAGE))?).fitted(),
        Figure::new("write", "us", 11.0, mean(writes(PAGE))?).fitted(),
    ])
}

/// Section 4.2.
fn interleaving(drive: &Drive) -> Result<Vec<Figure>> {
    let mut running = filled(drive)?;
    let large = 128 << 10;
    let gigabytes = |block: u32, iops: f64| iops * f64::from(block) / 1e9;
    let read = running.throughput(reads(large).over(FILE), 64, 20_000)?;
    let mut curve = Vec::new();
    for k in [1, 2, 4, 8, 16, 32, 64, 128, 256] {
        curve.push((f64::from(k), running.throughput(reads(PAGE).over(FILE), k, REQUESTS)?));
    }
    let most = curve.iter().map(|point| point.1).fold(0.0, f64::max);
    let enough = curve.iter().find(|point| point.1 >= 0.99 * most).map_or(0.0, |point| point.0);
    let write = running.throughput(writes(large).over(FILE), 64, 20_000)?;
    Ok(vec![
        Figure::new("reads: most", "GB/s", 2.5, gigabytes(large, read)).fitted(),
        Figure::new("writes: most", "GB/s", 2.0, gigabytes(large, write)).fitted(),
        Figure::new("4K reads: most", "GB/s", 1.2, gigabytes(PAGE, most)).fitted(),
        Figure::new("4K reads in flight for that", "", 128.0, enough),
    ])
}

/// Section 4.3; `read` and `write`: sequential reads and writes with nothing beside them.
fn pressure(drive: &Drive, read: f64, write: f64) -> Result<Vec<Figure>> {
    let mut running = filled(drive)?;
    let mut beside = |actor: Actor, background: Actor, megabytes: f64| -> Result<f64> {
        let background = background.over(SMALL_FILE).megabytes_per_second(megabytes);
        Ok(running.run(&mut [actor.over(SMALL_FILE), background], 20_000)?.mean())
    };
    let sequential = reads(PAGE).in_sequence();
    let (other_reads, other_writes) = (reads(BACKGROUND), writes(BACKGROUND));
    let few = beside(sequential.clone(), other_reads.clone(), 50.0)?;
    let many = beside(sequential.clone(), other_reads.clone(), 1500.0)?;
    let sequential_write = beside(writes(PAGE).in_sequence(), other_reads.clone(), 1500.0)?;
    let random_write = beside(writes(PAGE), other_reads, 1500.0)?;
    // Until the file is as random as what is written to it.
    beside(reads(PAGE), other_writes.clone(), 1500.0)?;
    let beside_writes = beside(sequential, other_writes.clone(), 1500.0)?;
    let random_beside_writes = beside(reads(PAGE), other_writes, 1500.0)?;
    let factor = Within::Factor(1.5);
    let over_rest = |what: &str, paper: f64, ours: f64| {
        Figure::new(format!("{what} beside random reads of 1500 MB/s, over at rest"), "", paper, ours)
            .within(factor)
    };
    let beside_random_writes = |what: &str, paper: f64, ours: f64| {
        Figure::new(format!("{what} beside random writes of 1500 MB/s"), "us", paper, ours).within(factor)
    };
    Ok(vec![
        Figure::new("sequential read beside random reads of 50 MB/s", "us", 56.32, few)
            .within(factor)
            .fitted(),
        over_rest("sequential read", 13.25, many / read),
        over_rest("sequential write", 5.78, sequential_write / write),
        over_rest("random write", 6.19, random_write / write),
        beside_random_writes("sequential read", 580.0, beside_writes),
        beside_random_writes("random read", 971.0, random_beside_writes),
    ])
}

/// Section 4.4.
fn unaligned(drive: &Drive) -> Result<Vec<Figure>> {
    let mut running = filled(drive)?;
    let mut figures = Vec::new();
    for (kib, paper) in [(1, 54.0), (2, 66.0), (3, 80.0)] {
        let mean = running.run(&mut [writes(kib << 10).over(FILE).in_sequence()], REQUESTS)?.mean();
        figures.push(Figure::new(format!("sequential write of {kib}K"), "us", paper, mean));
    }
    Ok(figures)
}

/// Section 4.5: what is left of a full drive is filled, and then overwritten in the same random order. Theirs
/// had 150 GB left.
fn overwriting(drive: &Drive) -> Result<Figure> {
    let mut running = filled(drive)?;
    let mut actor = writes(16 << 10).over(Region { start: 0, bytes: 8 << 30 }).shuffled(7);
    actor.in_flight(256);
    let slice = actor.blocks() / 24;
    let mut actors = [actor];
    let mut rates = Vec::new();
    for _ in 0..2 * 24 {
        rates.push(running.run(&mut actors, slice)?.ops_per_second);
    }
    let overwritten = &rates[24..];
    let most = overwritten.iter().copied().fold(0.0, f64::max);
    let least = overwritten.iter().copied().fold(f64::MAX, f64::min);
    Ok(Figure::new("loss of bandwidth to collection", "%", 19.0, (1.0 - least / most) * 100.0))
}

/// Section 4.6: files are read three times in random order; the largest of which 40 % come from the buffer.
fn read_buffer(drive: &Drive) -> Result<Figure> {
    let mut largest = 0;
    for megabytes in 1..=24 {
        let mut running = filled(drive)?;
        let actor =
            reads(PAGE).over(Region { start: 0, bytes: megabytes * 1_000_000 / 4096 * 4096 }).shuffled(3);
        let requests = 3 * actor.blocks();
        if running.run(&mut [actor], requests)?.percentile(40.0) < 30.0 {
            largest = megabytes;
        }
    }
    Ok(Figure::new("read buffer", "MB", 10.0, largest as f64).fitted())
}

/// Section 4.8: requests of the sizes and shares of the trace proj_0, one at a time.
fn server_trace(drive: &Drive) -> Result<Figure> {
    // 3.70 million writes of 144.27 GB and 0.53 million reads of 8.97 GB.
    let actor = writes(40 << 10).over(FILE).with_reads(0.53 / 4.23, 16 << 10);
    let ours = filled(drive)?.run(&mut [actor], 4 * REQUESTS)?.percentile(99.99);
    Ok(Figure::new("trace proj_0: p99.99", "us", 3256.4, ours))
}
