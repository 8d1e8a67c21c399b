//! How a file of edges is read: the options, and what the user is told of it.

use leadline_graph_store::input::{Column, EdgeColumns, InputOptions, InputSummary, TextOptions};

use crate::text_args::TextArgs;

/// Options about text in columns, and which columns are read.
#[derive(Debug, Clone, clap::Args)]
#[command(next_help_heading = "Reading columns")]
pub(super) struct ReadingArgs {
    #[command(flatten)]
    text: TextArgs,
    /// Column of sources: its name, or its number from 1 [default: a known name, else 1]
    #[arg(long, value_name = "COLUMN")]
    source_column: Option<Column>,
    /// Column of targets, likewise [default: a known name, else 2]
    #[arg(long, value_name = "COLUMN")]
    target_column: Option<Column>,
    /// Column of weights, likewise, and keep the weights [default: a known name]
    #[arg(long, value_name = "COLUMN")]
    weight_column: Option<Column>,
    /// Ignore further columns, even if they look like weights or vertices
    #[arg(long)]
    ignore_columns: bool,
}

impl ReadingArgs {
    pub(super) fn text(&self) -> TextOptions {
        self.text.options()
    }

    pub(super) fn columns(&self) -> EdgeColumns {
        EdgeColumns {
            source: self.source_column.clone(),
            target: self.target_column.clone(),
            weight: self.weight_column.clone(),
        }
    }

    pub(super) fn ignore_columns(&self) -> bool {
        self.ignore_columns
    }

    /// The options of an input that these are about.
    pub(super) fn of(&self, options: InputOptions) -> InputOptions {
        InputOptions {
            text: self.text(),
            columns: self.columns(),
            ignore_columns: self.ignore_columns,
            ..options
        }
    }
}

/// How an input was understood, as rows of a table.
pub(super) fn rows(input: &InputSummary) -> Vec<(&'static str, String)> {
    let mut format = format!("{}, {}", input.format, input.format_told_by);
    if let Some(text) = &input.text {
        format += &format!("; {} between columns, lines end with {}", text.delimiter, text.line_ends);
    }
    let mut rows = vec![("format", format)];
    if let Some(text) = &input.text {
        let header = if text.header { "yes" } else { "no" };
        rows.push(("header", format!("{header}: {}", text.header_evidence)));
    }
    if !input.columns_read.is_empty() {
        let mut columns = input.columns_read.join(", ");
        if !input.columns_ignored.is_empty() {
            columns += &format!("; left out: {}", input.columns_ignored.join(", "));
        }
        rows.push(("columns", columns));
    }
    rows.push(("ids", input.ids.to_owned()));
    if input.lines_skipped != Default::default() {
        rows.push(("lines skipped", input.lines_skipped.to_string()));
    }
    if let Some(edge) = &input.first_edge {
        rows.push(("first edge", edge.to_string()));
    }
    rows.extend(input.notes.iter().map(|note| ("note", note.clone())));
    rows
}
