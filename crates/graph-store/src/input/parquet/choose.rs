//! Which columns have the sources, the targets and the weights.

use leadline_text::Column;
use parquet::basic::{ConvertedType, LogicalType, Type as Physical};
use parquet::schema::types::ColumnDescriptor;

use crate::input::EdgeColumns;
use crate::input::names::{Role, role};

/// Where an option names a column.
fn given(columns: &[&ColumnDescriptor], column: Option<&Column>) -> Result<Option<usize>, String> {
    let names: Vec<String> = columns.iter().map(|column| column.path().string()).collect();
    column.map(|column| column.place(Some(&names), columns.len())).transpose()
}

/// Source and target: as options name them, by name, else the first two columns of integers, else the first
/// two of strings.
pub(super) fn choose(columns: &[&ColumnDescriptor], options: &EdgeColumns) -> Result<(usize, usize), String> {
    let [source, target] =
        [given(columns, options.source.as_ref())?, given(columns, options.target.as_ref())?];
    let flat = |index: &usize| columns[*index].max_rep_level() == 0;
    let named =
        |wanted| (0..columns.len()).filter(flat).find(|index| role(columns[*index].name()) == Some(wanted));
    let of = |kinds: &[Physical]| {
        let mut fitting =
            (0..columns.len()).filter(flat).filter(|at| kinds.contains(&columns[*at].physical_type()));
        fitting.next().zip(fitting.next())
    };
    let integers = [Physical::INT32, Physical::INT64];
    let pair = source.or_else(|| named(Role::Source)).zip(target.or_else(|| named(Role::Target)));
    let pair = pair.filter(|(source, target)| source != target);
    if pair.is_none() && (source.is_some() || target.is_some()) {
        return Err("expected two columns, a source and a target; name both".to_owned());
    }
    let pair = pair.or_else(|| of(&integers)).or_else(|| of(&[Physical::BYTE_ARRAY]));
    let Some((source, target)) = pair else {
        let names: Vec<&str> = columns.iter().map(|column| column.name()).collect();
        return Err(format!(
            "expected a column \"source\" and one \"target\", or two of integers, found {}",
            names.join(", ")
        ));
    };
    let [first, second] = [source, target].map(|index| columns[index].physical_type());
    let fit = integers.contains(&first) && integers.contains(&second)
        || first == Physical::BYTE_ARRAY && second == Physical::BYTE_ARRAY;
    if !fit {
        let (source, target) = (columns[source].name(), columns[target].name());
        return Err(format!(
            "expected integers or strings in its columns \"{source}\" and \"{target}\", found {first} and {second}"
        ));
    }
    Ok((source, target))
}

/// The column of vertices.
pub(super) fn choose_vertex(columns: &[&ColumnDescriptor]) -> Result<usize, String> {
    let kinds = [Physical::INT32, Physical::INT64, Physical::BYTE_ARRAY];
    let fits = |column: &&ColumnDescriptor| {
        column.name() == "vertex" && column.max_rep_level() == 0 && kinds.contains(&column.physical_type())
    };
    let found = columns.iter().position(fits);
    found.ok_or_else(|| "expected a column \"vertex\" of integers or strings".to_owned())
}

/// Whether a column is called as weights are.
pub(super) fn is_weight(column: &&ColumnDescriptor) -> bool {
    role(column.name()) == Some(Role::Weight)
}

/// The column of weights: as an option names it, by name, else the only numbers next to source and target.
pub(super) fn choose_weight(
    columns: &[&ColumnDescriptor],
    source: usize,
    target: usize,
    options: &EdgeColumns,
) -> Result<Option<usize>, String> {
    if let Some(weight) = given(columns, options.weight.as_ref())? {
        return Ok(Some(weight));
    }
    let kinds = [Physical::INT32, Physical::INT64, Physical::FLOAT, Physical::DOUBLE];
    let fits = |at: &usize| {
        ![source, target].contains(at)
            && columns[*at].max_rep_level() == 0
            && kinds.contains(&columns[*at].physical_type())
    };
    let named = |at: &usize| role(columns[*at].name()) == Some(Role::Weight);
    let mut all = (0..columns.len()).filter(fits);
    Ok(all.clone().find(named).or_else(|| all.find(|at| *at > source.max(target))))
}

pub(super) fn is_unsigned(column: &ColumnDescriptor) -> bool {
    let converted = matches!(
        column.converted_type(),
        ConvertedType::UINT_8 | ConvertedType::UINT_16 | ConvertedType::UINT_32 | ConvertedType::UINT_64
    );
    converted || matches!(column.logical_type_ref(), Some(LogicalType::Integer(kind)) if !kind.is_signed)
}
