//! Replacement: in which order pages leave the pool. One policy per file, behind one trait.
//!
//! A policy knows frames (0 to `frames` - 1), never data or I/O. Its **virtual order** is the order in which
//! it would give them up from now on; whoever needs victims or dirty pages walks it, and reports what was
//! passed.

mod arc;
mod bitmap;
mod cflru;
mod clock;
mod clock_sweep;
mod fifo;
mod ghosts;
mod list;
mod lists;
mod lru;
mod lru_wsr;
mod ring;
mod s3_fifo;
mod sieve;
#[cfg(test)]
mod steps;
mod two_q;

use std::ops::ControlFlow;

pub use arc::AdaptiveReplacement;
pub use cflru::Cflru;
pub use clock::Clock;
pub use clock_sweep::ClockSweep;
pub use fifo::Fifo;
pub use lru::Lru;
pub use lru_wsr::LruWsr;
pub use s3_fifo::S3Fifo;
pub use sieve::Sieve;
pub use two_q::TwoQ;

/// Number of a frame, from 0.
pub type Frame = u32;

/// Number of a page.
pub type Page = u64;

/// What the policy would do with a page when its turn comes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// Give it up.
    Evict,
    /// Give it up, but not before pages that are still to come: it is in another queue than the next victim,
    /// or behind the hand. Writing it back now would mostly be in vain.
    Later,
    /// Keep it for another round (a reference bit, a dirty page that is not cold): it comes up again later in
    /// the walk.
    SecondChance,
}

/// Why the virtual order was walked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Walk {
    /// A victim was sought: second chances before it are used up.
    Eviction,
    /// Dirty pages to write back were sought beyond the victim. Only policies whose published rules say so
    /// (LRU-WSR) use second chances up here; for all others nothing changes.
    WriteBack,
}

/// A replacement policy. Every operation is O(1) amortised, a step of the walk likewise; nothing is allocated
/// after the policy was made.
///
/// A miss in a full pool is [`missed`](Policy::missed), [`walk`](Policy::walk) to the page that goes,
/// [`passed`](Policy::passed) with the second chances on the way, [`evict`](Policy::evict), and
/// [`insert`](Policy::insert) once the page is there.
pub trait Policy: Send {
    /// `page` was asked for and is not in the pool; called once per miss, before a victim is sought. Policies
    /// with a memory of pages they gave up learn from it.
    fn missed(&mut self, page: Page) {
        let _ = page;
    }

    /// `page` came into `frame`, which was free. `dirty`: by a write. A page that was not
    /// [`missed`](Policy::missed) before was read ahead.
    fn insert(&mut self, frame: Frame, page: Page, dirty: bool);

    /// The page in `frame` was used. `write`: it is dirty from now on.
    fn hit(&mut self, frame: Frame, write: bool);

    /// These frames will have a [`hit`](Policy::hit) next: a policy whose hits touch memory here and there
    /// can ask the processor for all of it at once. Changes nothing.
    fn expect_hits(&self, frames: &[Frame]) {
        let _ = frames;
    }

    /// The page in `frame` was written back and is clean now.
    fn cleaned(&mut self, frame: Frame) {
        let _ = frame;
    }

    /// `page` leaves `frame`, which is free from now on. It need not be the first of the walk: the pages
    /// before it may be pinned or on their way to the device; they stay next in turn.
    fn evict(&mut self, frame: Frame, page: Page);

    /// Walks the virtual order from the next victim on and changes nothing. Every frame in the pool comes up
    /// with [`Verdict::Evict`] or [`Verdict::Later`] exactly once, perhaps with [`Verdict::SecondChance`]
    /// before; all `Evict` come before the first `Later`. Ends when `visit` breaks or all have come up.
    ///
    /// The first without a second chance is exactly the page that the policy gives up next, and still is
    /// after the second chances before it were reported. The rest of its queue follows in the order in which
    /// they go while every eviction makes room for a page never seen before, as long as victims come from
    /// this queue.
    fn walk(&self, visit: &mut dyn FnMut(Frame, Verdict) -> ControlFlow<()>);

    /// Walks the queue that the next victim is not in, in its order: the victim after next may be the first
    /// of it. The pages come up with [`Verdict::Later`], those it would keep with [`Verdict::SecondChance`]
    /// instead. Nothing for policies with one queue.
    fn walk_other(&self, visit: &mut dyn FnMut(Frame, Verdict) -> ControlFlow<()>) {
        let _ = visit;
    }

    /// Whether pages passed with a second chance while writing back are rotated ([`Walk::WriteBack`]), and so
    /// count among the pages of the eviction window.
    fn rotates_on_write_back(&self) -> bool {
        false
    }

    /// Frames 0 to `frames` - 1 from now on, at least as many as before; false where the policy's rules are
    /// shares of the number of frames, which then has to stay as it is.
    fn grow(&mut self, frames: u32) -> bool {
        let _ = frames;
        false
    }

    /// A walk went past these frames, in this order, each with [`Verdict::SecondChance`]: what the policy
    /// does when it grants one (rotate, clear a bit) is done now. A frame that was granted several appears as
    /// often.
    fn passed(&mut self, frames: &[Frame], why: Walk) {
        let _ = (frames, why);
    }
}

impl<P: Policy + ?Sized> Policy for Box<P> {
    fn missed(&mut self, page: Page) {
        (**self).missed(page);
    }

