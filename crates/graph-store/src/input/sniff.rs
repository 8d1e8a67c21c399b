//! What a text is, whatever it is called: the first lines of some formats leave no doubt.

use leadline_text::shown;
use memchr::memmem;

use super::Format;
use super::dimacs::is_dimacs;
use super::gml::is_gml;
use super::kinds::unread_kind;
use super::konect;
use super::pajek::is_pajek;

/// What the first bytes say.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Sniffed {
    /// Nothing.
    Unknown,
    /// It is of this format.
    Is(Format),
    /// It is of a kind that is not read, and what to do.
    Unread(u64, String),
}

/// What the first bytes of a text say.
pub(super) fn sniff(bytes: &[u8]) -> Sniffed {
    if bytes.starts_with(b"PAR1") {
        return Sniffed::Is(Format::Parquet);
    }
    if bytes.starts_with(b"#!") {
        return Sniffed::Unread(1, "found a script, expected edges".to_owned());
    }
    if is_matrix_market(bytes) {
        return Sniffed::Is(Format::MatrixMarket);
    }
    if let Some((what, remedy)) = unread_kind(bytes) {
        return Sniffed::Unread(1, format!("found {what}, which is not read; {remedy}"));
    }
    if let Some(xml) = of_xml(bytes) {
        return xml;
    }
    if let Some(format) = of_own_words(bytes) {
        return Sniffed::Is(format);
    }
    let mut lines =
        (1..).zip(bytes.split(|byte| *byte == b'\n')).map(|(number, line)| (number, line.trim_ascii()));
    let first = lines.find(|(_, line)| !line.is_empty() && !matches!(line[0], b'#' | b'%'));
    let Some((number, line)) = first else { return Sniffed::Unknown };
    if let Some(other) = of_others(number, line) {
        return other;
    }
    if is_triple(line) {
        let what = format!(
            "found a triple of RDF (N-Triples or Turtle), {}, which is not read; write its subjects and \
             objects as two columns",
            shown(line)
        );
        return Sniffed::Unread(number, what);
    }
    if is_tuples(line) {
        let what = format!(
            "found vertices that are tuples, {}, which are not read; number them, as \
             networkx.convert_node_labels_to_integers does, and write the list again",
            shown(line)
        );
        return Sniffed::Unread(number, what);
    }
    Sniffed::Unknown
}

/// A banner, and behind comments the size of a matrix. Some lists of edges keep only the banner, as a
/// comment.
fn is_matrix_market(bytes: &[u8]) -> bool {
    let mut lines = bytes.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii);
    let banner = lines.next().unwrap_or_default();
    if banner.len() <= 14 || !banner[..14].eq_ignore_ascii_case(b"%%MatrixMarket") {
        return false;
    }
    let Some(size) = lines.find(|line| !line.is_empty() && line[0] != b'%') else { return true };
    let sizes = if banner.to_ascii_lowercase().windows(5).any(|word| word == b"array") { 2 } else { 3 };
    size.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty()).count() == sizes
}

/// Formats that say what they are in a line of their own at the beginning.
fn of_own_words(bytes: &[u8]) -> Option<Format> {
    let lines = || bytes.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii);
    if konect::Head::read(lines().next().unwrap_or_default()).is_some() {
        return Some(Format::Konect);
    }
    let is_comment = |line: &&[u8]| line.is_empty() || line[0] == b'%';
    if lines().find(|line| !is_comment(line)).is_some_and(is_pajek) {
        return Some(Format::Pajek);
    }
    if is_gml(lines()) {
        return Some(Format::Gml);
    }
    is_dimacs(lines()).then_some(Format::Dimacs)
}

/// XML by its first element; only GraphML and GEXF are read.
fn of_xml(bytes: &[u8]) -> Option<Sniffed> {
    let text = bytes.trim_ascii_start();
    let place = |name: &[u8]| memmem::find(text, name);
    let begins = [&b"<?xml"[..], b"<!--", b"<!DOCTYPE", b"<graphml", b"<gexf"];
    if !begins.iter().any(|begin| text.starts_with(begin)) {
        return None;
    }
    Some(match (place(b"<graphml"), place(b"<gexf")) {
        (Some(graphml), gexf) if gexf.is_none_or(|gexf| graphml < gexf) => Sniffed::Is(Format::GraphMl),
        (_, Some(_)) => Sniffed::Is(Format::Gexf),
        _ => {
            let what = "found XML that is neither GraphML nor GEXF, which is not read; write the graph as \
                one of them";
            Sniffed::Unread(1, what.to_owned())
        }
    })
}

/// Graphs in other languages, which are not read.
fn of_others(number: u64, line: &[u8]) -> Option<Sniffed> {
    let words =
        || line.split(|byte| byte.is_ascii_whitespace() || *byte == b'{').filter(|word| !word.is_empty());
    let first = words().next().unwrap_or_default();
    let is_dot = matches!(first, b"graph" | b"digraph" | b"strict") && line.contains(&b'{');
    let is_json = line.starts_with(b"{")
        && (line.len() == 1 || line[1..].trim_ascii_start().starts_with(b"\""))
        || line.starts_with(b"[{");
    let (what, remedy) = if is_dot {
        ("Graphviz's DOT", "convert it: gv2gml OLD > NEW")
    } else if is_json {
        ("JSON", "write its edges as two columns")
    } else {
        return None;
    };
    Some(Sniffed::Unread(number, format!("found {what}, {}, which is not read; {remedy}", shown(line))))
}

/// `<a> <b> <c> .`, and what Turtle begins with. A word is no number, which may end in a point.
fn is_triple(line: &[u8]) -> bool {
    let words: Vec<&[u8]> = line.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty()).collect();
    let begins = line.starts_with(b"<") || line.starts_with(b"_:");
    let is_prefix = |word: &&[u8]| matches!(*word, b"@prefix" | b"@base" | b"PREFIX" | b"BASE");
    words.first().is_some_and(is_prefix)
        || words.len() > 3 && words.last() == Some(&&b"."[..])
        || begins && line.ends_with(b".") && line.windows(2).filter(|pair| *pair == b" <").count() >= 1
}

/// `(1, 2) (3, 4) {}`
fn is_tuples(line: &[u8]) -> bool {
    line.starts_with(b"(") && line.windows(3).any(|three| three == b") (" || three == b"),(")
}
