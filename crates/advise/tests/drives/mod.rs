//! Properties of the advice for many drives.

use leadline_advise::{Advice, System};

use crate::asked::{advised, linted};
use crate::common::{DISK, FAST, Known};

/// Random numbers that are the same in every run (splitmix64).
struct Random(u64);

impl Random {
    /// From 0 to 1.
    fn share(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 53) as f64
    }

    /// Between the two, evenly on a logarithmic axis.
    fn between(&mut self, low: f64, high: f64) -> f64 {
        low * (high / low).powf(self.share())
    }
}

/// From memory cards to what is faster than any drive.
fn drive(random: &mut Random) -> Known {
    let bandwidth = random.between(2e7, 2e10);
    Known {
        read_us: random.between(8.0, 15_000.0),
        write_us: random.between(8.0, 15_000.0),
        servers: random.between(1.0, 200.0) as u32,
        bandwidth,
        sustained: bandwidth * random.between(0.02, 1.0),
        flush_us: random.between(5.0, 100_000.0),
        rotational: random.share() < 0.3,
    }
}

/// The same drive, measured again: each number is off by up to 3 %.
fn again(known: Known, random: &mut Random) -> Known {
    let mut noisy = |number: f64| number * random.between(0.97, 1.03);
    Known {
        read_us: noisy(known.read_us),
        write_us: noisy(known.write_us),
        bandwidth: noisy(known.bandwidth),
        sustained: noisy(known.sustained),
        flush_us: noisy(known.flush_us),
        ..known
    }
}

fn text(advice: &Advice) -> String {
    advice.files().into_iter().map(|file| file.text).collect()
}

/// That the advice for each of fifty drives still fits when the drive is measured again.
pub(crate) fn assert_fits_what_is_measured_again(system: System) {
    let mut random = Random(38);
    let version = system.versions().last().unwrap();
    for _ in 0..50 {
        let known = drive(&mut random);
        let noisy = again(known, &mut random);
        let advice = text(&advised(system, &known.profile(), version));
        let lint = linted(system, &noisy.profile(), version, &advice);
        assert!(!lint.is_wrong(), "{known:?}, {noisy:?}: {:?}", lint.findings);
    }
}

/// That a drive that is measured twice has one advice.
pub(crate) fn assert_one_advice(system: System) {
    let mut random = Random(83);
    for known in [FAST, DISK] {
        let version = system.versions().last().unwrap();
        let first = text(&advised(system, &known.profile(), version));
        for _ in 0..5 {
            let noisy = again(known, &mut random);
            let second = text(&advised(system, &noisy.profile(), version));
            assert_eq!(first, second, "{noisy:?}");
        }
    }
}
