//! The checksums of a graph store, put in order after a mutation. docs/graph-format.md says where they are.

use std::io::Write as _;

use xxhash_rust::xxh3::xxh3_64_with_seed;

pub(crate) const PAGE: usize = 4096;
const BLOCK_BYTES: usize = 12;
/// Offset and bytes of each part, in the header: blocks, directory, reverse blocks, their directory, ids,
/// order.
const PARTS: usize = 64;
/// The kinds of parts that are made of pages, by their place among the parts.
const KINDS: [(usize, u64); 4] = [(1, 3), (3, 4), (4, 5), (5, 6)];

/// Seals blocks, pages and header. What the header says of parts that are not there, or overlap, is left as
/// it is.
pub(crate) fn seal_store(store: &mut [u8]) {
    if store.len() < PAGE {
        return;
    }
    let block_bytes = number(store, BLOCK_BYTES) as u32 as usize;
    for (part, direction) in [(0, 1u64), (2, 2)] {
        let Some(bytes) = part_of(store, part, Some) else { continue };
        if block_bytes < 16 {
            continue;
        }
        for (block, bytes) in bytes.chunks_exact_mut(block_bytes).enumerate() {
            let sum = xxh3_64_with_seed(&bytes[8..], direction << 32 | block as u64);
            bytes[..8].copy_from_slice(&sum.to_le_bytes());
        }
    }
    for (part, kind) in KINDS {
        let in_file = |bytes: usize| bytes.div_ceil(PAGE - 8).checked_mul(PAGE);
        let Some(bytes) = part_of(store, part, in_file) else { continue };
        for (page, bytes) in bytes.chunks_exact_mut(PAGE).enumerate() {
            let sum = xxh3_64_with_seed(&bytes[..PAGE - 8], kind << 56 | page as u64);
            bytes[PAGE - 8..].copy_from_slice(&sum.to_le_bytes());
        }
    }
    let sum = xxh3_64_with_seed(&store[..PAGE - 8], 0);
    store[PAGE - 8..PAGE].copy_from_slice(&sum.to_le_bytes());
}

/// Seals the manifest of a sharded store, whose checksum ends its first line.
pub(crate) fn seal_manifest(manifest: &mut [u8]) {
    let Some(end) = manifest.iter().position(|byte| *byte == b'\n') else { return };
    let (first, rest) = manifest.split_at_mut(end);
    let Some(mut digits) = first.len().checked_sub(16).map(|at| &mut first[at..]) else { return };
    write!(digits, "{:016x}", xxh3_64_with_seed(&rest[1..], 0)).expect("it has 16 digits");
}

/// Seals the pages of ids of a sharded store.
pub(crate) fn seal_ids(ids: &mut [u8]) {
    for (page, bytes) in ids.chunks_exact_mut(PAGE).enumerate() {
        let sum = xxh3_64_with_seed(&bytes[8..], 7 << 56 | page as u64);
        bytes[..8].copy_from_slice(&sum.to_le_bytes());
    }
}

fn number(store: &[u8], at: usize) -> u64 {
    u64::from_le_bytes(std::array::from_fn(|i| store[at + i]))
}

/// The bytes of a part, where it lies behind the header and within the file.
fn part_of(store: &mut [u8], part: usize, in_file: impl Fn(usize) -> Option<usize>) -> Option<&mut [u8]> {
    let at = PARTS + 16 * part;
    let offset = usize::try_from(number(store, at)).ok()?;
    let bytes = in_file(usize::try_from(number(store, at + 8)).ok()?)?;
    if offset < PAGE {
        return None;
    }
    store.get_mut(offset..offset.checked_add(bytes)?)
}
