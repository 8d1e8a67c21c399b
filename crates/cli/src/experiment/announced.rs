//! What experiments write and how long they take, said beforehand: drives wear.

use leadline_device::format_size;
use leadline_measure::experiment::{Choice, Experiment};
use leadline_measure::target::Access;
use serde_json::{Value, json};

use super::opened::names;
use super::{Args, Which};
use crate::failure::Failure;
use crate::target::Target;

/// Bytes of the scratch file of a directory that only experiments with files of their own are made in.
const UNUSED_BYTES: u64 = 4 << 20;

/// What is opened and what is said of it.
pub(super) struct Announced {
    pub(super) access: Access,
    /// Bytes of the scratch file or region.
    pub(super) bytes: u64,
    pub(super) bounds: Bounds,
    /// What will be written, in words.
    pub(super) words: String,
}

/// What experiments do at most.
pub(crate) struct Bounds {
    /// Bytes written, the layout included; `None` where there is no bound: a simulated device, which does not
    /// wear.
    pub(crate) written: Option<u64>,
    /// Seconds measured, the layout not included; fewer where all requests or bytes are done before.
    pub(crate) seconds: f64,
}

impl Bounds {
    /// Of these experiments on a region of `bytes`, which is laid out or not.
    pub(crate) fn of(
        which: &[&'static dyn Experiment],
        target: &Target,
        access: &Access,
        (bytes, laid_out): (u64, u64),
        seconds: impl Fn(&'static dyn Experiment) -> f64,
    ) -> Bounds {
        let writes = target.may_be_written(access);
        let budgets = |one: &&dyn Experiment| if writes { one.write_budget(bytes) } else { 0 };
        let written = which.iter().map(budgets).fold(laid_out, u64::saturating_add);
        Bounds {
            written: target.simulated_capacity().is_none().then_some(written),
            seconds: which.iter().map(|&one| seconds(one)).sum(),
        }
    }
}

/// For these experiments on a target that was only looked at.
pub(super) fn announce(
    args: &Args,
    target: &Target,
    which: &[&'static dyn Experiment],
) -> Result<Announced, Failure> {
    let has_own_file = |one: &&dyn Experiment| target.is_directory() && one.own_file_bytes().is_some();
    let (own, others): (Vec<&'static dyn Experiment>, Vec<&'static dyn Experiment>) =
        which.iter().partition(|one| has_own_file(one));
    let mut access = args.access.access(args.quick);
    if others.is_empty() {
        access.size_bytes = Some(UNUSED_BYTES);
    }
    if which.iter().all(|one| one.uses_whole_drive()) {
        access.size_bytes = access.size_bytes.or(target.simulated_capacity());
    }
    let bytes = target.layout_bytes(&access)?;
    let laid_out = if others.is_empty() { 0 } else { bytes };
    let bounds = Bounds::of(which, target, &access, (bytes, laid_out), |one| args.seconds(one));
    // Of several, each has its share.
    let most = args.max_writes.map_or(bounds.written, |max| Some(bounds.written.map_or(max, |w| w.min(max))));
    let mut said = Vec::new();
    if !others.is_empty() {
        // Of the others, only what is told to write has a load of reads on a target that may be written.
        let reads = |one: &&dyn Experiment| one.only_reads() || (!args.writes && one.takes(Choice::Writes));
        let only_reads = others.iter().all(reads);
        let of = Access { reads_only: access.reads_only || only_reads, ..access.clone() };
        said.push(target.what_is_written(&of, bytes, bytes, most, during(&others)));
    }
    if let Some(largest) = own.iter().filter_map(|one| one.own_file_bytes()).max() {
        target.check_space(bytes + largest)?;
        let most = most.filter(|_| others.is_empty());
        let most = most.map_or(String::new(), |max| format!(", {} in all at most", format_size(max)));
        let size = format_size(largest);
        said.push(format!("fills a file of {size} again and again, as fast as the device allows{most}"));
    }
    let bounds = Bounds { written: most.filter(|_| bounds.written.is_some()), ..bounds };
    Ok(Announced { access, bytes, bounds, words: said.join("; ") })
}

impl Announced {
    /// What --dry-run says for programs.
    pub(super) fn document(&self, args: &Args, which: &[&'static dyn Experiment]) -> Value {
        json!({
            "dry_run": true,
            "target": args.target.to_string(),
            "max_writes_bytes": self.bounds.written,
            "seconds_at_most": self.bounds.seconds,
            "experiments": which.iter().map(|one| one.name()).collect::<Vec<_>>(),
        })
    }

    /// What is said of it, in one line.
    pub(super) fn line(&self, args: &Args, which: &[&'static dyn Experiment]) -> String {
        // They end with the requests or bytes that they are made of, if time does not end them first; and
        // what writes on a real device is shortened where it is fast.
        let may_end_early = |one: &&dyn Experiment| {
            (self.bounds.written.is_some() && !self.access.reads_only) || one.may_end_early()
        };
        let at_most = if which.iter().any(may_end_early) { "at most " } else { "" };
        let list = match &args.which {
            Which::One(_) => String::new(),
            Which::Several(_) => format!(": {}", names(which)),
        };
        format!("{}: {}; measures for {at_most}{} s{list}", args.target, self.words, self.bounds.seconds)
    }
}

/// How much of the time measured is spent writing, where these may write all they want.
fn during(which: &[&'static dyn Experiment]) -> &'static str {
    match which {
        [one] => one.time_writing(),
        several => several.iter().find_map(|one| one.time_writing_of_several()).unwrap_or("about half of"),
    }
}
