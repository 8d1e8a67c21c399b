//! What each operation takes, in whole nanoseconds.

use leadline_device::Nanos;

use super::spec::FlashSpec;
use crate::nearest::nearest;

/// The times of a drive.
#[derive(Debug, Clone)]
pub(super) struct Times {
    read: Vec<Nanos>,
    program: Vec<Nanos>,
    slc_read: Nanos,
    slc_program: Nanos,
    pub(super) erase: Nanos,
    pub(super) suspend: Option<Nanos>,
    /// Picoseconds per byte of a channel.
    bus_ps_per_byte: u64,
    pub(super) hit: Nanos,
    pub(super) flush: Nanos,
    pub(super) idle: Nanos,
    sigma: f64,
    random: fastrand::Rng,
}

impl Times {
    pub(super) fn new(spec: &FlashSpec) -> Self {
        let ns = |us: f64| nearest(us * 1e3).max(1);
        let t = &spec.timing;
        Times {
            read: t.read_us.times().iter().copied().map(ns).collect(),
            program: t.program_us.times().iter().copied().map(ns).collect(),
            slc_read: spec.slc.as_ref().map_or(0, |slc| ns(slc.read_us)),
            slc_program: spec.slc.as_ref().map_or(0, |slc| ns(slc.program_us)),
            erase: ns(t.erase_us),
            suspend: t.suspend_us.map(|us| nearest(us * 1e3)),
            bus_ps_per_byte: nearest(1e6 / t.bus_mb_per_s).max(1),
            hit: nearest(spec.buffer.hit_us * 1e3),
            flush: nearest(spec.buffer.flush_us * 1e3),
            idle: spec.slc.as_ref().map_or(0, |slc| nearest(slc.idle_ms * 1e6)),
            sigma: t.sigma,
            random: fastrand::Rng::with_seed(spec.seed),
        }
    }

    /// To read the page of a program; `row` counts the pages of a plane.
    #[inline]
    pub(super) fn read(&mut self, row: u32, slc: bool) -> Nanos {
        let mean = if slc { self.slc_read } else { self.read[row as usize % self.read.len()] };
        if self.sigma == 0.0 { mean } else { self.spread(mean) }
    }

    /// To read a page of the fastest type.
    pub(super) fn shortest_read(&self) -> Nanos {
        self.read.iter().copied().min().unwrap_or(0)
    }

    /// Lognormal, of that mean.
    fn spread(&mut self, mean: Nanos) -> Nanos {
        // Box and Muller; the second variate is thrown away, so that each read draws two numbers.
        let radius = (-2.0 * (1.0 - self.random.f64()).ln()).sqrt();
        let normal = radius * (std::f64::consts::TAU * self.random.f64()).cos();
        nearest(mean as f64 * (self.sigma * normal - 0.5 * self.sigma * self.sigma).exp()).max(1)
    }

    /// To program it.
    #[inline]
    pub(super) fn program(&self, row: u32, slc: bool) -> Nanos {
        if slc { self.slc_program } else { self.program[row as usize % self.program.len()] }
    }

    /// To move `bytes` over a channel.
    #[inline]
    pub(super) fn transfer(&self, bytes: u32) -> Nanos {
        (u64::from(bytes) * self.bus_ps_per_byte).div_ceil(1000)
    }
}
