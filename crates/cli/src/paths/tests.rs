//! Every argument of every command, and every pair of those that lead to files.

use std::any::TypeId;
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use clap::{Arg, Command, CommandFactory as _, FromArgMatches as _};
use tempfile::TempDir;

use super::check::name;
use super::{DeviceName, Kind, ProfileName, TargetName, Use};
use crate::{Cli, Failure};

/// Arguments that are text and lead to no file of the command, and why.
const NO_FILES: [(&str, &str, &str); 40] = [
    ("advise", "system", "a name of a list"),
    ("advise", "version", "a version"),
    ("lint", "system", "a name of a list"),
    ("lint", "version", "a version"),
    ("lint", "connect", "a server"),
    ("profile import", "format", "a name of a list"),
    ("profile import", "pattern", "a name of a list"),
    ("profile import", "mountpoint", "what stands in a file"),
    ("profile import", "name", "the device's name"),
    ("prove", "system", "a name of a list"),
    ("prove", "only", "names of a list"),
    ("profile", "system", "a name of a list"),
    ("predict", "model", "a name of a list"),
    ("btree advise", "model", "a name of a list"),
    ("lsm predict", "family", "a column family"),
    ("lsm advise", "rocksdb", "a version"),
    ("trace info", "columns", "what columns hold"),
    ("trace replay", "columns", "what columns hold"),
    ("trace convert", "columns", "what columns hold"),
    ("pool simulate", "columns", "what columns hold"),
    ("pool replay", "columns", "what columns hold"),
    ("trace generate", "generator", "is refused unless it is that of a generator"),
    ("trace capture", "command", "is another program's, whose business its arguments are"),
    ("graph bfs", "source", "an id"),
    ("graph sssp", "source", "an id"),
    ("graph dfs", "source", "an id"),
    ("graph walk", "source", "an id"),
    ("graph pagerank", "source", "an id"),
    ("graph neighbors", "ids", "an id"),
    ("graph ego", "vertex", "an id"),
    ("graph subgraph", "ids", "an id"),
    ("emulate ctl inject", "path", "a glob of paths in the mount"),
    ("emulate ctl map", "file", "a path in the mount, which is only asked about"),
    ("experiment", "pattern", "a pattern of writes"),
    ("index get", "key", "a key"),
    ("index scan", "from", "a key"),
    ("index scan", "to", "a key"),
    ("index scan", "prefix", "a key"),
    ("docs", "page", "a name of a list"),
    ("docs", "search", "words"),
];

/// What a command needs besides files, and what an argument needs of others.
const VALUES: [(&str, &[&str]); 20] = [
    ("advise", &["postgresql"]),
    ("lint", &["postgresql"]),
    ("prove", &["postgresql"]),
    ("experiment", &["ladder"]),
    ("calibrate", &["--check"]),
    ("pool simulate", &["--frames=10"]),
    ("pool replay", &["--frames=10"]),
    ("btree advise", &["--data=1G", "--key-size=8", "--value-size=8", "--mix=point=100"]),
    ("lsm advise", &["--data=1G", "--key-size=8", "--value-size=8", "--mix=point=100"]),
    ("lsm predict", &["--data=1G", "--key-size=8", "--value-size=8"]),
    ("trace generate", &["gen:paper-ms"]),
    ("graph validate", &["--algorithm=bfs"]),
    ("graph bfs", &["--source=1"]),
    ("graph sssp", &["--source=1"]),
    ("graph dfs", &["--source=1"]),
    ("graph update", &["--format=csv"]),
    ("trace convert", &["--format=pages", "--to=msr"]),
    ("emulate ctl inject", &["eio"]),
    ("emulate ctl map", &["x"]),
    ("index load", &["--header=no"]),
];

/// A command that does something, with the words that call it.
struct Leaf {
    words: Vec<String>,
    /// Its own arguments, and before them those of the commands that it belongs to.
    arguments: Vec<(usize, Arg)>,
}

impl Leaf {
    fn name(&self) -> String {
        self.words.join(" ")
    }

