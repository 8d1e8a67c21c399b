//! Which columns of a file hold keys and values.

use leadline_text::{Column, Delimiter, Dialect, Hint, Sample, TextOptions, Undecided};

use super::keys::TypeArgs;
use crate::text_args::TextArgs;

/// How a file of entries is read.
#[derive(Debug, Clone, clap::Args)]
#[command(next_help_heading = "Reading columns")]
pub(super) struct ReadingArgs {
    /// FILE is what `leadline index scan` prints: key, tab, value, with escapes
    #[arg(long, conflicts_with_all = ["key_column", "value_column", "delimiter", "header", "skip", "comment"])]
    pub(super) scanned: bool,
    /// Column of keys: its name, or its number from 1 [default: the column named key, else 1]
    #[arg(long, value_name = "COLUMN")]
    key_column: Option<Column>,
    /// Column of values, likewise [default: the column named value, else 2 of 2]
    #[arg(long, value_name = "COLUMN")]
    value_column: Option<Column>,
    #[command(flatten)]
    text: TextArgs,
    #[command(flatten)]
    types: TypeArgs,
}

/// Where keys and values are in lines.
#[derive(Debug, Clone)]
pub(super) struct Columns {
    pub(super) dialect: Dialect,
    /// From 0.
    pub(super) key: usize,
    pub(super) value: usize,
    pub(super) skip: u64,
}

/// Why a file is not read: the line, where one shows it, and what is wrong.
#[derive(Debug)]
pub(super) struct Unread {
    pub(super) line: Option<u64>,
    pub(super) what: String,
}

impl ReadingArgs {
    pub(super) fn types(&self) -> TypeArgs {
        if self.scanned { self.types.as_scanned() } else { self.types }
    }

    /// Tells columns from the first bytes of a file, whose name ends as `ending` says.
    pub(super) fn columns(&self, head: &[u8], whole: bool, ending: &str) -> Result<Columns, Unread> {
        let undecided = |undecided: Undecided| Unread {
            line: Some(undecided.line),
            what: undecided.text(|option, value| format!("--{option} {value}")),
        };
        let options: TextOptions = self.text.options();
        let sample = Sample::new(head, whole).map_err(undecided)?;
        let dialect = Dialect::detect(&sample, &hint(ending), &options).map_err(undecided)?;
        let unread = |what| Unread { line: None, what };
        let names = dialect.header.as_deref();
        let place = |column: &Option<Column>, option: &str, name: &str, number: usize| match column {
            Some(column) => {
                column.place(names, dialect.columns).map_err(|error| format!("{option}: {error}"))
            }
            None => {
                let named = names.and_then(|names| names.iter().position(|one| one == name));
                Ok(named.unwrap_or(number))
            }
        };
        let key = place(&self.key_column, "--key-column", "key", 0).map_err(unread)?;
        let is_named = names.is_some_and(|names| names.iter().any(|name| name == "value"));
        if self.value_column.is_none() && !is_named && dialect.columns > 2 {
            let columns = names.map_or(String::new(), |names| format!(" ({})", names.join(", ")));
            let what = format!(
                "has {} columns{columns}; say which has the values with --value-column",
                dialect.columns
            );
            return Err(unread(what));
        }
        let value =
            place(&self.value_column, "--value-column", "value", usize::from(key == 0)).map_err(unread)?;
        if key == value {
            return Err(unread(format!(
                "column {} would be key and value; say which have them with --key-column and --value-column",
                key + 1
            )));
        }
        Ok(Columns { dialect, key, value, skip: options.skip })
    }
}

/// What is known of a file that is called so.
fn hint(ending: &str) -> Hint {
    let delimiter = match ending {
        "csv" => Some(Delimiter::Byte(b',')),
        "tsv" => Some(Delimiter::Byte(b'\t')),
        _ => None,
    };
    Hint {
        delimiter: delimiter.unwrap_or(Delimiter::Byte(b'\t')),
        delimiter_is_certain: delimiter.is_some(),
        keys: 1,
        known: |name| matches!(name, "key" | "value"),
        ..Hint::default()
    }
}

impl Columns {
    /// In words: `comma between columns, header: yes (it has known names), key: column 1, value: column 2`.
    pub(super) fn words(&self) -> String {
        let Dialect { delimiter, header, header_evidence, .. } = &self.dialect;
        let name = |place: usize| match header.as_ref().and_then(|names| names.get(place)) {
            Some(name) => format!("column {} ({name})", place + 1),
            None => format!("column {}", place + 1),
        };
        let there = if header.is_some() { "yes" } else { "no" };
        format!(
            "{delimiter} between columns; header: {there}, {header_evidence}; keys: {}, values: {}",
            name(self.key),
            name(self.value)
        )
    }
}
