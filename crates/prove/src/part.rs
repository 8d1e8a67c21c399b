//! What a plan is about to try, and for how long, to be said before it begins.

use crate::{Role, Variant};

/// One experiment of a plan.
#[derive(Debug, Clone, PartialEq)]
pub struct Part {
    /// As it is chosen on the command line.
    pub name: &'static str,
    /// Keys of the advice that it tries; none where the advice says nothing that matters to it.
    pub keys: Vec<String>,
    /// Runs in all, as long as no further rounds are needed.
    pub runs: u32,
    /// About how long they take on an SSD, seconds.
    pub seconds: f64,
}

impl Part {
    /// Of a line-up in `rounds` rounds, each run of about `seconds`.
    pub(crate) fn of(
        name: &'static str,
        lineup: &[(Role, Variant)],
        matter: &[&str],
        rounds: u32,
        seconds: f64,
    ) -> Part {
        let advice = lineup.iter().find(|(role, _)| *role == Role::Advice);
        let keys =
            advice.map_or(&[][..], |(_, variant)| &variant.settings).iter().map(|(key, _)| key.clone());
        let runs = lineup.len() as u32 * rounds;
        let keys = keys.filter(|key| matter.contains(&key.as_str())).collect();
        Part { name, keys, runs, seconds: f64::from(runs) * seconds }
    }
}
