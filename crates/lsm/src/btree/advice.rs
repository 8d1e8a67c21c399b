//! Which node size a B-tree should have on a device.

use leadline_model::{Affine, Assessment, Model as _, ModelComparison, Predict};
use leadline_profile::PAGE_BYTES;

use super::affine::{best_lookup_pages, half_bandwidth_pages};
use super::shape::POINTER_BYTES;
use super::{BTreeError, NodeCost, Operation, Usage};
use crate::Estimate;

/// Smallest and largest node considered, bytes.
const NODE_BYTES: [u32; 2] = [512, 4 << 20];

/// Numbers of clients for which the best size is shown.
const CLIENTS: [u32; 8] = [1, 2, 4, 8, 16, 32, 64, 128];

/// Rates that differ by no more than this share count as equal; the smaller node is then preferred.
const SAME: f64 = 1e-9;

/// The node size advised, and what it was chosen from.
#[derive(Debug, Clone, PartialEq)]
pub struct Advice {
    /// What was asked.
    pub usage: Usage,
    /// Clients, each of which waits for its accesses one after the other.
    pub clients: u32,
    /// The model that predicted.
    pub model: &'static str,
    /// Smallest and largest request measured, bytes; larger and smaller nodes are shown, never chosen.
    pub measured: [u32; 2],
    /// Smallest and largest number of requests in flight that was measured.
    pub measured_in_flight: [u32; 2],
    /// Every node size considered that takes the data, ascending.
    pub sizes: Vec<NodeCost>,
    /// Which of `sizes` is advised: the one with the most operations of the mix per second, within what was
    /// measured.
    pub chosen: usize,
    /// The best size, bytes, for each of [`Operation::ALL`] alone, with the mix's nodes in memory; `None`
    /// where the profile has no such requests.
    pub by_operation: [Option<u32>; 4],
    /// The best size for 1, 2, 4, ..., 128 clients.
    pub by_concurrency: Vec<BestAtClients>,
    /// The best size by each model that could be fitted, simplest first.
    pub by_model: Vec<BestByModel>,
    /// What the affine model says in closed form; `None` where it was not fitted to reads.
    pub affine: Option<AffineSizes>,
}

/// The best node size for a number of clients.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BestAtClients {
    /// Clients.
    pub clients: u32,
    /// The best node size, bytes.
    pub node_bytes: u32,
    /// Operations of the mix per second with it; `None` where the device sets no limit.
    pub mix_per_second: Option<Estimate>,
}

/// The best node size by one model.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BestByModel {
    /// The model's name.
    pub model: &'static str,
    /// The best node size, bytes.
    pub node_bytes: u32,
    /// Operations of the mix per second with it; `None` where the device sets no limit.
    pub mix_per_second: Option<Estimate>,
    /// Its mean error on held-out measurements, percent; `None` where none could be held out.
    pub error_percent: Option<f64>,
}

/// The affine model's best node sizes for reads, over whole pages and without memory.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct AffineSizes {
    /// Setup of a random read, microseconds.
    pub setup_us: f64,
    /// Transfer of a page, microseconds.
    pub transfer_us: f64,
    /// Pages of the node with the cheapest lookup.
    pub lookup_pages: u32,
    /// Pages of the node whose setup costs as much as its transfer: ranges read at half of the bandwidth.
    pub range_pages: u32,
}

impl Advice {
    /// Node sizes for `usage` by `clients` clients, on the device that the models of `comparison` were fitted
    /// to. Sizes are powers of two up to 4 MiB, from 512 bytes or the device's block where that is larger;
    /// `model` is a model's name, or `None` for the one that describes the device best.
    ///
    /// # Errors
    /// [`BTreeError`]: a number out of its range, requests that were not measured, a pair that no node takes.
    pub fn new(
        usage: &Usage,
        clients: u32,
        block_bytes: Option<u32>,
        comparison: &ModelComparison,
        model: Option<&str>,
    ) -> Result<Self, BTreeError> {
        usage.check()?;
        let predict = comparison.choose(model)?;
        let measured = measured(comparison)?;
        let in_flight = || comparison.observations.all.iter().map(|o| o.concurrency());
        let smallest = block_bytes.unwrap_or(0).clamp(NODE_BYTES[0], NODE_BYTES[1]).next_power_of_two();
        let question = Question { usage, measured, smallest };
        let sizes = question.sizes(clients, predict)?;
        let chosen = question.best(&sizes)?;
        let mut by_concurrency = Vec::new();
        for clients in CLIENTS {
            let sizes = question.sizes(clients, predict)?;
            let best = &sizes[question.best(&sizes)?];
            let (node_bytes, mix_per_second) = (best.node_bytes(), best.mix_per_second);
            by_concurrency.push(BestAtClients { clients, node_bytes, mix_per_second });
        }
        let by_model = comparison.models.iter().filter_map(|m| question.by(m, clients)).collect();
        let affine = comparison.get(Affine::NAME).and_then(|assessed| affine_sizes(usage, assessed));
        Ok(Advice {
            usage: *usage,
            clients,
            model: predict.name(),
            measured,
            measured_in_flight: [in_flight().min().unwrap_or(0), in_flight().max().unwrap_or(0)],
            by_operation: Operation::ALL.map(|operation| fastest(&sizes, operation)),
            sizes,
            chosen,
            by_concurrency,
            by_model,
            affine,
        })
    }

