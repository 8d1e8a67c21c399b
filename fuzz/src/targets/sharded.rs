//! The manifest and the ids of sharded stores, their checksums in order: verified, and stores that pass are
//! opened and searched.

use std::fs;
use std::path::{Path, PathBuf};

use leadline_graph::algorithm::{Argument, Arguments, Destination, Job};
use leadline_graph::algorithms::{ALGORITHMS, run_sharded};
use leadline_graph::sharded::ShardedGraph;
use leadline_graph_store::import::{ImportOptions, import};
use leadline_graph_store::input::InputOptions;
use leadline_graph_store::inspect::verify;
use leadline_graph_store::tiles::{ShardedIds, Shards};
use leadline_graph_store::{GraphError, Options};
use tempfile::TempDir;

use super::stores::folder;
use crate::Target;
use crate::seal::{PAGE, seal_ids, seal_manifest};

/// What runs are given: a manifest may claim any number of vertices.
const MEMORY: u64 = 16 << 20;

/// Vertices of a graph, and of a shard: two shards.
const VERTICES: u64 = 1000;
const SHARD: u64 = 700;

/// Both targets.
pub(super) fn all() -> std::io::Result<Vec<Box<dyn Target>>> {
    Ok(vec![Box::new(Manifests::new()?), Box::new(IdFiles::new()?)])
}

/// Makes a sharded store, of vertices with these ids, all of which have edges.
fn make(path: &Path, weighted: bool, options: ImportOptions, id: impl Fn(u64) -> u64) {
    let mut text = String::new();
    for from in 0..VERTICES {
        for to in [(from + 1) % VERTICES, from * from % VERTICES, from / 2] {
            let weight = if weighted { " 0.5" } else { "" };
            text += &format!("{} {}{weight}\n", id(from), id(to));
        }
    }
    let input = path.with_extension(if weighted { "wel" } else { "el" });
    fs::write(&input, text).expect("a temporary file is written");
    let weights = InputOptions { weights: weighted, ..InputOptions::default() };
    let options = ImportOptions { memory: MEMORY, shard_vertices: SHARD, ..options };
    import(&input, weights, path, &options, &mut |_| {}).expect("a small store is written");
}

/// Reads some ids of a store whose manifest is sound.
fn read_ids(path: &Path, shards: &Shards) {
    if let Ok(mut ids) = ShardedIds::open(path, shards) {
        for rank in [0, shards.vertices / 2, shards.vertices - 1] {
            // Where ids ascend over all pages is for `verify` to say; within one they do.
            if let Ok(runs) = ids.runs_from(rank) {
                let after = runs.iter().zip(&runs[1..]).all(|(run, next)| next.id >= run.id + run.count);
                assert!(runs[0].rank == rank && runs[0].count > 0 && after, "{runs:?}");
            }
            let _ = ids.rank(rank);
        }
    }
}

/// Of a store that is valid, each id leads to its rank.
fn check_ids(path: &Path, shards: &Shards) -> Result<(), GraphError> {
    let mut ids = ShardedIds::open(path, shards)?;
    let mut rank = 0;
    while rank < shards.vertices {
        let runs = ids.runs_from(rank)?.to_vec();
        for run in runs {
            assert_eq!(run.rank, rank, "ranks have no gaps");
            rank += run.count;
            for (at, id) in [(run.rank, run.id), (rank - 1, run.id + (run.count - 1))] {
                assert_eq!((ids.id(at)?, ids.rank(id)?), (id, Some(at)));
            }
        }
    }
    assert_eq!(rank, shards.vertices, "each vertex has an id");
    Ok(())
}

/// Runs what there is for sharded stores; the results are put into tables, with the ids.
fn search(path: &Path) -> Result<(), GraphError> {
    let options = Options { memory: MEMORY, threads: 1, depth: 1, ..Options::default() };
    let mut graph = ShardedGraph::open(path, options)?;
    let first = graph.ids()?.id(0)?.to_string();
    let source = Arguments::from([("source", Argument::Ids(vec![first]))]);
    for (name, arguments) in [("bfs", &source), ("wcc", &Arguments::new())] {
        let definition = ALGORITHMS.into_iter().find(|definition| definition.name == name);
        let rows = Job { to: Destination::Rows, ..Job::default() };
        let ran = run_sharded(&mut graph, definition.expect("it is there"), arguments, &rows)?;
        let rows = ran.rows.map_or(0, |rows| rows.count() as u64);
        assert_eq!(rows, graph.shards().vertices, "{name} has a row for each vertex");
    }
    Ok(())
}

/// A line that says which of the stores, then the values of its manifest, a line for each: most inputs are
/// still JSON.
struct Manifests {
    folder: TempDir,
    manifests: Vec<Manifest>,
}

/// The values of a manifest, and the text between them.
struct Manifest {
    between: Vec<String>,
    values: Vec<String>,
}

impl Manifest {
    fn new(text: &str) -> Manifest {
        let (mut between, mut values) = (vec![String::new()], Vec::new());
        for line in text.split_inclusive('\n') {
            let value = line.split_once(": ").map(|(_, value)| value.trim_end().trim_end_matches(','));
            match value.filter(|value| !value.starts_with('[')) {
                Some(value) => {
                    let (before, after) = line.rsplit_once(value).expect("the value is in its line");
                    *between.last_mut().expect("it has one") += before;
                    between.push(after.to_owned());
                    values.push(value.to_owned());
                }
                None => *between.last_mut().expect("it has one") += line,
            }
        }
        Manifest { between, values }
    }

