//! Every policy against a plain one: the same random operations, and after each the whole virtual order is
//! the same.
//!
//! The plain ones (`leadline_testing::policies`) say in vectors what the papers say in words: what happens
//! next, a second chance or a victim. Their order is found by doing it on a copy.

use std::collections::BTreeSet;
use std::ops::ControlFlow;

use leadline_pool::policy::{Frame, Page, Policy, PolicyKind, Verdict, Walk};
use leadline_testing::policies::{self as plain, Plain};
use proptest::prelude::*;

/// What may happen to a pool.
#[derive(Debug, Clone, Copy)]
enum Operation {
    /// A page is used; where it is not in a full pool, the victim is the `skip`-th page of the order that
    /// goes (the ones before it are pinned).
    Access { page: Page, write: bool, skip: usize },
    /// A page is read ahead if a frame is free.
    ReadAhead { page: Page },
    /// One of the pages in the pool has been written back.
    Clean { choice: usize },
    /// The `skip`-th page of the order goes and nothing comes.
    Evict { skip: usize },
    /// The first `count` pages of the order are written back.
    WriteBack { count: usize },
}

fn operation(pages: Page) -> impl Strategy<Value = Operation> {
    let skip = prop_oneof![4 => Just(0), 1 => 0usize..4];
    let page = prop_oneof![1 => 0..pages, 1 => 0..pages.div_ceil(3)];
    prop_oneof![
        20 => (page, any::<bool>(), skip.clone())
            .prop_map(|(page, write, skip)| Operation::Access { page, write, skip }),
        1 => (0..pages).prop_map(|page| Operation::ReadAhead { page }),
        3 => (0usize..100).prop_map(|choice| Operation::Clean { choice }),
        1 => skip.prop_map(|skip| Operation::Evict { skip }),
        2 => (1usize..5).prop_map(|count| Operation::WriteBack { count }),
    ]
}

/// A policy, its plain counterpart, and the pool both are told of.
struct Pair {
    kind: PolicyKind,
    policy: Box<dyn Policy>,
    plain: Box<dyn Plain>,
    pages: Vec<Option<Page>>,
}

impl Pair {
    fn new(kind: PolicyKind, frames: u32) -> Self {
        Pair {
            kind,
            policy: kind.build(frames),
            plain: plain::build(kind, frames as usize),
            pages: vec![None; frames as usize],
        }
    }

    fn order(&self) -> Vec<(Frame, Verdict)> {
        let mut order = Vec::new();
        self.policy.walk(&mut |frame, verdict| {
            order.push((frame, verdict));
            ControlFlow::Continue(())
        });
        order
    }

    fn other(&self) -> Vec<(Frame, Verdict)> {
        let mut order = Vec::new();
        self.policy.walk_other(&mut |frame, verdict| {
            order.push((frame, verdict));
            ControlFlow::Continue(())
        });
        order
    }

    /// The order up to and with the page that goes after `skip` others that would, or the last.
    fn order_up_to(&self, skip: usize) -> Vec<(Frame, Verdict)> {
        let mut left = skip.min(self.pages.iter().flatten().count().saturating_sub(1));
        let mut order = Vec::new();
        self.policy.walk(&mut |frame, verdict| {
            order.push((frame, verdict));
            match verdict {
                Verdict::SecondChance => {}
                _ if left == 0 => return ControlFlow::Break(()),
                _ => left -= 1,
            }
            ControlFlow::Continue(())
        });
        order
    }

    fn apply(&mut self, operation: Operation) -> Result<(), TestCaseError> {
        match operation {
            Operation::Access { page, write, skip } => {
                if let Some(frame) = self.pages.iter().position(|&held| held == Some(page)) {
                    self.policy.hit(frame as Frame, write);
                    self.plain.hit(frame as Frame, write);
                    return self.check();
                }
                self.policy.missed(page);
                self.plain.missed(page);
                self.check()?;
                if self.pages.iter().all(Option::is_some) {
                    self.evict(skip)?;
                }
                self.insert(page, write);
            }
            Operation::ReadAhead { page } => {
                if !self.pages.contains(&Some(page)) && self.pages.contains(&None) {
                    self.insert(page, false);
                }
            }
            Operation::Clean { choice } => {
                let held: Vec<usize> =
                    (0..self.pages.len()).filter(|&frame| self.pages[frame].is_some()).collect();
                if !held.is_empty() {
                    self.cleaned(held[choice % held.len()] as Frame);
                }
            }
            Operation::Evict { skip } => {
                if self.pages.iter().any(Option::is_some) {
                    self.evict(skip)?;
                }
            }
            Operation::WriteBack { count } => {
                let order = self.order_up_to(count - 1);
                let granted = second_chances(&order);
                self.policy.passed(&granted, Walk::WriteBack);
                if self.policy.rotates_on_write_back() {
                    granted.iter().for_each(|&frame| self.plain.grant(frame));
                }
                for (frame, verdict) in order {
                    if verdict != Verdict::SecondChance {
                        self.cleaned(frame);
                    }
                }
            }
        }
        self.check()
    }

