//! Reading a flash description: what its fields may be.

use leadline_catalogue::Description;

use super::layout::{Layout, MOST_OVER_PROVISIONING};
use super::memory::MOST_READ_AHEAD;
use super::spec::FlashSpec;
use crate::SimError;
use crate::error::Flaw;

/// The bytes that sectors have, and requests are multiples of.
pub(super) const SECTOR_BYTES: u32 = 512;

impl FlashSpec {
    /// Reads a description; `path` is for the messages.
    ///
    /// # Errors
    /// [`SimError::Catalogue`] with the line.
    pub fn parse(text: &str, path: &str) -> Result<Self, SimError> {
        let spec: FlashSpec = toml::from_str(text).map_err(|error| SimError::syntax(&error, text, path))?;
        check(&spec).map_err(|flaw| SimError::value(flaw, text, path))?;
        Description::parse(text, path)?;
        Ok(spec)
    }
}

/// The first value out of range, or that another contradicts.
fn check(spec: &FlashSpec) -> Result<(), Flaw> {
    if spec.kind != "flash" {
        return Err(("kind", "must be \"flash\" for this reader".to_owned()));
    }
    within("capacity", spec.capacity, 1 << 20, 1 << 45, "bytes (1M to 32T)")?;
    multiple("capacity", spec.capacity, u64::from(SECTOR_BYTES), "512 bytes")?;
    if let Some(share) = spec.over_provisioning {
        number("over_provisioning", share, 0.001, MOST_OVER_PROVISIONING, "(a share of the capacity)")?;
    }
    geometry(spec)?;
    timing(spec)?;
    gc(spec)?;
    parts(spec)?;
    if let Some(cap) = &spec.cap {
        cap.check().map_err(|(field, reason)| (field, reason.to_owned()))?;
    }
    Layout::new(spec).map(|_| ())
}

fn geometry(spec: &FlashSpec) -> Result<(), Flaw> {
    let g = &spec.geometry;
    within("geometry.channels", g.channels.into(), 1, 256, "channels")?;
    within("geometry.dies_per_channel", g.dies_per_channel.into(), 1, 256, "dies")?;
    within("geometry.planes", g.planes.into(), 1, 16, "planes")?;
    within(
        "geometry.blocks_per_plane",
        g.blocks_per_plane.into(),
        0,
        1 << 24,
        "blocks; 0 to have it follow",
    )?;
    within("geometry.pages_per_block", g.pages_per_block.into(), 1, 1 << 16, "pages")?;
    within("geometry.page_bytes", g.page_bytes, 512, 1 << 20, "bytes")?;
    power("geometry.page_bytes", g.page_bytes)?;
    let m = &spec.mapping;
    within("mapping.unit", m.unit, u64::from(SECTOR_BYTES), 32 << 10, "bytes")?;
    power("mapping.unit", m.unit)?;
    if m.unit > g.page_bytes {
        let reason =
            format!("must be at most geometry.page_bytes, {}, which holds whole units", g.page_bytes);
        return Err(("mapping.unit", reason));
    }
    if let Some(cache) = m.cache {
        within(
            "mapping.cache",
            cache,
            m.unit,
            1 << 40,
            "bytes, at least mapping.unit; leave it out for all",
        )?;
    }
    // A part is at least a sector.
    let units = if m.unit == u64::from(SECTOR_BYTES) { 0 } else { spec.capacity / m.unit };
    let unit = "units: at most the drive's, 0 where mapping.unit is 512";
    within("mapping.fine_entries", m.fine_entries.into(), 0, units.min(1 << 24), unit)
}

fn timing(spec: &FlashSpec) -> Result<(), Flaw> {
    let t = &spec.timing;
    for (field, times) in [("timing.read_us", &t.read_us), ("timing.program_us", &t.program_us)] {
        if !(1..=16).contains(&times.times().len()) {
            return Err((
                field,
                "must be a number of microseconds, or 1 to 16 of them, one per page type".into(),
            ));
        }
        for &time in times.times() {
            number(field, time, 0.001, 1e7, "microseconds")?;
        }
    }
    number("timing.erase_us", t.erase_us, 0.001, 1e7, "microseconds")?;
    number("timing.bus_mb_per_s", t.bus_mb_per_s, 0.1, 1e6, "megabytes per second")?;
    number("timing.controller_us", t.controller_us, 0.0, 1e6, "microseconds")?;
    if let Some(suspend) = t.suspend_us {
        number(
            "timing.suspend_us",
            suspend,
            0.0,
            1e6,
            "microseconds; leave it out where nothing is suspended",
        )?;
    }
    number("timing.sigma", t.sigma, 0.0, 3.0, "")
}

