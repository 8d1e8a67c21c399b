//! What commands share.

use clap::Args;
use leadline_tpch::data::Scale;
use leadline_tpch::queries::{Plans, Query};
use leadline_tpch::{Interrupt, TpchError};

/// Results.
pub(crate) fn print(text: &str) -> Result<(), TpchError> {
    leadline_examples::print(text).map_err(|source| TpchError::Io { path: "standard output".into(), source })
}

/// Set by Ctrl-C, SIGTERM or a closed terminal.
pub(crate) fn interrupt() -> Result<Interrupt, TpchError> {
    Interrupt::on_signals().map_err(|source| TpchError::Io { path: "signal handlers".into(), source })
}

pub(crate) fn scale(text: &str) -> Result<Scale, String> {
    Scale::new(text.parse().map_err(|_| "must be a number".to_owned())?)
}

/// A drive as it is named elsewhere; a file needs no prefix.
pub(crate) fn device_name(device: &str) -> String {
    let has_kind = ["sim:", "device:"].iter().any(|kind| device.starts_with(kind));
    if has_kind { device.to_owned() } else { format!("sim:{device}") }
}

/// Which queries, with which plans.
#[derive(Debug, Args)]
pub(crate) struct QueryArgs {
    /// Queries, as q3,q10
    #[arg(long = "queries", value_name = "LIST", value_delimiter = ',', value_parser = Query::parse)]
    chosen: Vec<Query>,
    /// Plans: default (MariaDB's) or paper (the paper's join orders, forced where MariaDB has others)
    #[arg(long, default_value = "default", value_name = "PLANS", value_parser = plans)]
    pub(crate) plans: Plans,
}

impl QueryArgs {
    /// All where none were named.
    pub(crate) fn queries(&self) -> Vec<Query> {
        if self.chosen.is_empty() { Query::all().collect() } else { self.chosen.clone() }
    }
}

fn plans(text: &str) -> Result<Plans, String> {
    match text {
        "default" => Ok(Plans::Default),
        "paper" => Ok(Plans::Paper),
        _ => Err("must be default or paper".to_owned()),
    }
}
