//! The loop: starts requests when they are due, cuts them into pieces, and times them as wholes.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use leadline_device::{Clock, Completion, DeviceError, Nanos, Op, Payload, QueuePair, Request};
use leadline_trace::Trace;

use super::place::{Placed, Places};
use super::tally::Tally;
use super::{Pace, ReplayPlan, Replayed};
use crate::outcome::Stop;
use crate::{MeasureError, Progress, error};

/// A timer wakes this late at worst in ordinary times; closer than that the loop polls.
const TIMER_SLACK: Nanos = 60_000;

/// However long the next request is away, so often the loop looks whether it is to end.
const LOOK_AROUND: Nanos = 100_000_000;

/// So often somebody is told how far it is.
const TELL: Duration = Duration::from_millis(100);

/// A request of the trace that has not started.
struct Waiting {
    /// Its number in the trace, from 1.
    number: u64,
    write: bool,
    placed: Placed,
    /// Intended start; 0 in a closed loop, where it is when its turn comes.
    due: Nanos,
}

/// A request of the trace of which pieces are under way.
#[derive(Clone, Copy)]
struct UnderWay {
    number: u64,
    write: bool,
    bytes: u64,
    due: Nanos,
    /// Pieces that were not answered; one more while others are to be sent.
    open: u32,
}

/// What a slot is used for.
#[derive(Clone, Copy, Default)]
struct Slot {
    /// Index of its request in [`Run::under_way`].
    whole: u32,
    offset: u64,
    len: u32,
}

pub(super) struct Run<'a> {
    queue: Box<dyn QueuePair>,
    clock: Clock,
    trace: &'a mut dyn Trace,
    plan: &'a ReplayPlan,
    places: Places,
    cancel: &'a AtomicBool,
    payload: Payload,
    tally: Tally,
    begin: Nanos,
    /// Requests taken from the trace, and how many it said it had.
    taken: u64,
    expected: Option<u64>,
    last_due: Nanos,
    ended: bool,
    /// The next request of the trace, where it has been looked at.
    next: Option<Waiting>,
    /// What is being cut into pieces: its index, and what is left.
    cutting: Option<(u32, Placed)>,
    under_way: Vec<UnderWay>,
    free_places: Vec<u32>,
    started: u32,
    slots: Vec<Slot>,
    free_slots: Vec<u32>,
    last_answer: Nanos,
    told: Instant,
}

impl<'a> Run<'a> {
    pub(super) fn new(
        queue: Box<dyn QueuePair>,
        clock: Clock,
        trace: &'a mut dyn Trace,
        plan: &'a ReplayPlan,
        places: Places,
        cancel: &'a AtomicBool,
    ) -> Self {
        let begin = queue.now();
        let expected = trace.remaining().map(|all| all.min(plan.limit));
        Run {
            clock,
            plan,
            places,
            cancel,
            payload: Payload::new(plan.seed),
            tally: Tally::new(),
            begin,
            taken: 0,
            expected: expected.or((plan.limit < u64::MAX).then_some(plan.limit)),
            last_due: begin,
            ended: false,
            next: None,
            cutting: None,
            under_way: Vec::new(),
            free_places: Vec::new(),
            started: 0,
            slots: vec![Slot::default(); plan.depth as usize],
            free_slots: (0..plan.depth).rev().collect(),
            last_answer: begin,
            told: Instant::now(),
            trace,
            queue,
        }
    }

    /// To the end of the trace, or to where it cannot go on.
    pub(super) fn finish(mut self, progress: &mut dyn FnMut(Progress)) -> Replayed {
        let stopped_by = match self.go(progress) {
            Err(error) => Some(Stop::Failed(error)),
            Ok(()) if !self.ended => Some(Stop::Cancelled),
            Ok(()) => None,
        };
        let mut replay = self.tally.finish(self.plan);
        replay.complete = stopped_by.is_none();
        Replayed { replay, stopped_by }
    }

    fn go(&mut self, progress: &mut dyn FnMut(Progress)) -> Result<(), MeasureError> {
        let mut completions: Vec<Completion> = Vec::with_capacity(self.slots.len());
        loop {
            self.start_what_is_due()?;
            let in_flight = self.queue.in_flight();
            if in_flight == 0 && (self.ended && self.next.is_none() || self.is_cancelled()) {
                return Ok(());
            }
            self.tell(progress);
            let (min, deadline) = self.patience(in_flight);
            completions.clear();
            self.queue.reap(min, deadline, &mut completions)?;
            for completion in &completions {
                self.answered(completion)?;
            }
            let now = self.queue.now();
            if completions.is_empty() && in_flight > 0 && now >= self.give_up() {
                let seconds = self.plan.watchdog as f64 / 1e9;
                return Err(MeasureError::Stalled { in_flight, seconds });
            }
        }
    }

    fn is_cancelled(&self) -> bool {
        self.cancel.load(Ordering::Relaxed)
    }

    fn give_up(&self) -> Nanos {
        self.last_answer.saturating_add(self.plan.watchdog)
    }

    /// How many answers to wait for, and until when.
    fn patience(&self, in_flight: u32) -> (u32, Nanos) {
        let now = self.queue.now();
        let give_up = if in_flight > 0 { self.give_up() } else { Nanos::MAX };
        // With a slot free the next request ends the wait; without one only an answer can.
        let due = match (&self.next, self.plan.pace) {
            (Some(next), Pace::Recorded(_)) if !self.free_slots.is_empty() && !self.is_cancelled() => {
                next.due
            }
            _ => Nanos::MAX,
        };
        if self.clock == Clock::Virtual {
            return (1, due.min(give_up));
        }
        if due <= now.saturating_add(TIMER_SLACK) {
            return (0, 0);
        }
        (1, due.min(give_up).min(now + LOOK_AROUND))
    }