    fn cleaned(&mut self, frame: Frame) {
        self.policy.cleaned(frame);
        self.plain.cleaned(frame);
    }

    fn insert(&mut self, page: Page, dirty: bool) {
        if let Some(frame) = self.pages.iter().position(Option::is_none) {
            self.pages[frame] = Some(page);
            self.policy.insert(frame as Frame, page, dirty);
            self.plain.insert(frame as Frame, page, dirty);
        }
    }

    fn evict(&mut self, skip: usize) -> Result<(), TestCaseError> {
        let order = self.order_up_to(skip);
        let granted = second_chances(&order);
        let victim = order.last().expect("a page goes").0;
        let page = self.pages[victim as usize].take().expect("the victim is in the pool");
        self.policy.passed(&granted, Walk::Eviction);
        granted.iter().for_each(|&frame| self.plain.grant(frame));
        // It may have to be written first, and is sought again afterwards.
        if skip == 0 {
            let again = self.order()[0];
            prop_assert_eq!(again, order[granted.len()], "{}: another victim", self.kind.name());
        }
        self.policy.evict(victim, page);
        self.plain.evict(victim, page);
        Ok(())
    }

    fn check(&self) -> Result<(), TestCaseError> {
        let order = self.order();
        prop_assert_eq!(&order, &self.plain.order(), "{}: the order", self.kind.name());
        prop_assert_eq!(&order, &self.order(), "{}: a walk changed something", self.kind.name());
        let next_to_go = plain::next_to_go(&*self.plain);
        prop_assert!(order.starts_with(&next_to_go), "{}: {order:?}, {next_to_go:?}", self.kind.name());
        prop_assert_eq!(self.other(), self.plain.other(), "{}: the other queue", self.kind.name());
        let (mut gone, mut later) = (BTreeSet::new(), false);
        for (frame, verdict) in order {
            prop_assert!(!gone.contains(&frame), "frame {} comes up after it went", frame);
            prop_assert!(verdict != Verdict::Evict || !later, "frame {} goes after later ones", frame);
            later |= verdict == Verdict::Later;
            if verdict != Verdict::SecondChance {
                gone.insert(frame);
            }
        }
        let held = (0..self.pages.len()).filter(|&frame| self.pages[frame].is_some());
        prop_assert!(gone.into_iter().eq(held.map(|frame| frame as Frame)));
        Ok(())
    }
}

fn second_chances(order: &[(Frame, Verdict)]) -> Vec<Frame> {
    order.iter().filter(|(_, verdict)| *verdict == Verdict::SecondChance).map(|&(frame, _)| frame).collect()
}

fn agrees(kind: PolicyKind) {
    for frames in [1, 2, 3, 4, 7, 12, 21] {
        let pages = Page::from(frames) * 3;
        let config = ProptestConfig { cases: 60, failure_persistence: None, ..ProptestConfig::default() };
        let mut runner = proptest::test_runner::TestRunner::new_with_rng(
            config,
            proptest::test_runner::TestRng::deterministic_rng(proptest::test_runner::RngAlgorithm::ChaCha),
        );
        let operations = proptest::collection::vec(operation(pages), 1..300);
        runner
            .run(&operations, |operations| {
                let mut pair = Pair::new(kind, frames);
                for operation in operations {
                    pair.apply(operation)?;
                }
                Ok(())
            })
            .unwrap_or_else(|error| panic!("{} with {frames} frames: {error}", kind.name()));
    }
}

macro_rules! agree {
    ($($test:ident: $kind:ident,)*) => {$(
        #[test]
        fn $test() {
            agrees(PolicyKind::$kind);
        }
    )*};
}

agree! {
    lru_agrees_with_the_plain_one: Lru,
    cflru_agrees_with_the_plain_one: Cflru,
    lru_wsr_agrees_with_the_plain_one: LruWsr,
    clock_agrees_with_the_plain_one: Clock,
    clock_sweep_agrees_with_the_plain_one: ClockSweep,
    fifo_agrees_with_the_plain_one: Fifo,
    sieve_agrees_with_the_plain_one: Sieve,
    s3_fifo_agrees_with_the_plain_one: S3Fifo,
    two_q_agrees_with_the_plain_one: TwoQ,
    arc_agrees_with_the_plain_one: Arc,
}

#[test]
fn only_lru_wsr_rotates_on_write_back() {
    for &kind in PolicyKind::ALL {
        assert_eq!(kind.build(8).rotates_on_write_back(), kind == PolicyKind::LruWsr, "{}", kind.name());
    }
}

#[test]
fn names_are_told_apart() {
    for &kind in PolicyKind::ALL {
        assert_eq!(PolicyKind::parse(kind.name()), Some(kind));
    }
    assert_eq!(PolicyKind::parse("LRU"), None);
}
