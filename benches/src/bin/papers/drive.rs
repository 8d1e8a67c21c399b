//! A simulated drive on the queue pair that a program would use.

use anyhow::{Result, bail};
use leadline_catalogue::{find, is_file};
use leadline_device::{Completion, Device as _, NEVER, Nanos, QueuePair, QueueShape};
use leadline_sim::{DeviceSpec, FlashSpec, InitialState};

use super::load::{Actor, Measured, Region, run, writes};

/// Most requests in flight, and bytes of the longest.
const DEPTH: u32 = 512;
const LONGEST: u32 = 4 << 20;

/// Seconds in which a drive puts itself in order: it collects a block on every die.
const REST: f64 = 30.0;

/// The description of a drive.
pub(crate) struct Drive {
    spec: FlashSpec,
    text: String,
}

impl Drive {
    pub(crate) fn load(name: &str) -> Result<Drive> {
        let text = match find(name) {
            Some(device) if !is_file(name) => device.text.to_owned(),
            _ => std::fs::read_to_string(name)?,
        };
        match leadline_sim::spec(name)? {
            DeviceSpec::Flash(spec) => Ok(Drive { spec: *spec, text }),
            _ => bail!("{name}: not a flash drive"),
        }
    }

    /// How many numbers of its description were fitted: they say so in a comment.
    pub(crate) fn fitted(&self) -> usize {
        let values = self.text.lines().filter_map(|line| line.split_once("# fitted"));
        values.map(|(value, _)| 1 + value.matches(',').count()).sum()
    }

    /// The drive as it is described: full, and rewritten at random for long.
    pub(crate) fn full(&self) -> Result<Running> {
        self.changed(|_| ())
    }

    /// With nothing on it.
    pub(crate) fn fresh(&self) -> Result<Running> {
        self.changed(|spec| spec.state = InitialState::Fresh)
    }

    /// With `change` made to its description.
    pub(crate) fn changed(&self, change: impl FnOnce(&mut FlashSpec)) -> Result<Running> {
        let mut spec = self.spec.clone();
        change(&mut spec);
        let device = DeviceSpec::Flash(Box::new(spec)).device();
        let queue = device.queue_pair(QueueShape::new(DEPTH, LONGEST))?;
        Ok(Running { queue, seed: 1 })
    }
}

/// A drive in virtual time.
pub(crate) struct Running {
    queue: Box<dyn QueuePair>,
    seed: u64,
}

impl Running {
    /// All of `actors` at once, until the first of them has had `requests` answered.
    pub(crate) fn run(&mut self, actors: &mut [Actor], requests: u64) -> Result<Measured> {
        self.seed += 1;
        run(&mut *self.queue, actors, requests, self.seed)
    }

    /// Operations per second of `requests` requests, `k` in flight.
    pub(crate) fn throughput(&mut self, mut actor: Actor, k: u32, requests: u64) -> Result<f64> {
        actor.in_flight(k);
        Ok(self.run(&mut [actor], requests)?.ops_per_second)
    }

    /// Writes a region whole, in sequence, as a file is laid out; then rests.
    pub(crate) fn lay_out(&mut self, region: Region) -> Result<()> {
        let block = 1 << 20;
        self.throughput(writes(block).over(region).in_sequence(), 8, region.bytes / u64::from(block))?;
        self.rest()
    }

    /// Lets the drive put itself in order.
    pub(crate) fn rest(&mut self) -> Result<()> {
        let until = self.queue.now() + (REST * 1e9) as Nanos;
        let mut none: Vec<Completion> = Vec::new();
        Ok(self.queue.reap(1, until.min(NEVER - 1), &mut none)?)
    }

    pub(crate) fn queue(&mut self) -> &mut dyn QueuePair {
        &mut *self.queue
    }
}
