//! Tables 1 and 2 of Papon and Athanassoulis (DaMoN 2021): latency, asymmetry and concurrency of random
//! requests.

use anyhow::Result;
use leadline_sim::{FlashSpec, InitialState};

use super::drive::{Drive, Running};
use super::figure::{Figure, Within};
use super::load::{Actor, Region, reads, writes};

/// Requests of a point of a curve.
const REQUESTS: u64 = 40_000;

const PAGE: u32 = 4096;

/// The file; theirs has 29 GB, and nothing else is said to be on the drive. Were it full, the P4510 would not
/// reach the 700 MB/s of random writes they report: 70,000 writes a second of its data sheet are 287 MB/s.
const FILE: Region = Region { start: 0, bytes: 1 << 30 };

/// Requests in flight.
const KS: [u32; 20] = [1, 2, 3, 4, 5, 6, 8, 10, 12, 16, 20, 24, 28, 32, 40, 48, 64, 80, 96, 128];

/// What a SATA drive takes at a time.
const NCQ: u32 = 32;

/// A row of table 2: bytes of a request, alpha, k_r, k_w.
type Row = (u32, f64, f64, f64);

/// Which reads and writes a table is of.
struct Path {
    /// For the names of its figures.
    name: &'static str,
    most_in_flight: u32,
    /// What is different on this path.
    change: fn(&mut FlashSpec),
    /// Whether reads are of pages that were never written.
    unmapped: bool,
}

pub(crate) fn p4510(drive: &Drive) -> Result<Vec<Figure>> {
    let through = Path { name: "file system", most_in_flight: 128, change: |_| (), unmapped: false };
    let past = Path { name: "raw", change: raw, unmapped: true, ..through };
    let unmapped = drive.fresh()?.run(&mut [reads(PAGE).over(FILE)], REQUESTS)?.mean();
    let mut file = overwritten(drive, &through)?;
    let one_read = file.throughput(reads(PAGE).over(FILE), 1, REQUESTS)?;
    let write = file.run(&mut [writes(PAGE).over(FILE)], REQUESTS)?.mean();
    let (file_system, [read, written]) =
        table_2(drive, &through, &[(4096, 2.8, 80.0, 8.0), (8192, 1.9, 40.0, 7.0)])?;
    let (raw, [raw_read, raw_written]) =
        table_2(drive, &past, &[(4096, 3.0, 16.0, 6.0), (8192, 3.0, 15.0, 4.0)])?;
    let megabytes = |iops: f64| iops * f64::from(PAGE) / 1e6;
    let mut figures = vec![
        Figure::new("read (of a page never written)", "us", 12.4, unmapped).fitted(),
        Figure::new("write", "us", 19.6, write).fitted(),
        Figure::new("4K reads, file system: most", "MB/s", 1900.0, megabytes(read)).fitted(),
        Figure::new("4K reads, file system: most over one at a time", "", 40.0, read / one_read).fitted(),
        Figure::new("4K writes, file system: most", "MB/s", 700.0, megabytes(written)).fitted(),
        Figure::new("4K reads, most: raw over file system", "", 1.7, raw_read / read),
        Figure::new("4K writes, most: raw over file system", "", 1.4, raw_written / written),
    ];
    figures.extend(file_system);
    figures.extend(raw);
    Ok(figures)
}

/// Past the file system and the kernel: polled, and without locks.
fn raw(spec: &mut FlashSpec) {
    (spec.link.request_us, spec.link.write_us) = (0.5, 0.0);
}

pub(crate) fn s4610(drive: &Drive) -> Result<Vec<Figure>> {
    let path = Path { name: "", most_in_flight: NCQ, change: |_| (), unmapped: false };
    let mut file = overwritten(drive, &path)?;
    let read = file.run(&mut [reads(PAGE).over(FILE)], REQUESTS)?.mean();
    let write = file.run(&mut [writes(PAGE).over(FILE)], REQUESTS)?.mean();
    let mut figures = vec![
        Figure::new("read", "us", 100.0, read).fitted(),
        Figure::new("write", "us", 130.0, write).fitted(),
    ];
    figures.extend(table_2(drive, &path, &[(4096, 1.5, 25.0, 9.0), (8192, 1.3, 21.0, 5.0)])?.0);
    Ok(figures)
}

/// A drive whose file has been laid out and then overwritten at random, three times as there.
fn overwritten(drive: &Drive, path: &Path) -> Result<Running> {
    let mut running = drive.changed(|spec| {
        spec.state = InitialState::Fresh;
        (path.change)(spec);
    })?;
    running.lay_out(FILE)?;
    running.throughput(writes(PAGE).over(FILE), 32, 3 * FILE.bytes / u64::from(PAGE))?;
    running.rest()?;
    Ok(running)
}

/// Rows of table 2, and the most 4K reads and writes a second.
fn table_2(drive: &Drive, path: &Path, rows: &[Row]) -> Result<(Vec<Figure>, [f64; 2])> {
    let mut figures = Vec::new();
    let mut most = [0.0; 2];
    for &(block_bytes, alpha, k_r, k_w) in rows {
        let mut file = overwritten(drive, path)?;
        // Beyond the file nothing was ever written.
        let read_from = if path.unmapped { Region { start: FILE.bytes, ..FILE } } else { FILE };
        let read = curve(&mut file, &reads(block_bytes).over(read_from), path.most_in_flight)?;
        let written = curve(&mut file, &writes(block_bytes).over(FILE), path.most_in_flight)?;
        if block_bytes == PAGE {
            most = [plateau(&read), plateau(&written)];
        }
        let name = |what: &str| match path.name {
            "" => format!("{}K: {what}", block_bytes >> 10),
            path => format!("{}K, {path}: {what}", block_bytes >> 10),
        };
        let ratio = plateau(&read) / plateau(&written);
        figures.push(Figure::new(name("alpha"), "", alpha, ratio).within(Within::Percent(10.0)));
        figures.push(Figure::new(name("k_r"), "", k_r, knee(&read)));
        figures.push(Figure::new(name("k_w"), "", k_w, knee(&written)));
    }
    Ok((figures, most))
}

/// Requests per second at each number in flight.
fn curve(running: &mut Running, actor: &Actor, most: u32) -> Result<Vec<(f64, f64)>> {
    let ks = KS.into_iter().filter(|&k| k <= most);
    ks.map(|k| Ok((f64::from(k), running.throughput(actor.clone(), k, REQUESTS)?))).collect()
}

fn plateau(curve: &[(f64, f64)]) -> f64 {
    curve.iter().map(|point| point.1).fold(0.0, f64::max)
}

/// Requests in flight that reach 90 % of the most. Theirs are picked by hand, "close to saturation".
fn knee(curve: &[(f64, f64)]) -> f64 {
    let goal = 0.9 * plateau(curve);
    match curve.iter().position(|point| point.1 >= goal) {
        None | Some(0) => curve[0].0,
        Some(at) => {
            let ((k0, x0), (k1, x1)) = (curve[at - 1], curve[at]);
            k0 + (k1 - k0) * (goal - x0) / (x1 - x0)
        }
    }
}
