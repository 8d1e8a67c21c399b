#![doc = include_str!("../README.md")]
//!
//! ## Where to find what
//!
//! | to | see |
//! | --- | --- |
//! | make a profile of files | [`import`], [`import_texts`], [`Options`] |
//! | know what a file is | [`Format`] |
//! | see which settings follow from a profile | [`enough`], [`Enough`] |
//!
//! Each format has a file or directory that turns its text into what was `found`; `assemble.rs` makes a
//! profile of that, by the rules in `interval.rs` and `curve.rs`. `docs/profile-import.md` describes them.

mod assemble;
mod ceph;
mod curve;
mod detect;
mod enough;
mod etcd;
mod fio;
mod flush;
mod format;
mod found;
mod import;
mod interval;
mod ioping;
mod iotune;
mod load;
mod options;
mod parameters;
mod pg_test_fsync;

pub use enough::{Enough, enough};
pub use format::Format;
pub use import::{import, import_texts};
pub use options::Options;
