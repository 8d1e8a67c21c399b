//! What `pio-classes` shows: measured speed-ups, and what was predicted.

use leadline_figures::Part;
use leadline_figures::number::{capital, micros, significant, with_interval};
use leadline_model::speedup::{predicted, speedup};
use leadline_model::{Model as _, ModelComparison, Observations, Pio};
use leadline_profile::{DeviceProfile, PioClass, PioClasses, PioPoint};

use crate::experiment::figures::{Line, said, table};

/// Measured speed-ups, each with what is predicted from the profile's other measurements: by the PIO
/// formulas, and by the model that describes the device.
pub(super) fn text(profile: &DeviceProfile, classes: &PioClasses) -> Vec<Part> {
    let points = &classes.points;
    let observations = Observations::from_profile(profile);
    let numbers =
        Pio::fit(&observations.of_random_requests(classes.block_bytes)).ok().and_then(|pio| pio.numbers());
    let comparison = ModelComparison::with_resamples(observations, 0);
    let model = comparison.best().filter(|_| numbers.is_some());
    let head = ["measured", "PIO", model.map_or("model", |m| m.name())].map(str::to_owned).to_vec();
    let share = points.first().map_or(0.0, |p| p.read_share * 100.0);
    let mut out = vec![said(format!(
        "Speed-up over one request at a time, {share:.0} % reads (95 % interval), and the predictions"
    ))];
    for class in [PioClass::BatchedWrites, PioClass::BatchedReads, PioClass::BatchedBoth] {
        let row = |p: &PioPoint| {
            let pio = numbers.map(|n| speedup(class, p.read_share, &n.with_batch(p.batch)));
            let predicted =
                model.and_then(|model| predicted(model, class, p.read_share, p.batch, classes.block_bytes));
            let measured = with_interval(p.speedup, p.speedup_ci, significant);
            (
                format!("batch {}", p.batch),
                vec![Some(measured), pio.map(significant), predicted.map(significant)],
            )
        };
        let rows: Vec<Line> = points.iter().filter(|p| p.class == class).map(row).collect();
        if !rows.is_empty() {
            out.push(table(&capital(class.words()), head.clone(), rows));
        }
    }
    if let Some(same) = points.iter().find(|p| p.class == PioClass::Unbatched) {
        let speedup = with_interval(same.speedup, same.speedup_ci, significant);
        let us = micros(same.unbatched_seconds * 1e6);
        out.push(said(format!("One at a time takes {us} per request; against itself: {speedup}")));
    }
    if numbers.is_none() {
        out.push(said(
            "No prediction: that needs points of reads and writes in the same profile (leadline profile, or the \
             experiment r-by-k)."));
    }
    out
}
