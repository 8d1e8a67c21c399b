//! A bar with an ETA on a terminal, one line per phase elsewhere; a program that called is told itself.

use std::time::{Duration, Instant};

use indicatif::{HumanDuration, ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};
use leadline_measure::Progress;

use crate::console::{self, Call};
use crate::{messages, printable};

/// Steps of a bar: a tenth of a percent.
const STEPS: u64 = 1000;

/// So often it is told how far a phase is, where steps are told.
const BETWEEN_STEPS: Duration = Duration::from_secs(5);

/// Shows how far a run is, on stderr.
pub(crate) struct Display {
    bar: Option<ProgressBar>,
    phase: &'static str,
    began: Instant,
    /// What was told last where steps are told, and when.
    told: Instant,
    has_bar: bool,
    /// Which part this is, from 1, and of how many.
    part: (usize, usize),
    /// The program to tell instead of the terminal.
    call: Option<Call>,
}

impl Display {
    pub(crate) fn new() -> Self {
        Display::of_part(1, 1)
    }

    /// Of one part of several: the bar shows how far all of them are, and is the same in all.
    pub(crate) fn of_part(number: usize, of: usize) -> Self {
        let (has_bar, call) = (messages::has_bar(), console::call());
        let now = Instant::now();
        Display { bar: None, phase: "", began: now, told: now, has_bar, part: (number, of), call }
    }

    /// Shows one report; a new phase starts a new bar.
    pub(crate) fn show(&mut self, progress: &Progress) {
        if let Some(call) = &self.call {
            let done = self.position(progress.done) as f64 / STEPS as f64;
            return call.show(&Progress { done, ..progress.clone() });
        }
        if progress.phase != self.phase {
            self.finish();
            self.phase = progress.phase;
            (self.began, self.told) = (Instant::now(), Instant::now());
            if self.has_bar {
                let bar = bar(progress.phase);
                // Parts before this one were not done in the time since now.
                bar.set_position(self.position(0.0));
                bar.reset_eta();
                self.bar = Some(bar);
            } else {
                messages::progress(&format!("{} ...", progress.phase));
            }
        }
        self.tell(progress);
        if let Some(bar) = &self.bar {
            let (number, of) = self.part;
            bar.set_position(self.position(progress.done));
            let detail = printable::line(&progress.detail);
            bar.set_message(match of {
                1 => detail,
                _ => format!("({number} of {of}) {detail}"),
            });
        }
    }

    /// Tells how far it is now and then, where steps are told.
    fn tell(&mut self, progress: &Progress) {
        if messages::has_steps() && self.told.elapsed() >= BETWEEN_STEPS {
            self.told = Instant::now();
            let percent = 100.0 * progress.done.clamp(0.0, 1.0);
            messages::step(&format!("{}: {percent:.0} %, {}", progress.phase, progress.detail));
        }
    }

    /// Of a bar, with the share `done` of this phase.
    fn position(&self, done: f64) -> u64 {
        let (number, of) = self.part;
        (((number - 1) as f64 + done.clamp(0.0, 1.0)) / of as f64 * STEPS as f64) as u64
    }

    /// Takes the bar away, so that what follows is printed on clean lines.
    pub(crate) fn finish(&mut self) {
        if let Some(bar) = self.bar.take() {
            bar.finish_and_clear();
        }
        if !self.phase.is_empty() && self.call.is_none() {
            messages::step(&format!("{}: took {:.3} s", self.phase, self.began.elapsed().as_secs_f64()));
        }
        self.phase = "";
    }
}

fn bar(phase: &'static str) -> ProgressBar {
    let style = ProgressStyle::with_template("{prefix:>12} [{bar:30}] {percent:>3} %  ETA {left:>4}  {msg}")
        .expect("the template is valid")
        .with_key("left", |state: &ProgressState, to: &mut dyn std::fmt::Write| {
            // A failed write only leaves the bar as it was.
            let _ = to.write_str(&eta(state.eta(), state.fraction()));
        })
        .progress_chars("=> ");
    let bar = ProgressBar::with_draw_target(Some(STEPS), ProgressDrawTarget::stderr_with_hz(10));
    bar.set_style(style);
    bar.set_prefix(phase);
    bar.enable_steady_tick(Duration::from_millis(250));
    messages::above(&bar);
    bar
}

/// What turns where it is not known how much is to come.
pub(crate) fn spinner() -> ProgressBar {
    let spinner = ProgressBar::new_spinner();
    messages::above(&spinner);
    spinner
}

/// The time left, or that it is not known yet: before the first step an estimate of none is none of zero.
fn eta(estimate: Duration, done: f32) -> String {
    if estimate.is_zero() && done < 1.0 { "?".to_owned() } else { format!("{:#}", HumanDuration(estimate)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_that_is_not_known_is_not_zero() {
        assert_eq!(eta(Duration::ZERO, 0.0), "?");
        assert_eq!(eta(Duration::from_secs(30), 0.1), "30s");
        assert_eq!(eta(Duration::ZERO, 1.0), "0s");
    }
}
