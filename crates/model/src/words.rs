//! Predictions, for people and for scripts.

use leadline_figures::number::{bandwidth, block, count, micros, percent, range, seconds, significant};
use leadline_figures::{Table, Text};
use leadline_profile::PioClass;
use serde_json::{Value, json};

use crate::speedup::{speedup, unbatched_cost};
use crate::{
    EXTRAPOLATED, INTERPOLATED, InFlight, MEASURED, Percentile, PioNumbers, Prediction, SustainableRate,
    Workload,
};

/// Steps of the share of reads in a speed-up table.
const SHARES: u32 = 10;

/// A limit on latency: what a [`SustainableRate`] was calculated for.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LatencyObjective {
    /// Which percentile of latency is limited.
    pub percentile: Percentile,
    /// Its limit, microseconds.
    pub limit_us: f64,
    /// Share of reads, 0 to 1.
    pub read_share: f64,
    /// Bytes per request.
    pub block_bytes: u32,
}

/// One prediction, for a terminal.
pub fn prediction_text(workload: &Workload, prediction: &Prediction) -> Text {
    let p = prediction;
    let rate = |seconds: f64| workload.requests() / seconds;
    let rates = [rate(p.seconds_ci[1]), rate(p.seconds_ci[0])];
    let lines = [
        workload_words(workload),
        format!("  time        {} ({})", seconds(p.seconds), range(p.seconds_ci, seconds)),
        format!(
            "  throughput  {} requests/s ({}), {}",
            count(rate(p.seconds)),
            range(rates, count),
            bandwidth(workload.bytes() / p.seconds)
        ),
        format!("  limited by {}", p.bottleneck.words()),
        format!("  {}; in parentheses 95 % intervals", answered_by(p.model)),
    ];
    text_of(lines, &p.warnings)
}

/// Lines, each with the blanks that it begins with, and what makes them worth less.
fn text_of(lines: impl IntoIterator<Item = String>, warnings: &[String]) -> Text {
    let mut text = Text::new();
    for line in lines {
        let words = line.trim_start();
        let margin = line.len() - words.len();
        text.set(words, [margin, margin + 2]);
    }
    text.say_all(notes(warnings));
    text
}

fn notes(warnings: &[String]) -> impl Iterator<Item = String> {
    warnings.iter().map(|warning| format!("note: {warning}"))
}

/// One prediction as JSON: `model`, `seconds`, `seconds_ci`, `requests_per_second`, `bytes_per_second`,
/// `bound`, `notes`.
pub fn prediction_json(workload: &Workload, prediction: &Prediction) -> Value {
    let mut document = json!({ "workload": workload_json(workload) });
    merge(&mut document, numbers(workload, prediction));
    document
}

fn numbers(workload: &Workload, p: &Prediction) -> Value {
    let rate = |seconds: f64| workload.requests() / seconds;
    json!({
        "model": p.model,
        "seconds": p.seconds,
        "seconds_ci": p.seconds_ci,
        "requests_per_second": rate(p.seconds),
        "requests_per_second_ci": [rate(p.seconds_ci[1]), rate(p.seconds_ci[0])],
        "bytes_per_second": workload.bytes() / p.seconds,
        "bound": p.bottleneck.name(),
        "notes": p.warnings,
    })
}

/// Predictions over concurrency, for a terminal.
pub fn what_if_text(workload: &Workload, at: &[(u32, Prediction)]) -> Text {
    let columns = ["k", "time, s", "requests/s", "bandwidth", "speed-up", "limited by"];
    let mut table = Table::new(columns).words(5);
    let first = at.first().map_or(1.0, |(_, p)| p.seconds);
    for (k, p) in at {
        let rate = |seconds: f64| workload.requests() / seconds;
        let rates = [rate(p.seconds_ci[1]), rate(p.seconds_ci[0])];
        table.row([
            k.to_string(),
            format!("{} ({})", significant(p.seconds), range(p.seconds_ci, significant)),
            format!("{} ({})", count(rate(p.seconds)), range(rates, count)),
            bandwidth(workload.bytes() / p.seconds),
            format!("{}x", significant(first / p.seconds)),
            p.bottleneck.name().to_owned(),
        ]);
    }
    let mut all: Vec<String> = at.iter().flat_map(|(_, p)| p.warnings.clone()).collect();
    all.dedup();
    let mut text = Text::new();
    text.say(work_words(workload));
    text.table(table);
    let words = format!("{}; speed-up over the first; in parentheses 95 % intervals", answered(at));
    text.set(words, [0, 0]);
    text.say_all(notes(&all));
    text
}

/// What answered, in words.
fn answered_by(model: &str) -> String {
    match model {
        MEASURED => "as measured".to_owned(),
        INTERPOLATED => "between measurements at fewer and at more in flight".to_owned(),
        EXTRAPOLATED => "beyond the measurements, from the last point on".to_owned(),
        model => format!("model {model}"),
    }
}

/// What answered at each concurrency: `measured at k = 1, 2; model mqssd at k = 300`.
fn answered(at: &[(u32, Prediction)]) -> String {
    let mut answers: Vec<(&str, Vec<String>)> = Vec::new();
    for (k, p) in at {
        match answers.iter_mut().find(|(model, _)| *model == p.model) {
            Some((_, ks)) => ks.push(k.to_string()),
            None => answers.push((p.model, vec![k.to_string()])),
        }
    }
    let one = |(model, ks): &(&str, Vec<String>)| match *model {
        MEASURED | INTERPOLATED | EXTRAPOLATED => format!("{model} at k = {}", ks.join(", ")),
        model if answers.len() == 1 => format!("model {model}"),
        model => format!("model {model} at k = {}", ks.join(", ")),
    };
    answers.iter().map(one).collect::<Vec<_>>().join("; ")
}

