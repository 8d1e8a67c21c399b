//! Table 1 of Yang, Li and Lilja (ACM TOMPECS 5(1), 2020): percentiles of random reads.

use anyhow::Result;

use super::{BACKGROUND, FILE, PAGE, filled};
use crate::drive::Drive;
use crate::figure::{Figure, Within};
use crate::load::{Measured, Region, reads, writes};

const PERCENTILES: [f64; 6] = [50.0, 90.0, 99.5, 99.9, 99.95, 99.99];

/// Reads of a scene; theirs have a million.
const REQUESTS: u64 = 400_000;

pub(super) fn table_1(drive: &Drive) -> Result<Vec<Figure>> {
    let random_read = reads(PAGE).over(FILE);
    let at_rest = filled(drive)?.run(&mut [random_read.clone()], REQUESTS)?;
    let mut figures = scene("at rest", [90.0, 141.0, 159.0, 182.0, 186.0, 297.0], &at_rest);
    for (megabytes, paper) in [
        (200.0, [92.0, 148.0, 162.0, 179.0, 189.0, 318.0]),
        (400.0, [97.0, 151.0, 167.0, 190.0, 208.0, 344.0]),
        (800.0, [101.0, 212.0, 253.0, 343.0, 449.0, 832.0]),
    ] {
        let background = reads(BACKGROUND).over(FILE).megabytes_per_second(megabytes);
        let found = filled(drive)?.run(&mut [random_read.clone(), background], REQUESTS)?;
        figures.extend(scene(&format!("beside random reads of {megabytes} MB/s"), paper, &found));
    }
    figures.extend(scene("over and over", [100.0, 285.0, 293.0, 314.0, 408.0, 2089.0], &disturbed(drive)?));
    figures.extend(scene(
        "beside collection",
        [100.0, 2474.0, 2737.0, 2989.0, 3064.0, 3228.0],
        &collection(drive)?,
    ));
    Ok(figures)
}

fn scene(name: &str, paper: [f64; 6], found: &Measured) -> Vec<Figure> {
    let rows = PERCENTILES.into_iter().zip(paper);
    rows.map(|(percentile, paper)| {
        let what = format!("random read {name}: p{percentile}");
        let figure = Figure::new(what, "us", paper, found.percentile(percentile));
        match percentile {
            50.0 => figure.within(Within::Percent(15.0)),
            99.9 => figure.within(Within::Factor(2.0)),
            _ => figure,
        }
    })
    .collect()
}

/// Section 4.7: what was left of a full drive was filled, and is then overwritten in the same random order,
/// one 4K write at a time.
fn collection(drive: &Drive) -> Result<Measured> {
    let mut running = filled(drive)?;
    let region = Region { start: FILE.bytes, bytes: 2 << 30 };
    let mut overwrite = writes(PAGE).over(region).shuffled(7);
    overwrite.in_flight(32);
    let mut actors = [overwrite];
    let blocks = actors[0].blocks();
    running.run(&mut actors, blocks)?;
    let [mut overwrite] = actors;
    overwrite.in_flight(1);
    running.run(&mut [reads(PAGE).over(FILE), overwrite], REQUESTS / 4)
}

/// Section 4.7: a file of 20 MB, over and over.
fn disturbed(drive: &Drive) -> Result<Measured> {
    let file = Region { start: 0, bytes: 20_000_000 / 4096 * 4096 };
    // In the same random order, so that the buffer, half as large, has nothing of it.
    filled(drive)?.run(&mut [reads(PAGE).over(file).shuffled(7)], 16 * REQUESTS)
}
