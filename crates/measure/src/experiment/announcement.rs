//! What experiments write and how long they take, said beforehand: drives wear.

use leadline_device::format_size;
use leadline_device::guard::GuardError;

use super::kind::{Choice, Experiment};
use crate::candidate::Candidate;
use crate::target::Access;

/// Bytes of the scratch file of a directory that only experiments with files of their own are made in.
const UNUSED_BYTES: u64 = 4 << 20;

/// What experiments do at most.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bounds {
    /// Bytes written, the layout included; `None` where there is no bound: a simulated device, which does not
    /// wear.
    pub written: Option<u64>,
    /// Seconds measured, the layout not included; fewer where all requests or bytes are done before.
    pub seconds: f64,
}

impl Bounds {
    /// Of these experiments on a region of `bytes`, of which `laid_out` are written first.
    pub fn new(
        which: &[&dyn Experiment],
        target: Candidate<'_>,
        access: &Access,
        (bytes, laid_out): (u64, u64),
        seconds: f64,
    ) -> Bounds {
        let writes = target.may_be_written(access);
        let budgets = |one: &&dyn Experiment| if writes { one.write_budget(bytes) } else { 0 };
        let written = which.iter().map(budgets).fold(laid_out, u64::saturating_add);
        Bounds { written: target.simulated_capacity().is_none().then_some(written), seconds }
    }
}

/// What experiments were asked for.
#[derive(Debug, Clone)]
pub struct Request<'a> {
    /// Which.
    pub which: &'a [&'static dyn Experiment],
    /// How the target is opened.
    pub access: Access,
    /// Seconds of all of them.
    pub seconds: f64,
    /// Bytes that all may write together; `None` for their budgets.
    pub max_writes: Option<u64>,
    /// Whether experiments that can either read or write are to write.
    pub writes: bool,
}

/// What is opened for experiments, and what is said of it before.
#[derive(Debug, Clone)]
pub struct Announcement {
    /// How the target is opened.
    pub access: Access,
    /// Bytes of the scratch file or region.
    pub bytes: u64,
    /// Bytes that a directory must have room for, where experiments make files of their own there.
    pub needs_bytes: Option<u64>,
    /// What they do at most.
    pub bounds: Bounds,
    /// What is written and for how long is measured, such as `reads only; measures for 60 s`.
    pub text: String,
}

impl Announcement {
    /// Of what was asked for, on a target that was only looked at.
    ///
    /// # Errors
    /// As [`Candidate::layout_bytes`].
    pub fn new(target: Candidate<'_>, request: Request<'_>) -> Result<Announcement, GuardError> {
        let Request { which, mut access, seconds, max_writes, writes } = request;
        let has_own_file = |one: &&dyn Experiment| target.is_directory() && one.own_file_bytes().is_some();
        let (own, others): (Vec<&dyn Experiment>, Vec<&dyn Experiment>) =
            which.iter().copied().partition(has_own_file);
        if others.is_empty() {
            access.size_bytes = Some(UNUSED_BYTES);
        }
        if which.iter().all(|one| one.uses_whole_drive()) {
            access.size_bytes = access.size_bytes.or(target.simulated_capacity());
        }
        let bytes = target.layout_bytes(&access)?;
        let laid_out = if others.is_empty() { 0 } else { bytes };
        let bounds = Bounds::new(which, target, &access, (bytes, laid_out), seconds);
        // Of several, each has its share.
        let most = max_writes.map_or(bounds.written, |max| Some(bounds.written.map_or(max, |w| w.min(max))));
        let mut said = Vec::new();
        if !others.is_empty() {
            let reads = |one: &&dyn Experiment| one.only_reads() || (!writes && one.takes(Choice::Writes));
            let only_reads = others.iter().all(reads);
            let of = Access { reads_only: access.reads_only || only_reads, ..access.clone() };
            said.push(target.write_notice(&of, bytes, bytes, most, time_writing(&others)));
        }
        let largest = own.iter().filter_map(|one| one.own_file_bytes()).max();
        if let Some(largest) = largest {
            let most = most.filter(|_| others.is_empty());
            let most = most.map_or(String::new(), |max| format!(", {} in all at most", format_size(max)));
            let size = format_size(largest);
            said.push(format!("fills a file of {size} again and again, as fast as the device allows{most}"));
        }
        let bounds = Bounds { written: most.filter(|_| bounds.written.is_some()), ..bounds };
        // They end with the requests or bytes that they are made of, if time does not end them first; and
        // what writes on a real device is shortened where it is fast.
        let shortened = bounds.written.is_some() && !access.reads_only;
        let at_most = if shortened || which.iter().any(|one| one.may_end_early()) { "at most " } else { "" };
        let text = format!("{}; measures for {at_most}{seconds} s", said.join("; "));
        Ok(Announcement { access, bytes, needs_bytes: largest.map(|largest| bytes + largest), bounds, text })
    }
}

/// How much of the time measured is spent writing, where these may write all they want.
fn time_writing(which: &[&dyn Experiment]) -> &'static str {
    match which {
        [one] => one.time_writing(),
        several => several.iter().find_map(|one| one.time_writing_of_several()).unwrap_or("about half of"),
    }
}

/// `r-by-k, mixed`.
pub fn names(which: &[&dyn Experiment]) -> String {
    which.iter().map(|one| one.name()).collect::<Vec<_>>().join(", ")
}
