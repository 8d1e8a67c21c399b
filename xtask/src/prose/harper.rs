//! Runs Harper, which set-up installs in the environment for Python, with the rules in `xtask/prose/rules`.

use std::ffi::OsString;
use std::fmt;
use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use anyhow::{Context, bail};
use serde_json::Value;
use zip::write::SimpleFileOptions;

use super::bundle::Bundle;
use super::text::{Kind, Text};
use crate::python::TESTS;
use crate::run::{Usage, root};

/// Rules in Harper's language Weir, one a file; the name of a file is the name of its rule.
const RULES: &str = "xtask/prose/rules";

/// Words that Harper does not know, one a line.
const WORDS: &str = "xtask/prose/words.txt";

/// Harper's own rules that find mistakes here. Most others ask for another style, or do not know the field.
const REPEATED: &str = "RepeatedWords";
const SPELLING: &str = "SpellCheck";

/// A place that a rule does not agree with.
pub(super) struct Finding {
    file: PathBuf,
    line: usize,
    words: String,
    message: String,
    rule: String,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Finding { file, line, words, message, rule } = self;
        let file = file.strip_prefix(root()).unwrap_or(file).display();
        write!(f, "{file}:{line}: \"{words}\": {message} [{rule}]")
    }
}

/// Fails if a rule does not find what its own tests say that it finds.
pub(super) fn test_rules() -> anyhow::Result<()> {
    for rule in rules()? {
        let output = run(["test".into(), rule.clone().into()])?;
        if !output.status.success() {
            let said = [output.stdout, output.stderr].concat();
            bail!("{}: a test of the rule fails: {}", rule.display(), String::from_utf8_lossy(&said));
        }
    }
    Ok(())
}

/// What the rules find in `texts`, in the order of files and lines.
pub(super) fn lint(texts: &[Text]) -> anyhow::Result<Vec<Finding>> {
    let place = tempfile::tempdir()?;
    let pack = pack(place.path())?;
    let mut chosen = rules()?.iter().map(|rule| name(rule)).collect::<anyhow::Result<Vec<String>>>()?;
    let mut findings = Vec::new();
    for kind in [Kind::Messages, Kind::Page] {
        let bundles = Bundle::of(texts.iter().filter(|text| text.kind == kind));
        findings.extend(lint_bundles(place.path(), &pack, &chosen.join(","), &bundles)?);
        // Only pages mark names and commands as code.
        chosen.extend([REPEATED, SPELLING].map(str::to_owned));
    }
    findings.sort_by(|a, b| (&a.file, a.line).cmp(&(&b.file, b.line)));
    Ok(findings)
}

fn lint_bundles(place: &Path, pack: &Path, chosen: &str, bundles: &[Bundle]) -> anyhow::Result<Vec<Finding>> {
    let mut arguments: Vec<OsString> =
        ["lint", "--quiet", "--format=json", "--dialect=uk"].map(Into::into).into();
    arguments.extend(["--only".into(), chosen.into(), "--weirpacks".into(), pack.into()]);
    arguments.extend(["--user-dict-path".into(), root().join(WORDS).into()]);
    // Harper says the name of a file and not where it is: the name is the number of its bundle.
    for (i, bundle) in bundles.iter().enumerate() {
        let file = place.join(format!("{i}.md"));
        fs::write(&file, &bundle.markdown).with_context(|| file.display().to_string())?;
        arguments.push(file.into());
    }
    let output = run(arguments)?;
    let said = || format!("harper: {}", String::from_utf8_lossy(&output.stderr));
    let documents: Vec<Value> = serde_json::from_slice(&output.stdout).with_context(said)?;
    let mut findings = Vec::new();
    for document in &documents {
        let name = document["file"].as_str().with_context(said)?;
        let number: usize =
            Path::new(name).file_stem().and_then(|stem| stem.to_str()?.parse().ok()).with_context(said)?;
        let bundle = bundles.get(number).with_context(said)?;
        let lints = document["lints"].as_array().with_context(said)?;
        findings.extend(lints.iter().filter_map(|lint| finding(bundle, lint)));
    }
    Ok(findings)
}

/// One of Harper's findings, unless it is about the spelling of a name.
fn finding(bundle: &Bundle, lint: &Value) -> Option<Finding> {
    let part = |name: &str| lint[name].as_str().unwrap_or_default().to_owned();
    let (rule, words) = (part("rule"), part("matched_text"));
    let is_name = words.len() < 4 || !words.bytes().all(|byte| byte.is_ascii_lowercase());
    if rule == SPELLING && is_name {
        return None;
    }
    let words = words.split_whitespace().collect::<Vec<_>>().join(" ");
    let (text, line) = bundle.place(usize::try_from(lint["line"].as_u64()?).ok()?)?;
    Some(Finding { file: text.file.clone(), line, words, message: part("message"), rule })
}

/// The rules' files in one, as Harper takes them.
fn pack(place: &Path) -> anyhow::Result<PathBuf> {
    let file = place.join("rules.weirpack");
    let mut pack = zip::ZipWriter::new(File::create(&file)?);
    let plain = SimpleFileOptions::default().compression_method(zip::CompressionMethod::Stored);
    let about = r#"{"name":"prose","version":"1.0.0","author":"","description":"","license":"MIT"}"#;
    pack.start_file("manifest.json", plain)?;
    pack.write_all(about.as_bytes())?;
    for rule in rules()? {
        pack.start_file(format!("{}.weir", name(&rule)?), plain)?;
        pack.write_all(&fs::read(&rule)?)?;
    }
    pack.finish()?;
    Ok(file)
}

fn rules() -> anyhow::Result<Vec<PathBuf>> {
    let entries = fs::read_dir(root().join(RULES)).context(RULES)?;
    let mut rules = entries.map(|entry| Ok(entry?.path())).collect::<anyhow::Result<Vec<PathBuf>>>()?;
    rules.sort();
    Ok(rules)
}

fn name(rule: &Path) -> anyhow::Result<String> {
    let name = rule.file_stem().and_then(|name| name.to_str());
    Ok(name.with_context(|| rule.display().to_string())?.to_owned())
}

/// Runs Harper. That it found something is not an error here.
fn run(arguments: impl IntoIterator<Item = OsString>) -> anyhow::Result<Output> {
    let program = TESTS.program("harper");
    if !program.exists() {
        return Err(Usage::error("Harper is not installed: run `cargo xtask setup` first"));
    }
    Command::new(program).args(arguments).output().context("cannot run harper")
}
