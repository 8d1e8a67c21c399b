//! TPC-H's rows, as the text files that LOAD DATA reads.

use std::fmt::Display;
use std::io::{self, Write};

use tpchgen::generators::{
    CustomerGenerator, LineItemGenerator, NationGenerator, OrderGenerator, PartGenerator, PartSuppGenerator,
    RegionGenerator, SupplierGenerator,
};

use crate::TpchError;
use crate::schema::Table;

/// Bytes of text at scale 1, about; in MariaDB's files it is half as much again.
const TEXT_BYTES: f64 = 1.1e9;

/// How large the data are: scale 1 has six million lineitems, about 1.5 GB in MariaDB's files.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Scale(f64);

impl Scale {
    /// Above 0, at most 1000. Of those below 0.025, not all.
    ///
    /// # Errors
    /// Says what it must be.
    pub fn new(scale: f64) -> Result<Scale, String> {
        if !(scale > 0.0 && scale <= 1000.0) {
            return Err("must be above 0, and 1000 at most".to_owned());
        }
        if !has_distinct_suppliers(scale) {
            return Err(
                "by TPC-H's formula a part has one supplier twice at this scale; not so at 0.01, and from \
                 0.025 on"
                    .to_owned(),
            );
        }
        Ok(Scale(scale))
    }

    /// As a number.
    pub fn factor(self) -> f64 {
        self.0
    }

    /// Bytes that loading takes at its peak: the tables, the text of one, and what sorts its index.
    pub fn peak_bytes(self) -> u64 {
        (self.0 * TEXT_BYTES * 3.5) as u64 + (256 << 20)
    }
}

/// Whether the four suppliers of each part differ. Part p has supplier (p + i (S / 4 + (p - 1) / S)) mod S
/// for i = 0 to 3, where S is the number of suppliers (TPC-H 4.2.3).
fn has_distinct_suppliers(scale: f64) -> bool {
    let (suppliers, parts) = ((10_000.0 * scale) as u64, (200_000.0 * scale) as u64);
    suppliers > 0
        && (0..=parts.saturating_sub(1) / suppliers).all(|round| {
            let step = suppliers / 4 + round;
            (1..4).all(|apart| !(apart * step).is_multiple_of(suppliers))
        })
}

/// Writes a table's rows, a line each, columns ended by `|`.
///
/// # Errors
/// Those of `out`, and rows after `cancelled` says so.
pub fn write(
    table: &Table,
    scale: Scale,
    out: &mut impl Write,
    cancelled: &dyn Fn() -> bool,
) -> Result<(), TpchError> {
    let sf = scale.factor();
    match table.name {
        "region" => lines(RegionGenerator::new(sf, 1, 1).iter(), out, cancelled),
        "nation" => lines(NationGenerator::new(sf, 1, 1).iter(), out, cancelled),
        "supplier" => lines(SupplierGenerator::new(sf, 1, 1).iter(), out, cancelled),
        "customer" => lines(CustomerGenerator::new(sf, 1, 1).iter(), out, cancelled),
        "part" => lines(PartGenerator::new(sf, 1, 1).iter(), out, cancelled),
        "partsupp" => lines(PartSuppGenerator::new(sf, 1, 1).iter(), out, cancelled),
        "orders" => lines(OrderGenerator::new(sf, 1, 1).iter(), out, cancelled),
        _ => lines(LineItemGenerator::new(sf, 1, 1).iter(), out, cancelled),
    }
}

fn lines<R: Display>(
    rows: impl Iterator<Item = R>,
    out: &mut impl Write,
    cancelled: &dyn Fn() -> bool,
) -> Result<(), TpchError> {
    let io = |source: io::Error| TpchError::Data { source };
    for (number, row) in rows.enumerate() {
        if number.is_multiple_of(1024) && cancelled() {
            return Err(TpchError::Interrupted);
        }
        writeln!(out, "{row}").map_err(io)?;
    }
    Ok(())
}
