//! Numbers of several rounds, and what is told of them.

use serde::Serialize;

/// A number that was measured in each round.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(super) struct Measured {
    pub(super) name: String,
    pub(super) unit: &'static str,
    pub(super) median: f64,
    pub(super) lowest: f64,
    pub(super) highest: f64,
    /// In the order of the rounds.
    pub(super) values: Vec<f64>,
}

/// All of them, in the order in which they were first measured.
#[derive(Debug, Default)]
pub(super) struct Measurements(Vec<(String, &'static str, Vec<f64>)>);

impl Measurements {
    /// Adds a round's value.
    pub(super) fn add(&mut self, name: &str, unit: &'static str, value: f64) {
        match self.0.iter_mut().find(|(there, of, _)| there == name && *of == unit) {
            Some((.., values)) => values.push(value),
            None => self.0.push((name.to_owned(), unit, vec![value])),
        }
    }

    pub(super) fn into_measured(self) -> Vec<Measured> {
        let measured = self.0.into_iter().map(|(name, unit, values)| {
            let mut sorted = values.clone();
            sorted.sort_by(f64::total_cmp);
            let (half, last) = (sorted.len() / 2, sorted.len() - 1);
            let median =
                if sorted.len() % 2 == 1 { sorted[half] } else { (sorted[half - 1] + sorted[half]) / 2.0 };
            Measured { name, unit, median, lowest: sorted[0], highest: sorted[last], values }
        });
        measured.collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_measurement_has_its_median_and_both_ends() {
        let mut measurements = Measurements::default();
        for value in [3.0, 1.0, 2.0, 9.0] {
            measurements.add("gets", "keys/s", value);
        }
        measurements.add("gets", "us", 7.0);
        let [gets, us] = measurements.into_measured().try_into().unwrap();
        assert_eq!((gets.median, gets.lowest, gets.highest), (2.5, 1.0, 9.0));
        assert_eq!((us.unit, us.median, us.values), ("us", 7.0, vec![7.0]));
    }
}
