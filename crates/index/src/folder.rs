//! The directory of an index.
//!
//! | file | content |
//! | --- | --- |
//! | `index` | two lines of text: what it is, and the bytes of a node; locked while the index is open |
//! | `pages` | the nodes; sparse, so that it is as large as it may become |
//! | `....log`, `spare-...` | the log, in files that are numbered, and files that it will write over |

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Read, Seek, Write};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use leadline_device::{Device, FileDevice, FileOptions, IoEngine, direct_alignment};
use leadline_pool::ace::Ace;
use leadline_pool::policy::PolicyKind;
use leadline_pool::{OutOfPlace, Pool, PoolConfig, PoolError};

use crate::error::IndexError;
use crate::holders::holders;
use crate::log::SPARE;
use crate::options::Options;

const HEAD: &str = "leadline index 1";
const NODE_BYTES: &str = "node bytes ";
/// Bytes of a node where nothing else is asked for.
const USUAL_NODE_BYTES: u32 = 4096;
/// Nodes in memory at least: one way through the tree, what a split needs, and what is read ahead.
const LEAST_FRAMES: u64 = 64;

/// What the nodes of an index take at most that was never made to its end.
const UNMADE_BYTES: u64 = 1 << 20;

/// Nodes in memory at most that are kept for readers of a full disk.
const READER_FRAMES: u32 = 256;

/// The directory, locked.
#[derive(Debug)]
pub(crate) struct Folder {
    path: PathBuf,
    node_bytes: u32,
    /// Holds the lock. Empty until the index is made: before, there is none.
    head: File,
    is_new: bool,
}

impl Folder {
    /// Opens an index's directory, or makes one.
    pub(crate) fn open(path: &Path, options: &Options) -> Result<Folder, IndexError> {
        if let Some(bytes) = options.node_bytes.filter(|bytes| !is_node_size(*bytes)) {
            return Err(IndexError::NodeSize { bytes });
        }
        let failed = |what: &'static str| IndexError::io(what, path);
        let (read_only, create) = (options.read_only, options.create && !options.read_only);
        if create {
            check_content(path)?;
            make_durably(path).map_err(failed("making the directory"))?;
        }
        let name = path.join("index");
        let mut open = OpenOptions::new();
        let head = open.read(true).write(!read_only).create(create).truncate(false).open(&name).map_err(
            |error| match error.kind() {
                io::ErrorKind::NotFound => IndexError::NotThere { path: path.to_owned() },
                _ => IndexError::io("opening it", &name)(error),
            },
        )?;
        let locked = if read_only { head.try_lock_shared() } else { head.try_lock() };
        match locked {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                return Err(IndexError::InUse { path: path.to_owned(), by: holders(&head) });
            }
            Err(TryLockError::Error(error)) => return Err(IndexError::io("locking it", &name)(error)),
        }
        let mut text = String::new();
        (&head).take(1024).read_to_string(&mut text).map_err(IndexError::io("reading it", &name))?;
        let is_new = text.is_empty();
        let node_bytes = match is_new {
            true if read_only => return Err(IndexError::NotThere { path: path.to_owned() }),
            true => options.node_bytes.unwrap_or(USUAL_NODE_BYTES),
            false => read_head(&text, path, options)?,
        };
        Ok(Folder { path: path.to_owned(), node_bytes, head, is_new })
    }

    /// The nodes and the log are there, and durable: from now on this is an index. A process that is killed
    /// before leaves nothing that could be taken for one.
    pub(crate) fn made(&self) -> Result<(), IndexError> {
        if !self.is_new {
            return Ok(());
        }
        let path = &self.path;
        sync_folder(path).map_err(IndexError::io("making it durable", path))?;
        // Before it has content: a name that a crash may take holds nothing.
        sync_parent(path).map_err(IndexError::io("making its name durable", path))?;
        write_head(&self.head, self.node_bytes).map_err(IndexError::io("writing it", &path.join("index")))
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    pub(crate) fn node_bytes(&self) -> u32 {
        self.node_bytes
    }

    /// Removes files that the log would write over some time; how many they were.
    pub(crate) fn remove_spare_files(&self) -> usize {
        let entries = fs::read_dir(&self.path).into_iter().flatten().flatten();
        let spare =
            entries.filter(|entry| entry.file_name().as_encoded_bytes().starts_with(SPARE.as_bytes()));
        spare.filter(|entry| fs::remove_file(entry.path()).is_ok()).count()
    }

    /// The pool of the index's nodes, which are on a device, or in the directory.
    pub(crate) fn pool(
        &self,
        nodes: Option<&Arc<dyn Device>>,
        options: &Options,
    ) -> Result<Pool, IndexError> {
        let device = match nodes {
            Some(device) => Arc::clone(device),
            None => self.device(options)?,
        };
        let frames =
            (options.cache_bytes / u64::from(self.node_bytes)).clamp(LEAST_FRAMES, u64::from(u32::MAX >> 6));
        let frames = frames as u32;
        // Of keys that are asked for with skew, S3-FIFO keeps more than LRU does, and a scan drives out
        // little.
        let config = PoolConfig::new(self.node_bytes, frames)
            .policy(PolicyKind::S3Fifo)
            .ace(Ace::CowX)
            .n(options.writes.min(frames / 4))
            .reads_ahead(options.reads.min(frames / 4))
            .changes_in_memory(options.read_only)
            .kept_for_readers((frames / 8).min(READER_FRAMES))
            .out_of_place(OutOfPlace::default().atomic_checkpoints(true));
        Ok(Pool::open(device, config)?)
    }

    /// Refuses to make an index over nodes whose head was lost.
    fn check_unmade(&self, pages: &Path) -> Result<(), IndexError> {
        let bytes = fs::metadata(pages).map_or(0, |file| file.blocks() * 512);
        match bytes > UNMADE_BYTES {
            true => Err(IndexError::NoHead { path: self.path.clone(), bytes }),
            false => Ok(()),
        }
    }

    /// The file of nodes.
    fn device(&self, options: &Options) -> Result<Arc<dyn Device>, IndexError> {
        let name = self.path.join("pages");
        let failed = |what: &'static str| IndexError::io(what, &name);
        let writable = !options.read_only;
        if self.is_new {
            self.check_unmade(&name)?;
        }
        let mut open = OpenOptions::new();
        let file = open.read(true).write(writable).create(self.is_new).truncate(self.is_new).open(&name);
        let file = file.map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => IndexError::NoPages { path: self.path.clone() },
            _ => failed("opening it")(error),
        })?;
        let made = file.metadata().map_err(failed("examining it"))?.len();
        let capacity = if made > 0 { made } else { options.most_bytes };
        let capacity = capacity / u64::from(self.node_bytes) * u64::from(self.node_bytes);
        if writable {
            if made == 0 {
                file.set_len(capacity).map_err(failed("making room for it"))?;
            }
            // Its name: a load writes no log, which would make the names in the directory durable.
            sync_folder(&self.path).map_err(failed("making its name durable"))?;
        }
        let direct = direct_alignment(&file);
        let device = FileOptions::new(IoEngine::best().0, *direct.as_ref().unwrap_or(&4096))
            .direct(direct.is_ok())
            .writable(writable);
        Ok(Arc::new(FileDevice::new(file, capacity, device).map_err(PoolError::from)?))
    }
}

