//! What kernels have, and what they take devices for unless they are told: `autop` in block/blk-iocost.c.

use crate::keys::{self, Keys, Tables, tables};

/// The kernels that differ. `el8` is that of RHEL 8, a 4.18 whose block layer is that of 5.0.
pub(super) const VERSIONS: [&str; 6] = ["el8", "3", "4", "5.0", "5.4", "6"];

/// The kernel tells no ranges; these are by its documentation and source, and by trial.
static KEYS: Tables = tables!("linux", "el8", "3", "4", "5.0", "5.4", "6");

pub(super) fn keys(version: &str) -> Option<&'static Keys> {
    keys::of(&KEYS, version)
}

/// Whether disks may have one queue and its schedulers, as before 5.0: noop, deadline, cfq.
pub(super) fn has_single_queues(version: &str) -> bool {
    ["3", "4"].contains(&version)
}

/// Whether cgroups share by `io.cost`, as from 5.4 on.
pub(super) fn has_cost(version: &str) -> bool {
    ["5.4", "6"].contains(&version)
}

/// Names of the six rates, in the kernel's order.
pub(super) const RATES: [&str; 6] = ["rbps", "rseqiops", "rrandiops", "wbps", "wseqiops", "wrandiops"];

/// Its classes, and the six rates of each.
pub(super) const CLASSES: [(&str, [f64; 6]); 4] = [
    ("HDD", [174_019_176.0, 41_708.0, 370.0, 178_075_866.0, 42_705.0, 378.0]),
    ("SSD_QD1", [245_855_193.0, 61_575.0, 6_946.0, 141_365_009.0, 33_716.0, 26_796.0]),
    ("SSD_DFL", [488_636_629.0, 8_932.0, 8_518.0, 427_891_549.0, 28_755.0, 21_940.0]),
    ("SSD_FAST", [3_102_524_156.0, 724_816.0, 778_122.0, 1_742_780_862.0, 425_702.0, 443_193.0]),
];
