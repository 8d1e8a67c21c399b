//! How a file of edges is read: the options, and what the user is told of it.

use leadline_graph_store::input::{
    Column, Comment, Delimiter, EdgeColumns, InputOptions, InputSummary, TextOptions,
};

/// Options about text in columns, and which columns are read.
#[derive(Debug, Clone, clap::Args)]
#[command(next_help_heading = "Reading columns")]
pub(super) struct ReadingArgs {
    /// What separates columns: blanks, tab, comma, semicolon, bar or a character [default: told from the first
    /// lines]
    #[arg(long, value_name = "CHAR")]
    delimiter: Option<Delimiter>,
    /// Whether the first line names the columns: yes or no [default: told from the first lines]
    #[arg(long, value_name = "YES|NO", value_parser = yes_or_no)]
    header: Option<bool>,
    /// Lines to pass over at the beginning
    #[arg(long, value_name = "N", default_value_t = 0)]
    skip: u64,
    /// What comments begin with, or none [default: # and %]
    #[arg(long, value_name = "CHAR|none")]
    comment: Option<Comment>,
    /// The column of sources: its name, or its number from 1 [default: a known name, else the first]
    #[arg(long, value_name = "COLUMN")]
    source_column: Option<Column>,
    /// The column of targets
    #[arg(long, value_name = "COLUMN")]
    target_column: Option<Column>,
    /// The column of weights, which are kept then
    #[arg(long, value_name = "COLUMN")]
    weight_column: Option<Column>,
    /// Leave out columns although they look like weights or like ends of other edges
    #[arg(long)]
    ignore_columns: bool,
}

impl ReadingArgs {
    pub(super) fn text(&self) -> TextOptions {
        let ReadingArgs { delimiter, header, skip, comment, .. } = *self;
        TextOptions { delimiter, header, skip, comment }
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

fn yes_or_no(text: &str) -> Result<bool, String> {
    match text {
        "yes" => Ok(true),
        "no" => Ok(false),
        _ => Err("must be yes or no".to_owned()),
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
