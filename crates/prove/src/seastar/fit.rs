//! The four rates that explain mixes best: how well the formula itself can do.

use super::{Mix, Rates};

/// What the formula has: the cost of a read and of a byte read, of a write and of a byte written.
const COSTS: usize = 4;

/// A size to which bytes are scaled, so that the equations have numbers of like magnitude.
const SCALE: f64 = 65_536.0;

/// How often it is asked again which of reads and writes limits each mix of a duplex disk.
const TURNS: usize = 20;

/// The rates whose costs have the least sum of squared relative errors of the seconds per request that were
/// seen, none of them below 0; `None` of fewer than four mixes. They are duplex if those of `start` are, by
/// which what limits each mix is known at first.
pub(super) fn best_rates(seen: &[(Mix, f64)], start: Rates) -> Option<Rates> {
    if seen.len() < COSTS || seen.iter().any(|(_, seconds)| !(*seconds > 0.0 && seconds.is_finite())) {
        return None;
    }
    let mut rates = start;
    for _ in 0..TURNS {
        let better = solve(seen, rates)?;
        if better == rates {
            break;
        }
        rates = better;
    }
    Some(rates)
}

/// The best rates if what limits each mix is what `known` says.
fn solve(seen: &[(Mix, f64)], known: Rates) -> Option<Rates> {
    let rows: Vec<[f64; COSTS]> = seen
        .iter()
        .map(|(mix, seconds)| {
            let mut reads = f64::from(mix.read_percent) / 100.0;
            let mut writes = 1.0 - reads;
            if known.duplex {
                *if known.is_limited_by_reads(*mix) { &mut writes } else { &mut reads } = 0.0;
            }
            let size = f64::from(mix.bytes) / SCALE;
            [reads, reads * size, writes, writes * size].map(|of| of / seconds)
        })
        .collect();
    // A cost that would be below 0 is none at all: there are few enough to try all sets that remain.
    let tried = (1..1_u32 << COSTS).filter_map(|set| {
        let kept: Vec<usize> = (0..COSTS).filter(|which| set & (1 << which) != 0).collect();
        let costs = least_squares(&rows, &kept)?;
        let all_positive = kept.iter().all(|which| costs[*which] > 0.0);
        all_positive.then(|| (misfit(&rows, &costs), costs))
    });
    let (_, costs) = tried.min_by(|(one, _), (other, _)| one.total_cmp(other))?;
    let rate = |cost: f64, of: f64| (cost > 0.0).then(|| of / cost);
    Some(Rates {
        read_iops: rate(costs[0], 1.0),
        read_bandwidth: rate(costs[1], SCALE),
        write_iops: rate(costs[2], 1.0),
        write_bandwidth: rate(costs[3], SCALE),
        duplex: known.duplex,
    })
}

fn misfit(rows: &[[f64; COSTS]], costs: &[f64; COSTS]) -> f64 {
    let error = |row: &[f64; COSTS]| row.iter().zip(costs).map(|(of, cost)| of * cost).sum::<f64>() - 1.0;
    rows.iter().map(|row| error(row).powi(2)).sum()
}

/// The costs in `kept` for which all rows are nearest to 1, by the normal equations; the others are 0. `None`
/// where the rows cannot tell them apart.
fn least_squares(rows: &[[f64; COSTS]], kept: &[usize]) -> Option<[f64; COSTS]> {
    let sum = |of: &dyn Fn(&[f64; COSTS]) -> f64| rows.iter().map(of).sum::<f64>();
    // Each equation with its right side at the end.
    let equation = |&one: &usize| {
        let mut left: Vec<f64> = kept.iter().map(|&other| sum(&|row| row[one] * row[other])).collect();
        left.push(sum(&|row| row[one]));
        left
    };
    let mut equations: Vec<Vec<f64>> = kept.iter().map(equation).collect();
    let count = kept.len();
    for step in 0..count {
        let largest = (step..count)
            .max_by(|one, other| equations[*one][step].abs().total_cmp(&equations[*other][step].abs()))?;
        equations.swap(step, largest);
        let pivot = equations[step].clone();
        let scale = sum(&|row| row[kept[step]].powi(2));
        if pivot[step].abs() <= 1e-9 * scale {
            return None;
        }
        let others = equations.iter_mut().enumerate().filter(|(which, _)| *which != step);
        for (_, equation) in others {
            let factor = equation[step] / pivot[step];
            equation.iter_mut().zip(&pivot).for_each(|(of, other)| *of -= factor * other);
        }
    }
    let mut costs = [0.0; COSTS];
    for (step, which) in kept.iter().enumerate() {
        costs[*which] = equations[step][count] / equations[step][step];
    }
    Some(costs)
}

