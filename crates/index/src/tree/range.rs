//! Entries in the order of their keys, from either end, and the leaves that come next read ahead.

use std::collections::VecDeque;

use leadline_pool::ReadGuard;

use super::{Tree, View};
use crate::IndexError;
use crate::error::OfPage as _;
use crate::node::{Node, Page, Value};

/// A key and its value.
pub(crate) type Pair = (Vec<u8>, Vec<u8>);

/// The end of a range from which entries are taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum End {
    Front,
    Back,
}

/// A range of keys that is read leaf by leaf. It holds no node: what is read of a leaf is copied.
#[derive(Debug)]
pub(crate) struct Cursor {
    pub(crate) view: View,
    /// The keys that no leaf was read for yet: from `low` on, before `high`.
    low: Vec<u8>,
    high: Option<Vec<u8>>,
    is_read: bool,
    front: VecDeque<Pair>,
    back: VecDeque<Pair>,
    ahead: ReadAhead,
}

/// Which leaves were asked for before they are needed.
#[derive(Debug, Default)]
struct ReadAhead {
    /// The end at which they were asked for.
    end: Option<End>,
    /// How many of them were not come to yet.
    left: usize,
    /// How many are asked for next.
    window: usize,
    /// Where the leaves that were not asked for begin (from the front), or end (from the back).
    from: Option<Vec<u8>>,
}

impl Cursor {
    pub(crate) fn new(view: View, low: Vec<u8>, high: Option<Vec<u8>>) -> Cursor {
        let is_read = high.as_ref().is_some_and(|high| *high <= low);
        Cursor {
            view,
            low,
            high,
            is_read,
            front: VecDeque::new(),
            back: VecDeque::new(),
            ahead: ReadAhead::default(),
        }
    }

    /// An entry that was read already.
    pub(crate) fn pop(&mut self, end: End) -> Option<Pair> {
        match end {
            End::Front => self.front.pop_front().or_else(|| self.is_read.then(|| self.back.pop_front())?),
            End::Back => self.back.pop_back().or_else(|| self.is_read.then(|| self.front.pop_back())?),
        }
    }

    /// Whether every leaf was read.
    pub(crate) fn is_read(&self) -> bool {
        self.is_read
    }
}

impl Tree {
    /// Reads the next leaf at an end of the range.
    pub(crate) fn read_leaf(&self, cursor: &mut Cursor, end: End) -> Result<(), IndexError> {
        self.read_ahead(cursor, end)?;
        let (page, guard) = match end {
            End::Front => self.descend(cursor.view, 0, &cursor.low)?,
            End::Back => self.descend_before(cursor.view, 0, cursor.high.as_deref())?,
        };
        let node = Node::new(&guard).of_page(page)?;
        let from = node.first_from(&cursor.low).of_page(page)?;
        let to = match &cursor.high {
            Some(high) => node.first_from(high).of_page(page)?,
            None => node.count(),
        };
        let mut pairs = VecDeque::with_capacity(to.saturating_sub(from));
        for entry in from..to {
            pairs.push_back((node.key(entry).of_page(page)?, self.value_of(page, &node, entry)?));
        }
        let back = IndexError::Damaged { page, what: "it leads back to keys that were read" };
        match end {
            End::Front => {
                cursor.front.append(&mut pairs);
                match node.high() {
                    Some(high) if high <= cursor.low => return Err(back),
                    Some(high) if cursor.high.as_ref().is_none_or(|end| high < *end) => cursor.low = high,
                    _ => cursor.is_read = true,
                }
            }
            End::Back => {
                pairs.append(&mut cursor.back);
                cursor.back = pairs;
                let low = node.low();
                if cursor.high.as_ref().is_some_and(|high| low >= *high) {
                    return Err(back);
                }
                cursor.is_read = low <= cursor.low;
                cursor.high = Some(low);
            }
        }
        Ok(())
    }

    pub(super) fn value_of(&self, page: Page, node: &Node<'_>, entry: usize) -> Result<Vec<u8>, IndexError> {
        match node.value(entry).of_page(page)? {
            Value::Inline(value) => Ok(value.to_vec()),
            Value::Long(long) => self.read_long(page, long),
        }
    }

