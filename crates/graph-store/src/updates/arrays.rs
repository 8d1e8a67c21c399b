//! Many changes at once, from arrays: each array is checked as a whole before the first change is taken.

use std::sync::atomic::Ordering;

use super::id::Id;
use super::lists::ReadLists;
use super::pending::What;
use super::update::GraphUpdate;
use crate::GraphError;
use crate::input::{ArrayEdges, ArrayIds, ArrayWeights, check_length};

/// Changes that are copied out of the arrays at a time.
const PIECE: usize = 1 << 14;

/// The columns of changes.
struct Columns<'a> {
    sources: &'a ArrayIds,
    /// Vertices have none.
    targets: Option<&'a ArrayIds>,
    weights: Option<&'a ArrayWeights>,
    /// What errors say before the name of a column, and the number of its first place.
    place: &'a str,
    first: usize,
}

impl<L: ReadLists + Default> GraphUpdate<L> {
    /// As [`GraphUpdate::insert_edge`], of each edge of each batch, in order.
    ///
    /// # Errors
    /// [`GraphError::Malformed`], and nothing is taken of any batch: ids that are not of the store's kind or
    /// below 0, weights that are not finite or that the store has no room for. What [`GraphUpdate::commit`]
    /// gives where changes take more memory than they may, and [`GraphError::Interrupted`]: all that was
    /// pending is dropped then.
    pub fn insert_edges(&mut self, batches: &[ArrayEdges]) -> Result<(), GraphError> {
        self.take(&Columns::of(batches), What::Insert)
    }

    /// As [`GraphUpdate::delete_edge`], of each edge, whatever its weight.
    ///
    /// # Errors
    /// As [`GraphUpdate::insert_edges`].
    pub fn delete_edges(&mut self, batches: &[ArrayEdges]) -> Result<(), GraphError> {
        let batches: Vec<_> =
            Columns::of(batches).into_iter().map(|batch| Columns { weights: None, ..batch }).collect();
        self.take(&batches, |_| What::Delete)
    }

    /// As [`GraphUpdate::set_weight`], of each edge.
    ///
    /// # Errors
    /// As [`GraphUpdate::insert_edges`]; [`GraphError::Malformed`] for edges without weights too.
    pub fn set_weights(&mut self, batches: &[ArrayEdges]) -> Result<(), GraphError> {
        let batches = Columns::of(batches);
        if let Some(batch) = batches.iter().find(|batch| batch.weights.is_none()) {
            return Err(GraphError::malformed(format!("{}weights", batch.place), "give one for each edge"));
        }
        self.take(&batches, What::Set)
    }

    /// As [`GraphUpdate::insert_vertex`], of each vertex.
    ///
    /// # Errors
    /// As [`GraphUpdate::insert_edges`].
    pub fn insert_vertices(&mut self, vertices: &ArrayIds) -> Result<(), GraphError> {
        self.take(&[Columns::of_vertices(vertices)], |_| What::InsertVertex)
    }

    /// As [`GraphUpdate::delete_vertex`], of each vertex.
    ///
    /// # Errors
    /// As [`GraphUpdate::insert_edges`].
    pub fn delete_vertices(&mut self, vertices: &ArrayIds) -> Result<(), GraphError> {
        self.take(&[Columns::of_vertices(vertices)], |_| What::DeleteVertex)
    }

    /// Takes all changes, once all of them are checked.
    fn take(&mut self, batches: &[Columns<'_>], what: impl Fn(f64) -> What) -> Result<(), GraphError> {
        batches.iter().try_for_each(|columns| self.check(columns))?;
        for (columns, first) in
            batches.iter().flat_map(|columns| columns.pieces().map(move |first| (columns, first)))
        {
            let taken = match self.stop().is_some_and(|stop| stop.load(Ordering::Relaxed)) {
                true => Err(GraphError::Interrupted),
                // Checked before, but whoever owns the arrays may have changed them since.
                false => columns.read(first, self.usual_weight(), |source, target, weight| {
                    self.push(what(weight), source, target)
                }),
            };
            if taken.is_err() {
                self.discard()?;
                return taken;
            }
        }
        Ok(())
    }

    fn check(&self, columns: &Columns<'_>) -> Result<(), GraphError> {
        for (name, ids) in columns.ids() {
            if ids.count() > 0 && ids.are_strings() != self.ids_are_strings() {
                let (expected, found) = match ids.are_strings() {
                    true => ("numbers", "strings"),
                    false => ("strings", "numbers"),
                };
                let what = format!("expected {expected}, as the ids of {} are, found {found}", self.name());
                return Err(GraphError::malformed(format!("{}{name}", columns.place), what));
            }
        }
        if columns.weights.is_some() && !self.is_weighted() {
            let what = "has no weights; edges are to have some".to_owned();
            return Err(GraphError::malformed(self.name(), what));
        }
        columns.pieces().try_for_each(|first| columns.check_values(first))
    }
}

impl<'a> Columns<'a> {
    fn of(batches: &'a [ArrayEdges]) -> Vec<Columns<'a>> {
        let columns = |batch: &'a ArrayEdges| {
            let (sources, targets, weights) = batch.arrays();
            let (place, first) = batch.place();
            Columns { sources, targets: Some(targets), weights, place, first }
        };
        batches.iter().map(columns).collect()
    }

