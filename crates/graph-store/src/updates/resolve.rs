//! From changes in the users' ids to rows: which vertices they are of, what is there to be removed, and what
//! becomes of numbers where vertices go.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use super::id::Owner;
use super::id_index::IdIndex;
use super::known::Known;
use super::lists::{ReadLists, WantedLists};
use super::log::{Commit, Totals};
use super::pending::{Pending, What};
use super::rows::{self, Change, Row};
use super::snapshot::{Changed, Snapshot};
use crate::format::{Block, Direction, MAX_VERTICES, Scratch, Vertex};
use crate::inspect::StoreFile;
use crate::{GraphError, Options};

/// A change of vertices; none where what it is about is not there.
#[derive(Debug, Clone, Copy)]
struct Step {
    what: What,
    /// The edge, of an undirected graph from the lower to the higher number; the vertex twice.
    ends: Option<(Vertex, Vertex)>,
}

/// Changes that are committed together.
#[derive(Debug)]
pub(crate) struct Batch {
    directed: bool,
    steps: Vec<Step>,
    /// Vertices that ids have now, in the order of the owners; none: gone.
    owners: Vec<(Owner, Option<Vertex>)>,
    before: Totals,
    /// Vertices after all have been added and before any goes.
    all: u64,
    /// Numbers that are free in the end, and the vertices that take them, from the last.
    moves: BTreeMap<Vertex, Vertex>,
    gone: HashSet<Vertex>,
}

/// Changes of what is not there.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Missing {
    pub(crate) count: u64,
    /// Its place among the changes.
    pub(crate) first: Option<usize>,
}

impl Missing {
    fn add(&mut self, at: usize) {
        self.count += 1;
        self.first.get_or_insert(at);
    }
}

/// The weights of the copies of edges, as they are before a batch, by [`Row::key`]. Of edges that a batch
/// removes or changes, and of all edges of vertices that go or get another number.
#[derive(Debug, Default)]
pub(crate) struct Loaded(HashMap<u64, Vec<f64>>);

impl Batch {
    /// Looks up ids, adds those that are new, and numbers what is left where some go.
    /// The index takes at most `memory` bytes.
    pub(crate) fn new(
        base: &StoreFile,
        index: &mut IdIndex,
        changed: &Changed,
        pending: &Pending,
        memory: u64,
    ) -> Result<Batch, GraphError> {
        let before = changed.totals;
        let directed = base.header.directed;
        index.prepare(&mut base.ids(), 2 * pending.len() as u64, memory)?;
        let mut known = Known::look_up(base, index, changed, &pending.ids)?;
        let (mut next, mut gone) = (before.vertices, HashSet::new());
        let mut steps = Vec::with_capacity(pending.what.len());
        for (what, ends) in pending.what.iter().zip(known.uses.as_chunks().0) {
            let [source, target] = ends.map(|at| at as usize);
            let ids = &mut known.ids;
            let ends = match what {
                What::Insert(_) | What::InsertVertex => {
                    let source = ids[source].or_new(&mut next);
                    Some((source, ids[target].or_new(&mut next)))
                }
                What::Delete | What::Set(_) => ids[source].vertex.zip(ids[target].vertex),
                What::DeleteVertex => {
                    let vertex = ids[source].remove();
                    gone.extend(vertex);
                    vertex.map(|vertex| (vertex, vertex))
                }
            };
            if next > MAX_VERTICES {
                let what = "a store holds".to_owned();
                return Err(GraphError::TooManyVertices { found: next, what, most: MAX_VERTICES });
            }
            let sorted = |(a, b): (Vertex, Vertex)| if directed { (a, b) } else { (a.min(b), a.max(b)) };
            steps.push(Step { what: *what, ends: ends.map(sorted) });
        }
        let of_changed = || known.ids.iter().filter(|id| id.is_changed);
        let mut owners = Vec::with_capacity(of_changed().count());
        owners.extend(of_changed().map(|id| (id.owner(&pending.ids), id.vertex)));
        drop(known);
        owners.sort_unstable();
        let mut batch = Batch { directed, steps, owners, before, all: next, moves: BTreeMap::new(), gone };
        batch.renumber(base, changed)?;
        Ok(batch)
    }

