//! A number with its interval.

/// A predicted or measured number, and its 95 % interval.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Estimate {
    /// The number.
    pub value: f64,
    /// 95 % interval, lower end first.
    pub ci: [f64; 2],
}

impl Estimate {
    /// From the values with what it depends on as estimated, and at both ends of the intervals of that.
    pub fn of(value: f64, ends: [f64; 2]) -> Self {
        let low = value.min(ends[0]).min(ends[1]);
        let high = value.max(ends[0]).max(ends[1]);
        Estimate { value, ci: [low, high] }
    }

    /// Times a positive number.
    pub fn times(self, factor: f64) -> Self {
        Estimate { value: self.value * factor, ci: self.ci.map(|end| end * factor) }
    }

    /// One over it; `None` for 0.
    pub fn inverse(self) -> Option<Self> {
        (self.value > 0.0)
            .then(|| Estimate { value: 1.0 / self.value, ci: [1.0 / self.ci[1], 1.0 / self.ci[0]] })
    }

    /// Whether both intervals have a number in common.
    pub fn overlaps(&self, other: &Estimate) -> bool {
        self.ci[0] <= other.ci[1] && other.ci[0] <= self.ci[1]
    }
}
