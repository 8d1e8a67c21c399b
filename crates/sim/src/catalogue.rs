//! Opening a simulated device: by name among those of the catalogue, or by file.

use leadline_catalogue::{DEVICES, Description, find, is_file};

use crate::{Parametric, ParametricSpec, SimError};

/// Opens what follows `sim:` in a TARGET: a path when it holds a `/` or ends in `.toml`, else a built-in
/// name.
///
/// # Errors
/// [`SimError`] names the file or name, the place in it, and what to do.
pub fn open(name: &str) -> Result<Parametric, SimError> {
    if is_file(name) {
        let text =
            std::fs::read_to_string(name).map_err(|source| SimError::Io { path: name.to_owned(), source })?;
        return simulate(&text, name);
    }
    match find(name) {
        Some(device) => simulate(device.text, name),
        None => Err(SimError::Unknown { name: name.to_owned(), known: simulated() }),
    }
}

fn simulate(text: &str, name: &str) -> Result<Parametric, SimError> {
    // Before the simulator misses its own keys one by one.
    if Description::parse(text, name).is_ok_and(|description| !description.simulated) {
        return Err(SimError::PublishedOnly { name: name.to_owned(), known: simulated() });
    }
    Ok(Parametric::new(ParametricSpec::parse(text, name)?))
}

/// Names of the devices built in that can be simulated.
fn simulated() -> String {
    let names: Vec<&str> =
        DEVICES.iter().filter(|device| device.description().simulated).map(|device| device.name).collect();
    names.join(", ")
}
