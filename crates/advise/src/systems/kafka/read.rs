//! server.properties.

use std::path::Path;

use crate::syntax::properties;
use crate::{AdviseError, Config, Entry, Place};

/// Reads the properties; Kafka takes no notice of white space around a value.
pub(super) fn read(text: &str, path: &Path) -> Result<Config, AdviseError> {
    let mut config = Config::default();
    for property in properties::parse(text) {
        let place = Place::Line { path: path.into(), line: property.line };
        if property.key.is_empty() {
            return Err(AdviseError::syntax(path, property.line, "has no key before the ="));
        }
        let (key, value) = (property.key, property.value.trim().to_owned());
        config.entries.push(Entry { section: String::new(), key, value, place });
    }
    Ok(config)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn properties_have_places_and_no_space_around_their_values() {
        let config = read("# c\na.b = 1 \\\n  \nc.d 2\n", Path::new("s")).unwrap();
        let found: Vec<(String, &str)> =
            config.entries.iter().map(|entry| (entry.place.to_string(), entry.value.as_str())).collect();
        assert_eq!(found, [("s, line 2".to_owned(), "1"), ("s, line 4".to_owned(), "2")]);
        let said = read("\n=1\n", Path::new("s")).unwrap_err().to_string();
        assert_eq!(said, "s, line 2: has no key before the =");
    }
}
