//! The files of blktrace, one per CPU: `sda.blktrace.0`, `sda.blktrace.1` and so on.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use crate::TraceError;

const MIDDLE: &str = ".blktrace.";

/// The files of all CPUs, where `name` is a directory of such files or what their names begin with; `None`
/// where it is neither.
///
/// # Errors
/// [`TraceError::Name`] where a directory has those of several devices.
pub(crate) fn files(name: &Path) -> Result<Option<Vec<PathBuf>>, TraceError> {
    if name.is_dir() {
        let mut stems = in_folder(name);
        return match stems.len() {
            0 => Ok(None),
            1 => Ok(stems.pop_first().map(|(_, files)| files)),
            _ => {
                let stems = stems.into_keys().collect::<Vec<_>>().join(", ");
                let reason =
                    format!("is a directory with traces of several devices, {stems}; name one of them");
                Err(TraceError::Name { name: name.display().to_string(), reason })
            }
        };
    }
    let (Some(stem), false) = (name.file_name().and_then(|name| name.to_str()), name.exists()) else {
        return Ok(None);
    };
    let folder = name.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    Ok(in_folder(folder).remove(stem))
}

/// What the names of the files of all CPUs have in common, where this is one of several.
pub(crate) fn stem_of_several(name: &str) -> Option<String> {
    let (stem, cpu) = name.rsplit_once(MIDDLE)?;
    cpu.parse::<u32>().ok()?;
    let several = files(Path::new(stem)).ok()??.len() > 1;
    several.then(|| stem.to_owned())
}

/// The files in a directory by their stems, in the order of the CPUs.
fn in_folder(folder: &Path) -> BTreeMap<String, Vec<PathBuf>> {
    let mut found: BTreeMap<String, BTreeMap<u32, PathBuf>> = BTreeMap::new();
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = entry.file_name();
        if let Some((stem, cpu)) = name.to_str().and_then(|name| name.rsplit_once(MIDDLE))
            && let Ok(cpu) = cpu.parse()
        {
            found.entry(stem.to_owned()).or_default().insert(cpu, entry.path());
        }
    }
    found.into_iter().map(|(stem, files)| (stem, files.into_values().collect())).collect()
}
