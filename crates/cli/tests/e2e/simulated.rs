//! Profiles of simulated devices. The same commands leave the same profile, so each is made once.

use std::collections::HashMap;
use std::fs;
use std::path::Path;
use std::sync::{LazyLock, Mutex, PoisonError};

use crate::ran::{folder, run};

/// What commands left in a file, and what the first of them said on stderr.
type Made = HashMap<String, (Vec<u8>, String)>;

static MADE: LazyLock<Mutex<Made>> = LazyLock::new(Mutex::default);

/// Puts `file` into `dir`, as these commands leave it, and returns what the first of them said on stderr.
#[track_caller]
pub(crate) fn profiled(dir: &Path, file: &str, commands: &[&[&str]]) -> String {
    let key = format!("{file} {commands:?}");
    let mut made = MADE.lock().unwrap_or_else(PoisonError::into_inner);
    let (bytes, said) = made.entry(key).or_insert_with(|| {
        let dir = folder();
        let mut ran = commands.iter().map(|command| run(dir.path(), command).succeeded());
        let said = ran.next().expect("at least one command").stderr;
        ran.for_each(drop);
        (fs::read(dir.path().join(file)).unwrap(), said)
    });
    fs::write(dir.join(file), bytes).unwrap();
    said.clone()
}
