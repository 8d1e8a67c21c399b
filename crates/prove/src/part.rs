//! One experiment of a plan, to be said before it begins.

use serde::Serialize;

use crate::{Role, Variant};

/// What is tried, how often, and what that takes.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Part {
    /// As it is chosen on the command line.
    pub name: &'static str,
    /// Keys of the advice that it tries; none where the advice says nothing that matters to it.
    pub keys: Vec<String>,
    /// Runs in all, as long as no further rounds are needed.
    pub runs: u32,
    /// All of them.
    #[serde(flatten)]
    pub effort: Effort,
}

/// About how long something takes on an SSD, and how much it writes there.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Effort {
    /// Seconds.
    pub seconds: f64,
    /// Bytes.
    pub written_bytes: u64,
}

impl Effort {
    /// That many times as much.
    pub(crate) fn times(self, runs: u32) -> Effort {
        let written_bytes = self.written_bytes.saturating_mul(runs.into());
        Effort { seconds: f64::from(runs) * self.seconds, written_bytes }
    }
}

impl Part {
    /// Of a line-up in `rounds` rounds, with the effort of each run.
    pub(crate) fn of(
        name: &'static str,
        lineup: &[(Role, Variant)],
        matter: &[&str],
        rounds: u32,
        run: Effort,
    ) -> Part {
        let advice = lineup.iter().find(|(role, _)| *role == Role::Advice);
        let keys =
            advice.map_or(&[][..], |(_, variant)| &variant.settings).iter().map(|(key, _)| key.clone());
        let runs = lineup.len() as u32 * rounds;
        let keys = keys.filter(|key| matter.contains(&key.as_str())).collect();
        Part { name, keys, runs, effort: run.times(runs) }
    }
}
