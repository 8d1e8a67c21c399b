//! Random operations on the mount and on a plain folder: the same bytes, the same errors.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::os::unix::fs::{FileExt, MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

use leadline_testing::exhaustive;
use rustix::fs::FallocateFlags;

use crate::drive::{Drive, can_mount};

const SEED: u64 = 20_261_122;

/// Names that operations choose from: few, so that they meet.
const NAMES: [&str; 6] = ["a", "b", "d", "d/a", "d/b", "d/e"];

/// Files that are kept open.
const HANDLES: usize = 4;

#[derive(Debug, Clone)]
enum Operation {
    Open(usize, usize, bool),
    Close(usize),
    Write(usize, u64, usize, u8),
    Append(usize, usize, u8),
    Read(usize, u64, usize),
    Truncate(usize, u64),
    Allocate(usize, u32, u64, u64),
    Sync(usize, bool),
    Remove(usize),
    MakeDirectory(usize),
    RemoveDirectory(usize),
    Rename(usize, usize),
    Link(usize, usize),
    Symlink(usize, usize),
    List(usize),
    Mode(usize, u32),
    Look(usize),
    SetXattr(usize, u8),
    GetXattr(usize),
}

fn choose(random: &mut fastrand::Rng) -> Operation {
    let name = random.usize(..NAMES.len());
    let other = random.usize(..NAMES.len());
    let handle = random.usize(..HANDLES);
    let offset = random.u64(..200_000);
    let len = random.usize(1..40_000);
    let byte = random.u8(..);
    match random.u32(..100) {
        0..10 => Operation::Open(handle, name, random.bool()),
        10..13 => Operation::Close(handle),
        13..33 => Operation::Write(handle, offset, len, byte),
        33..36 => Operation::Append(handle, len, byte),
        36..54 => Operation::Read(handle, offset, len),
        54..60 => Operation::Truncate(handle, offset),
        60..67 => {
            // As it is, keeping the length; a hole; zeros.
            let mode = [0, 1, 3, 0x10, 0x11][random.usize(..5)];
            Operation::Allocate(handle, mode, offset, len as u64)
        }
        67..71 => Operation::Sync(handle, random.bool()),
        71..75 => Operation::Remove(name),
        75..78 => Operation::MakeDirectory(name),
        78..80 => Operation::RemoveDirectory(name),
        80..84 => Operation::Rename(name, other),
        84..86 => Operation::Link(name, other),
        86..88 => Operation::Symlink(name, other),
        88..91 => Operation::List(name),
        91..93 => Operation::Mode(name, random.u32(..0o1000) | 0o600),
        93..97 => Operation::Look(name),
        97..99 => Operation::SetXattr(name, byte),
        _ => Operation::GetXattr(name),
    }
}

/// What an operation showed: bytes, or the system's number for an error.
type Shown = Result<Vec<u8>, i32>;

/// A folder, and the files that are open in it.
struct Side {
    root: PathBuf,
    open: [Option<File>; HANDLES],
}

impl Side {
    fn new(root: &Path) -> Side {
        Side { root: root.to_owned(), open: Default::default() }
    }

    fn path(&self, name: usize) -> PathBuf {
        self.root.join(NAMES[name])
    }

    fn handle(&self, handle: usize) -> io::Result<&File> {
        self.open[handle].as_ref().ok_or_else(|| io::Error::from_raw_os_error(9))
    }

    fn shown(&mut self, operation: &Operation) -> Shown {
        self.perform(operation).map_err(|error| error.raw_os_error().unwrap_or(-1))
    }

