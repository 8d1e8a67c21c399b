//! The directory that a store becomes with its first commit (docs/graph-format.md): the base, a log of
//! commits, and a manifest that says which files belong together. Files are never changed except for the log,
//! which grows; the manifest is replaced as a whole. So a reader that has them open sees one version,
//! whatever writers do.

use std::fs::{self, File};
use std::io;
use std::os::unix::fs::{FileExt, MetadataExt as _};
use std::path::{Path, PathBuf};

use rustix::fs::{FlockOperation, flock};
use rustix::io::Errno;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::log::{Commit, Totals};
use crate::GraphError;
use crate::format::{ChangeRules, Header, checksum};
use crate::tiles::refuse_sharded;

pub(crate) const MANIFEST: &str = "manifest";
const LOCK: &str = "lock";

/// A manifest names some files of some hundred bytes each.
const MOST_BYTES: u64 = 16 << 20;

/// What the manifest's first line begins with.
const FIRST: &str = "leadline graph 1 ";

/// Which files of a directory are the store.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Manifest {
    /// The file of lists as they were imported or last compacted.
    pub(crate) base: String,
    /// Of its header, so that another in its place is found out.
    pub(crate) base_checksum: u64,
    /// First neighbours of blocks that begin within a hub's list.
    pub(crate) pieces: String,
    /// Sorted runs, the oldest first.
    pub(crate) runs: Vec<RunEntry>,
    /// Ids that were added or removed before the log begins.
    pub(crate) owners: Option<String>,
    pub(crate) log: String,
    /// The number of the next file; it also tells logs apart.
    pub(crate) next: u64,
    /// Changes before the log begins.
    pub(crate) version: u64,
    pub(crate) history: History,
    pub(crate) totals: Totals,
}

/// What is known of the changes of a store, whatever became of them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct History {
    /// Tells the store from all others, in all its versions.
    pub store: u64,
    /// The version that the base has.
    pub base_version: u64,
    /// The version with which something was last deleted, or given another weight; 0: never.
    pub removed: u64,
    /// The version with which a vertex was last deleted, or got another number; 0: never. None where version
    /// 0.1.0 wrote the manifest, which did not say.
    #[serde(default)]
    renumbered: Option<u64>,
}

impl History {
    /// Of a store that was imported.
    pub(crate) fn new(base: &Header) -> History {
        History { store: header_checksum(base), renumbered: Some(0), ..History::default() }
    }

    /// The version with which a vertex was last deleted, or got another number, or a later one; 0: never.
    pub fn renumbered(&self) -> u64 {
        self.renumbered.unwrap_or(self.removed)
    }

    /// Adds a commit.
    pub(crate) fn add(&mut self, commit: &Commit) {
        let (rows, vertices) = (commit.removes_edges(), commit.renumbers());
        self.renumbered = Some(if vertices { commit.version } else { self.renumbered() });
        if rows || vertices {
            self.removed = commit.version;
        }
    }
}

/// A sorted run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct RunEntry {
    pub(crate) file: String,
    /// Changes up to the last of its rows.
    pub(crate) version: u64,
    /// How often its rows were merged.
    pub(crate) level: u32,
    pub(crate) bytes: u64,
}

impl Manifest {
    /// Of a store that has its first base, and no changes.
    pub(crate) fn of_base(base: &Header) -> Manifest {
        Manifest::without_changes("base-1".to_owned(), base, 2, 0, History::new(base))
    }

    /// Of a base that has all changes up to a version.
    pub(crate) fn without_changes(
        name: String,
        base: &Header,
        next: u64,
        version: u64,
        history: History,
    ) -> Manifest {
        let totals = Totals { vertices: base.vertices, entries: base.edges, self_loops: base.self_loops };
        Manifest {
            base: name,
            base_checksum: header_checksum(base),
            pieces: format!("pieces-{next}"),
            runs: Vec::new(),
            owners: None,
            log: format!("log-{}", next + 1),
            next: next + 2,
            version,
            history: History { base_version: version, ..history },
            totals,
        }
    }

    /// Tells it from all others of the store.
    pub(crate) fn sealed_as(&self) -> String {
        seal(&serde_json::to_string(self).unwrap_or_default())
    }

    /// The name of a new file.
    pub(crate) fn name(&mut self, kind: &str) -> String {
        let name = format!("{kind}-{}", self.next);
        self.next += 1;
        name
    }

