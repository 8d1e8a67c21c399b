//! What is advised for one system.

use leadline_profile::DeviceProfile;
use serde::Serialize;

use crate::{Setting, System, Unmeasured};

/// The settings of one system for one device.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Advice {
    /// For which system.
    pub system: System,
    /// For which version of it: one of [`System::versions`].
    pub version: &'static str,
    /// Keys that other versions do not have, or for which they are advised other values, where nobody said
    /// which version it is: a server of another version may not start with these settings.
    pub differing: Vec<&'static str>,
    /// The device: its name, and its model where that is known.
    pub device: String,
    /// Whether `leadline prove` can check the advice by running the system.
    pub provable: bool,
    /// What to set, in the order in which it is best read.
    pub settings: Vec<Setting>,
    /// What the profile does not tell.
    pub missing: Vec<Missing>,
    /// What else is to be said, one sentence each: a verdict, a warning, what was left at its default and
    /// why.
    pub notes: Vec<String>,
}

/// A key for which something was not measured.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Missing {
    /// As the system spells it.
    pub key: &'static str,
    /// Name of the experiment that measures it; `profile` for `leadline profile` itself.
    pub experiment: &'static str,
    /// What is missing, and the command that measures it.
    pub reason: String,
}

/// A file in the system's own syntax.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct File {
    /// What to call it: `leadline.conf`.
    pub name: &'static str,
    /// Where it belongs, and how it comes into force, in one line.
    pub place: &'static str,
    /// What is in it.
    pub text: String,
}

impl Advice {
    pub(crate) fn new(system: System, version: &'static str, profile: &DeviceProfile) -> Self {
        let facts = &profile.device;
        let device = match &facts.model {
            Some(model) if *model != facts.name => format!("{} ({model})", facts.name),
            _ => facts.name.clone(),
        };
        let provable = system.rules().is_provable();
        let (settings, missing, notes, differing) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        Advice { system, version, differing, device, provable, settings, missing, notes }
    }

    /// Adds the setting for `key`, or the reason for which there is none.
    pub(crate) fn add(&mut self, key: &'static str, setting: Result<Setting, Unmeasured>) {
        match setting {
            Ok(setting) => {
                debug_assert_eq!(setting.key, key, "a setting has its own key");
                self.settings.push(setting);
            }
            Err(Unmeasured { experiment, reason }) => {
                self.missing.push(Missing { key, experiment, reason });
            }
        }
    }

    /// The setting of `key`.
    pub fn setting(&self, key: &str) -> Option<&Setting> {
        self.settings.iter().find(|setting| setting.key == key)
    }

    /// Keys and values as the system writes them.
    pub fn pairs(&self) -> Vec<(String, String)> {
        let rules = self.system.rules();
        self.settings.iter().map(|one| (one.key.to_owned(), rules.written(&one.value))).collect()
    }

    /// The files that put the settings into force; none where there is nothing to set, or where the system
    /// would not start with what is known.
    pub fn files(&self) -> Vec<File> {
        if self.settings.is_empty() { Vec::new() } else { self.system.rules().files(self) }
    }

    /// The lines with which a file begins, without the character that makes them comments.
    pub(crate) fn heading(&self) -> Vec<String> {
        let mut lines = vec![format!(
            "Written by leadline advise {} for {}, {} {}.",
            self.system,
            self.device,
            self.system.title(),
            self.version
        )];
        if !self.provable {
            lines.push("Not proven here: Leadline does not run this system.".to_owned());
        }
        lines
    }
}
