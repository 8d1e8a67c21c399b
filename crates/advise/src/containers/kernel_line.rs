//! The kernel's command line: /proc/cmdline, and GRUB_CMDLINE_LINUX in /etc/default/grub.

use super::found::Found;
use super::source::Source;
use crate::{AdviseError, System};

pub(super) fn find(source: &Source) -> Result<Option<Vec<Found>>, AdviseError> {
    let lines: Vec<(usize, &str)> = source
        .text
        .lines()
        .enumerate()
        .filter(|(_, line)| {
            line.starts_with("BOOT_IMAGE=") || line.trim_start().starts_with("GRUB_CMDLINE_LINUX")
        })
        .map(|(at, line)| (at + 1, line))
        .collect();
    let Some((first, _)) = lines.first() else { return Ok(None) };
    let evidence = format!("parameters of the kernel, line {first}");
    let mut zfs = Found::new(System::Zfs, source.path, evidence.clone());
    let mut linux = Found::new(System::Linux, source.path, evidence);
    for (line, text) in lines {
        for word in text.split(|c: char| c.is_whitespace() || matches!(c, '"' | '\'')) {
            match word.split_once('=') {
                Some((key, value)) if key.starts_with("zfs.") => zfs.put(&key[4..], value, line),
                Some((key, value)) if key.starts_with("sysctl.") => linux.put(&key[7..], value, line),
                Some(("elevator", value)) => {
                    linux.note(
                        line,
                        &format!("elevator={value} does nothing since Linux 5.0: set queue/scheduler"),
                    );
                }
                _ => {}
            }
        }
    }
    let is_used = |found: &Found| found.config != crate::Config::default();
    Ok(Some([zfs, linux].into_iter().filter(is_used).collect()))
}
