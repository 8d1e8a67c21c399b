//! Which differences between profiles are beyond their intervals. No drawing here.

use leadline_profile::{DeviceFacts, DeviceKind, DeviceProfile, Parameters, Pattern};
use serde::{Deserialize, Serialize};

/// Several profiles side by side; the first is the reference.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Comparison {
    /// How the profiles relate to one another.
    pub relation: Relation,
    /// One row per pattern, block size and quantity that at least one profile has.
    pub rows: Vec<Row>,
}

/// How the compared profiles relate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Relation {
    /// Two profiles of what seems to be one device, one through a file system and one raw, as Papon and
    /// Athanassoulis (DaMoN 2021) have it with SPDK. Both are positions in the slice that was compared.
    FileSystemAgainstRaw {
        /// The profile taken through the file system.
        file_system: usize,
        /// The profile of the raw device.
        raw: usize,
    },
    /// The same device, measured more than once.
    SameDevice,
    /// Different devices.
    Devices,
}

/// One quantity of one pattern and block size, across all profiles.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Row {
    /// Access pattern.
    pub pattern: Pattern,
    /// Bytes per request.
    pub block_bytes: u32,
    /// What is compared.
    pub quantity: Quantity,
    /// One per profile, in the order given.
    pub cells: Vec<Cell>,
    /// One per profile after the first: that profile against the first.
    pub verdicts: Vec<Verdict>,
}

/// One profile's value.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct Cell {
    /// The estimate, in the quantity's unit; `None` where not measured.
    pub value: Option<f64>,
    /// Its 95 % interval.
    pub interval: Option<[f64; 2]>,
    /// The value is only a lower bound (a censored k).
    pub lower_bound: bool,
}

/// Whether two values can be told apart.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Verdict {
    /// The intervals are disjoint; the value is this many times the first profile's.
    Differs {
        /// Value / the first profile's value.
        ratio: f64,
    },
    /// The intervals overlap.
    CannotTell,
    /// Both values are there, yet at least one has no interval.
    NoInterval,
    /// At least one value is missing.
    Missing,
}

/// A parameter that is compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
#[allow(missing_docs)] // the names are those of `Parameters`
pub enum Quantity {
    Alpha,
    Alpha1,
    AlphaDurable,
    Alpha1Durable,
    ReadConcurrency,
    ReadConcurrency90,
    WriteConcurrency,
    WriteConcurrency90,
    MaxReadIops,
    MaxWriteIops,
    MaxDurableWriteIops,
}

impl Quantity {
    /// All of them, in the order of the tables.
    pub const ALL: [Quantity; 11] = [
        Quantity::Alpha,
        Quantity::Alpha1,
        Quantity::AlphaDurable,
        Quantity::Alpha1Durable,
        Quantity::ReadConcurrency,
        Quantity::ReadConcurrency90,
        Quantity::WriteConcurrency,
        Quantity::WriteConcurrency90,
        Quantity::MaxReadIops,
        Quantity::MaxWriteIops,
        Quantity::MaxDurableWriteIops,
    ];

