//! etcd: how long the syncs of its log take, predicted and seen, by fio and by etcd itself.

mod http;
mod member;
mod plan;
mod proof;
mod timeouts;

pub use leadline_profile::Histogram;
pub use plan::{Plan, Prediction};
pub use proof::{Measure, Proof, Round, SCHEMA, Verdict, Verdicts, foresee, prove};
pub use timeouts::{JudgedTimeouts, Timeouts};
