//! One thread's way to a faulty device.

use std::sync::Arc;

use super::delay_queue::{DelayQueue, DelayedCompletion};
use super::outcome::Outcome;
use super::rule::SECTOR_BYTES;
use super::state::FaultState;
use crate::buffers::InFlight;
use crate::{
    Completion, DeviceError, Geometry, NEVER, Nanos, Op, QueuePair, QueueShape, Request, RequestError,
};

/// A queue pair over the device's own. Requests keep their slots, and with them their buffers.
pub(super) struct FaultyPair {
    inner: Box<dyn QueuePair>,
    shared: Arc<FaultState>,
    in_flight: InFlight,
    /// Of the request in each slot.
    flights: Vec<Option<Flight>>,
    /// Requests in flight that will never complete.
    hanging: u32,
    /// Slots whose requests wait for the next reap, to be sent in random order.
    unsent: Vec<u32>,
    delayed: DelayQueue,
    /// Completed below and not looked at yet.
    arrived: Vec<Completion>,
}

/// A request under way.
struct Flight {
    outcome: Outcome,
    /// The caller's bytes, where the request below puts others into the buffer.
    callers: Vec<u8>,
    /// Whether what is under way below is the read of what a write is about to replace.
    looking: bool,
}

impl FaultyPair {
    pub(super) fn new(inner: Box<dyn QueuePair>, shared: Arc<FaultState>) -> FaultyPair {
        let shape = inner.shape();
        FaultyPair {
            inner,
            shared,
            in_flight: InFlight::new(shape),
            flights: (0..shape.all_slots()).map(|_| None).collect(),
            hanging: 0,
            unsent: Vec::new(),
            delayed: DelayQueue::default(),
            arrived: Vec::new(),
        }
    }

    /// Sends a request below as its outcome has it: at once, or after a look at what a write is about to
    /// replace.
    fn send(&mut self, slot: u32, mut flight: Flight) -> Result<(), RequestError> {
        let Some(below) = flight.outcome.below else {
            self.tell(slot, &flight.outcome, None, self.inner.now());
            self.flights[slot as usize] = Some(flight);
            return Ok(());
        };
        let buffer = self.inner.buffer(slot);
        let writes_data = below.op == Op::Write && !buffer.is_empty();
        let looks = writes_data && (flight.outcome.moved.is_some() || self.shared.history().is_some());
        if !buffer.is_empty() && (looks || flight.outcome.spoils_buffer()) {
            flight.callers = buffer[..below.len as usize].to_vec();
        }
        if looks {
            flight.looking = true;
            self.inner.submit(Request::read(slot, below.offset, below.len))?;
        } else {
            if let (true, Some((byte, mask))) = (writes_data, flight.outcome.flip) {
                buffer[byte] ^= mask;
            }
            self.inner.submit(below)?;
        }
        self.flights[slot as usize] = Some(flight);
        Ok(())
    }

    /// Sends what waited for this reap, in random order.
    fn send_unsent(&mut self) {
        let mut unsent = std::mem::take(&mut self.unsent);
        let number =
            |slot: &u32| self.flights[*slot as usize].as_ref().and_then(|flight| flight.outcome.shuffle);
        unsent.sort_by_key(number);
        for slot in unsent {
            let Some(flight) = self.flights[slot as usize].take() else { continue };
            let outcome = flight.outcome.clone();
            if self.send(slot, flight).is_err() {
                self.refused(slot, &outcome);
            }
        }
    }

    /// The device did not take what it should have: too late to refuse the request, so it fails.
    fn refused(&mut self, slot: u32, outcome: &Outcome) {
        let now = self.inner.now();
        self.tell(slot, outcome, Some(-libc::EINVAL), now);
    }

    /// Looks at what completed below; true if more was sent on that account.
    fn take_arrivals(&mut self) -> bool {
        let mut sent = false;
        let mut arrived = std::mem::take(&mut self.arrived);
        for Completion { slot, result, at } in arrived.drain(..) {
            let Some(mut flight) = self.flights[slot as usize].take() else { continue };
            if flight.looking && result >= 0 {
                flight.looking = false;
                match self.replace(slot, &flight) {
                    Ok(()) => sent = true,
                    Err(_) => self.refused(slot, &flight.outcome),
                }
                self.flights[slot as usize] = Some(flight);
            } else {
                self.land(slot, &flight, result);
                self.tell(slot, &flight.outcome, Some(result), at);
            }
        }
        self.arrived = arrived;
        sent
    }

    /// Does a write now that the buffer holds what it replaces.
    fn replace(&mut self, slot: u32, flight: &Flight) -> Result<(), RequestError> {
        let Some(below) = flight.outcome.below else { return Ok(()) };
        let buffer = &mut self.inner.buffer(slot)[..below.len as usize];
        if let Some(mut history) = self.shared.history() {
            history.note(below.offset, buffer);
        }
        put_moved(&flight.callers, buffer, flight.outcome.moved.as_deref());
        if let Some((byte, mask)) = flight.outcome.flip {
            buffer[byte] ^= mask;
        }
        self.inner.submit(below)
    }

