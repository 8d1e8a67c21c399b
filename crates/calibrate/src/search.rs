//! The search for the drive that comes nearest: along each parameter and along pairs that make up for each
//! other, with steps that shrink. It needs no derivatives and no luck: the same profile gives the same drive.

use std::sync::atomic::{AtomicBool, Ordering};

use crate::description::Shape;
use crate::misfit::Misfit;
use crate::parameter::{Parameter, Values};

/// One way to change a drive.
#[derive(Debug, Clone, Copy)]
enum Move {
    /// One parameter by a factor.
    One(Parameter),
    /// Both by the same factor: what is done at once, and how long it takes.
    Together(Parameter, Parameter),
    /// Time goes from one to the other: as much as a factor makes of the first.
    Over(Parameter, Parameter),
}

/// All of them; those along which misfits are narrow valleys are among the pairs.
const MOVES: [Move; 20] = [
    Move::One(Parameter::Request),
    Move::One(Parameter::Copy),
    Move::One(Parameter::Cap),
    Move::One(Parameter::Link),
    Move::One(Parameter::Controller),
    Move::One(Parameter::Read),
    Move::One(Parameter::Dies),
    Move::One(Parameter::Stripe),
    Move::One(Parameter::Sigma),
    Move::One(Parameter::Bus),
    Move::One(Parameter::Hit),
    Move::One(Parameter::Program),
    Move::Together(Parameter::Dies, Parameter::Read),
    Move::Together(Parameter::Dies, Parameter::Program),
    Move::Together(Parameter::Stripe, Parameter::Program),
    Move::Over(Parameter::Read, Parameter::Controller),
    Move::Over(Parameter::Controller, Parameter::Hit),
    Move::Over(Parameter::Request, Parameter::Controller),
    Move::Over(Parameter::Controller, Parameter::Request),
    Move::Over(Parameter::Controller, Parameter::Read),
];

impl Move {
    fn parameters(self) -> [Parameter; 2] {
        match self {
            Move::One(parameter) => [parameter; 2],
            Move::Together(a, b) | Move::Over(a, b) => [a, b],
        }
    }

    fn apply(self, values: Values, factor: f64) -> Values {
        match self {
            Move::One(parameter) => values.scaled(parameter, factor),
            Move::Together(a, b) => {
                let moved = values.scaled(a, factor);
                moved.with(b, values.get(b) * moved.get(a) / values.get(a))
            }
            Move::Over(from, to) => {
                let moved = values.with(from, values.get(from) * factor);
                moved.with(to, values.get(to) + values.get(from) - moved.get(from))
            }
        }
    }
}

/// A drive and how far it is off.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Found {
    pub(crate) values: Values,
    pub(crate) misfit: f64,
}

/// What is searched: a shape, and the curves that count.
#[derive(Clone, Copy)]
pub(crate) struct Search<'a> {
    pub(crate) misfit: &'a Misfit<'a>,
    pub(crate) shape: Shape,
    pub(crate) curves: &'a [usize],
    /// Parameters that stay as they are.
    pub(crate) held: &'a [Parameter],
    /// Ends it early.
    pub(crate) cancel: &'a AtomicBool,
}

impl Search<'_> {
    pub(crate) fn at(&self, values: Values) -> Found {
        self.below(values, f64::INFINITY)
    }

    /// The same, exactly only where the misfit is less than `bound`.
    fn below(&self, values: Values, bound: f64) -> Found {
        Found { values, misfit: self.misfit.below(self.shape, &values, self.curves, bound) }
    }

    /// Goes downhill with each of `steps` (factors above 1) in turn, until no move with it gains much or
    /// `sweeps` are over; ends at once where the misfit is no more than `enough`.
    pub(crate) fn descend(&self, from: Found, steps: &[f64], sweeps: usize, enough: f64) -> Found {
        let mut best = from;
        for &step in steps {
            for _ in 0..sweeps {
                let before = best.misfit;
                best = self.sweep(best, step, enough);
                if best.misfit <= enough || self.cancel.load(Ordering::Relaxed) {
                    return best;
                }
                if before - best.misfit <= 0.01 * before {
                    break;
                }
            }
        }
        best
    }

    /// Every move once, both ways; one that gains is made again while it gains.
    fn sweep(&self, from: Found, step: f64, enough: f64) -> Found {
        let mut best = from;
        for way in MOVES {
            if way
                .parameters()
                .iter()
                .any(|parameter| self.held.contains(parameter) || !self.shape.has(*parameter))
            {
                continue;
            }
            for factor in [step, 1.0 / step] {
                let before = best.misfit;
                while best.misfit > enough {
                    let next = way.apply(best.values, factor);
                    if next == best.values {
                        break;
                    }
                    let next = self.below(next, best.misfit);
                    if next.misfit >= best.misfit {
                        break;
                    }
                    best = next;
                }
                if best.misfit < before {
                    break; // the other way is where it came from
                }
            }
        }
        best
    }
}
