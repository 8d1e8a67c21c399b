//! The selector against vectors: the whole order first, then what the rules take of it.

use std::cell::RefCell;
use std::ops::ControlFlow;

use super::{FrameState, Selector, Victim};
use crate::ace::Ace;
use crate::policy::{Frame, LruWsr, Page, Policy, PolicyKind, Verdict, Walk};

type Order = Vec<(Frame, Verdict)>;

/// A policy with a given order, which notes what it is told.
#[derive(Default)]
struct Script {
    order: Order,
    other: Order,
    rotates: bool,
    told: RefCell<Vec<(Vec<Frame>, Walk)>>,
}

impl Policy for Script {
    fn insert(&mut self, _: Frame, _: Page, _: bool) {}
    fn hit(&mut self, _: Frame, _: bool) {}
    fn evict(&mut self, _: Frame, _: Page) {}
    fn walk(&self, visit: &mut dyn FnMut(Frame, Verdict) -> ControlFlow<()>) {
        let _ = self.order.iter().try_for_each(|&(frame, verdict)| visit(frame, verdict));
    }
    fn walk_other(&self, visit: &mut dyn FnMut(Frame, Verdict) -> ControlFlow<()>) {
        let _ = self.other.iter().try_for_each(|&(frame, verdict)| visit(frame, verdict));
    }
    fn rotates_on_write_back(&self) -> bool {
        self.rotates
    }
    fn passed(&mut self, frames: &[Frame], why: Walk) {
        self.told.borrow_mut().push((frames.to_vec(), why));
    }
}

fn all(frames: impl IntoIterator<Item = Frame>, verdict: Verdict) -> Order {
    frames.into_iter().map(|frame| (frame, verdict)).collect()
}

/// Frames 0 to 2 in the queue of the next victim, 10 to 12 in the other.
fn two_queues() -> Script {
    let (first, later) = (all(0..3, Verdict::Evict), all(10..13, Verdict::Later));
    Script { order: [first, later.clone()].concat(), other: later, ..Script::default() }
}

/// What goes out with the first page of the order that can, which is dirty.
fn with_victim(
    selector: &mut Selector,
    policy: &mut dyn Policy,
    ace: Ace,
    n: u32,
    state: impl Fn(Frame) -> FrameState,
) -> Vec<Frame> {
    let can_go = |&(frame, verdict): &(Frame, Verdict)| {
        verdict != Verdict::SecondChance && state(frame) != FrameState::Pinned
    };
    let (victim, _) = order(policy).into_iter().find(can_go).expect("not all are busy");
    selector.with_victim(policy, victim, (ace, n), state).to_vec()
}

fn order(policy: &dyn Policy) -> Order {
    let mut order = Vec::new();
    policy.walk(&mut |frame, verdict| {
        order.push((frame, verdict));
        ControlFlow::Continue(())
    });
    order
}

/// What is to be written, and what is rotated: of the order without busy pages, the first `window`, until
/// `most` dirty ones are found.
fn expected(
    order: &Order,
    rotates: bool,
    (window, most): (usize, usize),
    states: &[FrameState],
) -> (Vec<Frame>, Vec<Frame>) {
    let mut left = order.clone();
    left.retain(|&(frame, verdict)| {
        states[frame as usize] != FrameState::Pinned && (rotates || verdict != Verdict::SecondChance)
    });
    // What is later than pages still to come is left alone, except for the victim itself.
    let later = left.iter().skip(1).position(|entry| entry.1 == Verdict::Later);
    left.truncate(later.map_or(left.len(), |at| at + 1).min(window));
    let written = |&(frame, verdict): &(Frame, Verdict)| {
        verdict != Verdict::SecondChance && states[frame as usize] == FrameState::Dirty
    };
    if let Some((at, _)) = left.iter().enumerate().filter(|(_, entry)| written(entry)).nth(most - 1) {
        left.truncate(at + 1);
    }
    let frames =
        |entries: &mut dyn Iterator<Item = &(Frame, Verdict)>| entries.map(|entry| entry.0).collect();
    (
        frames(&mut left.iter().filter(|entry| written(entry))),
        frames(&mut left.iter().filter(|entry| entry.1 == Verdict::SecondChance)),
    )
}

