//! `leadline devices`, and the catalogue's devices where a profile is asked for.

use std::fs;

use crate::ran::{folder, names, run};

#[test]
fn the_list_has_every_device_once_per_path_with_its_numbers() {
    let dir = folder();
    let list = run(dir.path(), &["devices"]).succeeded();
    assert_eq!(list.stderr, "");
    let row = |name: &str| {
        // Columns that do not fit are in a second table.
        let is_of = |line: &&str| line.split_whitespace().next() == Some(name);
        let cells: Vec<&str> = list.stdout.lines().filter(is_of).collect();
        assert!(!cells.is_empty(), "no {name} in {}", list.stdout);
        cells.join(" ")
    };
    for (name, cells) in [
        ("flash", &["flash ssd", "yes"][..]),
        ("p4510", &["2.8", "1.58", "80", "8", "12.4", "19.6", "no"]),
        ("p4510:raw", &["3.0", "16", "6", "no"]),
        ("hdd", &["hard disk", "1.04", "7000.0", "7300.0"]),
        ("gp2-100g", &["cloud volume", "yes"]),
        ("p4800x-xpoint", &["3d xpoint ssd", "yes"]),
        ("hdd-disk", &["hard disk", "yes"]),
        ("aws-virtual", &["2.0", "180.0", "200.0", "yes"]),
    ] {
        let row = row(name);
        assert!(cells.iter().all(|cell| row.contains(cell)), "{row}");
    }
    assert!(
        list.stdout.contains("] Papon and Athanassoulis, DaMoN 2021, tables 1 and 2\n"),
        "{}",
        list.stdout
    );
    assert!(list.stdout.lines().all(|line| line.chars().count() <= 100), "{}", list.stdout);
}

#[test]
fn one_device_is_shown_whole() {
    let dir = folder();
    let published = run(dir.path(), &["devices", "p4510"]).succeeded().stdout;
    for said in ["published, 8K random, raw device", "12.4 us", "5.8 times", "leadline report device:p4510"] {
        assert!(published.contains(said), "no {said}: {published}");
    }
    let simulated = run(dir.path(), &["devices", "flash"]).succeeded().stdout;
    for said in ["60 us + 5 us/KiB on 80 servers", "exponential", "leadline profile sim:flash"] {
        assert!(simulated.contains(said), "no {said}: {simulated}");
    }
    let drive = run(dir.path(), &["devices", "p3700-ftl"]).succeeded().stdout;
    let drive = drive.split_whitespace().collect::<Vec<_>>().join(" ");
    for said in [
        "2000 GB, over-provisioned by 24 %",
        "18 channels of 8 dies of 2 planes; 512 pages of 16K per block",
        "read 60, 100 us, program 2360 us",
        "leadline profile sim:p3700-ftl",
    ] {
        assert!(drive.contains(said), "no {said}: {drive}");
    }
    let drive = run(dir.path(), &["devices", "p4510-ftl"]).succeeded().stdout;
    let drive = drive.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(drive.contains("software 1.6 us per request, 4.2 us more per write"), "{drive}");
    for (name, parts) in [
        (
            "p4800x-xpoint",
            [
                "8, each moves 512 bytes at once",
                "2320 MB/s on all channels",
                "every 30th read of a 4K takes 20 us longer",
                "2.14 us before it is on its way",
            ],
        ),
        (
            "hdd-disk",
            [
                "7200 rpm, 180 MB/s outside to 90 MB/s inside",
                "8500 us over a third of all",
                "the first of 32 under the head",
                "no write cache; reads 2M ahead",
            ],
        ),
    ] {
        let shown = run(dir.path(), &["devices", name]).succeeded().stdout;
        let words = shown.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(parts.iter().all(|part| words.contains(part)), "{shown}");
        assert!(shown.lines().all(|line| line.chars().count() <= 100), "{shown}");
    }
    let volume = run(dir.path(), &["devices", "gp2-100g"]).succeeded().stdout;
    let volume = volume.split_whitespace().collect::<Vec<_>>().join(" ");
    let limit = "3000 operations/s while credit of 5400000 lasts, 300/s after it; an operation has at most 256K; 128M/s";
    for said in [limit, "Amazon EC2 User Guide", "flush 0 us; a durable write + 0 us"] {
        assert!(volume.contains(said), "no {said}: {volume}");
    }
}

