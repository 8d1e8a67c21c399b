//! From a batch and the edges that are stored to the rows of a commit.

use std::ops::Add;

use super::{Batch, Loaded, Step};
use crate::format::Vertex;
use crate::updates::key_map::{KeyMap, KeySet};
use crate::updates::log::{Commit, Totals};
use crate::updates::pending::What;
use crate::updates::rows::{self, Change, Row};

/// Changes that changed nothing.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Unmade {
    /// Removals and new weights of what is not there.
    pub(crate) missing: u64,
    /// Edges to add that are there already.
    pub(crate) duplicates: u64,
    /// Edges to add that lead to where they come from.
    pub(crate) self_loops: u64,
}

impl Add for Unmade {
    type Output = Unmade;

    fn add(self, other: Unmade) -> Unmade {
        Unmade {
            missing: self.missing + other.missing,
            duplicates: self.duplicates + other.duplicates,
            self_loops: self.self_loops + other.self_loops,
        }
    }
}

/// Edges while the steps of a batch are taken.
struct Edges<'a> {
    batch: &'a Batch,
    /// Of edges whose copies are known, the weights of these.
    known: KeyMap<u64, Vec<f64>>,
    /// Edges that steps look up; all are where none is added twice.
    looked_up: KeySet<u64>,
    /// Of vertices that go, their edges.
    incident: KeyMap<Vertex, Vec<u64>>,
    /// Edges that are not what they were.
    touched: KeySet<u64>,
    /// Edges that are added, whatever copies of them there are.
    rows: Vec<Row>,
    unmade: Unmade,
    first_missing: Option<usize>,
}

impl Edges<'_> {
    fn new(batch: &Batch, loaded: Loaded) -> Edges<'_> {
        let looked_up = match batch.dedupe {
            true => KeySet::default(),
            false => batch.looked_up().map(|(a, b)| Row::key(a, b)).collect(),
        };
        let mut edges = Edges {
            batch,
            known: KeyMap::default(),
            looked_up,
            incident: KeyMap::default(),
            touched: KeySet::default(),
            rows: Vec::new(),
            unmade: Unmade { self_loops: batch.self_loops, ..Unmade::default() },
            first_missing: None,
        };
        loaded.0.keys().for_each(|key| edges.note(*key));
        edges.known = loaded.0;
        edges
    }

    /// Remembers an edge of a vertex that goes.
    fn note(&mut self, key: u64) {
        let row = Row::new(key, Change::Remove);
        for end in [row.vertex(), row.neighbour()] {
            if self.batch.gone.contains(&end) {
                self.incident.entry(end).or_default().push(key);
            }
        }
    }

    /// Takes a step of what is there.
    fn take(&mut self, at: usize, what: What, (a, b): (Vertex, Vertex), one: bool) {
        let key = Row::key(a, b);
        match what {
            What::Insert(weight) => self.insert(key, (a, b), weight),
            What::InsertVertex => {}
            What::DeleteVertex => {
                for key in self.incident.remove(&a).unwrap_or_default() {
                    self.known.insert(key, Vec::new());
                    self.touched.insert(key);
                }
            }
            What::Delete | What::Set(_) => {
                let weights = self.known.entry(key).or_default();
                if weights.is_empty() {
                    return self.miss(at);
                }
                self.touched.insert(key);
                match what {
                    What::Set(weight) if one => weights[0] = weight,
                    What::Set(weight) => weights.fill(weight),
                    _ if one => drop(weights.remove(0)),
                    _ => weights.clear(),
                }
            }
        }
    }

    fn insert(&mut self, key: u64, (a, b): (Vertex, Vertex), weight: f64) {
        let is_known = self.batch.dedupe || self.looked_up.contains(&key);
        if !is_known && !self.batch.is_rewritten(a) && !self.batch.is_rewritten(b) {
            self.rows.push(Row::new(key, Change::Add(weight)));
            return;
        }
        let weights = self.known.entry(key).or_default();
        if self.batch.dedupe && !weights.is_empty() {
            self.unmade.duplicates += 1;
            return;
        }
        weights.push(weight);
        self.touched.insert(key);
        self.note(key);
    }

    /// Counts a step of what is not there.
    fn miss(&mut self, at: usize) {
        self.unmade.missing += 1;
        self.first_missing.get_or_insert(at);
    }
}

impl Batch {
    /// The rows, how many changes come to nothing, and the place of the first that was of what is not there.
    pub(crate) fn apply(self, loaded: Loaded, one: bool) -> (Commit, Unmade, Option<usize>) {
        let had: KeyMap<u64, usize> = loaded.0.iter().map(|(key, weights)| (*key, weights.len())).collect();
        let mut edges = Edges::new(&self, loaded);
        for (at, Step { what, ends }) in self.steps.iter().enumerate() {
            match *ends {
                Some(ends) => edges.take(at, *what, ends, one),
                None => edges.miss(at),
            }
        }
        let Edges { known, touched, mut rows, unmade, first_missing, .. } = edges;
        let mut totals = Totals { vertices: self.all - self.gone.len() as u64, ..self.before };
        rows.iter().for_each(|row| self.count(&mut totals, row.key, 1));
        for (key, weights) in &known {
            let before = had.get(key).copied().unwrap_or(0);
            let row = Row::new(*key, Change::Remove);
            let (a, b) = (self.number(row.vertex()), self.number(row.neighbour()));
            let moved = (a, b) != (row.vertex(), row.neighbour());
            if !moved && !touched.contains(key) {
                continue;
            }
            // Counted by its old ends: of an edge that is gone, both may have the same number in the end.
            self.count(&mut totals, row.key, -(before as i64));
            if before > 0 {
                rows.push(row);
            }
            let key = if self.directed { Row::key(a, b) } else { Row::key(a.min(b), a.max(b)) };
            rows.extend(weights.iter().map(|weight| Row::new(key, Change::Add(*weight))));
            self.count(&mut totals, key, weights.len() as i64);
        }
        rows::sort(&mut rows);
        (Commit { version: 0, totals, owners: self.owners, rows }, unmade, first_missing)
    }

    /// A vertex's number in the end.
    fn number(&self, vertex: Vertex) -> Vertex {
        self.moves.get(&vertex).copied().unwrap_or(vertex)
    }

    fn count(&self, totals: &mut Totals, key: u64, copies: i64) {
        let row = Row::new(key, Change::Remove);
        let is_loop = row.vertex() == row.neighbour();
        let entries = if self.directed || is_loop { copies } else { 2 * copies };
        totals.entries = totals.entries.saturating_add_signed(entries);
        if is_loop {
            totals.self_loops = totals.self_loops.saturating_add_signed(copies);
        }
    }
}
