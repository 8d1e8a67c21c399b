//! Where bytes lie: tracks from the outermost to the innermost, alike within a zone.

use leadline_device::Nanos;

use super::spec::DiskPlatter;

/// The platter. All of it can be seen as one long tape: a turn for each track, and between two tracks the
/// time by which they are turned against each other, so that the head is there when the next one begins.
pub(super) struct Layout {
    zones: Vec<Zone>,
    tracks: u64,
    turn: Nanos,
    skew: Nanos,
}

struct Zone {
    first_byte: u64,
    first_track: u64,
    track_bytes: u64,
}

/// Where a byte lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) track: u64,
    /// Nanoseconds of tape from the first byte of the disk. More than 64 bits where tracks are tiny.
    pub(super) tape: u128,
}

impl Layout {
    pub(super) fn new(platter: &DiskPlatter, capacity: u64) -> Self {
        let track_bytes = platter.track_bytes();
        let tracks_each = capacity.div_ceil(track_bytes.iter().sum());
        let (mut first_byte, mut first_track) = (0, 0);
        let zone = |&track_bytes: &u64| {
            let zone = Zone { first_byte, first_track, track_bytes };
            first_byte += tracks_each * track_bytes;
            first_track += tracks_each;
            zone
        };
        let zones: Vec<Zone> = track_bytes.iter().map(zone).collect();
        let tracks = tracks_each * zones.len() as u64;
        Layout { zones, tracks, turn: platter.turn(), skew: 0 }
    }

    /// The same with its tracks turned against each other.
    pub(super) fn with_skew(self, skew: Nanos) -> Self {
        Layout { skew, ..self }
    }

    pub(super) fn tracks(&self) -> u64 {
        self.tracks
    }

    pub(super) fn turn(&self) -> Nanos {
        self.turn
    }

    /// Where this byte begins.
    pub(super) fn place(&self, byte: u64) -> Place {
        let (track, angle) = self.find(byte);
        Place { track, tape: u128::from(track) * self.track_tape() + u128::from(angle) }
    }

    /// Where on the tape the byte before this one ends.
    pub(super) fn end(&self, byte: u64) -> u128 {
        let (track, angle) = self.find(byte - 1);
        let next = self.find(byte);
        let angle = if next.0 == track { next.1.max(angle) } else { self.turn };
        u128::from(track) * self.track_tape() + u128::from(angle)
    }

    /// The track of a byte, and how far the platter turns from the track's beginning to it.
    fn find(&self, byte: u64) -> (u64, Nanos) {
        let zone = &self.zones[self.zones.partition_point(|zone| zone.first_byte <= byte) - 1];
        let within = byte - zone.first_byte;
        let angle =
            u128::from(within % zone.track_bytes) * u128::from(self.turn) / u128::from(zone.track_bytes);
        (zone.first_track + within / zone.track_bytes, angle as Nanos)
    }

    /// The track that is there on the tape.
    pub(super) fn track_at(&self, tape: u128) -> u64 {
        (tape / self.track_tape()) as u64
    }

    fn track_tape(&self) -> u128 {
        u128::from(self.turn) + u128::from(self.skew)
    }
}
