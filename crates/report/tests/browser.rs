//! The page in a real browser: it draws, it says nothing to the console, it asks nobody for anything, it
//! fits.
//!
//! Pages and pictures stay in `target/tmp/report/`, to be looked at.

mod common;

#[path = "browser/access.rs"]
mod access;
#[path = "browser/devtools.rs"]
mod devtools;

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use leadline_lsm::figures::{advice_page, validation_page};
use leadline_lsm::options::{OptionsFile, RocksVersion};
use leadline_lsm::validate::Record;
use leadline_measure::replay::replay_page;
use leadline_pool::simulate::Swept;
use leadline_profile::DeviceProfile;
use leadline_report::{render_figures, render_fleet_page, render_page};

/// Runs at the end of the page and leaves what it finds in the DOM: sizes of the charts, what sticks out, and
/// what a click on every button does.
const PROBE: &str = r#"<script>
addEventListener('load', () => {
  const found = { charts: [], wide: [], errors: [], images: 0 };
  addEventListener('error', (e) => found.errors.push(e.message));
  const click = (selector) => {
    const n = document.querySelectorAll(selector).length;
    for (let i = 0; i < n; i += 1) document.querySelectorAll(selector)[i]?.click();
  };
  try {
    click('#controls button'); click('.chart button'); click('.chart button');
    for (const one of document.querySelectorAll('#controls .group-of')) one.querySelector('button').click();
    dispatchEvent(new Event('beforeprint')); dispatchEvent(new Event('afterprint'));
  } catch (e) { found.errors.push(String(e)); }
  setTimeout(() => {
    for (const svg of document.querySelectorAll('.plot svg')) {
      const box = svg.getBoundingClientRect(), home = svg.closest('.plot').getBoundingClientRect();
      found.charts.push({ id: svg.closest('.chart').id, width: box.width, height: box.height, paths: svg.querySelectorAll('path').length,
        inside: Math.abs(box.width - home.width) < 2 });
    }
    const edge = document.documentElement.clientWidth + 1;
    for (const e of document.querySelectorAll('main *')) {
      if (!e.closest('.scroll') && !e.closest('svg') && e.getBoundingClientRect().right > edge) found.wide.push(e.tagName + '.' + e.className);
    }
    found.images = document.images.length;
    const out = document.createElement('pre');
    out.id = 'probe';
    out.textContent = JSON.stringify(found);
    document.body.append(out);
  }, 300);
});
</script>"#;

struct Seen {
    dom: String,
    log: String,
    net_log: String,
    probe: serde_json::Value,
}

fn chromium() -> PathBuf {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path)
        .flat_map(|folder| ["chromium", "chromium-browser"].map(|name| folder.join(name)))
        .find(|file| file.is_file())
        .unwrap_or_else(|| panic!("no chromium on PATH: install chromium or run cargo xtask test"))
}

fn folder() -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("report");
    std::fs::create_dir_all(&folder).expect("a directory under target/tmp");
    folder
}

fn browse(page: &Path, arguments: &[&str]) -> (String, String, String) {
    let home = tempfile::tempdir().expect("a directory for the browser");
    let net_log = home.path().join("net.json");
    let mut child = Command::new(chromium())
        .args([
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-quic",
            "--no-first-run",
            "--hide-scrollbars",
        ])
        .args(["--disable-background-networking", "--disable-component-update", "--disable-sync"])
        // The browser's own errands (its clock, its updates) find no host either.
        .args(["--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1", "--no-default-browser-check"])
        .args(["--enable-logging=stderr", "--virtual-time-budget=5000"])
        .arg(format!("--user-data-dir={}", home.path().join("profile").display()))
        .arg(format!("--log-net-log={}", net_log.display()))
        .args(arguments)
        .arg(format!("file://{}", page.display()))
        .stdin(Stdio::null())
        .stdout(std::fs::File::create(home.path().join("out")).expect("a file"))
        .stderr(std::fs::File::create(home.path().join("err")).expect("a file"))
        .spawn()
        .expect("chromium starts");
    let begun = Instant::now();
    let status = loop {
        match child.try_wait().expect("chromium can be waited for") {
            Some(status) => break status,
            None if begun.elapsed() > Duration::from_secs(120) => {
                let _ = child.kill();
                panic!("chromium did not end within two minutes");
            }
            None => std::thread::sleep(Duration::from_millis(50)),
        }
    };
    let read = |name: &str| {
        let bytes = std::fs::read(home.path().join(name)).unwrap_or_default();
        String::from_utf8_lossy(&bytes).into_owned()
    };
    let log = read("err");
    assert!(status.success(), "chromium: {status}\n{log}");
    (read("out"), log, read("net.json"))
}

