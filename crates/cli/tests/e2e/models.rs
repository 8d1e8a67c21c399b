//! `leadline models`: what describes a device, from profiles and tables.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::ran::{folder, names, run};

const PUBLISHED_COSTS: &str = include_str!("../../../model/data/mqssd_990pro_costs.csv");
const HEADER: &str = "op,random_fraction,concurrency,block_bytes,bytes,seconds\n";

/// Points of a device whose requests take 80 us and 2 us per page, however many are in flight.
fn affine_points() -> String {
    let mut table = HEADER.to_owned();
    for k in [1, 2, 4, 8, 16] {
        for fraction in [1.0, 0.25, 0.0625, 0.015_625, 0.003_906_25] {
            let pages = 1.0 / fraction;
            // A little noise, so that no model is exact.
            let noise = 1.0 + 0.01 * f64::from(k * 7 % 5 - 2);
            let seconds = 1000.0 * (80e-6 + 2e-6 * pages) * noise;
            writeln!(table, "read,{fraction},{k},4096,{},{seconds}", 4096.0 * pages * 1000.0).unwrap();
        }
    }
    table
}

fn document(dir: &Path, arguments: &[&str]) -> Value {
    let ran = run(dir, arguments).succeeded();
    serde_json::from_str(&ran.stdout).unwrap()
}

fn model<'a>(document: &'a Value, name: &str) -> &'a Value {
    let models = document["models"].as_array().unwrap();
    models.iter().find(|m| m["name"] == name).unwrap_or_else(|| panic!("no {name}"))
}

#[test]
fn published_costs_are_fitted_within_five_percent() {
    let dir = folder();
    fs::write(dir.path().join("costs.csv"), PUBLISHED_COSTS).unwrap();
    let found = document(dir.path(), &["models", "costs.csv", "--setup-per", "2621.44", "--json"]);
    let mqssd = model(&found, "mqssd");
    assert!(mqssd["mape_percent"].as_f64().unwrap() < 5.0, "{mqssd}");
    assert!(mqssd["mape_cv_percent"].as_f64().unwrap() < 10.0, "{mqssd}");
    assert_eq!(mqssd["points"], 32);
    assert_eq!(found["best"], "mqssd");
    assert!(model(&found, "pio")["lacks"].as_str().unwrap().contains("measured points"));
    let words = run(dir.path(), &["models", "costs.csv"]).succeeded().stdout;
    let words = words.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains("setup_write") && words.contains("largest error"), "{words}");
    assert!(words.contains("--setup-per"), "as printed, a setup is that of 2,621 accesses: {words}");
    assert!(!found.to_string().contains("--setup-per"), "divided, there is nothing to say");
}

#[test]
fn the_model_behind_a_table_is_found_and_its_page_drawn() {
    let dir = folder();
    fs::write(dir.path().join("points.csv"), affine_points()).unwrap();
    let found = document(dir.path(), &["models", "points.csv", "--json", "--report", "page.html"]);
    assert_eq!(found["best"], "affine", "{found}");
    let affine = model(&found, "affine");
    let setup = affine["parameters"]["setup_read"]["value"].as_f64().unwrap();
    assert!((setup / 80.0 - 1.0).abs() < 0.02, "{affine}");
    let names: Vec<&str> =
        found["models"].as_array().unwrap().iter().map(|m| m["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["dam", "pdam", "affine", "pio", "mqssd", "shared"]);
    let page = fs::read_to_string(dir.path().join("page.html")).unwrap();
    assert!(page.contains("Models"));
}

#[test]
fn what_is_no_table_is_refused_in_one_line() {
    let dir = folder();
    let row = |rest: &str| format!("{HEADER}read,1,1,4096,4096000,0.1\n{rest}\n");
    let cases = [
        ("one point", format!("{HEADER}read,1,1,4096,4096000,0.1\n"), "one point"),
        ("no rows", HEADER.to_owned(), "no rows"),
        ("zero", row("read,1,2,4096,4096000,0"), "line 3"),
        ("not a number", row("read,1,2,4096,4096000,NaN"), "line 3"),
        ("negative", row("read,1,2,4096,4096000,-0.1"), "line 3"),
        ("percent", row("read,50,2,4096,4096000,0.1"), "line 3"),
        ("missing column", "op,concurrency,bytes,seconds\nread,1,4096,1\n".to_owned(), "random_fraction"),
        ("another unit", HEADER.replace("seconds", "ms") + "read,1,1,4096,4096000,100\n", "seconds"),
        ("negative latency", HEADER.replace("seconds", "latency_us") + "read,1,1,4096,4096,-5\n", "seconds"),
        ("nothing", String::new(), "header"),
        ("not a profile", "{\"a\": 1}".to_owned(), "schema"),
        ("negative cost", "k,s_us,beta_us\n1,10,-2\n2,5,1\n4,3,1\n8,2,1\n".to_owned(), "line 2"),
        ("few costs", "k,s_us,beta_us\n1,10,2\n2,5,1\n".to_owned(), "4 different concurrencies"),
    ];
    for (name, text, said) in cases {
        fs::write(dir.path().join("table.csv"), text).unwrap();
        let ran = run(dir.path(), &["models", "table.csv", "--report", "page.html"]);
        assert_eq!(ran.code, Some(2), "{name}: {}", ran.stderr);
        assert_eq!((ran.stderr.lines().count(), ran.stdout.as_str()), (1, ""), "{name}: {}", ran.stderr);
        assert!(ran.stderr.contains("table.csv") && ran.stderr.contains(said), "{name}: {}", ran.stderr);
        assert_eq!(names(dir.path()), ["table.csv"], "{name}");
    }
    run(dir.path(), &["models", "absent.csv"]).refused(&["absent.csv"]);
}

#[test]
fn options_that_make_no_sense_are_refused() {
    let dir = folder();
    fs::write(dir.path().join("costs.csv"), PUBLISHED_COSTS).unwrap();
    fs::write(dir.path().join("points.csv"), affine_points()).unwrap();
    run(dir.path(), &["models", "costs.csv", "--report", "page.html"])
        .refused(&["costs", "no measured points"]);
    run(dir.path(), &["models", "points.csv", "--setup-per", "100"]).refused(&["--setup-per"]);
    run(dir.path(), &["models", "points.csv", "--setup-per", "nan"]).refused(&["--setup-per"]);
    run(dir.path(), &["models", "points.csv", "--report", "points.csv"])
        .refused(&["points.csv", "another place"]);
}
