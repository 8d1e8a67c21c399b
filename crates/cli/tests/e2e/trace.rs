//! `leadline trace info` and `leadline trace replay`.

use std::fs;
use std::path::Path;

use leadline_trace::capture::{Event, Operation, Thread, Writer};
use rustix::process::Signal;
use serde_json::Value;

use crate::ran::{Ran, folder, names, run, start};

/// 100 reads of pages 0 to 9 in turn, then a write to each.
const TURNS: &str = "turns.pages";

fn turns(dir: &Path) {
    let mut text = String::from("# a scan, ten times\n");
    (0..100).for_each(|i| text += &format!("R {}\n", i % 10));
    (0..10).for_each(|i| text += &format!("W {i}\n"));
    fs::write(dir.join(TURNS), text).unwrap();
}

/// One request per millisecond in MSR's format: 64K, every fourth a write, over 100 MiB.
fn timed(dir: &Path, name: &str, requests: u64) {
    let line = |i: u64| {
        let (ticks, op) =
            (128_166_372_003_061_629 + i * 10_000, if i.is_multiple_of(4) { "Write" } else { "Read" });
        format!("{ticks},web,0,{op},{},65536,0\n", i * 1_048_576 % 104_857_600)
    };
    fs::write(dir.join(name), (0..requests).map(line).collect::<String>()).unwrap();
}

/// stdout as the one document that it is.
#[track_caller]
fn document(ran: &Ran) -> Value {
    serde_json::from_str(&ran.stdout).unwrap_or_else(|error| panic!("{error}: {}", ran.stdout))
}

/// This exit code, nothing on stdout, and a last line on stderr that has all of `said`.
#[track_caller]
fn ended(ran: &Ran, code: i32, said: &[&str]) {
    assert_eq!(ran.code, Some(code), "{}", ran.stderr);
    assert_eq!(ran.stdout, "");
    let line = ran.stderr.lines().last().unwrap_or_default();
    assert!(line.starts_with("error: "), "{line}");
    for word in said {
        assert!(line.contains(word), "no {word:?} in {line:?}");
    }
}

#[test]
fn info_tells_what_a_trace_is_like() {
    let dir = folder();
    turns(dir.path());
    let ran = run(dir.path(), &["trace", "info", TURNS]).succeeded();
    for words in
        ["110, 90.9 % reads", "10 pages, 40.0 KiB", "not in the trace", "90.9 %", "exactly", "LRU cache"]
    {
        assert!(ran.stdout.contains(words), "no {words:?} in {}", ran.stdout);
    }
    assert_eq!(ran.stderr, "");
    let info =
        document(&run(dir.path(), &["trace", "info", TURNS, "--json", "--page-size", "8K"]).succeeded());
    assert_eq!(info["schema"], "leadline.trace-info/1");
    assert_eq!((&info["requests"]["count"], &info["requests"]["writes"]), (&110.into(), &10.into()));
    assert_eq!((&info["footprint_bytes"], &info["written_pages"]), (&81920.0.into(), &10.0.into()));
    assert_eq!(info["reuse"]["median_distance"], 10);
    let curve = info["reuse"]["lru_miss_ratios"].as_array().unwrap();
    assert_eq!(
        (&curve[8], &curve[9]),
        (&serde_json::json!([9, 1.0]), &serde_json::json!([10, 10.0 / 110.0]))
    );
    assert_eq!(names(dir.path()), [TURNS]);
}

