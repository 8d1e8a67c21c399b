//! What users of the measure crate rely on, as one test program: linking many would take longer than running
//! them.

mod beside;
mod brute_force;
mod burst;
mod channels;
mod commits;
mod devices_as_such;
mod drive;
mod drives;
mod experiment_intervals;
mod experiments;
mod fit_properties;
mod for_settings;
mod gc;
mod hidden_caches;
mod hidden_drives;
mod inside_a_drive;
mod load;
mod models_of_devices;
mod replay;
mod session;
mod settling;
mod sustained;
mod truth;
mod write_amplification;
