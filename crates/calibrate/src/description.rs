//! The description of a drive: the text that is simulated and the text that is written.

use leadline_sim::{DeviceSpec, SimError};

use crate::parameter::{Parameter, Values};

/// What is chosen among a few, not fitted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Shape {
    /// Whether writes are complete in a buffer, or when they are programmed where their address belongs.
    pub(crate) buffered: bool,
    /// Whether the drive has been written at random for long; else it was filled once.
    pub(crate) steady: bool,
    /// Bytes read ahead; 0 for none.
    pub(crate) read_ahead: u32,
    /// Whether what is in the buffer survives a power cut.
    pub(crate) protected: bool,
    /// Whether a limit on requests per second is set.
    pub(crate) capped: bool,
}

impl Shape {
    /// Whether a parameter has any meaning.
    pub(crate) fn has(self, parameter: Parameter) -> bool {
        match parameter {
            Parameter::Hit => self.buffered,
            Parameter::Cap => self.capped,
            _ => true,
        }
    }
}

/// `over_provisioning` of the description: what enterprise drives have at least, and consumer drives do not.
/// Nothing in a profile shows it. Small drives with many dies need more.
const OVER_PROVISIONING: f64 = 0.1;

/// Channels at most, over which dies are divided.
const MOST_CHANNELS: u32 = 8;

/// Bytes of a page at least, where the stripe allows.
const PAGE_BYTES: u64 = 16 << 10;

/// Blocks of all dies together, about: large enough for collection to choose among, and few enough to
/// simulate.
const BLOCKS: u64 = 16 << 10;

/// Pages of a block at most.
const MOST_PAGES: u64 = 4096;

/// Of the mapping, as descriptions have it where they say nothing.
const UNIT_BYTES: u64 = 4096;

/// How many there are of what: numbers that follow from dies, stripe and capacity.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Geometry {
    pub(crate) channels: u32,
    pub(crate) dies_per_channel: u32,
    pub(crate) planes: u64,
    pub(crate) page_bytes: u64,
    pub(crate) pages_per_block: u64,
    pub(crate) over_provisioning: f64,
    pub(crate) buffer_bytes: u64,
}

impl Geometry {
    pub(crate) fn of(values: &Values, capacity: u64) -> Geometry {
        let dies = values.get(Parameter::Dies) as u32;
        let stripe = values.get(Parameter::Stripe) as u64;
        let channels = (1..=MOST_CHANNELS.min(dies)).rev().find(|n| dies.is_multiple_of(*n)).unwrap_or(1);
        // At most 16 planes.
        let page_bytes = stripe.min(PAGE_BYTES).max(stripe / 16);
        let programs = capacity.div_ceil(u64::from(dies) * stripe);
        let (pages_per_block, over_provisioning) = blocks_of(programs, stripe / UNIT_BYTES, dies);
        Geometry {
            channels,
            dies_per_channel: dies / channels,
            planes: stripe / page_bytes,
            page_bytes,
            pages_per_block,
            over_provisioning,
            // What is being programmed, and as much on its way.
            buffer_bytes: 2 * stripe * u64::from(dies).max(2),
        }
    }
}

/// Pages of a block, and the over-provisioning, of a die that has that many programs of that many units.
fn blocks_of(programs: u64, units: u64, dies: u32) -> (u64, f64) {
    // Two blocks to write to, and a unit of every program but one of each block: else collection gains
    // nothing (docs/flash.md).
    let needed = |pages: u64| {
        let data = programs.div_ceil(pages).max(programs * units / (pages * units - units + 1));
        ((data + 2) * pages) as f64 / programs as f64 - 1.0
    };
    let blocks = (BLOCKS / u64::from(dies)).max(64);
    let usual = 1 << (programs / blocks).clamp(16, MOST_PAGES).ilog2();
    if needed(usual) <= OVER_PROVISIONING {
        return (usual, OVER_PROVISIONING);
    }
    let sizes = (1..=MOST_PAGES.ilog2()).map(|exponent| 1 << exponent);
    let best = sizes.min_by(|a, b| needed(*a).total_cmp(&needed(*b))).unwrap_or(usual);
    (best, ((1e3 * needed(best)).ceil() / 1e3).max(OVER_PROVISIONING))
}

/// A line of the description.
pub(crate) struct Field {
    pub(crate) table: &'static str,
    pub(crate) key: &'static str,
    pub(crate) value: String,
    /// Of what parameter it is a part; `None` where it is chosen or taken.
    pub(crate) parameter: Option<Parameter>,
}

