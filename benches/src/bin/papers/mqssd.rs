//! Table 2 of Ransom, Lim and Mitzenmacher: what a random write and a written page cost on a Samsung 990 Pro,
//! by the threads that write. Its reads came faster than the drive's link and are left out.

use std::mem;

use anyhow::Result;
use leadline_device::{Completion, DeviceError, NEVER, QueuePair, Request};

use super::drive::Drive;
use super::figure::Figure;
use super::load::Region;

/// Threads; the cost of a random write and of a written page, microseconds. The former is printed for one
/// percent of a thread's 262,144 pages.
const TABLE: [(u32, f64, f64); 8] = [
    (1, 310_000.0, 2.79),
    (2, 254_000.0, 3.01),
    (4, 154_000.0, 2.59),
    (8, 80_200.0, 1.93),
    (16, 42_300.0, 1.27),
    (32, 21_500.0, 0.891),
    (64, 13_400.0, 0.745),
    (128, 9_980.0, 0.697),
];

/// Random writes in one percent of a thread's pages.
const PER_PERCENT: f64 = 2621.0;

const PAGE: u32 = 4096;

/// Pages of a write: the random fraction is one over it.
const PAGES: [u32; 7] = [1000, 200, 50, 10, 5, 2, 1];

/// Their file.
const FILE_PAGES: u64 = 50_000_000_000 / PAGE as u64;

pub(crate) fn samsung_990_pro(drive: &Drive) -> Result<Vec<Figure>> {
    let mut figures = Vec::new();
    for (threads, setup, transfer) in TABLE {
        let mut points = Vec::new();
        for pages in PAGES {
            let mut running = drive.full()?;
            running.lay_out(Region { start: 0, bytes: 64 << 20 })?;
            let writes = (2000 / pages).max(200).max(8 * threads);
            let seconds = Threads::new(threads, pages).run(running.queue(), writes)?;
            let written = f64::from(writes) * f64::from(pages);
            points.push((1.0 / f64::from(pages), seconds * 1e6 / written));
        }
        let (slope, intercept) = line(&points);
        let setup =
            Figure::new(format!("a random write, {threads} threads"), "us", setup / PER_PERCENT, slope);
        // The drive's description says to which of them its values were fitted.
        figures.push(if threads > 1 { setup.fitted() } else { setup });
        figures.push(Figure::new(format!("a page, {threads} threads"), "us", transfer, intercept));
    }
    Ok(figures)
}

/// Threads that write to one file and make each write durable, as a kernel lets them: one flush at a time,
/// and whoever wants one meanwhile shares the next.
struct Threads {
    count: u32,
    bytes: u32,
    /// Places of the file where a write may begin.
    places: u64,
    random: fastrand::Rng,
    /// Those that wait for the flush under way, and for the next.
    flushed: Vec<u32>,
    waiting: Vec<u32>,
}

impl Threads {
    fn new(count: u32, pages: u32) -> Self {
        Threads {
            count,
            bytes: pages * PAGE,
            places: FILE_PAGES - u64::from(pages),
            random: fastrand::Rng::with_seed(u64::from(count)),
            flushed: Vec::new(),
            waiting: Vec::new(),
        }
    }

    /// Seconds that so many writes take.
    fn run(mut self, queue: &mut dyn QueuePair, writes: u32) -> Result<f64> {
        let began = queue.now();
        let (mut done, mut completions) = (0, Vec::<Completion>::new());
        for thread in 0..self.count {
            self.write(queue, thread)?;
        }
        while done < writes {
            queue.reap(1, NEVER, &mut completions)?;
            for completion in completions.drain(..) {
                if completion.slot < self.count {
                    self.waiting.push(completion.slot);
                } else {
                    done += self.flushed.len() as u32;
                    for thread in mem::take(&mut self.flushed) {
                        self.write(queue, thread)?;
                    }
                }
            }
            if self.flushed.is_empty() && !self.waiting.is_empty() {
                self.flushed = mem::take(&mut self.waiting);
                queue.submit(Request::flush(self.count)).map_err(DeviceError::from)?;
            }
        }
        Ok((queue.now() - began) as f64 / 1e9 * f64::from(writes) / f64::from(done))
    }

    fn write(&mut self, queue: &mut dyn QueuePair, thread: u32) -> Result<()> {
        let offset = self.random.u64(..self.places) * u64::from(PAGE);
        queue.submit(Request::write(thread, offset, self.bytes)).map_err(DeviceError::from)?;
        Ok(())
    }
}

/// Slope and intercept by least squares of relative errors: points differ by orders of magnitude.
fn line(points: &[(f64, f64)]) -> (f64, f64) {
    let weight = |p: &(f64, f64)| p.1.powi(-2);
    let total: f64 = points.iter().map(weight).sum();
    let mean = |of: fn(&(f64, f64)) -> f64| points.iter().map(|p| weight(p) * of(p)).sum::<f64>() / total;
    let (x, y) = (mean(|p| p.0), mean(|p| p.1));
    let above: f64 = points.iter().map(|p| weight(p) * (p.0 - x) * (p.1 - y)).sum();
    let below: f64 = points.iter().map(|p| weight(p) * (p.0 - x).powi(2)).sum();
    (above / below, y - above / below * x)
}
