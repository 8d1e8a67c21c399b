//! A device whose truth is known exactly: servers, service times, jitter, a cap. What measures it can be held
//! to it.
//!
//! Reads and writes have servers of their own. A request takes `service_us + per_kib_us * KiB`, times a
//! jitter of mean one, on one server; with `k` requests in flight and any-free placement the throughput is
//! min(k, servers) / time, so alpha, alpha_1, k_r and k_w follow from the description. Hashed placement is
//! appendix A of Papon and Athanassoulis (DaMoN 2021): a request waits for the server its address picks, busy
//! or not.

mod admission;
mod model;
mod spec;
mod speed;
mod station;

pub use model::{Parametric, ParametricModel};
pub use spec::{Jitter, ParametricSpec, Placement, ServerSpec};
