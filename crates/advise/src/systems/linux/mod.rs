//! Linux: the cost model of cgroups, the queue of the block layer, and dirty memory.

mod cost;
mod dirty;
mod files;
mod globs;
mod kernel;
mod queue;
mod reading;
mod scope;
mod subject;
mod together;

use std::path::Path;

use super::{Rules, Scoped};
use crate::{Advice, AdviseError, Config, Drive, File, Finding, Inputs, Setting, Value};

pub(crate) struct Linux;

impl Rules for Linux {
    fn title(&self) -> &'static str {
        "Linux"
    }

    fn versions(&self) -> &'static [&'static str] {
        &["5.4", "6"]
    }

    fn needs(&self) -> &'static [&'static str] {
        &["io-cost", "interleaving", "sustained"]
    }

    /// The cost model is written only: control groups of version 1 do not have it.
    fn is_provable(&self) -> bool {
        false
    }

    fn advise(&self, drive: &Drive, inputs: &Inputs, advice: &mut Advice) {
        advice.device = subject::named(&drive.profile().device, inputs).to_string();
        cost::add(drive, advice);
        queue::add(drive, advice);
        dirty::add(drive, inputs, advice);
    }

    fn files(&self, advice: &Advice) -> Vec<File> {
        files::write(advice)
    }

    fn read(&self, text: &str, path: &Path) -> Result<Config, AdviseError> {
        reading::read(text, path)
    }

    fn follows_variables(&self) -> bool {
        true
    }

    fn scoped(&self, config: &Config, drive: &Drive, inputs: &Inputs) -> Option<Scoped> {
        Some(scope::scoped(config, drive, inputs))
    }

    /// All numbers are plain.
    fn value(&self, setting: &Setting, text: &str) -> Option<Value> {
        let number = || text.parse::<f64>().ok().filter(|number| number.is_finite() && *number >= 0.0);
        match setting.value {
            Value::Word(_) => Some(Value::word(text)),
            Value::Bytes(_) => number().map(|bytes| Value::Bytes(bytes as u64)),
            _ => number().map(Value::Number),
        }
    }

    fn patterns(&self, config: &Config, advice: &Advice, drive: &Drive) -> Vec<Finding> {
        together::findings(config, advice, drive)
    }
}
