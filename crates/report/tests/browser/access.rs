//! Every kind of page, for everybody: axe finds nothing, nothing sticks out on a phone, and a keyboard is
//! enough.

use std::path::{Path, PathBuf};

use leadline_report::render_page;
use leadline_testing::exhaustive;
use serde_json::Value;

use crate::common::pages::pages;
use crate::devtools::Browser;
use crate::{common, folder};

/// All that is shown at once: what is folded up, what is in tabs. Rows of a table are alike, so the first
/// ones stand for all of them.
const UNFOLD: &str = "for (const e of document.querySelectorAll('details')) e.open = true;
    for (const e of document.querySelectorAll('[hidden]')) e.hidden = false;
    new Promise((done) => setTimeout(done, 50)).then(() => {
      for (const e of document.querySelectorAll('tbody tr:nth-child(n+4)')) e.remove();
    })";
/// What the page takes, and what there is.
const EDGES: &str = "[document.documentElement.scrollWidth, document.documentElement.clientWidth]";

const AXE: &str = "axe.run(document, {
    resultTypes: ['violations'],
    runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'best-practice'],
  }).then(({ violations }) => violations.flatMap((v) =>
    v.nodes.map((n) => `${v.id}: ${n.target.join(' ')}: ${n.failureSummary}`)))";

/// What a keyboard has to reach.
const CONTROLS: &str = "a[href], button, summary, [tabindex=\"0\"]";

/// axe-core, which set-up installs.
fn axe() -> String {
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().expect("the folder target");
    let file = target.join("axe/node_modules/axe-core/axe.min.js");
    std::fs::read_to_string(&file)
        .unwrap_or_else(|error| panic!("{}: {error}; run cargo xtask setup", file.display()))
}

fn written(name: &str, html: &str) -> PathBuf {
    let file = folder().join(format!("access-{name}.html"));
    std::fs::write(&file, html).expect("the page is written");
    file
}

fn strings(found: &Value) -> Vec<String> {
    let found = found.as_array().expect("a list").iter();
    found.map(|one| one.as_str().expect("text").to_owned()).collect()
}

#[test]
fn axe_finds_nothing_on_any_page_at_any_width_in_any_colours() {
    let axe = axe();
    let mut browser = Browser::start();
    let mut found = Vec::new();
    let all = [(1400, false), (390, true), (390, false), (1400, true)];
    let shown = if exhaustive() { &all[..] } else { &all[..2] };
    for (name, html) in pages() {
        browser.window(shown[0].0, 900, shown[0].1);
        browser.open(&written(name, &html));
        browser.evaluate(&format!("{axe};0"));
        for &(width, dark) in shown {
            browser.window(width, 900, dark);
            let place = format!("{name}-{width}-{}", if dark { "dark" } else { "light" });
            if exhaustive() {
                browser.picture(&folder().join(format!("access-{place}.png")));
            }
            browser.evaluate(UNFOLD);
            let edges = browser.evaluate(EDGES);
            if edges[0].as_u64() > edges[1].as_u64() {
                found.push(format!("{place}: the page scrolls sideways: {edges}"));
            }
            let said = strings(&browser.evaluate(AXE));
            found.extend(said.into_iter().map(|one| format!("{place}: {one}")));
        }
    }
    assert!(found.is_empty(), "{} violations:\n{}", found.len(), found.join("\n"));
}

/// Were axe blind, all pages would pass.
#[test]
fn axe_finds_what_is_wrong() {
    let page = "<!doctype html><title>x</title><body><div style='color:#aaa;background:#fff'>pale</div>\
                <button></button><div style='overflow:auto;height:20px'><p>a<p>b<p>c</div></body>";
    let file = written("wrong", page);
    let mut browser = Browser::start();
    browser.window(390, 900, false);
    browser.open(&file);
    browser.evaluate(&format!("{};0", axe()));
    let said = strings(&browser.evaluate(AXE)).join("\n");
    for rule in
        ["color-contrast", "button-name", "html-has-lang", "landmark-one-main", "page-has-heading-one"]
    {
        assert!(said.contains(rule), "{rule} was not found in\n{said}");
    }
}

