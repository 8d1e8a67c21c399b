//! The timing of a device, apart from any clock.

use leadline_device::{Completion, Geometry, Nanos, Request, Wear};
use serde::{Deserialize, Serialize};

/// How long a device takes: requests in with the time at which they arrive, completions out.
///
/// It knows no clock; whoever drives it does: virtual time ([`VirtualDevice`](crate::VirtualDevice)), or
/// wall-clock time in an emulator. Times are nanoseconds from any origin, and no time given to the model is
/// before one that was given earlier. While a request is in flight its completion may move to another time,
/// as later requests suspend or overtake it.
///
/// ```
/// use leadline_device::Request;
/// let (mut model, _) = leadline_sim::open_model("flash")?;
/// model.arrive(&Request::read(7, 4096, 100), 1_000);
/// let due = model.next_completion().expect("one request is in flight");
/// let mut completions = Vec::new();
/// model.advance(due - 1, &mut completions);
/// assert!(completions.is_empty());
/// model.advance(due, &mut completions);
/// assert_eq!((completions[0].slot, completions[0].result, completions[0].at), (7, 100, due));
/// # Ok::<(), leadline_sim::SimError>(())
/// ```
pub trait DeviceModel: Send {
    /// What it presents itself as. The model itself takes requests at any offset and of any length from 1
    /// byte to `i32::MAX` bytes; who wants them aligned and within the capacity has to check
    /// ([`Request::validate`]).
    fn geometry(&self) -> Geometry;

    /// A request arrives at `at`. [`Request::slot`] is its id, any number that no request in flight has.
    fn arrive(&mut self, request: &Request, at: Nanos);

    /// The earliest time at which a completion may be due if nothing more arrives; `None` with nothing in
    /// flight. It may lie before the last time given: [`DeviceModel::advance`] still has to hand that
    /// completion out. A model that decides step by step may have only an internal step there: advancing to
    /// it then brings no completion, and the next call gives a later time.
    fn next_completion(&self) -> Option<Nanos>;

    /// Time passes to `now`: appends every completion due by then, in the order of completion, each with its
    /// exact time and the bytes moved or trimmed (0 for a flush). Those due at the same time come in the
    /// order of arrival.
    fn advance(&mut self, now: Nanos, completions: &mut Vec<Completion>);

    /// Requests that have arrived and were not yet handed out as completions.
    fn in_flight(&self) -> u32;

    /// What the drive has done to its medium so far; `None` where the model has no medium.
    fn wear(&self) -> Option<Wear> {
        None
    }

    /// What its block cache has done so far; `None` where it has none that can be counted.
    fn cache(&self) -> Option<CacheCounters> {
        None
    }
}

/// What a block cache has done, in blocks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct CacheCounters {
    /// Blocks that reads found in the cache.
    pub hits: u64,
    /// Blocks that reads did not find there.
    pub misses: u64,
    /// Blocks that were taken in.
    pub admissions: u64,
    /// Blocks that made room for others.
    pub evictions: u64,
    /// Blocks in the cache that were written, there too.
    pub written: u64,
}

impl CacheCounters {
    /// `hits` of all blocks read, 0 to 1; `None` where none was read.
    pub fn hit_share(&self) -> Option<f64> {
        let read = self.hits + self.misses;
        (read > 0).then(|| self.hits as f64 / read as f64)
    }
}

impl<M: DeviceModel + ?Sized> DeviceModel for Box<M> {
    fn geometry(&self) -> Geometry {
        (**self).geometry()
    }

    fn arrive(&mut self, request: &Request, at: Nanos) {
        (**self).arrive(request, at);
    }

    fn next_completion(&self) -> Option<Nanos> {
        (**self).next_completion()
    }

    fn advance(&mut self, now: Nanos, completions: &mut Vec<Completion>) {
        (**self).advance(now, completions);
    }

    fn in_flight(&self) -> u32 {
        (**self).in_flight()
    }

    fn wear(&self) -> Option<Wear> {
        (**self).wear()
    }

    fn cache(&self) -> Option<CacheCounters> {
        (**self).cache()
    }
}