#[test]
fn info_writes_a_page_and_never_over_the_trace() {
    let dir = folder();
    timed(dir.path(), "web.csv", 500);
    let ran = run(dir.path(), &["trace", "info", "web.csv", "--report", "page.html"]).succeeded();
    assert!(ran.stderr.contains("page in page.html"), "{}", ran.stderr);
    assert!(ran.stdout.contains("0.50 s, 1.00k requests/s"), "{}", ran.stdout);
    let page = fs::read_to_string(dir.path().join("page.html")).unwrap();
    assert!(page.contains("Miss ratio of an LRU cache") && page.contains("t-rates"));
    let before = fs::read(dir.path().join("web.csv")).unwrap();
    for same in ["web.csv", "./web.csv"] {
        let ran = run(dir.path(), &["trace", "info", "web.csv", "--report", same]);
        ended(&ran, 2, &["web.csv", "is the same file as TRACE web.csv, which it would replace"]);
        let ran = run(dir.path(), &["trace", "replay", "web.csv", "sim:flash", "--report", same]);
        ended(&ran, 2, &["web.csv", "is the same file as TRACE web.csv, which it would replace"]);
    }
    assert_eq!(fs::read(dir.path().join("web.csv")).unwrap(), before);
}

#[test]
fn info_samples_where_asked_to_and_says_so() {
    let dir = folder();
    let arguments = ["trace", "info", "gen:zipf?pages=20000&ops=100000", "--json"];
    let exact = document(&run(dir.path(), &arguments).succeeded());
    let sampled =
        document(&run(dir.path(), &[&arguments[..], &["--sample-pages", "2K"]].concat()).succeeded());
    assert_eq!((&exact["sampling"]["exact"], &sampled["sampling"]["exact"]), (&true.into(), &false.into()));
    assert_eq!(sampled["sampling"]["followed_pages"], 2048);
    let [exact, sampled] = [exact, sampled].map(|info| info["footprint_pages"].as_f64().unwrap());
    assert!((sampled / exact - 1.0).abs() < 0.1, "{sampled} of {exact}");
}

#[test]
fn bad_lines_are_shown_and_skipped_unless_strict() {
    let dir = folder();
    let mut text = String::new();
    (0..40).for_each(|i| text += if i % 5 == 1 { "nonsense\n" } else { "R 7\n" });
    fs::write(dir.path().join("some.pages"), text).unwrap();
    for command in [&["trace", "info", "some.pages"][..], &["trace", "replay", "some.pages", "sim:flash"]] {
        let ran = run(dir.path(), command).succeeded();
        assert!(ran.stdout.contains("8, skipped"), "{}", ran.stdout);
        let shown = ran.stderr.lines().filter(|line| line.contains("skipped some.pages:")).count();
        assert_eq!(shown, 5, "{}", ran.stderr);
        assert!(
            ran.stderr.contains("some.pages:2: ") && ran.stderr.contains("8 lines in all"),
            "{}",
            ran.stderr
        );
        ended(&run(dir.path(), &[command, &["--strict"]].concat()), 2, &["some.pages:2: ", "nonsense"]);
    }
}

#[test]
fn what_is_not_a_trace_is_refused() {
    let dir = folder();
    fs::write(dir.path().join("garbage.pages"), "one\ntwo\nthree\n").unwrap();
    fs::write(dir.path().join("empty"), "").unwrap();
    fs::create_dir(dir.path().join("folder")).unwrap();
    let cases = [
        ("missing.pages", "missing.pages"),
        ("garbage.pages", "lines is a request"),
        ("empty", "empty"),
        ("folder", "folder"),
        ("gen:nothing", "nothing"),
    ];
    for (name, said) in cases {
        ended(&run(dir.path(), &["trace", "info", name]), 2, &[said]);
        ended(&run(dir.path(), &["trace", "replay", name, "sim:flash"]), 2, &[said]);
    }
    assert_eq!(names(dir.path()), ["empty", "folder", "garbage.pages"]);
}

