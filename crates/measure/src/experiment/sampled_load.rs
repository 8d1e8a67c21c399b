//! A closed loop that is watched while it runs: how many requests completed in each short stretch of time.

use std::sync::atomic::{AtomicBool, Ordering};

use leadline_device::Nanos;

use crate::MeasureError;
use crate::load::{AddressStream, Lane};

/// A device that completes nothing for this long is given up, nanoseconds. A volume whose credit is spent may
/// be slow.
const WATCHDOG: u64 = 60_000_000_000;

/// How long samples are.
#[derive(Debug, Clone, Copy)]
pub(super) enum SampleLength {
    /// All alike, at first so long; doubled where there are too many.
    Equal(Nanos),
    /// This share of the time since the load began, and no shorter than the other: what happens early is seen
    /// as finely as what happens late.
    Growing(f64, Nanos),
}

/// Samples that are kept; with more, each two neighbours become one.
const MOST_SAMPLES: usize = 2000;

/// Requests completed in a stretch of time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Sample {
    /// Its length.
    pub(super) seconds: f64,
    /// Requests completed.
    pub(super) ops: f64,
}

/// Keeps requests in flight, sample after sample, without a pause between them.
pub(super) struct SampledLoad<'a> {
    lane: &'a mut Lane,
    stream: &'a mut AddressStream,
    /// Requests that may still be sent.
    left: u64,
    length: SampleLength,
    samples: Vec<Sample>,
    began: Nanos,
    last: Nanos,
}

impl<'a> SampledLoad<'a> {
    /// Begins with `concurrency` requests in flight; `most` are sent in all. Samples are at first `length`
    /// long.
    ///
    /// # Errors
    /// [`MeasureError`] where a request is refused.
    pub(super) fn begin(
        lane: &'a mut Lane,
        stream: &'a mut AddressStream,
        concurrency: u32,
        most: u64,
        length: SampleLength,
    ) -> Result<Self, MeasureError> {
        let began = lane.queue.now();
        let first = most.min(u64::from(concurrency));
        for slot in 0..first as u32 {
            lane.send(stream, slot, began)?;
        }
        let left = most - first;
        Ok(SampledLoad { lane, stream, left, length, samples: Vec::new(), began, last: began })
    }

    /// Runs until the next sample is full. `false`: all requests that may be sent have been.
    ///
    /// # Errors
    /// [`MeasureError`]: a request failed, or the device stopped answering.
    pub(super) fn sample(&mut self) -> Result<bool, MeasureError> {
        let length = match self.length {
            SampleLength::Equal(length) => length,
            SampleLength::Growing(share, least) => {
                least.max(((self.last - self.began) as f64 * share) as Nanos)
            }
        };
        let end = self.last.saturating_add(length);
        let mut give_up = self.last.saturating_add(WATCHDOG);
        let mut ops = 0u64;
        while self.lane.queue.now() < end && self.left > 0 {
            if !self.lane.wait(1, end)? {
                if self.lane.queue.now() >= give_up {
                    return Err(self.lane.stalled(WATCHDOG));
                }
                continue;
            }
            for i in 0..self.lane.completions.len() {
                let done = self.lane.completions[i];
                if done.result != self.stream.block_bytes() as i32 {
                    return Err(self.lane.failed(self.stream, done));
                }
                ops += 1;
                if self.left > 0 {
                    self.left -= 1;
                    self.lane.send(self.stream, done.slot, done.at)?;
                }
            }
            give_up = self.lane.queue.now().saturating_add(WATCHDOG);
        }
        let now = self.lane.queue.now();
        if now > self.last {
            self.samples.push(Sample { seconds: (now - self.last) as f64 / 1e9, ops: ops as f64 });
        }
        self.last = now;
        if let SampleLength::Equal(length) = &mut self.length
            && self.samples.len() >= MOST_SAMPLES
        {
            self.samples = downsampled(&self.samples, MOST_SAMPLES / 2);
            *length *= 2;
        }
        Ok(self.left > 0)
    }

    /// The samples so far, in order.
    pub(super) fn samples(&self) -> &[Sample] {
        &self.samples
    }

    /// The device's clock.
    pub(super) fn now(&self) -> Nanos {
        self.last
    }

    /// Waits for what is in flight and returns the samples.
    ///
    /// # Errors
    /// [`MeasureError::Stalled`].
    pub(super) fn end(self, cancel: &AtomicBool) -> Result<Vec<Sample>, MeasureError> {
        // A cancel is not to wait for a volume that is slow now.
        if !cancel.load(Ordering::Relaxed) {
            self.lane.drain(WATCHDOG)?;
        }
        Ok(self.samples)
    }
}

/// Neighbours joined until each sample has at least that many requests, except for the last one where there
/// are fewer in all: one in which none happened to end says little of the rate.
pub(super) fn merged_until(samples: &[Sample], least: f64) -> Vec<Sample> {
    let mut gathered: Vec<Sample> = Vec::with_capacity(samples.len());
    for sample in samples {
        match gathered.last_mut().filter(|last| last.ops < least) {
            Some(last) => {
                *last = Sample { seconds: last.seconds + sample.seconds, ops: last.ops + sample.ops }
            }
            None => gathered.push(*sample),
        }
    }
    if gathered.len() > 1
        && let Some(rest) = gathered.pop_if(|last| last.ops < least)
        && let Some(last) = gathered.last_mut()
    {
        *last = Sample { seconds: last.seconds + rest.seconds, ops: last.ops + rest.ops };
    }
    gathered
}

/// At most `most` samples, each the sum of as many neighbours.
pub(super) fn downsampled(samples: &[Sample], most: usize) -> Vec<Sample> {
    let width = samples.len().div_ceil(most.max(1)).max(1);
    samples
        .chunks(width)
        .map(|chunk| Sample {
            seconds: chunk.iter().map(|sample| sample.seconds).sum(),
            ops: chunk.iter().map(|sample| sample.ops).sum(),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_with_few_requests_are_gathered_and_none_is_lost() {
        let of =
            |ops: &[f64]| -> Vec<Sample> { ops.iter().map(|&ops| Sample { seconds: 1.0, ops }).collect() };
        let parts = |ops: &[f64]| -> Vec<(f64, f64)> {
            merged_until(&of(ops), 4.0).iter().map(|sample| (sample.seconds, sample.ops)).collect()
        };
        assert_eq!(
            parts(&[9.0, 4.0, 1.0, 0.0, 0.0, 8.0, 5.0]),
            [(1.0, 9.0), (1.0, 4.0), (4.0, 9.0), (1.0, 5.0)]
        );
        assert_eq!(parts(&[5.0, 3.0, 0.0]), [(3.0, 8.0)]);
        assert_eq!(parts(&[1.0, 1.0]), [(2.0, 2.0)]);
        assert_eq!(parts(&[]), []);
    }
}
