//! What measuring a profile writes and how long it takes, with the experiments that follow, said beforehand:
//! drives wear.

use leadline_device::guard::GuardError;

use crate::candidate::Candidate;
use crate::experiment::{self, Experiment};
use crate::plan::Plan;
use crate::settings::Settings;
use crate::target::Access;

/// What a run does at most, the experiments that follow included.
#[derive(Debug, Clone)]
pub struct RunBounds {
    /// Bytes of the scratch file or region.
    pub layout_bytes: u64,
    /// Bytes that measuring the profile writes at most; `None` for no bound.
    pub profile_written: Option<u64>,
    /// Of the experiments, where there are any.
    pub experiments: Option<experiment::Bounds>,
    /// Seconds of the profile; `None` until the numbers have settled.
    pub profile_seconds: Option<f64>,
    /// The same where it is exceeded because that narrows what is advised.
    pub profile_most_seconds: Option<f64>,
}

/// The experiments that follow a profile.
#[derive(Debug, Clone)]
pub struct Following<'a> {
    /// Which.
    pub which: &'a [&'static dyn Experiment],
    /// How the target is opened for them.
    pub access: Access,
    /// Seconds of all of them.
    pub seconds: f64,
}

impl RunBounds {
    /// Of a run with these settings; where its limit of bytes is less than the usual, each part has its share
    /// of it.
    ///
    /// # Errors
    /// As [`Candidate::layout_bytes`].
    pub fn new(
        settings: &Settings,
        target: Candidate<'_>,
        following: &Following<'_>,
    ) -> Result<RunBounds, GuardError> {
        let layout_bytes = target.layout_bytes(&settings.access)?;
        let block_sizes = settings.block_sizes.resolve(target.smallest_block(&settings.access));
        let usual = target.write_budget(&Settings { max_writes: None, ..settings.clone() }, layout_bytes);
        let mut bounds = RunBounds {
            layout_bytes,
            profile_written: settings.max_writes.or(usual),
            experiments: None,
            profile_seconds: settings.budget.seconds(block_sizes.len()),
            profile_most_seconds: settings.budget.most_seconds(block_sizes.len()),
        };
        let Following { which, access, seconds } = following;
        if which.is_empty() {
            return Ok(bounds);
        }
        // They lay out a scratch file of their own.
        let bytes = target.layout_bytes(access)?;
        let mut experiments = experiment::Bounds::new(which, target, access, (bytes, bytes), *seconds);
        if let (Some(max), Some(usual), Some(theirs)) = (settings.max_writes, usual, experiments.written) {
            let laid_out = layout_bytes + bytes;
            let share =
                (usual - layout_bytes) as f64 / (usual + theirs).saturating_sub(laid_out).max(1) as f64;
            let profile = layout_bytes + (max.saturating_sub(laid_out) as f64 * share) as u64;
            bounds.profile_written = Some(profile);
            experiments.written = Some(max.saturating_sub(profile));
        }
        bounds.experiments = Some(experiments);
        Ok(bounds)
    }

    /// Bytes written by the whole run; `None` for no bound.
    pub fn written(&self) -> Option<u64> {
        match &self.experiments {
            None => self.profile_written,
            Some(more) => Some(self.profile_written?.saturating_add(more.written?)),
        }
    }

    /// Seconds of the whole run, layouts not included.
    pub fn seconds(&self) -> Option<f64> {
        Some(self.profile_most_seconds? + self.experiments.as_ref().map_or(0.0, |more| more.seconds))
    }

    /// Bytes written before measuring, by passes over the region and, where experiments follow, their layout.
    pub fn prepared(&self, settings: &Settings) -> u64 {
        let passes = self.layout_bytes.saturating_mul(u64::from(settings.precondition) + 1);
        passes + if self.experiments.is_none() { 0 } else { self.layout_bytes }
    }

    /// Keeps the profile to its share, where others follow: its writes are shortened, and none is cut off.
    pub fn keep(&self, plan: &mut Plan) {
        if self.experiments.is_some() && plan.max_writes.is_some() {
            plan.max_writes = self.profile_written;
            plan.write_budget = self.profile_written;
        }
    }

    /// What is written and for how long is measured, in one line.
    pub fn announcement(
        &self,
        settings: &Settings,
        target: Candidate<'_>,
        following: &[&dyn Experiment],
    ) -> String {
        let measuring = match (self.profile_seconds, self.seconds()) {
            (_, Some(all)) if !following.is_empty() => format!("measures for {all:.0} s in all at most"),
            (Some(seconds), _) => format!("measures for {seconds:.0} s"),
            (None, _) => "measures until the numbers have settled (an hour at most)".to_owned(),
        };
        let (access, prepared) = (&settings.access, self.prepared(settings));
        let written =
            target.write_notice(access, self.layout_bytes, prepared, self.written(), "about half of");
        format!("{written}; {measuring}{}", followup_text(following))
    }
}

/// `: the profile, then fsync, sustained`.
fn followup_text(experiments: &[&dyn Experiment]) -> String {
    if experiments.is_empty() {
        return String::new();
    }
    format!(": the profile, then {}", experiment::names(experiments))
}
