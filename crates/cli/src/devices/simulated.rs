//! What a device is simulated as, one line for each of its parts.

mod flash;

use leadline_device::format_size;
use leadline_sim::{
    CapSpec, DeviceSpec, DiskSpec, FlushSpec, HostLinkSpec, ParametricSpec, ServerSpec, XpointSpec,
};
use serde_json::{Value, json};

/// A part and what it is.
type Row = (&'static str, String);

/// The parts of a device; `None` for a kind that is not shown.
pub(super) fn rows(spec: &DeviceSpec) -> Option<Vec<Row>> {
    match spec {
        DeviceSpec::Parametric(spec) => Some(parametric(spec)),
        DeviceSpec::Flash(spec) => Some(flash::rows(spec)),
        DeviceSpec::Xpoint(spec) => Some(xpoint(spec)),
        DeviceSpec::Disk(spec) => Some(disk(spec)),
        _ => None,
    }
}

fn parametric(spec: &ParametricSpec) -> Vec<Row> {
    let server =
        |s: &ServerSpec| format!("{} us + {} us/KiB on {} servers", s.service_us, s.per_kib_us, s.servers);
    // As the file has them.
    let word = |value: Value| value.as_str().unwrap_or_default().to_owned();
    let even = (spec.cap_iops > 0.0).then(|| format!("{} requests/s", spec.cap_iops));
    vec![
        ("capacity", format_size(spec.capacity)),
        ("read", server(&spec.read)),
        ("write", server(&spec.write)),
        ("jitter", word(json!(spec.jitter))),
        ("placement", word(json!(spec.placement))),
        ("flush", flush(&spec.flush)),
        ("limit", even.unwrap_or_else(|| limit(spec.cap.as_ref()))),
    ]
}

fn xpoint(spec: &XpointSpec) -> Vec<Row> {
    let (geometry, timing) = (&spec.geometry, &spec.timing);
    let medium = |us: f64, mb_per_s: f64| {
        format!("{us} us on average, sigma {}; {mb_per_s} MB/s on all channels", timing.sigma)
    };
    let mut rows = vec![
        ("kind", "3D XPoint".to_owned()),
        ("capacity", format_size(spec.capacity)),
        ("channels", format!("{}, each moves {} bytes at once", geometry.channels, geometry.part_bytes)),
        ("controller", format!("{} us per request, one after the other", timing.controller_us)),
        ("read", medium(timing.read_us, timing.read_mb_per_s)),
        ("write", medium(timing.write_us, timing.write_mb_per_s)),
    ];
    if let Some(stall) = &spec.stall {
        let percent = stall.share * 100.0;
        rows.push(("stall", format!("{percent:.3} % of requests, {} us on average", stall.mean_us)));
    }
    if let Some(settle) = &spec.settle {
        let text =
            format!("a bank cannot be read for {} us after a write; {} banks", settle.us, settle.banks);
        rows.push(("settle", text));
    }
    if let Some(alignment) = &spec.alignment {
        let (even, odd, fade) = (alignment.even_us, alignment.odd_us, format_size(alignment.fade));
        let text =
            format!("whole 2K take {even} us longer than whole 4K, others {odd} us; none from {fade} on");
        rows.push(("alignment", text));
    }
    if let Some(disturb) = &spec.disturb {
        let (reads, us, pages) = (disturb.reads, disturb.penalty_us, disturb.pages);
        rows.push((
            "disturb",
            format!("every {reads}th read of a 4K takes {us} us longer; {pages} are counted"),
        ));
    }
    rows.extend([
        ("flush", flush(&spec.flush)),
        ("link", link(&spec.link)),
        ("limit", limit(spec.cap.as_ref())),
    ]);
    rows
}

fn disk(spec: &DiskSpec) -> Vec<Row> {
    let (platter, seek, buffer) = (&spec.platter, &spec.seek, &spec.buffer);
    let inner = platter.inner_mb_per_s.map(|inner| format!(" outside to {inner} MB/s inside"));
    let cache = match buffer.write {
        0 => "no write cache".to_owned(),
        bytes => format!("write cache of {}", format_size(bytes)),
    };
    vec![
        ("kind", "hard disk".to_owned()),
        ("capacity", format_size(spec.capacity)),
        ("platter", format!("{} rpm, {} MB/s{}", platter.rpm, platter.mb_per_s, inner.unwrap_or_default())),
        (
            "seek",
            format!(
                "{} us to the next track, {} us over a third of all, {} us over all; {} us more to write",
                seek.track_us, seek.average_us, seek.full_us, seek.write_us
            ),
        ),
        (
            "controller",
            format!("{} us per request, in addition to the head's work", spec.timing.controller_us),
        ),
        (
            "queue",
            format!("the first of {} under the head, within {} ms", spec.queue.depth, spec.queue.reorder_ms),
        ),
        ("buffer", format!("{cache}; reads {} ahead", format_size(buffer.read_ahead))),
        ("link", link(&spec.link)),
        ("limit", limit(spec.cap.as_ref())),
    ]
}

fn flush(spec: &FlushSpec) -> String {
    format!("{} us; a durable write + {} us", spec.service_us, spec.durable_us)
}

fn link(spec: &HostLinkSpec) -> String {
    let ways = if spec.duplex { " each way" } else { "" };
    let wire =
        if spec.mb_per_s > 0.0 { format!("{} MB/s{ways}", spec.mb_per_s) } else { "no limit".to_owned() };
    let waits = spec.latency_us.unwrap_or(spec.request_us);
    let (us, kib_us, queues) = (spec.request_us, spec.per_kib_us, spec.queues);
    let us = if kib_us > 0.0 { format!("{us} us + {kib_us} us/KiB") } else { format!("{us} us") };
    format!("{wire}; software {us} a request on each of {queues} queues, {waits} us before it is on its way")
}

/// What is set in software, and for how long more than that is allowed.
fn limit(cap: Option<&CapSpec>) -> String {
    let Some(cap) = cap else { return "none".to_owned() };
    let mut parts = Vec::new();
    if cap.iops > 0.0 {
        let credit = match cap.credit > 0 {
            true => format!(" while credit of {} lasts, {}/s after it", cap.credit, cap.refill),
            false => String::new(),
        };
        parts.push(format!("{} operations/s{credit}", cap.iops));
    }
    if cap.operation_bytes > 0 {
        parts.push(format!("an operation has at most {}", format_size(cap.operation_bytes)));
    }
    if cap.bytes_per_s > 0 {
        let credit = match cap.bytes_credit > 0 {
            true => format!(
                " while credit of {} lasts, {}/s after it",
                format_size(cap.bytes_credit),
                format_size(cap.bytes_refill)
            ),
            false => String::new(),
        };
        parts.push(format!("{}/s{credit}", format_size(cap.bytes_per_s)));
    }
    parts.join("; ")
}