/// A pool with a past, and states with some pages busy.
fn pool(kind: PolicyKind, frames: u32, random: &mut fastrand::Rng) -> (Box<dyn Policy>, Vec<FrameState>) {
    let mut policy = kind.build(frames);
    let mut states: Vec<FrameState> =
        (0..frames).map(|_| random.choice([FrameState::Clean, FrameState::Dirty]).unwrap()).collect();
    for frame in 0..frames {
        policy.insert(frame, frame.into(), states[frame as usize] == FrameState::Dirty);
    }
    for new in 0..u64::from(frames) * 2 {
        for _ in 0..random.u32(..3) {
            policy.hit(random.u32(..frames), false);
        }
        // Pages come back now and then, so that the policies with ghosts have two queues.
        let page = if random.bool() { random.u64(..u64::from(frames) * 2) } else { 1000 + new };
        policy.missed(page);
        let Victim::Clean(victim) = Selector::default().victim(&mut policy, |_| FrameState::Clean) else {
            panic!("all are clean")
        };
        policy.evict(victim, u64::from(victim));
        policy.insert(victim, page, states[victim as usize] == FrameState::Dirty);
    }
    for state in &mut states {
        if random.u32(..5) == 0 {
            *state = FrameState::Pinned;
        }
    }
    (policy, states)
}

#[test]
fn cow_and_cow_x_write_what_a_plain_search_finds() {
    let mut random = fastrand::Rng::with_seed(3);
    let (mut cut_by_later, mut rotated) = (0, 0);
    for &kind in PolicyKind::ALL {
        for _ in 0..200 {
            let (frames, n) = (random.u32(1..30), random.u32(1..12));
            let (mut policy, mut states) = pool(kind, frames, &mut random);
            let usable = |frame: Frame| states[frame as usize];
            let victim = match Selector::default().victim(&mut *policy, usable) {
                Victim::Clean(frame) | Victim::Dirty(frame) => frame,
                Victim::None { .. } => continue,
            };
            states[victim as usize] = FrameState::Dirty;
            let state = |frame: Frame| states[frame as usize];
            for (ace, window) in
                [(Ace::Off, 1), (Ace::Cow, n), (Ace::CowE, n), (Ace::CowX, u32::MAX), (Ace::CowXE, u32::MAX)]
            {
                let before = order(&*policy);
                let rotates = kind == PolicyKind::LruWsr;
                let most = if ace == Ace::Off { 1 } else { n as usize };
                let (written, passed) = expected(&before, rotates, (window as usize, most), &states);
                let chosen = with_victim(&mut Selector::default(), &mut *policy, ace, n, state);
                assert_eq!(chosen, written, "{} {}({n}): {before:?} {states:?}", kind.name(), ace.name());
                cut_by_later +=
                    usize::from(chosen.len() < most && before.iter().any(|e| e.1 == Verdict::Later));
                rotated += passed.len();
                let mut after: Vec<Frame> = before.iter().map(|entry| entry.0).collect();
                if rotates {
                    after.truncate(frames as usize);
                    after.retain(|frame| !passed.contains(frame));
                    after.extend(&passed);
                }
                let now: Vec<Frame> = order(&*policy).iter().map(|e| e.0).take(after.len()).collect();
                assert_eq!(now, after, "{} {}({n}): the order afterwards", kind.name(), ace.name());
            }
        }
    }
    assert!(cut_by_later > 100 && rotated > 100, "{cut_by_later} {rotated}: too few to tell");
}

#[test]
fn pages_that_go_later_are_not_written_with_a_victim() {
    let chosen =
        with_victim(&mut Selector::default(), &mut two_queues(), Ace::CowX, 8, |_| FrameState::Dirty);
    assert_eq!(chosen, [0, 1, 2]);
}

#[test]
fn where_the_first_queue_is_busy_the_head_of_the_other_is_the_victim() {
    let state = |frame| if frame < 3 { FrameState::Pinned } else { FrameState::Dirty };
    let (mut selector, mut policy) = (Selector::default(), two_queues());
    assert_eq!(selector.victim(&mut policy, state), Victim::Dirty(10));
    assert_eq!(with_victim(&mut selector, &mut policy, Ace::CowX, 8, state), [10]);
}

#[test]
fn busy_pages_do_not_count() {
    let mut policy = Script { order: all(0..9, Verdict::Evict), ..Script::default() };
    let state = |frame| [FrameState::Dirty, FrameState::Clean, FrameState::Pinned][frame as usize % 3];
    let mut selector = Selector::default();
    assert_eq!(with_victim(&mut selector, &mut policy, Ace::Cow, 4, state), [0, 3]);
    assert_eq!(with_victim(&mut selector, &mut policy, Ace::CowX, 4, state), [0, 3, 6]);
    let busy_first = |frame| if frame < 2 { FrameState::Pinned } else { state(frame) };
    assert_eq!(selector.victim(&mut policy, busy_first), Victim::Dirty(3));
    assert_eq!(selector.victim(&mut policy, |_| FrameState::Pinned), Victim::None { in_flight: None });
    let reading = |frame| if frame == 4 || frame == 6 { FrameState::InFlight } else { FrameState::Pinned };
    assert_eq!(selector.victim(&mut policy, reading), Victim::None { in_flight: Some(4) });
}

