//! The simulator's part of a description: one of several kinds of device.

use serde::Serialize;
use toml::de::{DeTable, DeValue};

use crate::{DeviceModel, Parametric, ParametricModel, ParametricSpec, SimError, Simulated};

/// What a description says of the device, by its `kind`. docs/simulated-devices.md has the fields.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
#[non_exhaustive]
pub enum DeviceSpec {
    /// `kind = "parametric"`: servers and service times.
    Parametric(ParametricSpec),
}

impl DeviceSpec {
    /// Reads a description; `path` is for the messages.
    ///
    /// # Errors
    /// [`SimError::Syntax`] and [`SimError::Value`] with the line, [`SimError::Catalogue`] for what the
    /// simulator itself has no use for.
    pub fn parse(text: &str, path: &str) -> Result<Self, SimError> {
        match kind(text).as_deref() {
            Some("parametric") | None => Ok(DeviceSpec::Parametric(ParametricSpec::parse(text, path)?)),
            Some(other) => {
                let reason = format!("must be \"parametric\", not {other:?}");
                Err(SimError::value(("kind", reason), text, path))
            }
        }
    }

    /// Its timing, idle.
    pub fn model(&self) -> Box<dyn DeviceModel> {
        match self {
            DeviceSpec::Parametric(spec) => Box::new(ParametricModel::new(spec)),
        }
    }

    /// The device in virtual time, at time zero, idle.
    pub fn device(&self) -> Simulated {
        match self {
            DeviceSpec::Parametric(spec) => Simulated::Parametric(Parametric::new(spec.clone())),
        }
    }

    /// The servers and service times of a parametric device; `None` for another kind.
    pub fn parametric(&self) -> Option<&ParametricSpec> {
        match self {
            DeviceSpec::Parametric(spec) => Some(spec),
        }
    }

    /// Writes of a page that it does at once.
    pub fn writes_at_once(&self) -> u32 {
        match self {
            DeviceSpec::Parametric(spec) => spec.write.servers,
        }
    }

    /// Addressable bytes.
    pub fn capacity_bytes(&self) -> u64 {
        match self {
            DeviceSpec::Parametric(spec) => spec.capacity,
        }
    }
}

/// What the text calls itself, where it is a table that does; its reader finds everything else.
fn kind(text: &str) -> Option<String> {
    let table = DeTable::parse(text).ok()?;
    match table.get_ref().get("kind")?.get_ref() {
        DeValue::String(kind) => Some(kind.to_string()),
        _ => None,
    }
}
