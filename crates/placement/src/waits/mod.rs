//! Which requests of a capture wait for which.
//!
//! A capture says when requests were issued and completed, and not what its programs waited for. The times
//! and addresses tell, by these rules; `docs/predict-trace.md` has them in words for users.
//!
//! - A request waits for the last one of its thread that was completed before it was issued; the time from
//!   the last thing that it waited for to its issue is computing.
//! - Read-ahead does not wait for itself: `ahead.rs`.
//! - What the kernel writes back is background, unless a thread waited for it: `kernel.rs`.
//! - Threads and processes that take turns wait for each other: `turns.rs`.
//! - The end is the end of every thread, and of what the kernel wrote while one of them waited.

mod ahead;
mod followers;
mod kernel;
mod strands;
mod turns;

use crate::captured::{Captured, Request};
use crate::prediction::Prediction;

use followers::Followers;
use strands::Strands;

/// What a request waits for. One that waits for nothing of this kind waits for the beginning of the capture.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum After {
    /// The completion of the request with this number.
    Completed(u32),
    /// The issue of it.
    Issued(u32),
}

/// What each request of a capture waits for.
#[derive(Debug, Clone)]
pub struct Waits {
    /// Of all requests, in their order.
    after: Vec<After>,
    /// Where those of each request begin in `after`, and where the last ones end.
    begins: Vec<usize>,
    /// From the last thing that each request waits for to its issue, nanoseconds.
    computing_ns: Vec<u64>,
    /// Whether the end of the capture waits for each.
    counts: Vec<bool>,
    tail_ns: u64,
    by_completion: Followers,
    by_issue: Followers,
    first: Vec<u32>,
}

impl After {
    /// When that happened in the capture.
    fn at(self, requests: &[Request]) -> u64 {
        match self {
            After::Completed(before) => requests[before as usize].completed_ns,
            After::Issued(before) => requests[before as usize].issued_ns,
        }
    }

    fn request(self) -> u32 {
        match self {
            After::Completed(before) | After::Issued(before) => before,
        }
    }
}

impl Waits {
    /// The waits of a capture. Takes about 50 bytes per request.
    pub fn of(captured: &Captured) -> Waits {
        let requests = &captured.requests;
        let (mut after, mut begins) = (Vec::with_capacity(requests.len()), vec![0]);
        let mut computing_ns = Vec::with_capacity(requests.len());
        let mut strands = Strands::new(captured);
        for (i, request) in (0..).zip(requests) {
            let from = after.len();
            strands.issue(i, &mut after);
            begins.push(after.len());
            let last_ns = after[from..].iter().map(|after| after.at(requests)).max().unwrap_or(0);
            computing_ns.push(request.issued_ns.saturating_sub(last_ns));
        }
        let counts = strands.counts();
        let last_ns = (requests.iter().zip(&counts)).filter(|(_, counts)| **counts);
        let last_ns = last_ns.map(|(request, _)| request.completed_ns).max().unwrap_or(0);
        let first = (0..).zip(begins.windows(2)).filter(|(_, bounds)| bounds[0] == bounds[1]);
        let (all, bounds) = (&after, &begins);
        let pairs = |is: fn(&After) -> bool| {
            let of = move |i: usize| all[bounds[i]..bounds[i + 1]].iter().filter(move |after| is(after));
            (0..requests.len()).flat_map(move |i| of(i).map(move |after| (after.request(), i as u32)))
        };
        let count = requests.len();
        Waits {
            first: first.map(|(i, _)| i).collect(),
            by_completion: Followers::new(count, pairs(|after| matches!(after, After::Completed(_)))),
            by_issue: Followers::new(count, pairs(|after| matches!(after, After::Issued(_)))),
            tail_ns: captured.ended_ns.saturating_sub(last_ns),
            after,
            begins,
            computing_ns,
            counts,
        }
    }

    /// How long the capture itself took: what was waiting for requests, and what was computing, along the
    /// chain of requests that ended last.
    pub fn recorded(&self, captured: &Captured) -> Prediction {
        let requests = &captured.requests;
        let mut computing_ns = self.tail_ns;
        let ends = (0..requests.len() as u32).filter(|&i| self.counts(i));
        let mut next = ends.max_by_key(|&i| requests[i as usize].completed_ns);
        while let Some(request) = next {
            computing_ns += self.computing_ns(request);
            let last = self.after(request).iter().max_by_key(|after| after.at(requests));
            next = last.map(|after| after.request());
        }
        let total_ns = captured.ended_ns.max(computing_ns);
        Prediction { total_ns, io_ns: total_ns - computing_ns, computing_ns }
    }

    /// All that a request waits for; nothing where that is the beginning.
    pub fn after(&self, request: u32) -> &[After] {
        &self.after[self.begins[request as usize]..self.begins[request as usize + 1]]
    }

    /// From the last thing that a request waits for to its issue, nanoseconds: its program computes.
    pub fn computing_ns(&self, request: u32) -> u64 {
        self.computing_ns[request as usize]
    }

    /// Whether the end of the capture waits for a request.
    pub fn counts(&self, request: u32) -> bool {
        self.counts[request as usize]
    }

    /// From the last request that the end waits for to the end, nanoseconds.
    pub fn tail_ns(&self) -> u64 {
        self.tail_ns
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