/// Opens the page in a frame `width` pixels wide (a window cannot be as narrow as a phone) and reads what the
/// probe saw.
fn open(name: &str, profiles: &[DeviceProfile], arguments: &[&str]) -> Seen {
    open_page(name, &render_page(profiles).expect("a page"), arguments)
}

/// As [`open`], for any page.
fn open_page(name: &str, html: &str, arguments: &[&str]) -> Seen {
    std::fs::write(folder().join(name).with_extension("html"), html).expect("the page is written");
    let probed = folder().join(format!("{name}-probed.html"));
    let end = html.rfind("</body>").expect("a body");
    std::fs::write(&probed, format!("{}{PROBE}{}", &html[..end], &html[end..])).expect("the page is written");
    let (dom, log, net_log) = browse(&probed, &[&["--dump-dom"], arguments].concat());
    let text = dom.split("<pre id=\"probe\">").nth(1).and_then(|rest| rest.split("</pre>").next());
    let text = text.unwrap_or_else(|| panic!("the probe did not run\n{log}"));
    let probe = serde_json::from_str(&text.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&"))
        .expect("the probe's JSON");
    Seen { dom: plain(&dom), log, net_log, probe }
}

/// With ordinary spaces, as tests are written.
fn plain(dom: &str) -> String {
    dom.replace("&nbsp;", " ").replace('\u{a0}', " ")
}

impl Seen {
    fn is_sound(&self, charts: usize) {
        let errors: Vec<_> = self.log.lines().filter(|line| line.contains("CONSOLE")).collect();
        assert!(errors.is_empty(), "the console is not silent: {errors:#?}");
        assert_eq!(self.probe["errors"], serde_json::json!([]), "a button throws");
        assert_eq!(self.probe["wide"], serde_json::json!([]), "something sticks out to the right");
        let drawn = self.probe["charts"].as_array().expect("a list");
        assert_eq!(drawn.len(), charts, "{drawn:#?}");
        for chart in drawn {
            let size = |name: &str| chart[name].as_f64().unwrap_or(0.0);
            assert!(size("width") > 200.0 && size("height") > 200.0, "{chart}");
            assert!(chart["inside"] == true, "not as wide as its place: {chart}");
            assert!(size("paths") > 4.0, "an empty chart: {chart}");
        }
        self.asked_nobody();
    }

    fn asked_nobody(&self) {
        let asked = requests(&self.net_log);
        assert!(asked.is_empty(), "requests went out: {asked:?}");
    }
}

/// What the page asked for, by Chromium's own log of the network: everything but files and data. Requests of
/// the browser itself (its clock, its updates) have no origin; the page's have one.
fn requests(net_log: &str) -> Vec<String> {
    let log: serde_json::Value = serde_json::from_str(net_log).expect("chromium's network log");
    let events = log["events"].as_array().expect("events");
    assert!(!events.is_empty(), "an empty network log");
    events
        .iter()
        .map(|event| &event["params"])
        .filter(|params| params["initiator"].as_str().is_some_and(|by| by != "not an origin"))
        .filter_map(|params| params["url"].as_str())
        .filter(|url| !url.starts_with("file:") && !url.starts_with("data:"))
        .map(str::to_owned)
        .collect()
}

/// Were the instrument blind, all pages would pass.
#[test]
fn a_page_that_does_ask_is_caught() {
    let page = folder().join("asks.html");
    std::fs::write(&page, "<body><img src='http://127.0.0.1:9/x.png'><script>nonsense()</script></body>")
        .expect("written");
    let (_, log, net_log) = browse(&page, &["--dump-dom"]);
    assert_eq!(requests(&net_log), ["http://127.0.0.1:9/x.png"]);
    assert!(log.contains("CONSOLE") && log.contains("nonsense"), "{log}");
}

#[test]
fn a_single_page() {
    let profile = common::sample_profile();
    let seen = open("single", std::slice::from_ref(&profile), &["--window-size=1280,2400"]);
    seen.is_sound(10);
    let entry = &profile.parameters[0];
    let alpha = format!("{:.2}", entry.alpha.expect("alpha"));
    for number in
        [alpha.as_str(), "443k", "1.92 GB/s", "requests in flight (k)", "95 % of the plateau", "Kneedle"]
    {
        assert!(seen.dom.contains(number), "{number} is not on the page");
    }
    let knee = format!("k_r {} (", entry.k_r.expect("k_r"));
    assert!(seen.dom.contains(&knee), "the knee {knee:?} is not marked in a chart");
}

#[test]
fn placement_is_drawn_against_caching() {
    let page = render_figures(&common::place::sample_study().page()).expect("a page");
    let seen = open_page("place", &page, &["--window-size=1280,2400"]);
    seen.is_sound(3);
    for words in
        ["best block cache", "all on the fast", "customer + orders", "size of the fast device", "10 GiB"]
    {
        assert!(seen.dom.contains(words), "no {words}");
    }
    page_on_a_phone_and_in_the_dark("phone-place", &page, 3);
}

/// Everything that `leadline experiment` measures, and the models fitted to it.
#[test]
fn the_models_are_drawn() {
    let seen = open("studied", &[common::studied_profile()], &["--window-size=1280,2400"]);
    seen.is_sound(22);
    for chart in [
        "m-throughput",
        "m-residuals",
        "m-lengths",
        "m-surface",
        "m-mixed",
        "m-loads",
        "m-speedup",
        "m-classes",
        "e-burst",
        "e-commits",
        "e-fdatasync",
        "e-sync",
        "s-mix",
        "s-durable",
        "s-cost",
    ] {
        assert!(seen.dom.contains(&format!("id=\"{chart}\"")), "{chart} is not on the page");
    }
    for words in [
        "was chosen: its held-out error",
        "predicted / measured",
        "IOPS",
        "speed-up",
        "capacity ",
        "baseline 300 IOPS",
        "etcd: p99 below 10.0 ms",
        "O_DSYNC",
        "durable writes, percent of what the device can do",
        "percent of the rate reported",
        "ctrl=user model=linear rbps=2800000000",
    ] {
        assert!(seen.dom.contains(words), "{words:?} is not on the page");
    }
}

#[test]
fn experiments_on_the_device_are_drawn_beside_the_papers_numbers() {
    let seen = open("tried", &[common::tried_profile()], &["--window-size=1280,2400"]);
    seen.is_sound(20);
    for words in [
        "Optane P4800X",
        "NAND P3700",
        "during writes at 700 MB/s",
        "durable random writes",
        "e-channels",
        "16 channels",
    ] {
        assert!(seen.dom.contains(words), "no {words}");
    }
    on_a_phone_and_in_the_dark("phone-tried", &[common::tried_profile()], 20);
}

#[test]
fn experiments_on_writes_are_drawn() {
    let seen = open("written", &[common::written_profile()], &["--window-size=1280,2400"]);
    seen.is_sound(15);
    for words in [
        "w-amplification",
        "w-fills",
        "zones:10/90",
        "not settled",
        "fill level, percent",
        "w-gc",
        "seconds since the fill began",
        "NAND P3700, slowest 1.62 GB/s",
        "sequential: 500 MB/s sustained",
        "percent of what can be sustained",
    ] {
        assert!(seen.dom.contains(words), "no {words}");
    }
    on_a_phone_and_in_the_dark("phone-written", &[common::written_profile()], 15);
}

#[test]
fn published_numbers_show_what_batching_gains() {
    let seen = open("published", &[common::published_profile()], &[]);
    seen.is_sound(1);
    assert!(seen.dom.contains("id=\"m-speedup\"") && !seen.dom.contains("id=\"m-residuals\""));
    assert!(seen.dom.contains("k_r = 80, k_w = 8"), "the numbers it was calculated from");
}

#[test]
fn a_comparison() {
    let seen = open(
        "comparison",
        &[common::sample_profile(), common::slower_profile()],
        &["--window-size=1280,2400"],
    );
    seen.is_sound(6);
    assert!(seen.dom.contains("cannot be told apart") && seen.dom.contains("differs, "));
    let seen = open("raw", &[common::sample_profile(), common::raw_profile()], &[]);
    seen.is_sound(6);
    assert!(seen.dom.contains("File system against raw device"));
}

#[test]
fn what_little_there_is_is_drawn() {
    open("reads-only", &[common::reads_only()], &[]).is_sound(7);
    open("one-point", &[common::one_point()], &[]).is_sound(4);
    let nothing = open("nothing", &[DeviceProfile::default()], &[]);
    nothing.is_sound(0);
    assert!(nothing.dom.contains("Nothing was measured"));
}

#[test]
fn troubles_are_shown() {
    let seen = open("troubled", &[common::troubled_profile()], &["--window-size=1280,2400"]);
    seen.is_sound(10);
    assert!(seen.dom.contains("cut short by SIGINT") && seen.dom.contains("Buffered I/O"));
    assert!(seen.dom.contains("k_r ≥ 16"), "a lower bound is drawn as one");
}

#[test]
fn a_name_cannot_become_script() {
    let mut profile = common::sample_profile();
    profile.device.model = Some("</script><img src=x onerror=alert(1)><!--<script>".into());
    profile.timeline[0].phase = "<img src=x onerror=alert(2)>".into();
    let seen = open("hostile", &[profile.clone()], &[]);
    seen.is_sound(10);
    assert_eq!(seen.probe["images"], 0, "the name became an element");
    assert!(seen.dom.contains("&lt;/script&gt;&lt;img src=x"), "the name is shown as it is");
    open("hostile-comparison", &[profile, common::slower_profile()], &[]).is_sound(6);
}

#[test]
fn one_profile_on_a_phone_and_in_the_dark() {
    on_a_phone_and_in_the_dark("phone-single", &[common::troubled_profile()], 10);
}

#[test]
fn experiments_on_a_phone_and_in_the_dark() {
    on_a_phone_and_in_the_dark("phone-studied", &[common::studied_profile()], 22);
}

#[test]
fn a_comparison_on_a_phone_and_in_the_dark() {
    let profiles = [common::sample_profile(), common::slower_profile()];
    on_a_phone_and_in_the_dark("phone-comparison", &profiles, 6);
}

/// A page of a phone's width inside a frame, which a desktop window cannot be.
fn on_a_phone_and_in_the_dark(name: &str, profiles: &[DeviceProfile], charts: usize) {
    page_on_a_phone_and_in_the_dark(name, &render_page(profiles).expect("a page"), charts);
}

/// As [`on_a_phone_and_in_the_dark`], for any page.
fn page_on_a_phone_and_in_the_dark(name: &str, html: &str, charts: usize) {
    let page = folder().join(format!("{name}-inner.html"));
    let end = html.rfind("</body>").expect("a body");
    // The frame's document hands its findings up: the two are strangers to one another.
    let report = "<script>setInterval(() => { const found = document.getElementById('probe'); \
                  if (found) parent.postMessage(found.textContent, '*'); }, 100)</script>";
    std::fs::write(&page, format!("{}{PROBE}{report}{}", &html[..end], &html[end..])).expect("written");
    let frame = folder().join(format!("{name}.html"));
    let outer = format!(
        "<!doctype html><body style='margin:0'>\
         <iframe src='{name}-inner.html' style='border:0;width:390px;height:14000px'></iframe>\
         <pre id='probe'></pre><script>onmessage = (e) => {{ \
         document.getElementById('probe').textContent = e.data; }}</script></body>"
    );
    std::fs::write(&frame, outer).expect("written");
    let (dom, log, net_log) =
        browse(&frame, &["--dump-dom", "--window-size=600,1200", "--blink-settings=preferredColorScheme=0"]);
    let text =
        dom.split("<pre id=\"probe\">").nth(1).and_then(|rest| rest.split("</pre>").next()).unwrap_or("");
    let probe =
        serde_json::from_str(text).unwrap_or_else(|e| panic!("the probe did not run ({e}): {text}\n{log}"));
    Seen { dom: plain(&dom), log, net_log, probe }.is_sound(charts);
}

#[test]
fn a_trace() {
    let info = common::traces::sample_info();
    let seen =
        open_page("trace", &render_figures(&info.page()).expect("a page"), &["--window-size=1280,2400"]);
    seen.is_sound(6);
    for words in
        ["size of the cache, in pages of 4K", "reuse distance, pages", "hottest first", "address, bytes"]
    {
        assert!(seen.dom.contains(words), "{words:?} is not on the page");
    }
    let one = render_figures(&common::traces::one_request_info().page()).expect("a page");
    open_page("trace-one", &one, &[]).is_sound(6);
    let by_file = render_figures(&common::traces::many_files().page()).expect("a page");
    open_page("trace-by-file", &by_file, &[]).is_sound(1);
    let empty = render_figures(&common::traces::empty_info().page()).expect("a page");
    open_page("trace-empty", &empty, &[]).is_sound(0);
}

#[test]
fn the_nodes_of_a_cluster() {
    let (fleet, profiles) = common::fleet::sample_fleet();
    let page = render_fleet_page(&fleet, &profiles).expect("a page");
    let seen = open_page("fleet", &page, &["--window-size=1280,2400"]);
    seen.is_sound(7);
    for words in ["node-c is slow", "node-d: the node died", "id=\"f-nodes\"", "differs, "] {
        assert!(seen.dom.contains(words), "no {words}");
    }
    page_on_a_phone_and_in_the_dark("phone-fleet", &page, 7);
}

#[test]
fn a_graph() {
    let page = render_figures(&common::graphs::sample_graph().page()).expect("a page");
    let seen = open_page("graph", &page, &["--window-size=1280,1400"]);
    seen.is_sound(1);
    assert!(seen.dom.contains("outgoing edges") && seen.dom.contains("524,288-1,048,575"));
    let empty = render_figures(&common::graphs::empty_graph().page()).expect("a page");
    open_page("graph-empty", &empty, &[]).is_sound(0);
}

#[test]
fn a_validation_of_lsm_trees() {
    let page = |record: &Record| render_figures(&validation_page(record)).expect("a page");
    let record = common::lsm::sample_validation();
    let seen = open_page("lsm-validation", &page(&record), &["--window-size=1280,3600"]);
    seen.is_sound(6);
    // Of the axes and the ratios in the charts, not of the page's own text.
    for words in ["fanout, or layout", ">flash<", ">32<", "all clients together", "×", ">predicted<"] {
        assert!(seen.dom.contains(words), "{words:?} is not on the page");
    }
    open_page("lsm-validation-small", &page(&common::lsm::small_validation()), &[]).is_sound(4);
    open_page("lsm-validation-unpredicted", &page(&common::lsm::unpredicted_validation()), &[]).is_sound(3);
    page_on_a_phone_and_in_the_dark("phone-lsm-validation", &page(&record), 6);
}

#[test]
fn an_advice_on_lsm_trees() {
    let mixes = [
        ("point=60,scan=10,insert=30", ">time of a query of the mix<"),
        ("insert=100", ">bytes written per byte inserted<"),
    ];
    for (mix, axis) in mixes {
        let sample = common::lsm::sample_advice(mix);
        let asked = sample.question();
        let advice = sample.advice();
        let options = OptionsFile::new(&advice.chosen.prediction.layout, RocksVersion::V7_8);
        let page = render_figures(&advice_page(&advice, &sample.wanted, &asked, &options));
        let page = page.expect("a page");
        let seen = open_page(&format!("lsm-advice-{mix}"), &page, &["--window-size=1280,2400"]);
        seen.is_sound(1);
        assert!(seen.dom.contains(">chosen</text>") && seen.dom.contains(axis), "{mix}");
        page_on_a_phone_and_in_the_dark("phone-lsm-advice", &page, 1);
    }
}

#[test]
fn a_replay() {
    let page = render_figures(&replay_page(&common::traces::sample_replay())).expect("a page");
    let seen = open_page("replay", &page, &["--window-size=1280,2400"]);
    seen.is_sound(4);
    assert!(seen.dom.contains("0.01 %") && seen.dom.contains("longest"), "the tail is drawn");
    let partial = render_figures(&replay_page(&common::traces::partial_replay())).expect("a page");
    let seen = open_page("replay-partial", &partial, &[]);
    seen.is_sound(0);
    assert!(seen.dom.contains("Partial: interrupted"));
}

#[test]
fn it_prints() {
    let profile = common::sample_profile();
    let page = folder().join("print.html");
    std::fs::write(&page, render_page(&[profile]).expect("a page")).expect("written");
    let pdf = folder().join("print.pdf");
    let _ = std::fs::remove_file(&pdf);
    let (_, log, _) =
        browse(&page, &["--no-pdf-header-footer", &format!("--print-to-pdf={}", pdf.display())]);
    assert!(!log.contains("CONSOLE"), "{log}");
    let bytes = std::fs::read(&pdf).expect("a PDF");
    assert!(bytes.starts_with(b"%PDF") && bytes.len() > 20_000, "{} bytes", bytes.len());
}

#[test]
fn a_sweep_of_pools_is_drawn() {
    let sweep = common::pools::large_sweep();
    let seen =
        open_page("pool", &render_figures(&sweep.page()).expect("a page"), &["--window-size=1280,3000"]);
    seen.is_sound(8);
    for words in
        ["gains nothing", "ACE is 1.", "speed-up", "clients", "over cleaner 1", "&lt;/script&gt;&lt;img"]
    {
        assert!(seen.dom.contains(words), "{words:?} is not on the page");
    }
    let mut counted = sweep.pools[0].clone();
    (counted.outcome.seconds, counted.outcome.latency_us) = (None, None);
    let mut more = counted.clone();
    more.outcome.ace = "cow".into();
    let counts = Swept { device: None, pools: vec![counted, more], ..sweep };
    open_page("pool-counts", &render_figures(&counts.page()).expect("a page"), &[]).is_sound(1);
}
