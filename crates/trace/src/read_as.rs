//! What is said of how a trace is to be read.

use crate::format::{Format, TraceColumns};

/// How a trace is read.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum ReadAs {
    /// As its ending or its content tells.
    #[default]
    Told,
    /// In this format.
    Format(Format),
    /// As lines of text whose columns are named.
    Columns(Box<TraceColumns>),
}

impl ReadAs {
    /// Whether it may be in this format.
    pub(crate) fn may_be(&self, format: Format) -> bool {
        match self {
            ReadAs::Told => true,
            ReadAs::Format(said) => *said == format,
            ReadAs::Columns(_) => false,
        }
    }
}

impl From<Option<Format>> for ReadAs {
    fn from(format: Option<Format>) -> ReadAs {
        format.map_or(ReadAs::Told, ReadAs::Format)
    }
}

impl From<Format> for ReadAs {
    fn from(format: Format) -> ReadAs {
        ReadAs::Format(format)
    }
}

impl From<TraceColumns> for ReadAs {
    fn from(columns: TraceColumns) -> ReadAs {
        ReadAs::Columns(Box::new(columns))
    }
}
