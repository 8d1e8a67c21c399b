//! The policies said plainly: vectors, no index, no care for speed.

mod ghosts;

use leadline_pool::policy::{Frame, Page, PolicyKind, Verdict};

use self::ghosts::{Arc, S3Fifo, TwoQ};

/// A policy that says only what happens next.
pub trait Plain {
    /// A copy on which things can be tried.
    fn copy(&self) -> Box<dyn Plain>;
    /// A page that is not there was asked for.
    fn missed(&mut self, _page: Page) {}
    /// A page came into a free frame, dirty or not.
    fn insert(&mut self, frame: Frame, page: Page, dirty: bool);
    /// A page was used, by a write or not.
    fn hit(&mut self, frame: Frame, write: bool);
    /// A page was written back.
    fn cleaned(&mut self, _frame: Frame) {}
    /// The page that the policy looks at next, and what it does with it; `None` with no page left.
    fn next(&self) -> Option<(Frame, Verdict)>;
    /// Gives a page its second chance.
    fn grant(&mut self, _frame: Frame) {}
    /// A page leaves its frame.
    fn evict(&mut self, frame: Frame, page: Page);
    /// The virtual order: what happens if nothing but evictions happens. Policies for which this is not what
    /// is promised say so.
    fn order(&self) -> Vec<(Frame, Verdict)> {
        evictions(&mut *self.copy(), Verdict::Evict)
    }
    /// The order of the queue that the next victim is not in.
    fn other(&self) -> Vec<(Frame, Verdict)> {
        Vec::new()
    }
}

/// Evicts all pages; those that go have this verdict.
fn evictions(plain: &mut dyn Plain, goes: Verdict) -> Vec<(Frame, Verdict)> {
    let mut order = Vec::new();
    while let Some((frame, verdict)) = plain.next() {
        if verdict == Verdict::SecondChance {
            order.push((frame, verdict));
            plain.grant(frame);
        } else {
            order.push((frame, goes));
            // A number that no page has: the order does not depend on it.
            plain.evict(frame, Page::MAX - Page::from(frame));
        }
    }
    order
}

/// What happens up to and with the next page that goes.
pub fn next_to_go(plain: &dyn Plain) -> Vec<(Frame, Verdict)> {
    let mut copy = plain.copy();
    let mut order = Vec::new();
    while let Some((frame, verdict)) = copy.next() {
        order.push((frame, verdict));
        if verdict != Verdict::SecondChance {
            break;
        }
        copy.grant(frame);
    }
    order
}

/// The plain one of a policy, for so many frames.
///
/// # Panics
/// For a policy that has none.
pub fn build(kind: PolicyKind, frames: usize) -> Box<dyn Plain> {
    match kind {
        PolicyKind::Lru => Box::new(Lru(Vec::new())),
        PolicyKind::Cflru => Box::new(Cflru { order: Vec::new(), window: frames / 3 }),
        PolicyKind::LruWsr => Box::new(LruWsr(Vec::new())),
        PolicyKind::Clock => Box::new(Clock { circle: Vec::new(), first: 0, most: 1 }),
        PolicyKind::ClockSweep => Box::new(Clock { circle: Vec::new(), first: 1, most: 5 }),
        PolicyKind::Fifo => Box::new(Fifo(Vec::new())),
        PolicyKind::Sieve => Box::new(Sieve { order: Vec::new(), hand: None }),
        PolicyKind::S3Fifo => Box::new(S3Fifo::new(frames)),
        PolicyKind::TwoQ => Box::new(TwoQ::new(frames)),
        PolicyKind::Arc => Box::new(Arc::new(frames)),
        other => panic!("no plain {}", other.name()),
    }
}

/// The oldest first.
#[derive(Clone)]
struct Lru(Vec<Frame>);

