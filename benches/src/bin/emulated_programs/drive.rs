//! The drives that the programs run on, and how long each takes for what a program asked of it.

use std::fs;
use std::path::Path;

use anyhow::{Context as _, Result};
use leadline_emulate::{EmulateOptions, EmulatedDevice, Emulator, Traffic};
use leadline_sim::{ParametricSpec, ServerSpec};

/// Of the S4610, whose 240 GB were published.
const S4610_BYTES: u64 = 240_000_000_000;

/// A flush of the S4610, which has power-loss protection, microseconds: a guess at what the command itself
/// takes, since none was published.
const S4610_FLUSH_US: f64 = 50.0;

/// A flush of the other drive, microseconds: ours, as all its times are, for a drive without such protection.
const FLASH_FLUSH_US: f64 = 500.0;

/// A drive by its description.
pub struct Drive {
    /// As in the catalogue.
    pub name: &'static str,
    spec: ParametricSpec,
}

impl Drive {
    /// Two opposites: writes that take longer than reads, with cheap flushes, and the other way round. The
    /// catalogue's descriptions, with flushes added.
    ///
    /// # Errors
    /// None, unless the catalogue has changed.
    pub fn both() -> Result<[Drive; 2]> {
        let published = leadline_catalogue::load("s4610")?;
        let mut s4610 = ParametricSpec::from_published(&published, None, 4096, "s4610")?;
        s4610.capacity = S4610_BYTES;
        s4610.flush.service_us = S4610_FLUSH_US;
        let mut flash = leadline_sim::spec("flash")?.parametric().expect("a parametric device").clone();
        flash.flush.service_us = FLASH_FLUSH_US;
        Ok([Drive { name: "s4610", spec: s4610 }, Drive { name: "flash", spec: flash }])
    }

    /// Mounts it on the folder `mount` of `temporary`, over the folder `backing`.
    ///
    /// # Errors
    /// Where it cannot be mounted.
    pub fn mount(&self, temporary: &Path, slowdown: f64) -> Result<Emulator> {
        let description = temporary.join(format!("{}.toml", self.name));
        let text = toml::to_string(&self.spec)?;
        fs::write(&description, text).with_context(|| description.display().to_string())?;
        let device = EmulatedDevice::open(&format!("sim:{}", description.display()), None)?;
        let mut options = EmulateOptions::new(temporary.join("backing"), temporary.join("mount"));
        options.slowdown = slowdown;
        Ok(Emulator::mount(device, options)?)
    }

    /// Seconds that the description says for this traffic: the mean times of all requests, one after the
    /// other, except that `reads_at_once` reads run at the same time, or as many as the drive has servers.
    pub fn seconds(&self, traffic: &Traffic, reads_at_once: u32) -> f64 {
        let us = |server: &ServerSpec, requests: u64, bytes: u64| {
            requests as f64 * server.service_us + bytes as f64 / 1024.0 * server.per_kib_us
        };
        let reads = us(&self.spec.read, traffic.reads, traffic.read_bytes);
        let writes = us(&self.spec.write, traffic.writes, traffic.written_bytes);
        let flushes = traffic.flushes as f64 * self.spec.flush.service_us;
        (reads / f64::from(reads_at_once.min(self.spec.read.servers)) + writes + flushes) / 1e6
    }
}
