//! Docstrings and messages of the Python package, as Python's own parser finds them.

use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, bail};
use serde_json::Value;

use super::text::{Kind, Text};
use crate::python::TESTS;
use crate::run::root;

const SCRIPT: &str = "xtask/prose/texts.py";

/// The texts of `files`.
pub(super) fn texts(files: &[PathBuf]) -> anyhow::Result<Vec<Text>> {
    if files.is_empty() {
        return Ok(Vec::new());
    }
    let output = Command::new(TESTS.python()).arg(root().join(SCRIPT)).args(files).output();
    let output = output.with_context(|| format!("cannot run {SCRIPT}"))?;
    if !output.status.success() {
        bail!("{SCRIPT} ended with {}: {}", output.status, String::from_utf8_lossy(&output.stderr));
    }
    let mut texts = Vec::new();
    for line in output.stdout.split(|&byte| byte == b'\n').filter(|line| !line.is_empty()) {
        let value: Value = serde_json::from_slice(line).with_context(|| format!("what {SCRIPT} wrote"))?;
        let part = |name: &str| value[name].as_str().unwrap_or_default().to_owned();
        let file = PathBuf::from(part("file"));
        texts.push(Text { file: file.clone(), kind: Kind::Page, markdown: part("docstrings") });
        texts.push(Text { file, kind: Kind::Messages, markdown: part("messages") });
    }
    Ok(texts)
}
