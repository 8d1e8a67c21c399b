use super::*;

/// Lines of documentation and of messages, each with its number; lines without are left out.
fn found(source: &str) -> [Vec<(usize, String)>; 2] {
    parts(source).unwrap().map(|lines| {
        let markdown = lines.markdown();
        let numbered = (1..).zip(markdown.lines().map(str::to_owned));
        numbered.filter(|(_, line)| !line.is_empty()).collect()
    })
}

#[test]
fn the_documentation_of_public_items_is_read_and_that_of_private_ones_is_not() {
    let source = "//! A module.
/// A device.
pub struct Device {
    /// Its name.
    pub name: String,
    /// For us.
    id: u64,
}
/// Also for us.
struct Private {
    /// Seen by nobody outside.
    id: u64,
}
/// Kinds.
pub enum Kind {
    /// Fast.
    Fast,
}
impl Device {
    /// Opens it.
    pub fn open() {}
    /// Helps.
    fn help() {}
}
#[derive(Debug, clap::Args)]
struct Options {
    /// The size.
    size: u64,
}
#[cfg(test)]
mod tests {
    /// Of tests.
    pub fn of_tests() {}
}
";
    let [docs, _] = found(source);
    let expected = [
        (1, "A module."),
        (2, "A device."),
        (4, "Its name."),
        (14, "Kinds."),
        (16, "Fast."),
        (20, "Opens it."),
        (27, "The size."),
    ];
    assert_eq!(docs, expected.map(|(line, text)| (line, text.to_owned())));
}

#[test]
fn messages_keep_their_lines_and_code_and_tests_have_none() {
    let source = r##"
fn open(name: &str) -> Result<(), Error> {
    let query = "SELECT a FROM b";
    bail!("{name} is not a device, and \
           so it cannot be {query}");
}
#[error("no such file here: {0}")]
struct Missing(String);
#[cfg(test)]
mod tests {
    const A: &str = "only the tests say this";
}
"##;
    let [_, messages] = found(source);
    let expected =
        [(4, "… is not a device, and "), (5, "so it cannot be … ."), (7, "no such file here: … .")];
    assert_eq!(messages, expected.map(|(line, text)| (line, text.to_owned())));
}
