//! From a store to a folder of Parquet files and back, and folders that other programs wrote.

use std::fs::{self, File};
use std::path::{Path, PathBuf};

use leadline_graph_store::GraphError;
use leadline_graph_store::export::{ExportOptions, FolderOptions, FolderReport, export, export_folder};
use leadline_graph_store::import::{ImportOptions, import as import_folder, import_edges};
use leadline_graph_store::input::{ArrayEdges, ArrayIds, InputOptions};
use leadline_graph_store::inspect::verify;
use parquet::basic::Type as Physical;
use parquet::file::reader::{FileReader as _, SerializedFileReader};
use proptest::prelude::*;
use serde_json::{Value, json};
use tempfile::{TempDir, tempdir};

/// Memory for any reader.
fn options() -> ImportOptions {
    ImportOptions { memory: 64 << 20, ..ImportOptions::default() }
}

/// A graph as a user has it.
#[derive(Debug, Clone)]
struct Sample {
    directed: bool,
    /// From and to the vertices of these places, and a weight.
    edges: Vec<(usize, usize, f64)>,
    weighted: bool,
    ids: Ids,
    /// So many of the ids are vertices whether or not they have edges.
    vertices: usize,
}

#[derive(Debug, Clone, Copy)]
enum Ids {
    Dense,
    Sparse,
    /// From 2^63 on.
    Large,
    Strings,
}

impl Sample {
    fn ids(&self, places: impl Iterator<Item = usize>) -> ArrayIds {
        let number = |place: usize| match self.ids {
            Ids::Dense => place as u64,
            Ids::Sparse => place as u64 * 7 + 3,
            _ => u64::MAX - 5 * place as u64,
        };
        match self.ids {
            Ids::Strings => places.map(|place| format!("v {place},\"é")).collect::<Vec<_>>().into(),
            _ => places.map(number).collect::<Vec<_>>().into(),
        }
    }

    fn import(&self, store: &Path) {
        let sources = self.ids(self.edges.iter().map(|edge| edge.0));
        let mut edges = ArrayEdges::new(sources, self.ids(self.edges.iter().map(|edge| edge.1))).unwrap();
        if self.weighted {
            let weights: Vec<f64> = self.edges.iter().map(|edge| edge.2).collect();
            edges = edges.with_weights(weights).unwrap();
        }
        let edges = edges.with_vertices(self.ids(0..self.vertices)).unwrap();
        let options = ImportOptions { undirected: !self.directed, ..options() };
        import_edges(Box::new(edges), store, &options, &mut |_| {}).unwrap();
    }
}

fn samples() -> impl Strategy<Value = Sample> {
    let ids = prop_oneof![Just(Ids::Dense), Just(Ids::Sparse), Just(Ids::Large), Just(Ids::Strings)];
    // Few vertices, so that there are parallel edges and self-loops; weights that 32 bits hold, and others.
    let weight = prop_oneof![(0..9).prop_map(f64::from), -1e300..1e300_f64];
    let edges = prop::collection::vec((0..12_usize, 0..12_usize, weight), 0..60);
    (any::<bool>(), edges, any::<bool>(), ids, 0..20_usize).prop_map(
        |(directed, edges, weighted, ids, vertices)| Sample { directed, edges, weighted, ids, vertices },
    )
}

fn to_folder(store: &Path, folder: &Path, partitions: Option<u32>) -> Result<FolderReport, GraphError> {
    let options = FolderOptions { partitions, ..FolderOptions::default() };
    export_folder(store, folder, &options, &mut |_| {})
}

fn from_folder(folder: &Path, store: &Path) -> Result<(), GraphError> {
    import_folder(folder, InputOptions::default(), store, &options(), &mut |_| {}).map(drop)
}

fn rows(file: &Path) -> i64 {
    SerializedFileReader::new(File::open(file).unwrap()).unwrap().metadata().file_metadata().num_rows()
}

fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn a_graph_comes_back_to_the_byte(sample in samples(), partitions in prop::option::of(1..7_u32)) {
        let dir = tempdir().unwrap();
        let [first, folder, second] = ["first", "folder", "second"].map(|name| dir.path().join(name));
        sample.import(&first);
        let report = to_folder(&first, &folder, partitions).unwrap();
        from_folder(&folder, &second).unwrap();
        verify(&second, &mut |_| {}).unwrap();
        prop_assert!(fs::read(&first).unwrap() == fs::read(&second).unwrap(), "{:?}", sample);

        prop_assert_eq!(report.edges, sample.edges.len() as u64);
        let parts: Vec<PathBuf> = (0..report.partitions)
            .map(|part| folder.join(format!("edges/part-{part:05}.parquet")))
            .collect();
        prop_assert_eq!(names(&folder.join("edges")).len(), parts.len());
        prop_assert_eq!(report.partitions, partitions.unwrap_or(1));
        let counts: Vec<i64> = parts.iter().map(|part| rows(part)).collect();
        prop_assert_eq!(counts.iter().sum::<i64>(), sample.edges.len() as i64);
        prop_assert!(counts.iter().max().unwrap() - counts.iter().min().unwrap() <= 1, "{:?}", counts);
    }
}

/// A store of a path through so many vertices, and an isolated one.
fn path_store(dir: &TempDir, vertices: u32) -> PathBuf {
    let store = dir.path().join("store");
    let edges = ArrayEdges::new((1..vertices).collect::<Vec<_>>(), (2..=vertices).collect::<Vec<_>>());
    let edges = edges.unwrap().with_vertices(vec![vertices + 5]).unwrap();
    import_edges(Box::new(edges), &store, &options(), &mut |_| {}).unwrap();
    store
}

#[test]
fn the_folder_says_what_the_graph_is_and_its_columns_are_those_that_others_read() {
    let dir = tempdir().unwrap();
    let (store, folder) = (path_store(&dir, 100), dir.path().join("out"));
    let report = to_folder(&store, &folder, Some(3)).unwrap();
    let text = fs::read_to_string(folder.join("graph.json")).unwrap();
    let expected = json!({
        "format": "leadline.graph-export/1", "directed": true, "weighted": false, "vertices": 101, "edges": 99
    });
    assert_eq!(serde_json::from_str::<Value>(&text).unwrap(), expected);
    assert_eq!(names(&folder), ["edges", "graph.json", "vertices"]);
    let column = |file: &str, at: usize| {
        let reader = SerializedFileReader::new(File::open(folder.join(file)).unwrap()).unwrap();
        let column = reader.metadata().file_metadata().schema_descr().column(at);
        (column.name().to_owned(), column.physical_type(), column.logical_type_ref().cloned())
    };
    assert_eq!(column("edges/part-00001.parquet", 0), ("source".into(), Physical::INT64, None));
    assert_eq!(column("edges/part-00001.parquet", 1), ("target".into(), Physical::INT64, None));
    assert_eq!(column("vertices/part-00000.parquet", 0), ("vertex".into(), Physical::INT64, None));
    assert_eq!(rows(&folder.join("vertices/part-00000.parquet")), 101);
    let files = ["edges/part-00000", "edges/part-00001", "edges/part-00002", "vertices/part-00000"];
    let bytes = |name: &str| fs::metadata(folder.join(name)).unwrap().len();
    let parquet: u64 = files.iter().map(|name| bytes(&format!("{name}.parquet"))).sum();
    assert_eq!(report.bytes, parquet + bytes("graph.json"));
}

#[test]
fn an_older_export_is_replaced_and_nothing_else_is() {
    let dir = tempdir().unwrap();
    let (store, folder) = (path_store(&dir, 10), dir.path().join("out"));
    fs::create_dir(&folder).unwrap();
    to_folder(&store, &folder, Some(3)).unwrap();
    to_folder(&store, &folder, Some(2)).unwrap();
    assert_eq!(names(&folder.join("edges")), ["part-00000.parquet", "part-00001.parquet"]);
    let refused = |said: &str| {
        let before = names(&folder);
        let error = to_folder(&store, &folder, None).unwrap_err();
        assert!(error.is_input() && error.to_string().contains(said), "{error}");
        assert_eq!((names(&folder), names(dir.path())), (before, vec!["out".into(), "store".into()]));
    };
    fs::write(folder.join("edges/notes.txt"), "mine").unwrap();
    refused("holds edges/notes.txt too");
    fs::rename(folder.join("edges/notes.txt"), folder.join("notes.txt")).unwrap();
    refused("holds notes.txt too");
    fs::remove_file(folder.join("notes.txt")).unwrap();
    fs::remove_file(folder.join("graph.json")).unwrap();
    refused("is not an exported graph");
    fs::write(folder.join("graph.json"), "{}").unwrap();
    refused("is not an exported graph");
    assert!(to_folder(&store, &store, None).unwrap_err().to_string().contains("is a file"));
}

