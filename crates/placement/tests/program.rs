//! Programs that read, wait and compute, run in virtual time: what a capture of them looks like, and how long
//! they really take.

use std::collections::HashMap;

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
    /// Sends one read of so many pages from this one on, without waiting: the kernel's read-ahead.
    Ahead(u64, u64),
    /// Waits for what was sent for this page.
    Need(u64),
    /// The kernel writes so many pages from this one on; the thread waits for all of them, as in `close`.
    WriteBack(u64, u64),
    /// The kernel writes a page, and nobody waits.
    Late(u64),
    /// Tells whoever waits for this number.
    Signal(u64),
    /// Waits until it was told, once for each time.
    Await(u64),
}

/// A drive of so many microseconds per request and so many servers.
pub(crate) fn drive(service_us: u64, servers: u32) -> Box<dyn DeviceModel> {
    let half = format!("service_us = {service_us}\nservers = {servers}\n");
    let text = format!("kind = \"parametric\"\ncapacity = \"1G\"\n[read]\n{half}[write]\n{half}");
    DeviceSpec::parse(&text, "drive").unwrap().model()
}

/// Each page that the kernel writes is sent so long after the one before.
const WRITE_BACK_SPACING: Nanos = 2_000;

struct Running {
    steps: std::vec::IntoIter<Step>,
    /// When it goes on; `None` while it waits for `awaited` or `told`.
    at: Option<Nanos>,
    awaited: Vec<u32>,
    told: Option<u64>,
    /// Pages to send without waiting, as the thread or the kernel: next page, pages left, spacing.
    ahead: (u64, u64, Nanos),
    kernel: Option<Vec<u32>>,
    /// What was sent for each page and is not completed.
    sent: HashMap<u64, u32>,
}

/// A request that a step sends.
struct Sent {
    kind: Kind,
    page: u64,
    pages: u64,
    by_kernel: bool,
}

/// Runs each thread's steps on `device` from time 0 until the last one is done; the requests all go to one
/// file. The kernel's are those of a thread of its own, the last one.
pub(crate) fn run(threads: &[Vec<Step>], device: &mut dyn DeviceModel) -> Captured {
    let start = |steps: &Vec<Step>| Running {
        steps: steps.clone().into_iter(),
        at: Some(0),
        awaited: Vec::new(),
        told: None,
        ahead: (0, 0, 0),
        kernel: None,
        sent: HashMap::new(),
    };
    let mut running: Vec<Running> = threads.iter().map(start).collect();
    let mut requests: Vec<Request> = Vec::new();
    let mut signals: HashMap<u64, u64> = HashMap::new();
    let mut ended_ns = 0;
    loop {
        let next = (0..running.len()).filter_map(|i| running[i].at.map(|at| (at, i))).min();
        let due = device.next_completion();
        match (next, due) {
            (Some((at, i)), due) if due.is_none_or(|due| at < due) => {
                ended_ns = at.max(ended_ns);
                let slot = requests.len() as u32;
                if let Some(sent) = running[i].step(at, slot, &mut signals) {
                    device.arrive(&to_device(&sent, slot), at);
                    let thread = if sent.by_kernel { threads.len() } else { i };
                    requests.push(sent.recorded(at, thread as u32));
                }
                pass_on(&mut running, &mut signals, at);
            }
            (_, Some(due)) => {
                let mut done: Vec<Completion> = Vec::new();
                device.advance(due, &mut done);
                for completion in done {
                    requests[completion.slot as usize].completed_ns = completion.at;
                    running.iter_mut().for_each(|thread| thread.completed(completion.slot, completion.at));
                }
            }
            _ => break,
        }
    }
    let thread = |tid: u32| Thread { tid, pid: tid, name: String::new() };
    Captured {
        name: "program".to_owned(),
        requests,
        files: vec![File { name: "file".to_owned(), bytes: 1 << 29 }],
        threads: (1..=threads.len() as u32).chain([0]).map(thread).collect(),
        ended_ns,
    }
}

