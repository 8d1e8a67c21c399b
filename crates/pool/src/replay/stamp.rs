//! What a page says of itself: its number and its version, once per sector, so that a page that is somebody
//! else's, old, torn or put together from two is seen.
//!
//! ```text
//! byte 0   8 bytes  number of the page in the trace
//!      8   4 bytes  version: writes so far, modulo 2^32
//!     12   4 bytes  number of the sector in the page, from 0
//! ```
//!
//! Little-endian. The rest of a sector of 512 bytes is random, written once when the page is laid out.

const SECTOR: usize = 512;
const STAMP: usize = 16;

fn stamp(page: u64, version: u32, sector: u32) -> [u8; STAMP] {
    let mut bytes = [0; STAMP];
    bytes[..8].copy_from_slice(&page.to_le_bytes());
    bytes[8..12].copy_from_slice(&version.to_le_bytes());
    bytes[12..].copy_from_slice(&sector.to_le_bytes());
    bytes
}

/// Stamps all sectors of a page.
#[inline]
pub(super) fn put(bytes: &mut [u8], page: u64, version: u32) {
    for (sector, bytes) in bytes.chunks_mut(SECTOR).enumerate() {
        bytes[..STAMP].copy_from_slice(&stamp(page, version, sector as u32));
    }
}

/// Looks at the first sector only: what every access can afford.
///
/// # Errors
/// What the page holds instead.
#[inline]
pub(super) fn glance(bytes: &[u8], page: u64, version: u32) -> Result<(), String> {
    if bytes[..STAMP] == stamp(page, version, 0) { Ok(()) } else { check(bytes, page, version) }
}

/// Looks at all sectors.
///
/// # Errors
/// What the page holds instead.
pub(super) fn check(bytes: &[u8], page: u64, version: u32) -> Result<(), String> {
    for (sector, bytes) in bytes.chunks(SECTOR).enumerate() {
        if bytes[..STAMP] != stamp(page, version, sector as u32) {
            return Err(what_is_wrong(bytes, page, version, sector as u32));
        }
    }
    Ok(())
}

fn what_is_wrong(bytes: &[u8], page: u64, version: u32, sector: u32) -> String {
    let found_page = u64::from_le_bytes(bytes[..8].try_into().unwrap_or_default());
    let found = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap_or_default());
    let (found_version, found_sector) = (found(8), found(12));
    let place = if sector == 0 { String::new() } else { format!("from sector {sector} on ") };
    if found_sector != sector || bytes[..STAMP].iter().all(|&byte| byte == 0) && version > 0 {
        return format!("{place}it holds no page that was written here");
    }
    if found_page != page {
        return format!("{place}it holds page {found_page}, version {found_version}");
    }
    format!("{place}it holds version {found_version} instead of version {version}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_of_another_number_or_version_is_seen_in_any_sector() {
        for length in [4096, 4088, 512] {
            let mut page = vec![1; length];
            put(&mut page, 1 << 50, 3);
            assert_eq!((check(&page, 1 << 50, 3), glance(&page, 1 << 50, 3)), (Ok(()), Ok(())));
            for sector in 0..length / 512 {
                let mut torn = page.clone();
                put(&mut torn, 1 << 50, 2);
                torn[..sector * 512].copy_from_slice(&page[..sector * 512]);
                let said = check(&torn, 1 << 50, 3).unwrap_err();
                assert!(said.contains("version 2 instead of version 3"), "{said}");
            }
            let said = glance(&page, 9, 3).unwrap_err();
            assert!(said.contains("it holds page 1125899906842624, version 3"), "{said}");
            page.fill(0);
            assert!(check(&page, 9, 3).unwrap_err().contains("no page"));
        }
    }
}
