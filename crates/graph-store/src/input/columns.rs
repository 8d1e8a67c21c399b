//! Which columns of a text hold sources, targets and weights.

use leadline_text::{Column, Dialect, Kind, shown};

use super::chunks::Wrong;
use super::names::{Role, are_of_vertices, is_other_number, kinds_of_neo4j, role};
use super::{EdgeColumns, InputOptions};
use crate::InputOption;

/// The columns of edges, from 0.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Chosen {
    pub(super) source: usize,
    pub(super) target: usize,
    pub(super) weight: Option<usize>,
    pub(super) ignored: Vec<usize>,
}

/// The columns that an option names, else those whose names are known, else the first.
///
/// # Errors
/// Where that leaves a doubt, with the option that decides.
pub(super) fn choose(dialect: &Dialect, options: &InputOptions) -> Result<Chosen, Wrong> {
    let columns = Columns { dialect, options };
    let (source, target) = columns.ends()?;
    let weight = columns.weight(source, target)?;
    let ignored: Vec<usize> = (0..dialect.columns)
        .filter(|at| ![Some(source), Some(target), weight].contains(&Some(*at)))
        .collect();
    if !options.ignore_columns {
        columns.check_ignored(&ignored, weight)?;
    }
    Ok(Chosen { source, target, weight, ignored })
}

/// How a column is called in messages.
pub(super) fn name_of(dialect: &Dialect, column: usize) -> String {
    match dialect.header.as_ref().map(|names| names[column].as_str()) {
        Some(name) if !name.is_empty() => name.to_owned(),
        _ => (column + 1).to_string(),
    }
}

struct Columns<'a> {
    dialect: &'a Dialect,
    options: &'a InputOptions,
}

fn wrong(text: String, option: InputOption) -> Wrong {
    Wrong { text, option: Some(option) }
}

