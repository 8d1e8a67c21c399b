//! What a flash drive is simulated as.

use leadline_device::format_size;
use leadline_sim::{FlashSpec, PerType};

use super::Row;

pub(super) fn rows(spec: &FlashSpec) -> Vec<Row> {
    let mut rows = vec![
        ("capacity", capacity(spec)),
        ("flash", geometry(spec)),
        ("times", times(spec)),
        ("buffers", buffers(spec)),
        ("link", link(spec)),
    ];
    if let Some(slc) = &spec.slc {
        let (bytes, read, program) = (format_size(slc.bytes), slc.read_us, slc.program_us);
        rows.push(("SLC cache", format!("{bytes}: read {read} us, program {program} us")));
    }
    if let Some(ahead) = &spec.read_ahead {
        let sequences = if ahead.streams == 1 { "sequence" } else { "sequences" };
        rows.push(("read-ahead", format!("{} of {} {sequences}", format_size(ahead.bytes), ahead.streams)));
    }
    if let Some(disturb) = &spec.disturb {
        rows.push(("disturb", format!("a block is refreshed after {} reads", disturb.reads)));
    }
    rows
}

fn capacity(spec: &FlashSpec) -> String {
    let spare = match spec.over_provisioning {
        Some(share) => format!("over-provisioned by {} %", (share * 1000.0).round() / 10.0),
        None => format!("{} blocks per plane", spec.geometry.blocks_per_plane),
    };
    format!("{:.0} GB, {spare}", spec.capacity as f64 / 1e9)
}

fn geometry(spec: &FlashSpec) -> String {
    let g = &spec.geometry;
    let planes = if g.planes == 1 { "plane" } else { "planes" };
    format!(
        "{} channels of {} dies of {} {planes}; {} pages of {} per block",
        g.channels,
        g.dies_per_channel,
        g.planes,
        g.pages_per_block,
        format_size(g.page_bytes)
    )
}

fn times(spec: &FlashSpec) -> String {
    let t = &spec.timing;
    let each = |times: &PerType| {
        let times: Vec<String> = times.times().iter().map(f64::to_string).collect();
        times.join(", ")
    };
    let suspended = t.suspend_us.map_or_else(String::new, |us| format!("; suspended for a read in {us} us"));
    format!(
        "read {} us, program {} us, erase {} us{suspended}; {} us in the controller",
        each(&t.read_us),
        each(&t.program_us),
        t.erase_us,
        t.controller_us
    )
}

fn buffers(spec: &FlashSpec) -> String {
    let size = |bytes| if bytes > 0 { format_size(bytes) } else { "none".to_owned() };
    let b = &spec.buffer;
    let safe = if b.power_loss_protection { "safe" } else { "not safe" };
    format!("writes {}, {safe} from power cuts; reads {}; {} us", size(b.write), size(b.read), b.hit_us)
}

fn link(spec: &FlashSpec) -> String {
    let l = &spec.link;
    let speed = match (l.mb_per_s > 0.0, l.duplex) {
        (false, _) => "no limit".to_owned(),
        (true, true) => format!("{} MB/s each way", l.mb_per_s),
        (true, false) => format!("{} MB/s, one way at a time", l.mb_per_s),
    };
    let write = if l.write_us > 0.0 { format!(", {} us more per write", l.write_us) } else { String::new() };
    format!("{speed}; software {} us per request{write}", l.request_us)
}
