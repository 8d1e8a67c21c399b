//! `leadline trace generate`: a made-up trace as a file.

use std::ffi::OsStr;

use leadline_figures::Text;
use leadline_trace::{Format, GENERATOR, ReadAs, STDIN, generators};
use serde_json::{Value, json};

use super::convert::{Wanted, transfer};
use crate::failure::Failure;
use crate::paths::TraceOutput;
use crate::source::open_trace;
use crate::{output, values};

/// Generate a trace
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  leadline trace generate --list
  # A workload of the ACE paper, as compressed page numbers
  leadline trace generate gen:paper-ms -o ms.pages.zst
  leadline trace generate gen:ycsb-a -o a.iolog --format fio
  leadline trace generate 'gen:zipf?pages=100000&theta=0.8' | head")]
pub(crate) struct Args {
    /// The generator: gen:NAME or 'gen:NAME?key=value&key=value'
    #[arg(value_name = "GENERATOR", required_unless_present = "list")]
    generator: Option<String>,
    /// Write the trace to this file, replacing it; an ending .gz, .bz2, .zst or .xz compresses it [default:
    /// standard output]
    #[arg(short, long, value_name = "FILE")]
    output: Option<TraceOutput>,
    /// Format of the trace: pages, msr, spc, oraclegeneral, fio [default: by the ending of FILE, else pages]
    #[arg(long, value_name = "FORMAT", value_parser = values::format)]
    format: Option<Format>,
    /// Size of a page, 512 to 16M, for formats that count bytes
    #[arg(long = "page-size", alias = "page-bytes", value_name = "SIZE", value_parser = values::block, default_value = "4K")]
    page_bytes: u32,
    /// List the generators with their options and defaults
    #[arg(long, conflicts_with_all = ["generator", "output", "format"])]
    list: bool,
    /// Print the list, or a summary of the trace in FILE, as one JSON document
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: Args) -> Result<(), Failure> {
    let Some(name) = args.generator else {
        return if args.json { output::print_json(&document()) } else { output::print_text(&list()) };
    };
    if !name.starts_with(GENERATOR) {
        return Err(Failure::Input(format!(
            "{name}: is not a generator; expected {GENERATOR}NAME, as leadline trace generate --list has them"
        )));
    }
    let trace = open_trace(&name, &ReadAs::Told)?;
    let place = args.output.as_deref().unwrap_or(OsStr::new(STDIN));
    let format = args.format.or_else(|| Format::of_ending(&place.to_string_lossy())).unwrap_or(Format::Pages);
    let wanted = Wanted { format, page_bytes: args.page_bytes, skip_bad: false, json: args.json };
    transfer(&name, trace, place, &wanted)
}

fn document() -> Value {
    let all = generators().map(|info| {
        let options = info.options.iter().map(|option| (option.key.to_owned(), json!(option.default)));
        let options: Value = options.collect::<serde_json::Map<_, _>>().into();
        json!({ "name": format!("{GENERATOR}{}", info.name), "about": info.about, "options": options })
    });
    json!({ "generators": all.collect::<Vec<_>>() })
}

fn list() -> Text {
    let mut text = Text::new();
    for info in generators() {
        let options: Vec<String> =
            info.options.iter().map(|option| format!("{}={}", option.key, option.default)).collect();
        text.say(format!("{GENERATOR}{}", info.name));
        text.set(info.about, [4, 4]);
        text.set(options.join(" "), [4, 4]);
    }
    text
}
