//! `leadline trace predict`: the time of a captured trace on other devices.

use leadline_measure::Progress;
use leadline_placement::{Captured, TracePrediction, Waits, predict, predictions_json, predictions_text};
use leadline_report::render_text;

use crate::failure::Failure;
use crate::messages;
use crate::output;
use crate::paths::{DeviceName, InputPath};
use crate::progress::Display;
use crate::signals;

/// Predict how long a trace takes on other devices
#[derive(clap::Args)]
#[command(after_help = "\
Devices:
  FILE.json                 a measured device: its profile
  sim:NAME, sim:FILE.toml   a simulated device, or one made of two
  device:NAME               a device by its published numbers

Examples:
  leadline trace predict q3.capture slow.json sim:p4800x-xpoint

The recorded times tell which request waited for which: see `leadline docs predict-trace`.")]
pub(crate) struct Args {
    /// The trace, from `leadline trace capture` or `leadline emulate --trace`
    #[arg(value_name = "TRACE")]
    trace: InputPath,
    /// The devices; speed-ups are relative to the first one
    #[arg(value_name = "DEVICE", required = true)]
    devices: Vec<DeviceName>,
    /// Print the result as one JSON document
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: Args) -> Result<(), Failure> {
    // A device that is misspelt is told before a long trace is read.
    let devices = args.devices.iter().map(|name| Ok((name, leadline_tiers::open(name, None)?)));
    let devices = devices.collect::<Result<Vec<_>, Failure>>()?;
    let cancel = signals::cancel_flag()?;
    let goes_on = || !cancel.load(std::sync::atomic::Ordering::Relaxed);
    let mut display = Display::new();
    let loaded = Captured::load(&args.trace, &mut |share| {
        display.show(&Progress { phase: "read", done: share.unwrap_or(0.0), detail: String::new() });
        goes_on()
    });
    let captured = loaded.inspect_err(|_| display.finish())?;
    let waits = Waits::of(&captured);
    let mut predictions = Vec::new();
    let of = devices.len();
    for (i, (name, mut device)) in devices.into_iter().enumerate() {
        if !goes_on() {
            display.finish();
            return Err(Failure::Operation("interrupted".to_owned()));
        }
        let done = i as f64 / of as f64;
        display.show(&Progress { phase: "predict", done, detail: name.to_string() });
        device.notes.iter().for_each(|note| messages::note(note));
        let prediction =
            predict(&captured, &waits, &name.to_string(), &mut device).inspect_err(|_| display.finish())?;
        predictions.push(TracePrediction { device: name.to_string(), prediction });
    }
    display.finish();
    let recorded = waits.recorded(&captured);
    if args.json {
        return output::print_json(&predictions_json(&captured, recorded, &predictions));
    }
    output::print(&render_text(&predictions_text(&captured, recorded, &predictions), output::width()))
}
