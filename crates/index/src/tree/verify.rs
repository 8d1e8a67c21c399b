//! Every page of the tree, held against what is said of it elsewhere.

use std::collections::BTreeMap;

use super::Tree;
use crate::IndexError;
use crate::node::{Node, Page, Value};

/// What was found wrong, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Problem {
    /// The page.
    pub page: Page,
    /// What is wrong with it, and which keys cannot be read for that.
    pub what: String,
}

/// What a look at all of an index found.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Verified {
    /// Pages that were read.
    pub pages: u64,
    /// Entries in them.
    pub entries: u64,
    /// What is wrong; none: everything can be read, and is where it should be.
    pub problems: Vec<Problem>,
}

/// A node as the one above it describes it.
struct Expected {
    page: Page,
    level: u8,
    low: Vec<u8>,
    high: Option<Vec<u8>>,
}

impl Expected {
    /// The keys that are in it, in words.
    fn keys(&self) -> String {
        let key = |key: &[u8]| format!("`{}`", key.escape_ascii());
        match &self.high {
            Some(high) => format!("the keys from {} to before {}", key(&self.low), key(high)),
            None => format!("the keys from {} on", key(&self.low)),
        }
    }
}

struct Verifier<'t> {
    tree: &'t Tree,
    found: Verified,
    /// A bit per page that was seen.
    seen: Vec<u64>,
    free: BTreeMap<Page, u64>,
    end: Page,
    /// By level, which page the last node says is next; none where it could not be read.
    next: Vec<Option<Option<Page>>>,
}

impl Tree {
    /// Reads every page. Nobody else may be in the tree. `progress` hears how many pages of how many.
    pub(crate) fn verify(&self, progress: &mut dyn FnMut(u64, u64)) -> Verified {
        let (end, free) = self.space.durable();
        let seen = vec![0; (end as usize).div_ceil(64)];
        let root = self.root();
        let mut verifier = Verifier {
            tree: self,
            found: Verified::default(),
            seen,
            free,
            end,
            next: vec![None; usize::from(root.level) + 1],
        };
        let whole = Expected { page: root.page, level: root.level, low: Vec::new(), high: None };
        verifier.nodes(whole, progress);
        let entries = self.state().entries;
        if verifier.found.problems.is_empty() && verifier.found.entries != entries {
            let what = format!("{} entries were counted, and there are {}", entries, verifier.found.entries);
            verifier.problem(crate::meta::META_PAGE, what);
        }
        verifier.found
    }
}

