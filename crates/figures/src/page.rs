//! Pages: sections of words, large numbers, tables and charts.

use serde::Serialize;

use crate::chart::{Chart, Sweep};
use crate::table::Table;

/// A page about one thing.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Page {
    /// The command that made it.
    pub brand: &'static str,
    /// Its title in a list of pages.
    pub title: String,
    /// What is above it in large letters.
    pub heading: String,
    /// Lines below that.
    pub sub: Vec<String>,
    /// What its charts of a sweep show.
    #[serde(skip)]
    pub sweep: Option<Sweep>,
    /// What it says, from top to bottom.
    pub sections: Vec<Section>,
}

/// A section of a page.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Section {
    /// By which links and tests find it; without one its parts are on the page as they are.
    pub id: &'static str,
    /// From top to bottom.
    pub blocks: Vec<Block>,
}

/// A part of a section.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Block {
    /// A heading.
    Heading {
        /// Its words.
        words: String,
    },
    /// A heading below that.
    Lead {
        /// Its words.
        words: String,
    },
    /// What makes everything else worth less.
    Warning {
        /// Its words.
        words: String,
        /// Whether it is serious.
        bad: bool,
    },
    /// A paragraph: `hint` and `quiet` ones are paler.
    Words {
        /// `hint`, `quiet` or nothing.
        tone: &'static str,
        /// Its words.
        words: String,
    },
    /// Sentences, numbered.
    Sentences {
        /// Each one.
        sentences: Vec<String>,
        /// Whether in small letters.
        small: bool,
    },
    /// A list that is opened on demand.
    Details {
        /// What is seen before.
        summary: String,
        /// The list.
        items: Vec<String>,
    },
    /// Large numbers, each with what it means.
    Tiles {
        /// Numbers and meanings.
        tiles: Vec<[String; 2]>,
    },
    /// Names and values in a frame.
    Facts {
        /// Groups, each with its heading, which may be empty.
        groups: Vec<(String, Vec<[String; 2]>)>,
    },
    /// A table.
    Table {
        /// The table.
        table: Table,
        /// Whether it has a scroll bar of its own instead of making the page longer.
        tall: bool,
    },
    /// Text as it is.
    Text {
        /// The text.
        text: String,
    },
    /// The choices that charts of the page share, and what is said where nothing can be drawn.
    Charts {
        /// Whether there is a bar of choices.
        choices: bool,
    },
    /// A chart.
    Chart {
        /// What it shows.
        title: String,
        /// How to read it.
        hint: String,
        /// Its [`Chart::id`].
        id: String,
        /// What is drawn; nothing where that is a slice of [`Page::sweep`].
        #[serde(skip)]
        chart: Option<Box<Chart>>,
    },
    /// How charts are zoomed.
    Zoom,
    /// Charts side by side where there is room: `pair` or `columns`.
    Beside {
        /// `pair` or `columns`.
        how: &'static str,
        /// The charts.
        blocks: Vec<Block>,
    },
}

impl Page {
    /// Adds a section.
    pub fn section(&mut self, id: &'static str, blocks: Vec<Block>) {
        self.sections.push(Section { id, blocks });
    }

    /// Its charts, in order.
    pub fn charts(&self) -> Vec<&Chart> {
        fn of(block: &Block) -> Vec<&Chart> {
            match block {
                Block::Chart { chart: Some(chart), .. } => vec![&**chart],
                Block::Beside { blocks, .. } => blocks.iter().flat_map(of).collect(),
                _ => Vec::new(),
            }
        }
        self.sections.iter().flat_map(|section| &section.blocks).flat_map(of).collect()
    }
}

impl Block {
    /// A heading.
    pub fn heading(words: impl Into<String>) -> Block {
        Block::Heading { words: words.into() }
    }

    /// A paler paragraph.
    pub fn quiet(words: impl Into<String>) -> Block {
        Block::Words { tone: "quiet", words: words.into() }
    }

    /// A paler paragraph above what it explains.
    pub fn hint(words: impl Into<String>) -> Block {
        Block::Words { tone: "hint", words: words.into() }
    }

    /// A serious warning.
    pub fn warning(words: impl Into<String>) -> Block {
        Block::Warning { words: words.into(), bad: true }
    }

    /// Large numbers, each with what it means.
    pub fn tiles<M: Into<String>>(tiles: impl IntoIterator<Item = (String, M)>) -> Block {
        Block::Tiles { tiles: tiles.into_iter().map(|(value, meaning)| [value, meaning.into()]).collect() }
    }

    /// Names and values in a frame.
    pub fn facts<N: Into<String>>(facts: impl IntoIterator<Item = (N, String)>) -> Block {
        let facts = facts.into_iter().map(|(name, value)| [name.into(), value]).collect();
        Block::Facts { groups: vec![(String::new(), facts)] }
    }

    /// A table.
    pub fn table(table: Table) -> Block {
        Block::Table { table, tall: false }
    }

    /// A chart with its title and how to read it.
    pub fn chart(title: impl Into<String>, hint: impl Into<String>, chart: Chart) -> Block {
        Block::Chart {
            title: title.into(),
            hint: hint.into(),
            id: chart.id.clone(),
            chart: Some(Box::new(chart)),
        }
    }

    /// The place of a chart of a sweep.
    pub fn place(id: impl Into<String>, title: impl Into<String>, hint: impl Into<String>) -> Block {
        Block::Chart { title: title.into(), hint: hint.into(), id: id.into(), chart: None }
    }

    /// Two charts side by side where there is room.
    pub fn pair(blocks: Vec<Block>) -> Block {
        Block::Beside { how: "pair", blocks }
    }
}
