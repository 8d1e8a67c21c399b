//! Weights that are attributes of edges.

use leadline_text::Column;

use super::chunks::Wrong;
use super::names::{Role, role};
use super::summary::InputSummary;
use super::{EdgeColumns, InputOptions};
use crate::InputOption;

/// Which attribute is the weight, and what was seen of weights.
#[derive(Debug, Clone, Default)]
pub(super) struct WeightOf {
    named: Option<String>,
    pub(super) wanted: bool,
    /// An edge had one that was not wanted.
    left_out: bool,
}

impl WeightOf {
    pub(super) fn new(options: &InputOptions) -> Result<WeightOf, Wrong> {
        let EdgeColumns { weight, .. } = &options.columns;
        let named = match weight {
            None => None,
            Some(Column::Name(name)) => Some(name.clone()),
            Some(Column::Number(_)) => {
                let text = "attributes have no numbers; give the name of the weight".to_owned();
                return Err(Wrong { text, option: Some(InputOption::WeightColumn) });
            }
        };
        Ok(WeightOf { named, wanted: options.weights, left_out: false })
    }

    /// Whether an attribute of this name is the weight.
    pub(super) fn is(&self, name: &str) -> bool {
        match &self.named {
            Some(named) => named == name,
            None => role(name) == Some(Role::Weight),
        }
    }

    /// An edge had a weight that was not wanted.
    pub(super) fn leave_out(&mut self) {
        self.left_out = true;
    }

    /// What an edge lacks.
    pub(super) fn missing(&self) -> Wrong {
        let name = self.named.as_deref().unwrap_or("weight");
        format!("expected a \"{name}\" of the edge, found none").into()
    }

    pub(super) fn tell(&self, summary: &mut InputSummary) {
        if self.left_out {
            summary.notes.push("its weights were not kept".to_owned());
        }
    }
}
