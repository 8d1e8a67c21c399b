//! What other parameters mean for OpenZFS's, and which releases have them: zfs(4) of each release.

use crate::keys::{self, Keys, Tables, tables};
use crate::meaning::{Meaning, Moot, When};

pub(super) const VERSIONS: [&str; 5] = ["0.8", "2.0", "2.1", "2.2", "2.3"];

static KEYS: Tables = tables!("zfs", "0.8", "2.0", "2.1", "2.2", "2.3");

pub(super) fn keys(version: &str) -> Option<&'static Keys> {
    keys::of(&KEYS, version)
}

const NO_PREFETCH: &[Moot] = &[Moot {
    when: &[When::Is("zfs_prefetch_disable", &["1"])],
    why: "files are not read ahead, so there is nothing to bound",
}];

const ONE_PACE: &[Moot] = &[Moot {
    when: &[When::Is("l2arc_feed_again", &["0"])],
    why: "the cache is filled once in l2arc_feed_secs, however fast",
}];

const IN_BYTES: &[Moot] = &[Moot {
    when: &[When::IsSet("zfs_dirty_data_max", &["0"])],
    why: "a number of bytes is set, and the share of the memory is not asked for",
}];

const MOST_IN_BYTES: &[Moot] = &[Moot {
    when: &[When::IsSet("zfs_dirty_data_max_max", &["0"])],
    why: "a number of bytes is set, and the share of the memory is not asked for",
}];

pub(super) const MEANINGS: [Meaning; 8] = [
    Meaning::of("zfetch_max_distance").moot(NO_PREFETCH),
    Meaning::of("zfetch_min_distance").moot(NO_PREFETCH),
    Meaning::of("zfetch_max_idistance").moot(NO_PREFETCH),
    Meaning::of("zfetch_max_streams").moot(NO_PREFETCH),
    Meaning::of("zfetch_array_rd_sz").moot(NO_PREFETCH),
    Meaning::of("l2arc_feed_min_ms").moot(ONE_PACE),
    Meaning::of("zfs_dirty_data_max_percent").moot(IN_BYTES),
    Meaning::of("zfs_dirty_data_max_max_percent").moot(MOST_IN_BYTES),
];

/// Parameters that a release no longer has, that release, and what there is instead. 0.8 stands for all that
/// are known.
const REMOVED: [(&str, &str, &str); 19] = [
    ("zfs_dirty_data_sync", "0.8", "zfs_dirty_data_sync_percent is in its place"),
    ("zfs_resilver_delay", "0.8", "scrubs and resilvers are held back by zfs_vdev_scrub_max_active"),
    ("zfs_scan_idle", "0.8", "scrubs and resilvers are held back by zfs_vdev_scrub_max_active"),
    ("zfs_scrub_delay", "0.8", "scrubs and resilvers are held back by zfs_vdev_scrub_max_active"),
    ("zfs_top_maxinflight", "0.8", "zfs_scan_vdev_limit is in its place"),
    ("zfs_vdev_mirror_switch_us", "0.8", "zfs_vdev_mirror_* are in its place"),
    ("zil_slog_limit", "0.8", "zil_slog_bulk is in its place"),
    ("zfs_arc_num_sublists_per_state", "0.8", "zfs_multilist_num_sublists is in its place"),
    ("zfs_arc_meta_adjust_restarts", "2.2", META),
    ("zfs_arc_meta_limit", "2.2", META),
    ("zfs_arc_meta_limit_percent", "2.2", META),
    ("zfs_arc_meta_min", "2.2", META),
    ("zfs_arc_meta_prune", "2.2", META),
    ("zfs_arc_meta_strategy", "2.2", META),
    ("zfs_arc_p_dampener_disable", "2.2", META),
    ("zfs_arc_p_min_shift", "2.2", META),
    ("zfs_vdev_cache_bshift", "2.2", CACHE),
    ("zfs_vdev_cache_max", "2.2", CACHE),
    ("zfs_vdev_cache_size", "2.2", CACHE),
];

const META: &str = "the cache balances data and metadata by zfs_arc_meta_balance";
const CACHE: &str = "devices have no cache of their own any more";

/// Whether `version` no longer has the parameter, and what is to be said of it; `None` where no release
/// dropped it.
pub(super) fn removed(key: &str, version: &str) -> Option<(bool, String)> {
    let (_, since, instead) = REMOVED.iter().find(|(removed, ..)| *removed == key)?;
    let at = |version: &str| VERSIONS.iter().position(|known| *known == version);
    let is_gone = at(version) >= at(since);
    let releases = if *since == "0.8" { "0.8 and later".to_owned() } else { format!("{since} and later") };
    let reason = match is_gone {
        true => format!("no parameter of {releases}, which pass over it: {instead}"),
        false => format!("no parameter of {releases}: {instead}"),
    };
    Some((is_gone, reason))
}
