//! Which node size a B-tree should have, for people and for scripts.

use leadline_figures::number::{block, bytes, count, counted, range, significant};
use leadline_figures::{Table, Text};
use leadline_model::Estimate;
use leadline_profile::PAGE_BYTES;
use serde_json::{Value, json};

use super::{Advice, NodeCost, Operation};

impl Advice {
    /// Node sizes, for a terminal: the table, the advice with its reasons, and how it depends on the clients
    /// and the model.
    pub fn text(&self) -> Text {
        let mut text = Text::new();
        text.say_all(asked(self));
        text.table(sizes(self));
        text.say(
            "Times in \u{b5}s, as a client sees them when all clients do only that; sizes in parentheses were \
             not measured; after numbers 95 % intervals",
        );
        text.say(reasons(self));
        text.say_all(self.neighbours().into_iter().flatten().map(|other| neighbour(self, other)));
        if let Some(other) = self.faster_unmeasured() {
            let [low, high] = self.measured.map(block);
            text.say(format!(
                "{} would be faster still by the model, but only requests of {low} to {high} were measured; \
                 leadline experiment r-by-k measures others",
                block(other.node_bytes())
            ));
        }
        text.say(by_operation(self));
        text.say(by_clients(self));
        text.say(by_model(self));
        if let Some(affine) = &self.affine {
            let pages = |pages: u32| {
                let size = u64::from(pages) * u64::from(PAGE_BYTES);
                format!("{} ({})", counted(pages.into(), "page"), bytes(size))
            };
            text.say(format!(
                "Affine model, without memory: setup {} \u{b5}s, transfer {} \u{b5}s/page; lookups are \
                 cheapest with nodes of {}, ranges reach half of the bandwidth with {}",
                significant(affine.setup_us),
                significant(affine.transfer_us),
                pages(affine.lookup_pages),
                pages(affine.range_pages)
            ));
        }
        text
    }
}

/// What was asked, in two lines.
fn asked(advice: &Advice) -> [String; 2] {
    let usage = &advice.usage;
    let memory = match usage.memory_bytes {
        0 => "no memory for nodes".to_owned(),
        memory => format!("{} of memory for nodes", bytes(memory)),
    };
    let range = match usage.mix.share(Operation::Range) > 0.0 {
        true => format!(", ranges of {}", bytes(usage.range_bytes)),
        false => String::new(),
    };
    let tree = format!(
        "B-tree of {} in {} pairs of {} bytes, nodes {:.0} % full, {memory}",
        bytes(usage.data.bytes() as u64),
        count(usage.data.pairs),
        usage.data.pair_bytes(),
        100.0 * usage.fill
    );
    let mix = usage.mix.to_string().replace('=', " ").replace(',', " %, ");
    let clients = counted(advice.clients.into(), "client");
    [tree, format!("{mix} %{range}, {clients}, model {}", advice.model)]
}

fn sizes(advice: &Advice) -> Table {
    let rates = "operations/s of the mix";
    let mut table =
        Table::new(["node", "height", "point", "range", "insert", "update", "written/byte", rates]);
    for (at, size) in advice.sizes.iter().enumerate() {
        let name = block(size.node_bytes());
        let name = match (at == advice.chosen, size.measured) {
            (true, _) => format!("{name} *"),
            (false, true) => name,
            (false, false) => format!("({name})"),
        };
        let times = size.operation_us.map(|time| time.map_or("-".to_owned(), |t| significant(t.value)));
        let height = size.accesses.shape.height().to_string();
        let last = [significant(size.write_amplification), rate(size.mix_per_second)];
        table.row([name, height].into_iter().chain(times).chain(last));
    }
    table
}

fn rate(rate: Option<Estimate>) -> String {
    rate.map_or("no limit by the device".to_owned(), |rate| {
        format!("{} ({})", count(rate.value), range(rate.ci, count))
    })
}

/// Nodes read and written per operation of the mix, and microseconds of the device for each.
fn work(advice: &Advice, size: &NodeCost) -> (f64, f64) {
    let all = size.accesses.of_mix(&advice.usage.mix);
    let nodes = all.reads + all.writes;
    (nodes, size.mix_per_second.map_or(0.0, |rate| 1e6 / (rate.value * nodes)))
}

/// What is advised and where its time goes.
fn reasons(advice: &Advice) -> String {
    let best = advice.best();
    let node = block(best.node_bytes());
    let Some(rate) = best.mix_per_second else {
        return format!("{node} is advised: all nodes are in memory, and the device sets no limit");
    };
    let (nodes, each) = work(advice, best);
    let shares: Vec<String> = Operation::ALL
        .into_iter()
        .zip(best.time_shares)
        .filter(|(_, share)| *share > 0.0)
        .map(|(operation, share)| format!("{} {:.0} %", operation.name(), 100.0 * share))
        .collect();
    format!(
        "{node} is advised: {} operations/s, the most of all sizes measured. An operation reads and writes \
         {} nodes, each of which takes the device {} \u{b5}s; of the time {}",
        count(rate.value),
        significant(nodes),
        significant(each),
        shares.join(", ")
    )
}

