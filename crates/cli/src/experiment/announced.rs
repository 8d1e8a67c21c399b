//! What an experiment writes, said beforehand because drives wear.

use leadline_device::format_size;
use leadline_measure::experiment::Experiment;
use leadline_measure::target::Access;

use super::Args;
use crate::failure::Failure;
use crate::target::Target;

/// Bytes of the scratch file of a directory that only experiments with files of their own are made in.
const UNUSED_BYTES: u64 = 4 << 20;

/// What is opened and what is said of it.
pub(super) struct Announced {
    pub(super) access: Access,
    /// Bytes of the scratch file or region.
    pub(super) bytes: u64,
    /// What will be written, in words.
    pub(super) words: String,
}

/// For these experiments on a target that was only looked at.
pub(super) fn announce(args: &Args, target: &Target, which: &[Experiment]) -> Result<Announced, Failure> {
    let has_own_file = |one: &Experiment| target.is_directory() && one.own_file_bytes().is_some();
    let (own, others): (Vec<Experiment>, Vec<Experiment>) = which.iter().partition(|one| has_own_file(one));
    let mut access = args.access.access(args.quick);
    if others.is_empty() {
        access.size_bytes = Some(UNUSED_BYTES);
    }
    if which.iter().all(|one| one.uses_whole_drive()) {
        access.size_bytes = access.size_bytes.or(target.simulated_capacity());
    }
    let bytes = target.layout_bytes(&access)?;
    let mut said = Vec::new();
    if !others.is_empty() {
        // Of the others, burst alone has a load of reads on a target that may be written.
        let reads = |one: &Experiment| one.only_reads() || (!args.writes && *one == Experiment::Burst);
        let only_reads = others.iter().all(reads);
        let of = Access { reads_only: access.reads_only || only_reads, ..access.clone() };
        said.push(target.what_is_written(&of, bytes, bytes, args.max_writes, during(&others)));
    }
    if let Some(largest) = own.iter().filter_map(|one| one.own_file_bytes()).max() {
        target.check_space(bytes + largest)?;
        let most = args.max_writes.filter(|_| others.is_empty());
        let most = most.map_or(String::new(), |max| format!(", {} in all at most", format_size(max)));
        let size = format_size(largest);
        said.push(format!("fills a file of {size} again and again, as fast as the device allows{most}"));
    }
    Ok(Announced { access, bytes, words: said.join("; ") })
}

/// How much of the time measured is spent writing, where these may write all they want.
fn during(which: &[Experiment]) -> &'static str {
    match which {
        [Experiment::Latency] => "about two thirds of",
        [Experiment::Burst | Experiment::Sustained] => "most of",
        [Experiment::Unaligned | Experiment::WriteAmplification | Experiment::Gc] => "all of",
        several if several.contains(&Experiment::Latency) => "more than half of",
        _ => "about half of",
    }
}
