//! What large requests in sequence need, so that the device is kept busy.

use leadline_model::monotone;
use leadline_profile::{OpKind, Pattern};

use crate::{Drive, Unmeasured};

/// The largest requests of `interleaving`.
const LARGE: u32 = 256 << 10;

/// Most requests in flight that `interleaving` measures, as a power of two.
const MOST_IN_FLIGHT: u32 = 8;

/// The smallest.
const SMALL: u32 = 4096;

/// Share of the most that is enough.
const ENOUGH: f64 = 0.9;

/// Share of the highest bandwidth below which it has fallen, and is not low by noise.
const FALLEN: f64 = 0.75;

/// Sizes of one request below that.
const SMALLER: [u32; 3] = [32 << 10, 64 << 10, 128 << 10];

/// The most bandwidth, and bandwidth / the most at each point, ascending in what is in flight. More in flight
/// is taken not to lower it, so that the luckiest of several points that are equal but for noise is not the
/// most; but where the last points fall, they are left as they are.
fn shares<T: Copy>(found: &[(T, f64)]) -> (f64, Vec<(T, f64)>) {
    let peak = found.iter().map(|(_, bandwidth)| *bandwidth).fold(0.0, f64::max);
    let rising = found.iter().rposition(|(_, bandwidth)| *bandwidth >= FALLEN * peak).map_or(0, |at| at + 1);
    let mut bandwidths = monotone(found[..rising].iter().map(|(_, bandwidth)| (*bandwidth, 1.0)));
    let most = bandwidths.last().copied().unwrap_or(peak);
    bandwidths.extend(found[rising..].iter().map(|(_, bandwidth)| *bandwidth));
    let shares = found.iter().zip(bandwidths).map(|(&(at, _), one)| (at, one / most));
    (most, shares.collect())
}

/// Bandwidth of sequential requests over the bytes of them in flight.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Stream {
    /// Least bytes in flight that reach 90 % of the most.
    pub(crate) bytes_in_flight: u64,
    /// The most, bytes per second.
    pub(crate) bandwidth: f64,
    /// Bytes in flight, ascending, and bandwidth / the most.
    pub(crate) shares: Vec<(u64, f64)>,
}

impl Stream {
    /// Of `drive`, by `interleaving`.
    pub(crate) fn of(drive: &Drive, op: OpKind) -> Result<Stream, Unmeasured> {
        let mut found = Vec::new();
        for bytes in SMALLER {
            let bandwidth = drive.bandwidth(op, Pattern::Sequential, bytes, 1)?;
            found.push((u64::from(bytes), bandwidth.value));
        }
        for k in (0..=MOST_IN_FLIGHT).map(|power| 1u32 << power) {
            // The dearest may have been left out.
            match drive.bandwidth(op, Pattern::Sequential, LARGE, k) {
                Ok(bandwidth) => found.push((u64::from(k) * u64::from(LARGE), bandwidth.value)),
                Err(missing) if k == 1 => return Err(missing),
                Err(_) => {}
            }
        }
        let (bandwidth, shares) = shares(&found);
        let enough = shares.iter().find(|(_, share)| *share >= ENOUGH);
        let bytes_in_flight = enough.map_or(u64::from(LARGE), |(bytes, _)| *bytes);
        Ok(Stream { bytes_in_flight, bandwidth, shares })
    }

    /// Bytes that a read of one place has to have so that moving there takes a fifth of the time at most:
    /// four times what the device reads in sequence meanwhile. The move is what a random read of the largest
    /// size takes longer than one in sequence; 0 where it takes none.
    pub(crate) fn bytes_per_move(drive: &Drive) -> Result<u64, Unmeasured> {
        let seconds = |pattern| {
            let bandwidth = drive.bandwidth(OpKind::Read, pattern, LARGE, 1)?;
            Ok::<f64, Unmeasured>(f64::from(LARGE) / bandwidth.value)
        };
        let sequential = seconds(Pattern::Sequential)?;
        let moving = (seconds(Pattern::Random)? - sequential).max(0.0);
        Ok((4.0 * f64::from(LARGE) * moving / sequential) as u64)
    }

    /// Requests of the largest size that make up the bytes in flight: 1 or more.
    pub(crate) fn requests(&self) -> f64 {
        (self.bytes_in_flight as f64 / f64::from(LARGE)).ceil().max(1.0)
    }
}

/// Large requests at random over how many of them are in flight.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Scattered {
    /// Least in flight that reach 90 % of the most.
    pub(crate) in_flight: u32,
    /// The most, bytes per second.
    pub(crate) bandwidth: f64,
    /// In flight, ascending, and bandwidth / the most.
    pub(crate) shares: Vec<(u32, f64)>,
}

impl Scattered {
    /// Of `drive`, by `interleaving`.
    pub(crate) fn of(drive: &Drive, op: OpKind) -> Result<Scattered, Unmeasured> {
        let mut found = Vec::new();
        for k in (0..=MOST_IN_FLIGHT).map(|power| 1u32 << power) {
            // The dearest may have been left out.
            match drive.bandwidth(op, Pattern::Random, LARGE, k) {
                Ok(bandwidth) => found.push((k, bandwidth.value)),
                Err(missing) if k == 1 => return Err(missing),
                Err(_) => {}
            }
        }
        let (bandwidth, shares) = shares(&found);
        let in_flight = shares.iter().find(|(_, share)| *share >= ENOUGH).map_or(1, |(k, _)| *k);
        Ok(Scattered { in_flight, bandwidth, shares })
    }

    /// Bytes that take as long as one request more, with `k` reads in flight: what a request costs beyond its
    /// bytes / what a byte costs, by requests of 4K and of the largest size. Also both, in seconds.
    pub(crate) fn bytes_per_request(drive: &Drive, k: u32) -> Result<[f64; 3], Unmeasured> {
        let seconds = |bytes: u32| {
            let bandwidth = drive.bandwidth(OpKind::Read, Pattern::Random, bytes, k)?;
            Ok::<f64, Unmeasured>(f64::from(bytes) / bandwidth.value)
        };
        let (small, large) = (seconds(SMALL)?, seconds(LARGE)?);
        let per_byte = ((large - small) / f64::from(LARGE - SMALL)).max(1e-13);
        let request = (small - per_byte * f64::from(SMALL)).max(0.0);
        Ok([request / per_byte, request, per_byte])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn enough(found: &[(u32, f64)]) -> u32 {
        let (_, shares) = shares(found);
        shares.iter().find(|(_, share)| *share >= ENOUGH).unwrap().0
    }

    #[test]
    fn the_luckiest_of_points_that_are_equal_but_for_noise_is_not_the_most() {
        let flat = [(2, 1.2), (4, 2.4), (8, 4.8), (16, 4.7), (32, 5.1), (64, 5.6), (128, 5.1), (256, 4.9)];
        assert_eq!(enough(&flat), 8);
        let (most, _) = shares(&flat);
        assert!(most < 5.3, "{most}");
    }

    #[test]
    fn where_bandwidth_falls_the_peak_is_the_most() {
        let falling = [(1, 1.0), (2, 2.0), (4, 4.0), (8, 2.5), (16, 2.0)];
        let (most, shares) = shares(&falling);
        assert_eq!((most, enough(&falling)), (4.0, 4));
        assert_eq!(shares[4], (16, 0.5));
    }
}
