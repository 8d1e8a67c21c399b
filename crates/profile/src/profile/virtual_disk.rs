//! Disks that a hypervisor makes, of whose medium the guest's kernel knows nothing.
//!
//! The driver and the model tell. What the machine is (DMI, the processor's hypervisor flag) does not: a
//! virtual machine may have a real drive that was passed through to it.

use super::device::DeviceFacts;

/// Links that only virtual disks have, as `Link::name` has them.
const LINKS: [&str; 3] = ["virtio", "Xen", "Hyper-V"];

/// Names that only their drivers give: virtio_blk, xen-blkfront.
const NAMES: [&str; 2] = ["vd", "xvd"];

/// Parts of the models of disks that hypervisors and clouds make, in small letters.
const MODELS: [&str; 9] = [
    "qemu",
    "virtual", // Hyper-V "Virtual Disk", VMware "Virtual disk", Parallels "Virtual HDD"
    "vmware",
    "vbox",
    "bhyve",
    "vdisk",               // Nutanix
    "persistentdisk",      // Google
    "nvme_card-pd",        // Google, as NVMe
    "elastic block store", // Amazon
];

impl DeviceFacts {
    /// Whether a hypervisor makes the disk.
    pub fn is_virtual_disk(&self) -> bool {
        let has_link = self.link.as_ref().is_some_and(|link| LINKS.contains(&link.name.as_str()));
        let is_named = |prefix: &&str| {
            let letters = self.name.strip_prefix(prefix).unwrap_or_default();
            !letters.is_empty() && letters.bytes().all(|letter| letter.is_ascii_lowercase())
        };
        let model = self.model.as_deref().unwrap_or_default().to_lowercase();
        has_link || NAMES.iter().any(is_named) || MODELS.iter().any(|part| model.contains(part))
    }

    /// Whether the medium spins, where anything says so. The kernel's word for a virtual disk is a default of
    /// its driver, so it does not count.
    pub fn spins(&self) -> Option<bool> {
        self.rotational.filter(|_| !self.is_virtual_disk())
    }
}
