//! The OPTIONS file of a run of db_bench.
//!
//! With an OPTIONS file db_bench takes nothing from its own options but the block cache, so whatever a run
//! needs besides its layout is put into the file.

use crate::Layout;

/// The section of the database.
const DATABASE: &str = "[DBOptions]";
/// The section of the column family.
const FAMILY: &str = "[CFOptions \"default\"]";

/// Text of the OPTIONS file for `layout` and this version of RocksDB, `7.8.3`. Without `compactions` the tree
/// stays as it is.
pub(super) fn text(layout: &Layout, version: &str, compactions: bool) -> String {
    let mut text = of_layout(layout, version);
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

/// To be replaced by `options::write`.
fn of_layout(layout: &Layout, version: &str) -> String {
    let Layout { jobs, subcompactions, l0_files, l0_slowdown, l0_stop, levels, fanout, .. } = layout;
    let Layout { file_bytes, base_bytes, memtable_bytes, memtables, block_bytes, dynamic_levels, .. } =
        layout;
    format!(
        "[Version]\n  rocksdb_version={version}\n  options_file_version=1.1\n\n\
         {DATABASE}\n  max_background_compactions={jobs}\n  max_background_flushes=1\n  \
         max_subcompactions={subcompactions}\n  max_open_files=-1\n  use_direct_reads=true\n  \
         use_direct_io_for_flush_and_compaction=true\n\n\
         {FAMILY}\n  compression=kNoCompression\n  write_buffer_size={memtable_bytes}\n  \
         max_write_buffer_number={memtables}\n  target_file_size_base={file_bytes}\n  \
         max_bytes_for_level_base={base_bytes}\n  max_bytes_for_level_multiplier={fanout}\n  \
         level0_file_num_compaction_trigger={l0_files}\n  level0_slowdown_writes_trigger={l0_slowdown}\n  \
         level0_stop_writes_trigger={l0_stop}\n  num_levels={levels}\n  \
         level_compaction_dynamic_level_bytes={dynamic_levels}\n\n\
         [TableOptions/BlockBasedTable \"default\"]\n  block_size={block_bytes}\n"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_of_a_run_stand_in_their_sections() {
        let text = text(&Layout::default(), "7.8.3", false);
        let section = |name: &str| text.split(name).nth(1).unwrap().split("\n[").next().unwrap().to_owned();
        assert!(section(DATABASE).contains("\n  stats_dump_period_sec=0\n"), "{text}");
        assert!(section(FAMILY).contains("\n  disable_auto_compactions=true\n"), "{text}");
        assert!(!super::text(&Layout::default(), "7.8.3", true).contains("disable_auto_compactions"));
    }
}
