//! A directory of Parquet files, as programs that write with many machines leave one: its files are read as
//! one table of edges. Or a graph that was exported as a directory, which also has vertices, and a file that
//! says what the graph is.

use std::collections::VecDeque;
use std::path::{Path, PathBuf};

use super::names::{Role, role};
use super::number::whole;
use super::parquet::{self, Parquet, Rows};
use super::strings::Strings;
use super::{Batch, Declared, EdgeReader, Format, InputOptions, InputSummary};
use crate::exported::{DESCRIPTION, Description, EDGES, VERTICES};
use crate::{GraphError, InputOption};

/// Deepest directories `key=value` within one another.
const DEEPEST: usize = 16;

struct Folder {
    /// Files that are left.
    files: VecDeque<(PathBuf, Rows)>,
    options: InputOptions,
    declared: Declared,
    summary: InputSummary,
    current: Option<Parquet>,
    /// Of the files before, while no file is open.
    strings: Option<Strings>,
    /// Of files that were read, and of all.
    bytes_read: u64,
    bytes: u64,
    ended: bool,
}

/// Opens a directory. Each file is looked at, so that one that is damaged or unlike the others is found
/// before the work.
pub(super) fn open(path: &Path, options: InputOptions) -> Result<Box<dyn EdgeReader>, GraphError> {
    if let Some(format) = options.format.filter(|format| *format != Format::Parquet) {
        return Err(GraphError::path(path, format!("is a directory; {format} is read from a file only")));
    }
    let mut folder = Folder {
        files: VecDeque::new(),
        options,
        declared: Declared::default(),
        summary: InputSummary::of(Format::Parquet, "since it is a directory"),
        current: None,
        strings: None,
        bytes_read: 0,
        bytes: 0,
        ended: false,
    };
    match Description::read(path)? {
        Some(description) => folder.exported(path, &description)?,
        None => {
            let first = folder.add(path, Rows::Edges)?;
            folder.declared.weighted = folder.options.weights && first.weighted;
            if folder.options.weights && !first.weighted {
                return Err(no_weights(path));
            }
        }
    }
    Ok(Box::new(folder))
}

/// What the files of a directory have in common.
struct Found {
    rows: u64,
    weighted: bool,
    text: bool,
}

impl Folder {
    /// A graph that was exported: what it is is in its description, which no option contradicts.
    fn exported(&mut self, path: &Path, description: &Description) -> Result<(), GraphError> {
        let Description { directed, weighted, vertices, edges, .. } = *description;
        let rules = description.rules();
        if self.options.directed && !directed {
            let text = format!(
                "{}: holds an undirected graph, as its {DESCRIPTION} says; import it without that option",
                path.display()
            );
            return Err(GraphError::Option { text, option: InputOption::Directed });
        }
        if self.options.weights && !weighted {
            return Err(no_weights(path));
        }
        self.options.weights = weighted;
        // Its description says what there is, and that is read.
        self.options.ignore_columns = true;
        self.declared = Declared { directed, undirected: !directed, weighted, rules, ..Declared::default() };
        let of_vertices = self.add(&path.join(VERTICES), Rows::Vertices)?;
        let of_edges = self.add(&path.join(EDGES), Rows::Edges)?;
        if weighted && !of_edges.weighted {
            return Err(no_weights(&path.join(EDGES)));
        }
        if of_vertices.text != of_edges.text {
            let what = "expected strings in both edges and vertices, or numbers in both";
            return Err(GraphError::malformed(path.display(), what));
        }
        for (name, expected, found) in [(VERTICES, vertices, of_vertices.rows), (EDGES, edges, of_edges.rows)]
        {
            if expected != found {
                let what = format!(
                    "expected {expected} {name}, as {DESCRIPTION} says, found {found}; a part is missing, or \
                     was changed"
                );
                return Err(GraphError::malformed(path.join(name).display(), what));
            }
        }
        Ok(())
    }

    /// Adds the files of a directory to those to be read.
    fn add(&mut self, folder: &Path, what: Rows) -> Result<Found, GraphError> {
        let mut all: Option<(Found, String, PathBuf)> = None;
        let Files { paths, keys } = files(folder)?;
        for path in paths {
            let file = parquet::open(&path, what, &self.options)?;
            let (rows, columns) = (file.row_count(), file.columns());
            match &mut all {
                None => {
                    if what == Rows::Edges {
                        file.check_ignored(&self.options)?;
                        self.summary = file.summary().told("since it is a directory");
                    }
                    let found = Found { rows, weighted: file.is_weighted(), text: file.is_text() };
                    all = Some((found, columns, path.clone()));
                }
                Some((found, expected, first)) => {
                    if *expected != columns {
                        let first = first.file_name().unwrap_or_default().display();
                        let what = format!("expected the columns of {first}, {expected}; found {columns}");
                        return Err(GraphError::malformed(path.display(), what));
                    }
                    found.rows += rows;
                }
            }
            self.bytes += file.file_bytes();
            self.files.push_back((path, what));
        }
        if what == Rows::Edges {
            self.summary.columns_ignored.extend(keys);
        }
        let all = all.map(|(found, ..)| found);
        all.ok_or_else(|| {
            let what = "holds no Parquet files; name a directory of .parquet files, or a file of edges";
            GraphError::path(folder, what)
        })
    }