    /// The node of a level that has the last keys before `high`, or the last of all.
    fn descend_before(
        &self,
        view: View,
        level: u8,
        high: Option<&[u8]>,
    ) -> Result<(Page, ReadGuard<'_>), IndexError> {
        let mut page = self.root_of(view).page;
        for steps in 0.. {
            self.check_way(steps, page)?;
            let guard = self.pool.read(page)?;
            let node = Node::new(&guard).of_page(page)?;
            let is_before = match high {
                Some(high) => node.high().is_some_and(|own| *own < *high),
                None => node.next().is_some(),
            };
            page = if let Some(copy) = self.moved(view, page, &node)? {
                copy
            } else if let (true, Some(next)) = (is_before, node.next()) {
                next
            } else if node.level() > level {
                let end = high.map_or(Ok(node.count()), |high| node.first_from(high)).of_page(page)?;
                let what = "none of its children begins before it ends";
                node.child(end.checked_sub(1).ok_or(IndexError::Damaged { page, what })?).of_page(page)?
            } else {
                return Ok((page, guard));
            };
        }
        unreachable!("the way ends, or is found to be too long")
    }

    /// Asks for the leaves that come after the next one, twice as many each time until the device has as many
    /// reads in flight as it serves at once.
    fn read_ahead(&self, cursor: &mut Cursor, end: End) -> Result<(), IndexError> {
        let most = self.pool.config().reads_ahead as usize;
        let ahead = &mut cursor.ahead;
        if ahead.end != Some(end) {
            // The first leaf is read by itself: many ranges end in it.
            *ahead = ReadAhead { end: Some(end), ..ReadAhead::default() };
            return Ok(());
        }
        ahead.left = ahead.left.saturating_sub(1);
        if ahead.left > ahead.window / 2 || most < 2 || self.root_of(cursor.view).level == 0 {
            return Ok(());
        }
        ahead.window = (2 * ahead.window).clamp(2, most);
        let wanted = ahead.window - ahead.left;
        let (pages, from) = match end {
            End::Front => {
                let from = ahead.from.as_deref().unwrap_or(&cursor.low).max(&cursor.low);
                self.leaves_from(cursor.view, from, cursor.high.as_deref(), wanted)?
            }
            End::Back => {
                let from = match (ahead.from.as_deref(), cursor.high.as_deref()) {
                    (Some(from), Some(high)) => Some(from.min(high)),
                    (from, high) => from.or(high),
                };
                self.leaves_before(cursor.view, from, &cursor.low, wanted)?
            }
        };
        ahead.left += pages.len();
        ahead.from = Some(from);
        Ok(self.pool.prefetch_pages(&pages)?)
    }

    /// The leaves of one node above them from the one that has `low` on, at most `most`, and where the next
    /// begin.
    fn leaves_from(
        &self,
        view: View,
        low: &[u8],
        high: Option<&[u8]>,
        most: usize,
    ) -> Result<(Vec<Page>, Vec<u8>), IndexError> {
        let (page, guard) = self.descend(view, 1, low)?;
        let node = Node::new(&guard).of_page(page)?;
        let first = node.entry_for(low).of_page(page)?;
        let end = match high {
            Some(high) => node.first_from(high).of_page(page)?,
            None => node.count(),
        };
        let end = end.min(first + most);
        let pages = (first..end).map(|entry| node.child(entry)).collect::<Result<_, _>>().of_page(page)?;
        let next = match end < node.count() {
            true => node.key(end).of_page(page)?,
            false => node.high().unwrap_or_else(|| low.to_vec()),
        };
        Ok((pages, next))
    }

    /// The same backwards: the leaves before the one that begins at `high`, the last first.
    fn leaves_before(
        &self,
        view: View,
        high: Option<&[u8]>,
        low: &[u8],
        most: usize,
    ) -> Result<(Vec<Page>, Vec<u8>), IndexError> {
        if high.is_some_and(|high| high <= low) {
            return Ok((Vec::new(), low.to_vec()));
        }
        let (page, guard) = self.descend_before(view, 1, high)?;
        let node = Node::new(&guard).of_page(page)?;
        let end = high.map_or(Ok(node.count()), |high| node.first_from(high)).of_page(page)?;
        let mut pages = Vec::new();
        let mut from = node.low();
        for entry in (0..end).rev().take(most) {
            pages.push(node.child(entry).of_page(page)?);
            from = node.key(entry).of_page(page)?;
            if *from <= *low {
                break;
            }
        }
        Ok((pages, from))
    }
}
