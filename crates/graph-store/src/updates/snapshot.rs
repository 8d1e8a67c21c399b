//! A version of a store: the base, and what has changed since.

use std::fs::File;
use std::path::Path;
use std::sync::Arc;

use super::changes::{Changes, Layer, SideChanges};
use super::folder::{self, History, Manifest, RunEntry};
use super::log::{self, Commit, Totals};
use super::owners::read_owners;
use super::pieces::Pieces;
use super::rows::{self, Row};
use super::run::{Run, RunSide};
use super::vertices::VertexState;
use crate::GraphError;
use crate::format::paged::{Kind, PagedReader};
use crate::format::{Direction, Directory, Header};
use crate::tiles::{Shards, TileEntry};

/// A version of a store, as one reader sees it.
#[derive(Debug)]
pub struct Snapshot {
    /// The file with the lists.
    pub file: File,
    /// Its header.
    pub base: Header,
    /// What it would say with all changes.
    pub header: Header,
    /// Which block holds which vertices, after changes.
    pub forward: Directory,
    /// The same of the lists of incoming edges, where a directed graph has them.
    pub reverse: Option<Directory>,
    /// Over the lists of the file; none where nothing has changed.
    pub changes: Option<Changes>,
    /// Changes since the store was imported.
    pub version: u64,
    /// What is known of the changes, whatever became of them.
    pub history: History,
}

/// What changed since the base, put together.
#[derive(Debug)]
pub(crate) struct Changed {
    pub(crate) version: u64,
    pub(crate) totals: Totals,
    pub(crate) vertices: VertexState,
    pub(crate) history: History,
    /// Older than the layers, the oldest first.
    pub(crate) runs: Vec<Arc<Run>>,
    /// By run, the version up to its last row.
    pub(crate) run_versions: Vec<u64>,
    /// Layers of forward rows, the oldest first; of an undirected graph for both ends.
    pub(crate) layers: Vec<Arc<[Row]>>,
}

impl Changed {
    /// What is in runs, without the log.
    ///
    /// # Errors
    /// [`GraphError::Path`] where a file is gone, [`GraphError::Damaged`].
    pub(crate) fn open(folder: &Path, manifest: &Manifest, base: &Header) -> Result<Changed, GraphError> {
        let run = |entry: &RunEntry| {
            Ok(Arc::new(Run::open(&folder::file(folder, &entry.file), folder::seed(manifest, &entry.file))?))
        };
        let mut vertices = VertexState::new(base.vertices);
        if let Some(name) = &manifest.owners {
            read_owners(&folder::file(folder, name), folder::seed(manifest, name), &mut vertices)?;
        }
        vertices.vertices = manifest.totals.vertices;
        Ok(Changed {
            version: manifest.version,
            totals: manifest.totals,
            vertices,
            history: manifest.history,
            run_versions: manifest.runs.iter().map(|run| run.version).collect(),
            runs: manifest.runs.iter().map(run).collect::<Result<_, GraphError>>()?,
            layers: Vec::new(),
        })
    }

    /// Lets go of its ids and rows.
    pub(crate) fn forget(&mut self) {
        self.vertices = VertexState::default();
        self.layers = Vec::new();
    }

    /// Rows that are in no run.
    pub(crate) fn loose(&self) -> usize {
        self.layers.iter().map(|layer| layer.len()).sum()
    }

    /// Bytes in memory of these.
    pub(crate) fn loose_bytes(&self) -> u64 {
        (self.loose() * size_of::<Row>()) as u64
    }

    /// Bytes that the ids of a commit take at most.
    pub(crate) fn most_id_bytes(commit: &Commit) -> u64 {
        commit.owners.iter().map(|(owner, _)| VertexState::most_bytes(owner)).sum()
    }

    /// Adds a commit. Its rows become the newest layer.
    pub(crate) fn add(&mut self, commit: Commit, directed: bool) {
        (self.version, self.totals) = (commit.version, commit.totals);
        self.vertices.vertices = commit.totals.vertices;
        self.history.add(&commit);
        for (owner, vertex) in commit.owners {
            self.vertices.set(owner, vertex);
        }
        let mut rows = commit.rows;
        if !directed {
            mirror(&mut rows);
        }
        if !rows.is_empty() {
            rows::sort(&mut rows);
            self.layers.push(rows.into());
            self.merge_layers();
        }
    }

    /// Keeps layers few: one that has half as many rows as the one before is put together with it, so that
    /// each row is moved as often as there are layers.
    fn merge_layers(&mut self) {
        while let [.., older, newer] = &self.layers[..]
            && newer.len() * 2 > older.len()
        {
            let starts = [0, older.len()];
            let mut rows = [&older[..], newer].concat();
            rows::compose(&mut rows, &starts);
            self.layers.truncate(self.layers.len() - 2);
            self.layers.push(rows.into());
        }
    }
}

/// Adds the rows of the other ends.
fn mirror(rows: &mut Vec<Row>) {
    let others = rows.iter().filter(|row| row.vertex() != row.neighbour()).map(|row| row.turned());
    let others: Vec<Row> = others.collect();
    rows.extend(others);
}

impl Snapshot {
    /// The newest version of a store.
    ///
    /// # Errors
    /// [`GraphError`]: no store, a newer one's, damaged, unreadable.
    pub fn open(path: &Path) -> Result<Snapshot, GraphError> {
        let name = path.display().to_string();
        folder::of_store(
            path,
            |file| Snapshot::of_file(file, &name),
            |manifest| Snapshot::of_folder(path, manifest),
        )
    }

