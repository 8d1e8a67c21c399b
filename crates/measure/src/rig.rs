//! All lanes to one device, and running one slice on them.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::JoinHandle;

use leadline_device::clock::process_cpu_time;
use leadline_device::{Clock, Device, Nanos, QueueShape};
use rustix::thread::{CpuSet, sched_setaffinity};

use crate::facts::BlockCounters;
use crate::load::{AddressStream, Lane, Limits, Recorder, Region, Window, Workload, closed_loop};
use crate::plan::{Lanes, Plan};
use crate::pressure::ProcessorWait;
use crate::{MeasureError, PlanError};

/// What one slice came to, over all lanes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SliceResult {
    /// Device time at which its window opened.
    pub opened: Nanos,
    /// Operations in the window.
    pub ops: u64,
    /// Bytes in the window.
    pub bytes: u64,
    /// Window length such that ops / seconds is the sum of the lanes' rates.
    pub seconds: f64,
    /// Mean latency in the window, microseconds.
    pub mean_latency_us: f64,
    /// Processor time of the whole process per second of the window, and per submitting thread or processor,
    /// whichever are fewer; about 1 where the processor sets the pace.
    pub cpu_share: Option<f64>,
    /// Processor time of the window's operations, kernel and its workers included, seconds.
    pub cpu_seconds: Option<f64>,
    /// Share of the slice in which a submitting thread was ready to run and waited for a processor, 0 to 1,
    /// of the lane that waited most; `None` on a virtual clock and where the kernel does not tell.
    pub cpu_wait: Option<f64>,
    /// Share of the slice's requests, ramps and drains included, that the block layer merged with a
    /// neighbour; `None` on a virtual clock and where the kernel does not count.
    pub merged: Option<f64>,
    /// Longest stall between answers; 0 where they came evenly.
    pub longest_stall: Nanos,
    /// Whether it ran to its limits.
    pub complete: bool,
}

/// The lanes to a device: the first on the caller's thread, each other one on a thread of its own, for as
/// long as the rig lives, since a ring belongs to one thread.
pub struct Rig {
    lane: Lane,
    others: Vec<Worker>,
    recorder: Recorder,
    clock: Clock,
    /// Processors that this process may use.
    processors: usize,
    /// Where sysfs has the disk.
    disk: Option<PathBuf>,
    cancel: Arc<AtomicBool>,
}

impl Rig {
    /// Opens the lanes that `plan` asks for, each with buffers of `buffer_bytes`.
    ///
    /// # Errors
    /// [`MeasureError::Device`] where a queue pair cannot be had.
    pub fn new(
        device: &dyn Device,
        plan: &Plan,
        buffer_bytes: u32,
        cancel: Arc<AtomicBool>,
    ) -> Result<Self, MeasureError> {
        let (count, depth) = match plan.lanes {
            Lanes::Threads(n) => (n.max(1), plan.max_concurrency.div_ceil(n.max(1))),
            Lanes::OneRequestEach => (plan.max_concurrency, 1),
        };
        if device.clock() == Clock::Virtual && count > 1 {
            return Err(PlanError::OneQueuePair.into());
        }
        let cpu = |i: u32| plan.cpus.get(i as usize % plan.cpus.len().max(1)).copied();
        let lane = |i: u32| -> Result<Lane, MeasureError> {
            let queue = device.queue_pair(QueueShape::new(depth, buffer_bytes))?;
            Ok(Lane::new(queue, device.clock(), plan.seed.wrapping_add(u64::from(i) << 32)))
        };
        cpu(0).into_iter().for_each(pin);
        Ok(Rig {
            lane: lane(0)?,
            others: (1..count)
                .map(|i| Ok(Worker::new(lane(i)?, cpu(i), Arc::clone(&cancel))))
                .collect::<Result<Vec<_>, MeasureError>>()?,
            recorder: Recorder::new(),
            clock: device.clock(),
            processors: std::thread::available_parallelism().map_or(1, |n| n.get()),
            disk: plan.disk.clone().filter(|_| device.clock() == Clock::Wall),
            cancel,
        })
    }

    /// The device's clock.
    pub fn now(&self) -> Nanos {
        self.lane.queue.now()
    }