#[test]
fn tab_reaches_every_control_of_every_page_and_shows_where_it_is() {
    let mut browser = Browser::start();
    browser.window(1400, 900, false);
    for (name, html) in pages() {
        browser.open(&written(name, &html));
        let count = browser.evaluate(&format!(
            "window.stops = [...document.querySelectorAll('{CONTROLS}')].filter((e) => \
             e.tabIndex >= 0 && e.checkVisibility({{visibilityProperty: true}})); stops.length"
        ));
        let count = count.as_u64().expect("a count");
        assert!(count > 2, "{name}: no controls");
        for at in 0..count {
            browser.press("Tab");
            let seen = browser.evaluate(&format!(
                "(() => {{ const e = document.activeElement, style = getComputedStyle(e); \
                 return [e === stops[{at}], style.outlineStyle !== 'none' && style.outlineWidth !== '0px', \
                 (e.id || e.textContent || e.className).slice(0, 60), \
                 (e.getAttribute('aria-label') || e.textContent).trim() !== '']; }})()"
            ));
            assert!(seen[0] == true, "{name}: the {at}th Tab is at {}", seen[2]);
            assert!(seen[1] == true, "{name}: one does not see that {} has the keyboard", seen[2]);
            assert!(seen[3] == true, "{name}: {} has no name", seen[2]);
        }
    }
}

#[test]
fn a_keyboard_uses_every_kind_of_control() {
    let mut browser = Browser::start();
    browser.window(1400, 900, false);
    browser.open(&written("keyboard", &render_page(&[common::studied_profile()]).expect("a page")));
    let to = |browser: &mut Browser, selector: &str| {
        browser.evaluate(&format!("document.querySelector('{selector}').focus()"));
    };
    let now = |browser: &mut Browser, expression: &str| browser.evaluate(expression);

    // A legend: the curve goes, and the button keeps the keyboard although all buttons are made anew.
    to(&mut browser, "#c-throughput .group-of:last-child .chip");
    browser.press(" ");
    let pressed = "document.activeElement.getAttribute(\"aria-pressed\")";
    assert_eq!(now(&mut browser, pressed), "false");
    browser.press("Enter");
    assert_eq!(now(&mut browser, pressed), "true");

    // A choice that all charts follow.
    to(&mut browser, "#controls .chip:last-child");
    browser.press("Enter");
    assert_eq!(now(&mut browser, pressed), "true");

    // Tabs: one stop, and arrows from one to the next.
    to(&mut browser, "#settings [role=tab]");
    browser.press("ArrowRight");
    let second = "document.querySelectorAll('#settings [role=tab]')[1] === document.activeElement && \
                  document.querySelectorAll('#settings .system')[0].hidden && \
                  !document.querySelectorAll('#settings .system')[1].hidden";
    assert_eq!(now(&mut browser, second), true);
    browser.press("ArrowLeft");
    browser.press("ArrowLeft");
    let last = "[...document.querySelectorAll('#settings .system')].at(-1).hidden";
    assert_eq!(now(&mut browser, last), false, "they go round");

    // A chart: its numbers are said, it zooms, and its table has them all.
    to(&mut browser, "#c-throughput .plot");
    browser.press("ArrowRight");
    let first = now(&mut browser, "document.getElementById('heard').textContent");
    browser.press("ArrowRight");
    let next = now(&mut browser, "document.getElementById('heard').textContent");
    assert!(first.as_str().is_some_and(|said| said.contains("k = 1") && said.contains("IOPS")), "{first}");
    assert_ne!(first, next);
    let shown = "(() => { const { start, end } = charts.find((one) => one.chart.id === 'c-throughput')\
                 .view.getOption().dataZoom[0]; return Math.round(end - start); })()";
    browser.press("+");
    assert_eq!(now(&mut browser, shown), 70);
    browser.press("0");
    assert_eq!(now(&mut browser, shown), 100);
    to(&mut browser, "#c-throughput summary");
    browser.press("Enter");
    let rows = now(
        &mut browser,
        "new Promise((done) => setTimeout(() => done([...document.querySelectorAll(\
         '#c-throughput .numbers tbody tr')].map((row) => row.innerText.replace(/\\s+/g, ' ').trim())), 50))",
    );
    let rows = strings(&rows);
    let points = common::studied_profile().points;
    let wanted = points.iter().filter(|p| p.block_bytes == 4096 && p.pattern.name() == "random").count();
    assert_eq!(rows.len(), wanted, "{rows:?}");
    assert!(rows[0].starts_with("reads 1 "), "{rows:?}");
}