    /// A store that was not changed.
    ///
    /// # Errors
    /// As [`Snapshot::open`].
    pub fn of_file(file: File, name: &str) -> Result<Snapshot, GraphError> {
        let header = Header::read(&file, name)?;
        Snapshot::of_header(file, name, header)
    }

    /// A tile of a sharded store.
    ///
    /// # Errors
    /// As [`Snapshot::open`].
    pub fn of_tile(path: &Path, shards: &Shards, tile: &TileEntry) -> Result<Snapshot, GraphError> {
        let name = path.display().to_string();
        let file = File::open(path).map_err(|error| GraphError::opening(path, error))?;
        let header = Header::read_tile(&file, &name)?;
        shards.check_tile(&header, tile, &name)?;
        Snapshot::of_header(file, &name, header)
    }

    fn of_header(file: File, name: &str, header: Header) -> Result<Snapshot, GraphError> {
        let (forward, reverse) = directories(&file, name, &header)?;
        Ok(Snapshot {
            file,
            base: header,
            header,
            forward,
            reverse,
            changes: None,
            version: 0,
            history: History::new(&header),
        })
    }

    fn of_folder(path: &Path, manifest: &Manifest) -> Result<Snapshot, GraphError> {
        let open = |name: &str| {
            let path = folder::file(path, name);
            let file = File::open(&path).map_err(|error| GraphError::opening(&path, error))?;
            Ok::<_, GraphError>((file, path))
        };
        let (file, base_path) = open(&manifest.base)?;
        let (log, log_path) = open(&manifest.log)?;
        let base = base_of(&file, &base_path, manifest)?;
        let pieces = Pieces::read(&folder::file(path, &manifest.pieces), manifest.base_checksum)?;
        let mut changed = Changed::open(path, manifest, &base)?;
        log::replay(&log, &log_path, folder::seed(manifest, &manifest.log), |commit| {
            changed.add(commit, base.directed);
            Ok(())
        })?;
        Snapshot::with(file, &base_path.display().to_string(), base, pieces, &mut changed)
    }

    /// A base with changes.
    pub(crate) fn with(
        file: File,
        name: &str,
        base: Header,
        pieces: Pieces,
        changed: &mut Changed,
    ) -> Result<Snapshot, GraphError> {
        let (mut forward, mut reverse) = directories(&file, name, &base)?;
        let (version, history) = (changed.version, changed.history);
        let ids = changed.vertices.ids();
        if changed.layers.is_empty() && changed.runs.is_empty() && ids.is_none() {
            return Ok(Snapshot {
                file,
                base,
                header: base,
                forward,
                reverse,
                changes: None,
                version,
                history,
            });
        }
        let vertices = changed.totals.vertices;
        let side = |directory: &Directory, runs: Vec<Option<&Arc<RunSide>>>, rows: Vec<Arc<[Row]>>| {
            let runs = runs.into_iter().flatten().map(|run| Layer::Run(Arc::clone(run)));
            SideChanges::new(
                runs.chain(rows.into_iter().map(Layer::Memory)).collect(),
                directory,
                base.weights,
            )
        };
        forward = forward.changed(pieces.forward, vertices);
        let runs = changed.runs.iter().map(|run| Some(&run.forward)).collect();
        let forward_changes = side(&forward, runs, changed.layers.clone());
        let reverse_changes = match reverse.take() {
            Some(directory) => {
                let directory = directory.changed(pieces.reverse, vertices);
                let runs = changed.runs.iter().map(|run| run.reverse.as_ref()).collect();
                let rows = changed.layers.iter().map(|rows| turned(rows)).collect();
                let changes = side(&directory, runs, rows);
                reverse = Some(directory);
                Some(changes)
            }
            None => None,
        };
        let header = Header {
            vertices,
            edges: changed.totals.entries,
            self_loops: changed.totals.self_loops,
            renumbered: base.renumbered || ids.is_some(),
            ..base
        };
        let changes = Some(Changes::new(forward_changes, reverse_changes, ids, changed.run_versions.clone()));
        Ok(Snapshot { file, base, header, forward, reverse, changes, version, history })
    }
}

/// The header of a directory's base, if it is the one that its manifest names.
pub(crate) fn base_of(file: &File, path: &Path, manifest: &Manifest) -> Result<Header, GraphError> {
    let name = path.display().to_string();
    let base = Header::read_base(file, &name)?;
    if folder::header_checksum(&base) != manifest.base_checksum {
        return Err(GraphError::damaged(
            &name,
            "it is the base of another store, or of another version".into(),
        ));
    }
    Ok(base)
}

/// The same changes of the lists of incoming edges.
pub(crate) fn turned(rows: &[Row]) -> Arc<[Row]> {
    let mut rows: Vec<Row> = rows.iter().map(|row| row.turned()).collect();
    rows::sort(&mut rows);
    rows.into()
}

fn directories(
    file: &File,
    name: &str,
    header: &Header,
) -> Result<(Directory, Option<Directory>), GraphError> {
    let read = |kind, section, direction| {
        let pages = PagedReader::new(file, name, kind, section);
        let blocks = header.blocks(direction).bytes / u64::from(header.block_bytes);
        Directory::read(pages, name, blocks, header.vertices).map(|read| read.with_gaps(header.has_gaps))
    };
    let forward = read(Kind::ForwardDirectory, header.forward_directory, Direction::Forward)?;
    let reverse = match header.has_reverse {
        true => Some(read(Kind::ReverseDirectory, header.reverse_directory, Direction::Reverse)?),
        false => None,
    };
    Ok((forward, reverse))
}
