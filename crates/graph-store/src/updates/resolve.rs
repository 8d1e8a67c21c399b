//! From changes in the users' ids to rows: which vertices they are of, what is there to be removed, and what
//! becomes of numbers where vertices go.

mod apply;
mod load;

use std::collections::{BTreeMap, HashMap, HashSet};

pub(super) use apply::Unmade;
pub(super) use load::Loaded;

use super::id::Owner;
use super::id_index::IdIndex;
use super::key_map::KeySet;
use super::known::Known;
use super::log::Totals;
use super::pending::{Pending, What};
use super::snapshot::Changed;
use crate::GraphError;
use crate::format::{MAX_VERTICES, Vertex};
use crate::inspect::StoreFile;

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
    /// Edges that are there are not added again.
    dedupe: bool,
    /// Edges that lead to where they come from, and are left out.
    self_loops: u64,
    steps: Vec<Step>,
    /// Vertices that ids have now, in the order of the owners; none: gone.
    owners: Vec<(Owner, Option<Vertex>)>,
    before: Totals,
    /// Vertices after all have been added and before any goes.
    all: u64,
    /// Numbers that are free in the end, and the vertices that take them, from the last.
    moves: BTreeMap<Vertex, Vertex>,
    gone: KeySet<Vertex>,
}

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
        let drop_self_loops = base.header.rules.drop_self_loops();
        let mut self_loops = 0;
        index.prepare(&mut base.ids(), 2 * pending.len() as u64, memory)?;
        let mut known = Known::look_up(base, index, changed, &pending.ids)?;
        let (mut next, mut gone) = (before.vertices, KeySet::default());
        let mut steps = Vec::with_capacity(pending.what.len());
        for (what, ends) in pending.what.iter().zip(known.uses.as_chunks().0) {
            let [source, target] = ends.map(|at| at as usize);
            let what = match what {
                What::Insert(_) if drop_self_loops && source == target => {
                    self_loops += 1;
                    // Its vertex stays, as in an import.
                    &What::InsertVertex
                }
                what => what,
            };
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
        let (dedupe, moves, all) = (pending.dedupe(), BTreeMap::new(), next);
        let mut batch = Batch { directed, dedupe, self_loops, steps, owners, before, all, moves, gone };
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

    /// The edges whose copies have to be known: those that are removed or get another weight, and, where no
    /// copies are added, those that are added.
    fn looked_up(&self) -> impl Iterator<Item = (Vertex, Vertex)> + '_ {
        let is_edge = |step: &&Step| match step.what {
            What::Delete | What::Set(_) => true,
            What::Insert(_) => self.dedupe,
            What::InsertVertex | What::DeleteVertex => false,
        };
        self.steps.iter().filter(is_edge).filter_map(|step| step.ends)
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
