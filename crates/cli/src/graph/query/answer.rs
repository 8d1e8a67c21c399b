//! What a question may use, and where its answer goes: rows on stdout, or in a file and a summary on stdout.

use std::time::Instant;

use leadline_figures::Text;
use leadline_graph::output::{RowFile, RowValues, Rows, grouped};
use leadline_graph::{Graph, RunStats};
use serde_json::{Map, Value, json};

use crate::failure::Failure;
use crate::graph::bytes;
use crate::graph::common::EngineArgs;
use crate::paths::{InputPath, OutputPath};
use crate::{messages, output, printable};

/// What a question may use, and where its answer goes.
#[derive(clap::Args)]
pub(super) struct AnswerArgs {
    #[command(flatten)]
    engine: EngineArgs,
    /// Write the rows to this file, replacing it, .csv or .parquet [default: CSV on standard output]
    #[arg(short, long, value_name = "FILE")]
    output: Option<OutputPath>,
    /// Print the result as one JSON document, with the rows unless they go to a file
    #[arg(long)]
    json: bool,
}

/// Seconds that a question took beside reading lists.
#[derive(Debug, Default, Clone, Copy)]
pub(super) struct Times {
    ids: f64,
    rows: f64,
}

impl Times {
    /// Looks up the ids of a question.
    pub(super) fn ids<T>(&mut self, work: impl FnOnce() -> T) -> T {
        timed(&mut self.ids, work)
    }

    /// Makes rows of an answer.
    pub(super) fn rows<T>(&mut self, work: impl FnOnce() -> T) -> T {
        timed(&mut self.rows, work)
    }
}

fn timed<T>(seconds: &mut f64, work: impl FnOnce() -> T) -> T {
    let before = Instant::now();
    let done = work();
    *seconds += before.elapsed().as_secs_f64();
    done
}

/// An answer.
pub(super) struct Answer<'g> {
    pub(super) graph: &'g Graph,
    /// The command.
    pub(super) question: &'static str,
    /// What was asked for, and what was found, in the document.
    pub(super) facts: Map<String, Value>,
    /// The same in words.
    pub(super) words: String,
    pub(super) stats: RunStats,
    pub(super) times: Times,
    /// The rows, with their name in the document.
    pub(super) rows: (&'static str, Rows),
    /// Others that only the document has.
    pub(super) others: Option<(&'static str, Rows)>,
}

impl AnswerArgs {
    /// Opens the store, and makes the file for the rows, so that a place that cannot be written is found out
    /// before anything is read.
    pub(super) fn open(&self, store: &InputPath) -> Result<(Graph, Option<RowFile>), Failure> {
        let file = self.output.as_deref().map(RowFile::create).transpose()?;
        Ok((Graph::open(store, self.engine.options_of_profile()?)?, file))
    }

    /// Whether other rows than those that are printed are wanted.
    pub(super) fn wants_others(&self) -> bool {
        self.json && self.output.is_none()
    }

    /// Hands the answer out.
    pub(super) fn give(&self, answer: Answer<'_>, file: Option<RowFile>) -> Result<(), Failure> {
        answer.graph.notes().iter().for_each(|note| messages::warning(note));
        let written = file.map(|file| file.write(answer.graph, &answer.rows.1)).transpose()?;
        match (self.json, written) {
            (true, _) => self.print_document(answer, written),
            (false, None) => answer.rows.1.each_csv(output::print),
            (false, Some(size)) => self.print_words(&answer, size),
        }
    }

    fn print_words(&self, answer: &Answer<'_>, size: u64) -> Result<(), Failure> {
        let (stats, path) = (&answer.stats, self.output.as_deref().map(|path| path.display().to_string()));
        let words = format!(
            "{}\n{:.3} s: read {} in {} requests, {:.1} in flight on average, at most {} allowed\n\
             {} rows in {} ({})",
            answer.words,
            stats.seconds,
            bytes(stats.bytes_read),
            grouped(stats.requests),
            stats.mean_depth,
            stats.depth,
            grouped(answer.rows.1.count() as u64),
            printable::line(&path.unwrap_or_default()),
            bytes(size),
        );
        output::print_text(&Text::of_lines(words.lines()))
    }

    fn print_document(&self, answer: Answer<'_>, written: Option<u64>) -> Result<(), Failure> {
        let Answer { graph, question, facts, stats, times, rows, others, .. } = answer;
        let mut head = json!({ "question": question, "store": graph.name(), "version": graph.version() });
        let stats = serde_json::to_value(stats).map_err(|error| Failure::Operation(error.to_string()))?;
        if let (Some(head), Value::Object(stats)) = (head.as_object_mut(), stats) {
            head.extend(facts);
            head.insert("row_count".into(), rows.1.count().into());
            head.extend(stats);
            head.insert("ids_seconds".into(), times.ids.into());
            head.insert("rows_seconds".into(), times.rows.into());
            head.insert(
                "output".into(),
                self.output.as_deref().map(|path| path.display().to_string()).into(),
            );
            head.insert("output_bytes".into(), written.into());
        }
        let text =
            serde_json::to_string_pretty(&head).map_err(|error| Failure::Operation(error.to_string()))?;
        if written.is_some() {
            return output::print(&format!("{text}\n"));
        }
        // The rows may be many: they are never all there as text.
        output::print(&format!("{},\n  \"rows\": {{", text.trim_end_matches(['\n', '}'])))?;
        for (i, (name, rows)) in std::iter::once(rows).chain(others).enumerate() {
            output::print(&format!("{}\n    \"{name}\": [", if i > 0 { "," } else { "" }))?;
            print_rows(&rows)?;
            output::print("\n    ]")?;
        }
        output::print("\n  }\n}\n")
    }
}

/// Rows that become text at a time.
const PIECE: usize = 1 << 12;

/// Prints each row as an object on a line.
fn print_rows(rows: &Rows) -> Result<(), Failure> {
    let count = rows.count();
    for start in (0..count).step_by(PIECE) {
        let mut text = String::new();
        for row in start..count.min(start + PIECE) {
            text.push_str(if row == 0 { "\n      {" } else { ",\n      {" });
            for (i, column) in rows.columns.iter().enumerate() {
                let cell = match &column.values {
                    RowValues::Integers(values) => values[row].into(),
                    RowValues::Doubles(values) => values[row].into(),
                    RowValues::Ids(values) => values[row].into(),
                    RowValues::Texts(texts) => texts.text(row).into(),
                    _ => Value::Null,
                };
                let between = if i > 0 { ", " } else { "" };
                text.push_str(&format!("{between}\"{}\": {cell}", column.name));
            }
            text.push('}');
        }
        output::print(&text)?;
    }
    Ok(())
}
