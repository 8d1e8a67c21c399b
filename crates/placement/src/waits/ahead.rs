//! Reads that nobody waits for when they are sent.
//!
//! - **A database's read-ahead.** A run is reads of one thread that go on in one file, within one extent,
//!   each behind the end of the one before. Where one of them was issued while the one before it was in
//!   flight, as nobody does who reads page after page, all but the first of the run are read-ahead: the first
//!   one is the page whose absence was noticed. They wait for no completion; each follows the issue of the
//!   one before it, the first of them by the rule for every request.
//! - **The kernel's read-ahead.** It sends a window when the program comes to the first page of the one
//!   before, so at most two are under way, and the program waits for the one before right afterwards. Such a
//!   run shows by windows that overlap, or that double; where some of a file double twice, all runs in it are
//!   such, also runs of several threads, of which each sends the next window when it is the first to come to
//!   the one before.

use std::collections::{HashMap, HashSet};

use crate::captured::{Captured, Kind, Request};

/// Bytes that a database reads ahead at once, aligned: InnoDB's extent of 64 pages of 16K.
const EXTENT_BYTES: u64 = 1 << 20;

/// Windows of a run in which the kernel doubles their size.
const DOUBLING: usize = 4;

/// Ends of reads that are remembered; where there are more, runs that go on later are not found.
const MOST_ENDS: usize = 1 << 20;

/// What is known of a read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Ahead {
    /// Its thread waits for it, as far as is known.
    #[default]
    No,
    /// A database reads ahead, after this one.
    Database(u32),
    /// A window of the kernel's behind this one.
    Window {
        /// The one before it.
        before: u32,
        /// Whether no other one follows.
        is_last: bool,
    },
}

/// Of each request.
pub(super) fn find(captured: &Captured) -> Vec<Ahead> {
    let requests = &captured.requests;
    let mut ahead = vec![Ahead::No; requests.len()];
    let mut runs: Vec<Run> = captured.threads.iter().map(|_| Run::default()).collect();
    for (i, request) in (0..).zip(requests) {
        let run = &mut runs[request.thread as usize];
        if !run.goes_on_with(request, requests) {
            run.mark(&mut ahead);
            *run = Run::default();
        }
        run.add(i, requests);
    }
    runs.iter().for_each(|run| run.mark(&mut ahead));
    mark_all_windows(requests, &mut ahead);
    ahead
}

fn end(request: &Request) -> u64 {
    request.offset + u64::from(request.bytes)
}

/// Marks the kernel's windows.
fn mark_all_windows(requests: &[Request], ahead: &mut [Ahead]) {
    let runs = runs_without_gaps(requests);
    let of = |i: &u32| &requests[*i as usize];
    let file = |run: &[u32]| of(&run[0]).file;
    let is_double = |pair: &[u32]| of(&pair[1]).bytes == 2 * of(&pair[0]).bytes;
    let double_twice = |run: &&Vec<u32>| {
        run.windows(3).take(DOUBLING).any(|three| is_double(&three[..2]) && is_double(&three[1..]))
    };
    let buffered: HashSet<u32> = runs.iter().filter(double_twice).map(|run| file(run)).collect();
    for run in &runs {
        let overlap = run.windows(2).any(|pair| of(&pair[1]).issued_ns < of(&pair[0]).completed_ns);
        let doubles = run.windows(2).take(DOUBLING).any(is_double);
        let three_under_way =
            run.windows(3).filter(|three| of(&three[2]).issued_ns < of(&three[0]).completed_ns).count();
        let by_one = run.iter().all(|i| of(i).thread == of(&run[0]).thread);
        // One in twenty may be: a window is now and then sent in pieces.
        if (by_one && (overlap || doubles) || buffered.contains(&file(run)))
            && 20 * three_under_way <= run.len()
        {
            for (k, pair) in (2..).zip(run.windows(2)) {
                ahead[pair[1] as usize] = Ahead::Window { before: pair[0], is_last: k == run.len() };
            }
        }
    }
}

/// Reads of a file, each of which begins where the one before ends, whatever else is read between; three and
/// more.
fn runs_without_gaps(requests: &[Request]) -> Vec<Vec<u32>> {
    const NONE: u32 = u32::MAX;
    let mut before = vec![NONE; requests.len()];
    let mut goes_on = vec![false; requests.len()];
    let mut ends: HashMap<(u32, u64), u32> = HashMap::new();
    for (i, request) in (0..).zip(requests).filter(|(_, request)| request.kind == Kind::Read) {
        if let Some(last) = ends.remove(&(request.file, request.offset)) {
            before[i as usize] = last;
            goes_on[last as usize] = true;
        }
        if ends.len() == MOST_ENDS {
            ends.clear();
        }
        ends.insert((request.file, end(request)), i);
    }
    let run = |last: u32| {
        let mut run: Vec<u32> =
            std::iter::successors(Some(last), |&i| Some(before[i as usize]).filter(|&before| before != NONE))
                .collect();
        run.reverse();
        run
    };
    let is_last = |i: &u32| !goes_on[*i as usize] && before[*i as usize] != NONE;
    (0..requests.len() as u32).filter(is_last).map(run).filter(|run| run.len() >= 3).collect()
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
            && request.offset >= end(last)
            && request.offset / EXTENT_BYTES == last.offset / EXTENT_BYTES
    }

    fn add(&mut self, i: u32, requests: &[Request]) {
        if let Some(&last) = self.members.last() {
            self.overlaps |= requests[i as usize].issued_ns < requests[last as usize].completed_ns;
        }
        self.members.push(i);
    }

    fn mark(&self, ahead: &mut [Ahead]) {
        if !self.overlaps {
            return;
        }
        for pair in self.members.windows(2).skip(1) {
            ahead[pair[1] as usize] = Ahead::Database(pair[0]);
        }
    }
}
