//! Many ranges at once: their leaves are read together.

use super::range::Pair;
use super::{Tree, View};
use crate::IndexError;
use crate::error::OfPage as _;
use crate::node::{LongValue, Node, Page, Value};

/// Keys from one on, and before another.
pub(crate) type KeyRange = (Vec<u8>, Option<Vec<u8>>);

/// A node to be visited for a part of a range.
struct Visit {
    page: Page,
    /// Which range.
    range: usize,
    keys: KeyRange,
}

/// Entries of a range that follow one another.
struct Piece {
    range: usize,
    pairs: Vec<Pair>,
    /// Values that are read in the end, by their places in `pairs`; the leaf that refers to each.
    long: Vec<(usize, Page, LongValue)>,
}

impl Tree {
    /// The entries of ranges, each in the order of its keys.
    pub(crate) fn range_many(&self, view: View, ranges: &[KeyRange]) -> Result<Vec<Vec<Pair>>, IndexError> {
        let page = self.root_of(view).page;
        let is_empty = |keys: &KeyRange| keys.1.as_ref().is_some_and(|high| *high <= keys.0);
        let mut visits: Vec<Visit> = ranges
            .iter()
            .enumerate()
            .filter(|(_, keys)| !is_empty(keys))
            .map(|(range, keys)| Visit { page, range, keys: keys.clone() })
            .collect();
        let (mut next, mut pieces) = (Vec::new(), Vec::new());
        let mut rounds = 0;
        while !visits.is_empty() {
            rounds += 1;
            self.check_way(rounds, visits[0].page)?;
            let pages: Vec<Page> = visits.iter().map(|visit| visit.page).collect();
            self.read_many(&pages, |at, bytes| {
                let visit = &visits[at];
                let node = Node::new(bytes).of_page(visit.page)?;
                if let Some(page) = self.moved(view, visit.page, &node)? {
                    next.push(Visit { page, range: visit.range, keys: visit.keys.clone() });
                    return Ok(());
                }
                if let (Some(high), Some(page)) = (node.high(), node.next())
                    && visit.keys.1.as_ref().is_none_or(|end| high < *end)
                {
                    let low = high.max(visit.keys.0.clone());
                    next.push(Visit { page, range: visit.range, keys: (low, visit.keys.1.clone()) });
                }
                match node.is_leaf() {
                    true => pieces.extend(piece(visit, &node)?),
                    false => children(visit, &node, &mut next)?,
                }
                Ok(())
            })?;
            visits = std::mem::take(&mut next);
        }
        pieces.sort_by(|a, b| (a.range, &a.pairs[0].0).cmp(&(b.range, &b.pairs[0].0)));
        for Piece { pairs, long, .. } in &mut pieces {
            for (place, page, value) in long {
                pairs[*place].1 = self.read_long(*page, *value)?;
            }
        }
        let mut all: Vec<Vec<Pair>> = ranges.iter().map(|_| Vec::new()).collect();
        pieces.into_iter().for_each(|piece| all[piece.range].extend(piece.pairs));
        Ok(all)
    }
}

/// The entries of a leaf that are wanted, if there are some.
fn piece(visit: &Visit, leaf: &Node<'_>) -> Result<Option<Piece>, IndexError> {
    let page = visit.page;
    let (from, to) = entries(visit, leaf)?;
    let mut piece = Piece { range: visit.range, pairs: Vec::new(), long: Vec::new() };
    for entry in from..to {
        let value = match leaf.value(entry).of_page(page)? {
            Value::Inline(value) => value.to_vec(),
            Value::Long(long) => {
                piece.long.push((entry - from, page, long));
                Vec::new()
            }
        };
        piece.pairs.push((leaf.key(entry).of_page(page)?, value));
    }
    Ok((!piece.pairs.is_empty()).then_some(piece))
}

/// The entries of a node whose keys are wanted.
fn entries(visit: &Visit, node: &Node<'_>) -> Result<(usize, usize), IndexError> {
    let from = node.first_from(&visit.keys.0).of_page(visit.page)?;
    let to = match &visit.keys.1 {
        Some(high) => node.first_from(high).of_page(visit.page)?,
        None => node.count(),
    };
    Ok((from, to))
}

/// The children of an inner node that may have keys that are wanted, each with the part that it may have.
fn children(visit: &Visit, node: &Node<'_>, next: &mut Vec<Visit>) -> Result<(), IndexError> {
    let page = visit.page;
    let (from, to) = entries(visit, node)?;
    let own_end = node.high();
    // The child before the first that begins in the range has the range's first keys.
    for entry in from.saturating_sub(1)..to {
        let low = node.key(entry).of_page(page)?.max(visit.keys.0.clone());
        let bound =
            if entry + 1 < node.count() { Some(node.key(entry + 1).of_page(page)?) } else { own_end.clone() };
        let high = match (bound, visit.keys.1.clone()) {
            (Some(bound), Some(high)) => Some(bound.min(high)),
            (bound, high) => bound.or(high),
        };
        if high.as_ref().is_none_or(|high| low < *high) {
            let child = node.child(entry).of_page(page)?;
            next.push(Visit { page: child, range: visit.range, keys: (low, high) });
        }
    }
    Ok(())
}
