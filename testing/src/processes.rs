//! What processes do at the moment, as the kernel tells it: for the message of a test that waited too long.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

/// The process `of`, those in its group if it leads one, and all that these have started and that still run.
pub fn family(of: u32) -> Vec<u32> {
    let all: Vec<Stat> = numbers(Path::new("/proc")).into_iter().filter_map(Stat::read).collect();
    let mut found: Vec<u32> =
        all.iter().filter(|stat| stat.id == of || stat.group == of).map(|stat| stat.id).collect();
    let mut next = 0;
    while let Some(&parent) = found.get(next) {
        let children = all.iter().filter(|stat| stat.parent == parent).map(|stat| stat.id);
        let new: Vec<u32> = children.filter(|id| !found.contains(id)).collect();
        found.extend(new);
        next += 1;
    }
    found
}

/// A line for each process, with its command, and one for each of its threads: its name, its state, and what
/// it waits for in the kernel. Below it the kernel's part of its stack where we may see that.
pub fn describe(processes: &[u32]) -> String {
    let mut text = String::new();
    for id in processes {
        let folder = Path::new("/proc").join(id.to_string());
        let command = fs::read(folder.join("cmdline")).unwrap_or_default();
        let command = String::from_utf8_lossy(&command).trim_end_matches('\0').replace('\0', " ");
        let _ = writeln!(text, "process {id}: {command}");
        for thread in numbers(&folder.join("task")) {
            let folder = folder.join("task").join(thread.to_string());
            let read = |name: &str| fs::read_to_string(folder.join(name)).unwrap_or_default();
            let Some((name, state)) = read("stat").split_once('(').and_then(|(_, rest)| {
                let (name, rest) = rest.rsplit_once(')')?;
                Some((name.to_owned(), rest.split_ascii_whitespace().next()?.to_owned()))
            }) else {
                continue;
            };
            let _ = writeln!(text, "  thread {thread} {name}: {state} {}", read("wchan"));
            for line in read("stack").lines() {
                let _ = writeln!(text, "    {line}");
            }
        }
    }
    text
}

/// Who started a process, and which group it is in.
struct Stat {
    id: u32,
    parent: u32,
    group: u32,
}

impl Stat {
    fn read(id: u32) -> Option<Stat> {
        let text = fs::read_to_string(format!("/proc/{id}/stat")).ok()?;
        // The name, in parentheses, may hold anything.
        let mut after = text.rsplit_once(')')?.1.split_ascii_whitespace().skip(1);
        let mut number = || after.next()?.parse().ok();
        Some(Stat { id, parent: number()?, group: number()? })
    }
}

/// The entries of a folder that are numbers.
fn numbers(folder: &Path) -> Vec<u32> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut numbers: Vec<u32> =
        entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok()).collect();
    numbers.sort_unstable();
    numbers
}
