//! For whom the kernel wrote.
//!
//! What the kernel writes back has no thread of a program. It does so when a thread syncs or closes a file,
//! which then waits, and by itself, for which nobody waits. It was for the thread that synced the file next
//! without asking for anything in between, else for the one that asked for something last before. That thread
//! waited for it unless it asked for something else while the kernel wrote. Where none has asked for anything
//! yet, the kernel's thread stands for the one that there must be.

use std::collections::HashMap;

use crate::captured::{Captured, Kind, Request};

/// The kernel's requests to one file are one piece of work where each is issued while the one before is under
/// way, or no longer than this after it was issued.
const TOGETHER_NS: u64 = 1_000_000;

/// A request of the kernel's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Kernel {
    /// For whom it was.
    pub(super) owner: u32,
    /// Whether its owner waited for it.
    pub(super) waited: bool,
    /// The number of the piece of work that it belongs to.
    pub(super) work: u32,
}

/// Of each request that is the kernel's.
pub(super) fn find(captured: &Captured) -> HashMap<u32, Kernel> {
    let requests = &captured.requests;
    let is_kernel = |request: &Request| captured.threads[request.thread as usize].tid == 0;
    let mut found = HashMap::new();
    if !requests.iter().any(is_kernel) {
        return found;
    }
    let neighbours = Neighbours::of(captured, is_kernel);
    let mut works: Vec<bool> = Vec::new();
    let mut last_of_file: HashMap<u32, (u32, u32)> = HashMap::new();
    let mut threads = Asked::new(captured.threads.len());
    for (i, request) in (0..).zip(requests) {
        if !is_kernel(request) {
            threads.asks(request);
            if request.kind == Kind::Flush {
                last_of_file.remove(&request.file);
            }
            continue;
        }
        let owner = neighbours.synced_by(i, requests).or_else(|| threads.last()).unwrap_or(request.thread);
        let goes_on = last_of_file.get(&request.file).filter(|(last, _)| {
            let last = &requests[*last as usize];
            request.issued_ns < last.completed_ns.max(last.issued_ns + TOGETHER_NS)
        });
        let work = goes_on.map_or(works.len() as u32, |(_, work)| *work);
        works.resize(works.len().max(work as usize + 1), true);
        last_of_file.insert(request.file, (i, work));
        works[work as usize] &=
            threads.is_idle(owner, request.issued_ns) && neighbours.is_idle_during(owner, i, requests);
        found.insert(i, Kernel { owner, waited: true, work });
    }
    found.values_mut().for_each(|kernel| kernel.waited = works[kernel.work as usize]);
    found
}

/// What threads have asked for so far.
struct Asked {
    busy_until_ns: Vec<u64>,
    last: Option<u32>,
}

impl Asked {
    fn new(threads: usize) -> Asked {
        Asked { busy_until_ns: vec![0; threads], last: None }
    }

    fn asks(&mut self, request: &Request) {
        let until_ns = &mut self.busy_until_ns[request.thread as usize];
        *until_ns = request.completed_ns.max(*until_ns);
        self.last = Some(request.thread);
    }

    fn last(&self) -> Option<u32> {
        self.last
    }

    fn is_idle(&self, thread: u32, at_ns: u64) -> bool {
        self.busy_until_ns[thread as usize] <= at_ns
    }
}

/// What comes before and after each request.
struct Neighbours {
    /// Of each of the kernel's: the next sync of its file.
    next_sync: HashMap<u32, u32>,
    /// Of each thread: all its requests, in order.
    of_thread: Vec<Vec<u32>>,
}

impl Neighbours {
    fn of(captured: &Captured, is_kernel: impl Fn(&Request) -> bool) -> Neighbours {
        let mut of_thread = vec![Vec::new(); captured.threads.len()];
        let mut next_sync = HashMap::new();
        let mut sync_of_file: HashMap<u32, u32> = HashMap::new();
        for (i, request) in (0..captured.requests.len() as u32).zip(&captured.requests).rev() {
            if is_kernel(request) {
                if let Some(&sync) = sync_of_file.get(&request.file) {
                    next_sync.insert(i, sync);
                }
                continue;
            }
            of_thread[request.thread as usize].push(i);
            if request.kind == Kind::Flush {
                sync_of_file.insert(request.file, i);
            }
        }
        of_thread.iter_mut().for_each(|requests: &mut Vec<u32>| requests.reverse());
        Neighbours { next_sync, of_thread }
    }

    /// Who synced the file next after the kernel's request `i`, without another request in between.
    fn synced_by(&self, i: u32, requests: &[Request]) -> Option<u32> {
        let sync = *self.next_sync.get(&i)?;
        let thread = requests[sync as usize].thread;
        (self.next_of(thread, i) == Some(sync)).then_some(thread)
    }

    /// Whether a thread asked for nothing while the kernel's request `i` was under way.
    fn is_idle_during(&self, thread: u32, i: u32, requests: &[Request]) -> bool {
        let next = self.next_of(thread, i);
        next.is_none_or(|next| requests[next as usize].issued_ns >= requests[i as usize].completed_ns)
    }

    /// The first request of a thread behind request `i`.
    fn next_of(&self, thread: u32, i: u32) -> Option<u32> {
        let own = &self.of_thread[thread as usize];
        own.get(own.partition_point(|&request| request < i)).copied()
    }
}
