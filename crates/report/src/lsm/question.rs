//! What was asked about an LSM tree.

use leadline_lsm::{Data, Demands, Machine};

use crate::format::{bytes, count};

/// What was asked, and what the answer is made from.
#[derive(Debug, Clone, Copy)]
pub struct LsmQuestion<'a> {
    /// The data.
    pub data: &'a Data,
    /// The workload.
    pub demands: &'a Demands,
    /// Whether a mix was asked for.
    pub has_mix: bool,
    /// The machine.
    pub machine: Machine<'a>,
    /// Where the processor's costs are from, in words.
    pub processor: &'a str,
    /// What makes the answer worth less, one line each.
    pub warnings: &'a [String],
}

impl LsmQuestion<'_> {
    /// The data, the workload and the machine: two lines.
    pub(crate) fn words(&self) -> String {
        let Demands { mix, clients, scan_pairs } = self.demands;
        let mix = match self.has_mix {
            true => format!("{} %, ", mix.to_string().replace('=', " ").replace(',', " %, ")),
            false => String::new(),
        };
        format!(
            "LSM tree of {} in {} pairs of {} bytes\n{mix}scans of {} pairs, {}, {}, model {}",
            bytes(self.data.bytes() as u64),
            count(self.data.pairs),
            self.data.pair_bytes(),
            count(*scan_pairs),
            counted(*clients, "client"),
            counted(self.machine.cores, "core"),
            self.machine.device.model(),
        )
    }
}

/// `1 client`, `2 clients`.
pub(crate) fn counted(n: u32, word: &str) -> String {
    format!("{n} {word}{}", if n == 1 { "" } else { "s" })
}
