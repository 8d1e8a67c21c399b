//! The time of a captured trace on several devices, for people and for scripts.

use leadline_figures::number::{seconds, significant};
use leadline_figures::{Table, Text};
use serde_json::{Value, json};

use crate::{Captured, Prediction};

/// What one device would take.
#[derive(Debug, Clone, PartialEq)]
pub struct TracePrediction {
    /// The device, as it was named.
    pub device: String,
    /// Its time.
    pub prediction: Prediction,
}

/// Predictions, for a terminal: what the capture itself took, then each device.
pub fn predictions_text(captured: &Captured, recorded: Prediction, devices: &[TracePrediction]) -> Text {
    let mut table = Table::new(["device", "total", "waiting for I/O", "computing", "speed-up"]);
    let first = devices.first().map(|device| device.prediction.total_ns as f64);
    let row = |name: &str, p: Prediction, speedup: String| {
        [name.to_owned(), time(p.total_ns), time(p.io_ns), time(p.computing_ns), speedup]
    };
    table.row(row("(as recorded)", recorded, String::new()));
    for TracePrediction { device, prediction } in devices {
        let speedup = first.map_or(1.0, |first| first / prediction.total_ns as f64);
        table.row(row(device, *prediction, format!("{}x", significant(speedup))));
    }
    let files = captured.files.iter().filter(|file| file.bytes > 0).count();
    let mut text = Text::new();
    text.say(format!("{}: {} requests to {files} files", captured.name, captured.requests.len()));
    text.table(table);
    text.say("speed-up over the first device");
    text
}

/// The same as JSON (`leadline.trace-prediction/1`): `trace`, `requests`, `recorded`, and `devices` with
/// `device`,
/// `total_seconds`, `io_seconds`, `computing_seconds` and, over the first one, `speedup`.
pub fn predictions_json(captured: &Captured, recorded: Prediction, devices: &[TracePrediction]) -> Value {
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
