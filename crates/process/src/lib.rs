#![doc = include_str!("../README.md")]

mod account;
mod child;
mod error;
mod find;
mod launch;
mod scratch;

pub use account::Account;
pub use child::{Seen, run};
pub use error::ProcessError;
pub use find::Program;
pub use launch::Launch;
/// The signals that programs are sent.
pub use rustix::process::Signal;
pub use scratch::Scratch;