    /// Bytes read and bytes written through all lanes since they were opened.
    pub fn traffic(&self) -> (u64, u64) {
        let others = self.others.iter().map(|other| other.traffic);
        others.fold(self.lane.traffic(), |(r, w), (read, written)| (r + read, w + written))
    }

    /// One stream a lane. With several lanes each has its own part of the region when the stream is
    /// sequential, so that together they touch each block once; random ones share it.
    pub fn streams(&self, workload: Workload, region: Region, seed: u64) -> Vec<AddressStream> {
        let n = self.others.len() as u32 + 1;
        let block = u64::from(workload.block_bytes);
        (0..n)
            .map(|i| {
                let part = region.part(i, n, block);
                let own = if workload.random_fraction < 1.0 && part.len >= block { part } else { region };
                AddressStream::new(workload, own, seed.wrapping_add(u64::from(i)))
            })
            .collect()
    }

    /// Runs one slice at concurrency `k`, shared out evenly over the lanes, and merges its latencies into
    /// `latencies`.
    ///
    /// # Errors
    /// As [`closed_loop`]; the first lane's error where several fail.
    pub fn slice(
        &mut self,
        streams: &mut [AddressStream],
        k: u32,
        limits: &Limits,
        latencies: &mut Recorder,
    ) -> Result<SliceResult, MeasureError> {
        let n = self.others.len() as u32 + 1;
        let share = |i: u32| k / n + u32::from(i < k % n);
        let used = k.min(n) as usize;
        let counted = self.counters();
        let (sent, cpu) = (self.traffic(), process_cpu_time());
        let each = Limits {
            min_ops: limits.min_ops.div_ceil(used as u64),
            max_bytes: limits.max_bytes / used as u64,
            ..*limits
        };
        for (i, other) in self.others[..used - 1].iter_mut().enumerate() {
            other.begin(streams[i + 1].clone(), share(i as u32 + 1), each);
        }
        let (first, wait) = self.first_lane(&mut streams[0], share(0), &each, latencies);
        let (mut windows, mut waits) = (vec![first], vec![wait]);
        for (other, stream) in self.others[..used - 1].iter_mut().zip(&mut streams[1..]) {
            let (window, wait) = other.end(stream, latencies);
            windows.push(window);
            waits.push(wait);
        }
        let windows = windows.into_iter().collect::<Result<Vec<_>, _>>()?;
        let cpu = process_cpu_time().saturating_sub(cpu) as f64 / 1e9;
        let (read, written) = self.traffic();
        let requests = (read + written - sent.0 - sent.1) / u64::from(streams[0].block_bytes());
        let mut result = self.sum_up(&windows, cpu / requests.max(1) as f64);
        let wait = waits.into_iter().flatten().max_by(f64::total_cmp);
        result.cpu_wait = wait;
        result.merged = counted
            .zip(self.counters())
            .map(|(before, after)| (after.since(&before).merged as f64 / requests.max(1) as f64).min(1.0));
        Ok(result)
    }

    /// Runs the first lane's share of a slice, on the caller's thread.
    fn first_lane(
        &mut self,
        stream: &mut AddressStream,
        k: u32,
        limits: &Limits,
        latencies: &mut Recorder,
    ) -> (Result<Window, MeasureError>, Option<f64>) {
        // In virtual time nobody waits for a processor, and slices are so short that asking would be felt.
        let wait = (self.clock == Clock::Wall).then(ProcessorWait::begin);
        let window = closed_loop(&mut self.lane, stream, k, limits, &mut self.recorder, &self.cancel);
        let wait = wait.and_then(|wait| wait.end());
        latencies.merge(&self.recorder);
        (window, wait)
    }

    fn counters(&self) -> Option<BlockCounters> {
        self.disk.as_deref().and_then(BlockCounters::read)
    }

