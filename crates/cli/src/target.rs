//! TARGET, and the options with which every command opens it.

use std::ffi::OsStr;
use std::path::Path;

use leadline_catalogue::{SIMULATED, behind};
use leadline_device::guard;
use leadline_device::target;
use leadline_device::{Device, IoEngine, format_size, parse_large_size};
use leadline_measure::summary::Circumstances;
use leadline_measure::target::{Access, OpenTarget};
use leadline_measure::{Candidate, facts};
use leadline_profile::DeviceFacts;
use leadline_tiers::Placement;

use crate::failure::Failure;
use crate::{messages, values};

/// How a target is opened, and what may be done to it.
#[derive(Debug, Clone, clap::Args)]
pub(crate) struct AccessArgs {
    /// Size of the scratch file, such as 4G [default: a tenth of the free space, at most 8G, or 1G with
    /// --quick]
    #[arg(long, value_name = "SIZE", value_parser = parse_large_size)]
    pub(crate) size: Option<u64>,
    /// How requests reach the kernel [default: io_uring, or psync where the kernel refuses it]
    #[arg(long, value_parser = values::engine, value_name = "io_uring|psync")]
    engine: Option<IoEngine>,
    /// Allow writes to TARGET, a block device that is not in use; its data is lost
    #[arg(long)]
    destructive: bool,
    /// Measure reads only
    #[arg(long, conflicts_with = "destructive")]
    pub(crate) reads_only: bool,
    /// Keep the scratch file, leadline-scratch.dat, to be TARGET of the next run
    #[arg(long)]
    keep_scratch: bool,
}

impl AccessArgs {
    /// The option of a scratch file that was given, for what has no use for one.
    pub(crate) fn of_scratch_file(&self) -> Option<&'static str> {
        if self.size.is_some() { Some("--size") } else { self.keep_scratch.then_some("--keep-scratch") }
    }

    /// With a scratch file of at most 1G where `quick` is set and no size was given.
    pub(crate) fn access(&self, quick: bool) -> Access {
        Access {
            engine: self.engine,
            destructive: self.destructive,
            reads_only: self.reads_only,
            keep_scratch: self.keep_scratch,
            size_bytes: self.size,
            quick,
            ..Access::default()
        }
    }
}

/// What TARGET turned out to be, before anything is opened or written.
pub(crate) enum Target {
    /// A device of the catalogue or a description of one.
    Simulated {
        device: Box<dyn Device>,
        /// How the user named it.
        text: String,
        /// Which files belong on which part of it.
        placement: Option<Placement>,
    },
    /// A directory, a file or a block device.
    Real(target::Target),
}

impl Target {
    /// Looks at TARGET without touching it.
    pub(crate) fn find(name: &OsStr) -> Result<Target, Failure> {
        match behind(name, SIMULATED) {
            Some(_) => {
                let (device, placement) = leadline_tiers::open_device(name)?;
                Ok(Target::Simulated { device, text: name.display().to_string(), placement })
            }
            None => Ok(Target::Real(target::Target::resolve(Path::new(name))?)),
        }
    }

    /// What is known of it before it is opened.
    pub(crate) fn facts(&self) -> DeviceFacts {
        match self {
            Target::Simulated { device, text, .. } => {
                let (name, capacity) = (profile_name(text), device.geometry().capacity_bytes);
                Circumstances::simulated(text, &name, capacity).facts
            }
            Target::Real(target) => facts::device_facts(&target.path, target.kind, false),
        }
    }

    /// Which files belong on which of its parts, of a device made of two where that is so.
    pub(crate) fn placement(&self) -> Option<&Placement> {
        match self {
            Target::Simulated { placement, .. } => placement.as_ref(),
            Target::Real(_) => None,
        }
    }

    /// What of it can be known before it is opened.
    pub(crate) fn candidate(&self) -> Candidate<'_> {
        match self {
            Target::Simulated { device, .. } => Candidate::Simulated(device.as_ref()),
            Target::Real(target) => Candidate::Real(target),
        }
    }

    /// Checks that a directory has room for `bytes` of files whose size no option sets.
    pub(crate) fn check_space(&self, bytes: u64) -> Result<(), Failure> {
        match self {
            Target::Simulated { .. } => Ok(()),
            Target::Real(target) => {
                // The error says what would fit; --size would not help.
                guard::check_space(&target.path, bytes).map_err(|error| Failure::Input(error.to_string()))
            }
        }
    }

    /// Opens it; makes the scratch file where it is a directory.
    pub(crate) fn open(self, bytes: u64, access: &Access) -> Result<OpenTarget, Failure> {
        let opened = match self {
            Target::Simulated { device, text, .. } => {
                let name = profile_name(&text);
                OpenTarget::simulated(device, &text, &name, bytes, access)
            }
            Target::Real(target) => OpenTarget::open(&target, bytes, access)?,
        };
        messages::step(&format!(
            "opened {}: {} of {}, {}, by {}",
            opened.facts.target,
            format_size(opened.region.len),
            opened.facts.name,
            if opened.direct { "directly" } else { "through the page cache" },
            opened.engine
        ));
        Ok(opened)
    }
}

/// What a profile calls it.
fn profile_name(text: &str) -> String {
    format!("sim-{}", simulated_name(text))
}

/// `flash` of `sim:flash`, `slow` of `sim:./slow.toml`.
fn simulated_name(text: &str) -> &str {
    let name = text.strip_prefix(SIMULATED).unwrap_or(text);
    Path::new(name).file_stem().and_then(|stem| stem.to_str()).unwrap_or(name)
}
