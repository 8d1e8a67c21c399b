//! What other programs measured, as profiles.

use std::path::Path;

use leadline_import::{Options, import_texts};
use leadline_profile::{DeviceProfile, Pattern};

use super::profiles::advised;
use crate::Target;

pub(super) struct Imports;

impl Target for Imports {
    fn name(&self) -> String {
        "profile-import".to_owned()
    }

    fn seeds(&self) -> Vec<Vec<u8>> {
        let seeds: [&[u8]; 9] = [
            include_bytes!("../../seeds/import/fio.json"),
            include_bytes!("../../seeds/import/fio.txt"),
            include_bytes!("../../seeds/import/iotune.yaml"),
            include_bytes!("../../seeds/import/etcd.txt"),
            include_bytes!("../../seeds/import/pg_test_fsync.txt"),
            include_bytes!("../../seeds/import/ceph.json"),
            include_bytes!("../../seeds/import/ioping.json"),
            include_bytes!("../../seeds/import/ioping-raw.txt"),
            include_bytes!("../../seeds/import/ioping.txt"),
        ];
        seeds.map(<[u8]>::to_vec).to_vec()
    }

    fn words(&self) -> &'static [&'static str] {
        &[
            "null",
            "{}",
            "[]",
            "\"1\"",
            "\"randrw\"",
            "\"4kib\"",
            "k",
            "n/a",
            "+Inf",
            "\n{",
            "disks:",
            "<<<",
            " / ",
        ]
    }

    fn read(&mut self, input: &[u8]) -> bool {
        let Ok(text) = std::str::from_utf8(input) else { return false };
        let options = Options { pattern: Some(Pattern::Random), ..Options::default() };
        // Twice, as a sweep in two files: what is the same is put together.
        let texts = [(Path::new("input"), text), (Path::new("again"), text)];
        let Ok(profile) = import_texts(&texts, &options) else { return false };
        let again = DeviceProfile::parse(&profile.to_json(), Path::new("again"));
        assert!(again.is_ok_and(|again| again == profile), "what was imported can be loaded");
        advised(&profile);
        true
    }
}
