//! When a slice's window opens and closes.
//!
//! It opens on the first answer after a moment, and closes on the first after another, so that requests and
//! time are counted alike at both ends: opened by the last answer of a wave and closed by the first of one,
//! it would miss almost a whole wave. Where a device answers in bursts with stalls between (a throttle that
//! gives out its requests every 100 ms, a write buffer that empties), the window runs from the end of one
//! stall to the end of another: whole cycles.

use leadline_device::Nanos;

use super::{Limits, Window};

/// A pause between answers shorter than this is not a stall, whatever came before; a longer one than this is
/// an accident, not part of a cycle, and only its time counts.
const STALL: std::ops::RangeInclusive<Nanos> = 5_000_000..=200_000_000;

/// A stall is this many times as long as the ordinary pause.
const STALL_TIMES: u64 = 20;

/// Ordinary pauses to be seen before any is called a stall.
const ORDINARY: u64 = 8;

/// Counts what one lane does in one slice.
pub(super) struct Gate {
    limits: Limits,
    open_after: Nanos,
    /// Answers of the first wave still to come: the ramp.
    first_wave: u64,
    open: bool,
    window: Window,
    last: Nanos,
    ordinary_sum: Nanos,
    ordinary: u64,
    /// The window's counts at the end of its first stall.
    cycle_began: Option<Window>,
}

impl Gate {
    /// A slice that begins now, with this many requests in the first wave.
    pub(super) fn new(begin: Nanos, first_wave: u32, limits: &Limits) -> Self {
        Gate {
            limits: *limits,
            open_after: begin + limits.duration / 20,
            first_wave: u64::from(first_wave),
            open: false,
            window: Window::default(),
            last: begin,
            ordinary_sum: 0,
            ordinary: 0,
            cycle_began: None,
        }
    }

    /// Whether answers count.
    #[inline]
    pub(super) fn is_open(&self) -> bool {
        self.open
    }

    /// What was counted so far.
    pub(super) fn window(&self) -> Window {
        self.window
    }

    /// Takes `ops` answers that came at `now`, their bytes and latencies; true when the slice is over.
    #[inline]
    pub(super) fn pass(&mut self, now: Nanos, ops: u64, bytes: u64, latency_sum: u128) -> bool {
        let stalled = self.stalled(now);
        if !self.open {
            if self.first_wave == 0 && now >= self.open_after {
                self.open = true;
                self.window.opened = now;
                if stalled {
                    self.cycle_began = Some(self.window);
                }
            }
            self.first_wave = self.first_wave.saturating_sub(ops);
            return false;
        }
        let window = &mut self.window;
        window.ops += ops;
        window.bytes += bytes;
        window.latency_sum += latency_sum;
        window.length = now - window.opened;
        let long_enough = window.length >= self.limits.duration && window.ops >= self.limits.min_ops;
        let spent = long_enough || window.ops >= self.limits.max_ops;
        spent && self.close(now, stalled) || {
            if stalled && self.cycle_began.is_none() {
                self.cycle_began = Some(Window { length: now - self.window.opened, ..self.window });
            }
            false
        }
    }

    /// The slice has run its time: closes at once where nothing stalled, else at the end of the next stall,
    /// and without one after four times the longest.
    fn close(&mut self, now: Nanos, stalled: bool) -> bool {
        let longest = self.window.longest_stall;
        match self.cycle_began {
            Some(began) if stalled => {
                let whole = self.window;
                self.window = Window {
                    opened: whole.opened + began.length,
                    length: now - whole.opened - began.length,
                    ops: whole.ops - began.ops,
                    bytes: whole.bytes - began.bytes,
                    latency_sum: whole.latency_sum - began.latency_sum,
                    ..whole
                };
            }
            _ if longest > 0 && self.window.length < self.limits.duration + 4 * longest => return false,
            _ => {}
        }
        self.window.complete = true;
        true
    }

    /// Whether the pause that ends now was a stall.
    #[inline]
    fn stalled(&mut self, now: Nanos) -> bool {
        let pause = now.saturating_sub(self.last);
        self.last = now;
        let stalled = STALL.contains(&pause)
            && self.ordinary >= ORDINARY
            && pause > STALL_TIMES * (self.ordinary_sum / self.ordinary);
        if stalled {
            self.window.longest_stall = self.window.longest_stall.max(pause);
        } else {
            self.ordinary_sum += pause;
            self.ordinary += 1;
        }
        stalled
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: Nanos = 1_000_000;

    /// Runs one request in flight on a device that answers every `pace` for `burst` answers, then stalls
    /// until the next multiple of 100 ms.
    fn throttled(duration: Nanos, pace: Nanos, burst: u64, phase: Nanos) -> Window {
        let mut gate = Gate::new(phase, 1, &Limits::of(duration));
        let (mut now, mut in_burst) = (phase, 0);
        loop {
            in_burst += 1;
            now += pace;
            if in_burst > burst {
                now = now.next_multiple_of(100 * MS);
                in_burst = 1;
            }
            if gate.pass(now, 1, 4096, u128::from(pace)) {
                return gate.window();
            }
        }
    }

    #[test]
    fn bursts_and_stalls_are_counted_in_whole_cycles() {
        for (pace, burst) in [(100_000, 400), (20_000, 400), (200_000, 200)] {
            for phase in [0, 13, 38, 71] {
                let window = throttled(250 * MS, pace, burst, phase * MS);
                let rate = window.ops as f64 / (window.length as f64 / 1e9);
                let truth = burst as f64 * 10.0;
                assert!((rate / truth - 1.0).abs() < 0.02, "{pace} {burst} {phase}: {rate} {truth}");
                assert!(window.complete && window.length <= 600 * MS);
            }
        }
    }

    #[test]
    fn a_stall_that_stays_alone_is_counted_and_does_not_hold_up_the_slice() {
        let mut gate = Gate::new(0, 1, &Limits::of(100 * MS));
        let mut now = 0;
        while !gate.pass(now, 1, 4096, 0) {
            now += if (50 * MS..51 * MS).contains(&now) { 20 * MS } else { MS / 10 };
        }
        let window = gate.window();
        assert!(window.length <= 181 * MS, "{}", window.length);
        let answers = (window.length - 20 * MS) / (MS / 10);
        assert!(window.ops.abs_diff(answers) <= 2, "the stall's time counts: {} {answers}", window.ops);
    }

    #[test]
    fn a_window_waits_for_the_completions_it_needs() {
        let limits = Limits { min_ops: 50, ..Limits::of(10 * MS) };
        let mut gate = Gate::new(0, 4, &limits);
        let mut now = 0;
        while !gate.pass(now, 1, 4096, 0) {
            now += MS;
        }
        assert_eq!((gate.window().ops, gate.window().length), (50, 50 * MS));
        assert!(gate.window().complete);
    }

    #[test]
    fn an_even_device_is_counted_for_the_time_asked() {
        let mut gate = Gate::new(0, 1, &Limits::of(100 * MS));
        let mut now = 0;
        while !gate.pass(now, 1, 4096, 8 * u128::from(MS)) {
            now += 8 * MS;
        }
        assert_eq!(gate.window().longest_stall, 0);
        assert_eq!(gate.window().length, gate.window().ops * 8 * MS);
    }
}
