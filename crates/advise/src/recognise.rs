//! What a file is: whose settings it holds, in what, and by which evidence.

use std::path::Path;

use crate::containers::{self, Found};
use crate::files::{Files, Reading};
use crate::plain;
use crate::syntax::templates::set_aside;
use crate::{AdviseError, Config, System};

/// Settings of one system that a file holds.
#[derive(Debug, Clone, PartialEq)]
pub struct Recognised {
    /// Whose they are.
    pub system: System,
    /// What the file is: `postgresql.conf`, `a compose file`.
    pub container: &'static str,
    /// Which server, where a file has several: `service db`. Empty where it has one.
    pub instance: String,
    /// What tells it: `14 of 17 keys are PostgreSQL's, e.g. line 3`.
    pub evidence: String,
    /// What was found, unless the file is in the system's own syntax, which its own reader reads.
    found: Option<Config>,
}

impl Recognised {
    /// The settings; `text` and `path` belong to the recognised file, and `reading` is what the
    /// user says of it.
    ///
    /// # Errors
    /// [`AdviseError::Syntax`] where the file is not quite in the system's own syntax.
    pub fn config(&self, text: &str, path: &Path, reading: &Reading) -> Result<Config, AdviseError> {
        match &self.found {
            Some(config) => Ok(config.clone()),
            None => {
                let config = self.system.rules().read_from(text, path, &Files::new(reading))?;
                Ok(decided(self.system, config))
            }
        }
    }

    /// `postgresql.conf: 14 of 17 keys are PostgreSQL's, e.g. line 3`.
    pub fn sentence(&self) -> String {
        format!("{}: {}", self.container, self.evidence)
    }

    fn contained(container: &'static str, found: Found) -> Self {
        let Found { system, instance, evidence, config, .. } = found;
        Recognised { system, container, instance, evidence, found: Some(config) }
    }

    fn plain(reading: plain::Reading) -> Self {
        Recognised {
            system: reading.system,
            container: plain::file_of(reading.system),
            instance: String::new(),
            evidence: reading.evidence(),
            found: None,
        }
    }
}

/// Whose settings a file holds: at least one system, several where a file has several.
///
/// # Errors
/// [`AdviseError::Ambiguous`] where it can be read as a file of two systems, [`AdviseError::Unknown`] where
/// it is none that is known, or one without settings of a system that is; [`AdviseError::Syntax`] where what
/// it holds cannot be read.
pub fn recognise(text: &str, path: &Path) -> Result<Vec<Recognised>, AdviseError> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    if let Some(contained) = containers::find(text, path)? {
        let container = contained.container;
        let all: Vec<Recognised> =
            contained.found.into_iter().map(|found| Recognised::contained(container, found)).collect();
        if all.is_empty() {
            let reason = format!("looks like {container}, but has no settings of a system that is known");
            return Err(AdviseError::Unknown { path: path.into(), reason });
        }
        return Ok(all);
    }
    let mut readings = plain::readings(text);
    if readings.len() > 1
        && let Some(named) = containers::named(path)
        && let Some(reading) = readings.iter().find(|reading| reading.system == named)
    {
        readings = vec![*reading];
    }
    match readings.as_slice() {
        [reading] => Ok(vec![Recognised::plain(*reading)]),
        [] => {
            let unknown = || AdviseError::Unknown { path: path.into(), reason: unknown(text) };
            Err(containers::wrong(text, path).unwrap_or_else(unknown))
        }
        several => {
            let systems = several.iter().map(|reading| reading.system).collect();
            Err(AdviseError::Ambiguous { path: path.into(), readings: ambiguous(several), systems })
        }
    }
}

/// Without what is filled in elsewhere.
pub(crate) fn decided(system: System, config: Config) -> Config {
    if system.rules().follows_variables() { config } else { set_aside(config) }
}

/// The configuration of `system` in a container; `None` where the file is no container.
pub(crate) fn contained(system: System, text: &str, path: &Path) -> Result<Option<Config>, AdviseError> {
    let Some(contained) = containers::find(text, path)? else { return Ok(None) };
    let own: Vec<Found> = contained.found.into_iter().filter(|found| found.system == system).collect();
    match own.as_slice() {
        // What these read may stand anywhere.
        [] if is_found_anywhere(system) => Ok(None),
        [] => Ok(Some(Config::default())),
        [one] => Ok(Some(one.config.clone())),
        several => {
            let list: Vec<String> = several.iter().map(|one| one.evidence.clone()).collect();
            let reason = format!(
                "has {} servers of {} ({}); `leadline lint auto` judges each",
                several.len(),
                system.title(),
                list.join("; ")
            );
            Err(AdviseError::syntax(path, None, reason))
        }
    }
}

/// Whether the system's own reader looks for its keys in texts of any kind.
fn is_found_anywhere(system: System) -> bool {
    matches!(system, System::Etcd | System::Cockroachdb | System::Sqlite | System::Duckdb)
}

/// What a file looks like that is not `system`'s, with the evidence; `None` if it may be its own, or is like
/// nothing that is known.
pub fn looks_like(system: System, text: &str, path: &Path) -> Option<String> {
    match recognise(text, path) {
        Ok(all) if all.iter().any(|one| one.system == system) => None,
        Ok(all) => Some(all.iter().map(Recognised::sentence).collect::<Vec<_>>().join("; ")),
        Err(AdviseError::Ambiguous { readings, systems, .. }) if !systems.contains(&system) => Some(readings),
        Err(_) => containers::find(text, path).ok().flatten().map(|contained| contained.container.to_owned()),
    }
}

fn ambiguous(readings: &[plain::Reading]) -> String {
    let one =
        |reading: &plain::Reading| format!("{} ({})", plain::file_of(reading.system), reading.evidence());
    readings.iter().map(one).collect::<Vec<_>>().join(" or ")
}

fn unknown(text: &str) -> String {
    let is_empty = text.lines().map(str::trim).all(|line| line.is_empty() || line.starts_with(['#', ';']));
    let what = if is_empty { "nothing is set in it" } else { "its keys are of no system that is known" };
    format!("{what}; name the system instead of auto")
}
