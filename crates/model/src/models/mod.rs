//! The models, one per file, all behind [`crate::Model`].

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
pub use mqssd::{CostFit, CostsAtK, FunctionFit, Mqssd, MqssdCosts};
pub use pdam::Pdam;
pub use pio::Pio;
pub use shared::SharedBudget;