    /// Files that belong to the store.
    fn files(&self) -> impl Iterator<Item = &str> {
        let runs = self.runs.iter().map(|run| run.file.as_str());
        let named = [&self.base, &self.pieces, &self.log].into_iter().map(String::as_str);
        [MANIFEST, LOCK].into_iter().chain(named).chain(self.owners.as_deref()).chain(runs)
    }

    pub(crate) fn read(folder: &Path) -> Result<Manifest, GraphError> {
        let path = folder.join(MANIFEST);
        let name = folder.display().to_string();
        let text = leadline_files::read_text(&path, MOST_BYTES).map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => match refuse_sharded(folder) {
                Err(sharded) => sharded,
                Ok(()) => GraphError::NoStore { name: name.clone() },
            },
            io::ErrorKind::InvalidData => GraphError::damaged(&name, "its manifest is not text".into()),
            _ => GraphError::opening(&path, error),
        })?;
        let damaged = || GraphError::damaged(&name, "its manifest fails its checksum".into());
        unsealed(FIRST, &text)
            .ok_or_else(damaged)?
            .map_err(|flaw| GraphError::damaged(&name, format!("its manifest: {flaw}")))
    }

    /// Replaces the directory's manifest; durable when it returns.
    pub(crate) fn write(&self, folder: &Path) -> Result<(), GraphError> {
        let text = sealed(FIRST, self).map_err(|error| GraphError::write(&folder.join(MANIFEST), error))?;
        // The names of the files that it names, before it has its own.
        let synced = File::open(folder).and_then(|folder| folder.sync_all());
        synced.map_err(|error| GraphError::write(folder, error))?;
        Ok(leadline_files::replace(folder.join(MANIFEST), text)?)
    }
}

/// Does something with the files of the newest manifest; once more where a writer has removed some meanwhile.
///
/// # Errors
/// As [`Manifest::read`], and what `work` returned.
pub(crate) fn with_latest_manifest<T>(
    folder: &Path,
    work: impl Fn(&Manifest) -> Result<T, GraphError>,
) -> Result<T, GraphError> {
    let mut manifest = Manifest::read(folder)?;
    loop {
        match work(&manifest) {
            Err(error @ GraphError::Path { .. }) => {
                let newer = Manifest::read(folder)?;
                if newer == manifest {
                    return Err(error);
                }
                manifest = newer;
            }
            other => return other,
        }
    }
}

fn seal(text: &str) -> String {
    format!("{:016x}", checksum(text.as_bytes(), 0))
}

/// A document behind a line that begins with `first` and has its checksum.
pub(crate) fn sealed(first: &str, document: &impl Serialize) -> io::Result<String> {
    let rest = serde_json::to_string_pretty(document).map_err(io::Error::other)?;
    Ok(format!("{first}{}\n{rest}", seal(&rest)))
}

/// The document that [`sealed`] made a text of; none where the checksum is another.
pub(crate) fn unsealed<T: DeserializeOwned>(
    first: &str,
    text: &str,
) -> Option<Result<T, leadline_files::JsonFlaw>> {
    let (line, rest) = text.split_once('\n')?;
    let sum = line.strip_prefix(first)?;
    (sum == seal(rest)).then(|| leadline_files::from_json(rest))
}

/// The seed of a file's checksums: that of no other file of any store.
pub(crate) fn seed(manifest: &Manifest, name: &str) -> u64 {
    checksum(name.as_bytes(), manifest.base_checksum)
}

/// What is at the path of a store.
#[derive(Debug)]
pub(crate) enum Found {
    /// The store as it was imported; perhaps another kind of file.
    File(File),
    /// The store after a change; perhaps another directory.
    Folder,
}

/// Looks what is there.
///
/// # Errors
/// [`GraphError::Path`] where nothing is, or it may not be read.
pub(crate) fn find(path: &Path) -> Result<Found, GraphError> {
    let failed = |error| GraphError::opening(path, error);
    let opened = File::open(path).or_else(|error| match error.kind() {
        io::ErrorKind::NotFound => {
            leadline_files::restore(path)?;
            File::open(path)
        }
        _ => Err(error),
    });
    let file = opened.map_err(failed)?;
    let is_folder = file.metadata().map_err(failed)?.is_dir();
    Ok(if is_folder { Found::Folder } else { Found::File(file) })
}

