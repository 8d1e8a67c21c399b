//! The top of a profile's page: what was measured, on which host, and the three numbers with their intervals.

use leadline_profile::{DeviceFacts, DeviceProfile, OpKind, Parameters};
use serde::Serialize;

use crate::advice::Advice;
use crate::compare::{Cell, Quantity};
use crate::format::{self, bytes, count, significant, whole_range};
use crate::headline;

/// One of the large numbers.
#[derive(Debug, Serialize)]
pub(super) struct Card {
    name: &'static str,
    symbol: &'static str,
    value: String,
    /// Its 95 % interval, or why there is none.
    interval: String,
    meaning: &'static str,
    /// A second number that belongs to it.
    second: Option<Second>,
}

/// The small number below a large one.
#[derive(Debug, Serialize)]
struct Second {
    name: &'static str,
    value: String,
    interval: String,
}

/// The device's model, or what it is and its name.
pub(super) fn title(device: &DeviceFacts, label: &str) -> String {
    match (&device.model, &device.link) {
        (None, Some(link)) if device.is_virtual_disk() => format!("{} disk {}", link.name, device.name),
        _ if label.is_empty() => "A device without a name".to_owned(),
        _ => label.to_owned(),
    }
}

/// Name, capacity, link and file system of the device; kernel and processors of the host; when.
pub(super) fn line(profile: &DeviceProfile) -> Vec<String> {
    let d = &profile.device;
    let mut parts = Vec::new();
    if d.model.as_ref().is_some_and(|model| *model != d.name) && !d.name.is_empty() {
        parts.push(d.name.clone());
    }
    parts.extend(d.capacity_bytes.map(bytes));
    if d.model.is_some() || !d.is_virtual_disk() {
        parts.extend(d.link.as_ref().map(|link| link.name.clone()));
    }
    let kind = d.filesystem.as_deref().and_then(|words| words.split([' ', '(']).next());
    parts.extend(kind.filter(|kind| !kind.is_empty()).map(str::to_owned));
    parts.extend(host(d));
    let day = profile.created.as_deref().map(|created| created.split('T').next().unwrap_or(created));
    parts.extend(day.map(|day| format!("measured {day}")));
    parts
}

/// `Linux 6.1.0, 8 processors`.
fn host(d: &DeviceFacts) -> Option<String> {
    let kernel = d.kernel.as_ref().map(|kernel| format!("Linux {kernel}"));
    let processors = d.cpus.map(|n| format::counted(u64::from(n), "processor"));
    let known: Vec<String> = kernel.into_iter().chain(processors).collect();
    (!known.is_empty()).then(|| known.join(", "))
}

/// Reads in flight, writes in flight, and what a write costs; of the headline's requests.
pub(super) fn cards(profile: &DeviceProfile) -> Vec<Card> {
    let Some(entry) = headline(profile) else { return Vec::new() };
    let (reads, writes) = (
        if entry.k_r_90.is_some() { Quantity::ReadConcurrency90 } else { Quantity::ReadConcurrency },
        if entry.k_w_90.is_some() { Quantity::WriteConcurrency90 } else { Quantity::WriteConcurrency },
    );
    let suffices = |quantity: Quantity, rest: [&'static str; 2]| match quantity {
        Quantity::ReadConcurrency90 | Quantity::WriteConcurrency90 => rest[0],
        _ => rest[1],
    };
    vec![
        Card {
            second: second("most reads per second", Quantity::MaxReadIops, entry),
            ..in_flight(
                profile,
                entry,
                OpKind::Read,
                reads,
                "Reads in flight",
                suffices(reads, ["reach 90 % of the most it reads", "reach 95 % of the most it reads"]),
            )
        },
        Card {
            second: second("most writes per second", Quantity::MaxWriteIops, entry),
            ..in_flight(
                profile,
                entry,
                OpKind::Write,
                writes,
                "Writes in flight",
                suffices(writes, ["reach 90 % of the most it writes", "reach 95 % of the most it writes"]),
            )
        },
        Card {
            name: "Reads one write is worth",
            symbol: "α",
            meaning: "with both saturated",
            second: second("one at a time (α₁)", Quantity::Alpha1, entry),
            ..of_cell(Quantity::Alpha, entry)
        },
    ]
}

