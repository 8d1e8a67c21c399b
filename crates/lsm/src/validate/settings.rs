//! The OPTIONS file of a run of db_bench.
//!
//! With an OPTIONS file db_bench takes nothing from its own options but the block cache and the rate limiter,
//! so whatever else a run needs besides its layout is put into the file.

use crate::Layout;
use crate::options::{self, RocksVersion};

/// The section of the database.
const DATABASE: &str = "[DBOptions]";
/// The section of the column family.
const FAMILY: &str = "[CFOptions \"default\"]";

/// Text of the OPTIONS file for `layout`. Without `compactions` the tree stays as it is. The database has the
/// settings `own` instead of the layout's, if there are any.
pub(super) fn text(
    layout: &Layout,
    version: RocksVersion,
    compactions: bool,
    own: Option<&[(String, String)]>,
) -> String {
    let mut text = options::write(layout, version);
    if let Some(own) = own {
        empty(&mut text, DATABASE);
        own.iter().rev().for_each(|(name, value)| add(&mut text, DATABASE, &format!("{name}={value}")));
    }
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

/// Takes all settings of a section away.
fn empty(text: &mut String, section: &str) {
    if let Some(at) = text.find(section) {
        let from = at + section.len();
        let to = text[from..].find("\n[").map_or(text.len(), |length| from + length);
        text.replace_range(from..to, "\n");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_of_a_run_stand_in_their_sections() {
        let text = text(&Layout::default(), RocksVersion::V7_8, false, None);
        let section = |name: &str| text.split(name).nth(1).unwrap().split("\n[").next().unwrap().to_owned();
        assert!(section(DATABASE).contains("\n  stats_dump_period_sec=0\n"), "{text}");
        assert!(section(FAMILY).contains("\n  disable_auto_compactions=true\n"), "{text}");
        let with = |own| super::text(&Layout::default(), RocksVersion::V7_8, true, own);
        assert!(!with(None).contains("disable_auto_compactions"));
        // Settings of one's own are all that the database has beside those of a run.
        let own = [("max_background_jobs", "8"), ("bytes_per_sync", "0")];
        let text = with(Some(&own.map(|(name, value)| (name.to_owned(), value.to_owned()))));
        let database = text.split("[DBOptions]").nth(1).unwrap().split("\n[").next().unwrap();
        let names: Vec<&str> =
            database.lines().filter_map(|line| Some(line.trim().split_once('=')?.0)).collect();
        assert_eq!(names[3..], ["max_background_jobs", "bytes_per_sync"]);
        assert!(names[..3].contains(&"max_log_file_size") && text.contains("write_buffer_size="), "{text}");
    }
}
