//! What can go wrong.

use std::error::Error;
use std::io;
use std::path::{Path, PathBuf};

use leadline_device::format_size;
use leadline_pool::PoolError;

use crate::log::{LogError, is_no_room};
use crate::node::{BadNode, Page};

/// Why an index does not do what it was asked for. Nothing was changed then, unless the variant says so.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum IndexError {
    /// A key is longer than nodes of this size take.
    #[error(
        "the key `{key}` has {bytes} bytes, and nodes of {node_bytes} bytes take keys of at most {most}; \
             make the index with larger nodes, or use a hash of the key"
    )]
    KeyTooLong {
        /// How it begins.
        key: String,
        /// Its length.
        bytes: usize,
        /// The longest.
        most: usize,
        /// Bytes of a node.
        node_bytes: u32,
    },
    /// A value is longer than any index takes.
    #[error(
        "the value of the key `{key}` has {bytes} bytes, and the longest is {most}; divide it into several \
             entries"
    )]
    ValueTooLong {
        /// How its key begins.
        key: String,
        /// Its length.
        bytes: usize,
        /// The longest.
        most: usize,
    },
    /// No node has this size.
    #[error("nodes of {bytes} bytes: give a power of two from 4096 to 65536")]
    NodeSize {
        /// What was asked for.
        bytes: u32,
    },
    /// Entries to be loaded are not in order.
    #[error(
        "entry {position} (counted from 0) is not after the one before it: sort the entries by key \
             and leave doubled keys out, or insert them in any order"
    )]
    Unsorted {
        /// The first that is not after the one before.
        position: u64,
    },
    /// Only an empty index is loaded.
    #[error("the index has {entries} entries already: load into an empty one, or insert")]
    NotEmpty {
        /// How many there are.
        entries: u64,
    },
    /// Something is wrong with the index in a directory: `source` says what.
    #[error("{path}: {source}{remedy}", path = path.display(), remedy = source.remedy())]
    At {
        /// The directory.
        path: PathBuf,
        /// [`IndexError::Damaged`], [`IndexError::Pool`], [`IndexError::Record`] or [`IndexError::Stopped`].
        source: Box<IndexError>,
    },
    /// A page is not what it should be, although its checksum is right.
    #[error("page {page} is damaged: {what}")]
    Damaged {
        /// Its number.
        page: Page,
        /// What is wrong.
        what: &'static str,
    },
    /// The pool could not read or write a page.
    #[error(transparent)]
    Pool(#[from] PoolError),
    /// The log cannot be read or written.
    #[error(transparent)]
    Log(Box<dyn Error + Send + Sync>),
    /// A record of the log is none.
    #[error("the log is damaged: {what}; restore the index from a backup")]
    Record {
        /// What is wrong.
        what: &'static str,
    },
    /// There is no room on the disk, or no more than its user may have. Everything can be read; changes go on
    /// as soon as there is room, without opening the index again. A change that was refused may be found
    /// made: it is written to the log together with those before it.
    #[error(
        "{path}: the disk is full: the index can be read and not be changed; make room on the disk, and try \
             again ({source})",
        path = path.display()
    )]
    Full {
        /// The directory.
        path: PathBuf,
        /// What could not be written.
        source: Box<IndexError>,
    },
    /// An earlier error left changes that are not in the log.
    #[error(
        "nothing can be changed any more, because an earlier change failed halfway; open the index again: \
             what was acknowledged is there"
    )]
    Stopped,
    /// There is no index, and none was to be made.
    #[error("{path}: there is no index; make it by opening it with `create`", path = path.display())]
    NotThere {
        /// Where it was looked for.
        path: PathBuf,
    },
    /// The file of nodes is gone, and with it what the index held.
    #[error(
        "{path}: the file `pages` is missing, which holds the index's entries; restore it from a backup, or \
         remove the directory to begin again",
        path = path.display()
    )]
    NoPages {
        /// The index's directory.
        path: PathBuf,
    },
    /// What the index is was lost, and its nodes were not.
    #[error(
        "{path}: the file `index` is empty, though `pages` holds {bytes} bytes; restore it from a backup, or \
         remove the directory to begin again",
        path = path.display()
    )]
    NoHead {
        /// The index's directory.
        path: PathBuf,
        /// Bytes that the nodes take.
        bytes: u64,
    },
    /// The directory holds something else.
    #[error("{path}: this directory holds something else than an index; give an empty or a new one",
            path = path.display())]
    NoIndex {
        /// The directory.
        path: PathBuf,
    },
    /// Another version made it.
    #[error("{path}: this is a `{found}`, and this version reads `leadline index 1`; open it with the \
             version that made it", path = path.display())]
    Version {
        /// The directory.
        path: PathBuf,
        /// What its first line says.
        found: String,
    },
    /// It has other nodes than it was to be opened with.
    #[error("{path}: its nodes have {found} bytes, and {asked} were asked for: leave the size out, or load \
             the entries into a new index", path = path.display())]
    NodeBytes {
        /// The directory.
        path: PathBuf,
        /// What it was made with.
        found: u32,
        /// What the options say.
        asked: u32,
    },
    /// Somebody has it open, and it is open for reading only there or here, or nowhere.
    #[error("{path}: the index is open already{by}; close it there first, or open it everywhere for reading \
             only", path = path.display())]
    InUse {
        /// The directory.
        path: PathBuf,
        /// ` by process 4711 (python3)`; nothing where it is not known.
        by: String,
    },
    /// It is open for reading only.
    #[error("{path}: the index is open for reading only; open it without `read_only` to change it",
            path = path.display())]
    ReadOnly {
        /// The directory.
        path: PathBuf,
    },
    /// An index that is open for reading only has a log whose changes do not fit in memory.
    #[error("{path}: it was not closed, and the changes in its log do not fit in {} of memory; open it with \
             more (`cache_bytes`), or once for writing, which writes them to its nodes",
            format_size(*bytes), path = path.display())]
    LogDoesNotFit {
        /// The directory.
        path: PathBuf,
        /// Bytes of memory for nodes.
        bytes: u64,
    },
    /// The machine has less memory than that.
    #[error("{path}: {} of memory for nodes are not to be had ({source}); open it with less (`cache_bytes`)",
            format_size(*bytes), path = path.display())]
    Memory {
        /// The directory.
        path: PathBuf,
        /// What was asked for.
        bytes: u64,
        /// The system's reason.
        source: io::Error,
    },
    /// The operating system refused.
    #[error("{path}: {doing} failed: {source}", path = path.display())]
    Io {
        /// What was being done.
        doing: &'static str,
        /// To what.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
}

