//! The head: where it is, and when it can be elsewhere.

use leadline_device::Nanos;

use super::layout::{Layout, Place};
use super::read_ahead::ReadAhead;
use super::seek::SeekLaw;
use super::spec::DiskSpec;
use crate::scramble::scramble;

/// The head over its platter. The angle of the platter is a function of time.
pub(super) struct Arm {
    layout: Layout,
    law: SeekLaw,
    /// How far the platter has turned at time zero.
    turned: Nanos,
    track: u64,
    ahead: Option<ReadAhead>,
    ahead_bytes: u64,
    capacity: u64,
}

/// What the head is to read or write.
#[derive(Debug, Clone, Copy)]
pub(super) struct Span {
    pub(super) write: bool,
    offset: u64,
    end: u64,
    from: Place,
    /// Where on the tape it ends.
    to: u128,
}

/// When data passes the head.
#[derive(Debug, Clone, Copy)]
pub(super) struct Pass {
    pub(super) first: Nanos,
    pub(super) last: Nanos,
}

impl Arm {
    pub(super) fn new(spec: &DiskSpec) -> Self {
        let layout = Layout::new(&spec.platter, spec.capacity);
        let law = SeekLaw::new(&spec.seek, layout.tracks());
        let skew = law.time(1, true);
        Arm {
            turned: scramble(spec.seed) % layout.turn(),
            layout: layout.with_skew(skew),
            law,
            track: 0,
            ahead: None,
            ahead_bytes: spec.buffer.read_ahead,
            capacity: spec.capacity,
        }
    }

    pub(super) fn span(&self, write: bool, offset: u64, len: u32) -> Span {
        let end = offset + u64::from(len);
        Span { write, offset, end, from: self.layout.place(offset), to: self.layout.end(end) }
    }

    /// When this would pass the head if it came next, from `now` on.
    pub(super) fn pass(&self, span: &Span, now: Nanos) -> Pass {
        if let Some(ahead) = self.reads_ahead(span) {
            let pass = |tape| ahead.passes(tape).max(now);
            return Pass { first: pass(span.from.tape), last: pass(span.to) };
        }
        let there =
            now.saturating_add(self.law.time(self.track_at(now).abs_diff(span.from.track), span.write));
        let first = there.saturating_add(self.wait(span.from.tape, there));
        let length = Nanos::try_from(span.to - span.from.tape).unwrap_or(Nanos::MAX);
        Pass { first, last: first.saturating_add(length) }
    }

    /// Takes this next, from `now` on.
    pub(super) fn take(&mut self, span: &Span, now: Nanos) -> Pass {
        let pass = self.pass(span, now);
        self.ahead = match self.reads_ahead(span) {
            Some(ahead) => Some(self.go_on(ahead, span, now)),
            None if span.write => None,
            None => Some(ReadAhead { asked: span.end, tape: span.to, at: pass.last }),
        };
        self.track = self.layout.track_at(span.to.saturating_sub(1));
        pass
    }

    /// What is read ahead, if this is among it.
    fn reads_ahead(&self, span: &Span) -> Option<ReadAhead> {
        let ahead = self.ahead.filter(|_| !span.write)?;
        (span.offset >= ahead.asked && span.end <= self.stop(&ahead)).then_some(ahead)
    }

    /// Where reading ahead goes on once this was asked for: from where it is, or, where it had stopped as the
    /// buffer was full, from there as soon as the place comes round again.
    fn go_on(&self, ahead: ReadAhead, span: &Span, now: Nanos) -> ReadAhead {
        let stop = self.layout.end(self.stop(&ahead));
        if ahead.passes(stop) > now {
            return ReadAhead { asked: span.end, ..ahead };
        }
        ReadAhead { asked: span.end, tape: stop, at: now.saturating_add(self.wait(stop, now)) }
    }

    /// The byte before which reading ahead stops.
    fn stop(&self, ahead: &ReadAhead) -> u64 {
        ahead.asked.saturating_add(self.ahead_bytes).min(self.capacity.max(ahead.asked))
    }

    fn track_at(&self, now: Nanos) -> u64 {
        self.ahead.map_or(self.track, |ahead| {
            let stop = self.layout.end(self.stop(&ahead));
            self.layout.track_at(ahead.position(now, stop).saturating_sub(1))
        })
    }

    /// How long until this place of its track passes a head that is there at `now`.
    fn wait(&self, tape: u128, now: Nanos) -> Nanos {
        let turn = self.layout.turn();
        let angle = (tape % u128::from(turn)) as Nanos;
        let passing = (now % turn + self.turned) % turn;
        (angle + turn - passing) % turn
    }
}
