//! What is known of devices without measuring them: published numbers, and descriptions to simulate.
//!
//! One TOML file a device, in `devices/` and built into the binary, or a user's own. docs/devices.md is the page of the
//! format. What a description simulates is read by the crate `sim`; here it is only known to be there.

mod built_in;
mod description;
mod error;

pub use built_in::{BuiltIn, DEVICES, find, is_file, load, split_path};
pub use description::{AccessPath, Description, Pattern, Published};
pub use error::CatalogueError;
