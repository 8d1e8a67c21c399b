//! `/proc/self/mountinfo` and `/proc/swaps`, read.

use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};

use crate::target::DeviceNumber;

/// One line of mountinfo: one mounted file system.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mount {
    /// `st_dev` of its files; anonymous for btrfs, overlay and the like.
    pub device: DeviceNumber,
    /// Where it is mounted.
    pub point: PathBuf,
    /// `ext4`, `xfs`, `overlay`, ...
    pub fs_type: String,
    /// Usually the path of the block device.
    pub source: PathBuf,
    /// Options of the mount, then differing options of the file system: `rw,relatime,discard`.
    pub options: String,
}

/// Reads mountinfo (proc(5)). Lines that are not of that form are left out.
pub fn parse_mounts(mountinfo: &[u8]) -> Vec<Mount> {
    mountinfo.split(|byte| *byte == b'\n').filter_map(parse_mount).collect()
}

/// The mount that holds `path`, which must be absolute and free of symbolic links: the longest mount point
/// that is a prefix of it, and of several at the same place the last, which hides the earlier ones.
pub fn mount_of<'a>(mounts: &'a [Mount], path: &Path) -> Option<&'a Mount> {
    mounts
        .iter()
        .filter(|mount| path.starts_with(&mount.point))
        .max_by_key(|mount| mount.point.components().count())
}

/// Reads `/proc/swaps`: the paths of active swap devices and files.
pub(super) fn parse_swaps(swaps: &[u8]) -> Vec<PathBuf> {
    let lines = swaps.split(|byte| *byte == b'\n').skip(1);
    lines.filter_map(|line| fields(line).next()).map(unescape).collect()
}

fn parse_mount(line: &[u8]) -> Option<Mount> {
    // 27 1 254:0 / /mnt rw,relatime shared:1 - ext4 /dev/vda rw,discard
    let mut fields = fields(line).skip(2);
    let device = DeviceNumber::parse(std::str::from_utf8(fields.next()?).ok()?)?;
    let _root = fields.next()?;
    let point = unescape(fields.next()?);
    let mut options = text(fields.next()?);
    fields.find(|field| *field == b"-")?;
    let fs_type = text(fields.next()?);
    let source = unescape(fields.next()?);
    let super_options = fields.next().map(text).unwrap_or_default();
    for option in super_options.split(',').filter(|option| !option.is_empty()) {
        if !options.split(',').any(|known| known == option) {
            options.push(',');
            options.push_str(option);
        }
    }
    Some(Mount { device, point, fs_type, source, options })
}

fn fields(line: &[u8]) -> impl Iterator<Item = &[u8]> {
    line.split(|byte| byte.is_ascii_whitespace()).filter(|field| !field.is_empty())
}

fn text(field: &[u8]) -> String {
    String::from_utf8_lossy(field).into_owned()
}

/// The kernel writes space, tab, newline and backslash in names as `\040` and so on.
fn unescape(field: &[u8]) -> PathBuf {
    let mut plain = Vec::with_capacity(field.len());
    let mut rest = field;
    while let [first, tail @ ..] = rest {
        let escaped = (*first == b'\\').then(|| octal(tail.get(..3)?)).flatten();
        plain.push(escaped.unwrap_or(*first));
        rest = if escaped.is_some() { &tail[3..] } else { tail };
    }
    PathBuf::from(OsString::from_vec(plain))
}

fn octal(digits: &[u8]) -> Option<u8> {
    let digits = digits.iter().all(|digit| (b'0'..=b'7').contains(digit)).then_some(digits)?;
    u8::from_str_radix(std::str::from_utf8(digits).ok()?, 8).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const MOUNTINFO: &[u8] = b"27 1 254:0 / / rw,relatime - ext4 /dev/vda rw,discard\n\
        30 27 0:27 / /dev/shm rw - tmpfs tmpfs rw,size=24684096k\n\
        31 27 259:1 / /mnt/with\\040space rw,noatime shared:5 master:2 - xfs /dev/nvme0n1p1 rw,attr2\n\
        32 27 259:2 / /mnt/with\\040space ro - ext4 /dev/nvme0n1p2 ro\n";

    #[test]
    fn mounts_are_read_with_their_options_once() {
        let mounts = parse_mounts(MOUNTINFO);
        assert_eq!(mounts.len(), 4);
        assert_eq!(mounts[0].options, "rw,relatime,discard");
        assert_eq!(mounts[2].point, Path::new("/mnt/with space"));
        assert_eq!((mounts[2].device.major, mounts[2].device.minor), (259, 1));
        assert_eq!(mounts[2].source, Path::new("/dev/nvme0n1p1"));
    }

    #[test]
    fn the_longest_and_last_mount_holds_a_path() {
        let mounts = parse_mounts(MOUNTINFO);
        let type_at = |path: &str| mount_of(&mounts, Path::new(path)).map(|mount| mount.fs_type.as_str());
        assert_eq!(type_at("/mnt/with space/a/b"), Some("ext4"));
        assert_eq!(type_at("/mnt/with spaces"), Some("ext4"));
        assert_eq!(type_at("/dev/shm"), Some("tmpfs"));
        assert_eq!(type_at("/home"), Some("ext4"));
        assert_eq!(mount_of(&mounts[1..], Path::new("/home")), None);
    }

    #[test]
    fn swaps_are_read_without_their_heading() {
        let swaps =
            b"Filename Type Size Used Priority\n/dev/dm-1 partition 1 0 -2\n/swap\\040file file 1 0 -3\n";
        assert_eq!(parse_swaps(swaps), [Path::new("/dev/dm-1"), Path::new("/swap file")]);
        assert!(parse_swaps(b"").is_empty());
    }

    proptest! {
        #[test]
        fn no_bytes_make_the_readers_panic(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
            parse_mounts(&bytes);
            parse_swaps(&bytes);
        }

        #[test]
        fn escapes_never_make_the_readers_panic(line in "[0-9:/ \\\\\\-a-c,\n]{0,200}") {
            parse_mounts(line.as_bytes());
            parse_swaps(line.as_bytes());
        }
    }
}
