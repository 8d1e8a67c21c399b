//! Tables that others measured, CSV.

use std::path::Path;

use leadline_files::TextError;
use leadline_model::Table;

use crate::Target;

pub(super) struct Tables;

const POINTS: &str = "\
# measured somewhere
op,random_fraction,concurrency,block_bytes,bytes,seconds
read,0,1,4096,4194304,0.5
read,0.5,8,4096,4194304,0.25
write,1,4,8192,8388608,1.5e-1
";

const COSTS: &str = "k,s_us,beta_us,t_us,alpha_us\n1,20,10,60,5\n2,11,6,32,3\n4,6,3.5,17,2\n8,4,2,9,1\n";

impl Target for Tables {
    fn name(&self) -> String {
        "table".to_owned()
    }

    fn seeds(&self) -> Vec<Vec<u8>> {
        [POINTS, COSTS].map(|text| text.as_bytes().to_vec()).to_vec()
    }

    fn words(&self) -> &'static [&'static str] {
        &["read", "write", ",", ",,", "\"", "#", "\n", "\r\n", "\u{feff}", "k", "op", ";"]
    }

    fn read(&mut self, input: &[u8]) -> bool {
        let Ok(text) = std::str::from_utf8(input) else { return false };
        match Table::parse(text, Path::new("input")) {
            Ok(_) | Err(TextError::Value { .. }) => true,
            Err(TextError::Line { line, .. }) => line > 1 && text.lines().next().is_some_and(is_header),
            Err(_) => false,
        }
    }
}

/// Whether a line names the columns, or is a comment before that one.
fn is_header(line: &str) -> bool {
    line.starts_with('#') || line.starts_with("op,") || line.starts_with("k,")
}
