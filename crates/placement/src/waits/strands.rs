//! What threads have done so far, request by request, and so what the next request waits for.

use std::collections::HashMap;
use std::iter::Peekable;
use std::vec::IntoIter;

use super::After;
use super::ahead::{self, Ahead};
use super::kernel::{self, Kernel};
use super::turns::Turns;
use crate::captured::{Captured, Kind, Request};

/// Most threads that one request waits for.
const MOST_PARTNERS: usize = 64;

/// All threads, as far as the capture was followed.
pub(super) struct Strands<'a> {
    captured: &'a Captured,
    ahead: Vec<Ahead>,
    kernel: HashMap<u32, Kernel>,
    turns: Turns,
    threads: Vec<Strand>,
    /// Threads by when something of theirs was completed, the last one last.
    recent: Vec<u32>,
    /// Requests by the time of their completion.
    to_complete: Peekable<IntoIter<u32>>,
    /// Of each file, what the kernel wrote while nobody waited, and was not synced since.
    unsynced: HashMap<u32, Vec<u32>>,
    /// Of each piece of the kernel's work, its first request since its thread asked for something.
    begun: HashMap<u32, (u64, u32)>,
}

/// A thread and what the kernel did for it.
#[derive(Debug, Default, Clone)]
struct Strand {
    /// Its last request by time of issue, and how many it has issued.
    last_issued: Option<u32>,
    issued: u64,
    /// Its last one by time of completion of those that it waited for.
    last_completed: Option<u32>,
    /// The kernel's that it waited for, completed and not yet waited for by a later one.
    written: Vec<u32>,
    /// When the last of all these was completed.
    last_ns: u64,
}

