//! How long a slice must be on a device that answers in bursts.

use leadline_device::Nanos;

/// The stalls of the last slices. A device that answers in bursts with stalls between is measured over whole
/// cycles, so that its slices must be longer than a cycle; a stall now and then is not a cycle.
#[derive(Default)]
pub(crate) struct Stalls {
    last: [Nanos; 8],
    next: usize,
}

impl Stalls {
    /// Takes a slice's longest stall; 0 where it had none.
    pub(crate) fn record(&mut self, longest: Nanos) {
        self.last[self.next] = longest;
        self.next = (self.next + 1) % self.last.len();
    }

    /// How long a slice must be at least: two and a half of the stalls that three of the last eight slices
    /// had.
    pub(crate) fn slice(&self) -> Nanos {
        let mut sorted = self.last;
        sorted.sort_unstable();
        sorted[self.last.len() - 3] * 5 / 2
    }
}