#[test]
fn a_trace_without_a_request_is_refused() {
    let dir = folder();
    let dir = dir.path();
    let nothing = ["empty.spc", "empty.pages", "empty.csv", "empty.lis", "empty.oracleGeneral"];
    nothing.iter().for_each(|name| fs::write(dir.join(name), "").unwrap());
    fs::write(dir.join("comments.pages"), "# nothing\n\n# at all\n").unwrap();
    fs::write(dir.join("header.csv"), "version,time,op\n").unwrap();
    // Of this format a line is missing already.
    fs::write(dir.join("empty.iolog"), "").unwrap();
    run(dir, &["trace", "info", "empty.iolog"]).failed(2, &["empty.iolog:1: found nothing"]);
    let before = names(dir);
    for name in nothing.iter().chain(["comments.pages", "header.csv"].iter()) {
        let format: &[&str] = if name.ends_with("csv") { &["--format", "cloudphysics"] } else { &[] };
        let from: &[&str] = if name.ends_with("csv") { &["--format", "cloudphysics"] } else { &[] };
        let said = format!("{name}: holds no request");
        for command in [
            [&["trace", "info", name][..], format].concat(),
            [&["trace", "info", name, "--json"], format].concat(),
            [&["trace", "info", name, "--by", "file"], format].concat(),
            [&["trace", "info", name, "--report", "page.html"], format].concat(),
            [&["trace", "replay", name, "sim:flash"], format].concat(),
            [&["trace", "convert", name, "out.pages"], from].concat(),
            [&["pool", "simulate", name, "--frames", "10"], format].concat(),
        ] {
            let ran = run(dir, &command);
            assert!(ran.stdout.is_empty(), "{command:?}: {ran:?}");
            let last = ran.stderr.lines().last().unwrap_or_default();
            assert!(ran.code == Some(2) && last.contains(&said), "{command:?}: {ran:?}");
            assert_eq!(names(dir), before, "{command:?}");
        }
    }
}

#[test]
fn wrong_arguments_are_refused_in_one_line() {
    let dir = folder();
    turns(dir.path());
    let cases: [(&[&str], &[&str]); 8] = [
        (&["info", TURNS, "--page-size", "3"], &["--page-size", "512 to 16M"]),
        (&["info", TURNS, "--sample-pages", "0"], &["--sample-pages", "from 1"]),
        (&["info", TURNS, "--format", "word"], &["--format", "pages"]),
        (&["info", TURNS, "--report", "none/page.html"], &["none/page.html"]),
        (&["replay", TURNS, "sim:flash", "--pace", "closed:0"], &["--pace", "closed:K"]),
        (&["replay", TURNS, "sim:flash", "--pace", "recorded"], &["no times", "closed:K"]),
        (&["replay", TURNS, "sim:nothing"], &["nothing"]),
        (&["replay", TURNS, "./missing"], &["./missing", "no such file"]),
    ];
    for (arguments, said) in cases {
        ended(&run(dir.path(), &[&["trace"], arguments].concat()), 2, said);
        assert_eq!(names(dir.path()), [TURNS], "{arguments:?}");
    }
}

/// Reads take 100 us, writes 300 us, one at a time.
fn slow_device(dir: &Path) {
    let text = "kind = \"parametric\"\ncapacity = \"64M\"\n[read]\nservice_us = 100\nservers = 1\n\
                [write]\nservice_us = 300\nservers = 1\n";
    fs::write(dir.join("slow.toml"), text).unwrap();
}

#[test]
fn a_simulated_replay_has_the_truth_in_it() {
    let dir = folder();
    turns(dir.path());
    slow_device(dir.path());
    let ran = run(dir.path(), &["trace", "replay", TURNS, "sim:./slow.toml", "--json"]).succeeded();
    assert!(ran.stderr.contains("replayed one request at a time (--pace closed:1)"), "{}", ran.stderr);
    assert!(ran.stderr.contains("writes nothing: the device is simulated"), "{}", ran.stderr);
    let replay = document(&ran);
    assert_eq!((&replay["schema"], &replay["complete"]), (&"leadline.replay/1".into(), &true.into()));
    assert_eq!(replay["seconds"], 0.013);
    assert_eq!((&replay["reads"]["requests"], &replay["writes"]["requests"]), (&100.into(), &10.into()));
    let again = run(dir.path(), &["trace", "replay", TURNS, "sim:./slow.toml", "--json"]).succeeded();
    assert_eq!(again.stdout, ran.stdout, "the same each time");
    timed(dir.path(), "web.csv", 400);
    let ran = run(dir.path(), &["trace", "replay", "web.csv", "sim:./slow.toml", "--report", "page.html"])
        .succeeded();
    for words in ["as recorded", "100 µs", "300 µs", "p99.99", "planned", "taken modulo its size"] {
        assert!(ran.stdout.contains(words), "no {words:?} in {}", ran.stdout);
    }
    let page = fs::read_to_string(dir.path().join("page.html")).unwrap();
    assert!(page.contains("Latency tail") && page.contains("web.csv on sim-slow"));
    let limited =
        ["trace", "replay", "web.csv", "sim:./slow.toml", "--limit", "40", "--pace", "x2", "--json"];
    let replay = document(&run(dir.path(), &limited).succeeded());
    assert_eq!((&replay["all"]["requests"], &replay["pace"]), (&40.into(), &"x2".into()));
    assert_eq!(replay["schedule"]["planned_seconds"], 0.0195);
}

