//! TARGET, opened for experiments, after it was said what they write and how long they measure.

use leadline_device::format_size;
use leadline_measure::experiment::Experiment;
use leadline_measure::target::{Access, OpenTarget};

use super::Args;
use super::announced::announce;
use crate::failure::Failure;
use crate::output;
use crate::target::Target;

/// TARGET, opened, and what is to be said of it once nothing can be refused any more.
pub(super) struct Opened {
    pub(super) target: OpenTarget,
    said: Vec<String>,
}

impl Opened {
    /// Says what is about to happen.
    pub(super) fn announce(&self) {
        self.said.iter().for_each(|line| output::say(line));
    }
}

/// Opens TARGET for experiments that are alike in whether they go [through the page
/// cache](through_page_cache). Opening writes nothing.
pub(super) fn open(
    args: &Args,
    target: Target,
    which: &[&'static dyn Experiment],
) -> Result<Opened, Failure> {
    let announced = announce(args, &target, which)?;
    let mut said = vec![announced.line(args, which)];
    let mut access = announced.access.clone();
    if which.iter().any(|&one| through_page_cache(&target, &access, one)) {
        said.push(format!(
            "{}: transfers {} at least directly; the file is written through the page cache instead, and every \
             write is durable",
            args.target,
            format_size(target.smallest_block(&access).into())
        ));
        access.direct = false;
    }
    let target = target.open(announced.bytes, &access)?;
    said.extend(target.warnings.iter().cloned());
    Ok(Opened { target, said })
}

/// Says what would be done, for --dry-run; what can be refused without writing anything is refused.
pub(super) fn dry_run(args: &Args, target: Target, which: &[&'static dyn Experiment]) -> Result<(), Failure> {
    let announced = announce(args, &target, which)?;
    if args.json {
        output::print_json(&announced.document(args, which))?;
    } else {
        output::print(&format!("{}\n", announced.line(args, which)))?;
    }
    // A directory would get a scratch file.
    if target.is_directory() { Ok(()) } else { target.open(announced.bytes, &announced.access).map(drop) }
}

/// Whether only the page cache takes requests as small as the experiment's.
pub(super) fn through_page_cache(target: &Target, access: &Access, one: &'static dyn Experiment) -> bool {
    target.is_directory() && has_large_blocks(target, access, one)
}

/// Whether TARGET does not take requests as small as the experiment's directly.
pub(super) fn has_large_blocks(target: &Target, access: &Access, one: &'static dyn Experiment) -> bool {
    target.smallest_block(access) > one.largest_block()
}

/// `r-by-k, mixed`.
pub(super) fn names(which: &[&'static dyn Experiment]) -> String {
    which.iter().map(|one| one.name()).collect::<Vec<_>>().join(", ")
}
