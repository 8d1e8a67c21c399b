//! What becomes of a file: it is imported, and the store is exported again and read by hand; or it is read as
//! changes.

use std::collections::BTreeSet;
use std::fmt::{self, Write as _};
use std::fs::{self, File};
use std::path::Path;

use leadline_graph_store::GraphError;
use leadline_graph_store::export::{ExportOptions, export};
use leadline_graph_store::format::{Header, Ids as StoreIds};
use leadline_graph_store::import::{ImportOptions, import_edges};
use leadline_graph_store::input::{Batch, InputOptions, open};
use leadline_graph_store::updates::{Change, ChangeOptions, ChangeSource, NextChanges};

use super::case::{Case, Ids, Reading};
use super::options::options_of;

pub enum Outcome {
    Read(Reading),
    Changes(Vec<String>),
    Refused { message: String, by_input: bool, left_something: bool },
}

/// Writes the files into a folder and reads the first.
pub fn outcome(folder: &Path, case: &Case) -> Outcome {
    let (path, store) = (folder.join(&case.name), folder.join("store"));
    let found = if case.is_update() {
        changes(&path, case).map(Outcome::Changes)
    } else {
        let (input, import) = options(case);
        let done = open(&path, input).and_then(|reader| import_edges(reader, &store, &import, &mut |_| {}));
        done.map(|_| Outcome::Read(exported(&store)))
    };
    found.unwrap_or_else(|error| Outcome::Refused {
        message: error.to_string(),
        by_input: error.is_input(),
        left_something: store.exists(),
    })
}

/// What a reader gives, as text: much faster than an import, and enough to tell whether two files are the
/// same.
pub fn listed(path: &Path, case: &Case) -> Option<String> {
    if case.is_update() {
        return changes(path, case).ok().map(|changes| changes.join("\n"));
    }
    let mut reader = open(path, options(case).0).ok()?;
    let mut all = format!("{:?}\n", reader.declared());
    let mut batch = Batch::default();
    while reader.next_batch(&mut batch).ok()? {
        if !batch.pairs.is_empty() || !batch.vertices.is_empty() {
            let _ = writeln!(all, "{:?} {:?} {:?}", batch.pairs, batch.weights, batch.vertices);
        }
    }
    let _ = writeln!(all, "{:?}", reader.strings());
    Some(all)
}

fn options(case: &Case) -> (InputOptions, ImportOptions) {
    let (input, undirected) =
        options_of(&case.options).unwrap_or_else(|what| panic!("{}: {what}", case.place));
    (input, ImportOptions::default().with_memory(64 << 20).with_undirected(undirected))
}

fn exported(store: &Path) -> Reading {
    let file = File::open(store).unwrap();
    let header = Header::read(&file, "store").unwrap();
    let mut ids = StoreIds::new(&file, "store", &header, None, header.vertices);
    let csv = store.with_extension("exported.csv");
    export(store, &csv, &ExportOptions::default(), &mut |_| {}).unwrap();
    let mut reading = Reading {
        undirected: !header.directed,
        ids: if ids.are_strings() { Ids::Names } else { Ids::Numbers },
        ..Reading::default()
    };
    let mut alone: BTreeSet<String> = (0..header.vertices).map(|rank| ids.text(rank).unwrap()).collect();
    for row in rows(&fs::read_to_string(csv).unwrap()).into_iter().skip(1) {
        alone.remove(&row[0]);
        alone.remove(&row[1]);
        let weight = row.get(2).map(|weight| weight.parse().unwrap());
        reading.edges.push((row[0].clone(), row[1].clone(), weight));
    }
    reading.alone.extend(alone);
    reading.sort();
    reading
}

/// The rows of a CSV, by hand.
fn rows(text: &str) -> Vec<Vec<String>> {
    let mut rows = Vec::new();
    let (mut row, mut field, mut quoted) = (Vec::new(), String::new(), false);
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            '"' if quoted && letters.next_if_eq(&'"').is_some() => field.push('"'),
            '"' => quoted = !quoted,
            ',' if !quoted => row.push(std::mem::take(&mut field)),
            '\n' if !quoted => {
                row.push(std::mem::take(&mut field));
                rows.push(std::mem::take(&mut row));
            }
            other => field.push(other),
        }
    }
    rows
}

fn changes(path: &Path, case: &Case) -> Result<Vec<String>, GraphError> {
    let (InputOptions { text, columns, ignore_columns, .. }, _) = options(case);
    let options = ChangeOptions {
        text,
        columns,
        ignore_columns,
        strings: case.has("@names"),
        weighted: case.has("@weighted"),
        directed: true,
        delete: case.has("--delete"),
        memory: 64 << 20,
    };
    let mut source = ChangeSource::open(path, None, options)?;
    let mut all = Vec::new();
    loop {
        match source.next(None)? {
            NextChanges::Some(changes) => all.extend(changes.iter().map(|(_, change)| shown(change))),
            NextChanges::Waiting => {}
            NextChanges::End => return Ok(all),
        }
    }
}

fn shown(change: &Change) -> String {
    match change {
        Change::InsertEdge { source, target, weight } => {
            let weight = weight.map(|weight| format!(" {weight}")).unwrap_or_default();
            format!("+ {source} {target}{weight}")
        }
        Change::DeleteEdge { source, target } => format!("- {source} {target}"),
        Change::SetWeight { source, target, weight } => format!("= {source} {target} {weight}"),
        Change::InsertVertex(vertex) => format!("+v {vertex}"),
        Change::DeleteVertex(vertex) => format!("-v {vertex}"),
        other => panic!("a change of an unknown kind: {other:?}"),
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Outcome::Read(reading) => write!(f, "{reading}"),
            Outcome::Changes(changes) => write!(f, "changes {}", changes.join(", ")),
            Outcome::Refused { message, .. } => write!(f, "refused: {message}"),
        }
    }
}