impl Columns<'_> {
    fn names(&self) -> Option<&[String]> {
        self.dialect.header.as_deref()
    }

    fn name(&self, column: usize) -> &str {
        self.names().map_or("", |names| names[column].as_str())
    }

    fn all_with(&self, wanted: Role) -> Vec<usize> {
        (0..self.dialect.columns).filter(|at| role(self.name(*at)) == Some(wanted)).collect()
    }

    fn given(&self, column: &Column, option: InputOption) -> Result<usize, Wrong> {
        column.place(self.names(), self.dialect.columns).map_err(|text| wrong(text, option))
    }

    /// The sources and the targets.
    fn ends(&self) -> Result<(usize, usize), Wrong> {
        let EdgeColumns { source, target, .. } = &self.options.columns;
        let source = source.as_ref().map(|name| self.given(name, InputOption::SourceColumn)).transpose()?;
        let target = target.as_ref().map(|name| self.given(name, InputOption::TargetColumn)).transpose()?;
        if let (Some(source), Some(target)) = (source, target) {
            if source == target {
                let text = format!("column {} is named as both the source and the target", source + 1);
                return Err(wrong(text, InputOption::TargetColumn));
            }
            return Ok((source, target));
        }
        if (source, target) == (None, None) {
            self.check_direction()?;
        }
        let one = |given: Option<usize>, wanted, option| match (given, self.all_with(wanted).as_slice()) {
            (Some(given), _) => Ok(Some(given)),
            (None, []) => Ok(None),
            (None, [one]) => Ok(Some(*one)),
            (None, [first, second, ..]) => {
                let (first, second) = (self.name(*first), self.name(*second));
                Err(wrong(
                    format!("both \"{first}\" and \"{second}\" may be the column that is meant"),
                    option,
                ))
            }
        };
        let source = one(source, Role::Source, InputOption::SourceColumn)?;
        let target = one(target, Role::Target, InputOption::TargetColumn)?;
        match (source, target) {
            (Some(source), Some(target)) => self.of_one_kind(source, target),
            (None, None) => self.first_two(),
            (Some(one), None) => Ok((one, self.other(one, "target", InputOption::TargetColumn)?)),
            (None, Some(one)) => Ok((self.other(one, "source", InputOption::SourceColumn)?, one)),
        }
    }

    /// Arcs lead from tail to head, facts of a knowledge graph from head to tail.
    fn check_direction(&self) -> Result<(), Wrong> {
        let has = |wanted: &str| {
            self.names().is_some_and(|names| names.iter().any(|name| name.to_lowercase() == wanted))
        };
        if has("head") && has("tail") {
            let text =
                "edges may lead from \"head\" to \"tail\" (as in knowledge graphs) or from \"tail\" to \
                        \"head\" (as arcs do); name both columns"
                    .to_owned();
            return Err(wrong(text, InputOption::SourceColumn));
        }
        Ok(())
    }

    /// Vertices of two kinds may have the same ids.
    fn of_one_kind(&self, source: usize, target: usize) -> Result<(usize, usize), Wrong> {
        match kinds_of_neo4j(self.name(source), self.name(target)) {
            None => Ok((source, target)),
            Some((from, to)) => {
                let text = format!(
                    "edges lead from {from} to {to}, whose ids may be the same and mean different vertices; where \
                     they are never the same, name both columns"
                );
                Err(wrong(text, InputOption::SourceColumn))
            }
        }
    }

    /// Names say nothing: the first two columns, or the first two behind one that numbers the lines.
    fn first_two(&self) -> Result<(usize, usize), Wrong> {
        let has_index =
            self.names().is_some_and(|names| names[0].is_empty() && names.len() > 2 && !names[1].is_empty());
        let (source, target) = if has_index { (1, 2) } else { (0, 1) };
        let (first, second) = (self.name(source), self.name(target));
        if are_of_vertices(first, second) {
            let text = format!(
                "columns \"{first}\" and \"{second}\" look like a list of vertices, not of edges; where they are \
                 the ends of edges, name both"
            );
            return Err(wrong(text, InputOption::SourceColumn));
        }
        self.check_third(source, target)?;
        Ok((source, target))
    }

    /// Where ids are names, another column of names may as well be an end of the edge: of triples the last
    /// is. And where the ends are of two kinds, another column may be of the kind of one.
    fn check_third(&self, source: usize, target: usize) -> Result<(), Wrong> {
        let kinds = &self.dialect.kinds;
        let ends = [kinds[source], kinds[target]];
        let is_known = |at: &usize| self.names().is_some() && (is_other_number(self.name(*at)) || *at == 0);
        let third = (0..self.dialect.columns)
            .filter(|at| ![source, target].contains(at) && !is_known(at))
            .find(|at| match ends {
                [Kind::Text, Kind::Text] => kinds[*at] == Kind::Text,
                [Kind::Integer, Kind::Text] | [Kind::Text, Kind::Integer] => ends.contains(&kinds[*at]),
                _ => false,
            });
        match third.filter(|_| !self.options.ignore_columns && self.options.columns.weight.is_none()) {
            None => Ok(()),
            Some(third) => {
                let [one, two, three] = [source, target, third].map(|at| name_of(self.dialect, at));
                let text = format!("columns {one}, {two} and {three} may each hold an end of the edge");
                Err(wrong(text, InputOption::SourceColumn))
            }
        }
    }

    /// The other end, where only one is known.
    fn other(&self, one: usize, what: &str, option: InputOption) -> Result<usize, Wrong> {
        if self.dialect.columns == 2 {
            return Ok(1 - one);
        }
        let text =
            format!("expected a column \"{what}\" next to \"{}\", found none", name_of(self.dialect, one));
        Err(wrong(text, option))
    }

    fn weight(&self, source: usize, target: usize) -> Result<Option<usize>, Wrong> {
        if let Some(column) = &self.options.columns.weight {
            return self.given(column, InputOption::WeightColumn).map(Some);
        }
        if !self.options.weights {
            return Ok(None);
        }
        let is_other = |at: &usize| ![source, target].contains(at);
        let named: Vec<usize> = self.all_with(Role::Weight).into_iter().filter(is_other).collect();
        let others: Vec<usize> = (0..self.dialect.columns).filter(is_other).collect();
        let may_hold = |at: &usize| {
            let is_index = self.names().is_some_and(|names| *at == 0 && names[0].is_empty());
            !is_index && self.dialect.kinds[*at] <= Kind::Number && !is_other_number(self.name(*at))
        };
        let numbers: Vec<usize> = others.iter().copied().filter(may_hold).collect();
        match (named.as_slice(), numbers.as_slice(), others.as_slice()) {
            ([one], ..) | ([], [one], _) => Ok(Some(*one)),
            // Without names what is there is the weight, right or wrong.
            ([], [], [one]) if self.names().is_none() => Ok(Some(*one)),
            ([], [], _) => Ok(None),
            (several @ [_, _, ..], ..) | ([], several, _) => {
                let names: Vec<String> = several.iter().map(|at| name_of(self.dialect, *at)).collect();
                let text = format!("columns {} may each hold the weight", names.join(" and "));
                Err(wrong(text, InputOption::WeightColumn))
            }
        }
    }

    /// What is left out must not be what somebody wants.
    fn check_ignored(&self, ignored: &[usize], weight: Option<usize>) -> Result<(), Wrong> {
        let ends_are_given = self.options.columns.source.is_some() && self.options.columns.target.is_some();
        for column in ignored {
            let name = self.name(*column);
            let is_index = *column == 0 && self.names().is_some() && name.is_empty();
            let called = match self.names() {
                Some(_) => format!("column {}, \"{name}\",", column + 1),
                None => format!("column {}", column + 1),
            };
            let (what, option) = match role(name) {
                Some(Role::Source | Role::Target) if !ends_are_given => {
                    ("looks like the end of another edge", InputOption::SourceColumn)
                }
                Some(Role::Weight) if weight.is_none() => ("looks like a weight", InputOption::IgnoredWeight),
                _ if is_index || weight.is_some() || is_other_number(name) => continue,
                _ if self.dialect.kinds[*column].is_numeric() => {
                    let what = if ignored.len() > 1 && self.names().is_none() {
                        "looks like a weight, or the end of another edge"
                    } else {
                        "looks like a weight"
                    };
                    (what, InputOption::IgnoredWeight)
                }
                _ => continue,
            };
            let example = self.dialect.first.get(*column).map_or("", String::as_str);
            let text =
                format!("{called} would be left out, and {what} (such as {})", shown(example.as_bytes()));
            return Err(wrong(text, option));
        }
        Ok(())
    }
}
