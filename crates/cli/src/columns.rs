//! Traces of text whose columns are named.

use leadline_text::TextOptions;
use leadline_trace::{Format, ReadAs, TimeUnit, TraceColumns};

use crate::failure::Failure;
use crate::text_args::TextArgs;

/// Options that say which column of TRACE holds what, where it is in no known format.
#[derive(Debug, Clone, clap::Args)]
#[command(next_help_heading = "Reading columns")]
pub(crate) struct ColumnArgs {
    /// Contents of the columns of TRACE, for text in no known format, such as time:us,op,offset:sectors. In
    /// order: time:UNIT (s, ms, us, ticks of 100 ns, ns), op (op:write1 or op:read1 for 0 and 1), offset:UNIT
    /// (bytes, sectors), page, object, size:UNIT, volume, and - for an unused column; op=type or op=3 names
    /// the column of that header or number
    #[arg(long, value_name = "COLUMN,..")]
    columns: Option<String>,
    /// Unit of the column time: s, ms, us, ticks (100 ns), ns
    #[arg(long, value_name = "UNIT", value_parser = TimeUnit::parse, requires = "columns")]
    timestamp_unit: Option<TimeUnit>,
    #[command(flatten)]
    text: TextArgs,
}

impl ColumnArgs {
    /// How TRACE is read, where `--format` says `format`.
    ///
    /// # Errors
    /// [`Failure::Input`]: columns that no request can be made of, or what only columns have without any.
    pub(crate) fn read_as(&self, format: Option<Format>) -> Result<ReadAs, Failure> {
        let text = self.text.options();
        match (&self.columns, format) {
            (Some(_), Some(_)) => Err(Failure::Input(
                "--columns: says what lines hold, and so does --format; give one of them".to_owned(),
            )),
            (Some(columns), None) => TraceColumns::parse(columns, self.timestamp_unit, text)
                .map(ReadAs::from)
                .map_err(|reason| Failure::Input(format!("--columns: {reason}"))),
            (None, _) if text != TextOptions::default() => Err(Failure::Input(
                "--delimiter, --header, --skip and --comment are for columns; name them with --columns"
                    .to_owned(),
            )),
            (None, format) => Ok(format.into()),
        }
    }
}