    /// Sends pieces while there are slots and requests whose time has come.
    fn start_what_is_due(&mut self) -> Result<(), MeasureError> {
        let now = self.queue.now();
        while let Some(&slot) = self.free_slots.last() {
            if self.cutting.is_none() && !self.begin_next(now)? {
                break;
            }
            let Some((whole, placed)) = &mut self.cutting else { break };
            let (offset, len) = self.places.next_piece(placed);
            let (whole, done) = (*whole, placed.left == 0);
            self.free_slots.pop();
            self.slots[slot as usize] = Slot { whole, offset, len };
            if done {
                self.cutting = None;
            } else {
                self.under_way[whole as usize].open += 1;
            }
            self.send(slot, now)?;
        }
        Ok(())
    }

    /// Begins the next request of the trace if its turn has come.
    fn begin_next(&mut self, now: Nanos) -> Result<bool, MeasureError> {
        if self.is_cancelled() || matches!(self.plan.pace, Pace::Closed(k) if self.started >= k) {
            return Ok(false);
        }
        if self.next.is_none() {
            self.next = self.take()?;
        }
        let recorded = matches!(self.plan.pace, Pace::Recorded(_));
        let Some(next) = self.next.take_if(|next| !recorded || next.due <= now) else { return Ok(false) };
        let due = if recorded { next.due } else { now };
        if recorded {
            self.tally.sent(due - self.begin, now - self.begin);
        }
        let (number, write, bytes) = (next.number, next.write, next.placed.left);
        let whole = UnderWay { number, write, bytes, due, open: 1 };
        let place = match self.free_places.pop() {
            Some(place) => {
                self.under_way[place as usize] = whole;
                place
            }
            None => {
                self.under_way.push(whole);
                self.under_way.len() as u32 - 1
            }
        };
        self.started += 1;
        self.cutting = Some((place, next.placed));
        Ok(true)
    }

    /// The next request of the trace that the target may get.
    fn take(&mut self) -> Result<Option<Waiting>, MeasureError> {
        while !self.ended {
            let request = if self.taken < self.plan.limit { self.trace.next()? } else { None };
            let Some(request) = request else {
                self.ended = true;
                break;
            };
            self.taken += 1;
            if request.write && !self.plan.writes {
                self.tally.mapping.skipped_writes += 1;
                if self.taken.is_multiple_of(1 << 16) && self.is_cancelled() {
                    break;
                }
                continue;
            }
            let (placed, fast) = self.places.place_file(&request, self.trace);
            let mapping = &mut self.tally.mapping;
            mapping.fast += u64::from(fast == Some(true));
            mapping.spilled += u64::from(fast == Some(false));
            mapping.wrapped += u64::from(placed.wrapped && fast != Some(true));
            mapping.widened += u64::from(placed.widened);
            let mut rest = placed;
            self.places.next_piece(&mut rest);
            mapping.cut += u64::from(rest.left > 0);
            if let Pace::Recorded(speed) = self.plan.pace {
                let due = self.begin.saturating_add((request.at_ns as f64 / speed) as Nanos);
                // Traces that step back in time start such requests at once.
                self.last_due = self.last_due.max(due);
            }
            let (number, write, due) = (self.taken, request.write, self.last_due);
            return Ok(Some(Waiting { number, write, placed, due }));
        }
        Ok(None)
    }

    fn send(&mut self, slot: u32, now: Nanos) -> Result<(), MeasureError> {
        let Slot { whole, offset, len } = self.slots[slot as usize];
        if self.queue.in_flight() == 0 {
            self.last_answer = now; // the watchdog counts from when the device had something to do
        }
        let op = if self.under_way[whole as usize].write { Op::Write } else { Op::Read };
        if op == Op::Write {
            let buffer = self.queue.buffer(slot);
            let used = buffer.len().min(len as usize);
            self.payload.fill(&mut buffer[..used]);
        }
        self.queue.submit(Request { op, durable: false, slot, len, offset }).map_err(DeviceError::from)?;
        Ok(())
    }

    fn answered(&mut self, completion: &Completion) -> Result<(), MeasureError> {
        let Slot { whole: place, offset, len } = self.slots[completion.slot as usize];
        let whole = &mut self.under_way[place as usize];
        if completion.result != len as i32 {
            return Err(MeasureError::Replayed {
                number: whole.number,
                operation: if whole.write { "write" } else { "read" },
                bytes: len,
                offset,
                reason: error::reason(completion.result),
            });
        }
        self.free_slots.push(completion.slot);
        self.last_answer = self.last_answer.max(completion.at);
        whole.open -= 1;
        if whole.open == 0 {
            let latency = completion.at.saturating_sub(whole.due);
            self.tally.completed(whole.write, whole.bytes, latency, completion.at - self.begin);
            self.free_places.push(place);
            self.started -= 1;
        }
        Ok(())
    }

    fn tell(&mut self, progress: &mut dyn FnMut(Progress)) {
        if self.told.elapsed() < TELL {
            return;
        }
        self.told = Instant::now();
        let counted = self.expected.map(|all| self.taken as f64 / all.max(1) as f64);
        let done = counted.or_else(|| self.trace.progress()).unwrap_or(0.0);
        let detail = format!("{} requests, {} under way", self.tally.count(), self.started);
        progress(Progress { phase: "replay", done, detail });
    }
}
