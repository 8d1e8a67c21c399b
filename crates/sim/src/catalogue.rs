//! Finding a simulated device: by name among those built in, or by file.

use std::path::Path;

use crate::{Parametric, ParametricSpec, SimError};

/// Names and descriptions of the devices built in, from `devices/`.
pub const BUILT_IN: [(&str, &str); 4] = [
    ("flash", include_str!("../../../devices/flash.toml")),
    ("optane", include_str!("../../../devices/optane.toml")),
    ("sata", include_str!("../../../devices/sata.toml")),
    ("capped", include_str!("../../../devices/capped.toml")),
];

/// Opens what follows `sim:` in a TARGET: a path when it holds a `/` or ends in `.toml`, else a built-in name.
///
/// # Errors
/// [`SimError`] names the file or name, the place in it, and what to do.
pub fn open(name: &str) -> Result<Parametric, SimError> {
    if name.contains('/') || name.ends_with(".toml") {
        let text = std::fs::read_to_string(Path::new(name))
            .map_err(|source| SimError::Io { path: name.to_owned(), source })?;
        return Ok(Parametric::new(ParametricSpec::parse(&text, name)?));
    }
    match BUILT_IN.iter().find(|(known, _)| *known == name) {
        Some((_, text)) => Ok(Parametric::new(ParametricSpec::parse(text, name)?)),
        None => Err(SimError::Unknown {
            name: name.to_owned(),
            known: BUILT_IN.map(|(known, _)| known).join(", "),
        }),
    }
}
