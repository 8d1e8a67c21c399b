//! The simulated device that a pool runs on: a description, or published numbers made into one.

use std::ffi::OsStr;

use leadline_catalogue::{PUBLISHED, SIMULATED, behind, device_of, is_file, load, split_path};
use leadline_profile::{DeviceProfile, Pattern as Measured};
use leadline_report::headline;
use leadline_sim::{DeviceSpec, ParametricSpec};

use crate::failure::Failure;

/// A device to make, one for each pool.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct SimulatedDevice {
    spec: DeviceSpec,
    page_bytes: u32,
    /// What was assumed to make it, for the user.
    pub(super) note: Option<String>,
}

impl SimulatedDevice {
    /// `sim:NAME`, `sim:./x.toml` or `device:NAME`.
    ///
    /// # Errors
    /// [`Failure::Input`] names the device, and what is wrong with it.
    pub(super) fn open(text: &OsStr, page_bytes: u32) -> Result<SimulatedDevice, Failure> {
        if let Some(name) = behind(text, SIMULATED) {
            let spec = leadline_sim::spec(name)?;
            return Ok(SimulatedDevice { spec, page_bytes, note: None });
        }
        match behind(text, PUBLISHED) {
            Some(name) => from_published(name, page_bytes),
            None => Err(Failure::Input(format!(
                "--device {}: a pool is simulated on sim:NAME, sim:./FILE.toml or device:NAME",
                text.display()
            ))),
        }
    }

    /// Writes it does at once: the n that uses it fully.
    pub(super) fn writes_at_once(&self) -> u32 {
        self.spec.writes_at_once()
    }

    /// Refuses `--alpha-1` where the time of a write is not a number of the description.
    ///
    /// # Errors
    /// [`Failure::Input`] names the device.
    pub(super) fn takes_alpha_1(&self, name: &str) -> Result<(), Failure> {
        match self.spec.parametric() {
            Some(_) => Ok(()),
            None => Err(Failure::Input(format!(
                "--alpha-1: what a write takes on {name} follows from its parts; name a parametric device, \
                 such as sim:flash"
            ))),
        }
    }

    /// Its description, where one write of a page takes as long as `alpha_1` reads of a parametric device.
    pub(super) fn spec(&self, alpha_1: Option<f64>) -> DeviceSpec {
        match (alpha_1, self.spec.parametric()) {
            (Some(alpha_1), Some(spec)) => {
                DeviceSpec::Parametric(Box::new(spec.clone().with_alpha_1(alpha_1, self.page_bytes)))
            }
            _ => self.spec.clone(),
        }
    }
}

/// `device:NAME`, and what was assumed to make a device of it.
fn from_published(name: &OsStr, page_bytes: u32) -> Result<SimulatedDevice, Failure> {
    let device = device_of(name);
    let name = &*name.to_string_lossy();
    let path = split_path(name).1;
    let prefix = if is_file(device) { "" } else { PUBLISHED };
    let description = load(device).map_err(|error| Failure::Input(format!("{prefix}{error}")))?;
    let spec = ParametricSpec::from_published(&description, path, page_bytes, name)
        .map_err(|error| Failure::Input(format!("{PUBLISHED}{name}: {error}")))?;
    let limit = match spec.cap_iops > 0.0 {
        true => format!(", at most {} requests/s", spec.cap_iops),
        false => String::new(),
    };
    let note = format!(
        "{PUBLISHED}{name}: assumed from published numbers: {} reads at once of {} us, {} writes at once of {} \
         us{limit}, no jitter, no end",
        spec.read.servers, spec.read.service_us, spec.write.servers, spec.write.service_us
    );
    Ok(SimulatedDevice { spec: DeviceSpec::Parametric(Box::new(spec)), page_bytes, note: Some(note) })
}

/// Pages to write at once, by a profile: its k_w_90 for pages of this size where that was measured; k_w where
/// the profile is older than k_w_90.
pub(super) fn advised_n(profile: &DeviceProfile, name: &str, page_bytes: u32) -> Result<u32, Failure> {
    let same =
        |p: &&leadline_profile::Parameters| p.pattern == Measured::Random && p.block_bytes == page_bytes;
    let parameters = profile.parameters.iter().find(same).or_else(|| headline(profile));
    parameters.and_then(|p| p.advised_writes()).ok_or_else(|| {
        let text = format!("{name}: has no k_w; measure writes too, or give --n a number");
        Failure::Input(text)
    })
}
