//! The models, one a file, all behind [`crate::Model`].

mod affine;
mod dam;
mod mqssd;
mod pages;
mod pdam;
mod pio;
mod plateau;
mod setup_transfer;
mod shared;

pub use affine::Affine;
pub use dam::Dam;
pub use mqssd::{CostFit, FunctionFit, Mqssd, MqssdCosts, PerK};
pub use pdam::Pdam;
pub use pio::Pio;
pub use shared::Shared;