    fn of_vertices(vertices: &'a ArrayIds) -> Columns<'a> {
        Columns { sources: vertices, targets: None, weights: None, place: "", first: 0 }
    }
}

impl Columns<'_> {
    fn ids(&self) -> impl Iterator<Item = (&'static str, &ArrayIds)> {
        let first = if self.targets.is_some() { "sources" } else { "vertices" };
        [(first, self.sources)].into_iter().chain(self.targets.map(|targets| ("targets", targets)))
    }

    /// Where pieces begin.
    fn pieces(&self) -> impl Iterator<Item = usize> + use<> {
        (0..self.sources.count()).step_by(PIECE)
    }

    fn piece(&self, first: usize) -> usize {
        PIECE.min(self.sources.count() - first)
    }

    /// Checks the values of a piece.
    fn check_values(&self, first: usize) -> Result<(), GraphError> {
        for (name, ids) in self.ids() {
            match ids {
                ArrayIds::Strings(_) => self.texts(name, ids, first, |_| {})?,
                _ => self.numbers(name, ids, first).map(drop)?,
            }
        }
        self.weights(first).map(drop)
    }

    /// Calls `take` for each change of a piece.
    fn read(
        &self,
        first: usize,
        usual_weight: f64,
        mut take: impl FnMut(Id, Option<Id>, f64) -> Result<(), GraphError>,
    ) -> Result<(), GraphError> {
        let column = |(name, ids): (&'static str, &ArrayIds)| match ids {
            ArrayIds::Strings(_) => {
                let mut found = Vec::with_capacity(self.piece(first));
                self.texts(name, ids, first, |text| found.push(Id::from(text)))?;
                Ok(found)
            }
            _ => Ok(self.numbers(name, ids, first)?.into_iter().map(Id::Number).collect()),
        };
        let columns = self.ids().map(column).collect::<Result<Vec<Vec<Id>>, GraphError>>()?;
        let weights = self.weights(first)?;
        let mut columns = columns.into_iter().map(Vec::into_iter);
        let (sources, mut targets) = (columns.next().into_iter().flatten(), columns.next());
        for (at, source) in sources.enumerate() {
            let target = targets.as_mut().and_then(Iterator::next);
            take(source, target, weights.as_ref().map_or(usual_weight, |weights| weights[at]))?;
        }
        Ok(())
    }

    /// Calls `take` with each string of a piece.
    fn texts(
        &self,
        name: &str,
        ids: &ArrayIds,
        first: usize,
        mut take: impl FnMut(&str),
    ) -> Result<(), GraphError> {
        let ArrayIds::Strings(texts) = ids else { unreachable!("numbers are read otherwise") };
        let (mut at, mut wrong) = (first, None);
        texts.read(first..first + self.piece(first), &mut |found| {
            match found.map_err(str::to_owned).and_then(|text| check_length(text.as_bytes()).map(|()| text)) {
                Ok(text) => take(text),
                Err(what) => {
                    wrong.get_or_insert_with(|| GraphError::malformed(self.named(name, at), what));
                }
            }
            at += 1;
        });
        wrong.map_or(Ok(()), Err)
    }

    /// The numbers of a piece.
    fn numbers(&self, name: &str, ids: &ArrayIds, first: usize) -> Result<Vec<u64>, GraphError> {
        let mut numbers = vec![0; self.piece(first)];
        ids.copy(first, numbers.iter_mut()).map_err(|(at, id)| {
            GraphError::malformed(self.named(name, at), format!("{id}; ids are from 0 to 2^64 - 1"))
        })?;
        Ok(numbers)
    }

    /// The weights of a piece.
    fn weights(&self, first: usize) -> Result<Option<Vec<f64>>, GraphError> {
        let Some(weights) = self.weights else { return Ok(None) };
        let mut found = Vec::new();
        weights.copy(first, self.piece(first), &mut found).map_err(|(at, weight)| {
            GraphError::malformed(
                self.named("weights", at),
                format!("expected a finite number, found {weight}"),
            )
        })?;
        Ok(Some(found))
    }

    /// What errors call a place of a column.
    fn named(&self, name: &str, at: usize) -> String {
        format!("{}{name}[{}]", self.place, self.first + at)
    }
}
