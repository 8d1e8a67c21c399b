//! Which parameters a profile shows: how far each can be from its best value while the other parameters make
//! up for it (profile likelihood).

use crate::parameter::Parameter;
use crate::search::{Found, Search};

/// A parameter is identified where the values that fit about as well are within this factor of each other.
pub const IDENTIFIED: f64 = 2.0;

/// How far from the best value is tried, factors of it.
const FACTORS: [f64; 6] = [1.1, 1.25, 1.5, 2.0, 4.0, 12.0];

/// With which the other parameters make up for it.
const STEPS: [f64; 2] = [1.25, 1.06];

/// Sweeps of each.
const SWEEPS: usize = 1;

/// The values of a parameter with which a drive fits about as well as the best.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Spread {
    /// Least and most.
    pub(crate) range: [f64; 2],
    /// Whether nothing beyond that end fits worse, as far as was tried.
    pub(crate) open: [bool; 2],
}

impl Spread {
    /// Whether it is narrow enough to say that the profile shows the value.
    pub(crate) fn is_identified(&self) -> bool {
        !self.open.contains(&true) && self.range[1] <= IDENTIFIED * self.range[0]
    }

    /// So that it has this value, too.
    pub(crate) fn widen(&mut self, value: f64) {
        self.range = [self.range[0].min(value), self.range[1].max(value)];
    }

    /// Whether a drive with this value may fit about as well.
    pub(crate) fn holds(&self, value: f64) -> bool {
        let [least, most] = self.range;
        (self.open[0] || least <= value) && (self.open[1] || value <= most)
    }
}

/// The spread of `parameter` around `best`: drives with a misfit of at most `limit`. `best` gets the best
/// drive seen on the way, where one is better.
pub(crate) fn spread(search: &Search, best: &mut Found, parameter: Parameter, limit: f64) -> Spread {
    let held: Vec<Parameter> = search.held.iter().copied().chain([parameter]).collect();
    let search = Search { held: &held, ..*search };
    let centre = best.values.get(parameter);
    let from = *best;
    let mut spread = Spread { range: [centre; 2], open: [true; 2] };
    for (end, up) in [(0, false), (1, true)] {
        let mut last = from;
        for value in beyond(parameter, centre, up) {
            let mut found = search.at(last.values.with(parameter, value));
            if found.misfit > limit {
                found = search.descend(found, &STEPS, SWEEPS, limit);
            }
            if found.misfit > limit {
                spread.open[end] = false;
                spread.range[end] = crossing(parameter, last, found, limit);
                break;
            }
            if found.misfit < best.misfit {
                *best = found;
            }
            last = found;
            spread.range[end] = value;
        }
    }
    spread
}

/// The values to try, further and further from the best.
fn beyond(parameter: Parameter, centre: f64, up: bool) -> Vec<f64> {
    let [least, most] = parameter.range();
    let [_, .., farthest] = FACTORS;
    let is_near = |value: &f64| (centre / farthest..=centre * farthest).contains(value);
    let mut values: Vec<f64> = match parameter.steps() {
        Some(steps) => steps.iter().copied().filter(is_near).collect(),
        None => FACTORS.map(|factor| if up { centre * factor } else { centre / factor }).to_vec(),
    };
    values.iter_mut().for_each(|value| *value = value.clamp(least, most));
    values.retain(|value| if up { *value > centre } else { *value < centre });
    values.sort_by(|a, b| if up { a.total_cmp(b) } else { b.total_cmp(a) });
    values.dedup();
    values
}

/// Where the misfit passes the limit: between the last drive that fits and the first that does not.
fn crossing(parameter: Parameter, inside: Found, outside: Found, limit: f64) -> f64 {
    let (a, b) = (inside.values.get(parameter), outside.values.get(parameter));
    if parameter.steps().is_some() {
        return a;
    }
    let share = ((limit - inside.misfit) / (outside.misfit - inside.misfit)).clamp(0.0, 1.0);
    (a.ln() + share * (b.ln() - a.ln())).exp()
}
