//! The checksums of a graph store and of an index, put in order after a mutation. docs/graph-format.md and
//! docs/index-format.md say where they are.

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

/// Seals a log of an index: its first block, and the records that follow one another.
pub(crate) fn seal_log(log: &mut [u8]) {
    if log.len() < PAGE {
        return;
    }
    let session = number(log, 24);
    let sum = crc32fast::hash(&log[..32]);
    log[32..36].copy_from_slice(&sum.to_le_bytes());
    let mut rest = &mut log[PAGE..];
    while rest.len() >= 24 && rest[..24].iter().any(|byte| *byte != 0) {
        let length = u32::from_le_bytes([rest[4], rest[5], rest[6], rest[7]]) as usize;
        let end = rest.len().min(24usize.saturating_add(length));
        let (record, behind) = rest.split_at_mut(end);
        let sum = crc32fast::hash(&record[24..]);
        record[20..24].copy_from_slice(&sum.to_le_bytes());
        let mut hasher = crc32fast::Hasher::new();
        hasher.update(&session.to_le_bytes());
        hasher.update(&record[4..24]);
        record[..4].copy_from_slice(&hasher.finalize().to_le_bytes());
        rest = behind;
    }
}

/// Seals blocks of a file of nodes of `capacity` bytes, the number of each in front of it.
pub(crate) fn seal_nodes(blocks: &mut [u8], capacity: u64) {
    const SUPERBLOCKS: [u64; 2] = [0, 16];
    const MAPS: u64 = 32;
    let map_pages = (capacity / PAGE as u64).div_ceil((PAGE as u64 - 8) / 4);
    let place = |block: &[u8]| u64::from(u32::from_le_bytes([block[0], block[1], block[2], block[3]]));
    // Of two superblocks, the one with the higher number is in force.
    let superblocks = blocks.chunks_exact(4 + PAGE).filter(|block| SUPERBLOCKS.contains(&place(block)));
    let map_number = superblocks.map(|block| (number(block, 44), number(block, 52))).max();
    let map_number = map_number.map_or(0, |(_, map_number)| map_number);
    for block in blocks.chunks_exact_mut(4 + PAGE) {
        let at = place(block);
        let bytes = &mut block[4..];
        if SUPERBLOCKS.contains(&at) {
            let sum = crc32fast::hash(&bytes[..PAGE - 4]);
            bytes[PAGE - 4..].copy_from_slice(&sum.to_le_bytes());
            continue;
        }
        let low = u64::from(u32::from_le_bytes([bytes[4092], bytes[4093], bytes[4094], bytes[4095]]));
        let page = match at.checked_sub(MAPS) {
            Some(part) if part < 2 * map_pages => (map_number << 32) | (part % map_pages),
            _ => low,
        };
        let mut hasher = crc32fast::Hasher::new();
        hasher.update(&bytes[..PAGE - 8]);
        hasher.update(&page.to_le_bytes());
        bytes[PAGE - 8..PAGE - 4].copy_from_slice(&hasher.finalize().to_le_bytes());
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
