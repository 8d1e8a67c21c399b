//! How a graph is opened: a store, a version of one, or one on any device.

use std::fs::File;
use std::os::fd::AsRawFd as _;
use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex};

use leadline_device::{Device, DeviceError, FileDevice, FileOptions};
use leadline_graph_store::format::ALIGNMENT;
use leadline_graph_store::updates::Snapshot;

use super::Graph;
use crate::engine::Limited;
use crate::{GraphError, Options};

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
}