    /// Those that lead to files, with what is done with these.
    fn files(&self) -> Vec<(usize, &Arg, Use)> {
        let kind = |(level, argument): &'_ (usize, Arg)| Some((*level, Kind::of_argument(argument)?.what));
        let all = self.arguments.iter();
        all.filter_map(|one| kind(one).map(|(level, what)| (level, &one.1, what))).collect()
    }
}

/// Every command that can be called by itself.
fn leaves() -> Vec<Leaf> {
    fn walk(command: &Command, words: &[String], above: &[(usize, Arg)], all: &mut Vec<Leaf>) {
        let own = command.get_arguments().filter(|one| !one.is_hide_set() || one.get_long().is_some());
        let own: Vec<(usize, Arg)> = own.map(|one| (words.len(), one.clone())).collect();
        if !command.is_subcommand_required_set() {
            let arguments = above.iter().chain(&own).cloned().collect();
            all.push(Leaf { words: words.to_vec(), arguments });
        }
        // What is given before a subcommand is given with it, unless the one excludes the other.
        let passed = if command.is_args_conflicts_with_subcommands_set() { Vec::new() } else { own };
        for inner in command.get_subcommands() {
            let words = [words, &[inner.get_name().to_owned()]].concat();
            walk(inner, &words, &[above, &passed].concat(), all);
        }
    }
    let mut all = Vec::new();
    walk(&Cli::command(), &[], &[], &mut all);
    all.retain(|leaf| !leaf.words.is_empty());
    assert!(all.len() > 40, "{} commands", all.len());
    all
}

#[test]
fn every_argument_that_leads_to_a_file_is_of_a_type_that_says_so() {
    let mut unknown = Vec::new();
    let mut excused: BTreeSet<(String, String)> = BTreeSet::new();
    for leaf in leaves() {
        for (_, argument) in &leaf.arguments {
            let id = argument.get_value_parser().type_id();
            let texts = [TypeId::of::<PathBuf>(), TypeId::of::<OsString>(), TypeId::of::<String>()];
            let is_text = texts.iter().any(|text| id == *text);
            let pair = (leaf.name(), argument.get_id().to_string());
            match NO_FILES.iter().any(|(command, name, _)| (*command, *name) == (&*pair.0, &*pair.1)) {
                true => drop(excused.insert(pair)),
                false if is_text && Kind::of_argument(argument).is_none() => unknown.push(pair),
                false => {}
            }
        }
    }
    assert!(unknown.is_empty(), "of no type of crate::paths, and not in NO_FILES: {unknown:?}");
    let named: BTreeSet<(String, String)> =
        NO_FILES.iter().map(|(command, name, _)| ((*command).to_owned(), (*name).to_owned())).collect();
    assert_eq!(excused, named, "NO_FILES has arguments that do not exist");
}

/// How the second argument names the file that the first one has.
#[derive(Debug, Clone, Copy)]
enum By {
    Name,
    SymbolicLink,
    HardLink,
    /// As a description's file, where the argument takes devices: `sim:FILE`.
    Description,
}

const WAYS: [By; 4] = [By::Name, By::SymbolicLink, By::HardLink, By::Description];

fn takes_devices(argument: &Arg) -> bool {
    let id = argument.get_value_parser().type_id();
    [TypeId::of::<ProfileName>(), TypeId::of::<DeviceName>(), TypeId::of::<TargetName>()]
        .iter()
        .any(|one| id == *one)
}

/// A folder with a file that is precious.
struct Ground {
    folder: TempDir,
}

const PRECIOUS: &[u8] = b"what nobody may replace";

