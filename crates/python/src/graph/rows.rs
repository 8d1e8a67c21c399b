//! Rows of the graph engine as Arrow's columns, without a copy.

use std::sync::Arc;

use arrow_array::{ArrayRef, Float64Array, Int64Array, LargeStringArray, UInt64Array};
use arrow_buffer::{BooleanBuffer, Buffer, NullBuffer, OffsetBuffer};
use leadline_graph::output::{RowColumn, RowValues, Rows};

use crate::table::Columns;

pub(super) fn columns(rows: Rows) -> Columns {
    let named = rows.columns.into_iter().map(|column| (column.name, array(column))).collect();
    Columns::of(named).expect("the columns are equally long")
}

/// Of a result that is in a file.
pub(super) fn no_columns() -> Columns {
    Columns::of(Vec::new()).expect("there is nothing to be of different lengths")
}

fn array(column: RowColumn) -> ArrayRef {
    let count = column.values.count();
    let present =
        column.present.map(|bits| NullBuffer::new(BooleanBuffer::new(Buffer::from_vec(bits), 0, count)));
    match column.values {
        RowValues::Integers(values) => Arc::new(Int64Array::new(values.into(), present)),
        RowValues::Doubles(values) => Arc::new(Float64Array::new(values.into(), present)),
        RowValues::Ids(values) => Arc::new(UInt64Array::new(values.into(), present)),
        RowValues::Texts(texts) => {
            let offsets = OffsetBuffer::new(texts.offsets.into());
            Arc::new(LargeStringArray::new(offsets, Buffer::from_vec(texts.bytes), present))
        }
        _ => unreachable!("there is no other kind of cell"),
    }
}
