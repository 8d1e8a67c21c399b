//! Graph stores, their checksums in order: verified, and those that pass are opened and searched.

use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::PathBuf;

use leadline_device::{FileDevice, FileOptions, IoEngine};
use leadline_graph::Graph;
use leadline_graph_store::format::{Header, Layout, StoreWriter, Weights};
use leadline_graph_store::inspect::verify;
use leadline_graph_store::{GraphError, Options};
use tempfile::TempDir;

use crate::Target;
use crate::seal::seal_store;

/// In memory where there is such a file system: the file is written anew for each input.
pub(super) fn folder() -> std::io::Result<TempDir> {
    tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir())
}

pub(super) struct Stores {
    folder: TempDir,
    file: File,
    path: PathBuf,
}

impl Stores {
    pub(super) fn new() -> std::io::Result<Stores> {
        let folder = folder()?;
        let path = folder.path().join("input");
        Ok(Stores { file: File::create(&path)?, folder, path })
    }

    /// A small graph with a hub whose list takes more than one block.
    fn seed(&self, compressed: bool, directed: bool, weights: Weights) -> Result<Vec<u8>, GraphError> {
        let path = self.folder.path().join("seed");
        let vertices = 1500;
        let layout = Layout { block_bytes: 4096, compressed, directed, weights, vertices };
        let mut writer = StoreWriter::create(&path, layout)?;
        let hub = 5;
        let edges = |vertex: u32| -> Vec<u32> {
            match vertex {
                5 => (0..1500).filter(|to| *to != hub).collect(),
                _ if directed => vec![(vertex * 7 + 1) % 1500],
                _ => vec![hub],
            }
        };
        for from in 0..1500 {
            for to in edges(from) {
                writer.edge(from, to, 1.5)?;
            }
        }
        writer.finish()?;
        Ok(std::fs::read(&path).expect("the store is there"))
    }

    /// Opens the store as a program does, but through the page cache, and runs a breadth-first search.
    fn search(&self) -> Result<(), GraphError> {
        let file = || File::open(&self.path).expect("the file is there");
        let capacity = file().metadata().map_or(0, |meta| meta.len()) / 4096 * 4096;
        let plain = FileOptions::new(IoEngine::Psync, 4096).writable(false).direct(false);
        let Ok(device) = FileDevice::new(file(), capacity, plain) else { return Ok(()) };
        let options = Options { memory: 4 << 20, threads: 1, depth: 1, ..Options::default() };
        let graph = Graph::on_device(file(), "input".to_owned(), Box::new(device), options)?;
        if graph.vertices() > 0 {
            graph.bfs(&[0])?;
        }
        Ok(())
    }
}

impl Target for Stores {
    fn name(&self) -> String {
        "store".to_owned()
    }

    fn seeds(&self) -> Vec<Vec<u8>> {
        let kinds = [
            (true, true, Weights::None),
            (true, false, Weights::F32),
            (false, true, Weights::F64),
            (false, false, Weights::None),
        ];
        let seed = |(compressed, directed, weights)| self.seed(compressed, directed, weights);
        kinds.map(|kind| seed(kind).expect("a small store is written")).to_vec()
    }

    fn binary(&self) -> bool {
        true
    }

    fn seal(&self, input: &mut Vec<u8>) {
        seal_store(input);
    }

    fn read(&mut self, input: &[u8]) -> bool {
        self.file.write_all_at(input, 0).expect("a temporary file is written");
        self.file.set_len(input.len() as u64).expect("a temporary file is cut");
        let file = File::open(&self.path).expect("the file is there");
        if Header::read(&file, "input").is_err() {
            return false;
        }
        // An algorithm trusts a block whose checksum is right, and here all are. What a sealed block may hold
        // is for `verify` to say; what it lets through can be searched, or needs more memory than there is.
        if verify(&self.path, &mut |_| {}).is_ok() {
            let _ = self.search();
        }
        true
    }
}