    /// Its name in tables: `alpha`, `k_r`, `max read`.
    pub fn name(self) -> &'static str {
        match self {
            Quantity::Alpha => "alpha",
            Quantity::Alpha1 => "alpha_1",
            Quantity::AlphaDurable => "alpha, durable",
            Quantity::Alpha1Durable => "alpha_1, durable",
            Quantity::ReadConcurrency => "k_r",
            Quantity::ReadConcurrency90 => "k_r_90",
            Quantity::WriteConcurrency => "k_w",
            Quantity::WriteConcurrency90 => "k_w_90",
            Quantity::MaxReadIops => "max read",
            Quantity::MaxWriteIops => "max write",
            Quantity::MaxDurableWriteIops => "max durable write",
        }
    }

    /// Its unit, empty for a ratio.
    pub fn unit(self) -> &'static str {
        match self {
            Quantity::Alpha | Quantity::Alpha1 | Quantity::AlphaDurable | Quantity::Alpha1Durable => {
                "reads per write"
            }
            Quantity::ReadConcurrency
            | Quantity::ReadConcurrency90
            | Quantity::WriteConcurrency
            | Quantity::WriteConcurrency90 => "in flight",
            Quantity::MaxReadIops | Quantity::MaxWriteIops | Quantity::MaxDurableWriteIops => "IOPS",
        }
    }

    /// Its value in one entry.
    pub fn cell(self, of: &Parameters) -> Cell {
        let real = |value, interval| Cell { value, interval, lower_bound: false };
        let whole = |k: Option<u32>, ci: Option<[u32; 2]>, censored| Cell {
            value: k.map(f64::from),
            interval: ci.map(|ci| ci.map(f64::from)),
            lower_bound: censored,
        };
        match self {
            Quantity::Alpha => real(of.alpha, of.alpha_ci),
            Quantity::Alpha1 => real(of.alpha_1, of.alpha_1_ci),
            Quantity::AlphaDurable => real(of.alpha_durable, of.alpha_durable_ci),
            Quantity::Alpha1Durable => real(of.alpha_1_durable, of.alpha_1_durable_ci),
            Quantity::ReadConcurrency => whole(of.k_r, of.k_r_ci, of.censored.read),
            Quantity::ReadConcurrency90 => whole(of.k_r_90, of.k_r_90_ci, of.censored.read),
            Quantity::WriteConcurrency => whole(of.k_w, of.k_w_ci, of.censored.write),
            Quantity::WriteConcurrency90 => whole(of.k_w_90, of.k_w_90_ci, of.censored.write),
            Quantity::MaxReadIops => real(of.max_read_iops, of.max_read_iops_ci),
            Quantity::MaxWriteIops => real(of.max_write_iops, of.max_write_iops_ci),
            Quantity::MaxDurableWriteIops => real(of.max_durable_write_iops, None),
        }
    }
}

impl Verdict {
    /// `other` against `base`. The interval of a lower bound has no upper end.
    pub fn of(base: Cell, other: Cell) -> Verdict {
        let (Some(a), Some(b)) = (base.value, other.value) else { return Verdict::Missing };
        let reach = |cell: Cell| {
            let [low, high] = cell.interval?;
            Some(if cell.lower_bound { [low, f64::INFINITY] } else { [low, high] })
        };
        let (Some([a_low, a_high]), Some([b_low, b_high])) = (reach(base), reach(other)) else {
            return Verdict::NoInterval;
        };
        if a_high < b_low || b_high < a_low { Verdict::Differs { ratio: b / a } } else { Verdict::CannotTell }
    }
}

/// Puts profiles side by side. Disjoint 95 % intervals differ; overlapping ones cannot be told apart, which
/// is the careful side: some real differences are not claimed.
pub fn compare(profiles: &[DeviceProfile]) -> Comparison {
    let mut keys: Vec<(Pattern, u32)> =
        profiles.iter().flat_map(|p| &p.parameters).map(|e| (e.pattern, e.block_bytes)).collect();
    keys.sort_unstable();
    keys.dedup();
    let mut rows = Vec::new();
    for (pattern, block_bytes) in keys {
        let entries: Vec<Option<&Parameters>> = profiles
            .iter()
            .map(|p| p.parameters.iter().find(|e| e.pattern == pattern && e.block_bytes == block_bytes))
            .collect();
        for quantity in Quantity::ALL {
            let cell = |e: &Option<&Parameters>| e.map(|e| quantity.cell(e)).unwrap_or_default();
            let cells: Vec<Cell> = entries.iter().map(cell).collect();
            if cells.iter().all(|cell| cell.value.is_none()) {
                continue;
            }
            let verdicts = cells[1..].iter().map(|&other| Verdict::of(cells[0], other)).collect();
            rows.push(Row { pattern, block_bytes, quantity, cells, verdicts });
        }
    }
    Comparison { relation: relation(profiles), rows }
}

fn relation(profiles: &[DeviceProfile]) -> Relation {
    let [first, rest @ ..] = profiles else { return Relation::Devices };
    if rest.is_empty() || !rest.iter().all(|p| same_device(&first.device, &p.device)) {
        return Relation::Devices;
    }
    let is_raw = |p: &DeviceProfile| p.device.kind == DeviceKind::Block;
    let is_file = |p: &DeviceProfile| matches!(p.device.kind, DeviceKind::Directory | DeviceKind::File);
    match profiles {
        [a, b] if is_file(a) && is_raw(b) => Relation::FileSystemAgainstRaw { file_system: 0, raw: 1 },
        [a, b] if is_raw(a) && is_file(b) => Relation::FileSystemAgainstRaw { file_system: 1, raw: 0 },
        _ => Relation::SameDevice,
    }
}

