//! What users of the profile rely on, as one test program: each of several would compile reading and writing
//! profiles again.

mod files;
mod profile;
mod published;
mod terms;