#[test]
fn a_directory_gets_a_scratch_file_and_loses_it_again() {
    let dir = folder();
    timed(dir.path(), "web.csv", 200);
    for engine in ["io_uring", "psync"] {
        let arguments = [
            "trace", "replay", "web.csv", ".", "--size", "32M", "--pace", "x10", "--json", "--engine", engine,
        ];
        let ran = run(dir.path(), &arguments).succeeded();
        assert!(ran.stderr.contains("writes 31M to lay out"), "{}", ran.stderr);
        let replay = document(&ran);
        assert_eq!((&replay["reads"]["requests"], &replay["writes"]["requests"]), (&150.into(), &50.into()));
        assert_eq!(replay["engine"], engine);
        assert!(replay["mapping"]["wrapped"].as_u64().unwrap() > 100, "{}", replay["mapping"]);
        assert_eq!(names(dir.path()), ["web.csv"]);
    }
}

#[test]
fn a_file_that_leadline_did_not_make_is_only_read() {
    let dir = folder();
    timed(dir.path(), "web.csv", 100);
    fs::write(dir.path().join("theirs"), vec![7u8; 16 << 20]).unwrap();
    let ran = run(dir.path(), &["trace", "replay", "web.csv", "./theirs", "--pace", "closed:4", "--json"])
        .succeeded();
    assert!(ran.stderr.contains("reads only, the trace's writes are left out"), "{}", ran.stderr);
    let replay = document(&ran);
    assert_eq!((&replay["reads"]["requests"], &replay["writes"]["requests"]), (&75.into(), &0.into()));
    assert_eq!(replay["mapping"]["skipped_writes"], 25);
    let ran = run(dir.path(), &["trace", "replay", "web.csv", "./theirs", "--destructive"]);
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(2), ""), "{}", ran.stderr);
    assert!(fs::read(dir.path().join("theirs")).unwrap().iter().all(|&byte| byte == 7));
}

#[test]
fn an_interrupted_replay_shows_what_was_done_and_cleans_up() {
    let dir = folder();
    timed(dir.path(), "long.csv", 600_000); // ten minutes
    let mut running = start(dir.path(), &["trace", "replay", "long.csv", ".", "--size", "32M"]);
    running.reaches("replay");
    running.signal(Signal::INT);
    let (ran, ..) = running.end();
    assert_eq!(ran.code, Some(1), "{}", ran.stderr);
    assert!(ran.stdout.contains("PARTIAL: interrupted"), "{}", ran.stdout);
    assert!(
        ran.stderr.lines().last().unwrap().contains("requests were replayed until then"),
        "{}",
        ran.stderr
    );
    assert_eq!(names(dir.path()), ["long.csv"]);
}

/// 128K reads in a row of one file, 16K reads at random of another, over and over; a write and a sync.
fn capture(dir: &Path) {
    let mut writer = Writer::new(Vec::new());
    for name in ["t/scanned.ibd", "t/looked_up.ibd"] {
        writer.file(name).unwrap();
    }
    writer.thread(&Thread { tid: 7, pid: 7, name: "query".to_owned() }).unwrap();
    for i in 0..256u64 {
        let at = i * 1_000_000;
        let event = |file, offset, length| Event {
            issued_ns: at,
            completed_ns: at + 400_000,
            thread: 0,
            file,
            operation: Operation::Read,
            offset,
            length,
        };
        writer.event(&event(0, i << 17, 1 << 17)).unwrap();
        writer.event(&event(1, (i * 37 % 64) << 14, 1 << 14)).unwrap();
    }
    fs::write(dir.join("q.capture"), writer.finish(1_000_000_000).unwrap()).unwrap();
}

