//! Advice and predictions as JSON, with the same names in both.

use serde_json::{Map, Value, json};

use super::prediction::read_amplification;
use super::question::Question;
use crate::{Advice, Busy, Candidate, Estimate, Operation, Prediction, QueryPrediction, Wanted};

/// `chosen`, `front`, `neighbours`, `asked`, `model`, `searched`, `warnings`.
pub fn advice_json(advice: &Advice, wanted: &Wanted, asked: &Question) -> Value {
    let mut question = question(asked);
    question["memory_bytes"] = json!(wanted.memory_bytes);
    question["jobs"] = json!(wanted.jobs);
    question["compressed_share"] = json!(wanted.compressed_share);
    question["p99_us"] = json!(wanted.p99_us);
    question["life_years"] = json!(wanted.life_years);
    question["rate_per_s"] = json!(wanted.rate);
    question["rated_write_bytes"] = json!(wanted.endurance.map(|drive| drive.rated_bytes));
    question["device_write_amplification"] = json!(wanted.endurance.map(|drive| drive.write_amplification));
    json!({
        "asked": question,
        "model": asked.machine.device.model(),
        "processor": asked.processor,
        "searched": advice.searched,
        "most": candidate(&advice.most, asked),
        "decided": advice.is_decided(),
        "per_doubling": Advice::PER_DOUBLING,
        "tied_share": Advice::TIED,
        "tied": advice.tied.iter().map(|other| {
            // The settings, by the names of their fields.
            let mut entry = json!(other.layout);
            entry["mix_per_s"] = json!(other.per_second);
            entry["doublings_from_defaults"] = json!(other.distance);
            entry
        }).collect::<Vec<_>>(),
        "chosen": candidate(&advice.chosen, asked),
        "front": advice.front.iter().map(|other| candidate(other, asked)).collect::<Vec<_>>(),
        "neighbours": advice.neighbours.iter().map(|other| {
            let mut entry = json!({ "change": other.change });
            merge(&mut entry, candidate(&other.candidate, asked));
            entry
        }).collect::<Vec<_>>(),
        "warnings": asked.warnings,
    })
}

/// The layout's settings and costs at the top, and `asked`, `model`, `warnings`.
pub fn prediction_json(found: &Prediction, asked: &Question) -> Value {
    let mut entry = json!({
        "asked": question(asked),
        "model": asked.machine.device.model(),
        "processor": asked.processor,
    });
    merge(&mut entry, prediction(found, asked));
    entry["warnings"] = json!(asked.warnings);
    entry
}

fn question(asked: &Question) -> Value {
    let mix = &asked.demands.mix;
    let shares = Operation::ALL.map(|o| (o.name().to_owned(), json!(100.0 * mix.share(o))));
    json!({
        "pairs": asked.data.pairs,
        "key_bytes": asked.data.key_bytes,
        "value_bytes": asked.data.value_bytes,
        "mix_percent": asked.has_mix.then(|| Map::from_iter(shares)),
        "clients": asked.demands.clients,
        "scan_pairs": asked.demands.scan_pairs,
        "cores": asked.machine.cores,
        "processor_us": asked.machine.processor,
        "files": asked.machine.device.files(),
    })
}

fn candidate(found: &Candidate, asked: &Question) -> Value {
    let mut entry = prediction(&found.prediction, asked);
    entry["read_us"] = json!(found.read_us);
    entry["memory_bytes"] = json!(found.memory_bytes);
    entry["life_years"] = json!(found.life_years);
    entry
}

fn prediction(found: &Prediction, asked: &Question) -> Value {
    // The settings, by the names of their fields.
    let mut entry = json!(found.layout);
    let queries = [("point", &found.point), ("absent", &found.absent), ("scan", &found.scan)];
    for (name, query) in queries {
        put(&mut entry, &format!("{name}_us"), query.us);
    }
    put(&mut entry, "insert_per_s", found.insert_per_s);
    put(&mut entry, "write_amplification", found.write_amplification);
    put(&mut entry, "space_amplification", found.space_amplification);
    entry["read_amplification"] = json!(read_amplification(found, asked));
    if asked.has_mix {
        put(&mut entry, "mix_per_s", found.mix.per_second);
        // A mix without point queries has no time of them.
        let points = asked.demands.mix.share(Operation::Point) > 0.0;
        entry["mix_point_us"] = json!(points.then_some(found.mix.point_us));
        entry["point_p99_us"] = json!(points.then_some(found.mix.point_p99_us));
        entry["mix"] = json!({
            "bound": found.mix.bound.name(),
            "at_device": found.mix.at_device,
            "processor_share": found.mix.processor,
            "compactions": busy(&found.mix.compactions),
        });
    }
    for (name, found) in queries {
        entry[name] = query(found);
    }
    entry["insert"] = json!({
        "compactions": busy(&found.insert_busy),
        "loads": found.fills,
        "standard_error": found.fill_error,
    });
    let load = &found.load;
    let mut fill = json!({});
    put(&mut fill, "seconds", load.seconds);
    put(&mut fill, "write_amplification", load.write_amplification);
    fill["insert_seconds"] = json!(load.insert_seconds);
    fill["stalled_seconds"] = json!(load.stalled_seconds);
    fill["concurrency"] = json!(load.concurrency);
    fill["levels"] =
        load.levels.iter().map(|(files, bytes)| json!({"files": files, "bytes": bytes})).collect();
    entry["fill"] = fill;
    entry
}

fn query(found: &QueryPrediction) -> Value {
    json!({
        "per_s": found.per_second,
        "blocks": found.blocks,
        "requests": found.requests,
        "bytes": found.bytes,
        "processor_us": found.processor_us,
        "device_us": found.device_us,
        "at_device": found.at_device,
        "bound": found.bound.name(),
    })
}

fn busy(busy: &Busy) -> Value {
    json!({
        "processor_share": busy.processor,
        "device_share": busy.device,
        "device_used": busy.device_used,
    })
}

/// A number and its interval.
fn put(entry: &mut Value, name: &str, estimate: Estimate) {
    entry[name] = json!(estimate.value);
    entry[format!("{name}_ci")] = json!(estimate.ci);
}

fn merge(entry: &mut Value, more: Value) {
    if let (Value::Object(entry), Value::Object(more)) = (entry, more) {
        entry.extend(more);
    }
}
