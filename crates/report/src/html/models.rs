//! The page's section on I/O models: every model is fitted once, here, and drawn from what comes out.

use leadline_model::{ModelComparison, Observations};
use leadline_profile::DeviceProfile;
use serde::Serialize;

use super::experiment_charts::{self, LoadChart, Mixed, Surface};
use super::model_charts::{self, Residual, Throughput};
use super::speedup_charts::{self, MeasuredClass, Speedup};
use crate::model_words::{self, Errors, Sorted};
use crate::sentences::is_published;

/// Words, tables and charts of the section.
#[derive(Debug, Default)]
pub(super) struct Models {
    pub(super) words: Option<Words>,
    pub(super) charts: ModelCharts,
}

/// What the template writes; absent where nothing was fitted.
#[derive(Debug, Serialize)]
pub(super) struct Words {
    points: usize,
    errors: Vec<Errors>,
    classes: Vec<&'static str>,
    chosen: String,
    needs: Vec<String>,
    remarks: Vec<String>,
    best: Option<&'static str>,
    parameters: Sorted,
}

/// What the scripts draw.
#[derive(Debug, Default, Serialize)]
pub(super) struct ModelCharts {
    /// Fitted models, simplest first.
    names: Vec<&'static str>,
    best: Option<&'static str>,
    throughput: Vec<Throughput>,
    residuals: Vec<Residual>,
    surfaces: Vec<Surface>,
    mixed: Vec<Mixed>,
    loads: Vec<LoadChart>,
    speedup: Option<Speedup>,
    classes: Vec<MeasuredClass>,
}

/// Which charts there are.
#[derive(Debug, Serialize)]
pub(super) struct Has {
    throughput: bool,
    residuals: bool,
    surfaces: bool,
    mixed: bool,
    loads: bool,
    speedup: bool,
    classes: bool,
}

impl Models {
    /// Fits all models: it takes up to a second. `None` where there is nothing to fit to: neither two
    /// concurrencies, nor an experiment of the models', nor published numbers.
    pub(super) fn new(profile: &DeviceProfile) -> Option<Models> {
        let observations = Observations::from_profile(profile);
        if is_published(profile) {
            let speedup = speedup_charts::numbers(&observations).map(|n| speedup_charts::speedups(&n))?;
            return Some(Models {
                charts: ModelCharts { speedup: Some(speedup), ..ModelCharts::default() },
                ..Models::default()
            });
        }
        let mut ks = profile.points.iter().map(|p| p.concurrency);
        let several = ks.next().is_some_and(|first| ks.any(|k| k != first));
        let e = &profile.experiments;
        let fitted_to =
            e.r_by_k.is_some() || e.mixed.is_some() || e.ladder.is_some() || e.pio_classes.is_some();
        if !several && !fitted_to {
            return None;
        }
        let comparison = ModelComparison::new(observations);
        let charts = ModelCharts::new(profile, &comparison);
        Some(Models { words: Some(Words::new(&comparison)), charts })
    }
}

impl Words {
    fn new(comparison: &ModelComparison) -> Words {
        let best = comparison.best.and_then(|name| comparison.get(name));
        Words {
            points: comparison.observations.all.len(),
            errors: model_words::errors(comparison),
            classes: leadline_model::WorkloadClass::ALL.map(leadline_model::WorkloadClass::name).to_vec(),
            chosen: model_words::chosen(comparison),
            needs: model_words::unmet_needs(comparison),
            remarks: model_words::remarks(comparison),
            best: comparison.best,
            parameters: best.map(|m| model_words::sorted(&m.parameters)).unwrap_or_default(),
        }
    }
}

impl ModelCharts {
    fn new(profile: &DeviceProfile, comparison: &ModelComparison) -> ModelCharts {
        let e = &profile.experiments;
        let numbers = speedup_charts::numbers(&comparison.observations);
        ModelCharts {
            names: model_charts::names(comparison),
            best: comparison.best,
            throughput: model_charts::throughput(comparison),
            residuals: model_charts::residuals(comparison),
            surfaces: e
                .r_by_k
                .as_ref()
                .map(|work| experiment_charts::surfaces(work, comparison))
                .unwrap_or_default(),
            mixed: e
                .mixed
                .as_ref()
                .map(|work| experiment_charts::mixed(work, comparison))
                .unwrap_or_default(),
            loads: e.ladder.as_ref().map(experiment_charts::loads).unwrap_or_default(),
            speedup: numbers.as_ref().map(speedup_charts::speedups),
            classes: e
                .pio_classes
                .as_ref()
                .map(|classes| speedup_charts::measured(classes, numbers.as_ref(), comparison.best()))
                .unwrap_or_default(),
        }
    }

    pub(super) fn has(&self) -> Has {
        Has {
            throughput: !self.throughput.is_empty(),
            residuals: !self.residuals.is_empty(),
            surfaces: !self.surfaces.is_empty(),
            mixed: !self.mixed.is_empty(),
            loads: !self.loads.is_empty(),
            speedup: self.speedup.is_some(),
            classes: !self.classes.is_empty(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::{one_point, published_profile, reads_only, sample_profile, studied_profile};

    #[test]
    fn there_is_a_section_where_there_is_something_to_fit_to() {
        assert!(Models::new(&DeviceProfile::default()).is_none());
        assert!(Models::new(&one_point()).is_none());
        let plain = Models::new(&sample_profile()).expect("curves");
        let has = plain.charts.has();
        assert!(has.throughput && has.residuals && has.speedup && !has.surfaces && !has.loads);
        assert!(!Models::new(&reads_only()).expect("a curve").charts.has().speedup, "no writes, no alpha");
        let has = Models::new(&studied_profile()).expect("experiments").charts.has();
        assert!(has.surfaces && has.mixed && has.loads && has.classes);
        let mut only_experiments = studied_profile();
        only_experiments.points.clear();
        assert!(Models::new(&only_experiments).is_some());
    }

    #[test]
    fn published_numbers_show_the_speedup_alone() {
        let published = Models::new(&published_profile()).expect("PIO's numbers");
        assert!(published.words.is_none());
        let has = published.charts.has();
        assert!(has.speedup && !has.throughput && !has.residuals);
    }
}
