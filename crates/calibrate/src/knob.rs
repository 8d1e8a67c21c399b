//! The parameters that are fitted, with their ranges.

use leadline_profile::OpKind;

/// A number of the description that a profile may tell something about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Knob {
    /// Software of the host per request, one after the other: `link.request_us`.
    Request,
    /// The same for each KiB, where it copies: `link.per_kib_us`.
    Copy,
    /// What every request takes in the controller, all at the same time: `timing.controller_us`.
    Controller,
    /// `timing.read_us`.
    Read,
    /// Spread of reads: `timing.sigma`.
    Sigma,
    /// `geometry.channels` x `geometry.dies_per_channel`.
    Dies,
    /// What a die reads or programs at once: `geometry.page_bytes` x `geometry.planes`.
    Stripe,
    /// `timing.bus_mb_per_s`, of each channel.
    Bus,
    /// `link.mb_per_s`.
    Link,
    /// A write into the buffer: `buffer.hit_us`.
    Hit,
    /// `timing.program_us`.
    Program,
    /// `cap.iops`.
    Cap,
}

/// How many there are.
pub(crate) const KNOBS: usize = 12;

/// Dies that divide well over channels.
const DIES: [f64; 24] = [
    1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0, 12.0, 16.0, 20.0, 24.0, 32.0, 40.0, 48.0, 64.0, 80.0, 96.0,
    128.0, 160.0, 192.0, 256.0, 384.0, 512.0,
];

/// Bytes of a stripe.
const STRIPES: [f64; 9] =
    [4096.0, 8192.0, 16384.0, 32768.0, 65536.0, 131_072.0, 262_144.0, 524_288.0, 1_048_576.0];

impl Knob {
    /// All, in the order in which they are shown: from the host to the flash.
    pub const ALL: [Knob; KNOBS] = [
        Knob::Request,
        Knob::Copy,
        Knob::Cap,
        Knob::Link,
        Knob::Controller,
        Knob::Dies,
        Knob::Stripe,
        Knob::Read,
        Knob::Sigma,
        Knob::Bus,
        Knob::Hit,
        Knob::Program,
    ];

    /// The field of the description, or what makes it up.
    pub fn name(self) -> &'static str {
        match self {
            Knob::Request => "link.request_us",
            Knob::Copy => "link.per_kib_us",
            Knob::Controller => "timing.controller_us",
            Knob::Read => "timing.read_us",
            Knob::Sigma => "timing.sigma",
            Knob::Dies => "dies",
            Knob::Stripe => "stripe bytes",
            Knob::Bus => "timing.bus_mb_per_s",
            Knob::Link => "link.mb_per_s",
            Knob::Hit => "buffer.hit_us",
            Knob::Program => "timing.program_us",
            Knob::Cap => "cap.iops",
        }
    }

    /// What it is, in words.
    pub fn words(self) -> &'static str {
        match self {
            Knob::Request => "host software per request, serial",
            Knob::Copy => "host software per KiB, serial",
            Knob::Controller => "controller, every request",
            Knob::Read => "read of a page",
            Knob::Sigma => "spread of reads",
            Knob::Dies => "channels x dies_per_channel",
            Knob::Stripe => "planes x page_bytes",
            Knob::Bus => "bus of a channel",
            Knob::Link => "link",
            Knob::Hit => "write into the buffer",
            Knob::Program => "program of a page",
            Knob::Cap => "limit on requests per second",
        }
    }

    /// Of its value; empty for a number.
    pub fn unit(self) -> &'static str {
        match self {
            Knob::Copy => "us/KiB",
            Knob::Sigma | Knob::Dies => "",
            Knob::Stripe => "bytes",
            Knob::Bus | Knob::Link => "MB/s",
            Knob::Cap => "1/s",
            _ => "us",
        }
    }

    /// Least and most that is tried. What is below the least of a time might as well be nothing.
    pub(crate) fn range(self) -> [f64; 2] {
        match self {
            Knob::Request | Knob::Controller | Knob::Hit => [0.1, 1e5],
            Knob::Copy => [0.005, 1e3],
            Knob::Read | Knob::Program => [0.5, 1e6],
            Knob::Sigma => [0.02, 2.0],
            Knob::Dies => [DIES[0], DIES[DIES.len() - 1]],
            Knob::Stripe => [STRIPES[0], STRIPES[STRIPES.len() - 1]],
            // With less, channels could stand for dies; none has been as slow since ONFI 2.
            Knob::Bus => [200.0, 1e5],
            Knob::Link => [1.0, 1e5],
            Knob::Cap => [1.0, 1e8],
        }
    }

    /// The values it can have, where not all of its range.
    pub(crate) fn steps(self) -> Option<&'static [f64]> {
        match self {
            Knob::Dies => Some(&DIES),
            Knob::Stripe => Some(&STRIPES),
            _ => None,
        }
    }

    /// Whether requests of this kind take longer or shorter with another value.
    pub(crate) fn touches(self, op: OpKind) -> bool {
        match self {
            Knob::Read | Knob::Sigma => op == OpKind::Read,
            Knob::Hit | Knob::Program => op == OpKind::Write,
            _ => true,
        }
    }
}

