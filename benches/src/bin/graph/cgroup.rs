//! A memory cgroup that holds one run: everything the run allocates and every page it brings into the page
//! cache counts.

use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use anyhow::{Context as _, Result};

/// The memory controller and the folder to make groups in; its two versions name their files differently.
#[derive(Debug, Clone, PartialEq)]
pub enum Controller {
    /// A hierarchy of its own: beneath the group we are in, so that its limits go on holding.
    V1(PathBuf),
    /// The unified hierarchy: at its top, as a group that holds processes cannot have limited groups beneath
    /// it.
    V2(PathBuf),
}

impl Controller {
    /// The memory controller of this machine.
    ///
    /// # Errors
    /// Where none is mounted.
    pub fn find() -> Result<Self> {
        let mounts = std::fs::read_to_string("/proc/mounts").context("/proc/mounts")?;
        let mut controller = parse_mounts(&mounts).context("no memory cgroup is mounted")?;
        if let Controller::V1(top) = &mut controller {
            let groups = std::fs::read_to_string("/proc/self/cgroup").context("/proc/self/cgroup")?;
            let own = parse_own_group(&groups).map(|own| top.join(own.trim_start_matches('/')));
            // In a container the path may be one of the host's.
            if let Some(own) = own.filter(|own| own.is_dir()) {
                *top = own;
            }
        }
        Ok(controller)
    }
}

/// Version 1 wins where both are mounted: the memory controller is then not in the other.
fn parse_mounts(mounts: &str) -> Option<Controller> {
    let mut unified = None;
    for line in mounts.lines() {
        let mut words = line.split(' ').skip(1);
        let (Some(path), Some(kind), Some(options)) = (words.next(), words.next(), words.next()) else {
            continue;
        };
        if kind == "cgroup" && options.split(',').any(|option| option == "memory") {
            return Some(Controller::V1(path.into()));
        }
        if kind == "cgroup2" && unified.is_none() {
            unified = Some(Controller::V2(path.into()));
        }
    }
    unified
}

/// The path in a line such as `4:memory:/a/b`.
fn parse_own_group(groups: &str) -> Option<&str> {
    groups.lines().find_map(|line| {
        let (_, line) = line.split_once(':')?;
        let (controllers, path) = line.split_once(':')?;
        controllers.split(',').any(|name| name == "memory").then_some(path)
    })
}

/// A group with a limit and nothing in it yet; removed when dropped, and when this process ends in any other
/// way, together with the processes in it.
pub struct Cgroup {
    path: PathBuf,
    /// None once it has ended.
    keeper: Option<Child>,
    /// The file with the count of processes killed for want of memory.
    events: &'static str,
}

impl Cgroup {
    /// Makes one that may hold `limit_bytes`, page cache included, and no swap.
    ///
    /// # Errors
    /// Where it cannot be made: that takes root.
    pub fn new(controller: &Controller, limit_bytes: u64) -> Result<Self> {
        let (Controller::V1(top) | Controller::V2(top)) = controller;
        let path = top.join(format!("leadline-bench-{}", std::process::id()));
        if let Controller::V2(top) = controller {
            write(&top.join("cgroup.subtree_control"), "+memory")?;
        }
        std::fs::create_dir(&path).with_context(|| format!("{}: cannot be made", path.display()))?;
        let (events, limit, swap, without_swap) = match controller {
            // With version 1 the second limit is of memory and swap together.
            Controller::V1(_) => (
                "memory.oom_control",
                "memory.limit_in_bytes",
                "memory.memsw.limit_in_bytes",
                limit_bytes.to_string(),
            ),
            Controller::V2(_) => ("memory.events", "memory.max", "memory.swap.max", "0".into()),
        };
        let group = Cgroup { keeper: Some(keeper(&path)?), path, events };
        write(&group.path.join(limit), &limit_bytes.to_string())?;
        // Kernels without account of swap lack this file.
        if group.path.join(swap).exists() {
            write(&group.path.join(swap), &without_swap)?;
        }
        Ok(group)
    }

    /// A process that writes its number here moves in.
    pub fn procs(&self) -> PathBuf {
        self.path.join("cgroup.procs")
    }

