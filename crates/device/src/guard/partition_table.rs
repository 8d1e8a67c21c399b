//! Partition tables as they are on the device. A kernel built without them, or one that was not told to look
//! again, does not know the partitions; the data in them is there all the same.

/// Bytes from the device's start that [`partition_table`] wants to see.
pub(super) const PROBE_BYTES: usize = 8192;

const ENTRIES_AT: usize = 446;
const ENTRY_BYTES: usize = 16;

/// Names the partition table that `start`, the first bytes of a device, holds.
pub(super) fn partition_table(start: &[u8]) -> Option<&'static str> {
    // The GPT header is the second block, whatever the block's size.
    let gpt = [512, 4096].iter().any(|at| start.get(*at..).is_some_and(|rest| rest.starts_with(b"EFI PART")));
    if gpt {
        return Some("a GPT partition table");
    }
    is_mbr(start).then_some("an MBR partition table")
}

/// The kernel's own test (block/partitions/msdos.c): the signature, four entries whose status is 0 or 0x80
/// (boot sectors without a table have code there), and one that is not empty.
fn is_mbr(start: &[u8]) -> bool {
    let Some(sector) = start.get(..512) else { return false };
    if sector[510..] != [0x55, 0xaa] {
        return false;
    }
    let entries = || sector[ENTRIES_AT..510].chunks_exact(ENTRY_BYTES);
    let plausible = entries().all(|entry| entry[0] & 0x7f == 0);
    let used = |entry: &[u8]| entry[4] != 0 && entry[12..16] != [0; 4];
    plausible && entries().any(used)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mbr() -> Vec<u8> {
        let mut start = vec![0; PROBE_BYTES];
        start[510..512].copy_from_slice(&[0x55, 0xaa]);
        start[ENTRIES_AT + 4] = 0x83;
        start[ENTRIES_AT + 8] = 1;
        start[ENTRIES_AT + 13] = 64;
        start
    }

    #[test]
    fn tables_are_seen() {
        assert_eq!(partition_table(&mbr()), Some("an MBR partition table"));
        for at in [512, 4096] {
            let mut start = vec![0; PROBE_BYTES];
            start[at..at + 8].copy_from_slice(b"EFI PART");
            assert_eq!(partition_table(&start), Some("a GPT partition table"));
        }
    }

    #[test]
    fn other_first_sectors_are_not_taken_for_tables() {
        assert_eq!(partition_table(&[]), None);
        assert_eq!(partition_table(&[0; PROBE_BYTES]), None);
        let mut no_entries = mbr();
        no_entries[ENTRIES_AT + 4] = 0;
        assert_eq!(partition_table(&no_entries), None);
        let mut boot_code = mbr();
        boot_code[ENTRIES_AT + ENTRY_BYTES] = 0x13;
        assert_eq!(partition_table(&boot_code), None);
    }
}
