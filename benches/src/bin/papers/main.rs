//! The simulated drives of the catalogue beside the papers: every figure that was published of them, ours and
//! the error.

mod drive;
mod figure;
mod load;
mod mqssd;
mod p3700;
mod pio;

use anyhow::{Result, bail};
use clap::Parser;

use self::drive::Drive;
use self::figure::Figure;

/// The simulated drives of the catalogue beside the papers that measured them
#[derive(Parser)]
struct Args {
    /// Only this drive: p4510-ftl, s4610-ftl, p3700-ftl or 990pro-ftl
    drive: Option<String>,
    /// Another description in its place, to fit one: ./mine.toml
    description: Option<String>,
}

/// A drive, where its figures are from, and what measures them.
type Study = (&'static str, &'static str, fn(&Drive) -> Result<Vec<Figure>>);

const STUDIES: [Study; 4] = [
    ("p4510-ftl", "Papon and Athanassoulis, DaMoN 2021", pio::p4510),
    ("s4610-ftl", "Papon and Athanassoulis, DaMoN 2021", pio::s4610),
    ("p3700-ftl", "Yang, Li and Lilja, ACM TOMPECS 5(1), 2020", p3700::p3700),
    ("990pro-ftl", "Ransom, Lim and Mitzenmacher", mqssd::samsung_990_pro),
];

fn main() -> Result<()> {
    let args = Args::parse();
    let wanted = |name: &str| args.drive.as_deref().is_none_or(|drive| drive == name);
    if !STUDIES.iter().any(|(name, ..)| wanted(name)) {
        bail!(
            "{}: no figures of it; there are {}",
            args.drive.unwrap_or_default(),
            STUDIES.map(|s| s.0).join(", ")
        );
    }
    for (name, paper, measure) in STUDIES.into_iter().filter(|(name, ..)| wanted(name)) {
        let drive = Drive::load(args.description.as_deref().unwrap_or(name))?;
        let figures = measure(&drive)?;
        figure::print(name, paper, drive.fitted(), &figures);
    }
    Ok(())
}