/// Makes the names in a directory durable.
fn sync_folder(path: &Path) -> io::Result<()> {
    File::open(path)?.sync_all()
}

/// Whether nodes may have this size.
fn is_node_size(bytes: u32) -> bool {
    bytes.is_power_of_two() && (4096..=65_536).contains(&bytes)
}

/// Makes a directory where it is not there, and the ones above it.
fn make_durably(path: &Path) -> io::Result<()> {
    if path.is_dir() {
        return Ok(());
    }
    path.parent().filter(|parent| !parent.as_os_str().is_empty()).map_or(Ok(()), make_durably)?;
    match fs::create_dir(path) {
        // Another process was faster.
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists && path.is_dir() => {}
        made => made?,
    }
    sync_parent(path)
}

/// Makes the name of a directory durable.
fn sync_parent(path: &Path) -> io::Result<()> {
    match path.canonicalize()?.parent() {
        Some(parent) => File::open(parent)?.sync_all(),
        None => Ok(()),
    }
}

/// Refuses a directory that holds something else.
fn check_content(path: &Path) -> Result<(), IndexError> {
    let entries = match fs::read_dir(path) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(IndexError::io("reading the directory", path)(error)),
    };
    let names: Vec<_> = entries.filter_map(|entry| Some(entry.ok()?.file_name())).collect();
    let is_index = names.is_empty() || names.iter().any(|name| name == "index");
    if is_index { Ok(()) } else { Err(IndexError::NoIndex { path: path.to_owned() }) }
}

/// Writes what a new index is.
fn write_head(mut head: &File, node_bytes: u32) -> io::Result<()> {
    head.rewind()?;
    // With one write: a process that is killed leaves all of it or nothing.
    head.write_all(format!("{HEAD}\n{NODE_BYTES}{node_bytes}\n").as_bytes())?;
    head.sync_all()
}

/// The bytes of an index's nodes.
fn read_head(text: &str, path: &Path, options: &Options) -> Result<u32, IndexError> {
    let mut lines = text.lines();
    let first = lines.next().unwrap_or_default();
    if first != HEAD {
        let is_other_version = first.starts_with("leadline index ");
        return Err(match is_other_version {
            true => IndexError::Version { path: path.to_owned(), found: first.to_owned() },
            false => IndexError::NoIndex { path: path.to_owned() },
        });
    }
    let node_bytes = lines.next().and_then(|line| line.strip_prefix(NODE_BYTES)?.parse().ok());
    let found = node_bytes
        .filter(|bytes| is_node_size(*bytes))
        .ok_or(IndexError::NoIndex { path: path.to_owned() })?;
    match options.node_bytes {
        Some(asked) if asked != found => Err(IndexError::NodeBytes { path: path.to_owned(), found, asked }),
        _ => Ok(found),
    }
}