    /// The size advised.
    pub fn best(&self) -> &NodeCost {
        &self.sizes[self.chosen]
    }

    /// The next smaller and the next larger size than the one advised.
    pub fn neighbours(&self) -> [Option<&NodeCost>; 2] {
        let smaller = self.chosen.checked_sub(1).and_then(|at| self.sizes.get(at));
        [smaller, self.sizes.get(self.chosen + 1)]
    }

    /// A size beyond what was measured that the model takes for faster than the one advised.
    pub fn faster_unmeasured(&self) -> Option<&NodeCost> {
        let rate = self.best().rate() * (1.0 + SAME);
        let others = self.sizes.iter().filter(|size| !size.measured && size.rate() > rate);
        others.max_by(|a, b| a.rate().total_cmp(&b.rate()))
    }
}

/// What stays the same from one number of clients and one model to the next.
struct Question<'a> {
    usage: &'a Usage,
    measured: [u32; 2],
    smallest: u32,
}

impl Question<'_> {
    /// Every size that takes the data.
    fn sizes(&self, clients: u32, model: &dyn Predict) -> Result<Vec<NodeCost>, BTreeError> {
        let mut sizes = Vec::new();
        let mut node_bytes = self.smallest;
        while node_bytes <= NODE_BYTES[1] {
            match NodeCost::new(self.usage, node_bytes, clients, model, self.measured) {
                Ok(cost) => sizes.push(cost),
                Err(BTreeError::NodeTooSmall { .. }) if node_bytes < NODE_BYTES[1] => {}
                Err(error) => return Err(error),
            }
            node_bytes *= 2;
        }
        Ok(sizes)
    }

    /// Which of `sizes` is the fastest within what was measured; of equally fast ones the smallest.
    fn best(&self, sizes: &[NodeCost]) -> Result<usize, BTreeError> {
        let mut best: Option<usize> = None;
        for (at, size) in sizes.iter().enumerate().filter(|(_, size)| size.measured) {
            if best.is_none_or(|best| size.rate() > sizes[best].rate() * (1.0 + SAME)) {
                best = Some(at);
            }
        }
        let [low, high] = self.measured;
        let pair_bytes = self.usage.data.pair_bytes();
        best.ok_or(BTreeError::NothingMeasuredFits { low, high, pair_bytes })
    }

    /// The best size by one model; `None` where it was not fitted to what the mix needs.
    fn by(&self, assessed: &Assessment, clients: u32) -> Option<BestByModel> {
        let sizes = self.sizes(clients, assessed.fitted.as_deref()?).ok()?;
        let best = &sizes[self.best(&sizes).ok()?];
        Some(BestByModel {
            model: assessed.name,
            node_bytes: best.node_bytes(),
            mix_per_second: best.mix_per_second,
            error_percent: assessed.held_out.map(|held| held.percent),
        })
    }
}

/// The size within what was measured whose operation is the fastest; of equally fast ones the smallest.
fn fastest(sizes: &[NodeCost], operation: Operation) -> Option<u32> {
    let times = sizes
        .iter()
        .filter(|size| size.measured)
        .filter_map(|size| size.operation_us[operation as usize].map(|time| (size.node_bytes(), time.value)));
    times.reduce(|best, other| if other.1 < best.1 * (1.0 - SAME) { other } else { best }).map(|best| best.0)
}

/// The smallest and the largest request measured.
fn measured(comparison: &ModelComparison) -> Result<[u32; 2], BTreeError> {
    let blocks = || comparison.observations.all.iter().map(|o| o.workload.block_bytes);
    let (low, high) = (blocks().min().unwrap_or(0), blocks().max().unwrap_or(0));
    if low < high { Ok([low, high]) } else { Err(BTreeError::OneRequestSize { bytes: low }) }
}

fn affine_sizes(usage: &Usage, assessed: &Assessment) -> Option<AffineSizes> {
    let value = |name: &str| assessed.parameters.iter().find(|(p, _)| p.name == name).map(|(p, _)| p.value);
    let (setup_us, transfer_us) = (value("setup_read")?, value("transfer_read")?);
    let per_page = usage.fill * f64::from(PAGE_BYTES) / f64::from(usage.data.key_bytes + POINTER_BYTES);
    Some(AffineSizes {
        setup_us,
        transfer_us,
        lookup_pages: best_lookup_pages(setup_us / transfer_us, per_page)?,
        range_pages: half_bandwidth_pages(setup_us / transfer_us)?,
    })
}
