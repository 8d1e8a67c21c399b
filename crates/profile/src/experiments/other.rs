//! Records of experiments that this crate does not know: of a later version, or of an experiment whose record
//! nothing but itself reads.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::Record;
use super::range::{Impossible, impossible_procedure};
use crate::Procedure;

/// Such a record: how it was made, and what else it has.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct OtherRecord {
    /// How it was measured.
    pub procedure: Procedure,
    #[serde(flatten)]
    values: Map<String, Value>,
}

impl OtherRecord {
    /// Of `values`, which are written as fields next to `procedure`. `None` where they are not fields.
    pub fn new(procedure: Procedure, values: &impl Serialize) -> Option<OtherRecord> {
        match serde_json::to_value(values) {
            Ok(Value::Object(values)) => Some(OtherRecord { procedure, values }),
            _ => None,
        }
    }

    /// What was written; `None` where the fields are others.
    pub fn values<T: DeserializeOwned>(&self) -> Option<T> {
        serde_json::from_value(Value::Object(self.values.clone())).ok()
    }
}

impl Record for OtherRecord {
    fn impossible(&self) -> Option<Impossible> {
        impossible_procedure(&self.procedure)
    }
}

#[cfg(test)]
mod tests {
    use super::super::range::{assert_read_as_written, assert_refused};
    use super::*;
    use crate::{DeviceProfile, Experiments, SCHEMA};

    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Seeks {
        mean_us: f64,
        requests: u64,
    }

    fn sample() -> DeviceProfile {
        let procedure = Procedure { seed: 7, ..Procedure::default() };
        let record = OtherRecord::new(procedure, &Seeks { mean_us: 8000.0, requests: 1 << 60 }).unwrap();
        let experiments =
            Experiments { other: [("seeks".to_owned(), record)].into(), ..Experiments::default() };
        DeviceProfile { schema: SCHEMA.to_owned(), experiments, ..DeviceProfile::default() }
    }

    #[test]
    fn a_record_of_another_experiment_is_kept_and_read_by_who_knows_it() {
        assert_read_as_written(&sample());
        let found = &sample().experiments;
        assert_eq!(
            found.other["seeks"].values::<Seeks>(),
            Some(Seeks { mean_us: 8000.0, requests: 1 << 60 })
        );
        assert_eq!(found.other["seeks"].values::<Vec<u32>>(), None);
        assert_eq!(
            found.procedures().map(|(name, procedure)| (name, procedure.seed)).last(),
            Some(("seeks", 7))
        );
        let mut profile = DeviceProfile::default();
        profile.experiments.add(sample().experiments);
        assert_eq!(profile.experiments, *found);
        assert_eq!(OtherRecord::new(Procedure::default(), &3), None);
    }

    #[test]
    fn impossible_values_are_refused_with_their_place() {
        let cases = [(
            "seeks/procedure/measured_seconds",
            (-1.0).into(),
            "experiments.seeks.procedure.measured_seconds",
        )];
        assert_refused(&sample(), cases);
    }
}
