//! An open graph.

use std::fs::File;
use std::os::fd::AsRawFd as _;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use leadline_device::{Device, DeviceError, FileDevice, FileOptions};
use leadline_graph_store::format::{ALIGNMENT, Direction, Directory, Header, Ids, Vertex};
use leadline_graph_store::updates::{Changes, History, Merged, SideChanges, Snapshot};

use crate::engine::{Blocks, Cache, EnginePlan, KeptLists, Limited, Meter};
use crate::{GraphError, Options};

/// An open store, ready to run algorithms on. What one run has cached is there for the next.
pub struct Graph {
    name: String,
    /// For ids and directory, which are read plainly.
    file: File,
    device: Box<dyn Device>,
    /// After changes.
    header: Header,
    /// Of the file, before changes.
    base: Header,
    forward: Directory,
    reverse: Option<Directory>,
    changes: Option<Changes>,
    version: u64,
    history: History,
    /// Bytes that changes take in memory; the options have what is left.
    taken: u64,
    options: Options,
    cache: Mutex<Option<Cache>>,
    merged: Mutex<Option<Merged>>,
    /// What earlier runs decoded.
    lists: Mutex<KeptLists>,
    /// Whether an earlier run ended well.
    was_run: AtomicBool,
    notes: Vec<String>,
    meter: Arc<Meter>,
    limited: Limited,
}

impl std::fmt::Debug for Graph {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Graph")
            .field("name", &self.name)
            .field("header", &self.header)
            .finish_non_exhaustive()
    }
}

impl Graph {
    /// Opens a store, for direct reads through io_uring where the machine has them.
    ///
    /// # Errors
    /// [`GraphError`]: no store, a newer one's, damaged, unreadable.
    pub fn open(path: impl AsRef<Path>, options: Options) -> Result<Graph, GraphError> {
        let path = path.as_ref();
        // Before anything else is asked of it: a pipe has no length to speak of.
        Graph::open_snapshot(Snapshot::open(path)?, path.display().to_string(), options)
    }

    /// A version of a store, read as by [`Graph::open`].
    pub(crate) fn open_snapshot(
        snapshot: Snapshot,
        name: String,
        options: Options,
    ) -> Result<Graph, GraphError> {
        // Flags of a file belong to all of its clones: direct reads need one of their own.
        let open = || File::open(format!("/proc/self/fd/{}", snapshot.file.as_raw_fd()));
        let length = snapshot.file.metadata().map_err(|error| GraphError::read(&name, error))?.len();
        let capacity = length / ALIGNMENT * ALIGNMENT;
        let (engine, reason) = leadline_device::IoEngine::best();
        let mut notes: Vec<String> = reason
            .map(|reason| format!("{reason}; using psync, one thread per read in flight"))
            .into_iter()
            .collect();
        let direct = FileOptions::new(engine, ALIGNMENT as u32).writable(false);
        let opened = open().map_err(|error| DeviceError::io("/proc/self/fd (is /proc mounted?)", error));
        let device = opened.and_then(|file| FileDevice::new(file, capacity, direct)).or_else(|error| {
            notes.push(format!("through the page cache, which no cap covers: {error}"));
            let file = snapshot.file.try_clone().map_err(|error| DeviceError::io("opening", error))?;
            FileDevice::new(file, capacity, direct.direct(false))
        });
        let device = device.map_err(|error| GraphError::device(&name, error))?;
        let mut graph = Graph::of_snapshot(snapshot, name, Box::new(device), options)?;
        graph.notes = notes;
        Ok(graph)
    }

    /// Opens a store whose blocks are read through any device; for devices that are simulated or fail. `file`
    /// is the same store: header, directory and ids are read from it.
    ///
    /// # Errors
    /// As [`Graph::open`].
    pub fn on_device(
        file: File,
        name: String,
        device: Box<dyn Device>,
        options: Options,
    ) -> Result<Graph, GraphError> {
        let snapshot = Snapshot::of_file(file, &name)?;
        Graph::of_snapshot(snapshot, name, device, options)
    }