/// A concurrency; where its interval is too wide to advise a number, the interval in its place.
fn in_flight(
    profile: &DeviceProfile,
    entry: &Parameters,
    op: OpKind,
    quantity: Quantity,
    name: &'static str,
    meaning: &'static str,
) -> Card {
    let advice = Advice::new(profile, entry, op);
    let open = advice.as_ref().and_then(|advice| Some((advice, advice.open_range()?)));
    let card = match open {
        Some((advice, ends)) => {
            let lower = advice.what_the_lower_end_gives().map(|given| format!(": {given}"));
            Card {
                value: whole_range(ends),
                interval: format!("not known more closely{}", lower.unwrap_or_default()),
                ..of_cell(quantity, entry)
            }
        }
        None => of_cell(quantity, entry),
    };
    Card { name, symbol: quantity.name(), meaning, ..card }
}

fn of_cell(quantity: Quantity, entry: &Parameters) -> Card {
    let cell = quantity.cell(entry);
    Card {
        name: "",
        symbol: "",
        value: value(quantity, cell),
        interval: interval(quantity, cell),
        meaning: "",
        second: None,
    }
}

fn second(name: &'static str, quantity: Quantity, entry: &Parameters) -> Option<Second> {
    let cell = quantity.cell(entry);
    cell.value?;
    let ends = cell.interval.filter(|_| !cell.lower_bound);
    let interval = match ends {
        Some([low, high]) => format!("({}–{})", show(quantity, low), show(quantity, high)),
        None => interval(quantity, cell),
    };
    Some(Second { name, value: value(quantity, cell), interval })
}

fn value(quantity: Quantity, cell: Cell) -> String {
    match cell.value {
        None => "–".to_owned(),
        Some(value) if cell.lower_bound => format!("≥ {}", show(quantity, value)),
        Some(value) => show(quantity, value),
    }
}

/// `95 % interval 1.70–2.10`. Of a lower bound only the lower end is known.
fn interval(quantity: Quantity, cell: Cell) -> String {
    match (cell.value, cell.interval) {
        (None, _) => "not measured".to_owned(),
        (Some(_), None) if cell.lower_bound => "lower bound: throughput still grew".to_owned(),
        (Some(_), None) => "no interval".to_owned(),
        (Some(_), Some([low, _])) if cell.lower_bound => {
            format!("95 % interval from {}; throughput still grew", show(quantity, low))
        }
        (Some(_), Some([low, high])) => {
            format!("95 % interval {}–{}", show(quantity, low), show(quantity, high))
        }
    }
}

fn show(quantity: Quantity, value: f64) -> String {
    match quantity.unit() {
        "IOPS" => count(value),
        "in flight" => format!("{value:.0}"),
        _ => significant(value),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::{published_profile, sample_profile, troubled_profile};

    #[test]
    fn every_card_has_an_interval_or_says_why_not() {
        for profile in [sample_profile(), troubled_profile(), published_profile()] {
            for card in cards(&profile) {
                let said = [Some(&card.interval), card.second.as_ref().map(|second| &second.interval)];
                for interval in said.into_iter().flatten() {
                    let why = ["not ", "no interval", "lower bound", "("];
                    assert!(
                        interval.starts_with("95 % interval ") || why.iter().any(|w| interval.starts_with(w)),
                        "{card:?}"
                    );
                }
            }
        }
        let sure = &cards(&sample_profile())[2];
        assert!(sure.interval.starts_with("95 % interval ") && sure.second.is_some(), "{sure:?}");
        let bound = &cards(&troubled_profile())[0];
        assert!(
            bound.value.starts_with("≥ ") && bound.interval.contains("throughput still grew"),
            "{bound:?}"
        );
    }

    #[test]
    fn the_head_has_model_capacity_and_host_and_no_mount_options() {
        let mut profile = sample_profile();
        profile.device.filesystem = Some("ext4 (rw,relatime)".into());
        profile.created = Some("2026-11-27T03:12:51Z".into());
        let parts = line(&profile);
        assert_eq!(
            parts[1..].join(" · "),
            "932 GiB · PCIe 8.0 GT/s x4 · ext4 · Linux 6.1.0-28-amd64, 8 processors · measured 2026-11-27"
        );
        profile.device.model = None;
        profile.device.name = "vda".into();
        profile.device.link = Some(leadline_profile::Link { name: "virtio".into(), bandwidth_bytes: None });
        assert_eq!(title(&profile.device, "vda"), "virtio disk vda");
        assert_eq!(line(&profile)[0], "932 GiB", "what is in the title is not said again");
    }
}
