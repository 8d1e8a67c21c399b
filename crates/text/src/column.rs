//! Columns by name or number.

use std::fmt;
use std::str::FromStr;

/// A column that a user names: by its number from 1, or by its name in the header.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Column {
    /// From 1.
    Number(usize),
    /// As it is in the header.
    Name(String),
}

impl Column {
    /// Its place, from 0, among `columns` columns with these names.
    ///
    /// # Errors
    /// What is there instead.
    pub fn place(&self, names: Option<&[String]>, columns: usize) -> Result<usize, String> {
        match self {
            Column::Number(number) if *number <= columns => Ok(number - 1),
            Column::Number(number) => Err(format!("expected a column {number}, found {columns} columns")),
            Column::Name(name) => {
                let Some(names) = names else {
                    return Err(format!(
                        "expected a column \"{name}\", found no header; name the column by its number"
                    ));
                };
                let same = |other: &&String| *other == name;
                match (names.iter().position(|other| other == name), names.iter().filter(same).count()) {
                    (Some(at), 1) => Ok(at),
                    (Some(_), found) => Err(format!(
                        "expected a column \"{name}\", found {found} of that name; name the column by its \
                         number"
                    )),
                    (None, _) => Err(format!("expected a column \"{name}\", found {}", names.join(", "))),
                }
            }
        }
    }
}

impl fmt::Display for Column {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Column::Number(number) => write!(f, "{number}"),
            Column::Name(name) => f.write_str(name),
        }
    }
}

impl FromStr for Column {
    type Err = String;

    fn from_str(text: &str) -> Result<Column, String> {
        match text.parse::<usize>() {
            Ok(0) => Err("columns are numbered from 1".to_owned()),
            Ok(number) => Ok(Column::Number(number)),
            Err(_) if text.is_empty() => Err("must be a column's name, or its number from 1".to_owned()),
            Err(_) => Ok(Column::Name(text.to_owned())),
        }
    }
}
