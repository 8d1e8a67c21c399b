//! Profiles: loading, saving, and what a report says of them.

use std::ffi::OsString;
use std::path::PathBuf;

use leadline_cli::Failure;
use leadline_profile as schema;
use leadline_report::{
    Fleet, SummaryOptions, compare, headline, render_fleet_page, render_page, render_summary, sentences,
};
use pyo3::prelude::*;

use crate::errors;

/// A device profile, checked.
#[pyclass(frozen, module = "leadline._leadline")]
pub(crate) struct DeviceProfile {
    pub(crate) profile: schema::DeviceProfile,
    /// How messages call it.
    #[pyo3(get)]
    pub(crate) name: String,
}

#[pymethods]
impl DeviceProfile {
    /// Of a file, or of `device:NAME`.
    #[staticmethod]
    fn load(py: Python<'_>, name: OsString) -> PyResult<DeviceProfile> {
        match schema::DeviceProfile::open(&name) {
            Ok(profile) => Ok(DeviceProfile { profile, name: name.display().to_string() }),
            Err(error) => Err(errors::exception(py, &Failure::from(error))),
        }
    }

    /// Of the text of a profile, which messages call `name`.
    #[staticmethod]
    fn parse(py: Python<'_>, text: &str, name: String) -> PyResult<DeviceProfile> {
        match schema::DeviceProfile::parse(text, &name) {
            Ok(profile) => Ok(DeviceProfile { profile, name }),
            Err(error) => Err(errors::exception(py, &Failure::from(error))),
        }
    }

    /// The profile as JSON.
    fn to_json(&self) -> String {
        self.profile.to_json()
    }

    /// Makes it a file, whole or not at all.
    fn save(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        self.profile.save(path).map_err(|error| errors::exception(py, &Failure::Operation(error.to_string())))
    }

    /// Which entry of `parameters` stands for the whole profile.
    fn headline(&self) -> Option<usize> {
        let entry = headline(&self.profile)?;
        self.profile.parameters.iter().position(|other| std::ptr::eq(other, entry))
    }

    /// Reads in flight that use the device fully; operations and bytes per second, where it limits
    /// operations.
    fn read_limits(&self, py: Python<'_>) -> PyResult<(u32, Option<(f64, f64)>)> {
        let limits = schema::ReadLimits::of(&self.profile);
        let limits = limits.map_err(|error| {
            let line = format!("{}: {error}, or give --concurrency", self.name);
            errors::exception(py, &Failure::Input(line))
        })?;
        Ok((limits.depth, limits.operation_limit()))
    }

    /// What it means, in three sentences.
    fn sentences(&self) -> [String; 3] {
        sentences(&self.profile)
    }

    /// What the command line prints of it, at most `width` columns wide.
    fn summary(&self, width: usize, details: bool) -> String {
        render_summary(&self.profile, &SummaryOptions::new(width).details(details))
    }
}

/// The page about these profiles, HTML.
#[pyfunction]
pub(crate) fn page(py: Python<'_>, profiles: Vec<PyRef<'_, DeviceProfile>>) -> PyResult<String> {
    let profiles = cloned(&profiles);
    py.detach(|| render_page(&profiles)).map_err(|error| errors::exception(py, &Failure::from(error)))
}

/// The page about the nodes of a cluster, HTML; `fleet` is what was found out about them, JSON.
#[pyfunction]
pub(crate) fn fleet_page(
    py: Python<'_>,
    fleet: &str,
    profiles: Vec<PyRef<'_, DeviceProfile>>,
) -> PyResult<String> {
    let fleet: Fleet = serde_json::from_str(fleet)
        .map_err(|error| errors::exception(py, &Failure::Input(format!("fleet: {error}"))))?;
    let profiles = cloned(&profiles);
    py.detach(|| render_fleet_page(&fleet, &profiles))
        .map_err(|error| errors::exception(py, &Failure::from(error)))
}

/// The comparison of these profiles as JSON, as `leadline report --json` prints it.
#[pyfunction]
pub(crate) fn comparison(profiles: Vec<PyRef<'_, DeviceProfile>>) -> String {
    serde_json::to_string(&compare(&cloned(&profiles))).expect("it has only string keys")
}

fn cloned(profiles: &[PyRef<'_, DeviceProfile>]) -> Vec<schema::DeviceProfile> {
    profiles.iter().map(|profile| profile.profile.clone()).collect()
}