/// A serial number decides where both have one; else name, model and size must agree.
fn same_device(a: &DeviceFacts, b: &DeviceFacts) -> bool {
    if let (Some(a), Some(b)) = (&a.serial, &b.serial) {
        return a == b;
    }
    a.name == b.name && a.model == b.model && a.capacity_bytes == b.capacity_bytes
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::{raw_profile, reads_only, sample_profile, slower_profile};

    fn cell(value: f64, low: f64, high: f64) -> Cell {
        Cell { value: Some(value), interval: Some([low, high]), lower_bound: false }
    }

    #[test]
    fn disjoint_intervals_differ_and_overlapping_ones_do_not() {
        let base = cell(2.0, 1.8, 2.2);
        assert_eq!(Verdict::of(base, cell(3.0, 2.3, 3.5)), Verdict::Differs { ratio: 1.5 });
        assert_eq!(Verdict::of(base, cell(1.0, 0.9, 1.1)), Verdict::Differs { ratio: 0.5 });
        assert_eq!(Verdict::of(base, cell(2.4, 2.2, 2.6)), Verdict::CannotTell);
        assert_eq!(Verdict::of(base, Cell { interval: None, ..base }), Verdict::NoInterval);
        assert_eq!(Verdict::of(base, Cell::default()), Verdict::Missing);
    }

    #[test]
    fn a_lower_bound_may_be_anything_above() {
        let bound = Cell { lower_bound: true, ..cell(16.0, 16.0, 16.0) };
        assert_eq!(Verdict::of(bound, cell(64.0, 60.0, 70.0)), Verdict::CannotTell);
        assert_eq!(Verdict::of(bound, cell(8.0, 7.0, 9.0)), Verdict::Differs { ratio: 0.5 });
    }

    /// Two measurements of one device, each with an exact interval: about 6 pairs of 1,000 seem to differ.
    /// Two devices that are four standard errors apart are told apart about half of the time.
    #[test]
    fn equal_devices_seldom_seem_to_differ_and_others_often_do() {
        let random = &mut fastrand::Rng::with_seed(3);
        let mut differ = |apart: f64| {
            let mut measured = |truth: f64| {
                // The sum of twelve has the deviation 1.
                let value = truth + (0..12).map(|_| random.f64()).sum::<f64>() - 6.0;
                cell(value, value - 1.96, value + 1.96)
            };
            let pairs = (0..4000).map(|_| Verdict::of(measured(100.0), measured(100.0 + apart)));
            pairs.filter(|verdict| matches!(verdict, Verdict::Differs { .. })).count()
        };
        let (equal, different) = (differ(0.0), differ(4.0));
        assert!((8..=48).contains(&equal), "{equal} of 4000 equal ones");
        assert!((1900..=2200).contains(&different), "{different} of 4000 different ones");
    }

    #[test]
    fn file_system_and_raw_device_are_recognised_in_either_order() {
        let (file, raw) = (sample_profile(), raw_profile());
        let found = compare(&[file.clone(), raw.clone()]).relation;
        assert_eq!(found, Relation::FileSystemAgainstRaw { file_system: 0, raw: 1 });
        let found = compare(&[raw.clone(), file.clone()]).relation;
        assert_eq!(found, Relation::FileSystemAgainstRaw { file_system: 1, raw: 0 });
        assert_eq!(compare(&[file.clone(), file.clone()]).relation, Relation::SameDevice);
        assert_eq!(compare(&[file.clone(), slower_profile()]).relation, Relation::Devices);
        let mut other = raw;
        other.device.serial = Some("B".into());
        let mut this = file;
        this.device.serial = Some("A".into());
        assert_eq!(compare(&[this, other]).relation, Relation::Devices);
    }

    #[test]
    fn rows_cover_what_any_profile_has() {
        let comparison = compare(&[sample_profile(), reads_only()]);
        let row = |q, block| {
            comparison.rows.iter().find(|r| r.quantity == q && r.block_bytes == block).expect("a row")
        };
        assert_eq!(row(Quantity::Alpha, 4096).verdicts, [Verdict::Missing]);
        assert_eq!(row(Quantity::MaxReadIops, 4096).verdicts, [Verdict::CannotTell]);
        assert_eq!(row(Quantity::MaxReadIops, 65536).verdicts, [Verdict::Missing]);
        assert!(comparison.rows.iter().all(|r| r.cells.len() == 2 && r.verdicts.len() == 1));
    }
}