    fn insert(&mut self, frame: Frame, page: Page, dirty: bool) {
        (**self).insert(frame, page, dirty);
    }

    fn hit(&mut self, frame: Frame, write: bool) {
        (**self).hit(frame, write);
    }

    fn expect_hits(&self, frames: &[Frame]) {
        (**self).expect_hits(frames);
    }

    fn cleaned(&mut self, frame: Frame) {
        (**self).cleaned(frame);
    }

    fn evict(&mut self, frame: Frame, page: Page) {
        (**self).evict(frame, page);
    }

    fn walk(&self, visit: &mut dyn FnMut(Frame, Verdict) -> ControlFlow<()>) {
        (**self).walk(visit);
    }

    fn walk_other(&self, visit: &mut dyn FnMut(Frame, Verdict) -> ControlFlow<()>) {
        (**self).walk_other(visit);
    }

    fn rotates_on_write_back(&self) -> bool {
        (**self).rotates_on_write_back()
    }

    fn grow(&mut self, frames: u32) -> bool {
        (**self).grow(frames)
    }

    fn passed(&mut self, frames: &[Frame], why: Walk) {
        (**self).passed(frames, why);
    }
}

/// The policies there are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum PolicyKind {
    /// Least recently used.
    Lru,
    /// Clean pages first, among those used longest ago.
    Cflru,
    /// LRU with a second chance for dirty pages.
    LruWsr,
    /// One reference bit per page, and a hand.
    Clock,
    /// PostgreSQL's: a usage count instead of the bit.
    ClockSweep,
    /// First in, first out.
    Fifo,
    /// FIFO with a hand that leaves what it keeps in its place.
    Sieve,
    /// A small FIFO before the main one.
    S3Fifo,
    /// A FIFO before an LRU list.
    TwoQ,
    /// ARC: LRU of pages used once and of pages used again, in shares that adapt.
    Arc,
}

/// What is done with a policy whose type is known at compile time, so that nothing on the hot path is called
/// through a pointer. See [`PolicyKind::visit`].
pub trait Visitor {
    /// What comes of it.
    type Output;

    /// Does it.
    fn visit<P: Policy + 'static>(self, policy: P) -> Self::Output;
}

impl PolicyKind {
    /// All, in the order of the docs.
    pub const ALL: &'static [PolicyKind] = &[
        PolicyKind::Lru,
        PolicyKind::Cflru,
        PolicyKind::LruWsr,
        PolicyKind::Clock,
        PolicyKind::ClockSweep,
        PolicyKind::Fifo,
        PolicyKind::Sieve,
        PolicyKind::S3Fifo,
        PolicyKind::TwoQ,
        PolicyKind::Arc,
    ];

    /// Its name, as the command line and JSON spell it.
    pub fn name(self) -> &'static str {
        match self {
            PolicyKind::Lru => "lru",
            PolicyKind::Cflru => "cflru",
            PolicyKind::LruWsr => "lru-wsr",
            PolicyKind::Clock => "clock",
            PolicyKind::ClockSweep => "clock-sweep",
            PolicyKind::Fifo => "fifo",
            PolicyKind::Sieve => "sieve",
            PolicyKind::S3Fifo => "s3-fifo",
            PolicyKind::TwoQ => "2q",
            PolicyKind::Arc => "arc",
        }
    }

    /// The policy of this name.
    pub fn parse(name: &str) -> Option<PolicyKind> {
        Self::ALL.iter().copied().find(|kind| kind.name() == name)
    }

    /// Those for caches of that many bytes, whose number of objects is not known beforehand.
    pub fn growing() -> impl Iterator<Item = PolicyKind> {
        Self::ALL.iter().copied().filter(|kind| kind.build(1).grow(1))
    }

    /// Hands `visitor` a new policy for `frames` frames (1 to 2^29), statically dispatched: the visitor's
    /// code is compiled once per policy.
    pub fn visit<V: Visitor>(self, frames: u32, visitor: V) -> V::Output {
        match self {
            PolicyKind::Lru => visitor.visit(Lru::new(frames)),
            PolicyKind::Cflru => visitor.visit(Cflru::new(frames)),
            PolicyKind::LruWsr => visitor.visit(LruWsr::new(frames)),
            PolicyKind::Clock => visitor.visit(Clock::new(frames)),
            PolicyKind::ClockSweep => visitor.visit(ClockSweep::new(frames)),
            PolicyKind::Fifo => visitor.visit(Fifo::new(frames)),
            PolicyKind::Sieve => visitor.visit(Sieve::new(frames)),
            PolicyKind::S3Fifo => visitor.visit(S3Fifo::new(frames)),
            PolicyKind::TwoQ => visitor.visit(TwoQ::new(frames)),
            PolicyKind::Arc => visitor.visit(AdaptiveReplacement::new(frames)),
        }
    }

    /// A new one for `frames` frames, dynamically dispatched.
    pub fn build(self, frames: u32) -> Box<dyn Policy> {
        struct Boxed;
        impl Visitor for Boxed {
            type Output = Box<dyn Policy>;
            fn visit<P: Policy + 'static>(self, policy: P) -> Box<dyn Policy> {
                Box::new(policy)
            }
        }
        self.visit(frames, Boxed)
    }
}
