//! What a sweep shows, in a few sentences.

use crate::format::significant;
use crate::pool::{Baselines, GAINS_NOTHING, PoolCell, PoolSweep, added};

/// What ACE gains, what a cleaner that knows the device gains, what ACE costs, and what it gains over a
/// classic page cleaner. Each compares pools that differ in that one thing.
pub(super) fn sentences(sweep: &PoolSweep, baselines: &Baselines<'_>) -> Vec<String> {
    let mut out = Vec::new();
    out.extend(gain("ACE", "it", sweep, with_ace(sweep), |cell| baselines.without_ace(cell)));
    out.extend(gain(
        "A cleaner that knows the device",
        "a cleaner",
        sweep,
        sweep.cells.iter().filter(|cell| cell.cleaner == "auto"),
        |cell| baselines.without_cleaner(cell),
    ));
    let most = |of: fn(&PoolCell) -> u64| {
        let shares = with_ace(sweep).filter_map(|c| added(of(c), of(baselines.without_ace(c)?)));
        shares.reduce(f64::max).map(|share| format!("{:+.2} %", 100.0 * share))
    };
    if let (Some(misses), Some(writes)) = (most(|c| c.misses), most(|c| c.writes)) {
        out.push(format!("At worst ACE adds {misses} misses and {writes} page writes."));
    }
    let alone = with_ace(sweep).filter(|cell| cell.cleaner == "off");
    let over: Vec<Gain> = alone.filter_map(|c| Some((c.speedup_over(baselines.classic(c)?)?, c))).collect();
    if let Some((low, high)) = ends(&over) {
        out.push(format!(
            "ACE instead of a page cleaner with one write in flight is {} ({}) to {} times as fast ({}).",
            significant(low.0),
            name(low.1, sweep),
            significant(high.0),
            name(high.1, sweep),
        ));
    }
    out
}

/// What something gains over the same pool without it, and in how many pools it gains nothing.
fn gain<'a>(
    what: &str,
    without: &str,
    sweep: &'a PoolSweep,
    cells: impl Iterator<Item = &'a PoolCell>,
    base: impl Fn(&PoolCell) -> Option<&'a PoolCell>,
) -> Vec<String> {
    let gains: Vec<Gain> = cells.filter_map(|cell| Some((cell.speedup_over(base(cell)?)?, cell))).collect();
    let Some((low, high)) = ends(&gains) else { return Vec::new() };
    let mut out = vec![format!(
        "{what} is {} to {} times as fast as the same pool without {without}: most with {}, least with {}.",
        significant(low.0),
        significant(high.0),
        name(high.1, sweep),
        name(low.1, sweep),
    )];
    let nothing = gains.iter().filter(|(gain, _)| *gain < GAINS_NOTHING).count();
    if nothing > 0 {
        let pools = gains.len();
        out.push(format!(
            "{what} gains nothing (less than {GAINS_NOTHING} times) in {nothing} of {pools} pools."
        ));
    }
    out
}

fn with_ace(sweep: &PoolSweep) -> impl Iterator<Item = &PoolCell> {
    sweep.cells.iter().filter(|cell| cell.ace != "off")
}

type Gain<'a> = (f64, &'a PoolCell);

fn ends<'a>(gains: &[Gain<'a>]) -> Option<(Gain<'a>, Gain<'a>)> {
    let by_gain = |a: &&Gain, b: &&Gain| a.0.total_cmp(&b.0);
    Some((*gains.iter().min_by(by_gain)?, *gains.iter().max_by(by_gain)?))
}

/// The variant, and of the rest what differs in the sweep.
fn name(cell: &PoolCell, sweep: &PoolSweep) -> String {
    let mut words = vec![cell.variant()];
    let mut add = |of: fn(&PoolCell) -> String| {
        if sweep.cells.iter().any(|other| of(other) != of(cell)) {
            words.push(of(cell));
        }
    };
    add(|c| c.policy.clone());
    add(|c| if c.ace == "off" { String::new() } else { format!("n = {}", c.n) });
    add(|c| format!("{} frames", c.frames));
    add(|c| format!("{} client{}", c.clients, if c.clients == 1 { "" } else { "s" }));
    add(|c| c.read_share.map(|share| format!("{share} % reads")).unwrap_or_default());
    add(|c| c.alpha_1.map(|alpha| format!("α₁ = {alpha}")).unwrap_or_default());
    words.retain(|word| !word.is_empty());
    words.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pool::sample::{cell, sweep};

    #[test]
    fn best_and_worst_are_named() {
        let worse = PoolCell { clients: 8, misses: 404, ..cell("cow", "off", 1.0) };
        let base = PoolCell { clients: 8, ..cell("off", "off", 1.01) };
        let several = sweep(vec![cell("off", "off", 3.0), cell("cow", "off", 2.0), base, worse]);
        let said = sentences(&several, &several.baselines());
        assert_eq!(
            said,
            [
                "ACE is 1.01 to 1.50 times as fast as the same pool without it: most with cow, n = 8, 1 client, least with \
                 cow, n = 8, 8 clients.",
                "ACE gains nothing (less than 1.02 times) in 1 of 2 pools.",
                "At worst ACE adds +1.00 % misses and +0.00 % page writes.",
            ]
        );
        // What the cleaner gains is not credited to ACE, nor the other way round.
        let both = sweep(vec![
            cell("off", "off", 4.0),
            cell("off", "auto", 2.0),
            cell("cow", "off", 3.2),
            cell("cow", "auto", 1.6),
        ]);
        let said = sentences(&both, &both.baselines());
        assert!(said[0].starts_with("ACE is 1.25 to 1.25 times as fast"), "{said:?}");
        assert!(said[1].starts_with("A cleaner that knows the device is 2.00 to 2.00 times"), "{said:?}");
        let alone = sweep(vec![cell("off", "off", 3.0)]);
        assert!(sentences(&alone, &alone.baselines()).is_empty());
    }
}
