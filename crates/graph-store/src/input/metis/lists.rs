//! The words behind the header: line i lists the neighbours of vertex i.

use memchr::memchr;

use crate::input::number::{shown, weight, whole};

/// The first line.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Head {
    pub(super) vertices: u64,
    pub(super) edges: u64,
    /// Numbers in front of each line's neighbours: the vertex's size and weights.
    in_front: u64,
    pub(super) weighted: bool,
}

impl Head {
    /// Of a file without any line.
    pub(super) fn empty(weighted: bool) -> Head {
        Head { weighted, ..Head::default() }
    }

    pub(super) fn read(line: &[u8]) -> Result<Head, String> {
        let fields: Vec<&[u8]> =
            line.split(u8::is_ascii_whitespace).filter(|field| !field.is_empty()).collect();
        if !(2..=4).contains(&fields.len()) {
            let found = shown(line);
            return Err(format!(
                "expected the numbers of vertices and edges, then format and constraints, found {found}"
            ));
        }
        let format = fields.get(2).copied().unwrap_or(b"0");
        if format.len() > 3 || format.iter().any(|digit| !matches!(digit, b'0' | b'1')) {
            return Err(format!("expected a format of up to three digits 0 or 1, found {}", shown(format)));
        }
        let set = |place: usize| format.len() > place && format[format.len() - 1 - place] == b'1';
        let constraints = match fields.get(3) {
            Some(field) => whole(field, "a number of vertex weights")?,
            None => 1,
        };
        Ok(Head {
            vertices: whole(fields[0], "a number of vertices")?,
            edges: whole(fields[1], "a number of edges")?,
            in_front: u64::from(set(2)) + if set(1) { constraints } else { 0 },
            weighted: set(0),
        })
    }
}

/// A neighbour in a list.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Entry {
    /// Where it stands.
    pub(super) line: u64,
    /// Whose list it is.
    pub(super) source: u64,
    pub(super) target: u64,
    /// 0 where edges have none.
    pub(super) weight: f64,
}

/// What becomes of the entries.
pub(super) trait Entries {
    fn entry(&mut self, entry: Entry) -> Result<(), String>;

    /// A vertex's list ended.
    fn end_list(&mut self) {}
}

/// Where in the file the next word stands.
#[derive(Debug)]
pub(super) struct Place {
    head: Head,
    /// Lines that ended.
    pub(super) lines: u64,
    /// Vertices whose line ended.
    pub(super) vertex: u64,
    /// Numbers of this line in front of its neighbours, so far.
    in_front: u64,
    /// A neighbour whose weight is still to come.
    waiting: Option<u64>,
    comment: bool,
    /// Nothing was read on this line.
    fresh: bool,
}

impl Place {
    /// Behind the header, which ends the line of this number.
    pub(super) fn behind(head: Head, lines: u64) -> Place {
        Place { head, lines, vertex: 0, in_front: 0, waiting: None, comment: false, fresh: true }
    }

    /// Reads a piece of text, which ends between words.
    pub(super) fn parse(&mut self, text: &[u8], entries: &mut impl Entries) -> Result<(), String> {
        let mut at = 0;
        while let Some(&byte) = text.get(at) {
            if self.comment {
                let Some(length) = memchr(b'\n', &text[at..]) else { return Ok(()) };
                at += length + 1;
                self.comment = false;
                self.lines += 1;
                continue;
            }
            match byte {
                b'\n' => self.end_line(entries)?,
                b' ' | b'\t' | b'\r' => {}
                b'%' if self.fresh => self.comment = true,
                _ => {
                    let rest = &text[at..];
                    let length = rest.iter().position(u8::is_ascii_whitespace).unwrap_or(rest.len());
                    self.word(&rest[..length], entries)?;
                    at += length.max(1);
                    continue;
                }
            }
            at += 1;
        }
        Ok(())
    }

    fn word(&mut self, word: &[u8], entries: &mut impl Entries) -> Result<(), String> {
        self.fresh = false;
        let Head { vertices, in_front, weighted, .. } = self.head;
        if self.vertex >= vertices {
            let found = shown(word);
            return Err(format!("expected the end after the lines of {vertices} vertices, found {found}"));
        }
        if self.in_front < in_front {
            self.in_front += 1;
            return whole(word, "the vertex's size or weight").map(drop);
        }
        let entry = |target, weight| Entry { line: self.lines + 1, source: self.vertex + 1, target, weight };
        if let Some(target) = self.waiting {
            let entry = entry(target, weight(word)?);
            self.waiting = None;
            return entries.entry(entry);
        }
        let target = whole(word, "a neighbour")?;
        if !(1..=vertices).contains(&target) {
            return Err(format!("expected a neighbour from 1 to {vertices}, found {target}"));
        }
        if weighted {
            self.waiting = Some(target);
            return Ok(());
        }
        entries.entry(entry(target, 0.0))
    }

    fn end_line(&mut self, entries: &mut impl Entries) -> Result<(), String> {
        if let Some(neighbour) = self.waiting {
            return Err(format!("expected a weight after neighbour {neighbour}, found the end of the line"));
        }
        if self.vertex < self.head.vertices {
            if self.in_front < self.head.in_front {
                let (expected, found) = (self.head.in_front, self.in_front);
                return Err(format!(
                    "expected {expected} numbers of the vertex before its neighbours, found {found}"
                ));
            }
            self.vertex += 1;
            entries.end_list();
        }
        self.lines += 1;
        self.in_front = 0;
        self.fresh = true;
        Ok(())
    }
}
