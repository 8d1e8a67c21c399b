//! How a drive is attached, and what that can carry.

use std::path::Path;

use leadline_profile::Link;

use super::disk::{Disk, directories};
use super::read_text;

/// The link of a drive, where sysfs tells.
pub(super) fn link(disk: &Disk) -> Option<Link> {
    let device = disk.device()?;
    if let Some(link) = sata(&device) {
        return Some(link);
    }
    if disk.name.starts_with("nvme") {
        return nvme(disk);
    }
    hypervisor(&device).map(|name| Link { name: name.to_owned(), bandwidth_bytes: None })
}

/// The bus of a hypervisor's disk, by the directories that it lies in: `virtio1`, `vbd-51712`, `VMBUS:01` (on
/// later firmware `MSFT1000:00`).
fn hypervisor(device: &Path) -> Option<&'static str> {
    device.components().find_map(|part| match part.as_os_str().to_str()? {
        name if is_numbered(Some(name), "virtio") => Some("virtio"),
        name if is_numbered(Some(name), "vbd-") => Some("Xen"),
        name if name.starts_with("VMBUS:") || name.starts_with("MSFT1000:") => Some("Hyper-V"),
        _ => None,
    })
}

/// The PCI device above the controller has the link. Several controllers (multipath) are several links: then
/// none is told.
fn nvme(disk: &Disk) -> Option<Link> {
    let mut links = disk.controllers().into_iter().filter_map(|controller| {
        let pci = controller.ancestors().find(|dir| dir.join("current_link_speed").exists())?.to_path_buf();
        let speed = read_text(&pci.join("current_link_speed"))?;
        pcie(&speed, &read_text(&pci.join("current_link_width"))?)
    });
    let link = links.next()?;
    links.next().is_none().then_some(link)
}

/// From `8.0 GT/s PCIe` and `4`.
fn pcie(speed: &str, width: &str) -> Option<Link> {
    let transfers: f64 =
        speed.split_whitespace().next()?.parse().ok().filter(|rate| (0.1..1000.0).contains(rate))?;
    if !speed.contains("GT/s") {
        return None;
    }
    let lanes: u32 = width.parse().ok().filter(|lanes| (1..=32).contains(lanes))?;
    // One bit a transfer and lane: 8b/10b up to 5 GT/s, 128b/130b above.
    let coding = if transfers <= 5.0 { 8.0 / 10.0 } else { 128.0 / 130.0 };
    Some(Link {
        name: format!("PCIe {transfers:.1} GT/s x{lanes}"),
        bandwidth_bytes: Some(transfers * 1e9 * f64::from(lanes) * coding / 8.0),
    })
}

/// The device of a SATA disk is under `ataN`, whose link has the speed.
fn sata(device: &Path) -> Option<Link> {
    let ata =
        device.ancestors().find(|dir| is_numbered(dir.file_name().and_then(|name| name.to_str()), "ata"))?;
    let speed = directories(ata, "link").iter().find_map(|link| {
        let inner = directories(&link.join("ata_link"), "link");
        inner.iter().find_map(|dir| read_text(&dir.join("sata_spd")))
    })?;
    sata_speed(&speed)
}

/// From `6.0 Gbps`; `<unknown>` where the link is down.
fn sata_speed(speed: &str) -> Option<Link> {
    let (gigabits, unit) = speed.split_once(' ')?;
    let gigabits: f64 = gigabits.parse().ok().filter(|rate| (0.1..100.0).contains(rate))?;
    (unit == "Gbps").then(|| Link {
        name: format!("SATA {gigabits:.1} Gbit/s"),
        bandwidth_bytes: Some(gigabits * 1e9 * 0.8 / 8.0), // 8b/10b
    })
}

fn is_numbered(name: Option<&str>, prefix: &str) -> bool {
    let digits = name.and_then(|name| name.strip_prefix(prefix));
    digits.is_some_and(|digits| !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pcie_links_carry_what_their_coding_leaves() {
        for (speed, width, name, bytes) in [
            ("2.5 GT/s PCIe", "1", "PCIe 2.5 GT/s x1", 0.25e9),
            ("5.0 GT/s PCIe", "4", "PCIe 5.0 GT/s x4", 2.0e9),
            ("8.0 GT/s PCIe", "4", "PCIe 8.0 GT/s x4", 3.938_461_538e9),
            ("16.0 GT/s PCIe", "4", "PCIe 16.0 GT/s x4", 7.876_923_077e9),
            ("8 GT/s", "2", "PCIe 8.0 GT/s x2", 1.969_230_769e9),
        ] {
            let link = pcie(speed, width).unwrap();
            assert_eq!(link.name, name);
            assert!((link.bandwidth_bytes.unwrap() / bytes - 1.0).abs() < 1e-8, "{speed} {width}");
        }
    }

    #[test]
    fn sata_links_carry_eight_bits_in_ten() {
        let link = sata_speed("6.0 Gbps").unwrap();
        assert_eq!((link.name.as_str(), link.bandwidth_bytes), ("SATA 6.0 Gbit/s", Some(600e6)));
    }

    #[test]
    fn garbage_is_no_link() {
        for garbage in
            ["", " ", "Unknown", "Unknown speed", "<unknown>", "nan GT/s", "-8.0 GT/s", "inf GT/s", "8.0"]
        {
            assert_eq!(pcie(garbage, "4"), None, "{garbage:?}");
            assert_eq!(sata_speed(garbage), None, "{garbage:?}");
            assert_eq!(pcie("8.0 GT/s PCIe", garbage), None, "{garbage:?}");
        }
        for width in ["0", "63", "255", "-1"] {
            assert_eq!(pcie("8.0 GT/s PCIe", width), None, "{width:?}");
        }
    }
}