    /// Where vertices are gone, the last ones take their numbers.
    fn renumber(&mut self, base: &StoreFile, changed: &Changed) -> Result<(), GraphError> {
        let left = self.all - self.gone.len() as u64;
        let mut free: Vec<Vertex> =
            self.gone.iter().copied().filter(|gone| u64::from(*gone) < left).collect();
        free.sort_unstable();
        let moving =
            (left..self.all).map(|vertex| vertex as Vertex).filter(|vertex| !self.gone.contains(vertex));
        self.moves = moving.zip(free).collect();
        if self.moves.is_empty() {
            return Ok(());
        }
        let mut owners = owners_of(&self.moves, &self.owners, base, changed)?;
        for (from, to) in &self.moves {
            let owner =
                owners.remove(from).ok_or_else(|| base.damaged(format!("vertex {from} has no id")))?;
            self.owners.push((owner, Some(*to)));
        }
        // The last that was said of an owner holds.
        self.owners.sort_by(|a, b| a.0.cmp(&b.0));
        self.owners.dedup_by(|later, kept| {
            let is_same = later.0 == kept.0;
            if is_same {
                kept.1 = later.1;
            }
            is_same
        });
        Ok(())
    }

    /// Whether a vertex's edges are all rewritten: it goes, or gets another number.
    fn is_rewritten(&self, vertex: Vertex) -> bool {
        self.gone.contains(&vertex) || self.moves.contains_key(&vertex)
    }

    /// Whether a vertex was there before.
    fn was_there(&self, vertex: Vertex) -> bool {
        u64::from(vertex) < self.before.vertices
    }

