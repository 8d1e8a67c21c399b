#![doc = include_str!("../README.md")]

mod apart;
mod attributes;
mod handles;
mod keeper;
mod mounts;
mod place;
mod reply;
mod serve;

pub use apart::{Read, read_apart, sync_apart};
pub use attributes::{SET_IDS, attributes, kind_of, without_set_ids};
pub use handles::Handles;
pub use mounts::{detach, device_number, is_mounted, mounted_at, unmount};
pub use place::{Place, PlaceError, canonical, lock_folder};
pub use reply::{SeekTarget, SysResult, done, errno, give_attributes, give_xattr};
pub use serve::{check_device, fopen_flags, is_durable, is_writing, negotiate, options, raise_file_limit};