#[test]
fn a_capture_is_described_by_file() {
    let dir = folder();
    capture(dir.path());
    let info = ["trace", "info", "q.capture", "--by", "file"];
    let ran = run(dir.path(), &[&info[..], &["--report", "page.html"]].concat()).succeeded();
    for words in ["t/scanned.ibd", "random", "32.0 MiB", "1.00 s: 102 ms I/O, 898 ms computing"] {
        assert!(ran.stdout.contains(words), "no {words:?} in {}", ran.stdout);
    }
    assert!(fs::read_to_string(dir.path().join("page.html")).unwrap().contains("t/looked_up.ibd"));
    let found = document(&run(dir.path(), &[&info[..], &["--json"]].concat()).succeeded());
    assert_eq!(found["schema"], "leadline.trace-by-file/1");
    let [scanned, looked_up] = [&found["files"][0], &found["files"][1]];
    assert_eq!((&scanned["name"], &looked_up["name"]), (&"t/scanned.ibd".into(), &"t/looked_up.ibd".into()));
    assert_eq!(
        (&scanned["class"], &looked_up["class"]),
        (&"sequential".into(), &"random and repeated".into())
    );
    assert_eq!(looked_up["repeat_access_rate"], 4.0);
    assert_eq!(scanned["read_bytes"], 32 << 20);
    assert_eq!((&found["all"]["page_reads"], &found["seconds"]), (&(2048 + 256).into(), &1.0.into()));
    assert_eq!(found["computing_seconds"], 0.8976);
}

#[test]
fn by_file_without_names_or_times_says_so() {
    let dir = folder();
    timed(dir.path(), "web.csv", 200);
    let ran = run(dir.path(), &["trace", "info", "web.csv", "--by", "file", "--json"]).succeeded();
    assert!(ran.stderr.contains("each volume stands for a file"), "{}", ran.stderr);
    let found = document(&ran);
    assert_eq!(found["files"][0]["name"], "volume 0");
    assert_eq!(found["all"]["io_seconds"], Value::Null);
    assert_eq!(found["named"], false);
    ended(
        &run(dir.path(), &["trace", "info", "web.csv", "--by", "file", "--extent", "32K"]),
        2,
        &["--extent"],
    );
    ended(&run(dir.path(), &["trace", "info", "web.csv", "--extent", "2M"]), 2, &["--by"]);
}

#[test]
fn info_names_the_format_and_counts_what_it_leaves_out() {
    let dir = folder();
    let event = |i: u32, action: &str| format!("8,0 3 {i} 0.{i:06} 412 {action} WS {} + 8 [x]\n", i * 8);
    let text: String = (0..300).map(|i| event(i, if i % 3 == 0 { "D" } else { "C" })).collect();
    fs::write(dir.path().join("sda.out"), text + "nonsense\n").unwrap();
    let ran = run(dir.path(), &["trace", "info", "sda.out"]).succeeded();
    for said in [
        "blkparse: 300 of the first 301 lines fit",
        "no event is a Q: requests as they were sent to the driver (D)",
        "200 events other than D (sent to the driver) (first: line 2)",
        "1, skipped: 1 expected an event of a device",
    ] {
        let flat = ran.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(flat.contains(said), "no {said:?} in {}", ran.stdout);
    }
    let info = document(&run(dir.path(), &["trace", "info", "sda.out", "--json"]).succeeded());
    let format = &info["format"];
    assert_eq!((&format["format"], &format["by"]), (&"blkparse".into(), &"content".into()));
    assert_eq!((&format["looked_at"], &format["fitting"]), (&301.into(), &300.into()));
    assert_eq!(info["skipped"][0]["count"], 200);
    assert_eq!(info["bad_lines"]["kinds"][0]["first_line"], 301);
    let by_file =
        document(&run(dir.path(), &["trace", "info", "sda.out", "--by", "file", "--json"]).succeeded());
    assert_eq!((&by_file["format"], &by_file["skipped"]), (&info["format"], &info["skipped"]));

    let ran = run(dir.path(), &["trace", "convert", "sda.out", "sda.iolog", "--skip-bad"]).succeeded();
    for said in ["sda.out: read as blkparse", "200 events other than D (sent to the driver) left out"] {
        assert!(ran.stderr.contains(said), "no {said:?} in {}", ran.stderr);
    }
}

