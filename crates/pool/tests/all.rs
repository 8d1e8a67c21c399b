//! What users of the pool crate rely on, as one test program: linking many would take longer than running
//! them.

mod adaptive;
mod all_policies;
mod broken_queue;
mod buffer;
mod buffer_faults;
mod double_write;
mod every_crash;
mod full_device;
mod kill;
mod libcachesim;
mod naive;
mod objects;
mod out_of_place;
mod out_of_place_crashes;
mod out_of_place_damage;
mod paper;
mod policies;
mod read_many;
mod replay;
mod virtual_time;
