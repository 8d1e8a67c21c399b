//! Communities as an algorithm that is asked for: what they need, cost, and look like.

use std::path::{Path, PathBuf};

use super::{Communities, CommunityOptions, LevelCommunities, MemoryPlan, Method};
use crate::algorithm::{
    Algorithm, AlgorithmOption, Call, Definition, Job, Needs, OptionKind, Ran, TableShape, Within,
};
use crate::estimate::{Blocks, Passes, Spilled};
use crate::output::{Column, Output, Values, grouped, outcome, vertex_table};
use crate::{Graph, GraphError};

/// Most passes of all levels together where not all blocks fit: more than graphs of random edges and grids
/// took with hardly any cache. Grids whose ids are at random take more.
const MOST_PASSES: u64 = 100;

/// Most bytes that an entry moves to temporary files over all levels: 16 for the sort, written and read, and
/// as many in the store of each of some levels.
const MOST_ENTRY_BYTES: u64 = 128;

vertex_table!(Communities { communities: "community" Ranks }, spills: false);

outcome!(
    Communities,
    found: { "communities": found.count, "modularity": found.modularity, "levels": found.levels },
    {
        let counts: Vec<String> = found.levels.iter().map(|level| grouped(level.communities)).collect();
        let levels = match counts.as_slice() {
            [] => "no level".to_owned(),
            [one] => format!("1 level ({one})"),
            several => format!("{} levels ({})", several.len(), several.join(", ")),
        };
        format!("{} communities of modularity {:.6}; {levels}", grouped(found.count), found.modularity)
    }
);

const OPTIONS: &[AlgorithmOption] = &[
    AlgorithmOption::new(
        "resolution",
        "R",
        OptionKind::F64(Within {
            holds: |resolution| resolution.is_finite() && resolution > 0.0,
            must: "must be a number above 0, such as 1 or 0.5",
        }),
        "Above 0; larger values make more and smaller communities",
    )
    .or("1"),
    AlgorithmOption::new(
        "seed",
        "N",
        OptionKind::U64(0, u64::MAX),
        "Seed of the order in which vertices move: the same seed gives the same result",
    )
    .or("1"),
    AlgorithmOption::new(
        "max-levels",
        "N",
        OptionKind::U32(1, u32::MAX),
        "Most levels [default: as many as it takes]",
    ),
    AlgorithmOption::new(
        "levels",
        "DIR",
        OptionKind::Folder,
        "Also write each level's communities into this directory, as level-1.csv, level-2.csv and so on",
    ),
];

pub(crate) static LOUVAIN: Definition = Definition {
    name: "louvain",
    about: "Communities of high modularity (Louvain)",
    examples: "\
Examples:
  leadline graph louvain web.store --seed 7 -o communities.parquet

The seed decides the result; the number of threads does not. The store needs lists of incoming edges \
(`leadline graph import --reverse`) unless it is undirected.",
    options: OPTIONS,
    one_of: &[],
    make: |call| make(call, Method::Louvain),
};

pub(crate) static LEIDEN: Definition = Definition {
    name: "leiden",
    about: "Communities of high modularity, each connected (Leiden)",
    examples: "\
Examples:
  leadline graph leiden web.store --seed 7 -o communities.parquet

The seed decides the result; the number of threads does not. The store needs lists of incoming edges \
(`leadline graph import --reverse`) unless it is undirected.",
    options: OPTIONS,
    one_of: &[],
    make: |call| make(call, Method::Leiden),
};

fn make(call: &mut Call<'_>, method: Method) -> Result<Box<dyn Algorithm>, GraphError> {
    let usual = CommunityOptions::default();
    let options = CommunityOptions {
        resolution: call.double("resolution").unwrap_or(usual.resolution),
        seed: call.number("seed").unwrap_or(usual.seed),
        max_levels: call.number("max-levels").unwrap_or(usual.max_levels),
    };
    Ok(Box::new(CommunitiesRun { method, options, levels: call.path("levels").map(Path::to_owned) }))
}

/// [`Graph::louvain`] or [`Graph::leiden`].
#[derive(Debug, Clone)]
pub struct CommunitiesRun {
    /// Which of them.
    pub method: Method,
    /// How communities are looked for.
    pub options: CommunityOptions,
    /// The directory for each level's communities, if they are wanted.
    pub levels: Option<PathBuf>,
}

impl CommunitiesRun {
    /// Without files of levels.
    pub fn new(method: Method, options: CommunityOptions) -> CommunitiesRun {
        CommunitiesRun { method, options, levels: None }
    }

    /// Makes the directory of levels, so that a place that cannot be written is found out first.
    fn make_folder(&self) -> Result<(), GraphError> {
        let Some(folder) = &self.levels else { return Ok(()) };
        std::fs::create_dir_all(folder).map_err(|error| {
            GraphError::path(folder, format!("no directory can be made there ({error}); name another"))
        })
    }

    /// Writes a level's communities, if that is wanted.
    fn write_level(
        &self,
        graph: &Graph,
        level: u32,
        communities: LevelCommunities<'_>,
    ) -> Result<(), GraphError> {
        let Some(folder) = &self.levels else { return Ok(()) };
        let output = Output::create(&folder.join(format!("level-{level}.csv")), graph)?;
        let values = Values::Ranks(communities()?.into());
        output.write(graph, &[Column { name: "community", values }]).map(drop)
    }
}

impl Algorithm for CommunitiesRun {
    fn name(&self) -> &'static str {
        self.method.what()
    }

    fn needs(&self) -> Needs {
        Needs::REVERSE
    }

    fn table(&self) -> Option<TableShape> {
        Some(TableShape::of::<Communities>())
    }

    fn state_bytes(&self, graph: &Graph, memory: u64) -> u64 {
        MemoryPlan::new(graph, self.method, memory).bytes
    }

    fn scans(&self) -> bool {
        true
    }

    /// A pass for degrees, and one at least to move vertices; another one aggregates, if any moves.
    fn reads(&self, blocks: &Blocks<'_>) -> [u64; 2] {
        let mut passes = blocks.passes();
        passes.repeat(2, Passes::pass_all);
        let most = blocks.again(blocks.all(), MOST_PASSES).max(passes.read);
        [blocks.all().min(passes.read), most]
    }

    /// The sort that aggregates may write every entry once, and one level after the other may be a store.
    fn spilled(&self, blocks: &Blocks<'_>) -> Option<Spilled> {
        if MemoryPlan::new(blocks.graph, self.method, blocks.memory()).all_in_memory {
            return None;
        }
        let header = blocks.graph.header();
        let entries = header.edges.saturating_mul(if header.directed { 2 } else { 1 });
        Some(Spilled { blocks: self.reads(blocks), bytes: [0, entries.saturating_mul(MOST_ENTRY_BYTES)] })
    }

    fn run(&self, graph: &Graph, job: &Job) -> Result<Ran, GraphError> {
        self.make_folder()?;
        let each_level =
            |level, communities: LevelCommunities<'_>| self.write_level(graph, level, communities);
        job.table(graph, None, || match self.method {
            Method::Louvain => graph.louvain(&self.options, each_level),
            Method::Leiden => graph.leiden(&self.options, each_level),
        })
    }
}
