//! The devices built in say what was published, and a file that is wrong is told where.

use leadline_catalogue::{AccessPath, DEVICES, Description, Published, find, load};

/// Papon and Athanassoulis, DaMoN 2021, table 1 (latencies in microseconds) and table 2.
/// Device, path, block, alpha, k_r, k_w, and the read and write latency where there is one.
type Row = (&'static str, Option<AccessPath>, u32, f64, u32, u32, Option<[f64; 2]>);

const TABLES: [Row; 11] = [
    ("p4800x", None, 4096, 1.1, 6, 5, Some([6.8, 7.6])),
    ("p4800x", None, 8192, 1.0, 4, 4, None),
    ("p4510", Some(AccessPath::FileSystem), 4096, 2.8, 80, 8, Some([12.4, 19.6])),
    ("p4510", Some(AccessPath::FileSystem), 8192, 1.9, 40, 7, None),
    ("p4510", Some(AccessPath::Raw), 4096, 3.0, 16, 6, None),
    ("p4510", Some(AccessPath::Raw), 8192, 3.0, 15, 4, None),
    ("s4610", None, 4096, 1.5, 25, 9, Some([100.0, 130.0])),
    ("s4610", None, 8192, 1.3, 21, 5, None),
    ("aws-virtual", None, 4096, 2.0, 11, 19, Some([180.0, 200.0])),
    ("aws-virtual", None, 8192, 1.9, 6, 10, None),
    ("hdd", None, 4096, 1.0, 1, 1, Some([7000.0, 7300.0])),
];

#[test]
fn the_devices_have_the_numbers_of_the_tables_and_no_others() {
    for (name, path, block_bytes, alpha, k_r, k_w, latencies) in TABLES {
        let device = find(name).unwrap().description();
        let same = |e: &&Published| e.block_bytes == block_bytes && e.path == path;
        let entry = device.published.iter().find(same).unwrap_or_else(|| panic!("{name} {block_bytes}"));
        assert_eq!((entry.alpha, entry.k_r, entry.k_w), (Some(alpha), k_r, k_w), "{name} {block_bytes}");
        assert_eq!(
            [entry.read_latency_us, entry.write_latency_us],
            [latencies.map(|l| l[0]), latencies.map(|l| l[1])]
        );
        let cap = (name == "aws-virtual" && block_bytes == 4096).then_some(60_000.0);
        assert_eq!(entry.cap_iops, cap, "{name}");
    }
    let entries: usize = DEVICES.iter().map(|device| device.description().published.len()).sum();
    assert_eq!(entries, TABLES.len());
}

#[test]
fn every_device_built_in_says_what_it_is_and_where_that_is_from() {
    for device in DEVICES {
        let description = Description::parse(device.text, device.name).unwrap_or_else(|e| panic!("{e}"));
        assert_eq!(device.description(), description);
        let said = [&description.description, &description.class, &description.source];
        assert!(said.iter().all(|text| text.is_some()), "{}: {said:?}", device.name);
        assert!(description.simulated || !description.published.is_empty(), "{}", device.name);
    }
    let simulated: Vec<_> =
        DEVICES.iter().filter(|d| d.description().simulated).map(|device| device.name).collect();
    let shapes = ["flash", "optane", "sata", "capped"];
    let volumes = ["gp2-100g", "gp2-334g", "gp2-1t", "gp3", "io2", "pd-balanced", "aws-virtual"];
    let drives = ["p4510-ftl", "p3700-ftl", "s4610-ftl", "990pro-ftl", "p4800x-xpoint", "hdd-disk"];
    assert_eq!(simulated, [&shapes[..], &volumes, &drives].concat());
}

const GOOD: &str = "description = \"mine\"\nsource = \"a data sheet\"\nclass = \"flash ssd\"\n\n[[published]]\n\
                    block_bytes = 4096\npattern = \"random\"\npath = \"raw\"\nalpha = 2.0\nk_r = 4\nk_w = 2\n\
                    read_latency_us = 50\nwrite_latency_us = 75\ncap_iops = 1e4\nnote = \"a note\"\n";

fn error(text: &str) -> String {
    let error = Description::parse(text, "my.toml").err().unwrap_or_else(|| panic!("accepted: {text}"));
    let message = error.to_string();
    assert!(message.starts_with("my.toml: line ") && !message.contains('\n'), "{message}");
    message
}

fn with(line: &str, other: &str) -> String {
    assert!(GOOD.contains(line));
    GOOD.replacen(line, other, 1)
}

#[test]
fn a_file_of_ones_own_is_read_whole() {
    let mine = Description::parse(GOOD, "my.toml").unwrap();
    assert_eq!((mine.description.as_deref(), mine.simulated), (Some("mine"), false));
    assert_eq!(mine.published[0].alpha_1(), Some(1.5));
    assert_eq!(mine.published[0].note.as_deref(), Some("a note"));
    // A description may have both parts.
    let both = format!("kind = \"parametric\"\ncapacity = \"1G\"\n{GOOD}[read]\n[write]\n");
    assert!(Description::parse(&both, "my.toml").unwrap().simulated);
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("my.toml");
    std::fs::write(&file, GOOD).unwrap();
    assert_eq!(load(file.to_str().unwrap()).unwrap(), mine);
}

#[test]
fn a_mistake_is_told_with_its_line_and_field() {
    for (line, other, said) in [
        ("class =", "clas =", "line 3: `clas` is not known here"),
        ("alpha = 2.0", "alfa = 2.0", "line 9: `alfa` is not known here"),
        ("k_r = 4\n", "", "line 5: `k_r` is missing"),
        ("k_r = 4", "k_r = 4.5", "line 10: "),
        ("k_r = 4", "k_r = ", "line 10: "),
        ("\"random\"", "\"rnd\"", "line 7: must be one of `random`, `sequential`, found \"rnd\""),
        ("\"raw\"", "\"spdk\"", "line 8: must be one of `file system`, `raw`, found \"spdk\""),
        ("block_bytes = 4096", "block_bytes = 511", "published.block_bytes: must be from 512"),
        ("block_bytes = 4096", "block_bytes = 16777217", "published.block_bytes: must be from 512"),
        ("k_r = 4", "k_r = 0", "line 5: published.k_r: must be from 1 to 1000000"),
        ("k_w = 2", "k_w = 1000001", "line 5: published.k_w: must be from 1 to 1000000"),
        ("alpha = 2.0", "alpha = 0", "published.alpha: must be from"),
        ("alpha = 2.0", "alpha = nan", "published.alpha: must be from"),
        ("alpha = 2.0", "alpha = inf", "published.alpha: must be from"),
        ("read_latency_us = 50", "read_latency_us = -1", "published.read_latency_us: must be from"),
        ("write_latency_us = 75", "write_latency_us = inf", "published.write_latency_us: must be from"),
        ("cap_iops = 1e4", "cap_iops = 0", "published.cap_iops: must be from"),
        ("\"a note\"", "\" \"", "published.note: is empty"),
        ("\"a note\"", "\"a\\nb\"", "published.note: must be one line"),
        ("\"mine\"", "\"\\u001b[2J\"", "line 1: description: must be one line"),
        ("source = \"a data sheet\"\n", "", "line 4: source: missing; say where"),
    ] {
        let message = error(&with(line, other));
        assert!(message.contains(said), "{other}: {message}");
    }
    assert!(error("").contains("published: missing; a description needs"));
    assert!(error("class = \"hard disk\"").contains("published: missing"));
}

#[test]
fn one_pattern_size_and_path_has_one_entry() {
    let entry = &GOOD[GOOD.find("[[").unwrap()..];
    assert!(error(&format!("{GOOD}{entry}")).contains("line 16: published: a second entry"));
    let other = entry.replace("raw", "file system");
    assert_eq!(Description::parse(&format!("{GOOD}{other}"), "my.toml").unwrap().published.len(), 2);
    // Where no path is named, it is the file system's.
    let none = entry.replace("path = \"raw\"\n", "");
    assert!(error(&format!("{GOOD}{other}{none}")).contains("a second entry"));
}

#[test]
fn a_name_that_is_not_there_is_told_with_those_that_are() {
    let message = load("p9").unwrap_err().to_string();
    assert!(message.starts_with("p9: no such device; the catalogue has flash, optane, "), "{message}");
    assert!(load("./nowhere.toml").unwrap_err().to_string().contains("No such file"));
}
