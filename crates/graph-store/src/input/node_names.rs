//! What vertices are called where a file numbers them and may also give each a label: by their labels where
//! each has one of its own, else by their numbers.

use super::IdMode;
use super::chunks::Wrong;
use super::number::shown;
use super::records::Ids;
use super::strings::Strings;
use crate::InputOption;

/// The labels of vertices, as they come.
pub(super) struct NodeNames {
    mode: IdMode,
    memory: u64,
    count: u64,
    /// A vertex has a label.
    labelled: bool,
    /// As long as each vertex has a label of its own.
    labels: Option<Strings>,
    /// The labels as numbers, as long as each is one.
    numbers: Option<Vec<u64>>,
    /// A label that is no number.
    name: Option<Vec<u8>>,
    /// Why labels are not the names.
    reason: Option<String>,
}

/// What vertices are called.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Names {
    /// By labels: a vertex's place in the file, from 0, is the number of its string.
    Labels,
    /// By labels that are numbers, in the order of the file.
    Numbers(Vec<u64>),
    /// By their numbers in the file.
    Own,
}

impl NodeNames {
    pub(super) fn new(mode: IdMode, memory: u64) -> NodeNames {
        let labels = Some(Strings::new(memory));
        NodeNames {
            mode,
            memory,
            count: 0,
            labelled: false,
            labels,
            numbers: Some(Vec::new()),
            name: None,
            reason: None,
        }
    }

    pub(super) fn count(&self) -> u64 {
        self.count
    }

    /// The next vertex.
    pub(super) fn add(&mut self, label: Option<&[u8]>) -> Result<(), Wrong> {
        self.count += 1;
        let Some(label) = label else {
            self.give_up("not every vertex has a label".to_owned());
            return Ok(());
        };
        self.labelled = true;
        let Some(labels) = &mut self.labels else { return Ok(()) };
        if labels.number(label)? + 1 != self.count {
            self.give_up(format!("several vertices have the label {}", shown(label)));
            return Ok(());
        }
        match plain_number(label) {
            Some(number) => self.numbers.iter_mut().for_each(|numbers| numbers.push(number)),
            None => {
                self.numbers = None;
                self.name.get_or_insert_with(|| label.to_owned());
            }
        }
        Ok(())
    }

    fn give_up(&mut self, reason: String) {
        (self.labels, self.numbers) = (None, None);
        self.reason.get_or_insert(reason);
    }

    /// What vertices are called, the ids of a reader that go with it, and what to say of it.
    pub(super) fn decide(self) -> Result<(Names, Ids, Option<String>), Wrong> {
        let NodeNames { mode, memory, count, labelled, labels, numbers, name, reason } = self;
        let own = match mode {
            IdMode::Strings => Ids::Strings(Strings::new(memory)),
            _ => Ids::Numbers { advise: false },
        };
        let by_label = Some("vertices are called by their labels".to_owned());
        let by_number = |reason: String| {
            Some(format!("vertices are called by their numbers in the file, since {reason}"))
        };
        Ok(match (labels, numbers) {
            _ if count == 0 => (Names::Own, own, None),
            (Some(_), Some(numbers)) if mode != IdMode::Strings => (Names::Numbers(numbers), own, by_label),
            (Some(labels), _) if mode != IdMode::Numbers => (Names::Labels, Ids::Strings(labels), by_label),
            (Some(_), _) => {
                let found = shown(&name.unwrap_or_default());
                let text = format!(
                    "expected labels that are numbers, found {found}; where ids are names, read them as \
                     strings"
                );
                return Err(Wrong { text, option: Some(InputOption::Ids) });
            }
            (None, _) => (Names::Own, own, reason.filter(|_| labelled).and_then(by_number)),
        })
    }

    pub(super) fn memory_bytes(&self) -> u64 {
        let numbers = self.numbers.as_ref().map_or(0, |numbers| numbers.capacity() * 8);
        self.labels.as_ref().map_or(0, Strings::memory_bytes) + numbers as u64
    }
}

/// A number that is written in one way only, so that no two labels are the same number.
fn plain_number(label: &[u8]) -> Option<u64> {
    let plain = label == b"0" || label.first().is_some_and(|first| *first != b'0');
    let digits = plain && label.iter().all(u8::is_ascii_digit);
    std::str::from_utf8(label).ok().filter(|_| digits)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decided(mode: IdMode, labels: &[Option<&str>]) -> (Names, bool, String) {
        let mut names = NodeNames::new(mode, 1 << 20);
        labels.iter().for_each(|label| names.add(label.map(str::as_bytes)).unwrap());
        let (names, ids, note) = names.decide().unwrap();
        (names, ids.strings().is_some(), note.unwrap_or_default())
    }

    #[test]
    fn labels_are_names_where_each_vertex_has_its_own() {
        let (auto, labels) = (IdMode::Auto, "vertices are called by their labels".to_owned());
        let numbered = |reason| format!("vertices are called by their numbers in the file, since {reason}");
        assert_eq!(decided(auto, &[Some("a"), Some("1")]), (Names::Labels, true, labels.clone()));
        assert_eq!(
            decided(auto, &[Some("7"), Some("1")]),
            (Names::Numbers(vec![7, 1]), false, labels.clone())
        );
        assert_eq!(decided(auto, &[Some("01"), Some("1")]), (Names::Labels, true, labels.clone()));
        let seven = &[Some("7")];
        assert_eq!(decided(IdMode::Strings, seven), (Names::Labels, true, labels));
        let (names, _, note) = decided(auto, &[Some("a"), Some("b"), Some("a")]);
        assert_eq!((names, note), (Names::Own, numbered("several vertices have the label \"a\"")));
        let (names, _, note) = decided(auto, &[None, Some("b")]);
        assert_eq!((names, note), (Names::Own, numbered("not every vertex has a label")));
        assert_eq!(decided(auto, &[None, None]), (Names::Own, false, String::new()));
        let mut names = NodeNames::new(IdMode::Numbers, 1 << 20);
        names.add(Some(b"b")).unwrap();
        assert!(names.decide().is_err());
    }
}
