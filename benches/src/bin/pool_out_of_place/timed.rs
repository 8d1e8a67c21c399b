//! Pages per second on a file.

use std::fs::File;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;
use std::sync::Arc;

use anyhow::{Context as _, Result};
use leadline_benches::median;
use leadline_device::{FileDevice, FileOptions, IoEngine, direct_alignment};
use leadline_pool::Pool;

use crate::pages::Pages;
use crate::{Args, PAGE, config, overwrite};

pub(crate) fn timed(args: &Args, path: &Path) -> Result<()> {
    println!("| full | pages | mode | pages/s | pages/s against in-place |");
    println!("| --- | --- | --- | --- | --- |");
    for &full in &args.full {
        for choice in &args.pages {
            let mut rates = vec![Vec::new(); args.modes.len()];
            for _ in 0..args.rounds {
                for (mode, rates) in args.modes.iter().zip(&mut rates) {
                    let file =
                        File::options().read(true).write(true).create(true).truncate(true).open(path)?;
                    let bytes = args.most_gib.map_or(args.mib << 20, |gib| gib << 30);
                    match args.most_gib {
                        Some(_) => file.set_len(bytes)?,
                        None => rustix::fs::fallocate(&file, rustix::fs::FallocateFlags::empty(), 0, bytes)
                            .with_context(|| path.display().to_string())?,
                    }
                    let options = FileOptions::new(IoEngine::best().0, direct_alignment(&file)?);
                    let device = Arc::new(FileDevice::new(file, bytes, options)?);
                    let pool = Pool::open(device, config(args, mode))?;
                    let pages = ((args.mib << 20) / PAGE * full / 100).min(pool.pages());
                    let mut before = pool.stats();
                    let next = Pages::new(choice, pages)?;
                    let (written, seconds) =
                        overwrite(&pool, args, args.mib << 20, pages, next, || before = pool.stats())?;
                    rates.push(written as f64 / seconds);
                    let moved = pool.stats().moves - before.moves;
                    let taken = std::fs::metadata(path)?.blocks() * 512 / (1 << 20);
                    let per_page = moved as f64 / written as f64;
                    eprintln!("{full} % {choice} {mode}: {per_page:.2} moved per page, {taken} MiB taken");
                }
            }
            for (mode, rate) in args.modes.iter().zip(&rates) {
                let [middle, low, high] = median(rate);
                let against: Vec<f64> = rate.iter().zip(&rates[0]).map(|(a, b)| a / b).collect();
                let [ratio, least, most] = median(&against);
                println!(
                    "| {full} % | {choice} | {mode} | {middle:.0} ({low:.0} to {high:.0}) | {ratio:.2} ({least:.2} to \
                     {most:.2}) |"
                );
            }
        }
    }
    std::fs::remove_file(path)?;
    Ok(())
}
