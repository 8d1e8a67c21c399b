//! Pages that left the pool and are remembered. 25 to 29 bytes a ghost, all of it allocated at the start.

use super::Page;
use super::lists::{Lists, Node};

const NONE: Node = Node::MAX;

/// Behind the two lists of the policy: ghosts that were asked for and are on their way back, and free nodes.
const RETURNING: usize = 2;
const FREE: usize = 3;

/// Misses that may be on their way at once; the oldest is forgotten beyond that (its page comes in like a new
/// one).
const RETURNING_AT_MOST: u32 = 256;

/// Two lists of pages, the youngest in front, and a hash table with chains over both.
///
/// A page is asked for some time before it is there, and in between other pages may push it out of its list.
/// So a ghost that was asked for waits apart, until its page comes in.
#[derive(Debug)]
pub(crate) struct Ghosts {
    lists: Lists<4>,
    pages: Vec<Page>,
    /// The list each node is in.
    list: Vec<u8>,
    /// The first node of each bucket's chain, and the next of each node.
    buckets: Vec<Node>,
    chain: Vec<Node>,
    /// By how much a hash is shifted to be a bucket.
    shift: u32,
    capacity: u32,
}

impl Ghosts {
    /// None, with room for `capacity` in both lists together.
    pub(crate) fn new(capacity: u32) -> Self {
        let nodes = capacity + RETURNING_AT_MOST.min(capacity);
        let buckets = nodes.next_power_of_two().max(2);
        let mut lists = Lists::new(nodes);
        (0..nodes).for_each(|node| lists.push_front(FREE, node));
        Ghosts {
            lists,
            pages: vec![0; nodes as usize],
            list: vec![FREE as u8; nodes as usize],
            buckets: vec![NONE; buckets as usize],
            chain: vec![NONE; nodes as usize],
            shift: 64 - buckets.trailing_zeros(),
            capacity,
        }
    }

    /// Pages in `list`.
    pub(crate) fn len(&self, list: usize) -> u32 {
        self.lists.len(list)
    }

    /// Remembers a page that is not a ghost yet, as the youngest of `list`. If there is no room the oldest of
    /// this list makes some; if it is empty, the page is not remembered.
    pub(crate) fn remember(&mut self, list: usize, page: Page) {
        if self.len(0) + self.len(1) >= self.capacity && !self.forget_oldest(list) {
            return;
        }
        let Some(node) = self.lists.front(FREE) else { return };
        self.pages[node as usize] = page;
        self.move_to(node, list);
        let bucket = self.bucket(page);
        self.chain[node as usize] = self.buckets[bucket];
        self.buckets[bucket] = node;
    }

    /// Forgets the oldest of `list`, if there is any.
    pub(crate) fn forget_oldest(&mut self, list: usize) -> bool {
        let oldest = self.lists.back(list);
        if let Some(node) = oldest {
            self.forget(node);
        }
        oldest.is_some()
    }

    /// The page was asked for: if it is a ghost it waits apart from now on, and this is the list it was in.
    pub(crate) fn asked_for(&mut self, page: Page) -> Option<usize> {
        let node = self.find(page)?;
        let list = usize::from(self.list[node as usize]);
        if list == RETURNING {
            return None;
        }
        if self.len(RETURNING) >= RETURNING_AT_MOST.min(self.capacity) {
            self.forget_oldest(RETURNING);
        }
        self.move_to(node, RETURNING);
        Some(list)
    }

    /// The page is in the pool and so no ghost any more. Says whether it was one that was asked for; a page
    /// that was read ahead was not.
    pub(crate) fn came_in(&mut self, page: Page) -> bool {
        let Some(node) = self.find(page) else { return false };
        let returned = usize::from(self.list[node as usize]) == RETURNING;
        self.forget(node);
        returned
    }

    fn find(&self, page: Page) -> Option<Node> {
        let mut node = self.buckets[self.bucket(page)];
        while node != NONE {
            #[cfg(test)]
            super::steps::count();
            if self.pages[node as usize] == page {
                return Some(node);
            }
            node = self.chain[node as usize];
        }
        None
    }

    fn forget(&mut self, node: Node) {
        let bucket = self.bucket(self.pages[node as usize]);
        let after = self.chain[node as usize];
        if self.buckets[bucket] == node {
            self.buckets[bucket] = after;
        } else {
            let mut before = self.buckets[bucket];
            while self.chain[before as usize] != node {
                #[cfg(test)]
                super::steps::count();
                before = self.chain[before as usize];
            }
            self.chain[before as usize] = after;
        }
        self.move_to(node, FREE);
    }

    fn move_to(&mut self, node: Node, list: usize) {
        self.lists.remove(usize::from(self.list[node as usize]), node);
        self.lists.push_front(list, node);
        self.list[node as usize] = list as u8;
    }

    /// Multiplicative hashing by the golden ratio (Knuth, TAOCP 3, 6.4): the upper bits are the bucket.
    fn bucket(&self, page: Page) -> usize {
        (page.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> self.shift) as usize
    }
}