    /// A version of a store.
    pub(crate) fn of_snapshot(
        snapshot: Snapshot,
        name: String,
        device: Box<dyn Device>,
        mut options: Options,
    ) -> Result<Graph, GraphError> {
        let Snapshot { file, base, header, forward, reverse, changes, version, history } = snapshot;
        // Changes take their part of the memory first.
        let taken = changes.as_ref().map_or(0, |changes| changes.bytes(options.threads.max(1) as u64));
        if taken > options.memory {
            let what = "the changes of the graph, until they are compacted,".into();
            return Err(GraphError::Memory { what, given: options.memory, needed: taken });
        }
        options.memory -= taken;
        let (cache, merged, notes) = (Mutex::new(None), Mutex::new(None), Vec::new());
        let meter = Arc::default();
        Ok(Graph {
            name,
            file,
            device,
            header,
            base,
            forward,
            reverse,
            changes,
            version,
            history,
            taken,
            options,
            cache,
            merged,
            lists: Mutex::default(),
            was_run: AtomicBool::new(false),
            notes,
            meter,
            limited: Limited::default(),
        })
    }

    /// How many changes were made to the store since it was imported.
    pub fn version(&self) -> u64 {
        self.version
    }

    /// What is known of its changes.
    pub(crate) fn history(&self) -> History {
        self.history
    }

    /// Calls `each` with the ends of the edges that changed after a version since which the store was not
    /// compacted, as [`Changes::changed_since`].
    ///
    /// # Errors
    /// Of reading changes.
    pub(crate) fn changed_since(
        &self,
        version: u64,
        each: impl FnMut(Vertex, Vertex, bool),
    ) -> Result<(), GraphError> {
        self.changes.as_ref().map_or(Ok(()), |changes| changes.changed_since(version, each))
    }

    /// No less than what ids that the store did not have at first take as a table.
    pub(crate) fn new_id_bytes(&self) -> u64 {
        self.changes.as_ref().and_then(Changes::ids).map_or(0, |ids| ids.bytes())
    }

    /// Whether it is a store with changes.
    pub(crate) fn has_changes(&self) -> bool {
        self.changes.is_some()
    }

    /// Changes of the lists of a direction, if there are any.
    pub(crate) fn changes(&self, direction: Direction) -> Option<&SideChanges> {
        self.changes.as_ref().map(|changes| changes.side(direction))
    }

    /// What the store says of itself.
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// Vertices.
    pub fn vertices(&self) -> u64 {
        self.header.vertices
    }

    /// How it is worked on. Its memory is less than what was given by what changes take.
    pub fn options(&self) -> &Options {
        &self.options
    }

    /// The same graph, worked on otherwise.
    pub fn set_options(&mut self, mut options: Options) {
        options.memory = options.memory.saturating_sub(self.taken);
        self.options = options;
    }

    /// The store's path, as it was given.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What had to be done without, in plain words, each once; to be shown.
    pub fn notes(&self) -> Vec<String> {
        let mut notes = self.notes.clone();
        notes.extend(self.device.warnings());
        notes
    }

    /// How far the run on it is, for other threads to look at meanwhile.
    pub fn meter(&self) -> &Arc<Meter> {
        &self.meter
    }

    /// Shows how far its runs are where those of another graph are shown.
    pub(crate) fn share_meter(&mut self, with: &Graph) {
        self.show_on(&with.meter);
    }

    /// Shows how far its runs are on another meter.
    pub(crate) fn show_on(&mut self, meter: &Arc<Meter>) {
        self.meter = Arc::clone(meter);
    }

