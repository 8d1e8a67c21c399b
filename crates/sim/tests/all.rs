//! What users of the simulated devices rely on, as one test program: linking many would take longer than
//! running them.

mod cap;
mod description;
mod disk;
mod flash_amplification;
mod flash_brute;
mod flash_description;
mod flash_drive;
mod flash_full;
mod flash_papers;
mod flash_physics;
mod flash_random;
mod flash_reads;
mod flash_unchanged;
mod flash_writes;
mod flush;
mod kinds;
mod loads;
mod model;
mod p4800x;
mod truth;
mod unchanged;
mod volumes;
mod xpoint;
