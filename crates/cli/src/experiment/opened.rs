//! TARGET, opened for experiments, after it was said what they write and how long they measure.

use leadline_device::format_size;
use leadline_measure::experiment::Experiment;
use leadline_measure::target::{Access, OpenTarget};

use super::announced::announce;
use super::{Args, Which};
use crate::failure::Failure;
use crate::output;
use crate::target::Target;

/// Says what is about to happen and opens TARGET for experiments that are alike in whether they go
/// [through the page cache](through_page_cache).
pub(super) fn open(args: &Args, target: Target, which: &[Experiment]) -> Result<OpenTarget, Failure> {
    let announced = announce(args, &target, which)?;
    let seconds: f64 = which.iter().map(|&one| args.seconds(one)).sum();
    // They end with the requests or bytes that they are made of, if time does not end them first.
    let may_end_early = |one: &Experiment| {
        use Experiment::{Burst, Gc, Latency, Sustained, WriteAmplification};
        one.only_reads() || matches!(one, Latency | Burst | WriteAmplification | Gc | Sustained)
    };
    let at_most = if which.iter().any(may_end_early) { "at most " } else { "" };
    let list = match &args.which {
        Which::One(_) => String::new(),
        Which::Several(_) => format!(": {}", names(which)),
    };
    output::say(&format!("{}: {}; measures for {at_most}{seconds} s{list}", args.target, announced.words));
    let mut access = announced.access;
    if which.iter().any(|&one| through_page_cache(&target, &access, one)) {
        output::say(&format!(
            "{}: transfers {} at least directly; the file is written through the page cache instead, and every \
             write is durable",
            args.target,
            format_size(target.smallest_block(&access).into())
        ));
        access.direct = false;
    }
    let target = target.open(announced.bytes, &access)?;
    target.warnings.iter().for_each(|warning| output::say(warning));
    Ok(target)
}

/// Whether only the page cache takes requests as small as the experiment's.
pub(super) fn through_page_cache(target: &Target, access: &Access, one: Experiment) -> bool {
    target.is_directory() && has_large_blocks(target, access, one)
}

/// Whether TARGET does not take requests as small as the experiment's directly.
pub(super) fn has_large_blocks(target: &Target, access: &Access, one: Experiment) -> bool {
    target.smallest_block(access) > one.largest_block()
}

/// `r-by-k, mixed`.
pub(super) fn names(which: &[Experiment]) -> String {
    which.iter().map(|one| one.name()).collect::<Vec<_>>().join(", ")
}
