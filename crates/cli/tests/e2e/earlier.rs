//! What version 0.1.0 wrote is read: profiles, graph stores with their updates and results, captures,
//! descriptions of fitted drives.

use std::fs;
use std::path::{Path, PathBuf};

use leadline_profile::DeviceProfile;
use serde_json::Value;
use tempfile::TempDir;

use crate::ran::{folder, names, run};

/// A copy of the files.
fn upgraded() -> TempDir {
    let dir = folder();
    copy(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/0.1.0"), dir.path());
    dir
}

fn copy(from: &Path, to: &Path) {
    for name in names(from) {
        let (file, copied) = (from.join(&name), to.join(&name));
        if file.is_dir() {
            fs::create_dir(&copied).unwrap();
            copy(&file, &copied);
        } else {
            fs::copy(&file, &copied).unwrap();
        }
    }
}

/// The lines of a result, which may come in any order.
fn lines(file: PathBuf) -> Vec<String> {
    let mut lines: Vec<String> = fs::read_to_string(file).unwrap().lines().map(str::to_owned).collect();
    lines.sort();
    lines
}

#[test]
fn no_number_of_a_profile_is_lost() {
    let dir = upgraded();
    let file = dir.path().join("profile.json");
    let written: Value = serde_json::from_str(&fs::read_to_string(&file).unwrap()).unwrap();
    let profile = DeviceProfile::load(&file).unwrap();
    assert_eq!(serde_json::to_value(&profile).unwrap(), written);
    let parameters = &profile.parameters[0];
    assert_eq!((parameters.block_bytes, parameters.k_r_90, parameters.k_w_90), (4096, Some(2), Some(2)));
    assert!(parameters.alpha.is_some_and(|alpha| (0.27..0.29).contains(&alpha)), "{:?}", parameters.alpha);
    let shown = run(dir.path(), &["report", "profile.json"]).succeeded().stdout;
    assert!(shown.contains("One write is worth                        0.28 reads"), "{shown}");
    run(dir.path(), &["advise", "postgresql", "profile.json", "--version", "15"]).succeeded();
}

#[test]
fn a_store_gives_the_same_search_with_and_without_updates_and_as_a_new_one() {
    let dir = upgraded();
    let dir = dir.path();
    run(dir, &["graph", "import", "edges.csv", "new.store", "--weights", "--directed"]).succeeded();
    for (store, expected) in
        [("graph.store", "bfs.csv"), ("updated.store", "bfs-updated.csv"), ("new.store", "bfs.csv")]
    {
        run(dir, &["graph", "bfs", store, "--source", "0", "-o", "now.csv"]).succeeded();
        assert_eq!(lines(dir.join("now.csv")), lines(dir.join(expected)), "{store}");
        run(dir, &["graph", "verify", store]).succeeded();
    }
}

#[test]
fn a_store_takes_updates_and_a_search_goes_on_from_its_result() {
    let dir = upgraded();
    let dir = dir.path();
    fs::write(dir.join("changes"), "+ 1400 0 2\n+ 0 1401 3\n").unwrap();
    run(dir, &["graph", "update", "graph.store", "changes"]).succeeded();
    let onwards = ["graph", "bfs", "graph.store", "--source", "0", "--from", "bfs.bin", "-o", "now.csv"];
    run(dir, &onwards).succeeded();
    assert_eq!(lines(dir.join("now.csv")), lines(dir.join("bfs-updated.csv")));
    run(dir, &["graph", "compact", "updated.store"]).succeeded();
    run(dir, &["graph", "bfs", "updated.store", "--source", "0", "-o", "now.csv"]).succeeded();
    assert_eq!(lines(dir.join("now.csv")), lines(dir.join("bfs-updated.csv")));
}

#[test]
fn a_capture_and_a_fitted_drive_are_read() {
    let dir = upgraded();
    let dir = dir.path();
    let told = run(dir, &["trace", "info", "drive.capture", "--json"]).succeeded().stdout;
    let requests = &serde_json::from_str::<Value>(&told).unwrap()["requests"];
    let found = ["reads", "writes", "read_bytes", "written_bytes"].map(|key| requests[key].as_u64().unwrap());
    assert_eq!(found, [5, 6, 81_920, 163_840]);
    let shown = run(dir, &["devices", "drive.toml"]).succeeded().stdout;
    assert!(shown.contains("sim-flash, calibrated"), "{shown}");
    let replay = ["trace", "replay", "drive.capture", "sim:./drive.toml", "--json"];
    let replayed: Value = serde_json::from_str(&run(dir, &replay).succeeded().stdout).unwrap();
    assert_eq!(replayed["schema"], "leadline.replay/1", "{replayed}");
}
