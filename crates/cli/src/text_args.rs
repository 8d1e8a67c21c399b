//! What users say of a text in columns.

use leadline_text::{Comment, Delimiter, TextOptions};

/// Options about a text in columns.
#[derive(Debug, Clone, clap::Args)]
#[command(next_help_heading = "Reading columns")]
pub(crate) struct TextArgs {
    /// Separator of columns: blanks, tab, comma, semicolon, bar or a character [default: recognized in the
    /// first lines]
    #[arg(long, value_name = "CHAR")]
    delimiter: Option<Delimiter>,
    /// The first line names the columns: yes or no [default: recognized in the first lines]
    #[arg(long, value_name = "YES|NO", value_parser = yes_or_no)]
    header: Option<bool>,
    /// Lines to skip at the beginning
    #[arg(long, value_name = "N", default_value_t = 0)]
    skip: u64,
    /// Start of a comment line, or none [default: # and %]
    #[arg(long, value_name = "CHAR|none")]
    comment: Option<Comment>,
}

impl TextArgs {
    pub(crate) fn options(&self) -> TextOptions {
        let TextArgs { delimiter, header, skip, comment } = *self;
        TextOptions { delimiter, header, skip, comment }
    }
}

pub(crate) fn yes_or_no(text: &str) -> Result<bool, String> {
    match text {
        "yes" => Ok(true),
        "no" => Ok(false),
        _ => Err("must be yes or no".to_owned()),
    }
}