#[test]
fn a_victim_uses_second_chances_up_and_writing_back_only_where_the_policy_rotates() {
    let spared =
        || [all(0..2, Verdict::SecondChance), all(2..4, Verdict::Evict), all(0..2, Verdict::Evict)].concat();
    let mut policy = Script { order: spared(), ..Script::default() };
    let mut selector = Selector::default();
    assert_eq!(selector.victim(&mut policy, |_| FrameState::Dirty), Victim::Dirty(2));
    assert_eq!(policy.told.take(), [(vec![0, 1], Walk::Eviction)]);
    assert_eq!(with_victim(&mut selector, &mut policy, Ace::Cow, 3, |_| FrameState::Dirty), [2, 3, 0]);
    assert_eq!(policy.told.take(), []);
    let mut policy = Script { order: spared(), rotates: true, ..Script::default() };
    assert_eq!(with_victim(&mut selector, &mut policy, Ace::Cow, 3, |_| FrameState::Dirty), [2]);
    assert_eq!(policy.told.take(), [(vec![0, 1], Walk::WriteBack)]);
}

#[test]
fn pages_that_lru_wsr_rotates_count_among_the_n_of_cow() {
    let mut policy = LruWsr::new(5);
    policy.insert(0, 0, true);
    policy.passed(&[0], Walk::Eviction);
    for frame in 1..5 {
        policy.insert(frame, frame.into(), frame != 3);
    }
    let dirty = |frame| if frame == 3 { FrameState::Clean } else { FrameState::Dirty };
    assert_eq!(with_victim(&mut Selector::default(), &mut policy, Ace::Cow, 3, dirty), [0]);
    let frames: Vec<Frame> = order(&policy).iter().map(|entry| entry.0).take(5).collect();
    assert_eq!(frames, [0, 3, 4, 1, 2]);
}

#[test]
fn a_cleaner_looks_at_the_window_of_both_queues_and_writes_no_more_than_it_may() {
    let mut selector = Selector::default();
    let mut dirty = |window, most, state: fn(Frame) -> FrameState| {
        selector.dirty_everywhere(&mut two_queues(), window, most, state).to_vec()
    };
    assert_eq!(dirty(2, 8, |_| FrameState::Dirty), [0, 1, 10, 11]);
    assert_eq!(dirty(2, 3, |_| FrameState::Dirty), [0, 1, 10]);
    assert_eq!(dirty(2, 2, |_| FrameState::Dirty), [0, 1]);
    assert_eq!(dirty(99, 99, |_| FrameState::Dirty), [0, 1, 2, 10, 11, 12]);
    assert_eq!(dirty(2, 8, |frame| [FrameState::Clean, FrameState::Dirty][frame as usize % 2]), [1, 11]);
    assert_eq!(
        dirty(1, 8, |frame| if frame % 10 == 0 { FrameState::Pinned } else { FrameState::Dirty }),
        [1, 11]
    );
}

#[test]
fn no_page_is_chosen_twice_where_the_first_queue_is_busy() {
    let state = |frame| if frame < 3 { FrameState::Pinned } else { FrameState::Dirty };
    assert_eq!(Selector::default().dirty_everywhere(&mut two_queues(), 2, 8, state), [10, 11]);
}

#[test]
fn what_the_other_queue_keeps_is_looked_at_and_not_written() {
    let mut policy = two_queues();
    policy.other[0].1 = Verdict::SecondChance;
    assert_eq!(Selector::default().dirty_everywhere(&mut policy, 2, 8, |_| FrameState::Dirty), [0, 1, 11]);
}

#[test]
fn a_clean_page_is_sought_in_the_window_and_not_among_later_ones() {
    let clean = |window, clean: Frame| {
        let state = move |frame| if frame == clean { FrameState::Clean } else { FrameState::Dirty };
        Selector::default().clean(&two_queues(), window, state)
    };
    assert_eq!((clean(3, 2), clean(2, 2), clean(9, 10)), (Some(2), None, None));
}
