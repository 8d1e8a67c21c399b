//! What a power cut leaves of what is not durable.

use std::collections::HashSet;
use std::io;
use std::sync::Arc;

use crate::content::{Change, apply_to};
use crate::durable::Durable;
use crate::journal::{Journal, Operation};
use crate::node::{FileData, Ino, Kind};
use crate::tree::Tree;

/// Drives keep or lose whole sectors of this many bytes.
pub(crate) const SECTOR_BYTES: u64 = 512;

/// Which changes outlive a power cut.
#[derive(Debug, Clone)]
pub(crate) enum Survivors {
    /// None that is not durable.
    None,
    /// Some, chosen at random: names as the rules of the journal allow, each write whole, not at all, or in
    /// some of its sectors.
    Random(fastrand::Rng),
    /// Those whose bit is set, counting names first, then writes: for going through all cases.
    Chosen { bits: Vec<bool>, next: usize },
}

impl Survivors {
    /// Takes the operations that survive, in their order.
    pub(crate) fn of_journal(&mut self, journal: &mut Journal, strict: bool) -> Vec<Operation> {
        match self {
            Survivors::None => Vec::new(),
            Survivors::Random(random) if strict => journal.take_with_needed(|_| random.bool()),
            Survivors::Random(random) => {
                let count = random.usize(..=journal.len());
                journal.take_first(count)
            }
            Survivors::Chosen { bits, next } => {
                let first = *next;
                *next += journal.len();
                let chosen = bits.get(first..*next).unwrap_or_default();
                if strict {
                    // From the last to the first, as the journal asks.
                    let mut chosen = chosen.iter().rev();
                    return journal.take_with_needed(|_| chosen.next().is_some_and(|&bit| bit));
                }
                journal.take_first(chosen.iter().take_while(|&&bit| bit).count())
            }
        }
    }

    /// What survives of a change.
    pub(crate) fn of_change(&mut self, change: &Change) -> Vec<Change> {
        match self {
            Survivors::None => Vec::new(),
            Survivors::Random(random) => match (random.u8(..3), change) {
                (0, _) => Vec::new(),
                (1, Change::Write(offset, data)) => some_sectors(random, *offset, data),
                _ => vec![change.clone()],
            },
            Survivors::Chosen { bits, next } => {
                let survives = bits.get(*next).is_some_and(|&bit| bit);
                *next += 1;
                if survives { vec![change.clone()] } else { Vec::new() }
            }
        }
    }
}

/// What a power cut did.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
pub struct PowerCut {
    /// Writes, truncations and holes that were not durable.
    pub writes: u64,
    /// Writes that did not survive whole.
    pub writes_lost: u64,
    /// Changes to names and attributes that were not durable.
    pub names: u64,
    /// Changes to names and attributes that did not survive.
    pub names_lost: u64,
}

/// Writes what survives of the tree's changes to a backing directory that has what is durable.
///
/// # Errors
/// That of the directory.
pub(crate) fn leave(
    tree: &Tree,
    durable: &mut Durable,
    survivors: &mut Survivors,
    strict: bool,
) -> io::Result<PowerCut> {
    let mut journal = tree.journal.clone();
    let mut cut = PowerCut { names: journal.len() as u64, ..PowerCut::default() };
    let operations = survivors.of_journal(&mut journal, strict);
    cut.names_lost = cut.names - operations.len() as u64;
    let mut whole = HashSet::new();
    for operation in operations {
        // As ext4 with its option auto_da_alloc: what replaces a file is written first.
        if let Operation::Rename { ino, replaced: Some(_), .. } = &operation
            && !strict
            && let Ok(file) = tree.file(*ino)
            && whole.insert(*ino)
        {
            let changes: Vec<Change> = file.lock().content.changes().cloned().collect();
            cut.writes += changes.len() as u64;
            store(tree, durable, *ino, changes)?;
        }
        durable.apply(&operation, &tree.nodes)?;
    }
    let mut files: Vec<(Ino, Arc<FileData>)> = Vec::new();
    for (&ino, node) in &tree.nodes {
        if let Kind::File(file) = &node.kind
            && !whole.contains(&ino)
        {
            files.push((ino, Arc::clone(file)));
        }
    }
    // The same seed leaves the same.
    files.sort_unstable_by_key(|(ino, _)| *ino);
    for (ino, file) in files {
        let (before, left, kept) = {
            let state = file.lock();
            let (mut left, mut kept) = (Vec::new(), 0);
            for change in state.content.changes() {
                let survives = survivors.of_change(change);
                kept += u64::from(survives.iter().map(Change::bytes).sum::<u64>() >= change.bytes());
                left.extend(survives);
            }
            (state.content.changes().len() as u64, left, kept)
        };
        cut.writes += before;
        // A file without a durable name is lost with all that is in it.
        if !durable.has_name(ino) {
            cut.writes_lost += before;
            continue;
        }
        cut.writes_lost += before - kept;
        if !left.is_empty() {
            store(tree, durable, ino, left)?;
        }
    }
    Ok(cut)
}

fn store(tree: &Tree, durable: &mut Durable, ino: Ino, changes: Vec<Change>) -> io::Result<()> {
    let attributes = tree.node(ino)?.attributes;
    apply_to(&durable.open_file(ino, &attributes)?, changes)
}

/// Some of a write's sectors, each with a probability of one half; never part of one.
pub(crate) fn some_sectors(random: &mut fastrand::Rng, offset: u64, data: &Arc<[u8]>) -> Vec<Change> {
    sectors(offset, data.len() as u64)
        .filter(|_| random.bool())
        .map(|(from, to)| {
            let part = &data[(from - offset) as usize..(to - offset) as usize];
            Change::Write(from, part.into())
        })
        .collect()
}

/// Where the sectors of a write begin and end; the first and the last may be touched in part only.
pub(crate) fn sectors(offset: u64, len: u64) -> impl Iterator<Item = (u64, u64)> {
    let end = offset + len;
    let first = offset / SECTOR_BYTES;
    let last = end.div_ceil(SECTOR_BYTES);
    (first..last)
        .map(move |sector| ((sector * SECTOR_BYTES).max(offset), ((sector + 1) * SECTOR_BYTES).min(end)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn writes_are_torn_between_sectors_only() {
        let data: Arc<[u8]> = vec![7; 5000].into();
        let mut random = fastrand::Rng::with_seed(3);
        let (mut torn, mut bytes) = (0, 0);
        for _ in 0..100 {
            for part in some_sectors(&mut random, 300, &data) {
                let Change::Write(offset, part) = part else { panic!("a write stays a write") };
                let end = offset + part.len() as u64;
                assert!(offset == 300 || offset.is_multiple_of(SECTOR_BYTES));
                assert!(end == 5300 || end.is_multiple_of(SECTOR_BYTES));
                bytes += part.len();
                torn += 1;
            }
        }
        assert!(torn > 300 && bytes > 100_000 && bytes < 400_000, "{torn} {bytes}");
    }

    #[test]
    fn what_is_chosen_survives_and_nothing_else() {
        let changes = [Change::Truncate(1), Change::Truncate(2), Change::Truncate(3)];
        let mut survivors = Survivors::Chosen { bits: vec![true, false, true], next: 0 };
        let left: Vec<Change> = changes.iter().flat_map(|change| survivors.of_change(change)).collect();
        assert!(matches!(left[..], [Change::Truncate(1), Change::Truncate(3)]));
        assert!(Survivors::None.of_change(&changes[0]).is_empty());
    }
}