impl Ground {
    fn new() -> Ground {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("precious.bin"), PRECIOUS).unwrap();
        symlink("precious.bin", folder.path().join("link.bin")).unwrap();
        fs::hard_link(folder.path().join("precious.bin"), folder.path().join("hard.bin")).unwrap();
        Ground { folder }
    }

    fn at(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn other_name(&self, by: By) -> OsString {
        match by {
            By::Name => self.at("./precious.bin").into(),
            By::SymbolicLink => self.at("link.bin").into(),
            By::HardLink => self.at("hard.bin").into(),
            By::Description => format!("sim:{}", self.at("precious.bin").display()).into(),
        }
    }

    #[track_caller]
    fn is_untouched(&self, words: &[OsString]) {
        for name in ["precious.bin", "link.bin", "hard.bin"] {
            assert_eq!(fs::read(self.at(name)).unwrap(), PRECIOUS, "{words:?}");
        }
        let mut names: Vec<_> =
            fs::read_dir(self.folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        names.sort();
        assert_eq!(names, ["hard.bin", "link.bin", "precious.bin"], "{words:?}");
    }
}

/// The words that call a command with these values; other arguments that it cannot do without get files of
/// their own.
fn line(leaf: &Leaf, given: &[(&str, OsString)], folder: &Path) -> Vec<OsString> {
    let mut words: Vec<OsString> = vec!["leadline".into()];
    for level in 0..=leaf.words.len() {
        if let Some(word) = level.checked_sub(1).and_then(|before| leaf.words.get(before)) {
            words.push(word.into());
        }
        if level == leaf.words.len() {
            let values = VALUES.iter().find(|(command, _)| *command == leaf.name());
            words.extend(values.into_iter().flat_map(|(_, values)| *values).map(OsString::from));
        }
        for (_, argument) in leaf.arguments.iter().filter(|(own, _)| *own == level) {
            let id = argument.get_id().as_str();
            let value = given.iter().find(|(name, _)| *name == id).map(|(_, value)| value.clone());
            let is_file = Kind::of_argument(argument).is_some();
            let needed = || folder.join(format!("other-{id}.bin")).into_os_string();
            let value = value.or_else(|| (is_file && is_needed(leaf, argument)).then(needed));
            let Some(value) = value else { continue };
            if let Some(long) = argument.get_long() {
                words.push(format!("--{long}").into());
            }
            words.push(value);
        }
    }
    if leaf.name() == "graph similarity" && given.iter().all(|(id, _)| *id != "pairs") {
        words.push("--top=3".into());
    }
    // Behind the store or the index.
    if ["graph neighbors", "graph ego", "graph subgraph", "index get"].contains(&&*leaf.name()) {
        words.push("17".into());
    }
    if leaf.name() == "trace capture" {
        words.extend(["--", "true"].map(OsString::from));
    }
    words
}

fn is_needed(leaf: &Leaf, argument: &Arg) -> bool {
    // What clap has required of the command without its subcommands.
    // And what is needed unless another option is there.
    let also = ["emulate", "graph import"].contains(&&*leaf.name());
    argument.is_required_set() || argument.is_positional() && also
}

/// What `leadline` answers to these words.
fn answer(words: &[OsString]) -> Result<(), Failure> {
    crate::run(words.iter().cloned())
}

/// Pairs of arguments of which the first is written and the second may not be the same.
fn pairs(leaf: &Leaf) -> Vec<(&Arg, Use, &Arg, Use)> {
    let files = leaf.files();
    let mut pairs = Vec::new();
    for (at, (_, one, what)) in files.iter().enumerate() {
        for (_, other, other_what) in &files[at + 1..] {
            match (what.writes(), other_what.writes()) {
                (true, _) => pairs.push((*one, *what, *other, *other_what)),
                (false, true) => pairs.push((*other, *other_what, *one, *what)),
                (false, false) => {}
            }
        }
    }
    pairs
}

/// Whether `--output` is to take the place of what is gone on from.
fn goes_on(pair: &(&Arg, Use, &Arg, Use)) -> bool {
    let (one, what, other, other_what) = pair;
    (*what == Use::Continue && other.get_id() == "output")
        || (*other_what == Use::Continue && one.get_id() == "output")
}

#[test]
fn no_command_takes_one_file_for_what_it_writes_and_for_something_else() {
    let mut tried: BTreeMap<String, usize> = BTreeMap::new();
    let ground = Ground::new();
    for leaf in leaves() {
        for pair @ (written, _, other, _) in pairs(&leaf) {
            for by in WAYS {
                let first = ground.at("precious.bin").into_os_string();
                if matches!(by, By::Description) && !takes_devices(other) {
                    continue;
                }
                let second = ground.other_name(by);
                let ids = [written.get_id().as_str(), other.get_id().as_str()];
                let words = line(&leaf, &[(ids[0], first), (ids[1], second)], ground.folder.path());
                if goes_on(&pair) {
                    continue;
                }
                let Err(Failure::Input(said)) = answer(&words) else { panic!("{words:?} was not refused") };
                assert!(said.contains("is the same file as"), "{words:?}: {said}");
                for argument in [written, other] {
                    assert!(said.contains(&name(argument)), "{words:?}: {said}");
                }
                ground.is_untouched(&words);
                *tried.entry(leaf.name()).or_default() += 1;
            }
        }
        let writes = leaf.files().iter().any(|(_, _, what)| what.writes());
        let alone = leaf.files().len() < 2;
        assert!(!writes || alone || tried.contains_key(&leaf.name()), "{}: no pair was tried", leaf.name());
    }
    let all: usize = tried.values().sum();
    let _ = std::io::Write::write_fmt(
        &mut std::io::stderr(),
        format_args!("{all} command lines of {} commands were refused: {tried:?}\n", tried.len()),
    );
    assert!(all > 300, "{all} command lines");
}

#[test]
fn two_outputs_in_one_place_that_is_free_are_refused() {
    let ground = Ground::new();
    symlink("new.bin", ground.at("link-to-new.bin")).unwrap();
    let names = ["new.bin", "./new.bin", "none/../new.bin", "link-to-new.bin"];
    let mut tried = 0;
    for leaf in leaves() {
        for pair @ (written, what, other, other_what) in pairs(&leaf) {
            if (what, other_what) != (Use::Write, Use::Write) || goes_on(&pair) {
                continue;
            }
            for second in names {
                let ids = [written.get_id().as_str(), other.get_id().as_str()];
                let values = [ground.at("new.bin"), ground.at(second)].map(PathBuf::into_os_string);
                let [first, second] = values;
                let words = line(&leaf, &[(ids[0], first), (ids[1], second)], ground.folder.path());
                let Err(Failure::Input(said)) = answer(&words) else { panic!("{words:?} was not refused") };
                assert!(said.contains("and one would replace the other"), "{words:?}: {said}");
                assert!(!ground.at("new.bin").exists(), "{words:?}");
                tried += 1;
            }
        }
    }
    assert!(tried >= 28, "{tried} command lines");
}

#[test]
fn a_file_of_its_own_is_taken_in_every_argument_of_every_command_whatever_its_name() {
    let folder = tempfile::tempdir().unwrap();
    for leaf in leaves() {
        for (_, argument, _) in leaf.files() {
            for name in [&b"given.bin"[..], b"\xff\xfe.bin", b"\x1b[2J\n.bin", b"sim:\xff", b"-\xff"] {
                let value = folder.path().join(OsStr::from_bytes(name)).into_os_string();
                let words = line(&leaf, &[(argument.get_id().as_str(), value)], folder.path());
                let mut command = Cli::command();
                let matches = command.try_get_matches_from_mut(&words);
                let matches = matches.unwrap_or_else(|error| panic!("{words:?}: {error}"));
                super::check(&command, &matches)
                    .unwrap_or_else(|error| panic!("{words:?}: {}", error.line()));
                Cli::from_arg_matches(&matches).unwrap_or_else(|error| panic!("{words:?}: {error}"));
            }
        }
    }
}

#[test]
fn what_goes_on_from_a_file_may_take_its_place() {
    let folder = tempfile::tempdir().unwrap();
    let mut tried = 0;
    for leaf in leaves() {
        for pair @ (written, _, other, _) in pairs(&leaf) {
            if !goes_on(&pair) {
                continue;
            }
            let value = || folder.path().join("earlier.bin").into_os_string();
            let given = [(written.get_id().as_str(), value()), (other.get_id().as_str(), value())];
            let words = line(&leaf, &given, folder.path());
            let mut command = Cli::command();
            let matches = command.try_get_matches_from_mut(&words).unwrap();
            super::check(&command, &matches).unwrap_or_else(|error| panic!("{words:?}: {}", error.line()));
            tried += 1;
        }
    }
    assert_eq!(tried, 4, "profile --resume; bfs, wcc and pagerank --from");
}

/// Calls `leadline` in `folder` by absolute paths and asserts that it refuses, in these words.
#[track_caller]
fn refused(words: &[&str], said: &str) {
    let words: Vec<OsString> =
        std::iter::once("leadline").chain(words.iter().copied()).map(Into::into).collect();
    match answer(&words) {
        Err(Failure::Input(line)) => assert!(line.contains(said), "{words:?}: {line}"),
        other => panic!("{words:?}: {other:?}"),
    }
}

#[test]
fn folders_and_what_lies_beside_a_file_count_too() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name).display().to_string();
    fs::create_dir_all(folder.path().join("store/sub")).unwrap();
    for name in ["store/part.parquet", "r.bin.json", "r.json.part", "fast.toml"] {
        fs::write(folder.path().join(name), PRECIOUS).unwrap();
    }
    let two = "kind = \"cached\"\nfast = \"fast.toml\"\nslow = \"slow.json\"\nfast_size = \"1G\"\n";
    fs::write(folder.path().join("two.toml"), two).unwrap();
    let store = at("store");
    // A folder that is made or replaced must not hold anything that is read.
    refused(&["graph", "export", &at("store/part.parquet"), &store], "is a directory that holds");
    refused(&["graph", "info", &store, "--report", &at("store/sub/x.html")], "is inside STORE");
    refused(&["graph", "import", &store, &at("store/part.parquet"), "--force"], "all of which is read");
    refused(&["trace", "capture", &store, "-o", &at("store/x"), "--", "true"], "is inside DIR");
    let drive = ["emulate", "sim:flash", "--backing", &store, "--mount", &at("mnt")];
    refused(&[&drive[..], &["--report", &at("store/r.json")]].concat(), "is inside --backing");
    refused(&[&drive[..], &["--trace", &at("mnt/r.json")]].concat(), "is inside --mount");
    // What a file has beside it, and what a result brings with it.
    fs::write(folder.path().join("g.v"), PRECIOUS).unwrap();
    refused(&["graph", "import", &at("g.e"), &at("g.v"), "--force"], "is the same file as EDGES");
    refused(
        &["graph", "wcc", &store, "-o", &at("r.bin"), "--profile", &at("r.bin.json")],
        "is the same file as --profile",
    );
    let validate = ["lsm", "validate", &at("r.json.part"), ".", "-o", &at("r.json")];
    refused(&validate, "is the same file as PROFILE");
    // A device made of two has files that it does not name on the command line.
    let target = format!("sim:{}", at("two.toml"));
    for name in ["two.toml", "fast.toml", "slow.json"] {
        refused(&["profile", &target, "-o", &at(name)], "is the same file as TARGET");
    }
    refused(&["report", &format!("device:{}:raw", at("fast.toml")), "-o", &at("fast.toml")], "PROFILE");
    assert_eq!(fs::read(folder.path().join("fast.toml")).unwrap(), PRECIOUS);
}

#[test]
fn what_is_no_file_is_not_compared() {
    let words = |words: &[&str]| {
        let mut command = Cli::command();
        let words = std::iter::once("leadline").chain(words.iter().copied());
        let matches = command.try_get_matches_from_mut(words).unwrap();
        super::check(&command, &matches)
    };
    for taken in [
        &["trace", "convert", "-", "-", "--to", "msr"][..],
        &["profile", "sim:flash", "-o", "flash"],
        &["report", "device:p4510", "-o", "p4510"],
        &["trace", "info", "gen:paper-ms", "-o", "gen:paper-ms"],
        &["profile", ".", "-o", "./p.json", "--report", "./p.html"],
        &["lint", "postgresql", "postgresql://localhost/x", "p.json"],
        &["emulate", "sim:./d.toml", "--backing", ".", "--mount", "/mnt", "--faults", "./f.toml"],
        &["profile", "sim:flash", "-o", "/dev/null", "--report", "/dev/null"],
    ] {
        words(taken).unwrap_or_else(|error| panic!("{taken:?}: {}", error.line()));
    }
}
