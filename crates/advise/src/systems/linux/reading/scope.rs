//! What a line of a script is for, as the section of its entries has it: names of drives, which may be
//! patterns, and the condition under which the line is run.

/// For which drives a line is, and when it is run.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(in super::super) struct LineScope {
    /// `sda`, `nvme*`, `8:16`; with a `$` where it could not be followed. Empty: it is for no drive.
    pub(in super::super) drives: Vec<String>,
    /// `[ "$1" = fast ]`.
    pub(in super::super) condition: Option<String>,
}

/// Between drives and condition.
const IF: &str = "\nif ";

impl LineScope {
    pub(in super::super) fn section(&self) -> String {
        let mut section = self.drives.join("|");
        if let Some(condition) = &self.condition {
            section.push_str(IF);
            section.push_str(condition);
        }
        section
    }

    pub(in super::super) fn of(section: &str) -> Self {
        let (drives, condition) = match section.split_once(IF) {
            Some((drives, condition)) => (drives, Some(condition.to_owned())),
            None => (section, None),
        };
        let drives = drives.split('|').filter(|drive| !drive.is_empty()).map(str::to_owned).collect();
        LineScope { drives, condition }
    }
}
