//! A MariaDB server of one's own: a process, its settings, and a client.

mod process;
mod programs;
mod session;
mod settings;

pub use process::{Server, create_data_folder};
pub use session::{Row, Session};
pub use settings::{Pool, Settings};
