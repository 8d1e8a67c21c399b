//! When the requests of a hard disk are done: what the head does next, and what its memory answers for it.

use std::collections::VecDeque;

use leadline_device::{Geometry, Nanos, Op, Wear};

use super::arm::Arm;
use super::queue::{Pending, Queue};
use super::spec::DiskSpec;
use crate::checks::SECTOR_BYTES;
use crate::host::{Drive, Due, Finished, Flushes, Front, Job};
use crate::nearest::nanos;

/// The drive behind its link.
pub(crate) struct Mechanics {
    geometry: Geometry,
    arm: Arm,
    controller: Nanos,
    /// None goes before one that was ready that much earlier.
    reorder: Nanos,
    /// Requests that the host waits for.
    asked: Queue,
    /// Writes in the write cache.
    cached: Queue,
    /// Writes that wait for room in it.
    blocked: VecDeque<Pending>,
    cache_bytes: u64,
    cached_bytes: u64,
    /// What the head works on, and until when.
    at_work: Option<(Pending, Nanos)>,
    flushes: Flushes,
    due: Due,
    wear: Wear,
}

impl DiskSpec {
    /// The drive behind the host's side, idle.
    pub(crate) fn front(&self) -> Front<Mechanics> {
        Front::new(Mechanics::new(self), &self.link, self.cap.as_ref())
    }
}

impl Mechanics {
    fn new(spec: &DiskSpec) -> Self {
        Mechanics {
            geometry: spec.geometry(),
            arm: Arm::new(spec),
            controller: nanos(spec.timing.controller_us),
            reorder: nanos(spec.queue.reorder_ms * 1e3),
            asked: Queue::new(spec.queue.depth),
            cached: Queue::new(spec.queue.depth),
            blocked: VecDeque::new(),
            cache_bytes: spec.buffer.write,
            cached_bytes: 0,
            at_work: None,
            flushes: Flushes::default(),
            due: Due::default(),
            wear: Wear::default(),
        }
    }

    /// A read or write.
    fn accept(&mut self, job: Job, write: bool, at: Nanos) {
        let (offset, len) = (job.request.offset, job.request.len);
        let span = self.arm.span(write, offset, len);
        let ready = at.saturating_add(self.controller).max(job.data_at);
        let pending = Pending { job, span, ready, cached: false };
        if write {
            self.flushes.write_arrives();
            self.wear.host_bytes += u64::from(len);
            if !job.request.durable && u64::from(len) <= self.cache_bytes {
                self.blocked.push_back(pending);
                return self.cache();
            }
        } else if self.in_cache(offset, len) {
            return self.due.push(Finished { at: ready, first: ready, job });
        }
        self.asked.push(pending);
    }

    fn in_cache(&self, offset: u64, len: u32) -> bool {
        let at_work = self.at_work.is_some_and(|(pending, _)| pending.cached && pending.covers(offset, len));
        at_work || self.cached.covers(offset, len)
    }

    /// Moves writes into the write cache, as many as there is room for.
    fn cache(&mut self) {
        while let Some(&pending) = self.blocked.front() {
            let bytes = u64::from(pending.job.request.len);
            if self.cached_bytes + bytes > self.cache_bytes {
                break;
            }
            self.blocked.pop_front();
            self.cached_bytes += bytes;
            self.cached.push(Pending { cached: true, ..pending });
            self.due.push(Finished { at: pending.ready, first: pending.ready, job: pending.job });
        }
    }

    /// The head is done at `now`.
    fn done(&mut self, pending: Pending, now: Nanos) {
        let request = &pending.job.request;
        if pending.span.write {
            let (sector, end) = (u64::from(SECTOR_BYTES), request.offset + u64::from(request.len));
            self.wear.media_bytes += end.next_multiple_of(sector) - request.offset / sector * sector;
            self.flushes.write_ends(pending.job.sequence, now, &mut self.due);
        }
        if pending.cached {
            self.cached_bytes -= u64::from(request.len);
            // Those that waited for room are done now, not when they were ready.
            self.blocked.iter_mut().for_each(|blocked| blocked.ready = blocked.ready.max(now));
            self.cache();
        }
    }

    /// Gives the head its next work, if there is any: what passes it first.
    fn choose(&mut self, now: Nanos) {
        let (asked, cached) = (self.asked.ready(now), self.cached.ready(now));
        // What is cached can wait while the host waits for something else, unless it holds that up too.
        let late = cached.first().is_some_and(|pending| now - pending.ready > self.reorder);
        let pressing = !self.blocked.is_empty() || self.flushes.waiting() || late;
        let cached = if asked.is_empty() || pressing { cached } else { &[] };
        let firsts = [asked.first(), cached.first()];
        let Some(oldest) = firsts.into_iter().flatten().map(|pending| pending.ready).min() else { return };
        let last = oldest.saturating_add(self.reorder);
        let candidates = asked.iter().enumerate().chain(cached.iter().enumerate());
        let soonest = candidates
            .filter(|(_, pending)| pending.ready <= last)
            .min_by_key(|(_, pending)| self.arm.pass(&pending.span, now).first);
        let Some((index, pending)) = soonest.map(|(index, pending)| (index, *pending)) else { return };
        let queue = if pending.cached { &mut self.cached } else { &mut self.asked };
        queue.take(index);
        let pass = self.arm.take(&pending.span, now);
        if !pending.cached {
            self.due.push(Finished { at: pass.last, first: pass.first, job: pending.job });
        }
        self.at_work = Some((pending, pass.last));
    }
}

impl Drive for Mechanics {
    fn geometry(&self) -> Geometry {
        self.geometry
    }

    fn arrive(&mut self, job: Job, at: Nanos) {
        match job.request.op {
            Op::Read => self.accept(job, false, at),
            Op::Write => self.accept(job, true, at),
            Op::Flush => self.flushes.arrive(job, at, &mut self.due),
            // Data is written in place, so that there is nothing to take note of.
            Op::Trim => self.due.push(Finished { at, first: at, job }),
        }
    }

    fn next(&self) -> Option<Nanos> {
        let head = match self.at_work {
            Some((_, until)) => [Some(until), None],
            None => [self.asked.next(), self.cached.next()],
        };
        head.into_iter().chain([self.due.next()]).flatten().min()
    }

    fn advance(&mut self, now: Nanos, finished: &mut Vec<Finished>) {
        while let Some(at) = self.next().filter(|&at| at <= now) {
            if let Some(done) = self.due.pop(at) {
                finished.push(done);
                continue;
            }
            if let Some((pending, until)) = self.at_work.take() {
                self.done(pending, until);
            }
            self.choose(at);
        }
    }

    fn wear(&self) -> Wear {
        self.wear
    }
}