impl Plain for Lru {
    fn copy(&self) -> Box<dyn Plain> {
        Box::new(self.clone())
    }
    fn insert(&mut self, frame: Frame, _page: Page, _dirty: bool) {
        self.0.push(frame);
    }
    fn hit(&mut self, frame: Frame, _write: bool) {
        self.0.retain(|&other| other != frame);
        self.0.push(frame);
    }
    fn next(&self) -> Option<(Frame, Verdict)> {
        Some((*self.0.first()?, Verdict::Evict))
    }
    fn evict(&mut self, frame: Frame, _page: Page) {
        self.0.retain(|&other| other != frame);
    }
}

/// (frame, dirty), the oldest first.
#[derive(Clone)]
struct Cflru {
    order: Vec<(Frame, bool)>,
    window: usize,
}

impl Plain for Cflru {
    fn copy(&self) -> Box<dyn Plain> {
        Box::new(self.clone())
    }
    fn insert(&mut self, frame: Frame, _page: Page, dirty: bool) {
        self.order.push((frame, dirty));
    }
    fn hit(&mut self, frame: Frame, write: bool) {
        let at = self.order.iter().position(|entry| entry.0 == frame).unwrap();
        let (_, dirty) = self.order.remove(at);
        self.order.push((frame, dirty || write));
    }
    fn cleaned(&mut self, frame: Frame) {
        self.order.iter_mut().filter(|entry| entry.0 == frame).for_each(|entry| entry.1 = false);
    }
    fn next(&self) -> Option<(Frame, Verdict)> {
        let clean = self.order.iter().take(self.window).find(|entry| !entry.1);
        Some((clean.or(self.order.first())?.0, Verdict::Evict))
    }
    fn evict(&mut self, frame: Frame, _page: Page) {
        self.order.retain(|entry| entry.0 != frame);
    }
    /// The clean pages of the window as it is now, then the others.
    fn order(&self) -> Vec<(Frame, Verdict)> {
        let in_order: Vec<usize> = (0..self.order.len()).collect();
        let (first, others): (Vec<usize>, Vec<usize>) =
            in_order.into_iter().partition(|&at| at < self.window && !self.order[at].1);
        first.into_iter().chain(others).map(|at| (self.order[at].0, Verdict::Evict)).collect()
    }
}

/// (frame, dirty, cold), the oldest first.
#[derive(Clone)]
struct LruWsr(Vec<(Frame, bool, bool)>);

impl Plain for LruWsr {
    fn copy(&self) -> Box<dyn Plain> {
        Box::new(self.clone())
    }
    fn insert(&mut self, frame: Frame, _page: Page, dirty: bool) {
        self.0.push((frame, dirty, false));
    }
    fn hit(&mut self, frame: Frame, write: bool) {
        let at = self.0.iter().position(|entry| entry.0 == frame).unwrap();
        let is_mru = at == self.0.len() - 1;
        let (_, dirty, cold) = self.0.remove(at);
        self.0.push((frame, dirty || write, cold && is_mru));
    }
    fn cleaned(&mut self, frame: Frame) {
        self.0.iter_mut().filter(|entry| entry.0 == frame).for_each(|entry| entry.1 = false);
    }
    fn next(&self) -> Option<(Frame, Verdict)> {
        let &(frame, dirty, cold) = self.0.first()?;
        Some((frame, if dirty && !cold { Verdict::SecondChance } else { Verdict::Evict }))
    }
    fn grant(&mut self, frame: Frame) {
        let at = self.0.iter().position(|entry| entry.0 == frame).unwrap();
        let (_, dirty, _) = self.0.remove(at);
        self.0.push((frame, dirty, true));
    }
    fn evict(&mut self, frame: Frame, _page: Page) {
        self.0.retain(|entry| entry.0 != frame);
    }
}

/// (frame, count) as a circle that begins at the hand: CLOCK with `most` 1 and `first` 0, the clock sweep
/// with 5 and 1.
#[derive(Clone)]
struct Clock {
    circle: Vec<(Frame, u8)>,
    first: u8,
    most: u8,
}

