//! What experiments give the page: sentences, tables and what the scripts draw.

use leadline_figures::{Part, Table};
use leadline_measure::experiment::{self, Experiment};
use leadline_profile::{DeviceProfile, Procedure};
use serde::Serialize;
use serde_json::{Map, Value};

use super::device_charts::DeviceCharts;

/// What the scripts draw.
#[derive(Debug, Serialize)]
pub(super) struct ExperimentCharts {
    devices: Option<DeviceCharts>,
    /// What each experiment that was run gives, by its name.
    #[serde(flatten)]
    of_each: Map<String, Value>,
}

/// What the template writes of an experiment that was run.
#[derive(Debug, Serialize)]
struct Shown {
    /// Sentences; empty where models or charts say it all.
    said: Vec<String>,
    /// Its tables in the terminal.
    tables: Vec<Table>,
}

impl ExperimentCharts {
    pub(super) fn new(profile: &DeviceProfile) -> ExperimentCharts {
        let of_each = experiment::ALL.iter().filter_map(|one| Some((key(*one), one.chart(profile)?)));
        ExperimentCharts { devices: DeviceCharts::new(profile), of_each: of_each.collect() }
    }

    /// Those of the drive as such, where any was made.
    pub(super) fn devices(&self) -> Option<&DeviceCharts> {
        self.devices.as_ref()
    }

    /// Those of single experiments.
    pub(super) fn of_each(&self) -> &Map<String, Value> {
        &self.of_each
    }
}

/// What the template writes, by the experiments' names.
pub(super) fn shown(profile: &DeviceProfile) -> Map<String, Value> {
    let of = |one: &&'static dyn Experiment| {
        let (_, procedure) = profile.experiments.procedures().find(|(name, _)| *name == one.name())?;
        let tables = one.text(profile)?.into_iter().filter_map(|part| match part {
            Part::Table(table) => Some(table),
            _ => None,
        });
        let said = with_notes(one.sentences(profile).unwrap_or_default(), procedure);
        Some((key(*one), serde_json::json!(Shown { said, tables: tables.collect() })))
    };
    experiment::ALL.iter().filter_map(of).collect()
}

/// The experiments whose records only they themselves know, by their names: they have no section of their
/// own.
pub(super) fn others(profile: &DeviceProfile) -> Map<String, Value> {
    let mut others = shown(profile);
    others.retain(|name, _| profile.experiments.other.keys().any(|other| other.replace('-', "_") == *name));
    others
}

/// As templates and scripts name it.
fn key(one: &dyn Experiment) -> String {
    one.name().replace('-', "_")
}

/// With what was left out, and whether it was cut short.
fn with_notes(mut words: Vec<String>, procedure: &Procedure) -> Vec<String> {
    words.extend(procedure.notes.iter().map(|note| format!("Note: {note}.")));
    words.extend(procedure.stopped_by.iter().map(|reason| format!("PARTIAL: cut short by {reason}.")));
    words
}
