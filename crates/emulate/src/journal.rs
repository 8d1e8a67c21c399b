//! Changes to names and attributes that are not durable, in the order in which they were made.
//!
//! By the rules of an ext4 journal, whatever becomes durable takes everything before it along. By the strict
//! rules (POSIX and nothing more) a directory's entries become durable when that directory is synced, and
//! otherwise in any order that makes sense: a change survives only with those it builds on.

use std::collections::HashSet;
use std::ffi::OsString;

use crate::node::{Attributes, Ino};

/// A change to a name or to attributes.
#[derive(Debug, Clone)]
pub(crate) enum Operation {
    /// A name for a node: the first one creates it.
    Add { dir: Ino, name: OsString, ino: Ino, directory: bool },
    /// A name goes.
    Remove { dir: Ino, name: OsString, ino: Ino },
    /// A name moves, over another that may be there.
    Rename { from: (Ino, OsString), to: (Ino, OsString), ino: Ino, replaced: Option<Ino> },
    /// New owner, mode and times.
    Attributes { ino: Ino, attributes: Attributes },
    /// An extended attribute, or none any more.
    Xattr { ino: Ino, name: OsString, value: Option<Vec<u8>> },
}

/// What one operation needs of another.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Key {
    /// An entry of a directory.
    Name(Ino, OsString),
    Node(Ino),
    /// All entries of a directory.
    Inside(Ino),
}

impl Operation {
    fn node(&self) -> Ino {
        match self {
            Operation::Add { ino, .. }
            | Operation::Remove { ino, .. }
            | Operation::Rename { ino, .. }
            | Operation::Attributes { ino, .. }
            | Operation::Xattr { ino, .. } => *ino,
        }
    }

    /// The entries that it changes.
    fn names(&self) -> Vec<(Ino, &OsString)> {
        match self {
            Operation::Add { dir, name, .. } | Operation::Remove { dir, name, .. } => vec![(*dir, name)],
            Operation::Rename { from, to, .. } => vec![(from.0, &from.1), (to.0, &to.1)],
            Operation::Attributes { .. } | Operation::Xattr { .. } => Vec::new(),
        }
    }

    /// Whether it changes this node, or an entry of this directory.
    pub(crate) fn concerns(&self, ino: Ino) -> bool {
        self.node() == ino || self.names().iter().any(|(dir, _)| *dir == ino)
    }

    /// What later operations may need that it did.
    fn provides(&self) -> Vec<Key> {
        let mut keys = vec![Key::Node(self.node())];
        for (dir, name) in self.names() {
            keys.push(Key::Name(dir, name.clone()));
            keys.push(Key::Inside(dir));
        }
        keys
    }

    /// What must have been done before.
    fn needs(&self) -> Vec<Key> {
        let mut keys = vec![Key::Node(self.node())];
        for (dir, name) in self.names() {
            keys.push(Key::Name(dir, name.clone()));
            keys.push(Key::Node(dir));
        }
        // A directory goes once it is empty.
        match self {
            Operation::Remove { ino, .. } => keys.push(Key::Inside(*ino)),
            Operation::Rename { replaced: Some(replaced), .. } => {
                keys.extend([Key::Inside(*replaced), Key::Node(*replaced)]);
            }
            _ => {}
        }
        keys
    }
}

/// The operations that wait.
#[derive(Debug, Clone, Default)]
pub(crate) struct Journal {
    waiting: Vec<Operation>,
}

impl Journal {
    pub(crate) fn push(&mut self, operation: Operation) {
        // Times change with every look at a file: only the last attributes of a run of them matter.
        if let (Operation::Attributes { ino, .. }, Some(Operation::Attributes { ino: last, .. })) =
            (&operation, self.waiting.last())
            && ino == last
        {
            self.waiting.pop();
        }
        self.waiting.push(operation);
    }

    pub(crate) fn len(&self) -> usize {
        self.waiting.len()
    }

