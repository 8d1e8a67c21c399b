//! The files: an entry of systemd's hardware database, a script, a udev rule and one of sysctl.d.

use super::cost::{MODEL, QOS};
use super::dirty::LIMITS;
use super::queue::KEYS;
use super::subject::SCSI_MODEL;
use crate::{Advice, File};

pub(super) fn write(advice: &Advice) -> Vec<File> {
    let (name, model) = names(&advice.device);
    let mut files = Vec::new();
    let (rates, limits) = (rates(advice), limits(advice));
    if let (Some(rates), Some(limits)) = (&rates, &limits) {
        if let Some(model) = &model {
            let place = "/etc/udev/hwdb.d; systemd-hwdb update; udevadm trigger (systemd 254 or later)";
            files.push(File {
                name: "99-leadline-iocost.hwdb",
                place,
                text: format!(
                    "{}block:*:name:{}:fwrev:*:\n IOCOST_SOLUTIONS=leadline\n \
                     IOCOST_MODEL_LEADLINE={rates}\n IOCOST_QOS_LEADLINE={limits}\n",
                    heading(advice),
                    pattern(model)
                ),
            });
        }
        let line = |words: &str, file: &str| {
            format!("echo \"$(cat /sys/block/$device/dev) {words}\" > /sys/fs/cgroup/{file}\n")
        };
        files.push(File {
            name: "leadline-iocost.sh",
            place: "run it as root after each start, where systemd does not; control groups of version 2",
            text: format!(
                "#!/bin/sh\n{}device={name}\n{}{}",
                heading(advice),
                line(&format!("ctrl=user model=linear {rates}"), "io.cost.model"),
                line(&format!("enable=1 ctrl=user {limits}"), "io.cost.qos")
            ),
        });
    }
    files.extend(rule(advice, &name, model.as_deref()));
    files.extend(sysctl(advice));
    files
}

fn heading(advice: &Advice) -> String {
    advice.heading().iter().map(|line| format!("# {line}\n")).collect()
}

/// The name of the device and its model, as [`Advice::device`] has them.
fn names(device: &str) -> (String, Option<String>) {
    let (name, model) = match device.split_once(" (") {
        Some((name, model)) => (name, model.strip_suffix(')').map(str::to_owned)),
        None => (device, None),
    };
    // It goes into a script.
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    let name = if !name.is_empty() && name.chars().all(is_plain) { name } else { "DEVICE" };
    (name.to_owned(), model)
}

/// The model with `?` for whatever udev may have in another form, such as `_` for a space.
fn pattern(model: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '.' | '/' | '+');
    let mut pattern: String = model.chars().map(|c| if is_plain(c) { c } else { '?' }).collect();
    if model.chars().count() == SCSI_MODEL {
        pattern.push('*');
    }
    pattern
}

/// `rbps=... wrandiops=...`, if all six are known.
fn rates(advice: &Advice) -> Option<String> {
    let value = |key: &&str| Some(format!("{}={}", last(key), advice.setting(key)?.value));
    Some(MODEL.iter().map(value).collect::<Option<Vec<_>>>()?.join(" "))
}

/// `rpct=... max=...`, if all six are known.
fn limits(advice: &Advice) -> Option<String> {
    let value = |key: &&str| {
        let number = advice.setting(key)?.value.number()?;
        let is_time = last(key).ends_with("lat");
        Some(if is_time { format!("{}={number}", last(key)) } else { format!("{}={number:.2}", last(key)) })
    };
    Some(QOS.iter().map(value).collect::<Option<Vec<_>>>()?.join(" "))
}

/// `rbps` of `io.cost.model rbps`.
fn last(key: &str) -> &str {
    key.rsplit(' ').next().unwrap_or(key)
}

fn rule(advice: &Advice, name: &str, model: Option<&str>) -> Option<File> {
    let assign = |key: &&str| Some(format!("ATTR{{{key}}}=\"{}\"", advice.setting(key)?.value));
    let assigned: Vec<String> = KEYS.iter().filter_map(assign).collect();
    if assigned.is_empty() {
        return None;
    }
    let device = match model {
        Some(model) => format!("ATTRS{{model}}==\"{}\"", pattern(model)),
        None => format!("KERNEL==\"{name}\""),
    };
    let matched = format!("ACTION==\"add|change\", SUBSYSTEM==\"block\", ENV{{DEVTYPE}}==\"disk\", {device}");
    Some(File {
        name: "99-leadline-queue.rules",
        place: "/etc/udev/rules.d; udevadm control --reload; udevadm trigger --subsystem-match=block",
        text: format!("{}{matched}, \\\n  {}\n", heading(advice), assigned.join(", \\\n  ")),
    })
}

fn sysctl(advice: &Advice) -> Option<File> {
    let line = |key: &str| Some(format!("{key} = {}\n", advice.setting(key)?.value));
    let lines: Vec<String> = LIMITS.iter().filter_map(|limit| line(limit.bytes)).collect();
    let text = format!("{}{}", heading(advice), lines.concat());
    (!lines.is_empty()).then_some(File {
        name: "99-leadline-dirty.conf",
        place: "/etc/sysctl.d; sysctl --system",
        text,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn models_match_in_every_form_that_udev_has_of_them() {
        assert_eq!(pattern("Samsung SSD 970 EVO"), "Samsung?SSD?970?EVO");
        assert_eq!(pattern("A*\"[b]"), "A???b?");
        // What sysfs cuts off is not known.
        assert_eq!(pattern("ST4000DM004-2CV1"), "ST4000DM004-2CV1*");
    }

    #[test]
    fn a_device_has_its_name_first_and_no_name_ends_a_command() {
        assert_eq!(names("nvme0n1 (KXG6 (OEM))"), ("nvme0n1".to_owned(), Some("KXG6 (OEM)".to_owned())));
        assert_eq!(names("vda"), ("vda".to_owned(), None));
        assert_eq!(names("a; rm -r b").0, "DEVICE");
        assert_eq!(names("").0, "DEVICE");
    }
}