    /// With other values, as far as there are some.
    fn with(&self, values: &[&[u8]]) -> Vec<u8> {
        let mut text = self.between[0].clone().into_bytes();
        for (at, (value, after)) in self.values.iter().zip(&self.between[1..]).enumerate() {
            text.extend_from_slice(values.get(at).copied().unwrap_or(value.as_bytes()));
            text.extend_from_slice(after.as_bytes());
        }
        seal_manifest(&mut text);
        text
    }
}

impl Manifests {
    fn new() -> std::io::Result<Manifests> {
        let folder = folder()?;
        let usual = ImportOptions::default();
        let kinds = [
            (true, ImportOptions { reverse: true, ..usual.clone() }, true),
            (false, ImportOptions { undirected: true, ..usual.clone() }, false),
            (false, usual, false),
        ];
        let mut manifests = Vec::new();
        for (at, (weighted, options, sparse)) in kinds.into_iter().enumerate() {
            let path = folder.path().join(at.to_string());
            make(&path, weighted, options, |id| if sparse { 3 * id + 1 } else { id });
            manifests.push(Manifest::new(&fs::read_to_string(path.join("shards"))?));
        }
        Ok(Manifests { folder, manifests })
    }
}

impl Target for Manifests {
    fn name(&self) -> String {
        "store-shards".to_owned()
    }

    fn seeds(&self) -> Vec<Vec<u8>> {
        let seed = |(at, manifest): (usize, &Manifest)| format!("{at}\n{}", manifest.values.join("\n"));
        self.manifests.iter().enumerate().map(|seed_of| seed(seed_of).into_bytes()).collect()
    }

    fn words(&self) -> &'static [&'static str] {
        &["true", "false", "null", "\"none\"", "\"f32\"", "\"f64\"", "[]", "{}", "4294967295", "64"]
    }

    fn read(&mut self, input: &[u8]) -> bool {
        let lines: Vec<&[u8]> = input.split(|byte| *byte == b'\n').collect();
        let store = lines[0].first().map_or(0, |digit| usize::from(*digit)) % self.manifests.len();
        let path = self.folder.path().join(store.to_string());
        let manifest = self.manifests[store].with(&lines[1..]);
        fs::write(path.join("shards"), manifest).expect("a temporary file is written");
        let shards = match Shards::read(&path) {
            Ok(shards) => shards,
            // It was read, and says what cannot be.
            Err(error) => return error.to_string().contains("not one that an import writes"),
        };
        let _ = (shards.edges(), shards.has_reverse(), shards.identity());
        read_ids(&path, &shards);
        if verify(&path, &mut |_| {}).is_ok() {
            let _ = search(&path);
        }
        true
    }
}

/// The ids of a store whose manifest knows how many pages they take.
struct IdFiles {
    _folder: TempDir,
    store: PathBuf,
    /// In front of the number of pages, and behind it.
    manifest: [String; 2],
    seeds: Vec<Vec<u8>>,
}

impl IdFiles {
    fn new() -> std::io::Result<IdFiles> {
        let folder = folder()?;
        // In runs; far apart, in some pages; up to the largest there is.
        let spreads: [fn(u64) -> u64; 3] = [
            |rank| rank + rank / 10 * 1000,
            |rank| rank * (u64::MAX / VERTICES) + rank % 2,
            |rank| u64::MAX - 2 * (VERTICES - 1 - rank),
        ];
        // The ranks are the same, and so are all files but the ids and the manifest.
        let store = folder.path().join("store");
        let mut seeds = Vec::new();
        for spread in spreads {
            if store.exists() {
                fs::remove_dir_all(&store)?;
            }
            make(&store, false, ImportOptions::default(), spread);
            seeds.push(fs::read(store.join("ids"))?);
        }
        let text = fs::read_to_string(store.join("shards"))?;
        let pages = "\"id_pages\": ";
        let parts =
            text.split_once(pages).and_then(|(before, after)| Some((before, after.split_once(',')?.1)));
        let (before, after) = parts.expect("the manifest has the number of pages");
        let manifest = [format!("{before}{pages}"), format!(",{after}")];
        Ok(IdFiles { _folder: folder, store, manifest, seeds })
    }
}

impl Target for IdFiles {
    fn name(&self) -> String {
        "store-ids".to_owned()
    }

    fn seeds(&self) -> Vec<Vec<u8>> {
        self.seeds.clone()
    }

    fn binary(&self) -> bool {
        true
    }

    fn seal(&self, input: &mut Vec<u8>) {
        seal_ids(input);
    }

    fn read(&mut self, input: &[u8]) -> bool {
        let [before, after] = &self.manifest;
        let mut manifest = format!("{before}{}{after}", input.len() / PAGE).into_bytes();
        seal_manifest(&mut manifest);
        fs::write(self.store.join("shards"), manifest).expect("a temporary file is written");
        fs::write(self.store.join("ids"), input).expect("a temporary file is written");
        let shards = Shards::read(&self.store).expect("the manifest is sound");
        read_ids(&self.store, &shards);
        if verify(&self.store, &mut |_| {}).is_ok() {
            check_ids(&self.store, &shards).expect("its ids were verified");
        }
        let is_read = |mut ids: ShardedIds| ids.id(0).is_ok();
        shards.id_pages > 0 && ShardedIds::open(&self.store, &shards).is_ok_and(is_read)
    }
}