#[test]
fn a_place_that_cannot_be_looked_into_is_left_as_it_is() {
    let dir = tempdir().unwrap();
    let (store, link) = (path_store(&dir, 10), dir.path().join("out"));
    std::os::unix::fs::symlink("out", &link).unwrap();
    let error = to_folder(&store, &link, None).unwrap_err();
    assert!(error.is_input() && error.to_string().contains("cannot be read"), "{error}");
    assert_eq!(fs::read_link(&link).unwrap(), Path::new("out"));
}

#[test]
fn an_export_that_is_stopped_leaves_nothing() {
    let dir = tempdir().unwrap();
    let (store, folder) = (path_store(&dir, 10), dir.path().join("out"));
    to_folder(&store, &folder, Some(3)).unwrap();
    let before = fs::read(folder.join("edges/part-00000.parquet")).unwrap();
    let options = FolderOptions::default();
    let mut stop_at_edges = |step: leadline_graph_store::Progress| {
        options.stop.store(step.phase == "vertices", std::sync::atomic::Ordering::Relaxed);
    };
    let stopped = export_folder(&store, &folder, &options, &mut stop_at_edges);
    assert!(matches!(stopped, Err(GraphError::Interrupted)), "{stopped:?}");
    assert_eq!(fs::read(folder.join("edges/part-00000.parquet")).unwrap(), before);
    assert_eq!(names(dir.path()), ["out", "store"]);
}

#[test]
fn a_folder_of_parquet_files_is_one_list_of_edges() {
    let dir = tempdir().unwrap();
    let (store, parts) = (path_store(&dir, 3000), dir.path().join("parts"));
    let whole = dir.path().join("whole.parquet");
    export(&store, &whole, &ExportOptions::default(), &mut |_| {}).unwrap();
    to_folder(&store, &dir.path().join("out"), Some(4)).unwrap();
    fs::rename(dir.path().join("out/edges"), &parts).unwrap();
    // As Spark leaves it.
    fs::write(parts.join("_SUCCESS"), "").unwrap();
    fs::write(parts.join(".part-00000.parquet.crc"), "crc").unwrap();
    let [one, other] = ["one", "other"].map(|name| dir.path().join(name));
    from_folder(&whole, &one).unwrap();
    from_folder(&parts, &other).unwrap();
    assert!(fs::read(one).unwrap() == fs::read(other).unwrap());
}

/// A name, what is done to an export of two parts, and what is said then.
type Case<'a> = (&'a str, &'a dyn Fn(&Path), &'a str);

