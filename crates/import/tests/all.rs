//! What users of an import rely on.

mod fio;
mod whole;
