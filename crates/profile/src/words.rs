//! Names of what a profile has, for everyone who shows it.

use leadline_figures::number::{bandwidth, bytes};

use crate::{DeviceFacts, OpKind, Pattern, Zones};

impl OpKind {
    /// `read` or `write`.
    pub fn name(self) -> &'static str {
        match self {
            OpKind::Read => "read",
            OpKind::Write => "write",
        }
    }
}

impl Pattern {
    /// `random` or `sequential`.
    pub fn name(self) -> &'static str {
        match self {
            Pattern::Random => "random",
            Pattern::Sequential => "sequential",
        }
    }
}

/// Requests of a kind: `sequential reads`, `durable random writes`.
pub fn requests(op: OpKind, pattern: Pattern, durable: bool) -> String {
    format!("{}{} {}s", if durable { "durable " } else { "" }, pattern.name(), op.name())
}

impl DeviceFacts {
    /// What is known, with its names.
    pub fn named(&self) -> Vec<(&'static str, String)> {
        let d = self;
        let link = d.link.as_ref().map(|link| match link.bandwidth_bytes {
            Some(most) => format!("{}, at most {}", link.name, bandwidth(most)),
            None => link.name.clone(),
        });
        let sectors = d.logical_block_bytes.map(|logical| match d.physical_block_bytes {
            Some(physical) => format!("{logical} B logical, {physical} B physical"),
            None => format!("{logical} B logical"),
        });
        let kind = match d.kind.as_str() {
            "" => "kind not known",
            kind => kind,
        };
        let known = [
            ("Model", d.model.clone()),
            ("Name", Some(d.name.clone())),
            ("Target", Some(format!("{} ({kind})", d.target))),
            ("Firmware", d.firmware.clone()),
            ("Serial", d.serial.clone()),
            ("Link", link),
            ("Capacity", d.capacity_bytes.map(bytes)),
            ("Sectors", sectors),
            ("Spinning", d.rotational.map(|_| spinning(d.spins()).to_owned())),
            ("Scheduler", d.scheduler.clone()),
            ("Block layer queue", d.queue_requests.map(|n| format!("{n} requests"))),
            ("Zones", d.zones.as_ref().map(zones)),
            ("Write cache", d.write_cache.as_ref().map(ToString::to_string)),
            ("File system", d.filesystem.clone()),
            ("Kernel", d.kernel.clone()),
            ("Processors", d.cpus.map(|n| n.to_string())),
        ];
        known.into_iter().filter_map(|(name, value)| Some((name, value?))).collect()
    }
}

/// Whether the medium spins.
fn spinning(spins: Option<bool>) -> &'static str {
    match spins {
        Some(true) => "yes",
        Some(false) => "no",
        None => "not known: the disk is virtual",
    }
}

/// `host-managed, 256M each, at most 14 open`.
fn zones(zones: &Zones) -> String {
    let each = zones.zone_bytes.map(|each| format!(", {} each", bytes(each))).unwrap_or_default();
    let open = zones.max_open_zones.map(|most| format!(", at most {most} open")).unwrap_or_default();
    format!("{}{each}{open}", zones.model)
}
