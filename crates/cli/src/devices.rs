//! `leadline devices`: what the catalogue knows without measuring.

mod simulated;

use std::ffi::OsStr;

use leadline_catalogue::{
    AccessPath, DEVICES, Description, PUBLISHED, Pattern, Published, SIMULATED, behind, device_of, load,
};
use leadline_device::format_size;
use leadline_figures::{Table, Text};
use leadline_sim::DeviceSpec;
use serde_json::{Value, json};

use crate::failure::Failure;
use crate::paths::CatalogueName;
use crate::{output, printable};

/// List simulated devices and devices with published numbers
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  leadline devices
  # One of them, with its source
  leadline devices p4510
  # Its published numbers as a profile
  leadline report device:p4510
  # A simulated device, measured
  leadline profile sim:flash")]
pub(crate) struct Args {
    /// Show this device of the list, or this description (./device.toml) [default: list all]
    #[arg(value_name = "NAME")]
    name: Option<CatalogueName>,
    /// Print the result as one JSON document
    #[arg(long)]
    json: bool,
}

/// One device, whole.
struct CatalogueEntry {
    name: String,
    description: Description,
    simulated: Option<DeviceSpec>,
}

pub(crate) fn run(args: Args) -> Result<(), Failure> {
    let Some(name) = &args.name else {
        let all =
            DEVICES.iter().map(|device| CatalogueEntry::load(device.name)).collect::<Result<Vec<_>, _>>()?;
        let document = || json!({ "devices": all.iter().map(CatalogueEntry::json).collect::<Vec<_>>() });
        return if args.json { output::print_json(&document()) } else { output::print_text(&list(&all)) };
    };
    let name = behind(name, PUBLISHED).or(behind(name, SIMULATED)).unwrap_or(name);
    let known = CatalogueEntry::load(device_of(name))?;
    if args.json { output::print_json(&known.json()) } else { output::print_text(&known.in_full()) }
}

impl CatalogueEntry {
    fn load(name: &(impl AsRef<OsStr> + ?Sized)) -> Result<CatalogueEntry, Failure> {
        let name = name.as_ref();
        let description = load(name)?;
        let simulated = if description.simulated { Some(leadline_sim::spec(name)?) } else { None };
        Ok(CatalogueEntry { name: name.display().to_string(), description, simulated })
    }

    fn json(&self) -> Value {
        let entry = |entry: &Published| {
            let mut value = json!(entry);
            value["alpha_1"] = json!(entry.alpha_1());
            value
        };
        json!({
            "name": self.name,
            "description": self.description.description,
            "class": self.description.class,
            "source": self.description.source,
            "published": self.description.published.iter().map(entry).collect::<Vec<_>>(),
            "simulated": self.simulated,
        })
    }

    fn in_full(&self) -> Text {
        let d = &self.description;
        let name = printable::line(&self.name);
        let mut text = Text::new();
        text.say(&name);
        let facts = [("description", &d.description), ("class", &d.class), ("source", &d.source)];
        for (name, value) in facts.iter().filter_map(|(name, value)| Some((name, value.as_ref()?))) {
            text.set(format!("{name:<12} {value}"), [0, 13]);
        }
        d.published.iter().for_each(|entry| published(&mut text, entry));
        if let Some(rows) = self.simulated.as_ref().and_then(simulated::rows) {
            text.gap();
            text.say("simulated");
            rows.iter().for_each(|(name, value)| text.set(format!("{name:<10} {value}"), [2, 13]));
        }
        text.gap();
        if !d.published.is_empty() {
            text.say(format!("as a profile: leadline report device:{name}"));
        }
        if self.simulated.is_some() {
            text.say(format!("to measure it: leadline profile sim:{name}"));
        }
        text
    }
}