impl<'a> Strands<'a> {
    pub(super) fn new(captured: &'a Captured) -> Strands<'a> {
        let mut by_completion: Vec<u32> = (0..captured.requests.len() as u32).collect();
        by_completion.sort_by_key(|&i| captured.requests[i as usize].completed_ns);
        Strands {
            captured,
            ahead: ahead::find(captured),
            kernel: kernel::find(captured),
            turns: Turns::of(captured),
            threads: vec![Strand::default(); captured.threads.len()],
            recent: Vec::new(),
            to_complete: by_completion.into_iter().peekable(),
            unsynced: HashMap::new(),
            begun: HashMap::new(),
        }
    }

    /// Adds what request `i` waits for; they come in the order of issue.
    pub(super) fn issue(&mut self, i: u32, after: &mut Vec<After>) {
        let requests = &self.captured.requests;
        let request = &requests[i as usize];
        // A request that takes no time is not its own cause.
        let earlier = |&done: &u32| done < i && requests[done as usize].completed_ns <= request.issued_ns;
        while let Some(done) = self.to_complete.next_if(earlier) {
            self.complete(done);
        }
        match self.kernel.get(&i) {
            Some(&kernel) => self.issue_kernel(i, kernel, after),
            None => self.issue_own(i, request, after),
        }
    }

    /// Whether the end of the capture waits for each request: for those of programs, and what the kernel
    /// wrote while they waited.
    pub(super) fn counts(&self) -> Vec<bool> {
        let counts = |(i, request): (u32, &Request)| match self.kernel.get(&i) {
            Some(kernel) => kernel.waited && request.completed_ns <= self.captured.ended_ns,
            None => true,
        };
        (0..).zip(&self.captured.requests).map(counts).collect()
    }

    fn issue_own(&mut self, i: u32, request: &Request, after: &mut Vec<After>) {
        let thread = request.thread;
        match self.ahead[i as usize] {
            Ahead::Database(before) => after.push(After::Issued(before)),
            // The kernel sends its first two windows at once where a program asks for so much.
            Ahead::Window { before, .. } if self.is_under_way(before, request) && self.is_first(before) => {
                after.push(After::Issued(before));
            }
            Ahead::Window { before, .. } if self.captured.requests[before as usize].thread != thread => {
                self.after_all(thread, request.issued_ns, after);
                after.push(After::Issued(before));
            }
            _ => self.after_all(thread, request.issued_ns, after),
        }
        if request.kind == Kind::Flush {
            let written = self.unsynced.remove(&request.file).unwrap_or_default();
            after.extend(written.into_iter().map(After::Completed));
        }
        let strand = &mut self.threads[thread as usize];
        strand.last_issued = Some(i);
        strand.issued += 1;
    }

    fn is_under_way(&self, before: u32, request: &Request) -> bool {
        self.captured.requests[before as usize].completed_ns > request.issued_ns
    }

    fn is_first(&self, window: u32) -> bool {
        !matches!(self.ahead[window as usize], Ahead::Window { .. })
    }

    /// One that nobody waits for follows what its owner has done, as those do that are waited for; these wait
    /// for no other one of the same piece of work.
    fn issue_kernel(&mut self, i: u32, kernel: Kernel, after: &mut Vec<After>) {
        let Kernel { owner, .. } = kernel;
        let issued = self.threads[owner as usize].issued;
        match self.begun.get(&kernel.work) {
            Some(&(since, first)) if since == issued => after.push(After::Issued(first)),
            _ => {
                self.begun.insert(kernel.work, (issued, i));
                self.after_all(owner, self.captured.requests[i as usize].issued_ns, after);
            }
        }
    }

    /// Adds what a thread has waited for when it issues something at `at_ns`.
    fn after_all(&self, thread: u32, at_ns: u64, after: &mut Vec<After>) {
        let requests = &self.captured.requests;
        let strand = &self.threads[thread as usize];
        let from = after.len();
        let completed = |&i: &u32| requests[i as usize].completed_ns <= at_ns;
        match strand.last_issued.map(|last| (last, self.ahead[last as usize])) {
            // It has come to the first page of the window before, and to the end of the last one.
            Some((last, Ahead::Window { before, is_last })) => {
                after.push(After::Issued(last));
                let read = [Some(before), is_last.then_some(last)].into_iter().flatten();
                after.extend(read.filter(completed).map(After::Completed));
            }
            _ => after.extend(strand.last_completed.map(After::Completed)),
        }
        after.extend(strand.written.iter().copied().map(After::Completed));
        let mut since_ns = after[from..].iter().map(|after| after.at(requests)).max().unwrap_or(0);
        let begins = strand.issued == 0;
        let others = self.recent.iter().rev().filter(|other| **other != thread).take(MOST_PARTNERS);
        for (nth, &other) in others.enumerate() {
            let partner = &self.threads[other as usize];
            if partner.last_ns <= since_ns {
                break;
            }
            // Whoever was active last in its process has started it.
            let starts = begins && nth == 0 && self.is_same_process(thread, other);
            if !starts && !self.turns.take(thread, other) {
                continue;
            }
            let done = partner.last_completed.iter().chain(&partner.written);
            after.extend(done.copied().map(After::Completed));
            // Whoever was done before that one began is waited for by it.
            since_ns = since_ns.max(self.turns.first_ns(other));
        }
    }

    fn is_same_process(&self, a: u32, b: u32) -> bool {
        let pid = |thread: u32| self.captured.threads[thread as usize].pid;
        pid(a) != 0 && pid(a) == pid(b)
    }

    fn complete(&mut self, done: u32) {
        let request = &self.captured.requests[done as usize];
        let thread = match self.kernel.get(&done) {
            Some(Kernel { owner, waited: true, .. }) => *owner,
            Some(_) => return self.unsynced.entry(request.file).or_default().push(done),
            None => request.thread,
        };
        let requests = &self.captured.requests;
        let since_ns = match self.kernel.get(&done).and_then(|kernel| self.begun.get(&kernel.work)) {
            Some((_, first)) => requests[*first as usize].issued_ns,
            None => request.issued_ns,
        };
        let strand = &mut self.threads[thread as usize];
        strand.written.retain(|&written| requests[written as usize].completed_ns > since_ns);
        match self.kernel.contains_key(&done) {
            true => strand.written.push(done),
            false if matches!(self.ahead[done as usize], Ahead::Window { .. }) => {}
            false => strand.last_completed = Some(done),
        }
        strand.last_ns = request.completed_ns;
        self.recent.retain(|&recent| recent != thread);
        self.recent.push(thread);
    }
}
