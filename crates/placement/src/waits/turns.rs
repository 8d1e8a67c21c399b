//! Which threads take turns: a server and its client, a program and the programs that it starts and waits
//! for.
//!
//! Of two threads that know nothing of each other, requests are under way at the same time now and then; how
//! often, follows from how many they have and how long these take. Of two that wait for each other they never
//! are. Where too few are expected to tell, threads that were each busy in one go count as waiting for each
//! other, as processes do that are started one after the other, and threads that went to and fro do not.

use std::collections::HashMap;

use crate::captured::{Captured, Request};

/// That many requests under way together have to be expected before their absence means anything.
const EXPECTED: f64 = 4.0;

/// Where fewer are, threads that went to and fro no more often than this count as waiting for each other.
const FEW: u64 = 3;

/// Threads that are looked at between two requests of one.
const MOST_BETWEEN: usize = 64;

/// What is known of all pairs of threads.
#[derive(Debug)]
pub(super) struct Turns {
    threads: Vec<Busy>,
    pairs: Pairs,
}

/// All pairs: of few threads in a table, as they are asked for with each request.
#[derive(Debug)]
struct Pairs {
    threads: usize,
    table: Vec<Pair>,
    others: HashMap<(u32, u32), Pair>,
}

/// Threads whose pairs are in a table.
const MOST_IN_TABLE: usize = 512;

/// A thread.
#[derive(Debug, Clone, Copy, Default)]
struct Busy {
    requests: u64,
    /// Under way, all together.
    busy_ns: u64,
    first_ns: u64,
    last_ns: u64,
}

/// Two threads, the one with the lower number first.
#[derive(Debug, Clone, Copy, Default)]
struct Pair {
    /// Requests of one that were issued while one of the other was under way.
    together: u64,
    /// Times that one had requests between two of the other.
    between: u64,
}

impl Pairs {
    fn new(threads: usize) -> Pairs {
        let places = if threads <= MOST_IN_TABLE { threads * threads } else { 0 };
        Pairs { threads, table: vec![Pair::default(); places], others: HashMap::new() }
    }

    fn get(&self, a: u32, b: u32) -> Pair {
        let (a, b) = (a.min(b), a.max(b));
        match self.table.get(a as usize * self.threads + b as usize) {
            Some(pair) => *pair,
            None => self.others.get(&(a, b)).copied().unwrap_or_default(),
        }
    }

    fn get_mut(&mut self, a: u32, b: u32) -> &mut Pair {
        let (a, b) = (a.min(b), a.max(b));
        match self.table.get_mut(a as usize * self.threads + b as usize) {
            Some(pair) => pair,
            None => self.others.entry((a, b)).or_default(),
        }
    }
}

impl Turns {
    /// Of the threads of a capture that are not the kernel.
    pub(super) fn of(captured: &Captured) -> Turns {
        let count = captured.threads.len();
        let mut turns = Turns { threads: vec![Busy::default(); count], pairs: Pairs::new(count) };
        // Those that have asked for something, the last one last.
        let mut recent: Vec<u32> = Vec::new();
        let mut under_way: Vec<u32> = Vec::new();
        for request in &captured.requests {
            if captured.threads[request.thread as usize].tid != 0 {
                turns.count(request, &mut recent, &mut under_way);
            }
        }
        turns
    }

    fn count(&mut self, request: &Request, recent: &mut Vec<u32>, under_way: &mut Vec<u32>) {
        let thread = request.thread;
        under_way.retain(|&other| self.threads[other as usize].last_ns > request.issued_ns);
        for &other in under_way.iter().filter(|other| **other != thread) {
            self.pairs.get_mut(thread, other).together += 1;
        }
        let place = recent.iter().rposition(|&other| other == thread);
        if let Some(place) = place {
            for &other in recent[place + 1..].iter().rev().take(MOST_BETWEEN) {
                self.pairs.get_mut(thread, other).between += 1;
            }
            recent.remove(place);
        }
        recent.push(thread);
        let busy = &mut self.threads[thread as usize];
        if busy.requests == 0 {
            busy.first_ns = request.issued_ns;
        }
        busy.requests += 1;
        busy.busy_ns += request.completed_ns.saturating_sub(request.issued_ns);
        busy.last_ns = busy.last_ns.max(request.completed_ns);
        if !under_way.contains(&thread) {
            under_way.push(thread);
        }
    }

    /// When a thread issued its first request.
    pub(super) fn first_ns(&self, thread: u32) -> u64 {
        self.threads[thread as usize].first_ns
    }

    /// Whether two threads wait for each other.
    pub(super) fn take(&self, a: u32, b: u32) -> bool {
        let (one, other) = (&self.threads[a as usize], &self.threads[b as usize]);
        let from_ns = one.first_ns.max(other.first_ns);
        let Some(both_ns) = one.last_ns.min(other.last_ns).checked_sub(from_ns).filter(|ns| *ns > 0) else {
            return true;
        };
        let Pair { together, between } = self.pairs.get(a, b);
        let both_ns = both_ns as f64;
        // Evenly spread over the time of each: those while both are there, and how long each takes.
        let meanwhile = |busy: &Busy| {
            let share = both_ns / (busy.last_ns - busy.first_ns).max(1) as f64;
            (busy.requests as f64 * share.min(1.0), busy.busy_ns as f64 / busy.requests as f64)
        };
        let ((ones, one_takes), (others, other_takes)) = (meanwhile(one), meanwhile(other));
        let expected = ones * others * (one_takes + other_takes) / both_ns;
        let together = together as f64;
        if expected < EXPECTED {
            return together == 0.0 && between <= FEW;
        }
        together <= expected / 4.0 && together <= ones.min(others) / 50.0
    }
}
