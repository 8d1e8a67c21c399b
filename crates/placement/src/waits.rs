//! Which request of a capture waits for which.
//!
//! A capture says when requests were issued and completed, and not what its program waited for. Two rules
//! recover that from the times and addresses:
//!
//! - A request waits for the last one of its thread that was completed before it was issued; the time from
//!   that completion to its issue is computing.
//! - **Read-ahead** does not wait for itself. A run is reads of one thread that go on in one file, within one
//!   extent, each behind the end of the one before. Where one of them was issued while the one before it was
//!   in flight, as nobody does who reads page after page, all but the first of the run are read-ahead: the
//!   first one is the page whose absence was noticed. They wait for no completion; each follows the issue of
//!   the one before it, the first of them by the first rule.

use crate::captured::{Captured, Kind, Request};
use crate::replay::Prediction;

/// Bytes that a database reads ahead at once, aligned: InnoDB's extent of 64 pages of 16K.
const EXTENT_BYTES: u64 = 1 << 20;

/// What a request waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum After {
    /// The beginning of the capture.
    Start,
    /// The completion of the request with this number.
    Completed(u32),
    /// The issue of it: read-ahead.
    Issued(u32),
}

/// What a request waits for, and how long its program computes from then until it issues it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Wait {
    /// What has to come first.
    pub after: After,
    /// From then to the issue, nanoseconds.
    pub computing_ns: u64,
}

/// What each request of a capture waits for.
#[derive(Debug, Clone)]
pub struct Waits {
    waits: Vec<Wait>,
    end: Wait,
    by_completion: Followers,
    by_issue: Followers,
    first: Vec<u32>,
}

impl Waits {
    /// Those of a capture. Takes 24 bytes per request.
    pub fn of(captured: &Captured) -> Waits {
        let requests = &captured.requests;
        let mut by_completion: Vec<u32> = (0..requests.len() as u32).collect();
        by_completion.sort_by_key(|&i| requests[i as usize].completed_ns);
        let mut completed = by_completion.into_iter().peekable();
        let read_ahead = read_ahead(captured);
        let mut last_completed = vec![None; captured.threads.len()];
        let mut last_of_all = None;
        let mut waits = Vec::with_capacity(requests.len());
        for (i, request) in requests.iter().enumerate() {
            // A request that takes no time is not its own cause.
            let earlier = |&done: &u32| {
                (done as usize) < i && requests[done as usize].completed_ns <= request.issued_ns
            };
            while let Some(done) = completed.next_if(earlier) {
                last_completed[requests[done as usize].thread as usize] = Some(done);
                last_of_all = Some(done);
            }
            waits.push(match read_ahead[i] {
                Some(before) => {
                    let computing_ns = request.issued_ns - requests[before as usize].issued_ns;
                    Wait { after: After::Issued(before), computing_ns }
                }
                None => {
                    Wait::for_completion(last_completed[request.thread as usize], requests, request.issued_ns)
                }
            });
        }
        // The end waits for whatever was completed last.
        let last = completed.last().or(last_of_all);
        let end = Wait::for_completion(last, requests, captured.ended_ns);
        let count = requests.len();
        let completions = |wait: &Wait| match wait.after {
            After::Completed(before) => Some(before),
            _ => None,
        };
        let issues = |wait: &Wait| match wait.after {
            After::Issued(before) => Some(before),
            _ => None,
        };
        let first = (0..).zip(&waits).filter(|(_, wait)| wait.after == After::Start).map(|(i, _)| i);
        Waits {
            first: first.collect(),
            by_completion: Followers::new(count, waits.iter().map(completions)),
            by_issue: Followers::new(count, waits.iter().map(issues)),
            waits,
            end,
        }
    }

    /// How long the capture itself took: what was waiting for requests, and what was computing, along the
    /// chain of requests that ended last.
    pub fn recorded(&self, captured: &Captured) -> Prediction {
        let mut computing_ns = 0;
        let mut wait = self.end;
        loop {
            computing_ns += wait.computing_ns;
            wait = match wait.after {
                After::Start => break,
                After::Completed(before) | After::Issued(before) => self.waits[before as usize],
            };
        }
        let total_ns = captured.ended_ns.max(computing_ns);
        Prediction { total_ns, io_ns: total_ns - computing_ns, computing_ns }
    }

