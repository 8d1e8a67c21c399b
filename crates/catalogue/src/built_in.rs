//! The catalogue: the devices built in, and finding one by name or by file.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;

use crate::{AccessPath, CatalogueError, Description};

/// Descriptions are written by hand.
const MOST_BYTES: u64 = 4 << 20;

/// What follows the name of a device where its numbers are those of the raw device.
const RAW: &str = ":raw";

/// A device of the catalogue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BuiltIn {
    /// What follows `device:` or `sim:`.
    pub name: &'static str,
    /// Its file in `devices/`.
    pub text: &'static str,
}

impl BuiltIn {
    /// Its description.
    pub fn description(&self) -> Description {
        Description::parse(self.text, self.name).expect("the tests parse every device built in")
    }
}

/// All devices built in: first the devices that can be simulated, then the devices with published numbers.
pub const DEVICES: [BuiltIn; 21] = [
    BuiltIn { name: "flash", text: include_str!("../devices/flash.toml") },
    BuiltIn { name: "optane", text: include_str!("../devices/optane.toml") },
    BuiltIn { name: "sata", text: include_str!("../devices/sata.toml") },
    BuiltIn { name: "capped", text: include_str!("../devices/capped.toml") },
    BuiltIn { name: "gp2-100g", text: include_str!("../devices/gp2-100g.toml") },
    BuiltIn { name: "gp2-334g", text: include_str!("../devices/gp2-334g.toml") },
    BuiltIn { name: "gp2-1t", text: include_str!("../devices/gp2-1t.toml") },
    BuiltIn { name: "gp3", text: include_str!("../devices/gp3.toml") },
    BuiltIn { name: "io2", text: include_str!("../devices/io2.toml") },
    BuiltIn { name: "pd-balanced", text: include_str!("../devices/pd-balanced.toml") },
    BuiltIn { name: "aws-virtual", text: include_str!("../devices/aws-virtual.toml") },
    BuiltIn { name: "p4510-ftl", text: include_str!("../devices/p4510-ftl.toml") },
    BuiltIn { name: "p3700-ftl", text: include_str!("../devices/p3700-ftl.toml") },
    BuiltIn { name: "s4610-ftl", text: include_str!("../devices/s4610-ftl.toml") },
    BuiltIn { name: "990pro-ftl", text: include_str!("../devices/990pro-ftl.toml") },
    BuiltIn { name: "p4800x-xpoint", text: include_str!("../devices/p4800x-xpoint.toml") },
    BuiltIn { name: "hdd-disk", text: include_str!("../devices/hdd-disk.toml") },
    BuiltIn { name: "p4800x", text: include_str!("../devices/p4800x.toml") },
    BuiltIn { name: "p4510", text: include_str!("../devices/p4510.toml") },
    BuiltIn { name: "s4610", text: include_str!("../devices/s4610.toml") },
    BuiltIn { name: "hdd", text: include_str!("../devices/hdd.toml") },
];

/// The device built in under this name.
pub fn find(name: &(impl AsRef<OsStr> + ?Sized)) -> Option<&'static BuiltIn> {
    let name = name.as_ref();
    DEVICES.iter().find(|device| device.name == name)
}

/// Whether a name leads to a file: it holds a `/` or ends in `.toml`.
pub fn is_file(name: &(impl AsRef<OsStr> + ?Sized)) -> bool {
    let name = name.as_ref().as_bytes();
    name.contains(&b'/') || name.ends_with(b".toml")
}

/// The text of a file that describes a device.
///
/// # Errors
/// The system's, and that it is no such file because it is larger than 4 MiB or not text.
pub fn read(path: &OsStr) -> std::io::Result<String> {
    leadline_files::read_text(path, MOST_BYTES)
}

/// The description of a device built in, or of a file.
///
/// # Errors
/// [`CatalogueError`] names the file or name, the place in it, and what to do.
pub fn load(name: &(impl AsRef<OsStr> + ?Sized)) -> Result<Description, CatalogueError> {
    let name = name.as_ref();
    let shown = name.to_string_lossy();
    if is_file(name) {
        let failed = |source| CatalogueError::Io { path: shown.clone().into_owned(), source };
        return Description::parse(&read(name).map_err(failed)?, &shown);
    }
    match find(name) {
        Some(device) => Ok(device.description()),
        None => Err(CatalogueError::Unknown {
            name: shown.into_owned(),
            known: DEVICES.map(|device| device.name).join(", "),
        }),
    }
}

/// The device of `p4510:raw`: the name without the path to it.
pub fn device_of(name: &OsStr) -> &OsStr {
    name.as_bytes().strip_suffix(RAW.as_bytes()).map_or(name, OsStr::from_bytes)
}

/// Splits `p4510:raw` into the device and the path to it; a name without `:raw` leaves the path open.
pub fn split_path(name: &str) -> (&str, Option<AccessPath>) {
    match name.strip_suffix(RAW) {
        Some(device) => (device, Some(AccessPath::Raw)),
        None => (name, None),
    }
}
