//! Bytes written to a simulated drive and its flash, and pages per second of its time.

use std::path::Path;
use std::sync::Arc;

use anyhow::Result;
use leadline_pool::Pool;

use crate::drive::{Drive, Seen};
use crate::pages::Pages;
use crate::{Args, PAGE, config, overwrite};

/// Pages written per page under uniform writes, by a log over a device that is full to this share and cleaned
/// from its oldest segment: nothing that treats all pages alike writes much less. Of the segment that is
/// cleaned the share `u` is still needed, where `(1 - u) / -ln u` is the share that is full (Menon, "A
/// performance comparison of RAID-5 and log-structured arrays", HPDC 1995).
fn uniform_bound(full: f64) -> f64 {
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..60 {
        let u: f64 = (low + high) / 2.0;
        if (1.0 - u) / -u.ln() < full { low = u } else { high = u }
    }
    1.0 / (1.0 - low)
}

/// Bytes of the drive: as asked for, or as many as the pages of a trace fill to this share.
fn drive_bytes(args: &Args, choice: &str, full: u64) -> Result<u64> {
    if matches!(choice, "uniform" | "zipf") {
        return Ok(args.mib << 20);
    }
    let pages = Pages::of_trace(Path::new(choice))?;
    // Whole segments.
    let segment = u64::from(args.segment_kib) << 10;
    Ok((pages * PAGE * 100 / full).div_ceil(segment) * segment)
}

pub(crate) fn simulated(args: &Args) -> Result<()> {
    println!(
        "| full | pages | mode | host bytes/byte | drive's own | flash bytes/byte | bound | moved | map | \
         pages/s |"
    );
    println!("| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |");
    for &full in &args.full {
        for choice in &args.pages {
            for mode in &args.modes {
                cell(args, full, choice, mode)?;
            }
        }
    }
    Ok(())
}

fn cell(args: &Args, full: u64, choice: &str, mode: &str) -> Result<()> {
    let bytes = drive_bytes(args, choice, full)?;
    let drive = Arc::new(Drive::new(args.drive.as_deref(), bytes)?);
    let pool = Pool::open(Arc::clone(&drive) as _, config(args, mode))?;
    let pages = (bytes / PAGE * full / 100).min(pool.pages());
    let mut at_half = (Seen::default(), pool.stats());
    let half = || at_half = (drive.seen(), pool.stats());
    let (written, _) = overwrite(&pool, args, bytes, pages, Pages::new(choice, pages)?, half)?;
    let (seen, stats) = (drive.seen(), pool.stats());
    let wear = seen.wear.since(&at_half.0.wear);
    let seconds = (seen.now - at_half.0.now) as f64 / 1e9;
    let per = |count: u64| count as f64 / written as f64;
    // In place it is the drive that writes a log, with its over-provisioning as room.
    let room = if mode == "out-of-place" { 1.0 } else { 1.0 + drive.over_provisioning };
    let bound = uniform_bound(pages as f64 / (room * (bytes / PAGE) as f64));
    println!(
        "| {full} % | {choice} | {mode} | {:.3} | {:.3} | {:.3} | {bound:.2} | {:.3} | {:.4} | {:.0} |",
        per(wear.host_bytes / PAGE),
        wear.write_amplification().unwrap_or(0.0),
        per(wear.media_bytes / PAGE),
        per(stats.moves - at_half.1.moves),
        per(stats.map_writes - at_half.1.map_writes),
        written as f64 / seconds,
    );
    Ok(())
}
