//! Who has a file locked.

use std::fs::{self, File};
use std::os::linux::fs::MetadataExt;

/// The processes that have a file locked, in words; nothing where the system does not tell.
pub(crate) fn holders(file: &File) -> String {
    let Ok(metadata) = file.metadata() else { return String::new() };
    let locks = fs::read_to_string("/proc/locks").unwrap_or_default();
    let found = holders_in(&locks, metadata.st_dev(), metadata.st_ino());
    let mut names: Vec<String> = found.into_iter().map(name).collect();
    names.dedup();
    if names.is_empty() { String::new() } else { format!(" by {}", names.join(", ")) }
}

/// `process 4711 (python3)`
fn name(process: u32) -> String {
    if process == std::process::id() {
        return "this process".to_owned();
    }
    match fs::read_to_string(format!("/proc/{process}/comm")) {
        Ok(program) => format!("process {process} ({})", program.trim_end()),
        Err(_) => format!("process {process}"),
    }
}

/// From what the kernel says: `1: FLOCK  ADVISORY  WRITE 4711 fe:00:5702234 0 EOF`. Some file systems give
/// their files another device than the kernel's lists do.
fn holders_in(locks: &str, device: u64, inode: u64) -> Vec<u32> {
    let major = (device >> 8 & 0xfff) | (device >> 32 & !0xfff);
    let minor = (device & 0xff) | (device >> 12 & !0xff);
    let same_inode = locks.lines().filter_map(|line| {
        let mut words = line.split_whitespace().skip(1);
        if words.next() != Some("FLOCK") {
            return None;
        }
        let process: u32 = words.nth(2)?.parse().ok()?;
        let (place, number) = words.next()?.rsplit_once(':')?;
        (number.parse() == Ok(inode) && process > 0).then(|| (place.to_owned(), process))
    });
    let same_inode: Vec<(String, u32)> = same_inode.collect();
    let here = format!("{major:02x}:{minor:02x}");
    let is_listed = same_inode.iter().any(|(place, _)| *place == here);
    let mut found: Vec<u32> = same_inode
        .into_iter()
        .filter(|(place, _)| !is_listed || *place == here)
        .map(|(_, who)| who)
        .collect();
    found.sort_unstable();
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn processes_are_found_by_the_device_and_the_inode() {
        let locks = "1: FLOCK  ADVISORY  WRITE 20256 fe:00:644361 0 EOF\n\
                     1: -> FLOCK  ADVISORY  WRITE 20257 fe:00:644361 0 EOF\n\
                     2: POSIX  ADVISORY  WRITE 20258 fe:00:644361 0 EOF\n\
                     3: FLOCK  ADVISORY  READ 7 00:1b:5 0 EOF\n\
                     4: FLOCK  ADVISORY  READ 6 00:1b:5 0 EOF\n\
                     5: FLOCK  ADVISORY  READ 8 00:1c:5 0 EOF\n";
        assert_eq!(holders_in(locks, 0xfe00, 644_361), [20_256]);
        assert_eq!(holders_in(locks, 0x1b, 5), [6, 7]);
        assert_eq!(holders_in(locks, 0x99, 5), [6, 7, 8], "of another device by the system's word");
        assert!(holders_in(locks, 0xfe00, 1).is_empty());
    }
}