#[test]
fn a_trace_that_could_be_another_is_refused_with_the_options_that_decide() {
    let dir = folder();
    fs::write(dir.path().join("ssd.trace"), "4851300 1 524288 16 0\n4864300 1 524304 16 1\n").unwrap();
    let both =
        "ssd.trace: can be read as disksim and as mqsim; choose with --format disksim or --format mqsim";
    fs::write(dir.path().join("cache.txt"), "1 1001 120 7\n2 1002 64 9\n").unwrap();
    for (name, said) in [("ssd.trace", both), ("cache.txt", "closest is arc, but line 1: third field")] {
        for command in [
            &["trace", "info", name][..],
            &["trace", "replay", name, "sim:flash"],
            &["trace", "convert", name, "out.pages"],
            &["pool", "simulate", name, "--frames", "10"],
        ] {
            ended(&run(dir.path(), command), 2, &[said]);
        }
    }
    let info = document(
        &run(dir.path(), &["trace", "info", "ssd.trace", "--format", "mqsim", "--json"]).succeeded(),
    );
    assert_eq!(info["requests"]["rates"]["seconds"], 13e-6);
    assert_eq!(names(dir.path()), ["cache.txt", "ssd.trace"]);
}

#[test]
fn columns_are_read_by_every_command_that_reads_a_trace() {
    let dir = folder();
    let text: String =
        (0..50).map(|i| format!("{};{};{}\n", i * 1000, if i % 2 == 0 { "R" } else { "W" }, i)).collect();
    fs::write(dir.path().join("log.txt"), format!("when;kind;page\n{text}")).unwrap();
    let columns = ["--columns", "time:us,op,page"];
    let info = document(
        &run(dir.path(), &[&["trace", "info", "log.txt", "--json"], &columns[..]].concat()).succeeded(),
    );
    assert_eq!((&info["requests"]["count"], &info["requests"]["writes"]), (&50.into(), &25.into()));
    assert_eq!(info["requests"]["rates"]["seconds"], 0.049);
    assert_eq!(info["format"]["format"], "columns");
    let by_number =
        ["--columns", "page=3,op=2", "--delimiter", "semicolon", "--header", "yes", "--by", "file", "--json"];
    let found =
        document(&run(dir.path(), &[&["trace", "info", "log.txt"], &by_number[..]].concat()).succeeded());
    assert_eq!(found["all"]["writes"], 25);
    for command in [
        &["trace", "replay", "log.txt", "sim:flash"][..],
        &["trace", "convert", "log.txt", "out.pages"],
        &["pool", "simulate", "log.txt", "--frames", "10"],
    ] {
        run(dir.path(), &[command, &columns].concat()).succeeded();
    }
    assert_eq!(fs::read_to_string(dir.path().join("out.pages")).unwrap().lines().count(), 50);
    for (arguments, said) in [
        (&["--columns", "time,page"][..], "--columns: time: has no unit; write time:s"),
        (&["--columns", "page", "--format", "msr"], "give one of them"),
        (&["--header", "yes"], "name them with --columns"),
        (&["--columns", "op=kind,page=row"], "log.txt:1: expected a column \"row\", found when, kind, page"),
    ] {
        ended(&run(dir.path(), &[&["trace", "info", "log.txt"], arguments].concat()), 2, &[said]);
    }
}
