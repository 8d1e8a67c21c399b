//! A drive behind its host: the order in which requests pass software, limits and link.

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

use leadline_device::{Completion, Geometry, Nanos, Op, Request, Wear};

use super::drive::{Drive, Finished, Job};
use super::link::Link;
use super::software::Software;
use super::spec::HostLinkSpec;
use crate::DeviceModel;
use crate::cap::{CapSpec, Limits};

/// A drive with all that is before it. Everything happens in the order of time, so that a read that the drive
/// is done with early passes the link before one that it is done with late.
pub(crate) struct Front<D> {
    drive: D,
    software: Software,
    limits: Option<Limits>,
    link: Link,
    steps: BinaryHeap<Reverse<Step>>,
    /// When the last read or write was let in by `limits`: no flush goes before it.
    admitted: Nanos,
    /// When the last write was sent, likewise.
    write_sent: Nanos,
    sequence: u64,
    in_flight: u32,
    /// Scratch: what the drive is done with.
    finished: Vec<Finished>,
}

/// Offsets beyond this are taken for this one, so that the end of a request is a number too.
const FURTHEST: u64 = u64::MAX >> 1;

/// What happens to a request at a moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Step {
    at: Nanos,
    sequence: u64,
    to: Stage,
    request: Request,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stage {
    /// The software is done with sending it.
    Sent,
    /// The limits let it in.
    Admitted,
    /// It is at the drive, the last of its data at this time.
    AtDrive(Nanos),
    /// It is completed.
    Completed,
}

impl<D: Drive> Front<D> {
    /// An idle drive.
    pub(crate) fn new(drive: D, link: &HostLinkSpec, cap: Option<&CapSpec>) -> Self {
        Front {
            drive,
            software: Software::new(link),
            limits: cap.map(Limits::new),
            link: Link::new(link),
            steps: BinaryHeap::new(),
            admitted: 0,
            write_sent: 0,
            sequence: 0,
            in_flight: 0,
            finished: Vec::new(),
        }
    }

    /// What happens to a request at its time, and after that what happens to it at the same time.
    fn step(&mut self, mut step: Step, completions: &mut Vec<Completion>) {
        let (at, request) = (step.at, step.request);
        while step.at == at {
            (step.to, step.at) = match step.to {
                Stage::Sent => (Stage::Admitted, self.admit(&request, at)),
                Stage::Admitted => {
                    // A flush passes the link behind the data that it is about.
                    let (first, all) = match request.op {
                        Op::Write | Op::Flush => self.link.send_to_drive(request.len, at),
                        Op::Read | Op::Trim => (at, at),
                    };
                    (Stage::AtDrive(all), first)
                }
                Stage::AtDrive(data_at) => {
                    return self.drive.arrive(Job { request, sequence: step.sequence, data_at }, at);
                }
                Stage::Completed => {
                    self.in_flight -= 1;
                    completions.push(Completion { slot: request.slot, result: request.len as i32, at });
                    return;
                }
            };
        }
        self.steps.push(Reverse(step));
    }

    /// When the limits let in what was sent at `at`; they count reads and writes.
    fn admit(&mut self, request: &Request, at: Nanos) -> Nanos {
        let data = matches!(request.op, Op::Read | Op::Write);
        match &mut self.limits {
            Some(limits) if data => {
                self.admitted = limits.admit(request.len, at);
                self.admitted
            }
            _ => at.max(self.admitted),
        }
    }

    /// Takes over what the drive is done with.
    fn collect(&mut self, now: Nanos) {
        let mut finished = std::mem::take(&mut self.finished);
        self.drive.advance(now, &mut finished);
        for Finished { at, first, job } in finished.drain(..) {
            let request = job.request;
            let done =
                if request.op == Op::Read { self.link.send_to_host(request.len, first, at) } else { at };
            let step = Step { at: done, sequence: job.sequence, to: Stage::Completed, request };
            self.steps.push(Reverse(step));
        }
        self.finished = finished;
    }
}

impl<D: Drive> DeviceModel for Front<D> {
    fn geometry(&self) -> Geometry {
        self.drive.geometry()
    }

    fn arrive(&mut self, request: &Request, at: Nanos) {
        let moved = if matches!(request.op, Op::Read | Op::Write) { request.len } else { 0 };
        let mut sent = self.software.send(request.slot, moved, at);
        match request.op {
            Op::Write => self.write_sent = self.write_sent.max(sent),
            Op::Flush => sent = sent.max(self.write_sent),
            Op::Read | Op::Trim => {}
        }
        // A model takes requests at any offset; so far out, all are alike.
        let request = Request { offset: request.offset.min(FURTHEST), ..*request };
        let step = Step { at: sent, sequence: self.sequence, to: Stage::Sent, request };
        self.steps.push(Reverse(step));
        self.sequence += 1;
        self.in_flight += 1;
    }

    fn next_completion(&self) -> Option<Nanos> {
        let step = self.steps.peek().map(|Reverse(step)| step.at);
        match (step, self.drive.next()) {
            (Some(step), Some(drive)) => Some(step.min(drive)),
            (step, drive) => step.or(drive),
        }
    }

    fn advance(&mut self, now: Nanos, completions: &mut Vec<Completion>) {
        loop {
            let step = self.steps.peek().map_or(Nanos::MAX, |Reverse(step)| step.at);
            // The drive first: what it is done with by now completes before what arrives now.
            match self.drive.next() {
                Some(drive) if drive <= now && drive <= step => self.collect(drive),
                _ => match self.steps.peek() {
                    Some(Reverse(step)) if step.at <= now => {
                        let step = *step;
                        self.steps.pop();
                        self.step(step, completions);
                    }
                    _ => break,
                },
            }
        }
    }

    fn in_flight(&self) -> u32 {
        self.in_flight
    }

    fn wear(&self) -> Option<Wear> {
        Some(self.drive.wear())
    }
}

impl Ord for Step {
    fn cmp(&self, other: &Self) -> Ordering {
        (self.at, self.sequence).cmp(&(other.at, other.sequence))
    }
}

impl PartialOrd for Step {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}