/// Wakes those who were told at `at`.
fn pass_on(running: &mut [Running], signals: &mut HashMap<u64, u64>, at: Nanos) {
    for thread in running.iter_mut() {
        let Some(told) = thread.told else { continue };
        if let Some(times @ 1..) = signals.get_mut(&told) {
            *times -= 1;
            (thread.at, thread.told) = (Some(at), None);
        }
    }
}

fn to_device(sent: &Sent, slot: u32) -> DeviceRequest {
    let (address, bytes) = (sent.page * PAGE, (sent.pages * PAGE) as u32);
    match sent.kind {
        Kind::Read => DeviceRequest::read(slot, address, bytes),
        Kind::Flush => DeviceRequest::flush(slot),
        _ => DeviceRequest::write(slot, address, bytes),
    }
}

impl Sent {
    fn recorded(&self, issued_ns: Nanos, thread: u32) -> Request {
        let bytes = if self.kind == Kind::Flush { 0 } else { (self.pages * PAGE) as u32 };
        let (offset, kind) = (self.page * PAGE, self.kind);
        Request { issued_ns, completed_ns: 0, offset, bytes, thread, file: 0, kind }
    }
}

impl Running {
    /// The next step, at `at`: a request with the number `slot` that it sends.
    fn step(&mut self, at: Nanos, slot: u32, signals: &mut HashMap<u64, u64>) -> Option<Sent> {
        let (page, left, spacing) = self.ahead;
        if left > 0 {
            return Some(self.send_ahead(at, slot, (page, left, spacing)));
        }
        let Some(step) = self.steps.next() else {
            self.at = None;
            return None;
        };
        let sent = |kind, page, pages, by_kernel| Some(Sent { kind, page, pages, by_kernel });
        match step {
            Step::Compute(time) => self.at = Some(at + time),
            Step::Wait(kind, page) => {
                (self.at, self.awaited) = (None, vec![slot]);
                return sent(kind, page, 1, false);
            }
            Step::ReadAhead(page, pages, spacing) => self.ahead = (page, pages, spacing),
            Step::Ahead(page, pages) => {
                self.sent.insert(page, slot);
                return sent(Kind::Read, page, pages, false);
            }
            Step::Need(page) => {
                if let Some(&slot) = self.sent.get(&page) {
                    (self.at, self.awaited) = (None, vec![slot]);
                }
            }
            Step::WriteBack(page, pages) => {
                self.ahead = (page, pages, WRITE_BACK_SPACING);
                self.kernel = Some(Vec::new());
            }
            Step::Late(page) => return sent(Kind::Write, page, 1, true),
            Step::Signal(number) => *signals.entry(number).or_default() += 1,
            Step::Await(number) => (self.at, self.told) = (None, Some(number)),
        }
        None
    }

    /// One of several pages, of which none is waited for before all are sent.
    fn send_ahead(&mut self, at: Nanos, slot: u32, (page, left, spacing): (u64, u64, Nanos)) -> Sent {
        self.ahead = (page + 1, left - 1, spacing);
        self.at = Some(at + spacing);
        let Some(slots) = &mut self.kernel else {
            return Sent { kind: Kind::Read, page, pages: 1, by_kernel: false };
        };
        slots.push(slot);
        if left == 1 {
            (self.at, self.awaited) = (None, self.kernel.take().unwrap_or_default());
        }
        Sent { kind: Kind::Write, page, pages: 1, by_kernel: true }
    }

    fn completed(&mut self, slot: u32, at: Nanos) {
        self.sent.retain(|_, sent| *sent != slot);
        if let Some(slots) = &mut self.kernel {
            slots.retain(|sent| *sent != slot);
        }
        let waited = !self.awaited.is_empty();
        self.awaited.retain(|awaited| *awaited != slot);
        if waited && self.awaited.is_empty() {
            self.at = Some(at);
        }
    }
}
