//! The crates as a registry takes them, in target/dist/crates, and the order in which they are published.

use std::fs;
use std::path::PathBuf;

use anyhow::{Context, bail};
use serde_json::Value;

use super::Dist;
use crate::run::{cargo, output, root, run, target};

/// The file with the names of the packages, one a line: a crate stands below all that it depends on.
const ORDER: &str = "ORDER.txt";

/// Packages every crate that is published; the file with their order is returned.
pub(super) fn make(dist: &Dist) -> anyhow::Result<PathBuf> {
    let mut metadata = cargo();
    metadata.args(["metadata", "--format-version=1", "--no-deps", "--locked"]).current_dir(root());
    let order = order(published(&serde_json::from_str(&output(&mut metadata)?)?)?)?;
    let mut package = cargo();
    // What is built of them is known from the workspace; a complete run of the tests builds it from them.
    package.args(["package", "--locked", "--no-verify", "--allow-dirty", "--quiet"]).current_dir(root());
    package.args(order.iter().flat_map(|krate| ["--package", krate]));
    run(&mut package)?;
    let into = dist.into.join("crates");
    if into.exists() {
        fs::remove_dir_all(&into).with_context(|| into.display().to_string())?;
    }
    fs::create_dir_all(&into).with_context(|| into.display().to_string())?;
    let names: Vec<String> = order.iter().map(|krate| format!("{krate}-{}.crate", dist.version)).collect();
    for name in &names {
        let packaged = target().join("package").join(name);
        fs::copy(&packaged, into.join(name)).with_context(|| packaged.display().to_string())?;
    }
    let file = into.join(ORDER);
    fs::write(&file, names.join("\n") + "\n").with_context(|| file.display().to_string())?;
    Ok(file)
}

/// A crate and the published ones that it depends on, also in its tests: a registry wants those first.
#[derive(Debug, PartialEq)]
struct Krate {
    name: String,
    needs: Vec<String>,
}

/// The crates of the workspace that are published.
fn published(metadata: &Value) -> anyhow::Result<Vec<Krate>> {
    let packages = metadata["packages"].as_array().context("cargo metadata names no packages")?;
    // `publish = false` is an empty list of registries.
    let packages = packages.iter().filter(|package| package["publish"].is_null());
    let text = |value: &Value| value.as_str().map(str::to_owned).context("a name is text");
    let krate = |package: &Value| {
        let needs = package["dependencies"].as_array().into_iter().flatten();
        // Cargo leaves out of a package what its tests need by path and without a version.
        let needs = needs.filter(|need| need["path"].is_string() && need["req"] != "*");
        let needs = needs.map(|need| text(&need["name"])).collect::<anyhow::Result<_>>()?;
        Ok(Krate { name: text(&package["name"])?, needs })
    };
    packages.map(krate).collect()
}

/// Their names, each after all that it needs.
fn order(mut left: Vec<Krate>) -> anyhow::Result<Vec<String>> {
    left.sort_by(|one, other| one.name.cmp(&other.name));
    let mut order: Vec<String> = Vec::new();
    while !left.is_empty() {
        let ready = left.iter().position(|krate| krate.needs.iter().all(|need| order.contains(need)));
        let Some(ready) = ready else {
            let names: Vec<_> = left.iter().map(|krate| krate.name.as_str()).collect();
            bail!(
                "{} need one another, or what is not published: no order to publish them in",
                names.join(", ")
            );
        };
        order.push(left.remove(ready).name);
    }
    Ok(order)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn metadata() -> Value {
        let mut command = cargo();
        command.args(["metadata", "--format-version=1", "--no-deps", "--locked", "--offline"]);
        serde_json::from_str(&output(command.current_dir(root())).unwrap()).unwrap()
    }

    #[test]
    fn a_crate_is_published_after_all_that_it_depends_on() {
        let krate = |name: &str, needs: &[&str]| Krate {
            name: name.to_owned(),
            needs: needs.iter().map(|need| (*need).to_owned()).collect(),
        };
        let found = order(vec![krate("a", &["c"]), krate("b", &["a", "c"]), krate("c", &[])]);
        assert_eq!(found.unwrap(), ["c", "a", "b"]);
        let error = order(vec![krate("a", &["b"]), krate("b", &["a"]), krate("c", &[])]).unwrap_err();
        assert!(error.to_string().starts_with("a, b need one another"), "{error}");
        let order = order(published(&metadata()).unwrap()).unwrap();
        assert_eq!(order.last().map(String::as_str), Some("leadline-cli"), "{order:?}");
        assert!(
            !order.iter().any(|name| ["xtask", "leadline-testing", "leadline-python"].contains(&&name[..]))
        );
    }

    #[test]
    fn every_published_crate_says_what_it_is_to_those_who_search_a_registry() {
        for package in metadata()["packages"].as_array().unwrap() {
            if package["publish"].is_null() {
                let has = |key: &str| !package[key].as_array().unwrap().is_empty();
                assert!(
                    package["readme"].is_string() && package["description"].is_string(),
                    "{}",
                    package["name"]
                );
                assert!(has("keywords") && has("categories"), "{}", package["name"]);
            }
        }
    }
}
