//! Whether a fault hits an operation. The same seed and the same operations give the same faults.

use std::collections::BTreeMap;

use super::schedule::{FaultKind, FaultSpec, FileOperation, Schedule};

/// An operation that a fault may befall.
#[derive(Debug)]
pub(crate) struct Subject<'a> {
    pub(crate) operation: FileOperation,
    /// From the root of the mount.
    pub(crate) path: &'a str,
    pub(crate) offset: u64,
    pub(crate) len: u64,
    /// Seconds since the mount.
    pub(crate) seconds: f64,
}

/// What befalls an operation.
#[derive(Debug, Default)]
pub(crate) struct Effects {
    /// In the order of the schedule, each with what its choices are made with.
    pub(crate) kinds: Vec<(FaultSpec, fastrand::Rng)>,
}

impl Effects {
    /// The fault of this kind, if it befalls the operation.
    pub(crate) fn of(&mut self, kind: FaultKind) -> Option<&mut fastrand::Rng> {
        self.kinds.iter_mut().find(|(fault, _)| fault.kind == kind).map(|(_, random)| random)
    }
}

/// A fault, and how far it has come.
#[derive(Debug)]
struct Armed {
    fault: FaultSpec,
    /// Operations that matched it.
    matched: u64,
    happened: u64,
    random: fastrand::Rng,
}

/// The faults that may happen.
#[derive(Debug)]
pub(crate) struct Injector {
    armed: Vec<Armed>,
    seeds: fastrand::Rng,
    /// How often each has happened.
    counts: BTreeMap<&'static str, u64>,
}

impl Injector {
    pub(crate) fn new(schedule: Schedule) -> Injector {
        let seeds = fastrand::Rng::with_seed(schedule.seed);
        let mut injector = Injector { armed: Vec::new(), seeds, counts: BTreeMap::new() };
        schedule.faults.into_iter().for_each(|fault| injector.arm(fault));
        injector
    }

    /// Adds a fault.
    pub(crate) fn arm(&mut self, fault: FaultSpec) {
        let random = self.seeds.fork();
        self.armed.push(Armed { fault, matched: 0, happened: 0, random });
    }

    /// Whether none can happen any more: then nobody need ask.
    pub(crate) fn is_idle(&self) -> bool {
        self.armed.iter().all(Armed::is_over)
    }

    /// What befalls an operation.
    pub(crate) fn strike(&mut self, subject: &Subject<'_>) -> Effects {
        let mut effects = Effects::default();
        for armed in &mut self.armed {
            if armed.matches(subject) && armed.happens(subject) {
                *self.counts.entry(armed.fault.kind.name()).or_default() += 1;
                effects.kinds.push((armed.fault.clone(), armed.random.fork()));
            }
        }
        effects
    }

    /// A fault that happened outside of the schedule.
    pub(crate) fn count(&mut self, kind: FaultKind) {
        *self.counts.entry(kind.name()).or_default() += 1;
    }

    /// How often each kind has happened.
    pub(crate) fn counts(&self) -> &BTreeMap<&'static str, u64> {
        &self.counts
    }
}

impl Armed {
    fn is_over(&self) -> bool {
        self.fault.times.is_some_and(|times| self.happened >= times)
    }

    fn matches(&self, subject: &Subject<'_>) -> bool {
        let fault = &self.fault;
        let end = subject.offset.saturating_add(subject.len);
        !self.is_over()
            && fault.kind.befalls(subject.operation)
            && fault.operation.is_none_or(|operation| operation == subject.operation)
            && fault.path.as_ref().is_none_or(|path| path.matches(subject.path))
            && fault.range.as_ref().is_none_or(|range| subject.offset < range.end && range.start < end)
    }

    fn happens(&mut self, subject: &Subject<'_>) -> bool {
        self.matched += 1;
        let due = self.matched > self.fault.after_ops && subject.seconds >= self.fault.at_s;
        // One number per operation that is due, so that what came before does not shift the choice.
        let happens = due && (self.fault.probability >= 1.0 || self.random.f64() < self.fault.probability);
        self.happened += u64::from(happens);
        happens
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn write(path: &str, offset: u64) -> Subject<'_> {
        Subject { operation: FileOperation::Write, path, offset, len: 4096, seconds: 1.0 }
    }

    fn struck(text: &str, subjects: impl IntoIterator<Item = u64>) -> Vec<u64> {
        let mut injector = Injector::new(Schedule::parse(text, "faults.toml").unwrap());
        subjects
            .into_iter()
            .filter(|&at| !injector.strike(&write("a/b.dat", at * 4096)).kinds.is_empty())
            .collect()
    }

    #[test]
    fn operations_are_counted_and_spared() {
        let text = "[[fault]]\nkind = \"eio\"\npath = \"a/*.dat\"\nafter_ops = 3\ntimes = 2\n";
        assert_eq!(struck(text, 0..10), [3, 4]);
        assert_eq!(struck("[[fault]]\nkind = \"eio\"\npath = \"*.wal\"\n", 0..10), [0; 0]);
        assert_eq!(struck("[[fault]]\nkind = \"bit-flip-read\"\n", 0..10), [0; 0]);
        assert_eq!(
            struck("[[fault]]\nkind = \"eio\"\nrange = [8192, 8193]\ntimes = \"forever\"\n", 0..10),
            [2]
        );
        assert_eq!(struck("[[fault]]\nkind = \"eio\"\nat_s = 1.5\n", 0..10), [0; 0]);
    }

    #[test]
    fn the_same_seed_strikes_the_same_operations() {
        let text = |seed| {
            format!(
                "seed = {seed}\n[[fault]]\nkind = \"lost-write\"\nprobability = 0.3\ntimes = \"forever\"\n"
            )
        };
        let first = struck(&text(5), 0..200);
        assert!((30..=90).contains(&first.len()), "{}", first.len());
        assert_eq!(first, struck(&text(5), 0..200));
        assert_ne!(first, struck(&text(6), 0..200));
    }
}
