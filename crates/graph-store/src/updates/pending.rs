//! Changes that were asked for and are not resolved yet, in order.

use super::id::Id;

/// What is to be done to an edge or a vertex.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum What {
    Insert(f64),
    Delete,
    Set(f64),
    InsertVertex,
    DeleteVertex,
}

impl What {
    /// Whether lists are read for it, where edges that are there are not added again.
    pub(super) fn is_looked_up(self, dedupe: bool) -> bool {
        match self {
            What::Delete | What::Set(_) | What::DeleteVertex => true,
            What::Insert(_) => dedupe,
            What::InsertVertex => false,
        }
    }
}

/// Changes that were asked for, in order.
#[derive(Debug)]
pub(crate) struct Pending {
    pub(super) what: Vec<What>,
    /// Two per change: source and target, or a vertex twice.
    pub(super) ids: IdList,
    /// Bytes of texts.
    texts: usize,
    /// How many are of edges that have to be looked up.
    looked_up: usize,
    /// Whether edges to add are among these.
    dedupe: bool,
}

#[derive(Debug)]
pub(super) enum IdList {
    Numbers(Vec<u64>),
    Texts(Vec<Box<str>>),
}

impl IdList {
    /// The id at a place.
    pub(super) fn get(&self, at: usize) -> Id {
        match self {
            IdList::Numbers(ids) => Id::Number(ids[at]),
            IdList::Texts(ids) => Id::Text(ids[at].clone()),
        }
    }
}

/// Bytes that a change takes at most while it becomes rows, and the change itself: of each kind of ids.
const OF_NUMBERS: usize = 208;
const OF_TEXTS: usize = 320;

/// What an edge that is looked up takes besides.
pub(super) const LOOKED_UP: usize = 256;

impl Pending {
    /// None, of a store whose ids are strings or numbers, and where edges that are there are not added again.
    pub(crate) fn new(strings: bool, dedupe: bool) -> Pending {
        let ids = if strings { IdList::Texts(Vec::new()) } else { IdList::Numbers(Vec::new()) };
        Pending { what: Vec::new(), ids, texts: 0, looked_up: 0, dedupe }
    }

    /// One more; an id that is not of the store's kind comes back, and nothing is done.
    pub(crate) fn push(&mut self, what: What, source: Id, target: Option<Id>) -> Result<(), Id> {
        let target = target.unwrap_or_else(|| source.clone());
        match (&mut self.ids, source, target) {
            (IdList::Numbers(ids), Id::Number(source), Id::Number(target)) => ids.extend([source, target]),
            (IdList::Texts(ids), Id::Text(source), Id::Text(target)) => {
                self.texts += source.len() + target.len();
                ids.extend([source, target]);
            }
            (IdList::Numbers(_), Id::Number(_), other) | (IdList::Texts(_), Id::Text(_), other) => {
                return Err(other);
            }
            (_, other, _) => return Err(other),
        }
        self.looked_up += usize::from(what.is_looked_up(self.dedupe));
        self.what.push(what);
        Ok(())
    }

    /// What one of them asks for, in words.
    pub(crate) fn words(&self, at: usize) -> String {
        let id = |at: usize| self.ids.get(at);
        let (source, target) = (id(2 * at), id(2 * at + 1));
        match self.what[at] {
            What::Insert(_) => format!("the edge {source} {target} to add"),
            What::Delete => format!("the edge {source} {target} to delete"),
            What::Set(_) => format!("the edge {source} {target} to set the weight of"),
            What::InsertVertex => format!("the vertex {source} to add"),
            What::DeleteVertex => format!("the vertex {source} to delete"),
        }
    }

    /// Whether edges that are there are not added again.
    pub(crate) fn dedupe(&self) -> bool {
        self.dedupe
    }

    pub(crate) fn len(&self) -> usize {
        self.what.len()
    }

    /// Bytes in memory, with what they take while they become rows.
    pub(crate) fn bytes(&self) -> u64 {
        let of_changes = match &self.ids {
            IdList::Numbers(_) => OF_NUMBERS * self.len(),
            // Each text is there twice, in whole words of the heap.
            IdList::Texts(_) => OF_TEXTS * self.len() + 2 * self.texts,
        };
        (of_changes + LOOKED_UP * self.looked_up) as u64
    }

    /// Takes the later half out.
    pub(super) fn split_off_half(&mut self) -> Pending {
        let half = self.len() / 2;
        let what = self.what.split_off(half);
        let mut ids = match &mut self.ids {
            IdList::Numbers(ids) => IdList::Numbers(ids.split_off(2 * half)),
            IdList::Texts(ids) => IdList::Texts(ids.split_off(2 * half)),
        };
        let mut later = Pending::new(matches!(ids, IdList::Texts(_)), self.dedupe);
        std::mem::swap(&mut later.ids, &mut ids);
        later.what = what;
        for half in [self, &mut later] {
            half.count();
        }
        later
    }

    /// Counts texts and what has to be looked up.
    fn count(&mut self) {
        self.texts = match &self.ids {
            IdList::Numbers(_) => 0,
            IdList::Texts(ids) => ids.iter().map(|text| text.len()).sum(),
        };
        self.looked_up = self.what.iter().filter(|what| what.is_looked_up(self.dedupe)).count();
    }

    pub(crate) fn clear(&mut self) {
        self.what.clear();
        (self.texts, self.looked_up) = (0, 0);
        match &mut self.ids {
            IdList::Numbers(ids) => ids.clear(),
            IdList::Texts(ids) => ids.clear(),
        }
    }
}
