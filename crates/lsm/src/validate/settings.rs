//! The OPTIONS file of a run of db_bench.
//!
//! With an OPTIONS file db_bench takes nothing from its own options but the block cache, so whatever a run
//! needs besides its layout is put into the file.

use crate::Layout;
use crate::options::{self, RocksVersion};

/// The section of the database.
const DATABASE: &str = "[DBOptions]";
/// The section of the column family.
const FAMILY: &str = "[CFOptions \"default\"]";

/// Text of the OPTIONS file for `layout`. Without `compactions` the tree stays as it is.
pub(super) fn text(layout: &Layout, version: RocksVersion, compactions: bool) -> String {
    let mut text = options::write(layout, version);
    // One LOG file with all events, and nothing written into the database while it is measured.
    for setting in ["max_log_file_size=0", "stats_dump_period_sec=0", "stats_persist_period_sec=0"] {
        add(&mut text, DATABASE, setting);
    }
    if !compactions {
        add(&mut text, FAMILY, "disable_auto_compactions=true");
    }
    text
}

/// Puts a setting at the head of a section.
fn add(text: &mut String, section: &str, setting: &str) {
    if let Some(at) = text.find(section) {
        text.insert_str(at + section.len(), &format!("\n  {setting}"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_of_a_run_stand_in_their_sections() {
        let text = text(&Layout::default(), RocksVersion::V7_8, false);
        let section = |name: &str| text.split(name).nth(1).unwrap().split("\n[").next().unwrap().to_owned();
        assert!(section(DATABASE).contains("\n  stats_dump_period_sec=0\n"), "{text}");
        assert!(section(FAMILY).contains("\n  disable_auto_compactions=true\n"), "{text}");
        assert!(
            !super::text(&Layout::default(), RocksVersion::V7_8, true).contains("disable_auto_compactions")
        );
    }
}
