//! Descriptions of drives made of two.

use std::path::{Path, PathBuf};

use leadline_placement::{Cached, FileSize, Placed};

use super::PlaceOptions;
use crate::TpchError;

/// Writes the description of a drive on which the files of `placed` are on the fast part; its name.
pub(super) fn placed(
    options: &PlaceOptions,
    fast_bytes: u64,
    placed: &Placed,
    files: &[FileSize],
) -> Result<String, TpchError> {
    let globs = placed.files.iter().map(|&file| toml::Value::String(escaped(&files[file].name)));
    let mut table = common(options, "placed", fast_bytes)?;
    table.insert("fast_files".to_owned(), toml::Value::Array(globs.collect()));
    write(options, &format!("placed-{fast_bytes}.toml"), &table)
}

/// The same of a drive with a block cache.
pub(super) fn cached(options: &PlaceOptions, fast_bytes: u64, cached: &Cached) -> Result<String, TpchError> {
    let mut table = common(options, "cached", fast_bytes)?;
    for (key, value) in [("policy", &cached.policy), ("admission", &cached.admission)] {
        table.insert(key.to_owned(), toml::Value::String(value.clone()));
    }
    write(options, &format!("cached-{fast_bytes}.toml"), &table)
}

fn common(options: &PlaceOptions, kind: &str, fast_bytes: u64) -> Result<toml::Table, TpchError> {
    let mut table = toml::Table::new();
    let text =
        [("kind", kind.to_owned()), ("fast", from_root(&options.fast)?), ("slow", from_root(&options.slow)?)];
    table.extend(text.map(|(key, value)| (key.to_owned(), toml::Value::String(value))));
    let bytes = i64::try_from(fast_bytes)
        .map_err(|_| TpchError::Input(format!("{fast_bytes} bytes: a fast drive has less than 2^63")))?;
    table.insert("fast_size".to_owned(), toml::Value::Integer(bytes));
    Ok(table)
}

/// A device by the path of its file from the root: a description names others relative to itself.
fn from_root(device: &str) -> Result<String, TpchError> {
    let Some(file) = device.strip_prefix("sim:").filter(|name| Path::new(name).is_file()) else {
        return Ok(device.to_owned());
    };
    let path = std::path::absolute(file).map_err(TpchError::io(file))?;
    Ok(format!("sim:{}", path.display()))
}

/// A glob that matches this path alone.
fn escaped(path: &str) -> String {
    let mut glob = String::new();
    for letter in path.chars() {
        match letter {
            '*' | '?' | '[' | ']' => glob.extend(['[', letter, ']']),
            _ => glob.push(letter),
        }
    }
    glob
}

fn write(options: &PlaceOptions, name: &str, table: &toml::Table) -> Result<String, TpchError> {
    let path: PathBuf = options.folder.join(name);
    leadline_files::replace(&path, table.to_string())?;
    Ok(format!("sim:{}", path.display()))
}