    /// Makes the buffer what the caller is to find in it.
    fn land(&mut self, slot: u32, flight: &Flight, result: i32) {
        let Outcome { below: Some(below), flip, stale, moved, .. } = &flight.outcome else { return };
        let buffer = self.inner.buffer(slot);
        if buffer.is_empty() || matches!(below.op, Op::Flush | Op::Trim) {
            return;
        }
        let buffer = &mut buffer[..below.len as usize];
        if below.op == Op::Write {
            // Whatever reached the medium, the caller's bytes are still his.
            put_moved(&flight.callers, buffer, None);
            return;
        }
        if result < 0 {
            return;
        }
        if let (true, Some(history)) = (*stale, self.shared.history()) {
            history.turn_back(below.offset, buffer);
        }
        if let Some((byte, mask)) = flip {
            buffer[*byte] ^= mask;
        }
        if let Some(moved) = moved {
            let unmoved: Vec<bool> = moved.iter().map(|moved| !moved).collect();
            put_moved(&flight.callers, buffer, Some(&unmoved));
        }
    }

    /// Gets a completion on its way to the caller.
    fn tell(&mut self, slot: u32, outcome: &Outcome, below: Option<i32>, at: Nanos) {
        if outcome.hangs {
            return;
        }
        let completion = Completion { slot, result: outcome.result(below), at };
        self.delayed.push(DelayedCompletion {
            completion,
            due: at.saturating_add(outcome.delay),
            shuffle: outcome.shuffle,
        });
    }

    /// Lets time pass below until something completes there, something held is due, or the deadline has come.
    /// False if nothing of that happened: a signal did.
    fn pass_time(&mut self, missing: u32, deadline: Nanos) -> Result<bool, DeviceError> {
        let until = deadline.min(self.delayed.next_due(self.inner.now()));
        let awaited = missing.min(self.inner.in_flight());
        self.inner.reap(awaited, until, &mut self.arrived)?;
        let arrived = !self.arrived.is_empty();
        while self.take_arrivals() {
            self.inner.reap(0, 0, &mut self.arrived)?;
        }
        Ok(arrived || self.inner.now() >= until)
    }
}

/// Copies the sectors marked, or all. Copies nothing where there is nothing to copy.
fn put_moved(from: &[u8], to: &mut [u8], moved: Option<&[bool]>) {
    let sector = SECTOR_BYTES as usize;
    for (index, (from, to)) in from.chunks(sector).zip(to.chunks_mut(sector)).enumerate() {
        if moved.is_none_or(|moved| moved.get(index).copied().unwrap_or(false)) {
            to.copy_from_slice(from);
        }
    }
}

impl QueuePair for FaultyPair {
    fn geometry(&self) -> Geometry {
        self.inner.geometry()
    }

    fn shape(&self) -> QueueShape {
        self.inner.shape()
    }

    fn buffer(&mut self, slot: u32) -> &mut [u8] {
        self.in_flight.assert_idle(slot);
        self.inner.buffer(slot)
    }

    fn submit(&mut self, request: Request) -> Result<(), RequestError> {
        let (slot, geometry) = (request.slot, self.inner.geometry());
        self.in_flight.admit(&request, &geometry, &self.inner.shape())?;
        let outcome = self.shared.outcome(request, &geometry);
        if let Some(nanos) = outcome.stall {
            self.delayed.stall_until(self.inner.now().saturating_add(nanos));
        }
        let hangs = outcome.hangs;
        let flight = Flight { outcome, callers: Vec::new(), looking: false };
        if flight.outcome.shuffle.is_some() && flight.outcome.below.is_some() {
            self.flights[slot as usize] = Some(flight);
            self.unsent.push(slot);
        } else if let Err(refused) = self.send(slot, flight) {
            self.in_flight.complete(slot);
            return Err(refused);
        }
        self.hanging += u32::from(hangs);
        Ok(())
    }

    fn reap(
        &mut self,
        min: u32,
        deadline: Nanos,
        completions: &mut Vec<Completion>,
    ) -> Result<(), DeviceError> {
        self.send_unsent();
        self.shared.reaped();
        let alive = self.in_flight.count() - self.hanging;
        if self.hanging > 0 && deadline == NEVER && min > alive {
            // Waiting would be true to life, and end no test.
            return Err(DeviceError::Unsupported("a hanging request was awaited without a deadline".into()));
        }
        // Where nothing can hang, there is no use in waiting for more than there are; where nothing is in
        // flight, the device waits for the deadline.
        let enough = if self.hanging > 0 || alive == 0 { min } else { min.min(alive) };
        let idle = self.in_flight.count() == 0;
        loop {
            let missing = enough.saturating_sub(self.delayed.ready(self.inner.now()));
            let until = if missing == 0 && !idle { 0 } else { deadline };
            let went_on = self.pass_time(missing, until)?;
            let now = self.inner.now();
            if self.delayed.ready(now) >= enough || now >= deadline || !went_on {
                break;
            }
        }
        for completion in self.delayed.take(self.inner.now(), enough) {
            self.in_flight.complete(completion.slot);
            self.flights[completion.slot as usize] = None;
            completions.push(completion);
        }
        Ok(())
    }

    fn now(&self) -> Nanos {
        self.inner.now()
    }

    fn in_flight(&self) -> u32 {
        self.in_flight.count()
    }
}
