//! Rows of a sharded store: the id of each vertex, and one value, in the order of ids.

use leadline_files::NewFile;
use leadline_graph_store::tiles::ShardedIds;

use super::cells::{Cells, ColumnCells, RowWriter};
use super::columns::{RowColumn, RowValues, Rows};
use super::{BUFFER, Format, ROWS, binary, csv, graphalytics, parquet};
use crate::GraphError;
use crate::algorithm::Destination;
use crate::sharded::ShardedGraph;

/// Where rows go, in the making.
pub(crate) struct RankRows {
    ids: ShardedIds,
    name: &'static str,
    to: Sink,
}

enum Sink {
    Nowhere,
    File(Box<dyn RowWriter>),
    /// The ids, and the values.
    Memory(Vec<u64>, Cells),
}

impl RankRows {
    /// To be made before the work, so that a place that cannot be written is found out first.
    ///
    /// # Errors
    /// [`GraphError::Path`]: an ending that is no format, or a place that takes no file;
    /// [`GraphError::Memory`] where rows have no room in memory.
    pub(crate) fn create(
        graph: &ShardedGraph,
        to: &Destination,
        name: &'static str,
    ) -> Result<RankRows, GraphError> {
        let to = match to {
            Destination::Nowhere => Sink::Nowhere,
            Destination::Rows => {
                let (given, needed) = (graph.options().memory, 16 * graph.shards().vertices);
                if given < needed {
                    let what = "a row for each vertex in memory".into();
                    return Err(GraphError::Memory { what, given, needed });
                }
                Sink::Memory(Vec::new(), none(name))
            }
            Destination::File(path) => {
                let format = Format::of_ending(path).filter(|format| *format != Format::Text);
                let Some(format) = format else {
                    let what = "its ending is no known format; name a .csv, .parquet, .bin or .graphalytics";
                    return Err(GraphError::path(path, what));
                };
                let file = NewFile::with_capacity(BUFFER, path)?;
                let columns = columns(name, Vec::new(), none(name));
                Sink::File(match format {
                    Format::Parquet => Box::new(parquet::Writer::new(file, &columns)?),
                    Format::Binary => Box::new(binary::Writer::new(file)),
                    Format::Graphalytics => Box::new(graphalytics::Writer::new(file)),
                    _ => Box::new(csv::Writer::new(file, &columns)?),
                })
            }
        };
        Ok(RankRows { ids: graph.ids()?, name, to })
    }

    /// Appends the values of the vertices from a rank on.
    pub(crate) fn put_integers(
        &mut self,
        first: u64,
        values: impl Iterator<Item = i64>,
    ) -> Result<(), GraphError> {
        self.put(first, Cells::Integers(values.collect()))
    }

    /// Appends, for the vertices from a rank on, the ids of ranks.
    pub(crate) fn put_ranks(&mut self, first: u64, ranks: &[u64]) -> Result<(), GraphError> {
        let mut wanted = ranks.to_vec();
        wanted.sort_unstable();
        wanted.dedup();
        // In ascending order each page of ids is read once.
        let ids = wanted.iter().map(|rank| self.ids.id(*rank)).collect::<Result<Vec<u64>, _>>()?;
        let id = |rank: &u64| ids[wanted.partition_point(|wanted| wanted < rank)];
        self.put(first, Cells::Ids(ranks.iter().map(id).collect()))
    }

    fn put(&mut self, mut first: u64, values: Cells) -> Result<(), GraphError> {
        let count = values.len();
        let mut done = 0;
        while done < count {
            let now = (count - done).min(ROWS);
            let mut ids = Vec::with_capacity(now);
            while ids.len() < now {
                for run in self.ids.runs_from(first + ids.len() as u64)? {
                    let more = run.count.min((now - ids.len()) as u64);
                    ids.extend((0..more).map(|i| run.id + i));
                }
            }
            first += now as u64;
            let some = match &values {
                Cells::Integers(values) => Cells::Integers(values[done..done + now].to_vec()),
                Cells::Ids(values) => Cells::Ids(values[done..done + now].to_vec()),
                _ => unreachable!("levels and components are numbers"),
            };
            done += now;
            match &mut self.to {
                Sink::Nowhere => {}
                Sink::File(writer) => writer.put(&columns(self.name, ids, some))?,
                Sink::Memory(all_ids, all) => {
                    all_ids.append(&mut ids);
                    match (all, some) {
                        (Cells::Integers(all), Cells::Integers(mut some)) => all.append(&mut some),
                        (Cells::Ids(all), Cells::Ids(mut some)) => all.append(&mut some),
                        _ => unreachable!("a column has values of one kind"),
                    }
                }
            }
        }
        Ok(())
    }

    /// Ends the file, or the rows: the file's bytes, and the rows.
    pub(crate) fn finish(self) -> Result<(Option<u64>, Option<Rows>), GraphError> {
        match self.to {
            Sink::Nowhere => Ok((None, None)),
            Sink::File(writer) => Ok((Some(writer.finish()?), None)),
            Sink::Memory(ids, values) => {
                let optional = matches!(values, Cells::Ids(_));
                let values = match values {
                    Cells::Integers(values) => RowValues::Integers(values),
                    Cells::Ids(values) => RowValues::Ids(values),
                    _ => unreachable!("levels and components are numbers"),
                };
                let vertex = RowColumn::full("vertex", RowValues::Ids(ids));
                let column = RowColumn { name: self.name, optional, present: None, values };
                Ok((None, Some(Rows { columns: vec![vertex, column] })))
            }
        }
    }
}

/// No values of a column.
fn none(name: &str) -> Cells {
    if name == "level" { Cells::Integers(Vec::new()) } else { Cells::Ids(Vec::new()) }
}

fn columns(name: &'static str, ids: Vec<u64>, values: Cells) -> [ColumnCells; 2] {
    let optional = matches!(values, Cells::Ids(_));
    [
        ColumnCells { name: "vertex", optional: false, cells: Cells::Ids(ids) },
        ColumnCells { name, optional, cells: values },
    ]
}
