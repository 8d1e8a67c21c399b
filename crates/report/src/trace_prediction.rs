//! The time of a captured trace on several devices, for people and for scripts.

use leadline_placement::{Captured, Prediction};
use serde_json::{Value, json};

use crate::format::{seconds, significant};
use crate::terminal::{finish, new_table};

/// What one device would take.
#[derive(Debug, Clone, PartialEq)]
pub struct TracePrediction {
    /// The device, as it was named.
    pub device: String,
    /// Its time.
    pub prediction: Prediction,
}

/// Predictions for a terminal `width` columns wide: what the capture itself took, then each device. Ends with
/// a newline.
pub fn render_trace_predictions(
    captured: &Captured,
    recorded: Prediction,
    devices: &[TracePrediction],
    width: usize,
) -> String {
    let mut table = new_table(width);
    table.set_header(["device", "total", "waiting for I/O", "computing", "speed-up"]);
    let first = devices.first().map(|device| device.prediction.total_ns as f64);
    let row = |name: &str, p: Prediction, speedup: String| {
        [name.to_owned(), time(p.total_ns), time(p.io_ns), time(p.computing_ns), speedup]
    };
    table.add_row(row("(as recorded)", recorded, String::new()));
    for TracePrediction { device, prediction } in devices {
        let speedup = first.map_or(1.0, |first| first / prediction.total_ns as f64);
        table.add_row(row(device, *prediction, format!("{}x", significant(speedup))));
    }
    let requests = captured.requests.len();
    format!(
        "{}: {requests} requests to {} files\n{}\nspeed-up over the first device\n",
        captured.name,
        captured.files.iter().filter(|file| file.bytes > 0).count(),
        finish(table, 0)
    )
}

/// The same as JSON (`leadline.trace-prediction/1`): `trace`, `requests`, `recorded`, and `devices` with
/// `device`,
/// `total_seconds`, `io_seconds`, `computing_seconds` and, over the first one, `speedup`.
pub fn trace_predictions_json(
    captured: &Captured,
    recorded: Prediction,
    devices: &[TracePrediction],
) -> Value {
    let numbers = |p: Prediction| {
        json!({
            "total_seconds": p.total_ns as f64 / 1e9,
            "io_seconds": p.io_ns as f64 / 1e9,
            "computing_seconds": p.computing_ns as f64 / 1e9,
        })
    };
    let first = devices.first().map(|device| device.prediction.total_ns as f64);
    let entry = |device: &TracePrediction| {
        let mut entry = json!({ "device": device.device });
        if let (Some(entry), Value::Object(numbers)) = (entry.as_object_mut(), numbers(device.prediction)) {
            entry.extend(numbers);
            let speedup = first.map(|first| first / device.prediction.total_ns as f64);
            entry.insert("speedup".to_owned(), json!(speedup));
        }
        entry
    };
    json!({
        "schema": "leadline.trace-prediction/1",
        "trace": captured.name,
        "requests": captured.requests.len(),
        "recorded": numbers(recorded),
        "devices": devices.iter().map(entry).collect::<Vec<_>>(),
    })
}

fn time(ns: u64) -> String {
    seconds(ns as f64 / 1e9)
}