#[test]
fn json_is_one_document() {
    let dir = folder();
    let all = run(dir.path(), &["devices", "--json"]).succeeded().stdout;
    let all: serde_json::Value = serde_json::from_str(&all).unwrap();
    let devices = all["devices"].as_array().unwrap();
    let optane = devices.iter().find(|device| device["name"] == "p4800x").unwrap();
    assert_eq!(optane["published"][0]["k_r"], 6);
    assert!(optane["simulated"].is_null());
    let one = run(dir.path(), &["devices", "flash", "--json"]).succeeded().stdout;
    let one: serde_json::Value = serde_json::from_str(&one).unwrap();
    assert_eq!(one["simulated"]["read"]["servers"], 80);
    let found = |name: &str| devices.iter().find(|device| device["name"] == name).unwrap();
    assert_eq!(found("p4800x-xpoint")["simulated"]["disturb"]["reads"], 30);
    assert_eq!(found("hdd-disk")["simulated"]["platter"]["rpm"], 7200);
    assert!(devices.contains(&one));
}

#[test]
fn published_numbers_are_reported_as_such() {
    let dir = folder();
    let summary = run(dir.path(), &["report", "device:p4510"]).succeeded().stdout;
    let words = summary.split_whitespace().collect::<Vec<_>>().join(" ");
    for said in [
        "Published numbers, not measured here: Papon and Athanassoulis, DaMoN 2021, tables 1 and 2",
        "Keep about 80 reads in flight; send 8 writes at a time.",
        "One write is worth 2.80 reads 1.58 alone",
    ] {
        assert!(words.contains(said), "no {said}: {summary}");
    }
    for wrong in ["BUFFERED", "burst", "IOPS over", "written", "PARTIAL"] {
        assert!(!summary.contains(wrong), "{wrong}: {summary}");
    }
    let raw = run(dir.path(), &["report", "device:p4510:raw", "--json"]).succeeded().profile();
    assert_eq!((raw.parameters[0].alpha, raw.parameters[0].k_r), (Some(3.0), Some(16)));
    run(dir.path(), &["report", "device:aws-virtual", "-o", "page.html"]).succeeded();
    let page = fs::read_to_string(dir.path().join("page.html")).unwrap();
    for said in ["published numbers, not measured here: Papon", "Where the numbers are from", "180\u{a0}µs"]
    {
        assert!(page.contains(said), "no {said}");
    }
    for wrong in ["role=\"alert\"", "O_DIRECT", "SNIA", "<td>0.00\u{a0}µs</td>", "id=\"curves\""] {
        assert!(!page.contains(wrong), "{wrong}");
    }
    let pair = run(dir.path(), &["report", "device:p4510", "device:p4510:raw"]).succeeded().stdout;
    assert!(pair.contains("p4510-raw") && pair.contains("no interval"), "{pair}");
}

#[test]
fn a_description_of_ones_own_is_a_profile() {
    let dir = folder();
    let text = "source = \"a data sheet\"\n[[published]]\nblock_bytes = 4096\npattern = \"random\"\nk_r = 9\nk_w = 7\n";
    fs::write(dir.path().join("mine.toml"), text).unwrap();
    let profile = run(dir.path(), &["report", "device:./mine.toml", "--json"]).succeeded().profile();
    assert_eq!((profile.device.name.as_str(), profile.parameters[0].k_w), ("mine", Some(7)));
    let summary = run(dir.path(), &["report", "device:mine.toml"]).succeeded().stdout;
    assert!(summary.contains("no asymmetry was published"), "{summary}");
    assert!(run(dir.path(), &["devices", "mine.toml"]).succeeded().stdout.contains("a data sheet"));
    fs::write(dir.path().join("mine.toml"), text.replace("k_r = 9", "k_r = 0")).unwrap();
    for arguments in [["report", "device:mine.toml"], ["devices", "mine.toml"]] {
        run(dir.path(), &arguments).refused(&["mine.toml: line 2: published.k_r: must be from 1"]);
    }
}

#[test]
fn what_the_catalogue_does_not_have_is_refused() {
    let dir = folder();
    let cases: [(&[&str], &[&str]); 8] = [
        (
            &["report", "device:flash"],
            &[
                "device:flash has no published numbers; measure the simulated device: leadline profile sim:flash",
            ],
        ),
        (&["report", "device:p9"], &["device:p9: no such device; the catalogue has flash, ", "p4510"]),
        (&["report", "device:hdd:raw"], &["device:hdd:raw has no published numbers"]),
        (&["report", "device:./none.toml"], &["./none.toml", "No such file"]),
        (&["report", "device:hdd", "--fio-jobs", "jobs"], &["device:hdd", "no fio job"]),
        (&["devices", "p9"], &["p9: no such device"]),
        (&["devices", "p4510", "hdd"], &["hdd"]),
        (
            &["profile", "sim:p4510"],
            &["sim:p4510: has published numbers only, nothing to simulate; simulated are flash, optane"],
        ),
    ];
    for (arguments, said) in cases {
        run(dir.path(), arguments).refused(said);
    }
    assert!(names(dir.path()).is_empty());
}