    /// Of a request.
    pub fn of_request(&self, request: u32) -> Wait {
        self.waits[request as usize]
    }

    /// Of the end of the capture.
    pub fn end(&self) -> Wait {
        self.end
    }

    /// The requests that wait for nothing but the beginning.
    pub fn first(&self) -> &[u32] {
        &self.first
    }

    /// The requests that wait for the completion of this one.
    pub fn after_completion(&self, request: u32) -> &[u32] {
        self.by_completion.of(request)
    }

    /// The requests that wait for the issue of this one.
    pub fn after_issue(&self, request: u32) -> &[u32] {
        self.by_issue.of(request)
    }
}

impl Wait {
    fn for_completion(before: Option<u32>, requests: &[Request], issued_ns: u64) -> Wait {
        let (after, from) = match before {
            Some(before) => (After::Completed(before), requests[before as usize].completed_ns),
            None => (After::Start, 0),
        };
        // The end of a capture may come before a completion.
        Wait { after, computing_ns: issued_ns.saturating_sub(from) }
    }
}

/// For each request, the one of its thread before it, where both are in a run of read-ahead and that one is
/// not the first of it.
fn read_ahead(captured: &Captured) -> Vec<Option<u32>> {
    let requests = &captured.requests;
    let mut before = vec![None; requests.len()];
    let mut runs: Vec<Run> = captured.threads.iter().map(|_| Run::default()).collect();
    for (i, request) in (0..).zip(requests) {
        let run = &mut runs[request.thread as usize];
        if !run.goes_on_with(request, requests) {
            run.mark(&mut before);
            *run = Run::default();
        }
        run.add(i, requests);
    }
    runs.iter().for_each(|run| run.mark(&mut before));
    before
}

/// Reads of a thread, one behind the other within an extent.
#[derive(Debug, Default)]
struct Run {
    members: Vec<u32>,
    /// Whether one was issued while the one before it was in flight.
    overlaps: bool,
}

impl Run {
    fn goes_on_with(&self, request: &Request, requests: &[Request]) -> bool {
        let Some(&last) = self.members.last() else { return true };
        let last = &requests[last as usize];
        request.kind == Kind::Read
            && last.kind == Kind::Read
            && request.file == last.file
            && request.offset >= last.offset + u64::from(last.bytes)
            && request.offset / EXTENT_BYTES == last.offset / EXTENT_BYTES
    }

    fn add(&mut self, i: u32, requests: &[Request]) {
        if let Some(&last) = self.members.last() {
            self.overlaps |= requests[i as usize].issued_ns < requests[last as usize].completed_ns;
        }
        self.members.push(i);
    }

    fn mark(&self, before: &mut [Option<u32>]) {
        if !self.overlaps {
            return;
        }
        for pair in self.members.windows(2).skip(1) {
            before[pair[1] as usize] = Some(pair[0]);
        }
    }
}

/// For each request, those that follow it: all in one list, and where each one's begin.
#[derive(Debug, Clone)]
struct Followers {
    begins: Vec<u32>,
    list: Vec<u32>,
}

impl Followers {
    /// Of `count` requests; `before` gives the one that each follows, if any, in order.
    fn new(count: usize, before: impl Iterator<Item = Option<u32>> + Clone) -> Followers {
        let mut begins = vec![0u32; count + 1];
        for before in before.clone().flatten() {
            begins[before as usize + 1] += 1;
        }
        for i in 0..count {
            begins[i + 1] += begins[i];
        }
        let mut list = vec![0; begins[count] as usize];
        let mut next = begins.clone();
        for (i, before) in (0..).zip(before) {
            if let Some(before) = before {
                list[next[before as usize] as usize] = i;
                next[before as usize] += 1;
            }
        }
        Followers { begins, list }
    }

    fn of(&self, request: u32) -> &[u32] {
        let i = request as usize;
        &self.list[self.begins[i] as usize..self.begins[i + 1] as usize]
    }
}
