//! The meaning of other options for mClock's options: the documentation's "mClock Config Reference", and
//! `OSD::maybe_override_max_osd_capacity_for_qos` in src/osd/OSD.cc.

use super::{HDD, SSD};
use crate::keys::{self, Keys, Tables, tables};
use crate::meaning::{Meaning, Moot, When};

/// By the options that each release describes; only those that decide about the capacity.
static KEYS: Tables = tables!("ceph", "17", "18", "19", "20");

pub(super) fn keys(version: &str) -> Option<&'static Keys> {
    keys::of(&KEYS, version)
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