/// All fields, in the order of the file.
pub(crate) fn fields(shape: Shape, values: &Values, capacity: u64) -> Vec<Field> {
    let g = Geometry::of(values, capacity);
    let mut all = Vec::new();
    let mut add = |table, key, value: String, parameter| all.push(Field { table, key, value, parameter });
    let time = |parameter| {
        // What might as well be nothing is nothing.
        let value = values.get(parameter);
        number(if value <= parameter.range()[0] { 0.0 } else { value })
    };
    add("", "kind", "\"flash\"".to_owned(), None);
    add("", "capacity", capacity.to_string(), None);
    add("", "over_provisioning", number(g.over_provisioning), None);
    add("", "state", if shape.steady { "\"steady\"" } else { "\"filled\"" }.to_owned(), None);
    if !shape.buffered {
        add("", "allocation", "\"static\"".to_owned(), None);
    }
    add("geometry", "channels", g.channels.to_string(), Some(Parameter::Dies));
    add("geometry", "dies_per_channel", g.dies_per_channel.to_string(), Some(Parameter::Dies));
    add("geometry", "planes", g.planes.to_string(), Some(Parameter::Stripe));
    add("geometry", "page_bytes", g.page_bytes.to_string(), Some(Parameter::Stripe));
    add("geometry", "pages_per_block", g.pages_per_block.to_string(), None);
    add("timing", "read_us", number(values.get(Parameter::Read)), Some(Parameter::Read));
    add("timing", "program_us", number(values.get(Parameter::Program)), Some(Parameter::Program));
    add("timing", "erase_us", number(ERASE_US), None);
    add("timing", "bus_mb_per_s", number(values.get(Parameter::Bus)), Some(Parameter::Bus));
    add("timing", "controller_us", time(Parameter::Controller), Some(Parameter::Controller));
    add("timing", "suspend_us", number(SUSPEND_US), None);
    add("timing", "sigma", time(Parameter::Sigma), Some(Parameter::Sigma));
    if shape.buffered {
        add("buffer", "write", g.buffer_bytes.to_string(), None);
        add("buffer", "hit_us", time(Parameter::Hit), Some(Parameter::Hit));
    }
    add("buffer", "power_loss_protection", shape.protected.to_string(), None);
    if shape.read_ahead > 0 {
        add("read_ahead", "streams", READ_AHEAD_STREAMS.to_string(), None);
        add("read_ahead", "bytes", shape.read_ahead.to_string(), None);
    }
    let link = values.get(Parameter::Link);
    add("link", "mb_per_s", number(if link < NO_LINK_MB_PER_S { link } else { 0.0 }), Some(Parameter::Link));
    add("link", "request_us", time(Parameter::Request), Some(Parameter::Request));
    add("link", "per_kib_us", time(Parameter::Copy), Some(Parameter::Copy));
    if shape.capped {
        add("cap", "iops", number(values.get(Parameter::Cap).round()), Some(Parameter::Cap));
    }
    all
}

/// Of blocks of flash, whatever the cells: 3 ms (docs/flash.md).
pub(crate) const ERASE_US: f64 = 3000.0;

/// No link is this fast: there is none that limits anything.
const NO_LINK_MB_PER_S: f64 = 50_000.0;

/// Of flash that gives way to reads.
pub(crate) const SUSPEND_US: f64 = 20.0;

/// Sequences of reads that are told apart.
pub(crate) const READ_AHEAD_STREAMS: u32 = 4;

/// As TOML has it.
fn number(value: f64) -> String {
    if value == value.trunc() { format!("{value:.0}") } else { format!("{value}") }
}

/// The text; `comment` gives what is behind each field.
pub(crate) fn text(fields: &[Field], comment: impl Fn(&Field) -> String) -> String {
    let mut text = String::new();
    let mut table = "";
    for field in fields {
        if field.table != table {
            table = field.table;
            text += &format!("\n[{table}]\n");
        }
        let line = format!("{} = {}", field.key, field.value);
        let comment = comment(field);
        text += &match comment.is_empty() {
            true => format!("{line}\n"),
            false => format!("{line:<34} # {comment}\n"),
        };
    }
    text
}

/// The drive, ready to be simulated.
pub(crate) fn drive(shape: Shape, values: &Values, capacity: u64) -> Result<DeviceSpec, SimError> {
    DeviceSpec::parse(&text(&fields(shape, values, capacity), |_| String::new()), "calibration")
}
