//! An open graph.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use leadline_device::{Device, FileDevice, FileOptions};

use crate::GraphError;
use crate::engine::{Blocks, Cache};
use crate::format::paged::{Kind, PagedReader};
use crate::format::{ALIGNMENT, Direction, Directory, Header, Ids, Vertex};

/// How a graph is worked on.
#[derive(Debug, Clone)]
pub struct Options {
    /// Most bytes of everything: vertex state, index, cache, buffers, output.
    pub memory: u64,
    /// Threads that read and compute; at least 1.
    pub threads: usize,
    /// Reads in flight, of all threads together: the device's k_r; at least 1.
    pub depth: u32,
    /// The folder of temporary files for vertex state that the cap has no room for; the store's own where
    /// there is none. They have no names, so none is left behind.
    pub temp: Option<PathBuf>,
    /// Set from outside to end a run early.
    pub stop: Option<Arc<AtomicBool>>,
}

impl Default for Options {
    /// A gibibyte or a quarter of the machine's memory, whichever is less; all processors; 64 reads in
    /// flight.
    fn default() -> Self {
        let pages = rustix::param::page_size() as u64;
        let memory = rustix::system::sysinfo();
        let installed = memory.totalram as u64 * u64::from(memory.mem_unit.max(1));
        let quarter = (installed / 4).max(64 * pages);
        let threads = std::thread::available_parallelism().map_or(1, usize::from);
        Options { memory: quarter.min(1 << 30), threads, depth: 64, temp: None, stop: None }
    }
}

impl Options {
    /// Sets the most bytes of everything.
    pub fn with_memory(mut self, bytes: u64) -> Options {
        self.memory = bytes;
        self
    }

    /// Sets the number of threads.
    pub fn with_threads(mut self, threads: usize) -> Options {
        self.threads = threads;
        self
    }

    /// Sets how many reads are in flight, of all threads together.
    pub fn with_depth(mut self, depth: u32) -> Options {
        self.depth = depth;
        self
    }

    /// Sets the folder of temporary files.
    pub fn with_temp(mut self, folder: impl Into<PathBuf>) -> Options {
        self.temp = Some(folder.into());
        self
    }

    /// Sets the flag that ends a run early.
    pub fn with_stop(mut self, stop: Arc<AtomicBool>) -> Options {
        self.stop = Some(stop);
        self
    }
}

/// An open store, ready to run algorithms on. What one run has cached is there for the next.
pub struct Graph {
    name: String,
    /// For ids and directory, which are read plainly.
    file: File,
    device: Box<dyn Device>,
    header: Header,
    forward: Directory,
    reverse: Option<Directory>,
    options: Options,
    cache: Mutex<Option<Cache>>,
    notes: Vec<String>,
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
        let name = path.display().to_string();
        let open = || File::open(path).map_err(|error| GraphError::opening(path, error));
        let file = open()?;
        // Before anything else is asked of it: a folder or a pipe has no length to speak of.
        Header::read(&file, &name)?;
        let capacity =
            file.metadata().map_err(|error| GraphError::read(&name, error))?.len() / ALIGNMENT * ALIGNMENT;
        let (engine, reason) = leadline_device::IoEngine::best();
        let mut notes: Vec<String> =
            reason.map(|reason| format!("without io_uring: {reason}")).into_iter().collect();
        let direct = FileOptions::new(engine, ALIGNMENT as u32).writable(false);
        let device = FileDevice::new(open()?, capacity, direct).or_else(|error| {
            notes.push(format!("through the page cache, which no cap covers: {error}"));
            let file =
                File::open(path).map_err(|error| leadline_device::DeviceError::io("opening", error))?;
            FileDevice::new(file, capacity, direct.direct(false))
        });
        let device = device.map_err(|error| GraphError::device(&name, error))?;
        let mut graph = Graph::on_device(file, name, Box::new(device), options)?;
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
        let header = Header::read(&file, &name)?;
        let read = |kind, section, blocks: u64| {
            let pages = PagedReader::new(&file, &name, kind, section);
            Directory::read(pages, &name, blocks / u64::from(header.block_bytes), header.vertices)
        };
        let forward = read(Kind::ForwardDirectory, header.forward_directory, header.forward.bytes)?;
        let reverse = match header.has_reverse {
            true => Some(read(Kind::ReverseDirectory, header.reverse_directory, header.reverse.bytes)?),
            false => None,
        };
        let cache = Mutex::new(None);
        Ok(Graph { name, file, device, header, forward, reverse, options, cache, notes: Vec::new() })
    }

    /// What the store says of itself.
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// Vertices.
    pub fn vertices(&self) -> u64 {
        self.header.vertices
    }

    /// How it is worked on.
    pub fn options(&self) -> &Options {
        &self.options
    }

    /// The same graph, worked on otherwise.
    pub fn set_options(&mut self, options: Options) {
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

    /// The users' ids.
    pub fn ids(&self) -> Ids<'_> {
        Ids::new(&self.file, &self.name, &self.header)
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
            vertices: self.header.vertices,
            decoder: self.header.decoder(),
            weights: self.header.weights,
        }
    }

    #[inline]
    pub(crate) fn stopped(&self) -> bool {
        self.options.stop.as_ref().is_some_and(|stop| stop.load(Ordering::Relaxed))
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

    pub(crate) fn give_cache(&self, cache: Cache) {
        *self.cache.lock().unwrap_or_else(PoisonError::into_inner) = Some(cache);
    }

    /// Lets go of the blocks that the last run cached, unless the cap has room for so many bytes beside them.
    pub(crate) fn make_room(&self, bytes: u64) {
        let mut kept = self.cache.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.as_ref().is_some_and(|cache| cache.bytes().saturating_add(bytes) > self.options.memory) {
            *kept = None;
        }
    }
}
