//! Many keys looked up at once: each level is walked for all of them, so that the reads of a level are in
//! flight together, and a node is read once however many keys it has.

use std::ops::Range;

use super::{Tree, View};
use crate::IndexError;
use crate::error::OfPage as _;
use crate::node::{LongValue, Node, Page, Value};

/// A node to be visited for some of the keys.
#[derive(Debug, Clone)]
pub(super) struct Visit {
    pub(super) page: Page,
    /// The keys by their places in their order.
    pub(super) keys: Range<usize>,
}

impl Tree {
    /// Walks to the leaves of `keys`, which ascend. Calls `leaf` with each leaf, its page and the places of
    /// the keys that it has or would have, in any order.
    pub(super) fn walk(
        &self,
        view: View,
        keys: &[&[u8]],
        mut leaf: impl FnMut(Page, &Node<'_>, Range<usize>) -> Result<(), IndexError>,
    ) -> Result<(), IndexError> {
        debug_assert!(keys.is_sorted());
        // No level has more nodes to visit than there are keys: all use the same memory.
        let most = keys.len();
        let (mut visits, mut next) = (Vec::with_capacity(most), Vec::with_capacity(most));
        let mut pages = Vec::with_capacity(most);
        if !keys.is_empty() {
            visits.push(Visit { page: self.root_of(view).page, keys: 0..keys.len() });
        }
        let mut rounds = 0;
        while !visits.is_empty() {
            pages.clear();
            pages.extend(visits.iter().map(|visit| visit.page));
            self.read_many(&pages, |at, bytes| {
                let Visit { page, keys: own } = visits[at].clone();
                let node = Node::new(bytes).of_page(page)?;
                if let Some(copy) = self.moved(view, page, &node)? {
                    next.push(Visit { page: copy, keys: own });
                    return Ok(());
                }
                let within = within(&node, page, keys, own, &mut next)?;
                match node.is_leaf() {
                    true if within.is_empty() => Ok(()),
                    true => leaf(page, &node, within),
                    false => children(&node, page, keys, within, &mut next),
                }
            })?;
            std::mem::swap(&mut visits, &mut next);
            next.clear();
            rounds += 1;
            self.check_way(rounds, visits.first().map_or(0, |visit| visit.page))?;
        }
        Ok(())
    }

    /// The values of keys, in the order in which they are given.
    pub(crate) fn get_many(&self, view: View, keys: &[&[u8]]) -> Result<Vec<Option<Vec<u8>>>, IndexError> {
        let (places, sorted) = sort(keys);
        let mut values: Vec<Option<Vec<u8>>> = vec![None; keys.len()];
        let mut long: Vec<(usize, Page, LongValue)> = Vec::new();
        self.walk(view, &sorted, |page, node, own| {
            for at in own {
                if let Ok(entry) = node.search(sorted[at]).of_page(page)? {
                    match node.value(entry).of_page(page)? {
                        Value::Inline(value) => values[places[at]] = Some(value.to_vec()),
                        Value::Long(value) => long.push((places[at], page, value)),
                    }
                }
            }
            Ok(())
        })?;
        for (place, page, value) in long {
            values[place] = Some(self.read_long(page, value)?);
        }
        Ok(values)
    }
}

/// The keys in ascending order, and where each is among those given.
pub(super) fn sort<'k>(keys: &[&'k [u8]]) -> (Vec<usize>, Vec<&'k [u8]>) {
    let mut places: Vec<usize> = (0..keys.len()).collect();
    if !keys.is_sorted() {
        // Stable: of equal keys the later one stays the later one.
        places.sort_by_key(|place| keys[*place]);
    }
    let sorted = places.iter().map(|place| keys[*place]).collect();
    (places, sorted)
}

/// The keys that are within a node's bounds; the others are visited in the next one.
fn within(
    node: &Node<'_>,
    page: Page,
    keys: &[&[u8]],
    own: Range<usize>,
    next: &mut Vec<Visit>,
) -> Result<Range<usize>, IndexError> {
    let Some(last) = own.clone().next_back() else { return Ok(own) };
    let Some(beyond) = node.beyond(keys[last]).of_page(page)? else { return Ok(own) };
    let (mut from, mut to) = (own.start, last);
    while from < to {
        let middle = (from + to) / 2;
        match node.beyond(keys[middle]).of_page(page)? {
            Some(_) => to = middle,
            None => from = middle + 1,
        }
    }
    next.push(Visit { page: beyond, keys: from..own.end });
    Ok(own.start..from)
}

/// The children of an inner node that have the keys.
fn children(
    node: &Node<'_>,
    page: Page,
    keys: &[&[u8]],
    own: Range<usize>,
    next: &mut Vec<Visit>,
) -> Result<(), IndexError> {
    let mut last = None;
    for at in own {
        let entry = node.entry_for(keys[at]).of_page(page)?;
        if last == Some(entry) {
            if let Some(visit) = next.last_mut() {
                visit.keys.end = at + 1;
            }
        } else {
            next.push(Visit { page: node.child(entry).of_page(page)?, keys: at..at + 1 });
            last = Some(entry);
        }
    }
    Ok(())
}