fn published(text: &mut Text, entry: &Published) {
    let path = entry.path.map(|path| format!(", {}", path_name(path))).unwrap_or_default();
    let pattern = if entry.pattern == Pattern::Random { "random" } else { "sequential" };
    text.gap();
    text.say(format!("published, {} {pattern}{path}", format_size(u64::from(entry.block_bytes))));
    let number = |value: f64| if value >= 10.0 { format!("{value}") } else { format!("{value:.2}") };
    let rows = [
        ("alpha", entry.alpha.map(|a| format!("{} reads per saturated write", number(a)))),
        ("alpha_1", entry.alpha_1().map(|a| format!("{} reads per write, one at a time", number(a)))),
        ("k_r", Some(format!("{} reads in flight", entry.k_r))),
        ("k_w", Some(format!("{} writes in flight", entry.k_w))),
        ("read", entry.read_latency_us.map(|us| format!("{us} us, one at a time"))),
        ("write", entry.write_latency_us.map(|us| format!("{us} us, one at a time"))),
        ("limit", entry.cap_iops.map(|cap| format!("{cap} requests/s, set in software"))),
        ("note", entry.note.clone()),
    ];
    for (name, value) in rows.into_iter().filter_map(|(name, value)| Some((name, value?))) {
        text.set(format!("{name:<10} {value}"), [2, 13]);
    }
}

/// One row a device and path, the sources below.
fn list(all: &[CatalogueEntry]) -> Text {
    let mut sources: Vec<&str> = Vec::new();
    let head =
        ["name", "class", "alpha", "alpha_1", "k_r", "k_w", "read us", "write us", "simulated", "source"];
    let mut table = Table::new(head).words(1).words(8).words(9);
    for known in all {
        let source = known.description.source.as_deref().map_or_else(String::new, |source| {
            let at = sources.iter().position(|s| *s == source).unwrap_or_else(|| {
                sources.push(source);
                sources.len() - 1
            });
            format!("[{}]", at + 1)
        });
        table = table.rows(device_rows(known, &source));
    }
    let mut text = Text::new();
    text.table(table);
    text.gap();
    text.say("Published numbers of 4K random requests; latencies are for one request at a time.");
    for (i, source) in sources.iter().enumerate() {
        text.set(format!("[{}] {source}", i + 1), [0, 4]);
    }
    text.gap();
    text.say("One of them: leadline devices NAME. Its numbers as a profile: leadline report device:NAME");
    text
}

/// The headline entry of each path; one row without numbers where nothing was published.
fn device_rows(known: &CatalogueEntry, source: &str) -> Vec<[String; 10]> {
    let d = &known.description;
    let number = |value: Option<f64>, digits| value.map_or("–".to_owned(), |v| format!("{v:.digits$}"));
    let simulated = if d.simulated { "yes" } else { "no" };
    let row = |name: String, entry: Option<&Published>| {
        [
            name,
            d.class.clone().unwrap_or_else(|| "–".to_owned()),
            number(entry.and_then(|e| e.alpha), 1),
            number(entry.and_then(Published::alpha_1), 2),
            entry.map_or("–".to_owned(), |e| e.k_r.to_string()),
            entry.map_or("–".to_owned(), |e| e.k_w.to_string()),
            number(entry.and_then(|e| e.read_latency_us), 1),
            number(entry.and_then(|e| e.write_latency_us), 1),
            simulated.to_owned(),
            source.to_owned(),
        ]
    };
    let headline = |raw: bool| {
        let of_path = |e: &&Published| (e.path == Some(AccessPath::Raw)) == raw;
        d.published.iter().find(|e| of_path(e) && e.pattern == Pattern::Random && e.block_bytes == 4096)
    };
    match (headline(false), headline(true)) {
        (file, None) => vec![row(known.name.clone(), file)],
        (None, raw) => vec![row(known.name.clone(), raw)],
        (file, raw) => vec![row(known.name.clone(), file), row(format!("{}:raw", known.name), raw)],
    }
}

fn path_name(path: AccessPath) -> &'static str {
    match path {
        AccessPath::FileSystem => "through a file system",
        AccessPath::Raw => "raw device",
    }
}
