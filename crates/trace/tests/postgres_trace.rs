//! The example that captures PostgreSQL's page accesses has tests of its own, in Python as it is.

use std::path::Path;
use std::process::Command;

#[test]
fn the_join_of_probes_holds_on_recorded_events() {
    let example = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/postgres-trace");
    let ran = Command::new("python3").args(["-B", "-m", "unittest"]).current_dir(example).output();
    let ran = ran.expect("python3 is installed by `cargo xtask setup`");
    assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
}