    fn perform(&mut self, operation: &Operation) -> io::Result<Vec<u8>> {
        let nothing = Ok(Vec::new());
        match *operation {
            Operation::Open(handle, name, truncate) => {
                let mut options = OpenOptions::new();
                options.read(true).write(true).create(true).truncate(truncate);
                self.open[handle] = None;
                self.open[handle] = Some(options.open(self.path(name))?);
                nothing
            }
            Operation::Close(handle) => {
                self.open[handle] = None;
                nothing
            }
            Operation::Write(handle, offset, len, byte) => {
                self.handle(handle)?.write_all_at(&vec![byte; len], offset)?;
                nothing
            }
            Operation::Append(handle, len, byte) => {
                let mut file = self.handle(handle)?;
                file.seek(SeekFrom::End(0))?;
                file.write_all(&vec![byte; len])?;
                nothing
            }
            Operation::Read(handle, offset, len) => {
                let mut bytes = vec![0; len];
                let read = self.handle(handle)?.read_at(&mut bytes, offset)?;
                bytes.truncate(read);
                Ok(bytes)
            }
            Operation::Truncate(handle, len) => {
                self.handle(handle)?.set_len(len)?;
                nothing
            }
            Operation::Allocate(handle, mode, offset, len) => {
                let mode = FallocateFlags::from_bits_retain(mode);
                rustix::fs::fallocate(self.handle(handle)?, mode, offset, len)?;
                nothing
            }
            Operation::Sync(handle, data) => {
                let file = self.handle(handle)?;
                if data {
                    file.sync_data()?
                } else {
                    file.sync_all()?
                }
                nothing
            }
            Operation::Remove(name) => fs::remove_file(self.path(name)).map(|()| Vec::new()),
            Operation::MakeDirectory(name) => fs::create_dir(self.path(name)).map(|()| Vec::new()),
            Operation::RemoveDirectory(name) => fs::remove_dir(self.path(name)).map(|()| Vec::new()),
            Operation::Rename(from, to) => fs::rename(self.path(from), self.path(to)).map(|()| Vec::new()),
            Operation::Link(from, to) => fs::hard_link(self.path(from), self.path(to)).map(|()| Vec::new()),
            Operation::Symlink(target, name) => {
                std::os::unix::fs::symlink(NAMES[target], self.path(name)).map(|()| Vec::new())
            }
            Operation::List(name) => Ok(listing(&self.path(name))?.into_bytes()),
            Operation::Mode(name, mode) => {
                // Not of a directory, which would lock the test out.
                let path = self.path(name);
                if fs::metadata(&path)?.is_file() {
                    fs::set_permissions(&path, fs::Permissions::from_mode(mode))?;
                }
                nothing
            }
            Operation::Look(name) => Ok(description(&self.path(name))?.into_bytes()),
            Operation::SetXattr(name, byte) => {
                let value = [byte; 7];
                rustix::fs::setxattr(self.path(name), "user.test", &value, rustix::fs::XattrFlags::empty())?;
                nothing
            }
            Operation::GetXattr(name) => {
                let mut value = vec![0; 100];
                let len = rustix::fs::getxattr(self.path(name), "user.test", &mut value[..])?;
                value.truncate(len);
                Ok(value)
            }
        }
    }
}

/// Names in a directory, with what they are.
fn listing(path: &Path) -> io::Result<String> {
    let mut lines = Vec::new();
    for entry in fs::read_dir(path)? {
        let entry = entry?;
        let kind = entry.file_type()?;
        lines.push(format!("{:?} {} {}", entry.file_name(), kind.is_dir(), kind.is_symlink()));
    }
    lines.sort();
    Ok(lines.join("\n"))
}

fn description(path: &Path) -> io::Result<String> {
    let metadata = fs::symlink_metadata(path)?;
    // A directory's own length is its file system's affair.
    let len = if metadata.is_dir() { 0 } else { metadata.len() };
    let mode = metadata.mode();
    Ok(format!("{mode:o} {len} {} {} {}", metadata.nlink(), metadata.uid(), metadata.gid()))
}

/// Everything under a folder.
fn tree(path: &Path, into: &mut String) {
    let mut names: Vec<_> = fs::read_dir(path).unwrap().map(|entry| entry.unwrap().path()).collect();
    names.sort();
    for name in names {
        let metadata = fs::symlink_metadata(&name).unwrap();
        into.push_str(&format!("{:?} {}\n", name.file_name().unwrap(), description(&name).unwrap()));
        if metadata.is_dir() {
            tree(&name, into);
        } else if metadata.is_symlink() {
            into.push_str(&format!("{:?}\n", fs::read_link(&name).unwrap()));
        } else {
            let mut bytes = Vec::new();
            File::open(&name).unwrap().read_to_end(&mut bytes).unwrap();
            into.push_str(&format!("{} {:x}\n", bytes.len(), checksum(&bytes)));
        }
    }
}

/// FNV-1a.
fn checksum(bytes: &[u8]) -> u64 {
    bytes
        .iter()
        .fold(0xcbf2_9ce4_8422_2325, |sum, &byte| (sum ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3))
}

#[test]
fn ten_thousand_random_operations_are_those_of_a_plain_folder() {
    if !can_mount() {
        return;
    }
    let device = "kind = \"parametric\"\ncapacity = \"1G\"\n[read]\nservice_us = 1\nservers = 64\n[write]\n\
                  service_us = 1\nservers = 64\n";
    // A small cache, so that much of it becomes durable on the way.
    let mut drive = Drive::with(device, |options| options.cache_bytes = 1 << 20);
    let plain = tempfile::tempdir().unwrap();
    let (mut mounted, mut oracle) = (Side::new(&drive.path("")), Side::new(plain.path()));
    let mut random = fastrand::Rng::with_seed(SEED);
    let count = if exhaustive() { 100_000 } else { 10_000 };
    for step in 0..count {
        let operation = choose(&mut random);
        let (found, expected) = (mounted.shown(&operation), oracle.shown(&operation));
        assert!(
            found == expected,
            "step {step}, {operation:?}: {found:?} where a directory has {expected:?}"
        );
    }
    drop((mounted, oracle));
    let (mut live, mut left, mut expected) = (String::new(), String::new(), String::new());
    tree(plain.path(), &mut expected);
    tree(&drive.path(""), &mut live);
    assert_eq!(live, expected);
    drive.unmount();
    tree(&drive.backing(), &mut left);
    assert_eq!(left, expected);
}
