//! The formats of edges, and how a file's name tells which it is.

use std::fmt;
use std::path::Path;
use std::str::FromStr;

use leadline_files::Compression;

use crate::{GraphError, InputOption};

/// A format of edges (docs/graph-import.md describes each).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Format {
    /// Two columns and blanks between them, comments behind `#` or `%`: what SNAP and KONECT publish.
    Snap,
    /// Columns between commas, with or without a header.
    Csv,
    /// Columns between tabs, with or without a header.
    Tsv,
    /// Matrix Market, coordinates.
    MatrixMarket,
    /// METIS: line i lists the neighbours of vertex i.
    Metis,
    /// LDBC Graphalytics: vertices in a `.v`, edges in the `.e` next to it.
    Graphalytics,
    /// GAP: source and target.
    El,
    /// GAP: source, target and weight.
    Wel,
    /// Pairs of 32-bit numbers, little-endian.
    U32,
    /// Pairs of 64-bit numbers, little-endian.
    U64,
    /// Apache Parquet.
    Parquet,
    /// networkx's adjacency lists: a vertex and its neighbours a line.
    Adjlist,
    /// networkx's multiline adjacency lists: a vertex, the number of its neighbours, and a line for each.
    MultilineAdjlist,
    /// GraphChi's adjacency lists: a vertex, the number of its neighbours, and they.
    GraphChi,
    /// NCOL: two names, and perhaps a weight.
    Ncol,
    /// DIMACS: a line `p`, and lines of arcs or edges.
    Dimacs,
    /// KONECT: a first line `% sym|asym|bip`, then columns.
    Konect,
    /// GraphML.
    GraphMl,
    /// GEXF.
    Gexf,
    /// GML.
    Gml,
    /// Pajek.
    Pajek,
}

/// Name, endings, and one line of help.
const FORMATS: [(Format, &str, &[&str], &str); 21] = [
    (Format::Snap, "snap", &["txt", "snap", "edges", "edgelist"], "columns between blanks, # and % comment"),
    (Format::Csv, "csv", &["csv"], "columns between commas, with or without a header"),
    (Format::Tsv, "tsv", &["tsv"], "columns between tabs, with or without a header"),
    (Format::MatrixMarket, "mtx", &["mtx", "mm"], "Matrix Market, coordinates"),
    (Format::Metis, "metis", &["graph", "metis"], "METIS, a line of neighbours a vertex"),
    (Format::Graphalytics, "graphalytics", &["e", "v"], "LDBC Graphalytics, a .v and a .e side by side"),
    (Format::El, "el", &["el"], "GAP, source and target"),
    (Format::Wel, "wel", &["wel"], "GAP, source, target and weight"),
    (Format::U32, "u32", &["u32"], "pairs of 32-bit little-endian numbers"),
    (Format::U64, "u64", &["u64"], "pairs of 64-bit little-endian numbers"),
    (
        Format::Parquet,
        "parquet",
        &["parquet", "pq"],
        "Apache Parquet, a column of sources and one of targets",
    ),
    (Format::Adjlist, "adjlist", &["adjlist"], "networkx, a vertex and its neighbours a line"),
    (
        Format::MultilineAdjlist,
        "multiline-adjlist",
        &["multiline_adjlist", "multilineadjlist"],
        "networkx, a vertex and its number of neighbours, then a line for each",
    ),
    (Format::GraphChi, "graphchi", &["graphchi"], "a vertex, its number of neighbours, and they"),
    (Format::Ncol, "ncol", &["ncol"], "two names, and perhaps a weight, no header"),
    (Format::Dimacs, "dimacs", &["gr", "col", "clq", "dimacs", "max"], "DIMACS, p sp, p edge and others"),
    (Format::Konect, "konect", &["konect"], "KONECT, out.NAME with a first line % sym|asym|bip"),
    (Format::GraphMl, "graphml", &["graphml"], "GraphML"),
    (Format::Gexf, "gexf", &["gexf"], "GEXF"),
    (Format::Gml, "gml", &["gml"], "GML"),
    (Format::Pajek, "pajek", &["net", "pajek"], "Pajek, *Vertices, *Arcs and *Edges"),
];

