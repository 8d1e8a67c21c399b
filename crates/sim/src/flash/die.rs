//! One die: reads in the order in which they come, at most one program or erase at a time, and how they get
//! in each other's way.

use leadline_device::Nanos;

/// How often reads may hold up one program or erase. Without a bound, reads that keep coming would starve it.
const MOST_YIELDS: u8 = 16;

/// A program or an erase.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Work {
    pub(super) kind: WorkKind,
    /// When its data is in the die's register.
    pub(super) ready: Nanos,
    /// What it takes.
    pub(super) takes: Nanos,
}

/// What is done when it is done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum WorkKind {
    /// The host's units are programmed: the first of them in the write buffer.
    Host(u32),
    /// Units of the victim of the die's lane are programmed.
    Moved,
    /// Pages that were next to one that was read too often are programmed.
    Refreshed,
    /// The victim of the die's lane is erased here.
    Erase,
}

/// The program or erase that is under way or next.
#[derive(Debug, Clone, Copy)]
struct Running {
    kind: WorkKind,
    begins: Nanos,
    ends: Nanos,
    yields: u8,
    /// Until when it is suspended for reads.
    suspended_until: Nanos,
}

/// A die.
#[derive(Debug, Clone)]
pub(super) struct Die {
    /// When the last read that was taken on is done.
    reads_until: Nanos,
    running: Option<Running>,
    waiting: std::collections::VecDeque<Work>,
}

impl Die {
    pub(super) fn new() -> Self {
        Die { reads_until: 0, running: None, waiting: std::collections::VecDeque::with_capacity(8) }
    }

    /// Takes on a read that comes at `now`; gives when its data is in the register. `suspend` is what it
    /// takes until a program or erase gives way; `None` where it does not.
    pub(super) fn read(&mut self, now: Nanos, takes: Nanos, suspend: Option<Nanos>) -> Nanos {
        let start = now.max(self.reads_until);
        let start = match &mut self.running {
            Some(work) if start < work.ends => work.let_read(start, takes, suspend),
            _ => start,
        };
        self.reads_until = start + takes;
        self.reads_until
    }

    /// Whether anything is under way at `now`.
    pub(super) fn is_busy(&self, now: Nanos) -> bool {
        self.reads_until > now || self.running.is_some()
    }

    /// Takes on a program or erase; gives when it ends, where it is the next.
    pub(super) fn add(&mut self, work: Work, now: Nanos) -> Option<Nanos> {
        self.waiting.push_back(work);
        if self.running.is_some() { None } else { self.next(now) }
    }

    /// What has ended at `now`; `Err` with when it will end, where reads have held it up, and `None` where
    /// nothing runs.
    pub(super) fn finish(&mut self, now: Nanos) -> Option<Result<WorkKind, Nanos>> {
        let work = self.running?;
        if work.ends > now {
            return Some(Err(work.ends));
        }
        self.running = None;
        Some(Ok(work.kind))
    }

    /// Begins the next program or erase, behind the reads that are there; gives when it ends.
    pub(super) fn next(&mut self, now: Nanos) -> Option<Nanos> {
        if self.running.is_some() {
            return None;
        }
        let work = self.waiting.pop_front()?;
        let begins = now.max(work.ready).max(self.reads_until);
        let ends = begins + work.takes;
        self.running = Some(Running { kind: work.kind, begins, ends, yields: 0, suspended_until: 0 });
        Some(ends)
    }
}

impl Running {
    /// When a read that could start at `start`, before the end, does.
    fn let_read(&mut self, start: Nanos, takes: Nanos, suspend: Option<Nanos>) -> Nanos {
        if start + takes <= self.begins {
            return start;
        }
        if self.yields >= MOST_YIELDS {
            return self.ends;
        }
        if start <= self.begins {
            // It waits for its data or for earlier reads: one more.
            self.yields += 1;
            let later = start + takes - self.begins;
            (self.begins, self.ends) = (self.begins + later, self.ends + later);
            return start;
        }
        let Some(suspend) = suspend else { return self.ends };
        self.yields += 1;
        let start = if start <= self.suspended_until { start } else { start + suspend };
        if start >= self.ends {
            return self.ends; // over before it could be suspended
        }
        self.ends += takes + if start == self.suspended_until { 0 } else { suspend };
        self.suspended_until = start + takes;
        start
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const US: Nanos = 1000;

    fn erasing() -> Die {
        let mut die = Die::new();
        let ends = die.add(Work { kind: WorkKind::Erase, ready: 0, takes: 3000 * US }, 0);
        assert_eq!(ends, Some(3000 * US));
        die
    }

    #[test]
    fn reads_follow_each_other() {
        let mut die = Die::new();
        assert_eq!(die.read(10 * US, 50 * US, None), 60 * US);
        assert_eq!(die.read(20 * US, 50 * US, None), 110 * US);
        assert_eq!(die.read(200 * US, 50 * US, None), 250 * US);
    }

    #[test]
    fn a_read_waits_for_an_erase_unless_it_is_suspended() {
        assert_eq!(erasing().read(100 * US, 50 * US, None), 3050 * US);
        let mut die = erasing();
        assert_eq!(die.read(100 * US, 50 * US, Some(20 * US)), 170 * US);
        assert_eq!(die.read(120 * US, 50 * US, Some(20 * US)), 220 * US, "it is suspended already");
        assert_eq!(die.finish(3000 * US), Some(Err(3120 * US)), "two reads and one suspension later");
        assert_eq!(die.finish(3120 * US), Some(Ok(WorkKind::Erase)));
    }

    #[test]
    fn reads_cannot_starve_an_erase() {
        let mut die = erasing();
        for _ in 0..1000 {
            die.read(die.reads_until, 50 * US, Some(0));
        }
        assert!(die.running.unwrap().ends < 4000 * US);
    }

    #[test]
    fn a_program_waits_for_its_data_and_lets_reads_go_first() {
        let mut die = Die::new();
        let work = Work { kind: WorkKind::Moved, ready: 100 * US, takes: 200 * US };
        assert_eq!(die.add(work, 0), Some(300 * US));
        assert_eq!(die.read(0, 50 * US, None), 50 * US, "done before the data is there");
        assert_eq!(die.read(80 * US, 50 * US, None), 130 * US);
        assert_eq!(die.finish(300 * US), Some(Err(330 * US)));
    }
}
