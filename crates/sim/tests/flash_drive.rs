//! A small flash drive whose description is changed field by field, and closed loops of requests on it.

use std::collections::BTreeMap;

use leadline_device::{Completion, Device, NEVER, Nanos, Op, QueuePair, QueueShape, Request};
use leadline_sim::{DeviceModel, DeviceSpec, SimError};

pub const K: u64 = 1 << 10;
pub const M: u64 = 1 << 20;

/// The fields of a description.
#[derive(Clone)]
pub struct Drive {
    /// By table ("" for what stands before all tables) and key.
    fields: BTreeMap<(String, String), String>,
}

impl Drive {
    /// 64 MiB on one die, with pages of 4K: reads take 50 µs, programs 200 µs, erases 2 ms, and a page 4 µs
    /// on the bus. It holds something everywhere and has free blocks.
    pub fn new() -> Self {
        let mut drive = Drive { fields: BTreeMap::new() };
        for (field, value) in [
            ("kind", "\"flash\""),
            ("capacity", "\"64M\""),
            ("over_provisioning", "0.25"),
            ("state", "\"filled\""),
            ("geometry.channels", "1"),
            ("geometry.dies_per_channel", "1"),
            ("geometry.pages_per_block", "64"),
            ("geometry.page_bytes", "4096"),
            ("timing.read_us", "50"),
            ("timing.program_us", "200"),
            ("timing.erase_us", "2000"),
            ("timing.bus_mb_per_s", "1000"),
        ] {
            drive = drive.set(field, value);
        }
        drive
    }

    /// With another value of a field (`gc.soft`), in TOML.
    pub fn set(mut self, field: &str, value: &str) -> Self {
        let (table, key) = field.split_once('.').unwrap_or(("", field));
        self.fields.insert((table.to_owned(), key.to_owned()), value.to_owned());
        self
    }

    /// Without a field.
    pub fn without(mut self, field: &str) -> Self {
        let (table, key) = field.split_once('.').unwrap_or(("", field));
        self.fields.remove(&(table.to_owned(), key.to_owned()));
        self
    }

    /// What a field has been set to.
    pub fn get(&self, field: &str) -> Option<&str> {
        let (table, key) = field.split_once('.').unwrap_or(("", field));
        self.fields.get(&(table.to_owned(), key.to_owned())).map(String::as_str)
    }

    /// The fields that it has.
    pub fn names(&self) -> Vec<String> {
        let name = |(table, key): &(String, String)| match table.as_str() {
            "" => key.clone(),
            _ => format!("{table}.{key}"),
        };
        self.fields.keys().map(name).collect()
    }

    /// The description.
    pub fn text(&self) -> String {
        let (mut text, mut within) = (String::new(), "");
        for ((table, key), value) in &self.fields {
            if table != within {
                text += &format!("[{table}]\n");
                within = table;
            }
            text += &format!("{key} = {value}\n");
        }
        text
    }

    pub fn parse(&self) -> Result<DeviceSpec, SimError> {
        DeviceSpec::parse(&self.text(), "my.toml")
    }

    pub fn spec(&self) -> DeviceSpec {
        self.parse().unwrap_or_else(|error| panic!("{error}\n{}", self.text()))
    }

    pub fn model(&self) -> Box<dyn DeviceModel> {
        self.spec().model()
    }

    /// With room for `depth` requests in flight of up to 1 MiB.
    pub fn queue(&self, depth: u32) -> Box<dyn QueuePair> {
        self.spec().device().queue_pair(QueueShape::new(depth, M as u32)).unwrap()
    }
}

impl std::fmt::Debug for Drive {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.text().replace('\n', "; "))
    }
}

/// One request that is complete.
#[derive(Debug, Clone, Copy)]
pub struct Done {
    pub op: Op,
    pub slot: u32,
    /// When it completed.
    pub at: Nanos,
    pub took: Nanos,
}

/// What requests took.
#[derive(Debug, Clone, Default)]
pub struct Outcome {
    /// From the first submission to the last completion.
    pub took: Nanos,
    /// In the order in which they completed.
    pub requests: Vec<Done>,
}

impl Outcome {
    pub fn per_second(&self) -> f64 {
        self.requests.len() as f64 / (self.took as f64 * 1e-9)
    }

    /// Latencies of one operation, µs, shortest first.
    pub fn sorted_us(&self, op: Op) -> Vec<f64> {
        let of_op = self.requests.iter().filter(|done| done.op == op);
        let mut all: Vec<f64> = of_op.map(|done| done.took as f64 / 1e3).collect();
        all.sort_by(f64::total_cmp);
        all
    }

    pub fn mean_us(&self, op: Op) -> f64 {
        let all = self.sorted_us(op);
        all.iter().sum::<f64>() / all.len() as f64
    }

    /// The latency that a share of the requests do not exceed, µs.
    pub fn quantile_us(&self, op: Op, share: f64) -> f64 {
        let all = self.sorted_us(op);
        all[((all.len() as f64 * share) as usize).min(all.len() - 1)]
    }
}

/// Keeps as many requests in flight as the queue pair allows until `count` are complete; `next` makes the
/// request for a slot.
pub fn closed_loop(queue: &mut dyn QueuePair, count: u64, mut next: impl FnMut(u32) -> Request) -> Outcome {
    let depth = queue.shape().depth;
    let mut free: Vec<u32> = (0..depth).rev().collect();
    let mut sent = vec![(Op::Flush, 0); depth as usize];
    let (mut left, begins) = (count, queue.now());
    let (mut outcome, mut completions) = (Outcome::default(), Vec::<Completion>::new());
    while left > 0 || queue.in_flight() > 0 {
        while left > 0 && !free.is_empty() {
            let slot = free.pop().unwrap();
            let request = next(slot);
            sent[slot as usize] = (request.op, queue.now());
            queue.submit(request).unwrap();
            left -= 1;
        }
        queue.reap(1, NEVER, &mut completions).unwrap();
        assert!(!completions.is_empty(), "the drive hangs with {} in flight", queue.in_flight());
        for completion in completions.drain(..) {
            assert!(completion.result >= 0);
            let (slot, at) = (completion.slot, completion.at);
            let (op, since) = sent[slot as usize];
            outcome.requests.push(Done { op, slot, at, took: at - since });
            free.push(slot);
        }
    }
    outcome.took = queue.now() - begins;
    outcome
}

/// Lets time pass on an idle drive.
pub fn pause(queue: &mut dyn QueuePair, time: Nanos) {
    assert_eq!(queue.in_flight(), 0);
    queue.reap(1, queue.now() + time, &mut Vec::new()).unwrap();
}
