//! What a proof has to say, whichever system it is of.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::Comparison;

/// The version of the format of a [`Proof`], and of PostgreSQL's own.
pub const SCHEMA: &str = "leadline.proof/1";

/// By the names of variants, the settings that were in force.
pub(crate) type InForce = BTreeMap<String, BTreeMap<String, String>>;

/// What was measured by a plan of the kind `P`, and what it says of the advice.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Proof<P> {
    /// [`SCHEMA`].
    pub schema: String,
    /// Version of Leadline.
    pub leadline: String,
    /// The system.
    pub system: String,
    /// Its version.
    pub version: String,
    /// The program that was started.
    pub program: PathBuf,
    /// What was asked for.
    pub plan: P,
    /// What every run had, whatever a variant said.
    pub fixed: Vec<(String, String)>,
    /// Keys of the advice that were not tried, because every run had the same value.
    pub not_tried: Vec<String>,
    /// What the system said, by variants' names: the value of every key that any variant sets.
    pub in_force: BTreeMap<String, BTreeMap<String, String>>,
    /// Runs that were timed.
    pub comparisons: Vec<Comparison>,
}

/// Of which system a proof is.
pub(crate) struct System<'a> {
    pub(crate) name: &'a str,
    pub(crate) version: &'a str,
    pub(crate) program: PathBuf,
}

impl<P: Clone + Serialize> Proof<P> {
    /// Puts it together; `advice` is that of the plan.
    pub(crate) fn of(
        system: System,
        plan: &P,
        advice: &[(String, String)],
        fixed: Vec<(String, String)>,
        in_force: InForce,
        comparisons: Vec<Comparison>,
    ) -> Proof<P> {
        let is_fixed = |key: &&String| fixed.iter().any(|(fixed, _)| fixed == *key);
        Proof {
            schema: SCHEMA.into(),
            leadline: env!("CARGO_PKG_VERSION").into(),
            system: system.name.into(),
            version: system.version.into(),
            program: system.program,
            plan: plan.clone(),
            not_tried: advice.iter().map(|(key, _)| key).filter(is_fixed).cloned().collect(),
            fixed,
            in_force,
            comparisons,
        }
    }

    /// The document: JSON, indented, with a line feed at its end.
    pub fn to_json(&self) -> String {
        document(self)
    }
}

/// A proof of any system as JSON, indented, with a line feed at its end.
pub(crate) fn document(proof: &impl Serialize) -> String {
    let text = serde_json::to_string_pretty(proof).expect("numbers and text can be written as JSON");
    text + "\n"
}
