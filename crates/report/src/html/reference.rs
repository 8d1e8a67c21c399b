//! Numbers of the papers whose experiments these are: Yang, Li and Lilja, "Exploring Performance
//! Characteristics of the Optane 3D Xpoint Storage Technology", ACM TOMPECS 5(1), 2020; asymmetry and
//! concurrency by size from Papon and Athanassoulis, "A Parametric I/O Model for Modern Storage Devices",
//! DaMoN 2021.

const LATENCY: &str = include_str!("../../data/optane_latency.csv");
const INTERLEAVING: &str = include_str!("../../data/optane_interleaving.csv");
const PRESSURE: &str = include_str!("../../data/optane_pressure.csv");
const TAIL: &str = include_str!("../../data/optane_tail.csv");
const GRANULARITY: &str = include_str!("../../data/pio_granularity.csv");
const UNALIGNED: &str = include_str!("../../data/optane_unaligned.csv");
const BUFFER: &str = include_str!("../../data/optane_buffer.csv");
const DISTURB: &str = include_str!("../../data/optane_disturb.csv");

/// Drive, operation, pattern and mean latency in microseconds.
pub(super) fn latency() -> Vec<(&'static str, &'static str, &'static str, f64)> {
    rows(LATENCY).map(|[device, op, pattern, us]| (device, op, pattern, number(us))).collect()
}

/// Drive, operation, bytes per request, requests in flight and bytes per second.
pub(super) fn interleaving() -> Vec<(&'static str, &'static str, f64, f64, f64)> {
    rows(INTERLEAVING)
        .map(|[device, op, block, k, bandwidth]| (device, op, number(block), number(k), number(bandwidth)))
        .collect()
}

/// Drive, operation and pattern of the foreground, operation of the background, its MB/s, and the
/// foreground's mean latency in microseconds.
pub(super) type PressureRow = (&'static str, &'static str, &'static str, &'static str, f64, f64);

/// The rows of figure 5 that the text gives.
pub(super) fn pressure() -> Vec<PressureRow> {
    rows(PRESSURE)
        .map(|[device, op, pattern, background, rate, us]| {
            (device, op, pattern, background, number(rate), number(us))
        })
        .collect()
}

/// Drive, scenario, and p50, p90, p99.9 and p99.99 in microseconds.
pub(super) fn tail() -> Vec<(&'static str, &'static str, [f64; 4])> {
    rows(TAIL)
        .map(|[device, scenario, p50, p90, p99_9, p99_99]| {
            (device, scenario, [p50, p90, p99_9, p99_99].map(number))
        })
        .collect()
}

/// Drive, bytes per request, and mean latency in microseconds.
pub(super) fn unaligned() -> Vec<(&'static str, f64, f64)> {
    rows(UNALIGNED).map(|[device, block, us]| (device, number(block), number(us))).collect()
}

/// Drive, percentile, and the size in bytes at which it rises.
pub(super) fn buffer() -> Vec<(&'static str, &'static str, f64)> {
    rows(BUFFER).map(|[device, percentile, bytes]| (device, percentile, number(bytes))).collect()
}

/// Drive, period in reads, and penalty in microseconds.
pub(super) fn disturb() -> Vec<(&'static str, f64, f64)> {
    rows(DISTURB).map(|[device, period, us]| (device, number(period), number(us))).collect()
}

/// Drive, bytes per random request, and α, k_r and k_w, as far as they are given.
pub(super) type GranularityRow = (&'static str, f64, [Option<f64>; 3]);

/// Asymmetry and concurrency by size.
pub(super) fn granularity() -> Vec<GranularityRow> {
    let given = |cell: &'static str| (!cell.is_empty()).then(|| number(cell));
    rows(GRANULARITY)
        .map(|[device, block, alpha, k_r, k_w]| (device, number(block), [alpha, k_r, k_w].map(given)))
        .collect()
}

/// The rows below the header; the files are compiled in.
fn rows<const N: usize>(text: &'static str) -> impl Iterator<Item = [&'static str; N]> {
    text.lines().filter(|line| !line.starts_with('#')).skip(1).map(|line| {
        let cells: Vec<&str> = line.split(',').collect();
        cells.try_into().expect("a row of the compiled-in data has as many cells as its header")
    })
}

fn number(cell: &str) -> f64 {
    cell.parse().expect("a number of the compiled-in data")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_numbers_are_the_papers() {
        assert_eq!(latency()[5], ("NAND P3700", "read", "random", 100.0));
        assert_eq!(interleaving()[1], ("NAND P3700", "read", 4096.0, 128.0, 1.2e9));
        assert_eq!(pressure().len(), 27);
        assert_eq!(pressure()[1], ("Optane P4800X", "read", "sequential", "read", 1500.0, 12.92));
        assert_eq!(tail()[9], ("NAND P3700", "during reads at 800 MB/s", [101.0, 212.0, 343.0, 832.0]));
        assert_eq!(granularity()[2], ("PCIe P4510", 1024.0, [Some(14.4), None, None]));
        assert_eq!(unaligned()[2], ("NAND P3700", 3072.0, 80.0));
        assert_eq!(buffer()[1], ("NAND P3700", "p40", 10e6));
        assert_eq!(disturb(), [("Optane P4800X", 30.0, 20.0)]);
    }
}
