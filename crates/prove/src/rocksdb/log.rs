//! The settings that RocksDB had, by its own LOG.

use std::collections::BTreeMap;

/// What stands before a setting.
const MARK: &str = "Options.";

/// How it writes that there is no rate limiter.
const NONE: &str = "(nil)";

/// All settings in the text of a LOG, the first of each name: `2026/11/23-16:34:16.185651 3491
/// Options.max_subcompactions: 1`.
pub(super) fn settings(log: &str) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    for line in log.lines() {
        let setting = line.split_once(MARK).and_then(|(_, rest)| rest.split_once(':'));
        if let Some((key, value)) = setting {
            found.entry(key.trim().to_owned()).or_insert_with(|| value.trim().to_owned());
        }
    }
    found
}

/// Whether there was a rate limiter: all that the LOG has of it is its address.
pub(super) fn has_rate_limiter(settings: &BTreeMap<String, String>) -> bool {
    settings.get("rate_limiter").is_some_and(|address| address != NONE)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Lines of a LOG of RocksDB 7.8.3.
    const LOG: &str = "\
2026/11/23-16:34:16.185500 3491 RocksDB version: 7.8.3
2026/11/23-16:34:16.185620 3491                        Options.use_direct_reads: 0
2026/11/23-16:34:16.185631 3491                            Options.rate_limiter: 0x55b07bb4cf80
2026/11/23-16:34:16.185651 3491             Options.max_background_jobs: 2
2026/11/23-16:34:16.185661 3491       Options.compaction_readahead_size: 0
2026/11/23-16:34:16.185700 3491             Options.max_background_jobs: 9
";

    #[test]
    fn settings_are_found_by_their_names_and_the_first_counts() {
        let settings = settings(LOG);
        assert_eq!(settings["max_background_jobs"], "2");
        assert_eq!(settings["compaction_readahead_size"], "0");
        assert_eq!(settings.len(), 4);
        assert!(has_rate_limiter(&settings));
        assert!(!has_rate_limiter(&super::settings(&LOG.replace("0x55b07bb4cf80", "(nil)"))));
        assert!(!has_rate_limiter(&BTreeMap::new()));
    }
}
