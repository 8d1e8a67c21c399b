//! What tests of several systems share.

use std::fmt::Debug;
use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use leadline_prove::{Progress, ProveError};
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

/// A proof that ends in the phase, or at the step, that says `stop_at`. `None` where the system is not
/// installed.
pub fn run<T>(
    test: &str,
    stop_at: Option<&str>,
    prove: impl FnOnce(&AtomicBool, &mut dyn FnMut(Progress)) -> Result<T, ProveError>,
) -> Option<Result<T, ProveError>> {
    let cancel = AtomicBool::new(false);
    let proof = prove(&cancel, &mut |step| {
        if stop_at.is_some_and(|stop_at| step.phase == stop_at || step.detail.contains(stop_at)) {
            cancel.store(true, Ordering::Relaxed);
        }
    });
    unless_missing(test, proof)
}

/// That a proof ended because it was interrupted, and left nothing.
pub fn assert_interrupted<T: Debug>(ended: Result<T, ProveError>, phase: &str, target: &Path) {
    let error = ended.unwrap_err();
    assert!(!error.is_input() && error.to_string() == "interrupted", "{phase}: {error}");
    assert_nothing_left(target);
}

/// That a proof refuses its input, and says so in these words.
pub fn assert_refused<T: Debug>(ended: Result<T, ProveError>, said: &str) {
    let error = ended.unwrap_err();
    assert!(error.is_input() && error.to_string().contains(said), "{error}");
}

/// That a target that is a file is refused; false where the system is not installed.
pub fn refuses_a_file<T: Debug>(
    target: &Path,
    run: impl FnOnce(&Path) -> Option<Result<T, ProveError>>,
) -> bool {
    let file = target.join("file");
    fs::write(&file, "").unwrap();
    let ended = run(&file);
    fs::remove_file(&file).unwrap();
    ended.map(|ended| assert_refused(ended, "is not a directory")).is_some()
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
