//! The drive that lines are for, as the kernel and udev know it.

use leadline_profile::DeviceFacts;

use crate::{Drive, DriveName, Inputs};

/// SCSI disks have this many characters of their model in sysfs, and udev may know more of them.
pub(super) const SCSI_MODEL: usize = 16;

/// What kind of drive the kernel has it for, by its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// `nvme0n1`.
    Nvme,
    /// `sda`: SATA, SAS, USB.
    Scsi,
    /// `vda`, `xvda`.
    Virtual,
    /// `mmcblk0`.
    Card,
    /// `dm-0`, `md0`, `loop0` and others that no hardware is behind.
    Software,
    /// No name that the kernel gives: a simulated device, or one that somebody described.
    Unknown,
}

/// A drive.
#[derive(Debug, Clone)]
pub(super) struct Subject<'a> {
    pub(super) name: String,
    pub(super) kind: Kind,
    pub(super) model: Option<String>,
    pub(super) facts: &'a DeviceFacts,
}

impl<'a> Subject<'a> {
    /// The drive of the profile, with the name and the model that it has by `inputs`.
    pub(super) fn new(drive: &Drive<'a>, inputs: &Inputs) -> Self {
        let facts = &drive.profile().device;
        let named = named(facts, inputs);
        Subject { kind: Kind::of(&named.name), name: named.name, model: named.model, facts }
    }

    /// The model in every form in which udev may ask for it: a space may be one, or an underscore.
    pub(super) fn models(&self) -> Option<Vec<String>> {
        self.model.as_deref().map(forms)
    }

    /// The same of its firmware.
    pub(super) fn firmware(&self) -> Option<Vec<String>> {
        self.facts.firmware.as_deref().map(forms)
    }

    /// Whether udev may know more of the model than sysfs.
    pub(super) fn is_model_cut(&self) -> bool {
        let is_full = |model: &String| model.chars().count() == SCSI_MODEL;
        self.kind == Kind::Scsi && self.model.as_ref().is_some_and(is_full)
    }

    /// The place of `sdc` or `vdc` among its like, from 0.
    pub(super) fn index(&self) -> Option<u32> {
        let letters = ["sd", "xvd", "vd"].iter().find_map(|start| self.name.strip_prefix(start))?;
        let digit = |letter: u8| letter.is_ascii_lowercase().then(|| u32::from(letter - b'a') + 1);
        let count =
            letters.bytes().try_fold(0_u32, |sum, letter| sum.checked_mul(26)?.checked_add(digit(letter)?));
        count?.checked_sub(1)
    }
}

/// What a drive is called where the configuration is for.
pub(super) fn named(facts: &DeviceFacts, inputs: &Inputs) -> DriveName {
    let model = facts.model.clone().filter(|model| *model != facts.name);
    match &inputs.drive {
        Some(given) => DriveName { name: given.name.clone(), model: given.model.clone().or(model) },
        None => DriveName { name: facts.name.clone(), model },
    }
}

fn forms(text: &str) -> Vec<String> {
    let text = text.trim();
    let one: Vec<&str> = text.split_whitespace().collect();
    let is_safe = |c: char| c.is_ascii_alphanumeric() || "#+-.:=@_/".contains(c);
    let replaced = |text: &str| text.chars().map(|c| if is_safe(c) { c } else { '_' }).collect::<String>();
    let mut forms = vec![text.to_owned(), replaced(text), replaced(&one.join("_"))];
    forms.dedup();
    forms
}

impl Kind {
    pub(super) fn of(name: &str) -> Self {
        let rest_is = |start: &str, is: fn(u8) -> bool| {
            name.strip_prefix(start).is_some_and(|rest| !rest.is_empty() && rest.bytes().all(is))
        };
        let is_nvme = name
            .strip_prefix("nvme")
            .and_then(|rest| rest.split_once('n'))
            .is_some_and(|(controller, space)| is_number(controller) && is_number(space));
        let letter = |byte: u8| byte.is_ascii_lowercase();
        let digit = |byte: u8| byte.is_ascii_digit();
        if is_nvme {
            Kind::Nvme
        } else if rest_is("sd", letter) {
            Kind::Scsi
        } else if rest_is("vd", letter) || rest_is("xvd", letter) {
            Kind::Virtual
        } else if rest_is("mmcblk", digit) {
            Kind::Card
        } else if ["dm-", "md", "loop", "zram", "bcache", "nbd", "rbd", "zd"]
            .iter()
            .any(|start| rest_is(start, digit))
        {
            Kind::Software
        } else {
            Kind::Unknown
        }
    }
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_tells_the_kind() {
        for (name, kind) in [
            ("nvme0n1", Kind::Nvme),
            ("nvme0", Kind::Unknown),
            ("sdaa", Kind::Scsi),
            ("xvda", Kind::Virtual),
            ("mmcblk0", Kind::Card),
            ("dm-12", Kind::Software),
            ("sim-ssd", Kind::Unknown),
            ("vd", Kind::Unknown),
        ] {
            assert_eq!(Kind::of(name), kind, "{name}");
        }
    }

    #[test]
    fn disks_are_counted_as_the_kernel_names_them() {
        let facts = DeviceFacts::default();
        let at = |name: &str| {
            Subject { name: name.into(), kind: Kind::of(name), model: None, facts: &facts }.index()
        };
        assert_eq!([at("sda"), at("sdz"), at("sdaa"), at("vdb")], [Some(0), Some(25), Some(26), Some(1)]);
        assert_eq!(at("nvme0n1"), None);
    }

    #[test]
    fn a_model_has_spaces_or_underscores() {
        assert_eq!(forms("KXG6  (OEM) "), ["KXG6  (OEM)", "KXG6___OEM_", "KXG6__OEM_"]);
        assert_eq!(forms("ABC-1"), ["ABC-1"]);
    }
}
