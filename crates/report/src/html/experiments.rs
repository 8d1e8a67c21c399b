//! The page's sections on experiments that no model is fitted to.

use leadline_profile::{DeviceProfile, Experiments, Procedure};
use serde::Serialize;

use super::amplification_charts::AmplificationChart;
use super::burst_chart::BurstChart;
use super::channels_chart::ChannelsChart;
use super::device_charts::DeviceCharts;
use super::durability_charts::{CommitChart, SyncChart};
use super::for_settings_charts::{CostChart, DurableChart, MixChart};
use super::gc_chart::GcChart;
use super::sustained_charts::SustainedChart;
use crate::{amplification, burst, channels, durability, for_settings, gc, inside, sustained};

/// What the scripts draw.
#[derive(Debug, Serialize)]
pub(super) struct ExperimentCharts {
    devices: Option<DeviceCharts>,
    burst: Option<BurstChart>,
    fsync: Option<CommitChart>,
    sync_methods: Option<SyncChart>,
    write_amplification: Option<AmplificationChart>,
    gc: Option<GcChart>,
    sustained: Option<SustainedChart>,
    channels: Option<ChannelsChart>,
    mix_line: Option<Vec<MixChart>>,
    durable_writes: Option<DurableChart>,
    io_cost: Option<CostChart>,
}

/// What the template writes: sentences of each experiment that was run.
#[derive(Debug, Serialize)]
pub(super) struct ExperimentWords {
    buffer: Option<Vec<String>>,
    disturb: Option<Vec<String>>,
    burst: Option<Vec<String>>,
    fsync: Option<Vec<String>>,
    sync_methods: Option<Vec<String>>,
    write_amplification: Option<AmplificationWords>,
    gc: Option<Vec<String>>,
    sustained: Option<SustainedWords>,
    channels: Option<Vec<String>>,
    mix_line: Option<MixWords>,
    durable_writes: Option<Vec<String>>,
    io_cost: Option<CostWords>,
}

/// The sentences, and whether reads and writes were measured together.
#[derive(Debug, Serialize)]
struct MixWords {
    said: Vec<String>,
    drawn: bool,
}

/// The sentences, and a row for each rate: its name, the rate, what it is of.
#[derive(Debug, Serialize)]
struct CostWords {
    said: Vec<String>,
    rows: Vec<[String; 3]>,
}

/// The sentences, and whether reads were measured beside writes.
#[derive(Debug, Serialize)]
struct SustainedWords {
    said: Vec<String>,
    latencies: bool,
}

/// The sentences, and whether several fill levels were measured.
#[derive(Debug, Serialize)]
struct AmplificationWords {
    said: Vec<String>,
    fills: bool,
}

impl ExperimentCharts {
    pub(super) fn new(profile: &DeviceProfile) -> ExperimentCharts {
        let Experiments {
            burst,
            fsync,
            sync_methods,
            write_amplification,
            gc,
            sustained,
            channels,
            mix_line,
            durable_writes,
            io_cost,
            ..
        } = &profile.experiments;
        ExperimentCharts {
            devices: DeviceCharts::new(profile),
            burst: burst.as_ref().map(BurstChart::new),
            fsync: fsync.as_ref().map(CommitChart::new),
            sync_methods: sync_methods.as_ref().map(SyncChart::new),
            write_amplification: write_amplification.as_ref().map(AmplificationChart::new),
            gc: gc.as_ref().and_then(GcChart::new),
            sustained: sustained.as_ref().map(SustainedChart::new),
            channels: channels.as_ref().and_then(ChannelsChart::new),
            mix_line: mix_line.as_ref().map(MixChart::all),
            durable_writes: durable_writes.as_ref().map(DurableChart::new),
            io_cost: io_cost.as_ref().map(CostChart::new),
        }
    }

    /// Those of the drive as such, where any was made.
    pub(super) fn devices(&self) -> Option<&DeviceCharts> {
        self.devices.as_ref()
    }
}

impl ExperimentWords {
    pub(super) fn new(profile: &DeviceProfile) -> ExperimentWords {
        let Experiments {
            buffer,
            read_disturb,
            burst,
            fsync,
            sync_methods,
            write_amplification,
            gc,
            sustained,
            channels,
            mix_line,
            durable_writes,
            io_cost,
            ..
        } = &profile.experiments;
        ExperimentWords {
            buffer: buffer.as_ref().map(|found| with_notes(inside::buffer(found), &found.procedure)),
            disturb: read_disturb.as_ref().map(|found| with_notes(inside::disturb(found), &found.procedure)),
            burst: burst.as_ref().map(|found| with_notes(burst::summary(found), &found.procedure)),
            fsync: fsync.as_ref().map(|found| {
                let first = format!("Measured: {}.", durability::appends(found));
                with_notes(vec![durability::etcd_rule(found), first], &found.procedure)
            }),
            sync_methods: sync_methods
                .as_ref()
                .map(|found| with_notes(durability::fastest(found), &found.procedure)),
            write_amplification: write_amplification.as_ref().map(|found| AmplificationWords {
                said: with_notes(amplification::summary(found), &found.procedure),
                fills: AmplificationChart::new(found).has_fills(),
            }),
            gc: gc.as_ref().map(|found| with_notes(gc::summary(found), &found.procedure)),
            sustained: sustained.as_ref().map(|found| SustainedWords {
                said: with_notes(sustained::summary(found), &found.procedure),
                latencies: SustainedChart::new(found).has_latencies(),
            }),
            channels: channels.as_ref().map(|found| with_notes(channels::summary(found), &found.procedure)),
            mix_line: mix_line.as_ref().map(|work| MixWords {
                said: with_notes(for_settings::mix_line(work), &work.procedure),
                drawn: !MixChart::all(work).is_empty(),
            }),
            durable_writes: durable_writes
                .as_ref()
                .map(|found| with_notes(for_settings::durable_writes(found), &found.procedure)),
            io_cost: io_cost.as_ref().map(|found| CostWords {
                said: with_notes(for_settings::io_cost(found), &found.procedure),
                rows: for_settings::rate_rows(found),
            }),
        }
    }
}

/// With what was left out, and whether it was cut short.
fn with_notes(mut words: Vec<String>, procedure: &Procedure) -> Vec<String> {
    words.extend(procedure.notes.iter().map(|note| format!("Note: {note}.")));
    words.extend(procedure.stopped_by.iter().map(|reason| format!("PARTIAL: cut short by {reason}.")));
    words
}
