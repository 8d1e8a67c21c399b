//! Profiles of one device, whose noise differs, have one advice.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use leadline_testing::exhaustive;
use serde_json::Value;

use crate::ran::{folder, run};

/// Of the catalogue.
const DEVICES: [&str; 10] =
    ["aws-virtual", "sata", "capped", "flash", "gp2-1t", "gp2-334g", "gp3", "io2", "optane", "pd-balanced"];

/// A device of the catalogue with 10 % noise.
fn describe(dir: &Path, name: &str, seed: u32) -> String {
    let catalogue = Path::new(env!("CARGO_MANIFEST_DIR")).join("../catalogue/devices");
    let text = fs::read_to_string(catalogue.join(format!("{name}.toml"))).unwrap();
    let noise = format!("kind = \"parametric\"\nnoise = 0.1\nnoise_seed = {seed}\n");
    let noisy = text.replacen("kind = \"parametric\"\n", &noise, 1);
    assert_ne!(noisy, text, "{name} is not parametric");
    let file = format!("{name}-{seed}.toml");
    fs::write(dir.join(&file), noisy).unwrap();
    file
}

/// Keys and values.
fn advised(dir: &Path, name: &str, seed: u32, for_system: bool) -> String {
    let (target, seed_text) = (format!("sim:./{}", describe(dir, name, seed)), seed.to_string());
    let mut measure = vec!["profile", &target, "--quick", "--seed", &seed_text, "-o", "p.json"];
    if for_system {
        measure.extend(["--for", "postgresql"]);
    }
    run(dir, &measure).succeeded();
    let ran = run(dir, &["advise", "postgresql", "p.json", "--memory", "16G", "--cores", "8", "--json"]);
    let advice: Value = serde_json::from_str(&ran.succeeded().stdout).unwrap();
    let settings = advice["settings"].as_array().unwrap();
    assert!(settings.iter().any(|setting| setting["key"] == "effective_io_concurrency"), "{advice}");
    settings.iter().map(|setting| format!("{} = {}\n", setting["key"], setting["value"])).collect()
}

#[test]
fn profiles_of_one_device_with_noise_have_one_advice() {
    let (devices, seeds) = if exhaustive() { (10, 10) } else { (2, 3) };
    let dir = folder();
    let mut same = 0;
    for name in &DEVICES[..devices] {
        let mut answers: BTreeMap<String, usize> = BTreeMap::new();
        for seed in 1..=seeds {
            *answers.entry(advised(dir.path(), name, seed, exhaustive())).or_default() += 1;
        }
        let most = answers.values().max().copied().unwrap_or_default();
        println!("{name}: {most} of {seeds}");
        same += most;
    }
    let all = devices * seeds as usize;
    assert!(100 * same >= 95 * all, "one answer in {same} of {all}");
}