/// Predictions over concurrency as JSON: `what_if`, one entry per concurrency.
pub fn what_if_json(workload: &Workload, at: &[(u32, Prediction)]) -> Value {
    let entry = |(k, p): &(u32, Prediction)| {
        let mut entry = json!({ "k": k });
        merge(&mut entry, numbers(workload, p));
        entry
    };
    let mut asked = workload_json(workload);
    if let Some(fields) = asked.as_object_mut() {
        fields.shift_remove("in_flight");
    }
    json!({ "workload": asked, "what_if": at.iter().map(entry).collect::<Vec<_>>() })
}

/// What a device sustains, for a terminal.
pub fn sustainable_rate_text(question: &LatencyObjective, sustained: &SustainableRate) -> Text {
    let reads = question.read_share * 100.0;
    let lines = [
        format!(
            "{reads:.0} % reads, {:.0} % writes of {}, random, {} within {}:",
            100.0 - reads,
            block(question.block_bytes),
            question.percentile.name(),
            micros(question.limit_us)
        ),
        format!(
            "  sustains {} requests/s ({}), {:.0} % of its capacity of {} requests/s",
            count(sustained.iops),
            range(sustained.iops_ci, count),
            sustained.load * 100.0,
            count(sustained.capacity_iops)
        ),
        "  open loop, Poisson arrivals, latency from the intended start; in parentheses a 95 % interval"
            .to_owned(),
    ];
    text_of(lines, &sustained.warnings)
}

/// What a device sustains as JSON.
pub fn sustainable_rate_json(question: &LatencyObjective, sustained: &SustainableRate) -> Value {
    json!({
        "percentile": question.percentile.name(),
        "limit_us": question.limit_us,
        "read_share": question.read_share,
        "block_bytes": question.block_bytes,
        "iops": sustained.iops,
        "iops_ci": sustained.iops_ci,
        "load": sustained.load,
        "capacity_iops": sustained.capacity_iops,
        "notes": sustained.warnings,
    })
}

/// The PIO speed-ups of a device over the share of reads, for a terminal.
pub fn speedup_text(numbers: &PioNumbers) -> Text {
    let row = |(share, cost, speedups): (f64, f64, [f64; 3])| {
        let first = [format!("{:.0} %", share * 100.0), format!("{} reads", significant(cost))];
        first.into_iter().chain(speedups.map(|s| format!("{}x", significant(s)))).collect::<Vec<String>>()
    };
    let columns = ["reads", "cost, unbatched", "batched writes", "batched reads", "both"];
    let mut text = Text::new();
    text.say(format!(
        "k_r = {}, k_w = {}, alpha_1 = {} (one unbatched write, in reads)",
        numbers.k_r,
        numbers.k_w,
        significant(numbers.alpha)
    ));
    text.table(Table::new(columns).rows(speedup_rows(numbers).map(row)));
    text.say("Speed-up over one request at a time, with writes in batches of k_w and reads in batches of k_r. Cost: per \
                request, in unbatched reads.");
    text
}

/// The PIO speed-ups as JSON.
pub fn speedup_json(numbers: &PioNumbers) -> Value {
    let row = |(share, cost, [writes, reads, both]): (f64, f64, [f64; 3])| {
        json!({
            "read_share": share, "unbatched_cost": cost,
            "batched_writes": writes, "batched_reads": reads, "batched_both": both,
        })
    };
    json!({
        "alpha_1": numbers.alpha, "k_r": numbers.k_r, "k_w": numbers.k_w,
        "speedup": speedup_rows(numbers).map(row).collect::<Vec<_>>(),
    })
}

fn speedup_rows(numbers: &PioNumbers) -> impl Iterator<Item = (f64, f64, [f64; 3])> {
    (0..=SHARES).map(move |i| {
        let share = f64::from(i) / f64::from(SHARES);
        let classes = [PioClass::BatchedWrites, PioClass::BatchedReads, PioClass::BatchedBoth];
        (share, unbatched_cost(share, numbers.alpha), classes.map(|class| speedup(class, share, numbers)))
    })
}

fn workload_words(w: &Workload) -> String {
    let flight = match w.in_flight {
        InFlight::Together(k) => format!("{k} in flight"),
        InFlight::Batches { reads, writes } => {
            format!("reads {reads} at a time, writes {writes} at a time, in turn")
        }
    };
    format!("{}, {flight}", work_words(w))
}

fn work_words(w: &Workload) -> String {
    let counted = |n: f64, what: &str| (n > 0.0).then(|| format!("{} {what}", count(n)));
    let done: Vec<String> =
        [counted(w.reads, "reads"), counted(w.writes, "writes")].into_iter().flatten().collect();
    let (block, random) = (block(w.block_bytes), percent(w.random_fraction));
    format!("{} of {block}, {random} random", done.join(" and "))
}

fn workload_json(w: &Workload) -> Value {
    let in_flight = match w.in_flight {
        InFlight::Together(k) => json!({ "together": k }),
        InFlight::Batches { reads, writes } => json!({ "reads": reads, "writes": writes }),
    };
    json!({
        "reads": w.reads, "writes": w.writes, "block_bytes": w.block_bytes,
        "random_fraction": w.random_fraction, "in_flight": in_flight,
    })
}

fn merge(into: &mut Value, from: Value) {
    if let (Some(into), Value::Object(from)) = (into.as_object_mut(), from) {
        into.extend(from);
    }
}
