//! Where the search begins: closed forms of the knees and ceilings, and defaults for what they do not show.

use leadline_profile::{OpKind, Pattern};

use crate::measured::{Curve, Measured};
use crate::parameter::{Parameter, Values};

/// A parameter's value where the profile does not show it, and where that value comes from.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Default {
    pub(crate) value: f64,
    pub(crate) from: &'static str,
}

/// Programs keep up with writes this many times as fast as any that were measured.
const PROGRAM_HEADROOM: f64 = 2.0;

/// The link carries this many times the most that was measured.
const LINK_HEADROOM: f64 = 1.25;

/// The default of a parameter, in a drive with these values of the others.
pub(crate) fn default(measured: &Measured, values: &Values, parameter: Parameter) -> Default {
    let of = |value, from| Default { value, from };
    match parameter {
        Parameter::Request => of(2.0, "a system call and an interrupt"),
        Parameter::Copy => of(0.005, "nothing is copied on the way past the page cache"),
        Parameter::Controller => of(5.0, "NVMe drives with little else to do"),
        Parameter::Read => of(60.0, "TLC flash"),
        Parameter::Sigma => of(0.1, "read retries are rare"),
        Parameter::Dies => of(32.0, "a drive of 1 TB"),
        Parameter::Stripe => of(32768.0, "two planes of 16K pages"),
        Parameter::Bus => of(1200.0, "ONFI 4"),
        Parameter::Hit => of(3.0, "DRAM behind a controller"),
        Parameter::Link => match measured.link {
            Some(bytes) => of(bytes / 1e6, "the link's own speed"),
            None => of(
                LINK_HEADROOM * measured.bandwidth(|_| true) / 1e6,
                "1.25 times the most that was measured",
            ),
        },
        Parameter::Program => {
            let fastest = measured.bandwidth(|kind| kind.op == OpKind::Write);
            if fastest == 0.0 {
                return of(600.0, "TLC flash");
            }
            let at_once = values.get(Parameter::Dies) * values.get(Parameter::Stripe);
            of(1e6 * at_once / (PROGRAM_HEADROOM * fastest), "twice as fast as any writes measured")
        }
        Parameter::Cap => of(measured.cap_iops.unwrap_or(1e8), "the profile's `capped`"),
    }
}

/// Drives to begin from: as many dies as Little's law has reads in flight, or fewer that queue, with the host
/// or the dies as what limits requests, and reads that all take the same time or now and then a long one.
pub(crate) fn starts(measured: &Measured) -> Vec<Values> {
    let Some(reads) = measured.random_reads().next() else { return Vec::new() };
    let mut all = Vec::new();
    for (request_share, fewer, copies) in
        [(0.9, 1.0, false), (0.3, 1.0, false), (0.5, 1.0, true), (0.3, 3.0, false), (0.5, 6.0, true)]
    {
        let of = |read_us, sigma| start(measured, reads, request_share, fewer, copies, read_us, sigma);
        let (median, mean) = (alone_us(reads), mean_alone_us(reads));
        all.push(of(median, None));
        if mean > MANY_LONG * median {
            // Of a lognormal distribution.
            all.push(of(mean, Some((2.0 * (mean / median).ln()).sqrt())));
        }
    }
    all
}

/// One of them: a read takes `read_us` alone, of which the host has a share of what it may take at most.
fn start(
    measured: &Measured,
    reads: &Curve,
    request_share: f64,
    fewer: f64,
    copies: bool,
    read_us: f64,
    sigma: Option<f64>,
) -> Values {
    let most = reads.fastest().iops;
    let random = measured.curves.iter().filter(|curve| curve.kind.pattern == Pattern::Random);
    let any = random.map(|curve| curve.fastest().iops).fold(0.0, f64::max);
    let write_us = measured.random(OpKind::Write).next().map(alone_us);
    let request = request_share * 1e6 / any;
    let rest = (read_us - request).max(0.2 * read_us);
    let mut values = Values::of(|_| 1.0);
    values.set(Parameter::Dies, most * read_us / 1e6 / fewer);
    values.set(Parameter::Stripe, 32768.0);
    values.set(Parameter::Request, request);
    values.set(Parameter::Read, (1e6 * values.get(Parameter::Dies) / most).min(0.9 * rest));
    let other = rest - values.get(Parameter::Read);
    if copies {
        values.set(Parameter::Copy, 0.9e6 * 1024.0 / measured.bandwidth(|_| true));
    }
    values.set(Parameter::Controller, (0.5 * other).min(write_us.unwrap_or(other)));
    values.set(Parameter::Hit, write_us.map_or(3.0, |us| us - request - values.get(Parameter::Controller)));
    for parameter in [Parameter::Sigma, Parameter::Bus, Parameter::Link, Parameter::Program, Parameter::Cap] {
        let value = default(measured, &values, parameter).value;
        values.set(parameter, value);
    }
    if let Some(sigma) = sigma {
        values.set(Parameter::Sigma, sigma);
    }
    if copies {
        // Reads that are slower than writes: their way out of the dies.
        let channels = values.get(Parameter::Dies).min(8.0);
        values.set(Parameter::Bus, 1.1 * measured.bandwidth(|kind| kind.op == OpKind::Read) / 1e6 / channels);
    }
    values
}

/// Mean over median latency from which on some reads take much longer than others.
const MANY_LONG: f64 = 1.1;

/// The mean of what one request takes, by Little's law.
fn mean_alone_us(curve: &Curve) -> f64 {
    let first = curve.targets[0];
    1e6 * f64::from(first.concurrency) / first.iops
}

/// What one request takes with as few in flight as were measured, microseconds.
fn alone_us(curve: &Curve) -> f64 {
    let first = curve.targets[0];
    first.median_us.unwrap_or(mean_alone_us(curve))
}
