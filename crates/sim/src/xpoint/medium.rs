//! When the requests of a 3D XPoint drive are done: controller, channels, medium.

use std::collections::VecDeque;

use leadline_device::{Geometry, Nanos, Op, Wear};

use super::access::Access;
use super::channels::{Channels, Transfer};
use super::disturb::ReadCounts;
use super::settle::Banks;
use super::{XpointAlignment, XpointSpec};
use crate::host::{Drive, Due, Finished, Flushes, Front, Job};
use crate::nearest::nanos;

/// The drive behind its link.
pub(crate) struct Medium {
    geometry: Geometry,
    /// What the controller takes for a request, and when it is free again.
    controller: Nanos,
    controller_free: Nanos,
    /// Requests at the controller, and when it is done with each.
    controlled: VecDeque<(Nanos, Transfer)>,
    channels: Channels,
    access: Access,
    /// What a durable write takes beyond a plain one.
    durable: Nanos,
    alignment: Option<XpointAlignment>,
    counts: Option<ReadCounts>,
    banks: Option<Banks>,
    flushes: Flushes,
    due: Due,
    wear: Wear,
}

impl XpointSpec {
    /// The drive behind the host's side, idle.
    pub(crate) fn front(&self) -> Front<Medium> {
        Front::new(Medium::new(self), &self.link, self.cap.as_ref())
    }
}

impl Medium {
    fn new(spec: &XpointSpec) -> Self {
        Medium {
            geometry: spec.geometry(),
            controller: nanos(spec.timing.controller_us),
            controller_free: 0,
            controlled: VecDeque::new(),
            channels: Channels::new(spec),
            access: Access::new(spec),
            durable: nanos(spec.flush.durable_us),
            alignment: spec.alignment.clone(),
            counts: spec.disturb.as_ref().map(ReadCounts::new),
            banks: spec.settle.as_ref().map(Banks::new),
            flushes: Flushes::new(nanos(spec.flush.service_us)),
            due: Due::default(),
            wear: Wear::default(),
        }
    }

    /// A read or write, from its arrival to the channels.
    fn accept(&mut self, job: Job, write: bool, at: Nanos) {
        let (offset, len) = (job.request.offset, job.request.len);
        let mut after = self.access.time(write);
        after += self.alignment.as_ref().map_or(0, |alignment| alignment.extra(offset, len));
        if write {
            self.flushes.write_arrives();
            after += if job.request.durable { self.durable } else { 0 };
            self.wear.host_bytes += u64::from(len);
            self.wear.media_bytes += self.channels.moved_bytes(offset, len);
        }
        if let Some(counts) = &mut self.counts {
            if write {
                counts.written(offset, len);
            } else {
                after += counts.read(offset, len);
            }
        }
        self.controller_free = at.max(self.controller_free).saturating_add(self.controller);
        self.controlled.push_back((self.controller_free, Transfer::new(job, write, after)));
    }

    /// A request whose data the channels have moved.
    fn moved(&mut self, transfer: Transfer) {
        let Transfer { job, write, after, .. } = transfer;
        let (offset, len) = (job.request.offset, job.request.len);
        let mut begun = transfer.through().max(job.data_at);
        if let (Some(banks), false) = (&self.banks, write) {
            begun = begun.max(banks.readable(offset, len));
        }
        let done = begun.saturating_add(after);
        if write {
            if let Some(banks) = &mut self.banks {
                banks.written(offset, len, done);
            }
            self.flushes.write_ends(job.sequence, done, &mut self.due);
        }
        self.due.push(Finished { at: done, first: done - transfer.took(), job });
    }
}

impl Drive for Medium {
    fn geometry(&self) -> Geometry {
        self.geometry
    }

    fn arrive(&mut self, job: Job, at: Nanos) {
        match job.request.op {
            Op::Read => self.accept(job, false, at),
            Op::Write => self.accept(job, true, at),
            Op::Flush => self.flushes.arrive(job, at, &mut self.due),
            // Data is updated in place, so that there is nothing to take note of.
            Op::Trim => self.due.push(Finished { at, first: at, job }),
        }
    }

    fn next(&self) -> Option<Nanos> {
        let controlled = self.controlled.front().map(|&(at, _)| at);
        [self.due.next(), controlled, self.channels.next()].into_iter().flatten().min()
    }

    fn advance(&mut self, now: Nanos, finished: &mut Vec<Finished>) {
        while let Some(at) = self.next().filter(|&at| at <= now) {
            if let Some(done) = self.due.pop(at) {
                finished.push(done);
            } else if self.controlled.front().is_some_and(|&(done, _)| done <= at) {
                let (_, transfer) = self.controlled.pop_front().expect("just seen");
                self.channels.join(transfer, at);
            } else if let Some(transfer) = self.channels.turn(at) {
                self.moved(transfer);
            }
        }
    }

    fn wear(&self) -> Wear {
        self.wear
    }
}
