//! OPTIONS files of RocksDB.

use leadline_files::TextError;
use leadline_lsm::Layout;
use leadline_lsm::options::{self, DEFAULT_FAMILY, OptionsFile, RocksVersion};

use crate::Target;

pub(super) struct RocksdbOptions;

/// As RocksDB writes it, with a table within the column family and a second one.
const NESTED: &str = "\
# This is a RocksDB option file.
[Version]
  rocksdb_version=7.8.3
  options_file_version=1.1
[DBOptions]
  max_background_jobs=2
  max_background_flushes=-1
  max_background_compactions=-1
[CFOptions \"default\"]
  compression_opts={max_dict_buffer_bytes=0;enabled=false;level=32767;window_bits=-14;}
  max_bytes_for_level_multiplier=10.000000
  max_bytes_for_level_multiplier_additional=1:1:1:1:1:1:1
  compaction_style=kCompactionStyleLevel
  write_buffer_size=64M
  table_factory={id=BlockBasedTable;block_size=16K;filter_policy={id=bloomfilter:9.9:false;};block_cache={capacity=8M;};}
[CFOptions \"hot\"]
  num_levels=3
[TableOptions/BlockBasedTable \"hot\"]
  filter_policy=ribbonfilter:10:1
";

impl Target for RocksdbOptions {
    fn name(&self) -> String {
        "rocksdb-options".to_owned()
    }

    fn seeds(&self) -> Vec<Vec<u8>> {
        let layout = Layout { bloom_bits: 9.9, ..Layout::default() };
        let mut seeds = vec![NESTED.as_bytes().to_vec()];
        seeds.extend(RocksVersion::ALL.map(|version| options::write(&layout, version).into_bytes()));
        seeds
    }

    fn words(&self) -> &'static [&'static str] {
        &[
            "[Version]\n",
            "[DBOptions]\n",
            "[CFOptions \"default\"]\n",
            "[TableOptions/PlainTable \"default\"]\n",
            "rocksdb_version=99.1.0\n",
            "level0_stop_writes_trigger=-1\n",
            "no_block_cache=true\n",
            "nullptr",
            "{id=",
            ";",
            "}",
            "#",
            "\\#",
            "=",
            "T",
        ]
    }

    fn read(&mut self, input: &[u8]) -> bool {
        let Ok(text) = std::str::from_utf8(input) else { return false };
        match OptionsFile::parse(text, "input", DEFAULT_FAMILY) {
            Ok(file) => {
                let again = OptionsFile::parse(&file.to_string(), "input", DEFAULT_FAMILY);
                let again = again.expect("what is written can be read");
                assert_eq!(again.layout(), file.layout(), "what is written is the same layout");
                true
            }
            // Beyond the version and the sections: an option or its value was wrong.
            Err(TextError::Value { .. }) => true,
            Err(_) => false,
        }
    }
}
