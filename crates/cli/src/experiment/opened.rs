//! TARGET, opened for experiments, after it was said what they write and how long they measure.

use leadline_device::format_size;
use leadline_figures::Text;
use leadline_measure::experiment::{Announcement, Experiment, Request, names};
use leadline_measure::target::{Access, OpenTarget};
use serde_json::json;

use super::{Args, Which};
use crate::failure::Failure;
use crate::messages;
use crate::output;
use crate::target::Target;

/// TARGET, opened, and what is to be said of it once nothing can be refused any more.
pub(super) struct Opened {
    pub(super) target: OpenTarget,
    said: String,
    warnings: Vec<String>,
}

impl Opened {
    /// Says what is about to happen.
    pub(super) fn announce(&self) {
        messages::note(&self.said);
        self.warnings.iter().for_each(|warning| messages::warning(warning));
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
    let said = line(args, &announced, which);
    let mut warnings = Vec::new();
    let mut access = announced.access.clone();
    if which.iter().any(|&one| through_page_cache(&target, &access, one)) {
        warnings.push(format!(
            "{}: transfers {} at least directly; the file is written through the page cache instead, and every \
             write is durable",
            args.target,
            format_size(target.candidate().smallest_block(&access).into())
        ));
        access.direct = false;
    }
    let target = target.open(announced.bytes, &access)?;
    warnings.extend(target.warnings.iter().cloned());
    Ok(Opened { target, said, warnings })
}

/// Says what would be done, for --dry-run; what can be refused without writing anything is refused.
pub(super) fn dry_run(args: &Args, target: Target, which: &[&'static dyn Experiment]) -> Result<(), Failure> {
    let announced = announce(args, &target, which)?;
    if args.json {
        output::print_json(&json!({
            "dry_run": true,
            "target": args.target.to_string(),
            "max_writes_bytes": announced.bounds.written,
            "seconds_at_most": announced.bounds.seconds,
            "experiments": which.iter().map(|one| one.name()).collect::<Vec<_>>(),
        }))?;
    } else {
        output::print_text(&Text::of_lines([line(args, &announced, which)]))?;
    }
    // A directory would get a scratch file.
    if target.candidate().is_directory() {
        Ok(())
    } else {
        target.open(announced.bytes, &announced.access).map(drop)
    }
}

/// Whether only the page cache takes requests as small as the experiment's.
pub(super) fn through_page_cache(target: &Target, access: &Access, one: &'static dyn Experiment) -> bool {
    target.candidate().is_directory() && has_large_blocks(target, access, one)
}

/// Whether TARGET does not take requests as small as the experiment's directly.
pub(super) fn has_large_blocks(target: &Target, access: &Access, one: &'static dyn Experiment) -> bool {
    target.candidate().smallest_block(access) > one.largest_block()
}

/// For these experiments on a target that was only looked at.
fn announce(
    args: &Args,
    target: &Target,
    which: &[&'static dyn Experiment],
) -> Result<Announcement, Failure> {
    let request = Request {
        which,
        access: args.access.access(args.quick),
        seconds: which.iter().map(|&one| args.seconds(one)).sum(),
        max_writes: args.max_writes,
        writes: args.writes,
    };
    let announcement = Announcement::new(target.candidate(), request)?;
    announcement.needs_bytes.map_or(Ok(()), |bytes| target.check_space(bytes))?;
    Ok(announcement)
}

/// What is said of it, in one line.
fn line(args: &Args, announcement: &Announcement, which: &[&'static dyn Experiment]) -> String {
    let list = match &args.which {
        Which::One(_) => String::new(),
        Which::Several(_) => format!(": {}", names(which)),
    };
    format!("{}: {}{list}", args.target, announcement.text)
}
