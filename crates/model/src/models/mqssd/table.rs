//! The MQSSD model of a device that is known by its costs alone.

use super::{CostsAtK, Mqssd, MqssdCosts};
use crate::cost::FEWEST;
use crate::{CostErrors, CostFunction, CostPoint, CostRow, CostTable, FitError, Model};

/// A model made from a cost table, and how well its functions pass through the table.
#[derive(Debug, Clone, PartialEq)]
pub struct CostFit {
    /// The model.
    pub model: Mqssd,
    /// One entry per function.
    pub functions: Vec<FunctionFit>,
    /// Costs in the table that the functions were fitted to.
    pub cells: usize,
    /// Mean of |fitted - cost| / cost over all cells.
    pub mape: f64,
    /// The same, each cell predicted from the other cells of its column.
    pub leave_one_out: f64,
}

/// One fitted column.
#[derive(Debug, Clone, PartialEq)]
pub struct FunctionFit {
    /// `setup_read`, `transfer_read`, `setup_write` or `transfer_write`.
    pub name: &'static str,
    /// The function.
    pub function: CostFunction,
    /// The column's cells.
    pub points: Vec<CostPoint>,
    /// How far it is from them.
    pub errors: CostErrors,
    /// Mean of |predicted - cost| / cost, each cell predicted from the rest.
    pub leave_one_out: f64,
}

impl Mqssd {
    /// The model of a cost table, of reads, of writes or of both. Costs of zero are left out.
    ///
    /// # Errors
    /// [`FitError`] where neither reads nor writes have both costs at four concurrencies.
    pub fn from_costs(table: &CostTable) -> Result<CostFit, FitError> {
        let mut functions = Vec::new();
        let mut side = |names: [&'static str; 2], costs: fn(&CostRow) -> [Option<f64>; 2]| {
            let per_k = per_k(table, costs);
            let setup = FunctionFit::of(names[0], &per_k, |cell| cell.setup)?;
            let transfer = FunctionFit::of(names[1], &per_k, |cell| cell.transfer)?;
            let costs =
                MqssdCosts { per_k, setup: setup.function.clone(), transfer: transfer.function.clone() };
            functions.extend([setup, transfer]);
            Some(costs)
        };
        let read = side(["setup_read", "transfer_read"], |row| [row.setup_read, row.transfer_read]);
        let write = side(["setup_write", "transfer_write"], |row| [row.setup_write, row.transfer_write]);
        if functions.is_empty() {
            let reads = per_k(table, |row| [row.setup_read, row.transfer_read]).len();
            return Err(too_few_costs(
                reads,
                per_k(table, |row| [row.setup_write, row.transfer_write]).len(),
            ));
        }
        let cells = functions.iter().map(|f| f.points.len()).sum();
        let mean = |of: fn(&FunctionFit) -> f64| {
            functions.iter().map(|f| of(f) * f.points.len() as f64).sum::<f64>() / cells as f64
        };
        let (mape, leave_one_out) = (mean(|f| f.errors.mape), mean(|f| f.leave_one_out));
        Ok(CostFit { model: Mqssd { read, write }, functions, cells, mape, leave_one_out })
    }
}

/// The rows that have both costs, ascending in k.
fn per_k(table: &CostTable, costs: impl Fn(&CostRow) -> [Option<f64>; 2]) -> Vec<CostsAtK> {
    let positive = |cost: Option<f64>| cost.filter(|c| *c > 0.0 && c.is_finite());
    let cell = |row: &CostRow| {
        let [setup, transfer] = costs(row).map(positive);
        Some(CostsAtK { k: row.k, setup: setup?, transfer: transfer?, r2: None, condition: None, points: 0 })
    };
    let mut cells: Vec<CostsAtK> = table.rows.iter().filter(|row| row.k > 0).filter_map(cell).collect();
    cells.sort_by_key(|cell| cell.k);
    cells
}

impl FunctionFit {
    /// `None` with too few concurrencies.
    fn of(name: &'static str, cells: &[CostsAtK], cost: fn(&CostsAtK) -> f64) -> Option<Self> {
        let point = |cell: &CostsAtK| CostPoint { k: f64::from(cell.k), seconds: cost(cell), weight: 1.0 };
        let points: Vec<CostPoint> = cells.iter().map(point).collect();
        let function = CostFunction::choose(&points)?;
        let errors = function.errors(&points);
        let leave_one_out = CostFunction::leave_one_out(&points, function.shape())?;
        Some(FunctionFit { name, function, points, errors, leave_one_out })
    }
}

fn too_few_costs(reads: usize, writes: usize) -> FitError {
    let needs = format!(
        "a table with both costs at {FEWEST} different concurrencies; reads have them at {reads}, writes at {writes}"
    );
    FitError::new(Mqssd::NAME, needs)
}