#[cfg(test)]
mod tests {
    use super::*;

    const RATES: Rates = Rates {
        read_iops: Some(90_000.0),
        read_bandwidth: Some(2e9),
        write_iops: Some(40_000.0),
        write_bandwidth: Some(7e8),
        duplex: false,
    };

    fn seen(rates: Rates, mixes: &[Mix]) -> Vec<(Mix, f64)> {
        mixes.iter().map(|mix| (*mix, 1.0 / rates.requests_per_second(*mix))).collect()
    }

    fn assert_near(found: Option<f64>, expected: Option<f64>) {
        match (found, expected) {
            (Some(found), Some(expected)) => assert!((found / expected - 1.0).abs() < 1e-6, "{found}"),
            (found, expected) => assert_eq!(found, expected),
        }
    }

    #[test]
    fn rates_that_made_the_times_are_found() {
        for rates in [RATES, Rates { read_bandwidth: None, ..RATES }, Rates { write_iops: None, ..RATES }] {
            let found = best_rates(&seen(rates, &Mix::ten()), RATES).unwrap();
            assert_near(found.read_iops, rates.read_iops);
            assert_near(found.read_bandwidth, rates.read_bandwidth);
            assert_near(found.write_iops, rates.write_iops);
            assert_near(found.write_bandwidth, rates.write_bandwidth);
        }
    }

    #[test]
    fn rates_of_a_duplex_disk_are_found_from_wrong_ones() {
        let duplex = Rates { duplex: true, ..RATES };
        let start = Rates { write_iops: Some(80_000.0), write_bandwidth: Some(1e9), ..duplex };
        let found = best_rates(&seen(duplex, &Mix::ten()), start).unwrap();
        assert!(found.duplex);
        assert_near(found.read_bandwidth, RATES.read_bandwidth);
        assert_near(found.write_iops, RATES.write_iops);
    }

    #[test]
    fn no_cost_is_below_0_and_too_little_says_nothing() {
        // Larger requests that take less time would be bytes that give time back.
        let odd: Vec<(Mix, f64)> = Mix::ten().iter().map(|mix| (*mix, 1.0 / f64::from(mix.bytes))).collect();
        let found = best_rates(&odd, RATES).unwrap();
        let all = [found.read_iops, found.read_bandwidth, found.write_iops, found.write_bandwidth];
        assert!(all.into_iter().flatten().all(|rate| rate > 0.0) && all.contains(&None), "{all:?}");
        assert_eq!(best_rates(&seen(RATES, &Mix::ten()[..3]), RATES), None);
        assert_eq!(best_rates(&[(Mix::ten()[0], f64::NAN); 4], RATES), None);
        // Of reads alone, nothing is known of writes.
        let reads: Vec<Mix> =
            [4, 16, 64, 256].map(|kib| Mix { bytes: kib << 10, read_percent: 100 }).to_vec();
        let found = best_rates(&seen(RATES, &reads), RATES).unwrap();
        assert_near(found.read_bandwidth, RATES.read_bandwidth);
        assert_eq!((found.write_iops, found.write_bandwidth), (None, None));
    }
}
