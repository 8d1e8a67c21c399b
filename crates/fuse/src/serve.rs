//! What every server says to the kernel: how it is mounted, what it can, how files are opened.

use std::fs::File;
use std::io;

use fuser::{Config, FopenFlags, InitFlags, KernelConfig, MountOption, OpenFlags, SessionACL};
use rustix::fs::OFlags;

/// What the kernel speaks FUSE through.
const DEVICE: &str = "/dev/fuse";

/// Requests of the kernel's own (read-ahead, write-back, asynchronous I/O) that may be under way.
const MOST_BACKGROUND: u16 = 256;

/// Bytes of the largest write.
const MOST_WRITTEN: u32 = 1 << 20;

/// Whether this user may mount anything here.
///
/// # Errors
/// The system's reason why `/dev/fuse` cannot be opened.
pub fn check_device() -> io::Result<()> {
    File::options().read(true).write(true).open(DEVICE).map(drop)
}

/// Lets this process have as many files open as it may.
pub fn raise_file_limit() {
    use rustix::process::{Resource, getrlimit, setrlimit};
    let mut limit = getrlimit(Resource::Nofile);
    limit.current = limit.maximum;
    // Where it cannot be raised, programs with many files get EMFILE sooner.
    let _ = setrlimit(Resource::Nofile, limit);
}

/// How it is mounted: from `source`, which `mount` and `df` show, with `threads` threads that answer. The
/// kernel checks permissions, as on any file system. Root opens the mount to all users; plain users may not.
pub fn options(source: String, threads: usize, more: &[MountOption]) -> Config {
    let mut config = Config::default();
    config.mount_options = vec![MountOption::FSName(source), MountOption::DefaultPermissions];
    config.mount_options.extend_from_slice(more);
    config.acl = if rustix::process::geteuid().is_root() { SessionACL::All } else { SessionACL::Owner };
    config.n_threads = Some(threads);
    config.clone_fd = true;
    config
}

/// Tells the kernel at the start what the server can, and `more`. An older kernel does without.
pub fn negotiate(config: &mut KernelConfig, more: &[InitFlags]) {
    let wanted = [
        InitFlags::FUSE_ASYNC_READ,
        InitFlags::FUSE_ASYNC_DIO,
        InitFlags::FUSE_DIRECT_IO_ALLOW_MMAP,
        InitFlags::FUSE_PARALLEL_DIROPS,
        InitFlags::FUSE_BIG_WRITES,
        InitFlags::FUSE_MAX_PAGES,
        // Without it the kernel asks for an extended attribute before every write.
        InitFlags::FUSE_HANDLE_KILLPRIV_V2,
    ];
    for wanted in wanted.iter().chain(more) {
        let _ = config.add_capabilities(*wanted);
    }
    let _ = config.set_max_background(MOST_BACKGROUND);
    let _ = config.set_congestion_threshold(MOST_BACKGROUND);
    let _ = config.set_max_write(MOST_WRITTEN);
}

/// How the kernel is to treat a file that was opened with these flags; `keeps` says that what it has of the
/// file in its page cache is right.
pub fn fopen_flags(flags: OpenFlags, keeps: bool) -> FopenFlags {
    // The numbers of the flags are the processor's: O_DIRECT of one is O_DIRECTORY of another.
    if of_program(flags).contains(OFlags::DIRECT) {
        FopenFlags::FOPEN_DIRECT_IO | FopenFlags::FOPEN_PARALLEL_DIRECT_WRITES
    } else if keeps {
        FopenFlags::FOPEN_KEEP_CACHE
    } else {
        FopenFlags::empty()
    }
}

/// Data and what is needed to read it are durable when a write is answered. `OFlags::DSYNC` is O_SYNC on
/// Linux, of which this is one bit.
const O_DSYNC: OFlags = OFlags::from_bits_retain(0o10_000);

/// Whether a write whose file is open with these flags is durable when it is answered. O_SYNC includes it.
pub fn is_durable(flags: OpenFlags) -> bool {
    of_program(flags).contains(O_DSYNC)
}

/// Whether a file that is open with these flags can be written.
pub fn is_writing(flags: OpenFlags) -> bool {
    of_program(flags).intersects(OFlags::WRONLY | OFlags::RDWR)
}

/// The flags as this system names them.
fn of_program(flags: OpenFlags) -> OFlags {
    OFlags::from_bits_retain(flags.0 as u32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn open_flags_are_those_of_this_processor() {
        let direct = FopenFlags::FOPEN_DIRECT_IO | FopenFlags::FOPEN_PARALLEL_DIRECT_WRITES;
        let flags = |flags: OFlags| OpenFlags(flags.bits() as i32);
        assert_eq!(fopen_flags(flags(OFlags::DIRECT | OFlags::RDWR), true), direct);
        // On 64-bit Arm it has the number of O_DIRECT elsewhere.
        assert_eq!(fopen_flags(flags(OFlags::DIRECTORY), true), FopenFlags::FOPEN_KEEP_CACHE);
        assert_eq!(fopen_flags(flags(OFlags::NOFOLLOW), false), FopenFlags::empty());
        assert!(is_durable(flags(O_DSYNC)) && is_durable(flags(OFlags::SYNC)));
        assert_ne!(O_DSYNC, OFlags::SYNC, "programs open files with one or the other");
        assert!(!is_durable(flags(OFlags::DIRECT | OFlags::APPEND)));
        assert!(is_writing(flags(OFlags::WRONLY | OFlags::APPEND)) && is_writing(flags(OFlags::RDWR)));
        assert!(!is_writing(flags(OFlags::RDONLY | OFlags::DIRECT)));
    }
}
