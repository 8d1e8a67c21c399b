//! What the tests of all crates share. A dependency of tests only; it is not published.

pub mod machine;
#[cfg(feature = "policies")]
pub mod policies;
pub mod processes;

/// Set, and neither empty nor `0`: tests try every case. `cargo xtask test --exhaustive` sets it.
const VARIABLE: &str = "LEADLINE_EXHAUSTIVE";

/// Whether tests are to try every case, where otherwise some stand for all.
pub fn exhaustive() -> bool {
    std::env::var_os(VARIABLE).is_some_and(|value| !value.is_empty() && value != "0")
}