#[test]
fn what_is_wrong_with_a_folder_is_said_with_the_file() {
    let dir = tempdir().unwrap();
    let store = path_store(&dir, 3000);
    let names =
        Sample { directed: false, edges: vec![(0, 1, 0.5)], weighted: true, ids: Ids::Strings, vertices: 2 };
    let strings = dir.path().join("strings");
    names.import(&strings);
    let cases: [Case<'_>; 11] = [
        ("no files", &|folder| fs::remove_dir_all(folder.join("edges")).unwrap(), "edges: cannot be opened"),
        (
            "an empty folder",
            &|folder| {
                fs::remove_dir_all(folder.join("edges")).unwrap();
                fs::create_dir(folder.join("edges")).unwrap();
            },
            "edges: holds no Parquet files",
        ),
        (
            "a part is missing",
            &|folder| fs::remove_file(folder.join("edges/part-00001.parquet")).unwrap(),
            "edges: expected 2999 edges, as graph.json says, found 1499; a part is missing",
        ),
        (
            "a truncated part",
            &|folder| {
                let part = folder.join("edges/part-00001.parquet");
                let length = fs::metadata(&part).unwrap().len();
                File::options().write(true).open(part).unwrap().set_len(length - 9).unwrap();
            },
            "edges/part-00001.parquet: is not a sound Parquet file",
        ),
        (
            "a part of another graph",
            &|folder| {
                let other = dir.path().join("x/strings.parquet");
                fs::create_dir_all(dir.path().join("x")).unwrap();
                export(&strings, &other, &ExportOptions::default(), &mut |_| {}).unwrap();
                fs::rename(other, folder.join("edges/part-00001.parquet")).unwrap();
            },
            "edges/part-00001.parquet: expected the columns of part-00000.parquet, source (numbers), \
             target (numbers); found source (strings), target (strings)",
        ),
        (
            "vertices instead of edges",
            &|folder| {
                fs::copy(folder.join("vertices/part-00000.parquet"), folder.join("edges/part-00001.parquet"))
                    .unwrap();
            },
            "edges/part-00001.parquet: expected a column \"source\" and one \"target\"",
        ),
        (
            "another file",
            &|folder| fs::write(folder.join("edges/part-00002.csv"), "1,2").unwrap(),
            "edges/part-00002.csv: is not a Parquet file",
        ),
        (
            "a directory in it",
            &|folder| fs::create_dir(folder.join("edges/more")).unwrap(),
            "edges/more: is a directory in a directory",
        ),
        (
            "no description",
            &|folder| fs::remove_file(folder.join("graph.json")).unwrap(),
            "is a directory in a directory of edges; name the one that has the files",
        ),
        (
            "another description",
            &|folder| fs::write(folder.join("graph.json"), "{\"format\": \"x\"}").unwrap(),
            "graph.json: expected the description of an exported graph, \"leadline.graph-export/1\"",
        ),
        (
            "a later version",
            &|folder| {
                let text = fs::read_to_string(folder.join("graph.json")).unwrap();
                fs::write(folder.join("graph.json"), text.replace("export/1", "export/2")).unwrap();
            },
            "found \"leadline.graph-export/2\"",
        ),
    ];
    let (folder, new) = (dir.path().join("out"), dir.path().join("new"));
    for (case, spoil, said) in cases {
        let _ = fs::remove_dir_all(&folder);
        to_folder(&store, &folder, Some(2)).unwrap();
        spoil(&folder);
        let error = from_folder(&folder, &new).unwrap_err();
        assert!(error.is_input() && error.to_string().contains(said), "{case}: {error}");
        assert!(!new.exists(), "{case}");
    }
}

#[test]
fn what_a_description_says_is_not_contradicted() {
    let dir = tempdir().unwrap();
    let [directed, weighted, new] = ["directed", "weighted", "new"].map(|name| dir.path().join(name));
    let store = path_store(&dir, 10);
    to_folder(&store, &directed, None).unwrap();
    let sample = Sample {
        directed: false,
        edges: vec![(0, 1, 0.5), (1, 1, 2.0)],
        weighted: true,
        ids: Ids::Sparse,
        vertices: 3,
    };
    let store = dir.path().join("second");
    sample.import(&store);
    to_folder(&store, &weighted, None).unwrap();
    let input = InputOptions::default;
    let undirected = ImportOptions { undirected: true, ..options() };
    for (folder, input, options, said) in [
        (&directed, input(), undirected.clone(), "its edges lead one way"),
        (&directed, InputOptions { weights: true, ..input() }, options(), "has no weights"),
        (&weighted, InputOptions { directed: true, ..input() }, options(), "holds an undirected graph"),
    ] {
        let error = import_folder(folder, input, &new, &options, &mut |_| {}).unwrap_err();
        assert!(error.is_input() && error.to_string().contains(said), "{error}");
    }
    // To say it again is no contradiction.
    import_folder(&weighted, InputOptions { weights: true, ..input() }, &new, &undirected, &mut |_| {})
        .unwrap();
    import_folder(&directed, InputOptions { directed: true, ..input() }, &new, &options(), &mut |_| {})
        .unwrap();
}