impl Plain for Clock {
    fn copy(&self) -> Box<dyn Plain> {
        Box::new(self.clone())
    }
    fn insert(&mut self, frame: Frame, _page: Page, _dirty: bool) {
        self.circle.push((frame, self.first));
    }
    fn hit(&mut self, frame: Frame, _write: bool) {
        let entry = self.circle.iter_mut().find(|entry| entry.0 == frame).unwrap();
        entry.1 = self.most.min(entry.1 + 1);
    }
    fn next(&self) -> Option<(Frame, Verdict)> {
        let &(frame, count) = self.circle.first()?;
        Some((frame, if count == 0 { Verdict::Evict } else { Verdict::SecondChance }))
    }
    fn grant(&mut self, frame: Frame) {
        let at = self.circle.iter().position(|entry| entry.0 == frame).unwrap();
        let (_, count) = self.circle.remove(at);
        self.circle.push((frame, count - 1));
    }
    fn evict(&mut self, frame: Frame, _page: Page) {
        self.circle.retain(|entry| entry.0 != frame);
    }
}

/// The oldest first.
#[derive(Clone)]
struct Fifo(Vec<Frame>);

impl Plain for Fifo {
    fn copy(&self) -> Box<dyn Plain> {
        Box::new(self.clone())
    }
    fn insert(&mut self, frame: Frame, _page: Page, _dirty: bool) {
        self.0.push(frame);
    }
    fn hit(&mut self, _frame: Frame, _write: bool) {}
    fn next(&self) -> Option<(Frame, Verdict)> {
        Some((*self.0.first()?, Verdict::Evict))
    }
    fn evict(&mut self, frame: Frame, _page: Page) {
        self.0.retain(|&other| other != frame);
    }
}

/// (frame, visited), the oldest first; the frame under the hand.
#[derive(Clone)]
struct Sieve {
    order: Vec<(Frame, bool)>,
    hand: Option<Frame>,
}

impl Sieve {
    fn at(&self, frame: Frame) -> usize {
        self.order.iter().position(|entry| entry.0 == frame).unwrap()
    }
    fn move_hand_past(&mut self, frame: Frame) {
        self.hand = self.order.get(self.at(frame) + 1).map(|entry| entry.0);
    }
}

impl Plain for Sieve {
    fn copy(&self) -> Box<dyn Plain> {
        Box::new(self.clone())
    }
    fn insert(&mut self, frame: Frame, _page: Page, _dirty: bool) {
        self.order.push((frame, false));
    }
    fn hit(&mut self, frame: Frame, _write: bool) {
        let at = self.at(frame);
        self.order[at].1 = true;
    }
    fn next(&self) -> Option<(Frame, Verdict)> {
        let frame = self.hand.or(self.order.first().map(|entry| entry.0))?;
        let visited = self.order[self.at(frame)].1;
        Some((frame, if visited { Verdict::SecondChance } else { Verdict::Evict }))
    }
    /// With the page at the hand skipped, what is granted a second chance goes behind it.
    fn grant(&mut self, frame: Frame) {
        let at = self.at(frame);
        self.order[at].1 = false;
        match self.hand.or(self.order.first().map(|entry| entry.0)) {
            Some(hand) if hand != frame => {
                let entry = self.order.remove(at);
                let hand_at = self.at(hand);
                self.order.insert(hand_at, entry);
                self.hand = Some(hand);
            }
            _ => self.move_hand_past(frame),
        }
    }
    fn evict(&mut self, frame: Frame, _page: Page) {
        if self.hand == Some(frame) {
            self.move_hand_past(frame);
        }
        self.order.retain(|entry| entry.0 != frame);
    }
    /// Each page that goes makes room for a new one. When one of the new goes, those that are left are later.
    fn order(&self) -> Vec<(Frame, Verdict)> {
        const NEW: Frame = 1 << 20;
        let mut copy = self.clone();
        let (mut order, mut new) = (Vec::new(), NEW);
        while let Some((frame, verdict)) = copy.next().filter(|next| next.0 < NEW) {
            order.push((frame, verdict));
            if verdict == Verdict::SecondChance {
                copy.grant(frame);
            } else {
                copy.evict(frame, 0);
                copy.insert(new, 0, false);
                new += 1;
            }
        }
        (NEW..new).for_each(|new| copy.evict(new, 0));
        order.extend(evictions(&mut copy, Verdict::Later));
        order
    }
}
