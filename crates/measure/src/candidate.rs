//! A target that was only looked at: what it would be opened for, and what would be written to it.

use leadline_device::guard::GuardError;
use leadline_device::target::{Target, TargetKind};
use leadline_device::{Device, QueueShape, format_size};

use crate::settings::Settings;
use crate::target::Access;

/// Bytes of a simulated device that are used where no size is given.
const SIMULATED_BYTES: u64 = 1 << 30;

/// A target before anything is opened or written.
#[derive(Clone, Copy)]
pub enum Candidate<'a> {
    /// A simulated device.
    Simulated(&'a dyn Device),
    /// A directory, a file or a block device.
    Real(&'a Target),
}

impl Candidate<'_> {
    /// Whether a scratch file is made in it.
    pub fn is_directory(self) -> bool {
        matches!(self, Candidate::Real(target) if target.kind == TargetKind::Directory)
    }

    /// Bytes of a simulated device; `None` of a real one.
    pub fn simulated_capacity(self) -> Option<u64> {
        match self {
            Candidate::Simulated(device) => Some(device.geometry().capacity_bytes),
            Candidate::Real(_) => None,
        }
    }

    /// Bytes of the scratch file or region to be written before measuring, after checking that they may be; 0
    /// where nothing is written. Of a simulated device, the bytes that are used.
    ///
    /// # Errors
    /// As [`Access::layout_bytes`].
    pub fn layout_bytes(self, access: &Access) -> Result<u64, GuardError> {
        match self {
            Candidate::Simulated(_) => Ok(access.size_bytes.unwrap_or(SIMULATED_BYTES)),
            Candidate::Real(target) => access.layout_bytes(target),
        }
    }

    /// Whether anything but the layout may be written to it.
    pub fn may_be_written(self, access: &Access) -> bool {
        let needs_leave = matches!(self, Candidate::Real(target) if target.kind == TargetKind::Block);
        !access.reads_only && (access.destructive || !needs_leave)
    }

    /// Whether it tells what it does to its medium. No real device does: the kernel has no such counters, and
    /// vendors' log pages are each different.
    pub fn reports_wear(self) -> bool {
        match self {
            Candidate::Simulated(device) => {
                let queue = device.queue_pair(QueueShape::new(1, device.geometry().block_bytes));
                queue.is_ok_and(|queue| queue.wear().is_some())
            }
            Candidate::Real(_) => false,
        }
    }

    /// The smallest request that it takes, bytes.
    pub fn smallest_block(self, access: &Access) -> u32 {
        match self {
            Candidate::Simulated(device) => device.geometry().block_bytes,
            Candidate::Real(target) => access.smallest_block(target),
        }
    }

    /// Bytes that measuring it may write where no limit was given; `None` for no bound. Of `layout_bytes`, as
    /// [`Candidate::layout_bytes`].
    pub fn write_budget(self, settings: &Settings, layout_bytes: u64) -> Option<u64> {
        match self {
            Candidate::Simulated(_) => None,
            Candidate::Real(target) if target.kind == TargetKind::Block && layout_bytes == 0 => None,
            Candidate::Real(target) if target.kind == TargetKind::File => {
                settings.write_budget(layout_bytes, target.size_bytes)
            }
            Candidate::Real(_) => settings.write_budget(layout_bytes, layout_bytes),
        }
    }

    /// What will be written, in words, because drives wear: `layout_bytes` to lay out what is read, and
    /// `prepared_bytes` in all before measuring; `during` is the share of the time measured that is spent
    /// writing, such as `about half of`.
    pub(crate) fn write_notice(
        self,
        access: &Access,
        layout_bytes: u64,
        prepared_bytes: u64,
        max_writes: Option<u64>,
        during: &str,
    ) -> String {
        let at_most = |before: &str| {
            max_writes.map_or(String::new(), |max| format!("{before}{} in all at most", format_size(max)))
        };
        match (self, layout_bytes) {
            (Candidate::Simulated(_), _) => "writes nothing: the device is simulated".to_owned(),
            (Candidate::Real(target), 0) if target.kind == TargetKind::Block => "reads only".to_owned(),
            (_, 0) if access.reads_only => "reads only".to_owned(),
            (_, 0) => {
                format!("writes only to a file that Leadline made{}, otherwise nothing", at_most(", "))
            }
            _ if access.reads_only => {
                format!("writes {} to lay out the data that it reads", format_size(layout_bytes))
            }
            _ => format!(
                "writes {} before measuring, and as much as the device takes during {during} \
                 the time measured{}",
                format_size(prepared_bytes),
                at_most(", ")
            ),
        }
    }
}
