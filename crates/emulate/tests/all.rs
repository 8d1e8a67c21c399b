//! All tests of the crate that mount a drive.

mod capture;
mod drive;
mod durability;
mod faults;
mod mounting;
mod oracle;
mod processors;
mod same_seed;
mod semantics;
mod time;
mod two_devices;
