//! What a sweep shows, in a few sentences.

use leadline_figures::number::{counted, significant};

use super::{Baselines, GAINS_NOTHING, Outcome, Swept, SweptPool, added};

/// What ACE gains, what a cleaner that knows the device gains, what ACE costs, and what it gains over a
/// classic page cleaner. Each compares pools that differ in that one thing.
pub(super) fn sentences(sweep: &Swept, baselines: &Baselines<'_>) -> Vec<String> {
    let mut out = Vec::new();
    out.extend(gain("ACE", "it", sweep, with_ace(sweep), |cell| baselines.without_ace(cell)));
    out.extend(gain(
        "A cleaner that knows the device",
        "a cleaner",
        sweep,
        sweep.pools.iter().filter(|cell| cell.outcome.cleaner == "auto"),
        |cell| baselines.without_cleaner(cell),
    ));
    let most = |of: fn(&Outcome) -> u64| {
        let more = |c: &SweptPool| added(of(&c.outcome), of(&baselines.without_ace(c)?.outcome));
        let shares = with_ace(sweep).filter_map(more);
        shares.reduce(f64::max).map(|share| format!("{:+.2} %", 100.0 * share))
    };
    if let (Some(misses), Some(writes)) = (most(|c| c.misses), most(|c| c.writes)) {
        out.push(format!("At worst ACE adds {misses} misses and {writes} page writes."));
    }
    let alone = with_ace(sweep).filter(|cell| cell.outcome.cleaner == "off");
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
    sweep: &'a Swept,
    cells: impl Iterator<Item = &'a SweptPool>,
    base: impl Fn(&SweptPool) -> Option<&'a SweptPool>,
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

fn with_ace(sweep: &Swept) -> impl Iterator<Item = &SweptPool> {
    sweep.pools.iter().filter(|cell| cell.outcome.ace != "off")
}

type Gain<'a> = (f64, &'a SweptPool);

fn ends<'a>(gains: &[Gain<'a>]) -> Option<(Gain<'a>, Gain<'a>)> {
    let by_gain = |a: &&Gain, b: &&Gain| a.0.total_cmp(&b.0);
    Some((*gains.iter().min_by(by_gain)?, *gains.iter().max_by(by_gain)?))
}

/// The variant, and of the rest what differs in the sweep.
fn name(cell: &SweptPool, sweep: &Swept) -> String {
    let mut words = vec![cell.variant()];
    let mut add = |of: fn(&SweptPool) -> String| {
        if sweep.pools.iter().any(|other| of(other) != of(cell)) {
            words.push(of(cell));
        }
    };
    add(|c| c.outcome.policy.clone());
    add(|c| if c.outcome.ace == "off" { String::new() } else { format!("n = {}", c.outcome.n) });
    add(|c| format!("{} frames", c.outcome.frames));
    add(|c| counted(c.outcome.clients.into(), "client"));
    add(|c| c.read_share.map(|share| format!("{share} % reads")).unwrap_or_default());
    add(|c| c.alpha_1.map(|alpha| format!("α₁ = {alpha}")).unwrap_or_default());
    words.retain(|word| !word.is_empty());
    words.join(", ")
}