/// Does something with a store, which is a file or a directory; once more where a writer turned one into the
/// other meanwhile.
///
/// # Errors
/// As [`find`] and [`with_latest_manifest`], and what `of_file` returned.
pub(crate) fn of_store<T>(
    path: &Path,
    of_file: impl Fn(File) -> Result<T, GraphError>,
    of_folder: impl Fn(&Manifest) -> Result<T, GraphError>,
) -> Result<T, GraphError> {
    if let Found::File(file) = find(path)? {
        let done = of_file(file);
        if done.is_ok() || !path.is_dir() {
            return done;
        }
    }
    with_latest_manifest(path, of_folder)
}

/// The lock of the one writer of a store; let go of when it is dropped.
#[derive(Debug)]
pub(crate) struct StoreLock(File);

impl StoreLock {
    /// Of a store that is a directory; the user knows it as `store`.
    pub(crate) fn of_folder(folder: &Path, store: &Path) -> Result<StoreLock, GraphError> {
        let path = folder.join(LOCK);
        let file = File::options().write(true).create(true).truncate(false).open(&path);
        StoreLock::lock(file.map_err(|error| GraphError::opening(&path, error))?, store)
    }

    /// Of one that is a file: the file itself is locked.
    pub(crate) fn of_file(store: &Path) -> Result<StoreLock, GraphError> {
        // File systems that other machines share give locks only to those who may write.
        let file = File::options().read(true).write(true).open(store);
        StoreLock::lock(file.map_err(|error| GraphError::opening(store, error))?, store)
    }

    fn lock(file: File, store: &Path) -> Result<StoreLock, GraphError> {
        match flock(&file, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => Ok(StoreLock(file)),
            Err(Errno::WOULDBLOCK) => Err(GraphError::path(
                store,
                "is being changed by another process, or by this one; wait until that ends",
            )),
            Err(error) => Err(GraphError::write(store, error.into())),
        }
    }

    /// Whether it is still the lock of what is at a path.
    pub(crate) fn is_of(&self, store: &Path) -> bool {
        is_at(&self.0, store)
    }
}

/// Whether an open file is the one that is at a path.
pub(super) fn is_at(file: &File, path: &Path) -> bool {
    let number = |found: fs::Metadata| (found.dev(), found.ino());
    file.metadata().ok().map(number) == fs::symlink_metadata(path).ok().map(number)
}

/// What tells a base from all others. Programs that know no rules for changes make the same of it.
pub(crate) fn header_checksum(header: &Header) -> u64 {
    checksum(&Header { rules: ChangeRules::default(), ..*header }.to_bytes(), 1)
}

/// Says in a file of lists that it is the base of a directory, so that nobody takes it for the whole store. A
/// single word of 8 bytes is written, which no crash leaves half done.
pub(crate) fn mark(base: &Path) -> Result<(), GraphError> {
    let marked = File::options().write(true).open(base).and_then(|file| {
        file.write_all_at(Header::BASE, 0)?;
        file.sync_data()
    });
    marked.map_err(|error| GraphError::write(base, error))
}

/// Removes files that no manifest names any more, but for those in `kept`: what a crash left, and what was
/// compacted.
pub(crate) fn remove_others(folder: &Path, manifest: &Manifest, kept: &[&str]) -> io::Result<()> {
    let others = others(folder, manifest)?;
    others
        .iter()
        .filter(|name| !kept.contains(&name.as_str()))
        .try_for_each(|name| fs::remove_file(file(folder, name)))
}

/// Files of a store's directory that have such names as its files, but that its manifest does not name.
pub(crate) fn others(folder: &Path, manifest: &Manifest) -> io::Result<Vec<String>> {
    let mut others = Vec::new();
    for entry in fs::read_dir(folder)? {
        let Ok(name) = entry?.file_name().into_string() else { continue };
        let is_ours =
            ["base-", "pieces-", "log-", "run-", "owners-"].iter().any(|kind| name.starts_with(kind));
        if is_ours && manifest.files().all(|named| named != name) {
            others.push(name);
        }
    }
    Ok(others)
}

/// Removes a file, if it is there.
pub(crate) fn remove(path: &Path) -> Result<(), GraphError> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(GraphError::write(path, error)),
        _ => Ok(()),
    }
}

/// Where a file of the directory is.
pub(crate) fn file(folder: &Path, name: &str) -> PathBuf {
    folder.join(name)
}

/// Bytes of all files of a directory.
pub(crate) fn bytes(folder: &Path) -> io::Result<u64> {
    fs::read_dir(folder)?.map(|entry| Ok(entry?.metadata()?.len())).sum()
}
