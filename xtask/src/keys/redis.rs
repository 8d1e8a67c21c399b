//! Redis' keys: a server without a port tells its values by `CONFIG GET`, and what each takes by what it says
//! when it refuses a value.

use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, bail};

use super::{Row, Table};

/// Values that no number and no word is, and that no number reaches.
const ODD: &str = "x!";
const LEAST: &str = "-9223372036854775808";

/// Starts the server, and asks it by the `redis-cli` beside it, or that on PATH.
pub(super) fn ask(server: &Path) -> anyhow::Result<Table> {
    let folder = tempfile::tempdir()?;
    let socket = folder.path().join("socket");
    let beside = server.with_file_name("redis-cli");
    let client = if beside.is_file() { beside } else { "redis-cli".into() };
    let started = Command::new(server)
        .args(["--port", "0", "--save", "", "--unixsocket"])
        .arg(&socket)
        .arg("--dir")
        .arg(folder.path())
        .stdout(Stdio::null())
        .spawn()?;
    let mut started = Stopped(started);
    let said = |words: &[&str]| -> anyhow::Result<String> {
        let said = Command::new(&client).arg("-s").arg(&socket).args(words).output()?;
        Ok(String::from_utf8(said.stdout)?)
    };
    let begin = Instant::now();
    while !socket.exists() || said(&["PING"])?.trim() != "PONG" {
        if begin.elapsed() > Duration::from_secs(60) || started.0.try_wait()?.is_some() {
            bail!("does not answer");
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    let told = said(&["INFO", "server"])?;
    let number = told.lines().find_map(|line| line.strip_prefix("redis_version:")).context("no version")?;
    let all = said(&["CONFIG", "GET", "*"])?;
    let lines: Vec<&str> = all.lines().collect();
    let mut rows = Vec::new();
    for pair in lines.chunks_exact(2) {
        let refused = [said(&["CONFIG", "SET", pair[0], ODD])?, said(&["CONFIG", "SET", pair[0], LEAST])?];
        // What this server was started with is no default.
        let is_ours = ["port", "save", "unixsocket", "dir"].contains(&pair[0]);
        rows.push(row(pair[0], if is_ours { "" } else { pair[1] }, &refused));
    }
    if rows.len() < 100 {
        bail!("only {} keys were told", rows.len());
    }
    let version = number.trim().splitn(3, '.').take(2).collect::<Vec<_>>().join(".");
    Ok(Table { version, told: format!("redis-server {}", number.trim()), rows })
}

/// Stopped when it is no longer needed.
struct Stopped(Child);

impl Drop for Stopped {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// A key by its value and by what the server says of an odd value and of the least number.
fn row(key: &str, default: &str, [odd, least]: &[String; 2]) -> Row {
    let after = |text: &str, words: &str| text.split_once(words).map(|(_, rest)| rest.trim().to_owned());
    let change = if odd.contains("can't set immutable") { "restart" } else { "reload" };
    let mut row = [key, "string", "", "", "", default, "", change].map(str::to_owned);
    if odd.contains("must be 'yes' or 'no'") {
        row[1] = "bool".to_owned();
    } else if let Some(words) = after(odd, "one of the following:") {
        row[1] = "enum".to_owned();
        row[6] = words.replace(", ", "|");
    } else if odd.contains("parsed into an integer") {
        row[1] = "int".to_owned();
        let range = after(least, "must be between").and_then(|rest| {
            let (min, rest) = rest.split_once(" and ")?;
            Some((min.to_owned(), rest.split(' ').next()?.to_owned()))
        });
        if let Some((min, max)) = range {
            (row[3], row[4]) = (min, max);
        }
    } else if odd.contains("must be a memory value") {
        row[1] = "int".to_owned();
        row[2] = "B".to_owned();
        row[3] = "0".to_owned();
    }
    row
}