    /// `cpu` is the processor time of a request, ramps and drains included, seconds.
    fn sum_up(&self, windows: &[Window], cpu: f64) -> SliceResult {
        let ops: u64 = windows.iter().map(|w| w.ops).sum();
        let rate: f64 = windows.iter().filter(|w| w.length > 0).map(|w| w.ops as f64 / w.length as f64).sum();
        let seconds = if rate > 0.0 { ops as f64 / rate / 1e9 } else { 0.0 };
        let latency: u128 = windows.iter().map(|w| w.latency_sum).sum();
        let share = cpu * rate * 1e9 / windows.len().min(self.processors) as f64;
        let wall = self.clock == Clock::Wall;
        SliceResult {
            opened: windows.iter().map(|w| w.opened).min().unwrap_or(0),
            ops,
            bytes: windows.iter().map(|w| w.bytes).sum(),
            seconds,
            mean_latency_us: if ops > 0 { latency as f64 / ops as f64 / 1e3 } else { 0.0 },
            cpu_share: wall.then_some(share),
            cpu_seconds: wall.then_some(cpu * ops as f64),
            cpu_wait: None,
            merged: None,
            longest_stall: windows.iter().map(|w| w.longest_stall).max().unwrap_or(0),
            complete: windows.iter().all(|w| w.complete),
        }
    }

    /// Flushes the device, then leaves it alone for `duration`.
    ///
    /// # Errors
    /// [`MeasureError`] where the flush fails or never completes.
    pub fn settle(&mut self, duration: Nanos) -> Result<(), MeasureError> {
        self.lane.flush(30_000_000_000)?;
        self.lane.idle(duration, &self.cancel)
    }
}

/// A lane on a thread of its own.
struct Worker {
    /// `None` once the thread has been told to end.
    jobs: Option<Sender<Job>>,
    done: Receiver<Done>,
    thread: Option<JoinHandle<()>>,
    /// Handed to and fro, so that a slice allocates nothing.
    recorder: Option<Recorder>,
    traffic: (u64, u64),
}

struct Job {
    stream: AddressStream,
    concurrency: u32,
    limits: Limits,
    recorder: Recorder,
}

struct Done {
    stream: AddressStream,
    recorder: Recorder,
    traffic: (u64, u64),
    window: Result<Window, MeasureError>,
    cpu_wait: Option<f64>,
}

impl Worker {
    /// The thread ends when the worker is dropped.
    fn new(mut lane: Lane, cpu: Option<u32>, cancel: Arc<AtomicBool>) -> Self {
        let (jobs, job_queue) = channel::<Job>();
        let (answers, done) = channel();
        let thread = std::thread::spawn(move || {
            cpu.into_iter().for_each(pin);
            for Job { mut stream, concurrency, limits, mut recorder } in job_queue {
                let wait = ProcessorWait::begin();
                let window =
                    closed_loop(&mut lane, &mut stream, concurrency, &limits, &mut recorder, &cancel);
                let (cpu_wait, traffic) = (wait.end(), lane.traffic());
                if answers.send(Done { stream, recorder, traffic, window, cpu_wait }).is_err() {
                    return;
                }
            }
        });
        Worker {
            jobs: Some(jobs),
            done,
            thread: Some(thread),
            recorder: Some(Recorder::new()),
            traffic: (0, 0),
        }
    }

    fn begin(&mut self, stream: AddressStream, concurrency: u32, limits: Limits) {
        let recorder = self.recorder.take().unwrap_or_default();
        let jobs = self.jobs.as_ref().expect("ends only when dropped");
        jobs.send(Job { stream, concurrency, limits, recorder }).expect("the worker lives as long as we do");
    }

    /// Waits for what was begun; the stream goes on from where the worker left it.
    fn end(
        &mut self,
        stream: &mut AddressStream,
        latencies: &mut Recorder,
    ) -> (Result<Window, MeasureError>, Option<f64>) {
        let done = self.done.recv().expect("the worker answers every job");
        latencies.merge(&done.recorder);
        *stream = done.stream;
        self.recorder = Some(done.recorder);
        self.traffic = done.traffic;
        (done.window, done.cpu_wait)
    }
}

impl Drop for Worker {
    /// Waits for the thread: its queue pair must have let go of the file when the rig is gone.
    fn drop(&mut self) {
        self.jobs = None;
        if let Some(thread) = self.thread.take() {
            // It panics only with the lane, which `end` has reported by then.
            let _ = thread.join();
        }
    }
}

/// Pins the calling thread; a processor that does not exist was refused by whoever parsed it, so a failure
/// here only leaves the thread where it is.
fn pin(cpu: u32) {
    let mut set = CpuSet::new();
    set.set(cpu as usize);
    let _ = sched_setaffinity(None, &set);
}
