//! The simulator's part of a description: one of several kinds of device.

use serde::Serialize;
use toml::de::{DeTable, DeValue};

use crate::simulated::Kind;
use crate::{
    DeviceModel, DiskSpec, FlashModel, FlashSpec, ParametricModel, ParametricSpec, SimError, Simulated,
    VirtualDevice, XpointSpec,
};

/// What a description says of the device, by its `kind`. docs/simulated-devices.md has the fields.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
#[non_exhaustive]
pub enum DeviceSpec {
    /// `kind = "parametric"`: servers and service times.
    Parametric(Box<ParametricSpec>),
    /// `kind = "flash"`: the parts of a flash drive.
    Flash(Box<FlashSpec>),
    /// `kind = "xpoint"`: a drive of 3D XPoint memory.
    Xpoint(Box<XpointSpec>),
    /// `kind = "disk"`: a hard disk.
    Disk(Box<DiskSpec>),
}

impl DeviceSpec {
    /// Reads a description; `path` is for the messages.
    ///
    /// # Errors
    /// [`SimError::Catalogue`] with the line.
    pub fn parse(text: &str, path: &str) -> Result<Self, SimError> {
        match kind_of(text).as_deref() {
            Some("parametric") | None => {
                Ok(DeviceSpec::Parametric(Box::new(ParametricSpec::parse(text, path)?)))
            }
            Some("flash") => Ok(DeviceSpec::Flash(Box::new(FlashSpec::parse(text, path)?))),
            Some("xpoint") => Ok(DeviceSpec::Xpoint(Box::new(XpointSpec::parse(text, path)?))),
            Some("disk") => Ok(DeviceSpec::Disk(Box::new(DiskSpec::parse(text, path)?))),
            Some(kind @ ("cached" | "placed")) => {
                let reason = format!("{kind:?} is made of two devices; this needs a single one");
                Err(SimError::value(("kind", reason), text, path))
            }
            Some(other) => {
                let kinds = "\"parametric\", \"flash\", \"xpoint\" or \"disk\"";
                let reason = format!("must be {kinds}, not {other:?}");
                Err(SimError::value(("kind", reason), text, path))
            }
        }
    }

    /// Its timing, idle.
    pub fn model(&self) -> Box<dyn DeviceModel> {
        match self {
            DeviceSpec::Parametric(spec) => Box::new(ParametricModel::new(spec)),
            DeviceSpec::Flash(spec) => Box::new(FlashModel::new(spec)),
            DeviceSpec::Xpoint(spec) => Box::new(spec.front()),
            DeviceSpec::Disk(spec) => Box::new(spec.front()),
        }
    }

    /// The device in virtual time, at time zero, idle.
    pub fn device(&self) -> Simulated {
        Simulated(match self {
            DeviceSpec::Parametric(spec) => Kind::Parametric(spec.device()),
            DeviceSpec::Flash(spec) => Kind::Flash(VirtualDevice::new(FlashModel::new(spec))),
            DeviceSpec::Xpoint(spec) => Kind::Xpoint(VirtualDevice::new(spec.front())),
            DeviceSpec::Disk(spec) => Kind::Disk(VirtualDevice::new(spec.front())),
        })
    }

    /// The servers and service times of a parametric device; `None` for another kind.
    pub fn parametric(&self) -> Option<&ParametricSpec> {
        match self {
            DeviceSpec::Parametric(spec) => Some(spec),
            _ => None,
        }
    }

    /// Writes of a page that it does at once.
    pub fn writes_at_once(&self) -> u32 {
        match self {
            DeviceSpec::Parametric(spec) => spec.write.servers,
            DeviceSpec::Flash(spec) => spec.geometry.channels * spec.geometry.dies_per_channel,
            DeviceSpec::Xpoint(spec) => spec.writes_at_once(),
            // One head: a queue lets it choose, but not write two things.
            DeviceSpec::Disk(_) => 1,
        }
    }

    /// Addressable bytes.
    pub fn capacity_bytes(&self) -> u64 {
        match self {
            DeviceSpec::Parametric(spec) => spec.capacity,
            DeviceSpec::Flash(spec) => spec.capacity,
            DeviceSpec::Xpoint(spec) => spec.capacity,
            DeviceSpec::Disk(spec) => spec.capacity,
        }
    }
}

/// What a description calls itself by its `kind`; `None` where it is no TOML or has none, which its reader
/// will find.
pub fn kind_of(text: &str) -> Option<String> {
    let table = DeTable::parse(text).ok()?;
    match table.get_ref().get("kind")?.get_ref() {
        DeValue::String(kind) => Some(kind.to_string()),
        _ => None,
    }
}
