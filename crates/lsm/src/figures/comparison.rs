//! What a comparison of predictions with measurements comes to, in sentences.

use leadline_figures::number::counted;

use crate::validate::{Choice, Comparison, Errors, LayoutName, Order};

/// The errors of each kind of cells, then how many pairs of them are predicted in their order, then the
/// layouts chosen for each mix: one sentence each, without a full stop.
pub fn comparison_sentences(comparison: &Comparison) -> Vec<String> {
    let errors = comparison.errors.iter().map(error);
    let sentences = errors.chain(comparison.orders.iter().map(order));
    sentences.chain(comparison.choices.iter().map(choice)).collect()
}

/// `12.3 %`, from a share.
pub(super) fn percent(share: f64) -> String {
    format!("{:.1} %", share * 100.0)
}

fn error(Errors { kind, median, mean, largest }: &Errors) -> String {
    format!(
        "Error of {}: {} in the median, {} on average, {} at most",
        kind.words(),
        percent(*median),
        percent(*mean),
        percent(*largest)
    )
}

fn order(Order { kind, pairs, right }: &Order) -> String {
    match pairs {
        0 => format!("Order of {}: no two measured intervals are apart", kind.words()),
        _ => format!(
            "Order of {}: {right} of {pairs} pairs whose measured intervals are apart are predicted correctly",
            kind.words()
        ),
    }
}

fn choice(Choice { mix, clients, predicted, measured, regret }: &Choice) -> String {
    let layout =
        |(name, jobs): &(LayoutName, u32)| format!("{name} with {}", counted((*jobs).into(), "thread"));
    let by = format!(
        "For {mix} by {}, predictions choose {}",
        counted((*clients).into(), "client"),
        layout(predicted)
    );
    match predicted == measured {
        true => format!("{by}, as measurements do"),
        false => format!(
            "{by}, and measurements {}; with the former an operation takes {} longer",
            layout(measured),
            percent(*regret)
        ),
    }
}
