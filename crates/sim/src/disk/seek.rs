//! How long the head takes to another track.

use leadline_device::Nanos;

use super::spec::DiskSeek;
use crate::nearest::{nanos, nearest};

/// Share of the tracks up to which the square root of the distance counts: the head accelerates over half of
/// the way and brakes over the other, as measured by Ruemmler and Wilkes (IEEE Computer 27(3), 1994). Two
/// random places are a third of the tracks apart on average, so that a data sheet's mean belongs there.
const KNEE: f64 = 1.0 / 3.0;

/// The law of a disk's head.
pub(super) struct SeekLaw {
    track_ns: f64,
    /// What the square root of the distance, as a share of the knee, is multiplied by.
    root_ns: f64,
    average_ns: f64,
    /// For each share of all tracks beyond the knee.
    linear_ns: f64,
    write: Nanos,
    tracks: f64,
}

impl SeekLaw {
    pub(super) fn new(spec: &DiskSeek, tracks: u64) -> Self {
        SeekLaw {
            track_ns: spec.track_us * 1e3,
            root_ns: (spec.average_us - spec.track_us) * 1e3,
            average_ns: spec.average_us * 1e3,
            linear_ns: (spec.full_us - spec.average_us) * 1e3 / (1.0 - KNEE),
            write: nanos(spec.write_us),
            tracks: tracks as f64,
        }
    }

    /// From one track to another, `distance` tracks away; nothing on the track itself.
    pub(super) fn time(&self, distance: u64, write: bool) -> Nanos {
        if distance == 0 {
            return 0;
        }
        let share = distance as f64 / self.tracks;
        let ns = if share <= KNEE {
            self.track_ns + self.root_ns * (share / KNEE).sqrt()
        } else {
            self.average_ns + self.linear_ns * (share - KNEE)
        };
        nearest(ns) + if write { self.write } else { 0 }
    }
}
