//! Files of the kernel that are written to.

/// What a file of the kernel is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Target {
    /// A file of the queue of these drives: `sda`, `sd*`.
    Queue { drive: String, key: String },
    /// A key of sysctl.
    Sysctl(String),
    /// `io.cost.model` or `io.cost.qos`.
    Cost,
}

/// What the file at `path` is; `None` where it is none of these.
pub(super) fn target(path: &str) -> Option<Target> {
    if let Some(key) = path.strip_prefix("/proc/sys/") {
        return Some(Target::Sysctl(key.replace('/', ".")));
    }
    if path.ends_with("/io.cost.model") || path.ends_with("/io.cost.qos") {
        return Some(Target::Cost);
    }
    let drive = |before: &str| {
        let is_sysfs = before.starts_with("/sys/") || before.starts_with('$');
        let name = last(before);
        (is_sysfs && !name.is_empty()).then(|| name.to_owned())
    };
    if let Some((before, key)) = path.rsplit_once("/queue/") {
        return Some(Target::Queue { drive: drive(before)?, key: format!("queue/{key}") });
    }
    // The same number under another name.
    if let Some(before) = path.strip_suffix("/bdi/read_ahead_kb") {
        return Some(Target::Queue { drive: drive(before)?, key: "queue/read_ahead_kb".to_owned() });
    }
    let number = path.strip_prefix("/sys/class/bdi/")?.strip_suffix("/read_ahead_kb")?;
    Some(Target::Queue { drive: number.to_owned(), key: "queue/read_ahead_kb".to_owned() })
}

/// The last part of a path; of one that ends with something unknown, that.
fn last(path: &str) -> &str {
    let start = match path.as_bytes().last() {
        Some(b')') => path.rfind("$("),
        Some(b'}') => path.rfind("${"),
        Some(b'`') => path.trim_end_matches('`').rfind('`'),
        _ => None,
    };
    let start = start.or_else(|| path.rfind('/').map(|at| at + 1)).unwrap_or_default();
    &path[start..]
}

/// The drive of a file in /dev: of a partition, the drive it is on.
pub(super) fn drive(path: &str) -> String {
    let name = path.strip_prefix("/dev/").unwrap_or(path);
    match crate::drive_name::whole(name) {
        Some(drive) => drive.to_owned(),
        // By which drive it is known under such a name cannot be told.
        None if name.contains('/') => format!("${path}"),
        None => name.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_the_queue_tell_their_drive() {
        let queue = |drive: &str, key: &str| Some(Target::Queue { drive: drive.into(), key: key.into() });
        for (path, want) in [
            ("/sys/block/nvme0n1/queue/scheduler", queue("nvme0n1", "queue/scheduler")),
            ("/sys/class/block/sd*/queue/nr_requests", queue("sd*", "queue/nr_requests")),
            (
                "/sys/devices/pci0/block/sda/queue/iosched/low_latency",
                queue("sda", "queue/iosched/low_latency"),
            ),
            ("/sys/block/sda/bdi/read_ahead_kb", queue("sda", "queue/read_ahead_kb")),
            ("/sys/class/bdi/8:0/read_ahead_kb", queue("8:0", "queue/read_ahead_kb")),
            ("$d/queue/scheduler", queue("$d", "queue/scheduler")),
            ("/proc/sys/vm/dirty_bytes", Some(Target::Sysctl("vm.dirty_bytes".into()))),
            ("/sys/fs/cgroup/io.cost.qos", Some(Target::Cost)),
            ("/home/a/queue/scheduler", None),
            ("/dev/null", None),
        ] {
            assert_eq!(target(path), want, "{path}");
        }
        assert_eq!(drive("/dev/nvme0n1p1"), "nvme0n1");
        assert!(drive("/dev/disk/by-id/a").starts_with('$'));
    }
}
