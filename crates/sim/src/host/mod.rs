//! What lies between a program and a drive: the software of the host, limits set in software, the link.

mod drive;
mod flushes;
mod front;
mod link;
mod software;
mod spec;

pub(crate) use drive::{Drive, Due, Finished, Job};
pub(crate) use flushes::Flushes;
pub(crate) use front::Front;
pub use spec::HostLinkSpec;
