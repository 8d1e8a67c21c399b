//! The parameters that are fitted, with their ranges.

use leadline_profile::OpKind;

/// A number of the description that a profile may tell something about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Parameter {
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

impl Parameter {
    /// All, in the order in which they are shown: from the host to the flash.
    pub const ALL: [Parameter; KNOBS] = [
        Parameter::Request,
        Parameter::Copy,
        Parameter::Cap,
        Parameter::Link,
        Parameter::Controller,
        Parameter::Dies,
        Parameter::Stripe,
        Parameter::Read,
        Parameter::Sigma,
        Parameter::Bus,
        Parameter::Hit,
        Parameter::Program,
    ];

    /// The field of the description, or what makes it up.
    pub fn name(self) -> &'static str {
        match self {
            Parameter::Request => "link.request_us",
            Parameter::Copy => "link.per_kib_us",
            Parameter::Controller => "timing.controller_us",
            Parameter::Read => "timing.read_us",
            Parameter::Sigma => "timing.sigma",
            Parameter::Dies => "dies",
            Parameter::Stripe => "stripe bytes",
            Parameter::Bus => "timing.bus_mb_per_s",
            Parameter::Link => "link.mb_per_s",
            Parameter::Hit => "buffer.hit_us",
            Parameter::Program => "timing.program_us",
            Parameter::Cap => "cap.iops",
        }
    }

    /// What it is, in words.
    pub fn words(self) -> &'static str {
        match self {
            Parameter::Request => "host software per request, serial",
            Parameter::Copy => "host software per KiB, serial",
            Parameter::Controller => "controller, every request",
            Parameter::Read => "read of a page",
            Parameter::Sigma => "spread of reads",
            Parameter::Dies => "channels x dies_per_channel",
            Parameter::Stripe => "planes x page_bytes",
            Parameter::Bus => "bus of a channel",
            Parameter::Link => "link",
            Parameter::Hit => "write into the buffer",
            Parameter::Program => "program of a page",
            Parameter::Cap => "limit on requests per second",
        }
    }

    /// Of its value; empty for a number.
    pub fn unit(self) -> &'static str {
        match self {
            Parameter::Copy => "us/KiB",
            Parameter::Sigma | Parameter::Dies => "",
            Parameter::Stripe => "bytes",
            Parameter::Bus | Parameter::Link => "MB/s",
            Parameter::Cap => "1/s",
            _ => "us",
        }
    }

    /// Least and most that is tried. What is below the least of a time might as well be nothing.
    pub(crate) fn range(self) -> [f64; 2] {
        match self {
            Parameter::Request | Parameter::Controller | Parameter::Hit => [0.1, 1e5],
            Parameter::Copy => [0.005, 1e3],
            Parameter::Read | Parameter::Program => [0.5, 1e6],
            Parameter::Sigma => [0.02, 2.0],
            Parameter::Dies => [DIES[0], DIES[DIES.len() - 1]],
            Parameter::Stripe => [STRIPES[0], STRIPES[STRIPES.len() - 1]],
            // With less, channels could stand for dies; none has been as slow since ONFI 2.
            Parameter::Bus => [200.0, 1e5],
            Parameter::Link => [1.0, 1e5],
            Parameter::Cap => [1.0, 1e8],
        }
    }

    /// The values it can have, where not all of its range.
    pub(crate) fn steps(self) -> Option<&'static [f64]> {
        match self {
            Parameter::Dies => Some(&DIES),
            Parameter::Stripe => Some(&STRIPES),
            _ => None,
        }
    }

    /// Whether requests of this kind take longer or shorter with another value.
    pub(crate) fn touches(self, op: OpKind) -> bool {
        match self {
            Parameter::Read | Parameter::Sigma => op == OpKind::Read,
            Parameter::Hit | Parameter::Program => op == OpKind::Write,
            _ => true,
        }
    }
}

/// A value for every parameter.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Values([f64; KNOBS]);

impl Values {
    pub(crate) fn of(value: impl Fn(Parameter) -> f64) -> Values {
        let mut values = Values([0.0; KNOBS]);
        Parameter::ALL.into_iter().for_each(|parameter| values.set(parameter, value(parameter)));
        values
    }

    pub(crate) fn get(&self, parameter: Parameter) -> f64 {
        self.0[parameter as usize]
    }

    /// The nearest value that it can have.
    pub(crate) fn set(&mut self, parameter: Parameter, value: f64) {
        let [least, most] = parameter.range();
        let value = value.clamp(least, most);
        self.0[parameter as usize] = match parameter.steps() {
            None => four_digits(value),
            Some(steps) => {
                let distance = |step: &&f64| (value / **step).ln().abs();
                *steps.iter().min_by(|a, b| distance(a).total_cmp(&distance(b))).expect("there are steps")
            }
        };
    }

    /// The same with another value.
    pub(crate) fn with(mut self, parameter: Parameter, value: f64) -> Values {
        self.set(parameter, value);
        self
    }

    /// The same with `parameter` larger by `factor`, or one step further where it has steps.
    pub(crate) fn scaled(self, parameter: Parameter, factor: f64) -> Values {
        let now = self.get(parameter);
        let next = self.with(parameter, now * factor);
        match parameter.steps() {
            Some(steps) if next.get(parameter) == now => {
                let at = steps.iter().position(|&step| step == now).unwrap_or(0);
                let at = if factor > 1.0 { (at + 1).min(steps.len() - 1) } else { at.saturating_sub(1) };
                self.with(parameter, steps[at])
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
        assert_eq!(values.with(Parameter::Dies, 70.0).get(Parameter::Dies), 64.0);
        assert_eq!(values.with(Parameter::Dies, 1e9).get(Parameter::Dies), 512.0);
        assert_eq!(values.with(Parameter::Read, 12.345_678).get(Parameter::Read), 12.35);
        assert_eq!(values.with(Parameter::Hit, 0.0).get(Parameter::Hit), 0.1);
        let scaled =
            |factor| values.with(Parameter::Dies, 64.0).scaled(Parameter::Dies, factor).get(Parameter::Dies);
        assert_eq!([scaled(1.01), scaled(0.99), scaled(2.0)], [80.0, 48.0, 128.0]);
    }
}
