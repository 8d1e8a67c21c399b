//! Changes that were asked for and are not resolved yet, in order.

use super::vertices::Id;

/// What is to be done to an edge or a vertex.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum What {
    Insert(f64),
    Delete,
    Set(f64),
    InsertVertex,
    DeleteVertex,
}

/// Changes that were asked for, in order.
#[derive(Debug)]
pub(crate) struct Pending {
    pub(super) what: Vec<What>,
    /// Two per change: source and target, or a vertex twice.
    pub(super) ids: IdList,
}

#[derive(Debug)]
pub(super) enum IdList {
    Numbers(Vec<u64>),
    Texts(Vec<Box<str>>),
}

impl Pending {
    /// None, of a store whose ids are strings or numbers.
    pub(crate) fn new(strings: bool) -> Pending {
        let ids = if strings { IdList::Texts(Vec::new()) } else { IdList::Numbers(Vec::new()) };
        Pending { what: Vec::new(), ids }
    }

    /// One more; an id that is not of the store's kind comes back, and nothing is done.
    pub(crate) fn push(&mut self, what: What, source: Id, target: Option<Id>) -> Result<(), Id> {
        let target = target.unwrap_or_else(|| source.clone());
        match (&mut self.ids, source, target) {
            (IdList::Numbers(ids), Id::Number(source), Id::Number(target)) => ids.extend([source, target]),
            (IdList::Texts(ids), Id::Text(source), Id::Text(target)) => ids.extend([source, target]),
            (IdList::Numbers(_), Id::Number(_), other) | (IdList::Texts(_), Id::Text(_), other) => {
                return Err(other);
            }
            (_, other, _) => return Err(other),
        }
        self.what.push(what);
        Ok(())
    }

    /// What one of them asks for, in words.
    pub(crate) fn words(&self, at: usize) -> String {
        let id = |at: usize| match &self.ids {
            IdList::Numbers(ids) => ids[at].to_string(),
            IdList::Texts(ids) => ids[at].to_string(),
        };
        let (source, target) = (id(2 * at), id(2 * at + 1));
        match self.what[at] {
            What::Insert(_) => format!("the edge {source} {target} to add"),
            What::Delete => format!("the edge {source} {target} to delete"),
            What::Set(_) => format!("the edge {source} {target} to set the weight of"),
            What::InsertVertex => format!("the vertex {source} to add"),
            What::DeleteVertex => format!("the vertex {source} to delete"),
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.what.len()
    }

    /// Bytes in memory, and again as many while they are resolved.
    pub(crate) fn bytes(&self) -> u64 {
        let of_ids = match &self.ids {
            IdList::Numbers(ids) => size_of_val(&ids[..]),
            // A short text takes 32 bytes where it lies.
            IdList::Texts(ids) => size_of_val(&ids[..]) + 32 * ids.len(),
        };
        (size_of_val(&self.what[..]) + of_ids) as u64
    }

    pub(crate) fn clear(&mut self) {
        self.what.clear();
        match &mut self.ids {
            IdList::Numbers(ids) => ids.clear(),
            IdList::Texts(ids) => ids.clear(),
        }
    }
}
