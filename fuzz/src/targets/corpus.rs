//! The files of the corpus of graph-store's tests, mutated. Whatever is read agrees with the summary: a slow
//! reader that is told by it how to read has the same edges, and every line is an edge or counted as skipped.

#[allow(dead_code, reason = "the tests of graph-store use the rest")]
#[path = "../../../crates/graph-store/tests/corpus/case.rs"]
mod case;
#[path = "../../../crates/graph-store/tests/corpus/options.rs"]
mod options;
mod slow;

use std::fs;
use std::path::PathBuf;

use case::{Case, Meaning};
use leadline_graph_store::input::{Batch, EdgeReader, InputOptions, open};
use options::options_of;
use slow::Slow;
use tempfile::TempDir;

use crate::Target;

/// The families of text in columns.
const FAMILIES: [&str; 8] = [
    include_str!("../../../crates/graph-store/tests/corpus/comments.txt"),
    include_str!("../../../crates/graph-store/tests/corpus/databases.txt"),
    include_str!("../../../crates/graph-store/tests/corpus/encodings.txt"),
    include_str!("../../../crates/graph-store/tests/corpus/headers.txt"),
    include_str!("../../../crates/graph-store/tests/corpus/ids.txt"),
    include_str!("../../../crates/graph-store/tests/corpus/quotes.txt"),
    include_str!("../../../crates/graph-store/tests/corpus/separators.txt"),
    include_str!("../../../crates/graph-store/tests/corpus/weights.txt"),
];

/// The cap that the reader is given.
const MEMORY: u64 = 4 << 20;

/// Endings of files that hold text in columns.
const ENDINGS: [&str; 6] = [".txt", ".csv", ".tsv", ".edges", ".el", ".wel"];

pub(super) struct Corpus(TempDir);

impl Corpus {
    pub(super) fn new() -> std::io::Result<Corpus> {
        super::stores::folder().map(Corpus)
    }

    /// The file that an input stands for, and how it is read: its first line is a name and options.
    fn file(&self, input: &[u8]) -> (PathBuf, Vec<u8>, InputOptions) {
        let (head, content) = match input.iter().position(|byte| *byte == b'\n') {
            Some(end) => (&input[..end], &input[end + 1..]),
            None => (&b""[..], input),
        };
        let words: Vec<String> = String::from_utf8_lossy(head).split(' ').map(str::to_owned).collect();
        let ending = ENDINGS.into_iter().find(|ending| words[0].ends_with(ending)).unwrap_or(ENDINGS[0]);
        let path = self.0.path().join(format!("input{ending}"));
        let (given, _) = options_of(&words[1..]).unwrap_or_default();
        (path, content.to_vec(), InputOptions { memory: MEMORY, format: None, ..given })
    }
}

impl Target for Corpus {
    fn name(&self) -> String {
        "edges-corpus".to_owned()
    }

    /// The cases that must be read.
    fn seeds(&self) -> Vec<Vec<u8>> {
        let cases = FAMILIES.iter().flat_map(|text| case::parse("", text));
        let fits = |case: &Case| {
            let [Meaning::Reading(reading)] = &case.meanings[..] else { return false };
            !reading.edges.is_empty()
                && case.files.len() == 1
                && case.files[0].1.len() < 4096
                && ENDINGS.iter().any(|ending| case.name.ends_with(ending))
        };
        let input = |case: Case| {
            let options = case.options.iter().filter(|word| !word.starts_with('@'));
            let head: Vec<&str> =
                [case.name.as_str()].into_iter().chain(options.map(String::as_str)).collect();
            [head.join(" ").as_bytes(), b"\n", &case.files[0].1].concat()
        };
        cases.filter(fits).map(input).collect()
    }

    fn words(&self) -> &'static [&'static str] {
        &[
            "#",
            "%",
            ",",
            ";",
            "|",
            "\t",
            " ",
            "\n",
            "\r\n",
            "\r",
            "\"",
            "a",
            "0 0\n",
            "source",
            "target",
            "weight",
            "\u{feff}",
            "{'weight': 1}",
        ]
    }

    fn read(&mut self, input: &[u8]) -> bool {
        let (path, content, options) = self.file(input);
        fs::write(&path, &content).expect("a temporary file is written");
        let Ok(mut reader) = open(&path, options.clone()) else { return false };
        // What is wrong further down is refused, too.
        let Ok(edges) = all(&mut *reader) else { return true };
        let summary = reader.summary();
        if summary.text.is_some() {
            Slow::new(&content, &summary, &options).check(&edges);
        }
        true
    }
}

/// Source, target and weight in the input's ids.
type Edge = (String, String, Option<f64>);

fn all(reader: &mut dyn EdgeReader) -> Result<Vec<Edge>, leadline_graph_store::GraphError> {
    let (mut all, mut batch) = (Vec::new(), Batch::default());
    let weighted = reader.declared().weighted;
    while reader.next_batch(&mut batch)? {
        assert_eq!(batch.weights.len(), if weighted { batch.pairs.len() } else { 0 }, "a weight per edge");
        all.extend(
            batch
                .pairs
                .iter()
                .enumerate()
                .map(|(at, (source, target))| (*source, *target, batch.weights.get(at).copied())),
        );
    }
    let strings = reader.strings();
    let id = |number: u64| match &strings {
        Some(strings) => strings[number as usize].clone(),
        None => number.to_string(),
    };
    Ok(all.into_iter().map(|(source, target, weight)| (id(source), id(target), weight)).collect())
}