fn gc(spec: &FlashSpec) -> Result<(), Flaw> {
    let gc = &spec.gc;
    within("gc.window", gc.window.into(), 1, 1 << 20, "blocks")?;
    within("gc.hard", gc.hard.into(), 1, 1 << 16, "blocks")?;
    if gc.soft <= gc.hard || gc.soft > 1 << 17 {
        let reason = format!("must be from {} (above gc.hard) to 131072 blocks", u64::from(gc.hard) + 1);
        return Err(("gc.soft", reason));
    }
    number("gc.tokens_per_write", gc.tokens_per_write, 0.0, 1e6, "programs")
}

/// What may be left out.
fn parts(spec: &FlashSpec) -> Result<(), Flaw> {
    let b = &spec.buffer;
    let dies = u64::from(spec.geometry.channels) * u64::from(spec.geometry.dies_per_channel);
    let program = spec.geometry.page_bytes * u64::from(spec.geometry.planes);
    if b.write != 0 {
        // What is being programmed is still in it.
        let least = 2 * program * dies.min(2);
        within("buffer.write", b.write, least, 1 << 36, "bytes (two programs at least), or 0 for none")?;
    }
    if b.read != 0 {
        within("buffer.read", b.read, spec.mapping.unit, 1 << 36, "bytes, or 0 for none")?;
    }
    number("buffer.hit_us", b.hit_us, 0.0, 1e6, "microseconds")?;
    number("buffer.flush_us", b.flush_us, 0.0, 1e7, "microseconds")?;
    if let Some(slc) = &spec.slc {
        within("slc.bytes", slc.bytes, program, spec.capacity, "bytes: from one program to the capacity")?;
        number("slc.read_us", slc.read_us, 0.001, 1e7, "microseconds")?;
        number("slc.program_us", slc.program_us, 0.001, 1e7, "microseconds")?;
        number("slc.idle_ms", slc.idle_ms, 0.0, 1e9, "milliseconds")?;
    }
    if let Some(ahead) = &spec.read_ahead {
        within("read_ahead.streams", ahead.streams.into(), 1, 1024, "streams")?;
        let most = (MOST_READ_AHEAD / u64::from(ahead.streams)).min(16 << 20);
        let unit = "bytes, at least mapping.unit and at most 256M for all streams";
        within("read_ahead.bytes", ahead.bytes, spec.mapping.unit, most, unit)?;
    }
    if let Some(disturb) = &spec.disturb {
        within("disturb.reads", disturb.reads.into(), 1, u64::from(u32::MAX) - 1, "reads")?;
        let pages = u64::from(spec.geometry.pages_per_block);
        within("disturb.pages", disturb.pages.into(), 0, pages, "pages of a block; 0 for all of it")?;
    }
    within("wear.cycles", spec.wear.cycles.into(), 1, 100_000_000, "cycles")?;
    let link = spec.link.mb_per_s;
    if link != 0.0 {
        number("link.mb_per_s", link, 0.1, 1e6, "megabytes per second, or 0 for no limit")?;
    }
    number("link.request_us", spec.link.request_us, 0.0, 1e6, "microseconds")?;
    number("link.write_us", spec.link.write_us, 0.0, 1e6, "microseconds")?;
    number("link.per_kib_us", spec.link.per_kib_us, 0.0, 1e3, "microseconds per KiB")?;
    within("link.queues", spec.link.queues.into(), 1, 1024, "queues")
}

fn within(field: &'static str, value: u64, least: u64, most: u64, unit: &str) -> Result<(), Flaw> {
    if (least..=most).contains(&value) {
        return Ok(());
    }
    Err((field, format!("must be from {least} to {most} {unit}")))
}

fn number(field: &'static str, value: f64, least: f64, most: f64, unit: &str) -> Result<(), Flaw> {
    if (least..=most).contains(&value) {
        return Ok(());
    }
    let gap = if unit.is_empty() { "" } else { " " };
    Err((field, format!("must be from {least} to {most}{gap}{unit}")))
}

fn multiple(field: &'static str, value: u64, of: u64, words: &str) -> Result<(), Flaw> {
    if value.is_multiple_of(of) { Ok(()) } else { Err((field, format!("must be a multiple of {words}"))) }
}

fn power(field: &'static str, value: u64) -> Result<(), Flaw> {
    if value.is_power_of_two() { Ok(()) } else { Err((field, "must be a power of two".to_owned())) }
}
