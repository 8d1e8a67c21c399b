//! The protocol of the threads under every interleaving (loom).

use loom::sync::Arc;
use loom::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use loom::thread;

use super::super::record::Payload;
use super::super::{LogError, Lsn, buffer, record};

mod primitives {
    pub(super) use loom::sync::{Condvar, Mutex, MutexGuard};

    /// The time is always over.
    pub(super) fn wait_at_most<'a, T>(
        _: &Condvar,
        guard: MutexGuard<'a, T>,
        _: std::time::Duration,
    ) -> (MutexGuard<'a, T>, bool) {
        (guard, true)
    }
}

#[allow(clippy::duplicate_mod, reason = "once with the threads of the system, once with those of the model")]
#[allow(dead_code, reason = "not all of it has threads")]
#[path = "../group_commit.rs"]
mod group_commit;

use group_commit::{GroupCommit, Target};

struct Shared {
    group: GroupCommit,
    writing: AtomicBool,
    durable: AtomicU64,
    fails: bool,
}

impl Shared {
    fn commit(&self) -> Result<(), LogError> {
        let lsn = self.group.append(1, &Payload::new(&[b"record"]).unwrap())?.0;
        self.group.reach(Target::Durable(lsn), |batch, sync| {
            assert!(sync);
            assert!(!self.writing.swap(true, Ordering::SeqCst), "two threads write");
            assert!(batch.start().0 <= self.durable.load(Ordering::SeqCst), "a batch was left out");
            if self.fails {
                self.writing.store(false, Ordering::SeqCst);
                return Err(LogError::TooLarge { bytes: 0, limit: 0 });
            }
            self.durable.store(batch.end().0, Ordering::SeqCst);
            self.writing.store(false, Ordering::SeqCst);
            Ok(())
        })?;
        assert!(self.durable.load(Ordering::SeqCst) >= lsn.0, "acknowledged before it was durable");
        Ok(())
    }
}

fn threads(fails: bool) {
    let mut model = loom::model::Builder::new();
    model.preemption_bound = Some(3);
    model.check(move || {
        let group = GroupCommit::new(Lsn(0));
        let (writing, durable) = (AtomicBool::new(false), AtomicU64::new(0));
        let shared = Arc::new(Shared { group, writing, durable, fails });
        let others: Vec<_> = (0..2)
            .map(|_| {
                let shared = Arc::clone(&shared);
                thread::spawn(move || assert_eq!(shared.commit().is_err(), fails))
            })
            .collect();
        assert_eq!(shared.commit().is_err(), fails);
        others.into_iter().for_each(|other| other.join().unwrap());
    });
}

#[test]
fn whoever_returns_is_durable_and_nobody_waits_for_ever() {
    threads(false);
}

#[test]
fn after_an_error_everybody_returns_with_one() {
    threads(true);
}
