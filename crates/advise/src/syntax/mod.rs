//! Syntaxes of configuration files, one file each.

pub(crate) mod comments;
pub(crate) mod glob;
pub(crate) mod guc;
pub(crate) mod properties;
pub(crate) mod set;
pub(crate) mod sizes;
pub(crate) mod sql;
pub(crate) mod templates;
pub(crate) mod yaml;
