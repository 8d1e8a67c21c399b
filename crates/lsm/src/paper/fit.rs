//! Positive constants that make the logarithmic errors smallest.

/// Where the search begins to halve its step, and where it ends, in logarithms of the constants.
const STEPS: [f64; 2] = [1.0, 1e-5];

/// A constant may be this much smaller than the one with which its term alone would explain everything: less
/// than that is 0.
const SMALLEST: f64 = 1e-9;

/// The sum of the terms, each times its constant.
pub(super) fn sum(constants: &[f64], terms: &[f64]) -> f64 {
    constants.iter().zip(terms).map(|(constant, term)| constant * term).sum()
}

/// Constants, one per term, such that the sum of (ln of the predicted over the measured seconds)^2 is
/// smallest: a search along the logarithm of one constant at a time.
///
/// `observations` are terms, all of them 0 or more and some above 0, and seconds.
pub(super) fn positive_constants(observations: &[(Vec<f64>, f64)]) -> Vec<f64> {
    let count = observations.first().map_or(0, |(terms, _)| terms.len());
    let loss = |logs: &[f64]| -> f64 {
        let constants: Vec<f64> = logs.iter().map(|log| log.exp()).collect();
        observations.iter().map(|(terms, seconds)| (sum(&constants, terms) / seconds).ln().powi(2)).sum()
    };
    let seconds: f64 = observations.iter().map(|(_, seconds)| seconds).sum();
    let alone = |i: usize| seconds / observations.iter().map(|(terms, _)| terms[i]).sum::<f64>();
    let least: Vec<f64> = (0..count).map(|i| (SMALLEST * alone(i)).ln()).collect();
    let mut logs: Vec<f64> = (0..count).map(|i| (alone(i) / count as f64).ln()).collect();
    let (mut best, mut step) = (loss(&logs), STEPS[0]);
    while step > STEPS[1] {
        let before = best;
        for i in 0..count {
            for change in [step, -step] {
                let old = logs[i];
                logs[i] = (old + change).max(least[i]);
                let found = loss(&logs);
                if found < best {
                    best = found;
                } else {
                    logs[i] = old;
                }
            }
        }
        if best >= before {
            step /= 2.0;
        }
    }
    logs.into_iter().map(f64::exp).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constants_that_made_the_times_are_found_again() {
        let made = |terms: Vec<f64>| (terms.clone(), sum(&[20.0, 3.0, 0.5], &terms));
        let observations: Vec<_> =
            (1..9).map(|k| made(vec![1.0 / f64::from(k), 1.0, f64::from(k * k)])).collect();
        for (found, wanted) in positive_constants(&observations).into_iter().zip([20.0, 3.0, 0.5]) {
            assert!((found / wanted - 1.0).abs() < 1e-2, "{found} is not {wanted}");
        }
    }

    #[test]
    fn one_constant_is_the_geometric_mean_of_the_ratios() {
        let found = positive_constants(&[(vec![1.0], 2.0), (vec![1.0], 8.0)]);
        assert!((found[0] - 4.0).abs() < 1e-3, "{found:?}");
    }
}
