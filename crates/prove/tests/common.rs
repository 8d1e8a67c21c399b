//! What tests of several systems share.

use std::fs;
use std::io::Write as _;
use std::path::Path;

use leadline_prove::ProveError;
use tempfile::TempDir;

/// A folder that other users may enter: root has servers run by one.
pub fn target() -> TempDir {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = tempfile::tempdir().unwrap();
    fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o711)).unwrap();
    folder
}

/// Keys and values, owned.
pub fn settings(text: &[(&str, &str)]) -> Vec<(String, String)> {
    text.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect()
}

/// `None`, and a line about it, where the system is not installed.
pub fn unless_missing<T>(test: &str, proof: Result<T, ProveError>) -> Option<Result<T, ProveError>> {
    match proof {
        Err(error) if error.to_string().contains("is not installed") => {
            let _ = writeln!(std::io::stderr(), "SKIPPED {test}: {error}");
            None
        }
        proof => Some(proof),
    }
}

/// No file, and no process that has the folder in its command line.
pub fn assert_nothing_left(target: &Path) {
    assert_eq!(fs::read_dir(target).unwrap().count(), 0, "files are left");
    for entry in fs::read_dir("/proc").unwrap().flatten() {
        let command = fs::read(entry.path().join("cmdline")).unwrap_or_default();
        let command = String::from_utf8_lossy(&command).replace('\0', " ");
        assert!(!command.contains(target.to_str().unwrap()), "{command} still runs");
    }
}