    /// Operations that were taken and could not be done wait again, before all others.
    pub(crate) fn put_back(&mut self, operations: &[Operation]) {
        self.waiting.splice(..0, operations.iter().cloned());
    }

    /// Takes everything.
    pub(crate) fn take_all(&mut self) -> Vec<Operation> {
        std::mem::take(&mut self.waiting)
    }

    /// Takes the first `count`.
    pub(crate) fn take_first(&mut self, count: usize) -> Vec<Operation> {
        self.waiting.drain(..count.min(self.waiting.len())).collect()
    }

    /// Takes everything up to the last operation that concerns the node.
    pub(crate) fn take_up_to(&mut self, ino: Ino) -> Vec<Operation> {
        let last = self.waiting.iter().rposition(|operation| operation.concerns(ino));
        self.take_first(last.map_or(0, |last| last + 1))
    }

    /// Takes the new attributes of the node, and nothing else.
    pub(crate) fn take_attributes(&mut self, ino: Ino) -> Vec<Operation> {
        let wanted = |operation: &Operation| matches!(operation, Operation::Attributes { ino: of, .. } | Operation::Xattr { ino: of, .. } if *of == ino);
        self.waiting.extract_if(.., |operation| wanted(operation)).collect()
    }

    /// Takes those that `chosen` names, and what they build on.
    pub(crate) fn take_with_needed(&mut self, mut chosen: impl FnMut(&Operation) -> bool) -> Vec<Operation> {
        let mut needed: HashSet<Key> = HashSet::new();
        let mut takes = vec![false; self.waiting.len()];
        for (i, operation) in self.waiting.iter().enumerate().rev() {
            if chosen(operation) || operation.provides().iter().any(|key| needed.contains(key)) {
                takes[i] = true;
                needed.extend(operation.needs());
            }
        }
        let mut takes = takes.into_iter();
        self.waiting.extract_if(.., |_| takes.next().unwrap_or(false)).collect()
    }

    /// Takes what a sync of the directory makes durable by the strict rules.
    pub(crate) fn take_directory(&mut self, ino: Ino) -> Vec<Operation> {
        self.take_with_needed(|operation| operation.concerns(ino))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn add(dir: Ino, name: &str, ino: Ino) -> Operation {
        Operation::Add { dir, name: name.into(), ino, directory: false }
    }

    fn journal(operations: Vec<Operation>) -> Journal {
        Journal { waiting: operations }
    }

    fn nodes(operations: &[Operation]) -> Vec<Ino> {
        operations.iter().map(Operation::node).collect()
    }

    #[test]
    fn a_sync_takes_everything_before_along() {
        let mut journal = journal(vec![add(1, "a", 2), add(1, "b", 3), add(1, "c", 4)]);
        assert_eq!(nodes(&journal.take_up_to(3)), [2, 3]);
        assert_eq!(nodes(&journal.take_up_to(99)), [0; 0]);
        assert_eq!(journal.len(), 1);
    }

    #[test]
    fn strictly_only_the_directory_and_what_it_needs() {
        let rename = Operation::Rename { from: (5, "x".into()), to: (1, "y".into()), ino: 6, replaced: None };
        let mut journal =
            journal(vec![add(1, "d", 5), add(1, "b", 3), add(5, "x", 6), add(5, "z", 7), rename]);
        // Everything in the root, and the directory that the name came from, but not another entry of that.
        assert_eq!(nodes(&journal.take_directory(1)), [5, 3, 6, 6]);
        assert_eq!(journal.len(), 1);
    }

    #[test]
    fn a_directory_goes_only_with_its_entries() {
        let remove = |dir, name: &str, ino| Operation::Remove { dir, name: name.into(), ino };
        let mut journal = journal(vec![remove(5, "x", 6), remove(1, "other", 9), remove(1, "d", 5)]);
        let taken = journal.take_with_needed(|operation| operation.node() == 5);
        assert_eq!(nodes(&taken), [6, 5]);
    }
}
