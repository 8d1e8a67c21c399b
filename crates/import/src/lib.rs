//! What other programs measured of a device, as a Leadline profile.

mod curve;
mod interval;
mod load;
mod parameters;
