//! What all queue pairs of a faulty device share: the count of requests, and whether there still is power.

use std::sync::{Mutex, MutexGuard, PoisonError};

use super::fault::Fault;
use super::history::History;
use super::outcome::Outcome;
use super::rule::{FaultKind, FaultRule};
use crate::{Geometry, Op, Request};

/// Shared by the queue pairs. One lock, so that all faults count the requests in the same order.
#[derive(Debug)]
pub(super) struct FaultState {
    ledger: Mutex<Ledger>,
    /// Kept only where a fault needs it.
    history: Option<Mutex<History>>,
}

#[derive(Debug)]
struct Ledger {
    submitted: u64,
    accounts: Vec<Account>,
    power: Power,
}

/// A fault and its counts.
#[derive(Debug)]
struct Account {
    rule: FaultRule,
    counted: u64,
    struck: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Power {
    On,
    /// Lost; what is submitted still was in the air.
    Failing {
        silent: bool,
    },
    Off {
        silent: bool,
    },
}

impl FaultState {
    pub(super) fn new(faults: &[Fault]) -> FaultState {
        let account = |fault: &Fault| Account { rule: fault.rule(), counted: 0, struck: 0 };
        let accounts: Vec<Account> = faults.iter().map(account).collect();
        let remembers = accounts.iter().any(|account| account.rule.kind == FaultKind::Stale);
        let ledger = Ledger { submitted: 0, accounts, power: Power::On };
        FaultState { ledger: Mutex::new(ledger), history: remembers.then(Mutex::default) }
    }

    /// Counts a request and decides what becomes of it.
    pub(super) fn outcome(&self, request: Request, geometry: &Geometry) -> Outcome {
        let mut ledger = self.ledger();
        ledger.submitted += 1;
        let mut outcome = Outcome::new(request);
        let Ledger { accounts, power, .. } = &mut *ledger;
        for (place, account) in accounts.iter_mut().enumerate() {
            if !account.rule.counts(&request, geometry) {
                continue;
            }
            let nth = account.counted;
            account.counted += 1;
            if let Some(mut random) = account.rule.strikes(nth, place) {
                account.struck += 1;
                outcome.befall(account.rule.kind, geometry, &mut random);
                if let (FaultKind::PowerCut { silent }, Power::On) = (account.rule.kind, *power) {
                    *power = Power::Failing { silent };
                }
            }
        }
        outcome.settle();
        match *power {
            Power::On => {}
            Power::Failing { silent } => {
                outcome.lose_power(silent, matches!(request.op, Op::Write | Op::Trim));
            }
            Power::Off { silent } => outcome.lose_power(silent, false),
        }
        outcome
    }

    /// Notes that somebody reaps: what is submitted after that came too late for a power that failed before.
    pub(super) fn reaped(&self) {
        let mut ledger = self.ledger();
        if let Power::Failing { silent } = ledger.power {
            ledger.power = Power::Off { silent };
        }
    }

    pub(super) fn submitted(&self) -> u64 {
        self.ledger().submitted
    }

    pub(super) fn strikes(&self) -> Vec<u64> {
        self.ledger().accounts.iter().map(|account| account.struck).collect()
    }

    /// What was on the device before, where a fault needs it.
    pub(super) fn history(&self) -> Option<MutexGuard<'_, History>> {
        self.history.as_ref().map(|history| history.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn ledger(&self) -> MutexGuard<'_, Ledger> {
        self.ledger.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
