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

use leadline_profile::DeviceProfile;

use super::{Rules, Scoped};
use crate::keys::Keys;
use crate::meaning::Meaning;
use crate::{Advice, AdviseError, Config, Drive, File, Finding, Inputs, Setting, Value};

pub(crate) struct Linux;

impl Rules for Linux {
    fn title(&self) -> &'static str {
        "Linux"
    }

    fn versions(&self) -> &'static [&'static str] {
        &kernel::VERSIONS
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
        if kernel::has_cost(advice.version) {
            cost::add(drive, advice);
        } else {
            advice.notes.push("io.cost is of Linux 5.4 and later".to_owned());
        }
        queue::add(drive, inputs, advice);
        dirty::add(drive, inputs, advice);
    }

    fn files(&self, advice: &Advice) -> Vec<File> {
        files::write(advice)
    }

    fn read(&self, text: &str, path: &Path) -> Result<Config, AdviseError> {
        reading::read(text, path)
    }

    fn reads_together(&self, name: &str) -> bool {
        let endings = [".rules", ".hwdb", ".conf"];
        endings.iter().any(|ending| name.ends_with(ending)) && !name.starts_with('.')
    }

    fn follows_variables(&self) -> bool {
        true
    }

    fn scoped(&self, config: &Config, drive: &Drive, inputs: &Inputs) -> Option<Scoped> {
        Some(scope::scoped(config, drive, inputs))
    }

    /// All numbers are plain; only percentages of the controller have fractions.
    fn value(&self, setting: &Setting, text: &str) -> Option<Value> {
        let digits = text.strip_prefix('+').unwrap_or(text);
        let is_whole = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
        match setting.value {
            // Names of modules, in which case counts.
            Value::Word(_) if text.bytes().any(|byte| byte.is_ascii_uppercase()) => None,
            Value::Word(_) => Some(Value::word(queue::counterpart(text).unwrap_or(text))),
            Value::Bytes(_) if is_whole => digits.parse().ok().map(Value::Bytes),
            Value::Number(_) if is_whole || setting.unit == "percent" => {
                let is_plain = text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
                text.parse::<f64>().ok().filter(|_| is_plain || is_whole).map(Value::Number)
            }
            _ => None,
        }
    }

    fn keys(&self, version: &str) -> Option<&'static Keys> {
        kernel::keys(version)
    }

    fn meanings(&self) -> &'static [Meaning] {
        &queue::MEANINGS
    }

    /// Files of sysctl.d, udev rules and the cost model are files of their own.
    fn could_have(&self, config: &Config, key: &str) -> bool {
        let kind = |key: &str| key.split(['.', '/']).next().unwrap_or_default().to_owned();
        config.entries.iter().any(|entry| kind(&entry.key) == kind(key))
    }

    fn if_refused(&self) -> &'static str {
        "the kernel refuses this, and keeps the old value"
    }

    fn version_told(&self, profile: &DeviceProfile) -> Option<String> {
        profile.device.kernel.clone()
    }

    fn patterns(&self, config: &Config, advice: &Advice, drive: &Drive) -> Vec<Finding> {
        together::findings(config, advice, drive)
    }
}