    /// Whether the kernel killed one of its processes for want of memory.
    pub fn killed(&self) -> Result<bool> {
        let path = self.path.join(self.events);
        let text = std::fs::read_to_string(&path).with_context(|| path.display().to_string())?;
        Ok(parse_kills(&text).is_some_and(|kills| kills > 0))
    }
}

impl Drop for Cgroup {
    fn drop(&mut self) {
        if let Some(mut keeper) = self.keeper.take() {
            drop(keeper.stdin.take());
            // It says what it cannot remove.
            let _ = keeper.wait();
        }
    }
}

/// A shell that waits until its standard input ends, as it does when this process is killed, and then kills
/// what is in a group and removes it. In a process group of its own: Ctrl-C is not meant for it.
fn keeper(group: &Path) -> Result<Child> {
    let script = r#"cat >/dev/null
        for try in $(seq 100); do
            rmdir "$0" 2>/dev/null && exit
            for process in $(cat "$0/cgroup.procs"); do kill -KILL "$process"; done 2>/dev/null
            sleep 0.02
        done
        echo "$0: cannot be removed: remove it by hand with rmdir" >&2"#;
    let mut shell = Command::new("sh");
    shell.args(["-c", script]).arg(group).stdin(Stdio::piped()).stdout(Stdio::null()).process_group(0);
    shell.spawn().context("sh cannot be started")
}

fn write(path: &Path, text: &str) -> Result<()> {
    std::fs::write(path, text).with_context(|| format!("{}: cannot be set to {text}", path.display()))
}

/// Both versions have a line `oom_kill N`.
fn parse_kills(text: &str) -> Option<u64> {
    text.lines().find_map(|line| line.strip_prefix("oom_kill ")?.trim().parse().ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mount_with_the_memory_controller_is_found() {
        let hybrid = "tmpfs /sys/fs/cgroup tmpfs rw 0 0\n\
            cgroup2 /sys/fs/cgroup/unified cgroup2 rw,nsdelegate 0 0\n\
            cgroup /sys/fs/cgroup/cpu cgroup rw,cpu,cpuacct 0 0\n\
            cgroup /sys/fs/cgroup/memory cgroup rw,nosuid,memory 0 0\n";
        assert_eq!(parse_mounts(hybrid), Some(Controller::V1("/sys/fs/cgroup/memory".into())));
        let unified = "sysfs /sys sysfs rw 0 0\ncgroup2 /sys/fs/cgroup cgroup2 rw,nosuid 0 0\n";
        assert_eq!(parse_mounts(unified), Some(Controller::V2("/sys/fs/cgroup".into())));
        assert_eq!(parse_mounts("cgroup /sys/fs/cgroup/cpu cgroup rw,cpu 0 0\n"), None);
    }

    #[test]
    fn a_group_is_removed_with_its_processes_when_its_owner_is_gone() {
        let top = std::env::temp_dir().join(format!("leadline-keeper-{}", std::process::id()));
        let group = top.join("group");
        std::fs::create_dir_all(&group).unwrap();
        let mut inside = Command::new("sleep").arg("600").spawn().unwrap();
        std::fs::write(group.join("cgroup.procs"), inside.id().to_string()).unwrap();
        let mut keeper = keeper(&group).unwrap();
        drop(keeper.stdin.take());
        assert!(!inside.wait().unwrap().success());
        // In a group the file goes with it.
        std::fs::remove_file(group.join("cgroup.procs")).unwrap();
        assert!(keeper.wait().unwrap().success());
        assert!(!group.exists());
        std::fs::remove_dir_all(top).unwrap();
    }

    #[test]
    fn our_own_group_is_found() {
        let groups = "9:name=systemd:/\n4:cpu,memory:/user/1:2\n0::/memory\n";
        assert_eq!(parse_own_group(groups), Some("/user/1:2"));
        assert_eq!(parse_own_group("0::/user\n"), None);
    }

    #[test]
    fn kills_are_read_from_both_versions() {
        assert_eq!(parse_kills("oom_kill_disable 0\nunder_oom 0\noom_kill 3\n"), Some(3));
        assert_eq!(parse_kills("low 0\nhigh 0\nmax 12\noom 1\noom_kill 1\noom_group_kill 0\n"), Some(1));
        assert_eq!(parse_kills("oom_kill_disable 0\nunder_oom 0\n"), None);
    }
}
