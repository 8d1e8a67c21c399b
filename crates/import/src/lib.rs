//! What other programs measured of a device, as a Leadline profile.

mod curve;
mod fio;
mod flush;
mod found;
mod interval;
mod load;
mod parameters;