impl Verifier<'_> {
    fn problem(&mut self, page: Page, what: String) {
        self.found.problems.push(Problem { page, what });
    }

    /// Notes that a page is in use; false where it cannot be.
    fn see(&mut self, page: Page) -> bool {
        if page >= self.end {
            self.problem(page, "it is in use, and was never given out".to_owned());
            return false;
        }
        let (word, bit) = (page as usize / 64, page % 64);
        if self.seen[word] >> bit & 1 == 1 {
            self.problem(page, "it is used twice".to_owned());
            return false;
        }
        self.found.pages += 1;
        self.seen[word] |= 1 << bit;
        if self.free.range(..=page).next_back().is_some_and(|(first, count)| page < first + count) {
            self.problem(page, "it is in use, and said to be free".to_owned());
        }
        true
    }

    /// A node, those below it, and those after it that the level above does not know: a split whose second
    /// half never reached that level is found by the next node alone.
    fn nodes(&mut self, first: Expected, progress: &mut dyn FnMut(u64, u64)) {
        let mut next = Some(first);
        while let Some(expected) = next {
            next = self.node(expected, progress);
        }
    }

    /// A node, and those below it; the next one, if the level above does not know it.
    fn node(&mut self, expected: Expected, progress: &mut dyn FnMut(u64, u64)) -> Option<Expected> {
        let Expected { page, level, .. } = expected;
        if !self.see(page) {
            return None;
        }
        progress(self.found.pages, self.end);
        let before = self.next[usize::from(level)].take();
        let bytes = match self.read(&expected) {
            Ok(bytes) => bytes,
            Err(what) => {
                self.problem(page, format!("{what}; {} cannot be read", expected.keys()));
                return None;
            }
        };
        let node = Node::new(&bytes).ok()?;
        if node.low() != expected.low {
            self.problem(page, format!("its lower bound is not the one of {}", expected.keys()));
        }
        if before.is_some_and(|before| before != Some(page)) {
            self.problem(
                page,
                format!("it is not the one that the node before it of level {level} says is next"),
            );
        }
        self.next[usize::from(level)] = Some(node.next());
        match node.is_leaf() {
            true => self.leaf(page, &node),
            false => self.children(&node, level, progress),
        }
        let (high, next) = (node.high(), node.next());
        match (high, next) {
            (Some(low), Some(page)) if expected.high.as_ref().is_none_or(|end| low < *end) => {
                Some(Expected { page, level, low, high: expected.high })
            }
            (high, _) => {
                if high != expected.high {
                    self.problem(page, format!("its upper bound is not the one of {}", expected.keys()));
                }
                None
            }
        }
    }

    /// The bytes of a sound node; what is wrong otherwise.
    fn read(&self, expected: &Expected) -> Result<Vec<u8>, String> {
        let bytes = self.tree.pool.read(expected.page).map_err(|error| error.to_string())?.to_vec();
        let level = expected.level;
        match Node::new(&bytes) {
            Ok(node) if node.level() == level => node.verify()?,
            _ => return Err(format!("it is no node of level {level}")),
        }
        Ok(bytes)
    }

    fn children(&mut self, node: &Node<'_>, level: u8, progress: &mut dyn FnMut(u64, u64)) {
        let pages: Vec<Page> = (0..node.count()).filter_map(|entry| node.child(entry).ok()).collect();
        let window = self.tree.pool.config().reads_ahead as usize;
        for entry in 0..node.count() {
            if entry % window.max(1) == 0 {
                // What cannot be read is found below.
                let _ = self
                    .tree
                    .pool
                    .prefetch_pages(&pages[entry.min(pages.len())..pages.len().min(entry + window)]);
            }
            let (Ok(page), Ok(low)) = (node.child(entry), node.key(entry)) else { continue };
            let high = if entry + 1 < node.count() { node.key(entry + 1).ok() } else { node.high() };
            self.nodes(Expected { page, level: level - 1, low, high }, progress);
        }
    }

    fn leaf(&mut self, page: Page, node: &Node<'_>) {
        self.found.entries += node.count() as u64;
        for entry in 0..node.count() {
            let Ok(Value::Long(long)) = node.value(entry) else { continue };
            let key = node.key(entry).unwrap_or_default();
            let read = self.tree.long_pages(page, long).and_then(|pages| {
                pages.clone().for_each(|page| {
                    self.see(page);
                });
                let pages: Vec<Page> = pages.collect();
                self.tree.pool.read_many(&pages, |_, _| {}).map_err(IndexError::Pool)
            });
            if let Err(error) = read {
                self.problem(page, format!("{error}; the value of `{}` cannot be read", key.escape_ascii()));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::tree;
    use super::*;
    use crate::node::NodeMut;

    fn filled() -> Tree {
        let tree = tree(4096, 64);
        for number in 0..5000u32 {
            tree.insert(format!("key{number:05}").as_bytes(), &[1; 60]).unwrap();
        }
        tree.insert(b"long", &[7; 20_000]).unwrap();
        tree
    }

    #[test]
    fn a_sound_tree_has_no_problems_and_a_damaged_node_is_named_with_its_keys() {
        let tree = filled();
        let found = tree.verify(&mut |_, _| {});
        assert_eq!((found.entries, found.problems), (5001, vec![]));
        assert_eq!(found.pages + 1, tree.space.used());
        // A leaf whose bytes are another page's.
        let (page, guard) = tree.descend(super::super::View::Now, 0, b"key02500").unwrap();
        let node = Node::new(&guard).unwrap();
        let (low, lost) = (String::from_utf8(node.low()).unwrap(), node.count() as u64);
        drop(guard);
        tree.pool.write(page).unwrap().fill(0xff);
        let found = tree.verify(&mut |_, _| {});
        assert_eq!((found.problems.len(), found.problems[0].page), (1, page), "{:?}", found.problems);
        assert!(found.problems[0].what.contains(&format!("from `{low}` to before")), "{:?}", found.problems);
        assert_eq!(found.entries, 5001 - lost, "the rest stays readable");
        assert!(tree.get(super::super::View::Now, b"key00001").unwrap().is_some());
    }

    #[test]
    fn a_key_in_the_wrong_node_is_found() {
        let tree = filled();
        let (page, guard) = tree.descend(super::super::View::Now, 0, b"key02500").unwrap();
        let count = Node::new(&guard).unwrap().count();
        drop(guard);
        let mut guard = tree.pool.write(page).unwrap();
        NodeMut::new(&mut guard).unwrap().remove(count / 2).unwrap();
        drop(guard);
        let found = tree.verify(&mut |_, _| {});
        assert_eq!(found.problems.len(), 1);
        assert!(found.problems[0].what.contains("5001 entries were counted"), "{:?}", found.problems);
    }
}
