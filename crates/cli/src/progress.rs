//! A bar with an ETA on a terminal, one line per phase elsewhere.

use std::io::IsTerminal as _;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use leadline_measure::Progress;

use crate::output;

/// Steps of a bar: a tenth of a percent.
const STEPS: u64 = 1000;

/// Shows how far a run is, on stderr.
pub(crate) struct Display {
    bar: Option<ProgressBar>,
    phase: &'static str,
    terminal: bool,
}

impl Display {
    pub(crate) fn new() -> Self {
        Display { bar: None, phase: "", terminal: std::io::stderr().is_terminal() }
    }

    /// Shows one report; a new phase starts a new bar.
    pub(crate) fn show(&mut self, progress: &Progress) {
        if progress.phase != self.phase {
            self.finish();
            self.phase = progress.phase;
            if self.terminal {
                self.bar = Some(bar(progress.phase));
            } else {
                output::say(&format!("{} ...", progress.phase));
            }
        }
        if let Some(bar) = &self.bar {
            bar.set_position((progress.done.clamp(0.0, 1.0) * STEPS as f64) as u64);
            bar.set_message(progress.detail.clone());
        }
    }

    /// Takes the bar away, so that what follows is printed on clean lines.
    pub(crate) fn finish(&mut self) {
        if let Some(bar) = self.bar.take() {
            bar.finish_and_clear();
        }
    }
}

fn bar(phase: &'static str) -> ProgressBar {
    let style = ProgressStyle::with_template("{prefix:>12} [{bar:30}] {percent:>3} %  ETA {eta:>4}  {msg}")
        .expect("the template is valid")
        .progress_chars("=> ");
    let bar = ProgressBar::with_draw_target(Some(STEPS), ProgressDrawTarget::stderr_with_hz(10));
    bar.set_style(style);
    bar.set_prefix(phase);
    bar.enable_steady_tick(Duration::from_millis(250));
    bar
}