    /// The users' ids.
    pub fn ids(&self) -> Ids<'_> {
        let changes = self.changes.as_ref().and_then(Changes::ids);
        Ids::new(&self.file, &self.name, &self.base, changes, self.header.vertices)
    }

    /// The vertex of an id.
    ///
    /// # Errors
    /// [`GraphError::NoVertex`] where there is none; [`GraphError::Damaged`].
    pub fn vertex(&self, id: &str) -> Result<Vertex, GraphError> {
        let mut ids = self.ids();
        match ids.rank(id)? {
            Some(rank) => ids.vertex(rank),
            None => Err(GraphError::NoVertex {
                name: self.name.clone(),
                id: id.into(),
                known: self.known_ids(&mut ids),
            }),
        }
    }

    /// The id of a vertex, for errors. In a renumbered store it is looked for.
    ///
    /// # Errors
    /// [`GraphError::Damaged`].
    pub(crate) fn id_of(&self, vertex: Vertex) -> Result<String, GraphError> {
        let mut ids = self.ids();
        if !ids.renumbered() {
            return ids.text(vertex.into());
        }
        for rank in 0..self.vertices() {
            if ids.vertex(rank)? == vertex {
                return ids.text(rank);
            }
        }
        Err(GraphError::damaged(&self.name, format!("vertex {vertex} has no rank")))
    }

    /// Which block holds which vertices.
    ///
    /// # Panics
    /// Where the graph has no lists of that direction: ask [`Graph::need_reverse`] first.
    pub fn directory(&self, direction: Direction) -> &Directory {
        match (direction, &self.reverse) {
            (Direction::Reverse, Some(reverse)) => reverse,
            (Direction::Reverse, None) => {
                assert!(!self.header.directed, "the graph has no reverse lists");
                &self.forward
            }
            (Direction::Forward, _) => &self.forward,
        }
    }

    /// Whether edges are weighted, for algorithms that cannot do without.
    ///
    /// # Errors
    /// [`GraphError::NeedsWeights`].
    pub fn need_weights(&self, what: &str) -> Result<(), GraphError> {
        if self.header.weights.bytes() > 0 {
            return Ok(());
        }
        Err(GraphError::NeedsWeights { name: self.name.clone(), what: what.into() })
    }

    /// Whether incoming edges can be read, for algorithms that cannot do without.
    ///
    /// # Errors
    /// [`GraphError::NeedsReverse`].
    pub fn need_reverse(&self, what: &str) -> Result<(), GraphError> {
        if self.header.has_reverse() {
            return Ok(());
        }
        Err(GraphError::NeedsReverse { name: self.name.clone(), what: what.into() })
    }

    /// Which ids there are, for errors.
    fn known_ids(&self, ids: &mut Ids<'_>) -> String {
        match self.vertices() {
            0 => "it has none".to_owned(),
            n => match (ids.text(0), ids.text(n - 1)) {
                (Ok(first), Ok(last)) => format!("its ids go from {first} to {last}"),
                _ => format!("it has {n}"),
            },
        }
    }

    /// Where temporary files are made.
    pub(crate) fn temp_folder(&self) -> &Path {
        self.options.temp.as_deref().unwrap_or(leadline_files::folder_of(Path::new(&self.name)))
    }

    /// What its runs found out about the device.
    pub(crate) fn limited(&self) -> &Limited {
        &self.limited
    }

    pub(crate) fn device(&self) -> &dyn Device {
        &*self.device
    }

    /// Blocks of both directions.
    pub(crate) fn all_blocks(&self) -> u32 {
        self.forward.blocks() + self.reverse.as_ref().map_or(0, Directory::blocks)
    }

    pub(crate) fn blocks(&self, direction: Direction) -> Blocks<'_> {
        let section = self.header.blocks(direction);
        let reverse = direction == Direction::Reverse && self.reverse.is_some();
        Blocks {
            name: &self.name,
            direction: if reverse { Direction::Reverse } else { Direction::Forward },
            offset: section.offset,
            base: if reverse { self.forward.blocks() } else { 0 },
            block_bytes: self.header.block_bytes,
            directory: self.directory(direction),
            vertices: self.base.vertices,
            decoder: self.header.decoder(),
            weights: self.header.weights,
        }
    }

    #[inline]
    pub(crate) fn stopped(&self) -> bool {
        self.options.stop.as_ref().is_some_and(|stop| stop.load(Ordering::Relaxed))
    }

    /// Counts a step of a pass for whoever watches; false once somebody asked to stop.
    #[inline]
    pub(crate) fn step(&self) -> bool {
        self.meter.take(1);
        !self.stopped()
    }

    /// An error once somebody asked to stop.
    pub(crate) fn check_stop(&self) -> Result<(), GraphError> {
        if self.stopped() { Err(GraphError::Interrupted) } else { Ok(()) }
    }

    /// The cache that the last run left, if it is of this size; a new one else.
    pub(crate) fn take_cache(&self, frames: u32) -> Result<Cache, GraphError> {
        let kept = self.cache.lock().unwrap_or_else(PoisonError::into_inner).take();
        match kept.filter(|cache| cache.frames() == frames) {
            Some(cache) => Ok(cache),
            None => Cache::new(frames, self.all_blocks(), self.header.block_bytes),
        }
    }

    /// Looks at the lists that are kept as plain numbers.
    pub(crate) fn with_lists<T>(&self, look: impl FnOnce(&mut KeptLists) -> T) -> T {
        look(&mut self.lists.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Whether this is not the first run on it.
    pub(crate) fn is_run_again(&self) -> bool {
        self.was_run.load(Ordering::Relaxed)
    }

    /// Plans a run with `state` bytes of vertex state. Lists that earlier runs decoded stay if the cap has
    /// room for all blocks next to them, and go else.
    ///
    /// # Errors
    /// As [`EnginePlan::new`].
    pub(crate) fn plan_beside_lists(&self, what: &str, state: u64) -> Result<EnginePlan, GraphError> {
        let (header, blocks) = (&self.header, self.all_blocks());
        let kept = self.with_lists(|lists| lists.bytes());
        if kept > 0 {
            let memory = self.options.memory.saturating_sub(kept);
            let beside = Options { memory, ..self.options.clone() };
            match EnginePlan::new(what, header, &beside, blocks, state) {
                Ok(plan) if plan.frames >= blocks => return Ok(plan),
                _ => self.with_lists(|lists| *lists = KeptLists::default()),
            }
        }
        EnginePlan::new(what, header, &self.options, blocks, state)
    }

    /// Gives it blocks that another reader of the same file cached.
    pub(crate) fn put_cache(&self, cache: Cache) {
        *self.cache.lock().unwrap_or_else(PoisonError::into_inner) = Some(cache);
    }

    /// The blocks that its last run cached.
    pub(crate) fn into_cache(self) -> Option<Cache> {
        self.cache.into_inner().unwrap_or_else(PoisonError::into_inner)
    }

    /// Of a graph with changes: takes a part of a plan's memory for them and for blocks as they made them,
    /// what the plan does not use and, where changes need more, up to half of its cache if that does not hold
    /// everything. Says how many bytes that is.
    pub(crate) fn share_for_merged(&self, plan: &mut EnginePlan) -> u64 {
        let Some(changes) = &self.changes else { return 0 };
        let lists = self.with_lists(|lists| lists.bytes());
        let unused = self.options.memory.saturating_sub(plan.bytes + lists);
        let index = u64::from(self.all_blocks()) * Merged::BYTES_PER_BLOCK;
        let frame = Cache::bytes_per_frame(self.header.block_bytes);
        let lacking = (index + changes.bytes_by_block()).saturating_sub(unused).div_ceil(frame);
        let given = if plan.frames < self.all_blocks() { lacking.min(u64::from(plan.frames / 2)) } else { 0 };
        plan.frames -= given as u32;
        (unused + given * frame).saturating_sub(index)
    }

    /// The blocks that the last run kept, if they are no more than that many bytes.
    pub(crate) fn take_merged(&self, bytes: u64) -> Merged {
        let blocks = if self.changes.is_some() { self.all_blocks() } else { 0 };
        let kept = self.merged.lock().unwrap_or_else(PoisonError::into_inner).take();
        let merged = kept.filter(|kept| kept.bytes() <= bytes).unwrap_or_else(|| Merged::new(blocks));
        merged.allow(bytes);
        merged
    }

    pub(crate) fn give_cache(&self, cache: Cache, merged: Option<Merged>) {
        *self.cache.lock().unwrap_or_else(PoisonError::into_inner) = Some(cache);
        *self.merged.lock().unwrap_or_else(PoisonError::into_inner) = merged;
        self.was_run.store(true, Ordering::Relaxed);
    }

    /// Frees the blocks that the last run cached and the lists that were decoded, unless the cap has room for
    /// that many bytes in addition to them.
    pub(crate) fn make_room(&self, bytes: u64) {
        let mut merged = self.merged.lock().unwrap_or_else(PoisonError::into_inner);
        let mut kept = self.cache.lock().unwrap_or_else(PoisonError::into_inner);
        let of_merged = merged.as_ref().map_or(0, Merged::bytes);
        let of_kept = kept.as_ref().map_or(0, Cache::bytes);
        let of_lists = self.with_lists(|lists| lists.bytes());
        if of_kept.saturating_add(of_merged).saturating_add(of_lists).saturating_add(bytes)
            > self.options.memory
        {
            (*kept, *merged) = (None, None);
            self.with_lists(|lists| *lists = KeptLists::default());
        }
    }
}