/// Bytes of a key that errors show.
const SHOWN: usize = 32;

/// How a key begins, as printable text.
#[cold]
pub(crate) fn start_of(key: &[u8]) -> String {
    let mut shown = String::new();
    let escape = |shown: &mut String, bytes: &[u8]| shown.push_str(&bytes.escape_ascii().to_string());
    for chunk in key[..key.len().min(SHOWN)].utf8_chunks() {
        for letter in chunk.valid().chars() {
            match letter.is_control() || letter == '\\' {
                true => escape(&mut shown, letter.to_string().as_bytes()),
                false => shown.push(letter),
            }
        }
        escape(&mut shown, chunk.invalid());
    }
    shown + if key.len() > SHOWN { "…" } else { "" }
}

impl IndexError {
    /// Whether there was no room on the disk.
    pub(crate) fn is_disk_full(&self) -> bool {
        let mut error: Option<&(dyn Error + 'static)> = Some(self);
        while let Some(cause) = error {
            if cause.downcast_ref::<io::Error>().is_some_and(is_no_room) {
                return true;
            }
            error = cause.source();
        }
        false
    }

    /// What to do about it, where the words of the error do not say so.
    fn remedy(&self) -> &'static str {
        match self {
            IndexError::Damaged { .. } => {
                "; `verify` names all that is damaged: restore the index from a backup, or read what is whole"
            }
            IndexError::Pool(PoolError::BeyondDevice { .. } | PoolError::Full { .. }) => {
                "; if the index has become as large as it may, load its entries into one that is made with a \
                 larger `most_bytes`, otherwise it is damaged: restore it from a backup"
            }
            IndexError::Pool(PoolError::NoFrame { .. }) => " (`cache_bytes`)",
            IndexError::Pool(
                PoolError::Io { .. }
                | PoolError::Short { .. }
                | PoolError::Device(_)
                | PoolError::Flush { .. },
            ) => {
                "; look for errors of the drive in the log of the system (`dmesg`), and try again or restore \
                 the index from a backup"
            }
            _ => "",
        }
    }

    /// Of the index in a directory.
    #[cold]
    pub(crate) fn at(self, path: &Path) -> IndexError {
        let is_full = !matches!(self, IndexError::Full { .. }) && self.is_disk_full();
        match self {
            source if is_full => IndexError::Full { path: path.to_owned(), source: Box::new(source) },
            IndexError::Pool(PoolError::Memory { frames, page_bytes, source }) => {
                let bytes = u64::from(frames) * u64::from(page_bytes);
                IndexError::Memory { path: path.to_owned(), bytes, source }
            }
            source @ (IndexError::Damaged { .. }
            | IndexError::Pool(_)
            | IndexError::Record { .. }
            | IndexError::Stopped) => IndexError::At { path: path.to_owned(), source: Box::new(source) },
            other => other,
        }
    }

    /// For `map_err`.
    pub(crate) fn io(doing: &'static str, path: &Path) -> impl FnOnce(io::Error) -> IndexError {
        let path = path.to_owned();
        move |source| IndexError::Io { doing, path, source }
    }
}

impl From<LogError> for IndexError {
    fn from(error: LogError) -> IndexError {
        IndexError::Log(Box::new(error))
    }
}

impl BadNode {
    pub(crate) fn of(self, page: Page) -> IndexError {
        IndexError::Damaged { page, what: "its bytes are no node of the tree" }
    }
}

/// Says of which page something is wrong.
pub(crate) trait OfPage<T> {
    fn of_page(self, page: Page) -> Result<T, IndexError>;
}

impl<T> OfPage<T> for Result<T, BadNode> {
    #[inline]
    fn of_page(self, page: Page) -> Result<T, IndexError> {
        self.map_err(|bad| bad.of(page))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_shown_by_its_first_bytes_as_printable_text() {
        assert_eq!(start_of("Käse\n".as_bytes()), "Käse\\n");
        assert_eq!(start_of(&[0, 255, b'a', b'\\']), "\\x00\\xffa\\\\");
        assert_eq!(start_of(&[b'x'; 33]), "x".repeat(32) + "…");
    }

    #[test]
    fn a_full_disk_is_found_among_the_causes() {
        let io = |kind| IndexError::io("writing it", Path::new("pages"))(io::Error::from(kind));
        assert!(io(io::ErrorKind::StorageFull).is_disk_full());
        let log = LogError::io("writing", Path::new("1.log"))(io::ErrorKind::StorageFull.into());
        assert!(IndexError::from(log).is_disk_full());
        assert!(!io(io::ErrorKind::PermissionDenied).is_disk_full() && !IndexError::Stopped.is_disk_full());
    }
}
