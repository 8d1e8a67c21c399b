//! What other options mean for those of mClock: the documentation's "mClock Config Reference", and
//! `OSD::maybe_override_max_osd_capacity_for_qos` in src/osd/OSD.cc.

use std::sync::LazyLock;

use super::{HDD, SSD};
use crate::keys::Keys;
use crate::meaning::{Meaning, Moot, When};

/// By the options that each release describes; only those that decide about the capacity.
static KEYS: LazyLock<[(&str, Keys); 4]> = LazyLock::new(|| {
    [
        ("17", include_str!("../../../keys/ceph/17.tsv")),
        ("18", include_str!("../../../keys/ceph/18.tsv")),
        ("19", include_str!("../../../keys/ceph/19.tsv")),
        ("20", include_str!("../../../keys/ceph/20.tsv")),
    ]
    .map(|(version, table)| (version, Keys::parse(table)))
});

pub(super) fn keys(version: &str) -> Option<&'static Keys> {
    KEYS.iter().find(|(known, _)| *known == version).map(|(_, keys)| keys)
}

const NOT_MCLOCK: Moot = Moot {
    when: &[When::IsNot("osd_op_queue", &["mclock_scheduler"])],
    why: "only mClock asks for the capacity of the drive",
};

const MEASURED_ANEW: Moot = Moot {
    when: &[When::Is("osd_mclock_force_run_benchmark_on_init", &["true"])],
    why: "the OSD measures its capacity at each start, and puts that in its place",
};

pub(super) const MEANINGS: [Meaning; 4] = [
    Meaning::of(HDD.iops).moot(&[NOT_MCLOCK, MEASURED_ANEW]),
    Meaning::of(SSD.iops).moot(&[NOT_MCLOCK, MEASURED_ANEW]),
    Meaning::of(HDD.bandwidth).moot(&[NOT_MCLOCK]),
    Meaning::of(SSD.bandwidth).moot(&[NOT_MCLOCK]),
];
