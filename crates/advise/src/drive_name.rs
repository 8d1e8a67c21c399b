//! The drive that a configuration is for, as the user names it.

use std::fmt;
use std::str::FromStr;

/// What the kernel calls a drive on the machine that a configuration is for: `nvme0n1`; with its model where
/// the profile has none, or another: `sdb:ST4000DM004-2CV1`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DriveName {
    /// As in /sys/block.
    pub name: String,
    /// Its model, as in /sys/block/NAME/device/model.
    pub model: Option<String>,
}

impl FromStr for DriveName {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (name, model) = match text.split_once(':') {
            Some((name, model)) => (name, Some(model.trim())),
            None => (text, None),
        };
        let name = name.trim().trim_start_matches("/dev/");
        let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | '!');
        if name.is_empty() || !name.chars().all(is_plain) {
            return Err("is no name of a drive in /sys/block, such as nvme0n1 or sda:MODEL".to_owned());
        }
        if let Some(drive) = whole(name) {
            return Err(format!("is a partition; name the drive, {drive}"));
        }
        if model.is_some_and(|model| model.is_empty() || model.contains('\n')) {
            return Err("has no model behind the colon".to_owned());
        }
        Ok(DriveName { name: name.to_owned(), model: model.map(str::to_owned) })
    }
}

impl fmt::Display for DriveName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.model {
            Some(model) => write!(f, "{} ({model})", self.name),
            None => f.write_str(&self.name),
        }
    }
}

/// The drive of a partition: `sda` of `sda1`, `nvme0n1` of `nvme0n1p2`. `None` where `name` is no partition.
pub(crate) fn whole(name: &str) -> Option<&str> {
    let base = name.trim_end_matches(|c: char| c.is_ascii_digit());
    if base.len() == name.len() {
        return None;
    }
    let is_lettered = ["sd", "vd", "xvd", "hd"]
        .iter()
        .any(|start| base.strip_prefix(start).is_some_and(|rest| !rest.is_empty() && is_letters(rest)));
    if is_lettered {
        return Some(base);
    }
    let drive = base.strip_suffix('p')?;
    let is_numbered = ["nvme", "mmcblk", "loop", "nbd", "md"].iter().any(|start| drive.starts_with(start));
    (is_numbered && drive.ends_with(|c: char| c.is_ascii_digit())).then_some(drive)
}

fn is_letters(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_drive_is_named_with_or_without_its_model() {
        let named = |text: &str| text.parse::<DriveName>().unwrap();
        assert_eq!(named("/dev/nvme0n1"), DriveName { name: "nvme0n1".into(), model: None });
        assert_eq!(named("sdb:WDC WD40:1").model.as_deref(), Some("WDC WD40:1"));
        for (text, reason) in [
            ("nvme0n1p2", "is a partition; name the drive, nvme0n1"),
            ("sda1", "is a partition; name the drive, sda"),
            ("", "is no name of a drive"),
            ("sd*", "is no name of a drive"),
            ("sda:", "has no model"),
        ] {
            let said = text.parse::<DriveName>().unwrap_err();
            assert!(said.starts_with(reason), "{text}: {said}");
        }
        for name in ["dm-0", "md127", "mmcblk0", "loop3", "nvme10n2"] {
            assert!(name.parse::<DriveName>().is_ok(), "{name}");
        }
    }
}
