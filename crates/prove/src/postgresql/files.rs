//! Files of relations.

use std::fs;
use std::path::{Path, PathBuf};

use crate::ProveError;

/// Files of relations, by the path of the first of each: those of further gigabytes, and the free-space and
/// visibility maps, have the same name with an ending.
pub(super) fn of_relations(data: &Path, relations: &[PathBuf]) -> Result<Vec<PathBuf>, ProveError> {
    let mut files = Vec::new();
    for relation in relations {
        let first = data.join(relation);
        let (Some(folder), Some(name)) = (first.parent(), first.file_name()) else { continue };
        let list = |source| ProveError::io(folder, "listing it", source);
        for entry in fs::read_dir(folder).map_err(list)? {
            let entry = entry.map_err(list)?;
            let (found, name) = (entry.file_name(), name.to_string_lossy());
            let ending = found.to_str().and_then(|found| found.strip_prefix(name.as_ref()));
            if ending.is_some_and(|ending| ending.is_empty() || ending.starts_with(['.', '_'])) {
                files.push(entry.path());
            }
        }
    }
    Ok(files)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_relation_has_all_its_files_and_no_others() {
        let folder = tempfile::tempdir().unwrap();
        let base = folder.path().join("base/5");
        fs::create_dir_all(&base).unwrap();
        for name in ["16384", "16384.1", "16384_vm", "163841", "1638", "16385"] {
            fs::write(base.join(name), "x").unwrap();
        }
        let mut found = of_relations(folder.path(), &["base/5/16384".into()]).unwrap();
        found.sort();
        assert_eq!(found, ["16384", "16384.1", "16384_vm"].map(|name| base.join(name)));
    }
}
