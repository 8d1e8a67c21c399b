//! What users of the simulated devices rely on, as one test program: linking many would take longer than
//! running them.

mod cap;
mod description;
mod flash_amplification;
mod flash_brute;
mod flash_description;
mod flash_drive;
mod flash_physics;
mod flash_random;
mod flash_reads;
mod flash_unchanged;
mod flash_writes;
mod flush;
mod model;
mod truth;
mod unchanged;
mod volumes;