/// A value for every parameter.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Values([f64; KNOBS]);

impl Values {
    pub(crate) fn of(value: impl Fn(Knob) -> f64) -> Values {
        let mut values = Values([0.0; KNOBS]);
        Knob::ALL.into_iter().for_each(|knob| values.set(knob, value(knob)));
        values
    }

    pub(crate) fn get(&self, knob: Knob) -> f64 {
        self.0[knob as usize]
    }

    /// The nearest value that it can have.
    pub(crate) fn set(&mut self, knob: Knob, value: f64) {
        let [least, most] = knob.range();
        let value = value.clamp(least, most);
        self.0[knob as usize] = match knob.steps() {
            None => four_digits(value),
            Some(steps) => {
                let distance = |step: &&f64| (value / **step).ln().abs();
                *steps.iter().min_by(|a, b| distance(a).total_cmp(&distance(b))).expect("there are steps")
            }
        };
    }

    /// The same with another value.
    pub(crate) fn with(mut self, knob: Knob, value: f64) -> Values {
        self.set(knob, value);
        self
    }

    /// The same with `knob` larger by `factor`, or one step further where it has steps.
    pub(crate) fn scaled(self, knob: Knob, factor: f64) -> Values {
        let now = self.get(knob);
        let next = self.with(knob, now * factor);
        match knob.steps() {
            Some(steps) if next.get(knob) == now => {
                let at = steps.iter().position(|&step| step == now).unwrap_or(0);
                let at = if factor > 1.0 { (at + 1).min(steps.len() - 1) } else { at.saturating_sub(1) };
                self.with(knob, steps[at])
            }
            _ => next,
        }
    }
}

/// As many digits as the description has: what is simulated is what is written.
fn four_digits(value: f64) -> f64 {
    let scale = 10f64.powi(3 - value.abs().log10().floor() as i32);
    (value * scale).round() / scale
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_stay_in_their_range_and_on_their_steps() {
        let values = Values::of(|_| 10.0);
        assert_eq!(values.with(Knob::Dies, 70.0).get(Knob::Dies), 64.0);
        assert_eq!(values.with(Knob::Dies, 1e9).get(Knob::Dies), 512.0);
        assert_eq!(values.with(Knob::Read, 12.345_678).get(Knob::Read), 12.35);
        assert_eq!(values.with(Knob::Hit, 0.0).get(Knob::Hit), 0.1);
        let scaled = |factor| values.with(Knob::Dies, 64.0).scaled(Knob::Dies, factor).get(Knob::Dies);
        assert_eq!([scaled(1.01), scaled(0.99), scaled(2.0)], [80.0, 48.0, 128.0]);
    }
}