impl Format {
    /// All formats.
    pub fn all() -> impl Iterator<Item = Format> {
        FORMATS.into_iter().map(|(format, ..)| format)
    }

    /// One line about it.
    pub fn about(self) -> &'static str {
        self.entry().3
    }

    /// The endings of files of this format, without the point; an ending of compression may follow.
    pub fn endings(self) -> &'static [&'static str] {
        self.entry().2
    }

    /// The format that a file's name tells.
    ///
    /// # Errors
    /// [`GraphError::Option`] names the formats that are known.
    pub fn of(path: &Path) -> Result<Format, GraphError> {
        let (name, _) = uncompressed(path);
        let ending = name.extension().unwrap_or_default().to_string_lossy().to_lowercase();
        let found = FORMATS.iter().find(|(_, _, endings, _)| endings.contains(&ending.as_str()));
        let begins_as_konect = || {
            let name = name.file_name().unwrap_or_default().to_string_lossy();
            name.starts_with("out.").then_some(Format::Konect)
        };
        found.map(|(format, ..)| *format).or_else(begins_as_konect).ok_or_else(|| {
            let names: Vec<&str> = FORMATS.iter().map(|(_, name, ..)| *name).collect();
            let text = format!(
                "{}: its name does not tell its format; name it, one of {}",
                path.display(),
                names.join(", ")
            );
            GraphError::Option { text, option: InputOption::Format }
        })
    }

    /// Whether ids are numbers by definition.
    pub(super) fn has_numbers_only(self) -> bool {
        use Format::{Dimacs, GraphChi, Graphalytics, Konect, MatrixMarket, Metis, U32, U64};
        matches!(self, Dimacs | GraphChi | Graphalytics | Konect | MatrixMarket | Metis | U32 | U64)
    }

    /// Whether its lines are columns of text, about which options are.
    pub(super) fn has_columns(self) -> bool {
        use Format::{Csv, El, Ncol, Snap, Tsv, Wel};
        matches!(self, Snap | Csv | Tsv | El | Wel | Ncol)
    }

    /// Whether its edges have attributes with names, of which one may be the weight.
    pub(super) fn has_attributes(self) -> bool {
        matches!(self, Format::GraphMl | Format::Gexf | Format::Gml)
    }

    fn entry(self) -> &'static (Format, &'static str, &'static [&'static str], &'static str) {
        // Every variant stands in the table, as a test makes sure.
        FORMATS.iter().find(|(format, ..)| *format == self).unwrap_or(&FORMATS[0])
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.entry().1)
    }
}

impl FromStr for Format {
    type Err = String;

    fn from_str(text: &str) -> Result<Format, String> {
        let wanted = text.to_lowercase();
        let found = FORMATS.iter().find(|(_, name, ..)| *name == wanted);
        found.map(|(format, ..)| *format).ok_or_else(|| {
            let names: Vec<&str> = FORMATS.iter().map(|(_, name, ..)| *name).collect();
            format!("must be one of {}", names.join(", "))
        })
    }
}

/// The path without the ending of compression, and whether there was one.
pub(super) fn uncompressed(path: &Path) -> (std::path::PathBuf, bool) {
    match Compression::of_ending(path) {
        Some(_) => (path.with_extension(""), true),
        None => (path.to_owned(), false),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_read_back_and_an_ending_tells_the_format_compressed_or_not() {
        for format in Format::all() {
            assert_eq!(format.to_string().parse(), Ok(format));
            for ending in format.endings() {
                for compression in ["", ".gz", ".bz2", ".zst", ".xz", ".GZ"] {
                    let path = format!("/a.b/edges.{ending}{compression}");
                    assert_eq!(Format::of(Path::new(&path)).unwrap(), format, "{path}");
                }
            }
        }
        let error = Format::of(Path::new("edges.pdf.gz")).unwrap_err();
        assert!(matches!(error, GraphError::Option { option: InputOption::Format, .. }), "{error}");
        assert!(error.to_string().starts_with("edges.pdf.gz: "), "{error}");
    }
}
