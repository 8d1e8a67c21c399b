//! How much work the policies do, counted in steps along their lists and bitmaps rather than in time, and the
//! tests of what they promise: O(1) amortised.

use std::cell::Cell;
use std::ops::ControlFlow;

use super::{Frame, Page, Policy, PolicyKind, Verdict, Walk};

thread_local! {
    static STEPS: Cell<u64> = const { Cell::new(0) };
}

/// One step.
pub(crate) fn count() {
    STEPS.set(STEPS.get() + 1);
}

/// Steps, visits included, of one operation on average.
fn steps_an_operation(kind: PolicyKind, frames: u32, operations: u32, dirty: bool) -> f64 {
    let mut policy = kind.build(frames);
    let mut random = fastrand::Rng::with_seed(7);
    let mut pages: Vec<Page> = (0..Page::from(frames)).collect();
    for frame in 0..frames {
        policy.insert(frame, pages[frame as usize], dirty);
    }
    STEPS.set(0);
    for operation in 0..operations {
        // Three hits a miss, so that second chances are worth granting; every eighth page is new.
        for _ in 0..3 {
            policy.hit(random.u32(..frames), dirty && random.bool());
        }
        let page = if operation % 8 == 0 { Page::MAX - Page::from(operation) } else { random.u64(..1 << 20) };
        policy.missed(page);
        let victim = evict_first(&mut *policy, &pages);
        pages[victim as usize] = page;
        policy.insert(victim, page, dirty);
        if random.u32(..16) == 0 {
            policy.cleaned(random.u32(..frames));
        }
    }
    STEPS.get() as f64 / f64::from(operations) / 4.0
}

fn evict_first(policy: &mut dyn Policy, pages: &[Page]) -> Frame {
    let (mut passed, mut victim) = (Vec::new(), 0);
    policy.walk(&mut |frame, verdict| {
        count();
        if verdict == Verdict::SecondChance {
            passed.push(frame);
            return ControlFlow::Continue(());
        }
        victim = frame;
        ControlFlow::Break(())
    });
    policy.passed(&passed, Walk::Eviction);
    policy.evict(victim, pages[victim as usize]);
    victim
}

#[test]
fn an_operation_takes_no_more_steps_in_a_pool_a_thousand_times_as_large() {
    for &kind in PolicyKind::ALL {
        for dirty in [false, true] {
            for frames in [30, 3_000, 30_000] {
                let steps = steps_an_operation(kind, frames, 4 * frames.max(5_000), dirty);
                assert!(steps < 12.0, "{} with {frames} frames: {steps} steps an operation", kind.name());
            }
        }
    }
}

#[test]
fn a_whole_walk_takes_a_few_steps_a_frame() {
    for &kind in PolicyKind::ALL {
        let frames = 20_000;
        let mut policy = kind.build(frames);
        let mut random = fastrand::Rng::with_seed(7);
        for frame in 0..frames {
            policy.insert(frame, Page::from(frame), random.bool());
        }
        for _ in 0..frames {
            policy.hit(random.u32(..frames), random.bool());
        }
        STEPS.set(0);
        let mut visits = 0;
        policy.walk(&mut |_, _| {
            visits += 1;
            ControlFlow::Continue(())
        });
        let steps = STEPS.get();
        assert!(visits >= u64::from(frames));
        assert!(steps < 8 * u64::from(frames), "{}: {steps} steps", kind.name());
    }
}
