//! What a terminal shows.

use crate::table::Table;

/// Lines and tables, from top to bottom.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Text {
    /// In order.
    pub parts: Vec<Part>,
}

/// A part of what a terminal shows.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Part {
    /// Words, broken into lines at blanks.
    Words {
        /// The words.
        words: String,
        /// Blanks before the first line, and before those after it.
        margins: [usize; 2],
    },
    /// A line as it is, however long.
    Line(String),
    /// A table.
    Table(Table),
}

impl Text {
    /// Nothing yet.
    pub fn new() -> Text {
        Text::default()
    }

    /// Lines of words, each from a new line; what is broken goes on set in by two.
    pub fn of_lines<S: Into<String>>(lines: impl IntoIterator<Item = S>) -> Text {
        let mut text = Text::new();
        text.say_all(lines);
        text
    }

    /// Adds words; the lines after the first are set in by two.
    pub fn say(&mut self, words: impl Into<String>) {
        self.set(words, [0, 2]);
    }

    /// Adds several, each from a new line.
    pub fn say_all<S: Into<String>>(&mut self, words: impl IntoIterator<Item = S>) {
        words.into_iter().for_each(|words| self.say(words));
    }

    /// Adds words, with the number of blanks before their first line and before the other lines.
    pub fn set(&mut self, words: impl Into<String>, margins: [usize; 2]) {
        self.parts.push(Part::Words { words: words.into(), margins });
    }

    /// Adds a line as it is.
    pub fn line(&mut self, line: impl Into<String>) {
        self.parts.push(Part::Line(line.into()));
    }

    /// Adds an empty line.
    pub fn gap(&mut self) {
        self.line("");
    }

    /// Adds a table.
    pub fn table(&mut self, table: Table) {
        self.parts.push(Part::Table(table));
    }
}
