//! What was asked about an LSM tree.

use leadline_figures::number::{bytes, count, counted};

use crate::{Data, Demands, Machine};

/// What was asked, and what the answer is made from.
#[derive(Debug, Clone, Copy)]
pub struct Question<'a> {
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

impl Question<'_> {
    /// The data, the workload and the machine: two lines.
    pub(super) fn words(&self) -> [String; 2] {
        let Demands { mix, clients, scan_pairs } = self.demands;
        let mix = match self.has_mix {
            true => format!("{} %, ", mix.to_string().replace('=', " ").replace(',', " %, ")),
            false => String::new(),
        };
        let tree = format!(
            "LSM tree of {} in {} pairs of {} bytes",
            bytes(self.data.bytes() as u64),
            count(self.data.pairs),
            self.data.pair_bytes()
        );
        let work = format!(
            "{mix}scans of {} pairs, {}, {}, model {}",
            count(*scan_pairs),
            counted((*clients).into(), "client"),
            counted(self.machine.cores.into(), "core"),
            self.machine.device.model()
        );
        [tree, work]
    }
}
