//! What an index finds in its directory when it is opened.

use std::sync::Arc;

use leadline_device::Device;
use leadline_pool::PoolError;

use crate::error::IndexError;
use crate::folder::Folder;
use crate::log::{Durability, Log, LogOptions, Lsn};
use crate::meta::Meta;
use crate::options::Options;
use crate::redo::Redo;
use crate::space::Space;
use crate::tree::Tree;
use crate::versions::Versions;

/// What is in a directory.
pub(crate) struct Recovered {
    pub(crate) tree: Tree,
    pub(crate) log: Log,
    /// Position in the log of the last checkpoint.
    pub(crate) checkpointed: Lsn,
    /// Pages that it wrote its free pages to.
    pub(crate) pages: Vec<u64>,
    pub(crate) is_new: bool,
}

impl Recovered {
    /// Reads it, and makes the changes that only the log has.
    pub(crate) fn of(
        folder: &Folder,
        nodes: Option<&Arc<dyn Device>>,
        options: &Options,
    ) -> Result<Recovered, IndexError> {
        let recover = || {
            Recovered::try_of(folder, nodes, options).map_err(|error| match error {
                IndexError::Pool(PoolError::ChangesDoNotFit { frames }) => {
                    let bytes = u64::from(frames) * u64::from(folder.node_bytes());
                    IndexError::LogDoesNotFit { path: folder.path().to_owned(), bytes }
                }
                error => error.at(folder.path()),
            })
        };
        match recover() {
            // Opening writes a little, and where the disk is full the log may have files to spare.
            Err(error) if error.is_disk_full() && folder.remove_spare_files() > 0 => recover(),
            recovered => recovered,
        }
    }

    fn try_of(
        folder: &Folder,
        nodes: Option<&Arc<dyn Device>>,
        options: &Options,
    ) -> Result<Recovered, IndexError> {
        let pool = folder.pool(nodes, options)?;
        let meta = Meta::read(&pool)?;
        let checkpointed = Lsn(meta.as_ref().map_or(0, |meta| meta.log));
        let durability = if options.read_only { Durability::Never } else { options.durability };
        let mut log_options =
            LogOptions { durability, read_only: options.read_only, ..LogOptions::default() };
        // There are two such buffers, and either may have grown to twice that.
        log_options.buffer_bytes = (options.cache_bytes / 64).clamp(64 << 10, log_options.buffer_bytes);
        let mut log = Log::open(folder.path(), checkpointed, log_options)?;
        let (mut pages, is_new) = (Vec::new(), meta.is_none());
        let tree = match meta {
            None => Tree::create(pool, Space::new(1, Default::default()), Versions::new(1))?,
            Some(meta) => {
                pages = meta.pages;
                let space = Space::new(meta.next, meta.free);
                Tree::open(pool, space, Versions::new(meta.version), meta.tree)
            }
        };
        let mut redo = Redo::new(&tree);
        log.replay(|_, record| redo.add(record))?;
        redo.finish()?;
        Ok(Recovered { tree, log, checkpointed, pages, is_new })
    }
}