/// What a neighbour of the size advised would cost, and why.
fn neighbour(advice: &Advice, other: &NodeCost) -> String {
    let (Some(best), Some(rate)) = (advice.best().mix_per_second, other.mix_per_second) else {
        return format!("{}: the device sets no limit either", block(other.node_bytes()));
    };
    let change = 100.0 * (rate.value / best.value - 1.0);
    let ((nodes, each), (best_nodes, best_each)) = (work(advice, other), work(advice, advice.best()));
    format!(
        "{}: {} operations/s, {:.1} % {}{}: {} nodes instead of {} per operation, each {} \u{b5}s instead of \
         {} \u{b5}s",
        block(other.node_bytes()),
        count(rate.value),
        change.abs(),
        if change <= 0.0 { "fewer" } else { "more" },
        match (other.measured, rate.overlaps(&best)) {
            (false, _) => " (beyond what was measured)",
            (true, true) => " (the intervals overlap)",
            (true, false) => "",
        },
        significant(nodes),
        significant(best_nodes),
        significant(each),
        significant(best_each)
    )
}

fn by_operation(advice: &Advice) -> String {
    let best = Operation::ALL.into_iter().zip(advice.by_operation);
    let parts: Vec<String> =
        best.filter_map(|(o, node)| Some(format!("{} {}", o.name(), block(node?)))).collect();
    format!("Best by operation: {}", parts.join(", "))
}

/// `k = 1 to 4: 16K; k = 8 to 128: 4K`.
fn by_clients(advice: &Advice) -> String {
    let mut runs: Vec<(u32, u32, u32)> = Vec::new();
    for best in &advice.by_concurrency {
        match runs.last_mut() {
            Some((_, last, node)) if *node == best.node_bytes => *last = best.clients,
            _ => runs.push((best.clients, best.clients, best.node_bytes)),
        }
    }
    let parts: Vec<String> = runs
        .into_iter()
        .map(|(first, last, node)| match first == last {
            true => format!("k = {first}: {}", block(node)),
            false => format!("k = {first} to {last}: {}", block(node)),
        })
        .collect();
    let [low, high] = advice.measured_in_flight;
    let asked = advice.by_concurrency.iter().map(|best| best.clients).chain([advice.clients]);
    let beyond = match asked.into_iter().any(|clients| !(low..=high).contains(&clients)) {
        true => format!(" (only k = {low} to {high} was measured)"),
        false => String::new(),
    };
    format!("Best by the number of clients k: {}{beyond}", parts.join("; "))
}

fn by_model(advice: &Advice) -> String {
    let parts: Vec<String> = advice
        .by_model
        .iter()
        .map(|best| {
            let error =
                best.error_percent.map_or(String::new(), |e| format!(" (error {} %)", significant(e)));
            format!("{} {}{error}", best.model, block(best.node_bytes))
        })
        .collect();
    format!("Best by model: {}", parts.join(", "))
}

/// The advice as JSON: `chosen`, `sizes`, `by_concurrency`, `by_model`, `affine`, and what was asked.
pub fn advice_json(advice: &Advice) -> Value {
    let usage = &advice.usage;
    let mix = Operation::ALL.map(|o| (o.name().to_owned(), json!(100.0 * usage.mix.share(o))));
    let mut chosen = size_json(advice.best());
    chosen["reason"] = json!(reasons(advice));
    json!({
        "model": advice.model,
        "clients": advice.clients,
        "pairs": usage.data.pairs,
        "key_bytes": usage.data.key_bytes,
        "value_bytes": usage.data.value_bytes,
        "fill": usage.fill,
        "memory_bytes": usage.memory_bytes,
        "range_bytes": usage.range_bytes,
        "mix_percent": serde_json::Map::from_iter(mix),
        "measured_bytes": advice.measured,
        "chosen": chosen,
        "sizes": advice.sizes.iter().map(size_json).collect::<Vec<_>>(),
        "measured_in_flight": advice.measured_in_flight,
        "by_operation": serde_json::Map::from_iter(
            Operation::ALL.map(|o| (o.name().to_owned(), json!(advice.by_operation[o as usize])))
        ),
        "by_concurrency": advice.by_concurrency.iter().map(|best| {
            let mut entry = json!({ "clients": best.clients, "node_bytes": best.node_bytes });
            put(&mut entry, "mix_per_s", best.mix_per_second);
            entry
        }).collect::<Vec<_>>(),
        "by_model": advice.by_model.iter().map(|best| {
            let mut entry = json!({ "model": best.model, "node_bytes": best.node_bytes });
            put(&mut entry, "mix_per_s", best.mix_per_second);
            entry["error_percent"] = json!(best.error_percent);
            entry
        }).collect::<Vec<_>>(),
        "affine": advice.affine.map(|affine| json!({
            "setup_us": affine.setup_us,
            "transfer_us_per_page": affine.transfer_us,
            "point_pages": affine.lookup_pages,
            "range_pages": affine.range_pages,
        })),
    })
}

fn size_json(size: &NodeCost) -> Value {
    let mut entry = json!({
        "node_bytes": size.node_bytes(),
        "measured": size.measured,
        "height": size.accesses.shape.height(),
        "nodes_per_level": size.accesses.shape.levels,
        "resident_share_per_level": size.accesses.resident,
        "write_amplification": size.write_amplification,
    });
    for operation in Operation::ALL {
        let name = operation.name();
        let asked = size.accesses.of(operation);
        entry[format!("{name}_node_reads")] = json!(asked.reads);
        entry[format!("{name}_node_writes")] = json!(asked.writes);
        put(&mut entry, &format!("{name}_us"), size.operation_us[operation as usize]);
    }
    put(&mut entry, "mix_per_s", size.mix_per_second);
    entry
}

/// A number and its interval; `null` where there is none.
fn put(entry: &mut Value, name: &str, estimate: Option<Estimate>) {
    entry[name] = json!(estimate.map(|e| e.value));
    entry[format!("{name}_ci")] = json!(estimate.map(|e| e.ci));
}
