//! Programs that read, wait and compute, run in virtual time: what a capture of them looks like, and how long
//! they really take.

use leadline_device::{Completion, Nanos, Request as DeviceRequest};
use leadline_placement::{Captured, File, Kind, Request};
use leadline_sim::{DeviceModel, DeviceSpec};
use leadline_trace::capture::Thread;

/// Bytes of a page.
pub(crate) const PAGE: u64 = 16 << 10;

/// What a thread does next.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Step {
    /// Computes, for so many nanoseconds.
    Compute(Nanos),
    /// Reads or writes a page, or syncs, and waits for it.
    Wait(Kind, u64),
    /// Reads pages from this one on without waiting: so many, so many nanoseconds apart.
    ReadAhead(u64, u64, Nanos),
}

/// A drive of so many microseconds per request and so many servers.
pub(crate) fn drive(service_us: u64, servers: u32) -> Box<dyn DeviceModel> {
    let half = format!("service_us = {service_us}\nservers = {servers}\n");
    let text = format!("kind = \"parametric\"\ncapacity = \"1G\"\n[read]\n{half}[write]\n{half}");
    DeviceSpec::parse(&text, "drive").unwrap().model()
}

struct Running {
    steps: std::vec::IntoIter<Step>,
    /// When it goes on; `None` while it waits for `awaited`.
    at: Option<Nanos>,
    awaited: u32,
    /// Of read-ahead that was begun: next page, pages left, spacing.
    ahead: (u64, u64, Nanos),
}

/// Runs each thread's steps on `device` from time 0 until the last one is done; the requests all go to one
/// file.
pub(crate) fn run(threads: &[Vec<Step>], device: &mut dyn DeviceModel) -> Captured {
    let start = |steps: &Vec<Step>| Running {
        steps: steps.clone().into_iter(),
        at: Some(0),
        awaited: u32::MAX,
        ahead: (0, 0, 0),
    };
    let mut running: Vec<Running> = threads.iter().map(start).collect();
    let mut requests: Vec<Request> = Vec::new();
    let mut ended_ns = 0;
    loop {
        let next = (0..running.len()).filter_map(|i| running[i].at.map(|at| (at, i))).min();
        let due = device.next_completion();
        match (next, due) {
            (Some((at, i)), due) if due.is_none_or(|due| at < due) => {
                let thread = &mut running[i];
                let Some((kind, page)) = thread.step(at) else { continue };
                let slot = requests.len() as u32;
                thread.awaited = if thread.at.is_none() { slot } else { thread.awaited };
                device.arrive(&to_device(kind, slot, page), at);
                let bytes = if kind == Kind::Flush { 0 } else { PAGE as u32 };
                requests.push(Request {
                    issued_ns: at,
                    completed_ns: 0,
                    offset: page * PAGE,
                    bytes,
                    thread: i as u32,
                    file: 0,
                    kind,
                });
            }
            (_, Some(due)) => {
                let mut done: Vec<Completion> = Vec::new();
                device.advance(due, &mut done);
                for completion in done {
                    requests[completion.slot as usize].completed_ns = completion.at;
                    ended_ns = completion.at.max(ended_ns);
                    for thread in running.iter_mut().filter(|thread| thread.awaited == completion.slot) {
                        (thread.at, thread.awaited) = (Some(completion.at), u32::MAX);
                    }
                }
            }
            _ => break,
        }
    }
    let thread = |tid| Thread { tid, pid: 1, name: String::new() };
    Captured {
        name: "program".to_owned(),
        requests,
        files: vec![File { name: "file".to_owned(), bytes: 1 << 29 }],
        threads: (0..threads.len() as u32).map(thread).collect(),
        ended_ns,
    }
}

fn to_device(kind: Kind, slot: u32, page: u64) -> DeviceRequest {
    match kind {
        Kind::Read => DeviceRequest::read(slot, page * PAGE, PAGE as u32),
        Kind::Flush => DeviceRequest::flush(slot),
        _ => DeviceRequest::write(slot, page * PAGE, PAGE as u32),
    }
}

impl Running {
    /// The next step, at `at`: a request that it issues.
    fn step(&mut self, at: Nanos) -> Option<(Kind, u64)> {
        let (page, left, spacing) = self.ahead;
        if left > 0 {
            self.ahead = (page + 1, left - 1, spacing);
            self.at = Some(at + spacing);
            return Some((Kind::Read, page));
        }
        let Some(step) = self.steps.next() else {
            self.at = None;
            return None;
        };
        match step {
            Step::Compute(time) => {
                self.at = Some(at + time);
                None
            }
            Step::Wait(kind, page) => {
                self.at = None;
                Some((kind, page))
            }
            Step::ReadAhead(page, pages, spacing) => {
                self.ahead = (page, pages, spacing);
                None
            }
        }
    }
}