    /// The edges that are removed or get another weight.
    fn looked_up(&self) -> impl Iterator<Item = (Vertex, Vertex)> + '_ {
        let steps = self.steps.iter().filter(|step| matches!(step.what, What::Delete | What::Set(_)));
        steps.filter_map(|step| step.ends)
    }

    /// The vertices that were there and are rewritten.
    fn rewritten(&self) -> impl Iterator<Item = Vertex> + '_ {
        let all = self.gone.iter().chain(self.moves.keys()).copied();
        all.filter(|vertex| self.was_there(*vertex))
    }

    /// Whether lists have to be read.
    pub(crate) fn needs_lists(&self) -> bool {
        let edge = self.looked_up().any(|(a, b)| self.was_there(a) && self.was_there(b));
        edge || self.rewritten().next().is_some()
    }

    /// Reads the stored edges that are to be removed, and those of vertices that are rewritten, if there are
    /// at most `most`; otherwise only counts them.
    pub(crate) fn load(
        &self,
        lists: &impl ReadLists,
        store: Snapshot,
        name: &str,
        options: &Options,
        most: u64,
    ) -> Result<Result<Loaded, u64>, GraphError> {
        let count = AtomicU64::new(0);
        let wanted: HashSet<u64> = self.looked_up().map(|(a, b)| Row::key(a, b)).collect();
        let rewritten: HashSet<Vertex> = self.rewritten().collect();
        // Each edge once: from its source, of an undirected graph from its lower end.
        let key = |direction: Direction, vertex: Vertex, neighbour: Vertex| match (self.directed, direction) {
            (true, Direction::Forward) => Row::key(vertex, neighbour),
            (true, Direction::Reverse) => Row::key(neighbour, vertex),
            (false, _) => Row::key(vertex.min(neighbour), vertex.max(neighbour)),
        };
        let has_reverse = store.header.has_reverse() && self.directed;
        let scans = self.directed && !has_reverse && !rewritten.is_empty();
        let see = |found: &mut Found, direction: Direction, vertex: Vertex, block: &Block<'_>| {
            let Found { edges, scratch } = found;
            let list = block.list(vertex, scratch);
            for (at, neighbour) in list.neighbours.iter().enumerate() {
                let key = key(direction, vertex, *neighbour);
                // An edge between two rewritten vertices is in the lists of both.
                let (own, other) = (rewritten.contains(&vertex), rewritten.contains(neighbour));
                // Of an undirected graph, what the lower end's list did not give, the higher end's does.
                let twice = match (self.directed, direction) {
                    (true, Direction::Forward) => false,
                    (true, Direction::Reverse) => other || wanted.contains(&key),
                    (false, _) => vertex > *neighbour && (other || wanted.contains(&key)),
                };
                if (own || wanted.contains(&key) || scans && other)
                    && !twice
                    && count.fetch_add(1, Relaxed) < most
                {
                    edges.push((key, list.weights.get(at).copied().unwrap_or(0.0)));
                }
            }
        };
        let passes = self.passes(scans, has_reverse);
        let mut loaded = Loaded::default();
        let found = lists.read_lists(store, name, options, &passes, see)?;
        let count = count.into_inner();
        if count > most {
            return Ok(Err(count));
        }
        for Found { edges, .. } in found {
            edges.into_iter().for_each(|(key, weight)| loaded.0.entry(key).or_default().push(weight));
        }
        // In one order, whatever the threads did.
        loaded.0.values_mut().for_each(|weights| weights.sort_by(f64::total_cmp));
        Ok(Ok(loaded))
    }

    /// The lists to read: all where edges to a vertex that goes are in no list of its own.
    fn passes(&self, scans: bool, has_reverse: bool) -> Vec<(Direction, WantedLists)> {
        if scans {
            return vec![(Direction::Forward, WantedLists::All)];
        }
        let ends = self.looked_up().filter(|(a, b)| self.was_there(*a) && self.was_there(*b));
        let forward = ends.map(|ends| ends.0).chain(self.rewritten()).collect();
        let mut passes = vec![(Direction::Forward, WantedLists::Of(forward))];
        let rewritten: Vec<Vertex> = self.rewritten().collect();
        if has_reverse && !rewritten.is_empty() {
            passes.push((Direction::Reverse, WantedLists::Of(rewritten)));
        }
        passes
    }

    /// The rows, and which changes were of what is not there.
    pub(crate) fn apply(self, loaded: Loaded, one: bool) -> (Commit, Missing) {
        let looked_up: HashSet<u64> = self.looked_up().map(|(a, b)| Row::key(a, b)).collect();
        let had: HashMap<u64, usize> = loaded.0.iter().map(|(key, weights)| (*key, weights.len())).collect();
        let mut edges = loaded.0;
        let mut incident: HashMap<Vertex, Vec<u64>> = HashMap::new();
        let note = |incident: &mut HashMap<Vertex, Vec<u64>>, key: u64| {
            let row = Row::new(key, Change::Remove);
            for end in [row.vertex(), row.neighbour()] {
                if self.gone.contains(&end) {
                    incident.entry(end).or_default().push(key);
                }
            }
        };
        edges.keys().for_each(|key| note(&mut incident, *key));
        let (mut rows, mut missing, mut touched) = (Vec::new(), Missing::default(), HashSet::new());
        for (at, Step { what, ends }) in self.steps.iter().enumerate() {
            let Some((a, b)) = *ends else {
                missing.add(at);
                continue;
            };
            let key = Row::key(a, b);
            match *what {
                What::Insert(weight) => {
                    let plain = !looked_up.contains(&key) && !self.is_rewritten(a) && !self.is_rewritten(b);
                    if plain {
                        rows.push(Row::new(key, Change::Add(weight)));
                    } else {
                        edges.entry(key).or_default().push(weight);
                        touched.insert(key);
                        note(&mut incident, key);
                    }
                }
                What::InsertVertex => {}
                What::DeleteVertex => {
                    for key in incident.remove(&a).unwrap_or_default() {
                        edges.insert(key, Vec::new());
                        touched.insert(key);
                    }
                }
                What::Delete | What::Set(_) => {
                    let weights = edges.entry(key).or_default();
                    if weights.is_empty() {
                        missing.add(at);
                        continue;
                    }
                    touched.insert(key);
                    match *what {
                        What::Set(weight) if one => weights[0] = weight,
                        What::Set(weight) => weights.fill(weight),
                        _ if one => drop(weights.remove(0)),
                        _ => weights.clear(),
                    }
                }
            }
        }
        let mut totals = Totals { vertices: self.all - self.gone.len() as u64, ..self.before };
        rows.iter().for_each(|row| self.count(&mut totals, row.key, 1));
        for (key, weights) in &edges {
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
        (Commit { version: 0, totals, owners: self.owners, rows }, missing)
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

/// What a thread finds in lists.
#[derive(Default)]
struct Found {
    edges: Vec<(u64, f64)>,
    scratch: Scratch,
}

/// Whose some vertices are.
fn owners_of(
    vertices: &BTreeMap<Vertex, Vertex>,
    batch: &[(Owner, Option<Vertex>)],
    base: &StoreFile,
    changed: &Changed,
) -> Result<HashMap<Vertex, Owner>, GraphError> {
    let mut found = HashMap::new();
    let mut said = HashSet::new();
    for (owner, vertex) in batch {
        if let Owner::Base(rank) = owner {
            said.insert(*rank);
        }
        if let Some(vertex) = vertex.filter(|vertex| vertices.contains_key(vertex)) {
            found.insert(vertex, owner.clone());
        }
    }
    for (owner, vertex) in changed.vertices.each() {
        if let Owner::Base(rank) = owner {
            said.insert(rank);
        }
        if batch.binary_search_by(|(other, _)| other.cmp(&owner)).is_ok() {
            continue;
        }
        if let Some(vertex) = vertex.filter(|vertex| vertices.contains_key(vertex)) {
            found.insert(vertex, owner);
        }
    }
    if found.len() < vertices.len() {
        // The others are as the base has them.
        let mut rank = 0;
        let mut ids = base.ids();
        ids.each_vertex(|vertex| {
            if vertices.contains_key(&vertex) && !said.contains(&rank) {
                found.insert(vertex, Owner::Base(rank));
            }
            rank += 1;
        })?;
    }
    Ok(found)
}
