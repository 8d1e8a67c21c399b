//! The states that a power cut could leave at one moment, each as a directory: for going through all of them.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use crate::durable::HIDDEN;
use crate::node::Kind;
use crate::survivors::{Survivors, leave};
use crate::tree::Tree;
use crate::volume::Volume;

/// All subsets of no more than that many changes are gone through.
const MOST_CHANGES: usize = 16;

/// Seed of the subsets that are tried where there are too many for all.
const SEED: u64 = 1;

/// Writes directories `0000`, `0001` and so on into a new or empty directory, at most `most`; how many. With
/// few changes that are not durable these are all states; with many, those in which nothing, everything, one
/// change alone, or everything but one survives, and then others chosen at random, always the same. Nothing
/// stays there where not all can be written, or `ended` is set before that.
pub(crate) fn enumerate(volume: &Volume, into: &Path, most: usize, ended: &AtomicBool) -> io::Result<usize> {
    fs::create_dir_all(into)?;
    if fs::read_dir(into)?.next().is_some() {
        return Err(io::Error::other("is not empty; name a new directory"));
    }
    if fs::canonicalize(into)?.starts_with(volume.path()) {
        return Err(io::Error::other("is in the backing directory; name one elsewhere"));
    }
    volume.frozen(|tree, durable, strict| {
        let subsets = subsets(changes(tree), most);
        let write = |(folder, bits): (&PathBuf, &Vec<bool>)| {
            if ended.load(Ordering::Relaxed) {
                return Err(io::Error::other("the drive has ended meanwhile"));
            }
            copy(volume.path(), folder)?;
            let mut durable = durable.copied_to(folder)?;
            leave(tree, &mut durable, &mut Survivors::Chosen { bits: bits.clone(), next: 0 }, strict)?;
            fs::remove_dir_all(folder.join(HIDDEN))
        };
        let folders: Vec<_> = (0..subsets.len()).map(|i| into.join(format!("{i:04}"))).collect();
        folders.iter().zip(&subsets).try_for_each(write).inspect_err(|_| {
            // The first error is the one to tell.
            folders.iter().for_each(|folder| drop(fs::remove_dir_all(folder)));
        })?;
        Ok(subsets.len())
    })
}

/// Changes that are not durable, to names and to bytes.
fn changes(tree: &Tree) -> usize {
    let files = tree.nodes.values().filter_map(|node| match &node.kind {
        Kind::File(file) => Some(file.lock().content.changes().len()),
        _ => None,
    });
    tree.journal.len() + files.sum::<usize>()
}

/// At most `most` subsets of `count` changes, each once.
fn subsets(count: usize, most: usize) -> Vec<Vec<bool>> {
    if count <= MOST_CHANGES && 1usize << count <= most {
        return (0..1u32 << count).map(|case| (0..count).map(|i| case >> i & 1 == 1).collect()).collect();
    }
    // Fewer than there are, so that those chosen at random come to an end.
    let most = most.min(1 << (MOST_CHANGES - 1));
    let mut seen = BTreeSet::new();
    let mut subsets = Vec::new();
    let mut add = |bits: Vec<bool>| {
        let new = seen.insert(bits.clone());
        if new {
            subsets.push(bits);
        }
        subsets.len() < most
    };
    let mut more = most > 0 && add(vec![false; count]) && add(vec![true; count]);
    let mut i = 0;
    while more && i < count {
        more = add((0..count).map(|j| i == j).collect()) && add((0..count).map(|j| i != j).collect());
        i += 1;
    }
    let mut random = fastrand::Rng::with_seed(SEED);
    while more {
        more = add((0..count).map(|_| random.bool()).collect());
    }
    subsets
}

/// Copies a directory with all that is in it, names and bytes.
fn copy(from: &Path, to: &Path) -> io::Result<()> {
    fs::create_dir(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let (source, target) = (entry.path(), to.join(entry.file_name()));
        let kind = entry.file_type()?;
        if kind.is_dir() {
            copy(&source, &target)?;
        } else if kind.is_symlink() {
            std::os::unix::fs::symlink(fs::read_link(&source)?, &target)?;
        } else if kind.is_file() {
            fs::copy(&source, &target)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_changes_are_gone_through_and_of_many_the_telling_cases_come_first() {
        assert_eq!(subsets(3, 100).len(), 8);
        assert_eq!(subsets(0, 100).len(), 1);
        let some = subsets(40, 100);
        assert_eq!(some.len(), 100);
        assert!(some[0].iter().all(|bit| !bit) && some[1].iter().all(|&bit| bit));
        assert_eq!(some.iter().collect::<BTreeSet<_>>().len(), 100);
        assert_eq!(some, subsets(40, 100));
        assert_eq!(subsets(40, 1).len(), 1);
    }
}
