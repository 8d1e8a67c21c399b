#![doc = include_str!("../README.md")]

mod account;
mod address;
mod child;
mod error;
mod find;
mod launch;
mod scratch;
mod server;

pub use account::Account;
pub use address::{check_port, folder_for_sockets, free_port};
pub use child::{Seen, run};
pub use error::ProcessError;
pub use find::Program;
pub use launch::Launch;
/// The signals that programs are sent.
pub use rustix::process::Signal;
pub use scratch::Scratch;
pub use server::{Server, Service};