    /// Opens the next file; false where there is none.
    fn next_file(&mut self) -> Result<bool, GraphError> {
        let Some((path, what)) = self.files.pop_front() else { return Ok(false) };
        let mut file = parquet::open(&path, what, &self.options)?;
        file.set_strings(self.strings.take());
        self.current = Some(file);
        Ok(true)
    }

    fn close_file(&mut self) {
        if let Some(mut file) = self.current.take() {
            self.bytes_read += file.file_bytes();
            self.strings = file.take_strings();
        }
    }

    fn next_rows(&mut self, batch: &mut Batch) -> Result<bool, GraphError> {
        loop {
            if let Some(file) = &mut self.current
                && file.next_batch(batch)?
            {
                return Ok(true);
            }
            self.close_file();
            if !self.next_file()? {
                return Ok(false);
            }
        }
    }
}

/// The Parquet files of a directory, and what the names of its directories say.
#[derive(Debug, Default)]
struct Files {
    paths: Vec<PathBuf>,
    /// The keys of directories called `key=value`, as Hive and Spark divide a table, from the outermost.
    keys: Vec<String>,
}

/// The files of a directory whose names do not begin with `_` or `.`, in the order of their names, and those
/// of its directories `key=value`.
fn files(folder: &Path) -> Result<Files, GraphError> {
    let mut files = Files::default();
    add_files(folder, 0, &mut files)?;
    files.paths.sort();
    Ok(files)
}

fn add_files(folder: &Path, depth: usize, files: &mut Files) -> Result<(), GraphError> {
    let entries = folder.read_dir().map_err(|error| GraphError::opening(folder, error))?;
    for entry in entries {
        let entry = entry.map_err(|error| GraphError::read(&folder.display().to_string(), error))?;
        let name = entry.file_name().to_string_lossy().into_owned();
        if name.starts_with(['_', '.']) {
            continue;
        }
        let path = entry.path();
        if path.is_dir() {
            let Some((key, _)) = name.split_once('=').filter(|_| depth < DEEPEST) else {
                let what = "is a directory in a directory of edges; name the one that has the files";
                return Err(GraphError::path(&path, what));
            };
            check_key(&path, key, depth, files)?;
            add_files(&path, depth + 1, files)?;
            continue;
        }
        if !matches!(Format::of(&path), Ok(Format::Parquet)) {
            let what = "is not a Parquet file, and all others of its directory would be read; move it away";
            return Err(GraphError::path(&path, what));
        }
        files.paths.push(path);
    }
    Ok(())
}

/// Directories `key=value` of one depth have one key, which is a column that the files do not have.
fn check_key(path: &Path, key: &str, depth: usize, files: &mut Files) -> Result<(), GraphError> {
    match files.keys.get(depth) {
        Some(first) if first != key => {
            let what = format!(
                "is a directory of \"{key}\" next to directories of \"{first}\"; name one kind of them"
            );
            return Err(GraphError::path(path, what));
        }
        Some(_) => return Ok(()),
        None => {}
    }
    if let Some(role) = role(key) {
        let column = match role {
            Role::Source => "sources",
            Role::Target => "targets",
            Role::Weight => "weights",
        };
        let what = format!(
            "keeps the column of {column}, \"{key}\", in the names of directories, which is not read; write the \
             table again with that column in its files"
        );
        return Err(GraphError::path(path, what));
    }
    files.keys.push(key.to_owned());
    Ok(())
}

fn no_weights(path: &Path) -> GraphError {
    let text = format!("{}: has no weights; import it without weights", path.display());
    GraphError::Option { text, option: InputOption::Weights }
}

impl EdgeReader for Folder {
    fn declared(&self) -> Declared {
        self.declared
    }

    fn next_batch(&mut self, batch: &mut Batch) -> Result<bool, GraphError> {
        batch.clear();
        // After an error nothing more is read.
        if std::mem::replace(&mut self.ended, true) {
            return Ok(false);
        }
        let more = self.next_rows(batch)?;
        self.ended = !more;
        Ok(more)
    }

    fn progress(&self) -> (u64, Option<u64>) {
        let of_current = self.current.as_ref().map_or(0, |file| file.progress().0);
        (self.bytes_read + of_current, Some(self.bytes))
    }

    fn strings(&mut self) -> Option<Vec<String>> {
        self.close_file();
        self.strings.take().map(Strings::into_strings)
    }

    fn string(&self, number: u64) -> Option<&str> {
        let of_file = self.current.as_ref().and_then(|file| file.string(number));
        of_file.or_else(|| self.strings.as_ref()?.string(number))
    }

    fn forget_strings(&mut self) {
        if let Some(file) = &mut self.current {
            file.forget_strings();
        }
        if let Some(strings) = &mut self.strings {
            strings.forget();
        }
    }

    fn vertex(&mut self, id: &[u8]) -> Result<u64, String> {
        self.close_file();
        match &mut self.strings {
            Some(strings) => strings.number(id).map_err(|wrong| wrong.text),
            None => whole(id, "a vertex id"),
        }
    }

    fn summary(&self) -> InputSummary {
        self.summary.clone()
    }

    fn memory_bytes(&self) -> u64 {
        let strings = self.strings.as_ref().map_or(0, Strings::memory_bytes);
        strings + self.current.as_ref().map_or(0, Parquet::memory_bytes)
    }
}
