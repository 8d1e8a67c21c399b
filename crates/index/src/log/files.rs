//! The files of the log, oldest first, and spare ones.

use std::collections::VecDeque;
use std::hash::{BuildHasher as _, RandomState};

use super::file::{self, BLOCK, LogFile};
use super::folder::Folder;
use super::{LogError, Lsn};

/// Spare files that are kept: what is released between two checkpoints is written between the next two.
const SPARES: usize = 8;

/// What names of spare files begin with.
pub(crate) const SPARE: &str = "spare-";

/// All files.
#[derive(Debug)]
pub(crate) struct Files {
    folder: Box<dyn Folder>,
    /// Most bytes of a file.
    file_bytes: u64,
    session: u64,
    all: VecDeque<LogFile>,
    /// Whether the last file is of this session. Every session begins a file: behind the last record of an
    /// earlier one there may be parts of records that nobody was told of.
    begun: bool,
    spares: Vec<String>,
    /// Bytes written, first blocks left out.
    written: u64,
}

impl Files {
    /// Finds the files. `file_bytes`: of files that will be made.
    pub(crate) fn open(folder: Box<dyn Folder>, file_bytes: u64) -> Result<Files, LogError> {
        let names = folder.names().map_err(LogError::io("reading the directory", folder.path()))?;
        let mut numbers: Vec<u64> = names.iter().filter_map(|name| file::number(name)).collect();
        numbers.sort_unstable();
        if let Some(gap) = numbers.windows(2).find(|pair| pair[0] + 1 != pair[1]) {
            return Err(LogError::Missing { path: folder.path().join(file::name(gap[0] + 1)) });
        }
        let all = numbers.iter().map(|&number| LogFile::open(&*folder, number));
        let all = all.collect::<Result<VecDeque<_>, _>>()?;
        let out_of_order = all.iter().zip(all.iter().skip(1)).find(|(one, next)| next.start < one.start);
        if let Some((_, next)) = out_of_order {
            return Err(LogError::Header {
                path: next.path().to_owned(),
                why: "it begins before the file in front of it",
            });
        }
        let spares = names.into_iter().filter(|name| name.starts_with(SPARE)).collect();
        let session = RandomState::new().hash_one(std::time::SystemTime::now());
        let file_bytes = file_bytes.next_multiple_of(BLOCK).max(2 * BLOCK);
        Ok(Files { folder, file_bytes, session, all, begun: false, spares, written: 0 })
    }

    pub(crate) fn session(&self) -> u64 {
        self.session
    }

    pub(crate) fn written(&self) -> u64 {
        self.written
    }

    pub(crate) fn all(&self) -> &VecDeque<LogFile> {
        &self.all
    }

    pub(crate) fn folder(&self) -> &dyn Folder {
        &*self.folder
    }

    /// Writes whole blocks, going on in new files. What is in a file is durable before the next one is there.
    /// After [`LogError::Full`] it may be called again with the same blocks and more.
    pub(crate) fn write(&mut self, mut blocks: &[u8], mut at: Lsn) -> Result<(), LogError> {
        let room = self.file_bytes - BLOCK;
        // What an attempt that failed wrote to the file before is durable there.
        if self.begun
            && let Some(there) = self.all.back().and_then(|last| last.start.0.checked_sub(at.0))
        {
            blocks = &blocks[(there as usize).min(blocks.len())..];
            at = Lsn(at.0 + there);
        }
        while !blocks.is_empty() {
            if !self.begun || self.all.back().is_none_or(|last| at.0 - last.start.0 >= room) {
                self.begin(at)?;
            }
            let Some(last) = self.all.back_mut() else { return Ok(()) };
            let left = last.start.0 + room - at.0;
            let (now, later) = blocks.split_at(blocks.len().min(left as usize));
            self.written += last.write(now, at, self.file_bytes)?;
            (blocks, at) = (later, Lsn(at.0 + now.len() as u64));
        }
        Ok(())
    }

    /// Makes durable what was written.
    pub(crate) fn sync(&self) -> Result<(), LogError> {
        self.all.back().filter(|_| self.begun).map_or(Ok(()), LogFile::sync)
    }

    /// Gives up files that begin behind the end of the log: they hold the rest of a record that was cut.
    pub(crate) fn cut(&mut self, end: Lsn) -> Result<(), LogError> {
        let mut cut = false;
        while let Some(last) = self.all.pop_back_if(|last| last.start > end) {
            self.spare(&last)?;
            cut = true;
        }
        if cut { self.sync_names() } else { Ok(()) }
    }

    /// Makes durable what was read in the last file, from `at` to `end`. A process that was killed had not
    /// synced it; where a sync failed, the kernel may have it in memory only and not know.
    pub(crate) fn rewrite(&mut self, at: Lsn, end: Lsn) -> Result<(), LogError> {
        let Some(last) = self.all.back_mut().filter(|last| last.start < end) else { return Ok(()) };
        let first = (at.0.max(last.start.0) - last.start.0) / BLOCK * BLOCK;
        let count = (end.0 - last.start.0).next_multiple_of(BLOCK) - first;
        let mut blocks = vec![0; count as usize];
        let at = Lsn(last.start.0 + first);
        let there = (last.room_end().0 - at.0).min(count) as usize;
        last.read(&mut blocks[..there], at)?;
        self.written += last.write(&blocks, at, 0)?;
        last.sync()
    }

    /// Makes the next file, which begins at `start`.
    fn begin(&mut self, start: Lsn) -> Result<(), LogError> {
        self.sync()?;
        let number = self.all.back().map_or(1, |last| last.number + 1);
        let from = self.spares.last().cloned().unwrap_or_else(|| format!("{SPARE}{number:020}"));
        let made = LogFile::make(&*self.folder, &from, number, start, self.session);
        self.all.push_back(made.map_err(LogError::or_full)?);
        self.spares.pop();
        self.begun = true;
        Ok(())
    }

    /// Gives up files that end before `at`; some become spare ones.
    pub(crate) fn release(&mut self, at: Lsn) -> Result<(), LogError> {
        let mut released = false;
        while self.all.get(1).is_some_and(|next| next.start <= at)
            && let Some(first) = self.all.front().cloned()
        {
            self.spare(&first)?;
            self.all.pop_front();
            released = true;
        }
        if released { self.sync_names() } else { Ok(()) }
    }

    /// Makes a file a spare one, or removes it where there are enough.
    fn spare(&mut self, file: &LogFile) -> Result<(), LogError> {
        let (old, spare) = (file::name(file.number), format!("{SPARE}{:020}", file.number));
        if self.spares.len() >= SPARES {
            return self.folder.remove(&old).map_err(LogError::io("removing it", file.path()));
        }
        self.folder.rename(&old, &spare).map_err(LogError::io("renaming it", file.path()))?;
        self.spares.push(spare);
        Ok(())
    }

    /// Before a spare file is written to, its old name must be gone for good.
    pub(crate) fn sync_names(&self) -> Result<(), LogError> {
        self.folder.sync().map_err(LogError::io("syncing the directory", self.folder.path()))
    }
}
