//! What a capture takes on a device.

/// How long a capture takes on a device. The parts add up: `total_ns = io_ns + computing_ns`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Prediction {
    /// From the beginning of the capture to its end.
    pub total_ns: u64,
    /// Of that, what was spent on waiting for requests that others waited for.
    pub io_ns: u64,
    /// The rest.
    pub computing_ns: u64,
}

impl Prediction {
    /// Of the total, in seconds.
    pub fn seconds(&self) -> f64 {
        self.total_ns as f64 / 1e9
    }
}
