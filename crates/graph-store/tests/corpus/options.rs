//! Options as a program gives them, from the words of a case.

use std::str::FromStr;

use leadline_graph_store::input::InputOptions;

/// The options, and whether edges lead both ways.
///
/// # Errors
/// A word that is no option, or the value of another.
pub fn options_of(words: &[String]) -> Result<(InputOptions, bool), String> {
    let (mut input, mut undirected) = (InputOptions::default(), false);
    let mut words = words.iter().filter(|word| !word.starts_with('@'));
    while let Some(word) = words.next() {
        let value = &mut words;
        match word.as_str() {
            "--weights" => input.weights = true,
            "--directed" => input.directed = true,
            "--undirected" => undirected = true,
            "--bipartite" => input.bipartite = true,
            "--ignore-columns" => input.ignore_columns = true,
            "--ids" => input.ids = parsed(value)?,
            "--format" => input.format = Some(parsed(value)?),
            "--delimiter" => input.text.delimiter = Some(parsed(value)?),
            "--header" => input.text.header = Some(parsed::<String>(value)? == "yes"),
            "--skip" => input.text.skip = parsed(value)?,
            "--comment" => input.text.comment = Some(parsed(value)?),
            "--source-column" => input.columns.source = Some(parsed(value)?),
            "--target-column" => input.columns.target = Some(parsed(value)?),
            "--weight-column" => input.columns.weight = Some(parsed(value)?),
            other => return Err(format!("unknown option {other:?}")),
        }
    }
    Ok((input, undirected))
}

fn parsed<'w, T: FromStr>(words: &mut impl Iterator<Item = &'w String>) -> Result<T, String> {
    let word = words.next().ok_or("an option has no value")?;
    word.parse().map_err(|_| format!("no value of an option: {word:?}"))
}
