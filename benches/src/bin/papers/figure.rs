//! A published figure beside ours, and the table of a drive.

/// How far off a figure may be.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Within {
    /// Percent.
    Percent(f64),
    /// Times larger or smaller.
    Factor(f64),
}

/// A number that was published, and what the simulated drive comes to.
#[derive(Debug, Clone)]
pub(crate) struct Figure {
    what: String,
    unit: &'static str,
    paper: f64,
    ours: f64,
    within: Option<Within>,
    /// Whether a parameter was set so that this comes out.
    fitted: bool,
}

impl Figure {
    /// A figure that no parameter was fitted to and that has no tolerance.
    pub(crate) fn new(what: impl Into<String>, unit: &'static str, paper: f64, ours: f64) -> Self {
        Figure { what: what.into(), unit, paper, ours, within: None, fitted: false }
    }

    /// A parameter was fitted to it.
    pub(crate) fn fitted(self) -> Self {
        Figure { fitted: true, ..self }
    }

    /// It may be off by so much.
    pub(crate) fn within(self, within: Within) -> Self {
        Figure { within: Some(within), ..self }
    }

    /// What the simulated drive comes to.
    pub(crate) fn ours(&self) -> f64 {
        self.ours
    }

    fn ratio(&self) -> f64 {
        self.ours / self.paper
    }

    /// Whether it is as near as it has to be; `None` where nothing was asked.
    fn holds(&self) -> Option<bool> {
        let ratio = self.ratio();
        self.within.map(|within| match within {
            Within::Percent(percent) => (ratio - 1.0).abs() * 100.0 <= percent,
            Within::Factor(factor) => (1.0 / factor..=factor).contains(&ratio),
        })
    }

    fn row(&self) -> String {
        let tolerance = match self.within {
            None => "–".to_owned(),
            Some(Within::Percent(percent)) => format!("{percent} %"),
            Some(Within::Factor(factor)) => format!("{factor} times"),
        };
        let verdict = match self.holds() {
            None => "",
            Some(true) => ", held",
            Some(false) => ", **missed**",
        };
        let fitted = if self.fitted { "fitted" } else { "predicted" };
        let (paper, ours) = (number(self.paper), number(self.ours));
        // `+ 0.0`: not "-0 %".
        let error = ((self.ratio() - 1.0) * 100.0).round() + 0.0;
        let gap = if self.unit.is_empty() { "" } else { " " };
        format!(
            "| {} | {paper}{gap}{} | {ours} | {error:+.0} % | {tolerance}{verdict} | {fitted} |",
            self.what, self.unit
        )
    }
}

fn number(value: f64) -> String {
    match value.abs() {
        v if v >= 100.0 => format!("{value:.0}"),
        v if v >= 10.0 => format!("{value:.1}"),
        _ => format!("{value:.2}"),
    }
}

/// The table of a drive; `parameters`: how many of its values were fitted.
pub(crate) fn print(name: &str, paper: &str, parameters: usize, figures: &[Figure]) {
    println!("### {name}: {paper}\n");
    println!("| figure | paper | ours | error | tolerance | |\n| --- | --- | --- | --- | --- | --- |");
    figures.iter().for_each(|figure| println!("{}", figure.row()));
    let predicted: Vec<&Figure> = figures.iter().filter(|figure| !figure.fitted).collect();
    let (held, asked) = count(figures.iter());
    let (held_predicted, asked_predicted) = count(predicted.iter().copied());
    println!(
        "\n{parameters} parameters were fitted to {} of {} figures; {} figures are predicted.\nTolerances held: \
         {held} of {asked}, of those predicted {held_predicted} of {asked_predicted}. Median error: {:.0} % of \
         all, {:.0} % of those predicted.\n",
        figures.len() - predicted.len(),
        figures.len(),
        predicted.len(),
        median_error(figures.iter()),
        median_error(predicted.iter().copied()),
    );
}

fn count<'a>(figures: impl Iterator<Item = &'a Figure>) -> (usize, usize) {
    let verdicts: Vec<bool> = figures.filter_map(Figure::holds).collect();
    (verdicts.iter().filter(|held| **held).count(), verdicts.len())
}

fn median_error<'a>(figures: impl Iterator<Item = &'a Figure>) -> f64 {
    let mut errors: Vec<f64> = figures.map(|figure| (figure.ratio() - 1.0).abs() * 100.0).collect();
    errors.sort_unstable_by(f64::total_cmp);
    let middle = [errors.len().saturating_sub(1) / 2, errors.len() / 2];
    middle.into_iter().filter_map(|at| errors.get(at)).sum::<f64>() / 2.0
}
