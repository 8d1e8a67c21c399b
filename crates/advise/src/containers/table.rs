//! Tables as clients of databases print them: with lines between the columns, without, expanded, CSV, tabs.

/// A row: names of columns in lower case, values, and its line, from 1.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Row {
    pub(crate) line: usize,
    cells: Vec<(String, String)>,
}

impl Row {
    /// The value in the column of this name.
    pub(crate) fn get(&self, column: &str) -> Option<&str> {
        self.cells.iter().find(|(name, _)| name == column).map(|(_, value)| value.as_str())
    }
}

/// The rows of the table in `text` that has all of these columns; empty where there is none.
pub(crate) fn rows(text: &str, columns: &[&str]) -> Vec<Row> {
    let forms = [expanded, vertical, bars, tabs, commas];
    let has_all = |row: &Row| columns.iter().all(|column| row.get(column).is_some());
    let mut found = forms.iter().map(|form| form(text, columns)).find(|rows| rows.iter().any(has_all));
    if let Some(rows) = &mut found {
        rows.retain(has_all);
    }
    found.unwrap_or_default()
}

fn numbered(text: &str) -> impl Iterator<Item = (usize, &str)> {
    text.lines().enumerate().map(|(at, line)| (at + 1, line))
}

/// psql -x: `-[ RECORD 1 ]---`, then `name | value`.
fn expanded(text: &str, _columns: &[&str]) -> Vec<Row> {
    let mut rows: Vec<Row> = Vec::new();
    for (line, content) in numbered(text) {
        let start = content.trim_start_matches(['*', '-', '+', '─', '╶', ' ']);
        if start.starts_with("[ RECORD ") || start.starts_with("[RECORD ") {
            rows.push(Row { line, cells: Vec::new() });
        } else if let Some(row) = rows.last_mut()
            && let Some((name, value)) = content.split_once('|').or_else(|| content.split_once('│'))
        {
            if row.cells.is_empty() {
                row.line = line;
            }
            row.cells.push((name.trim().to_lowercase(), value.trim().to_owned()));
        }
    }
    rows
}

/// mysql's \G: `*** 1. row ***`, then `Name: value`.
fn vertical(text: &str, _columns: &[&str]) -> Vec<Row> {
    let mut rows: Vec<Row> = Vec::new();
    for (line, content) in numbered(text) {
        if content.starts_with("***") && content.contains(". row ***") {
            rows.push(Row { line: line + 1, cells: Vec::new() });
        } else if let Some(row) = rows.last_mut()
            && let Some((name, value)) = content.split_once(':')
        {
            row.cells.push((name.trim().to_lowercase(), value.trim().to_owned()));
        }
    }
    rows
}

/// `name | value`, `| name | value |`, with or without lines around.
fn bars(text: &str, columns: &[&str]) -> Vec<Row> {
    let split = |content: &str| -> Vec<String> {
        let content = content.trim().replace('│', "|");
        let content = content.strip_prefix('|').unwrap_or(&content);
        content.strip_suffix('|').unwrap_or(content).split('|').map(|cell| cell.trim().to_owned()).collect()
    };
    let rule = |content: &str| content.chars().all(|c| matches!(c, '-' | '+' | '=' | '|' | ' ' | '─' | '┼'));
    let lines = numbered(text).filter(|(_, content)| content.contains(['|', '│']) && !rule(content));
    headed(lines.map(|(line, content)| (line, split(content))), columns)
}

fn tabs(text: &str, columns: &[&str]) -> Vec<Row> {
    let split = |content: &str| content.split('\t').map(|cell| cell.trim().to_owned()).collect();
    let lines = numbered(text).filter(|(_, content)| content.contains('\t'));
    headed(lines.map(|(line, content)| (line, split(content))), columns)
}

fn commas(text: &str, columns: &[&str]) -> Vec<Row> {
    headed(csv(text).into_iter(), columns)
}

/// Rows below the first that has all of the columns as its cells.
fn headed(lines: impl Iterator<Item = (usize, Vec<String>)>, columns: &[&str]) -> Vec<Row> {
    let mut header: Option<Vec<String>> = None;
    let mut rows = Vec::new();
    for (line, cells) in lines {
        match &header {
            None => {
                let names: Vec<String> = cells.iter().map(|cell| cell.to_lowercase()).collect();
                if columns.iter().all(|column| names.iter().any(|name| name == column)) {
                    header = Some(names);
                }
            }
            // A value that goes on in the next line has no name.
            Some(_) if cells.first().is_none_or(String::is_empty) => {}
            Some(names) => rows.push(Row { line, cells: names.iter().cloned().zip(cells).collect() }),
        }
    }
    rows
}

/// Records of CSV, each with its first line. What is no CSV has none.
fn csv(text: &str) -> Vec<(usize, Vec<String>)> {
    let mut reader = csv::ReaderBuilder::new().has_headers(false).flexible(true).from_reader(text.as_bytes());
    let record = |record: Result<csv::StringRecord, csv::Error>| {
        let record = record.ok()?;
        let line = record.position()?.line();
        Some((line as usize, record.iter().map(|cell| cell.trim().to_owned()).collect()))
    };
    reader.records().filter_map(record).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_forms_of_a_table_have_the_same_rows() {
        let texts = [
            (" name | setting \n------+---------\n a    | 1\n b    | 2 | x\n(2 rows)\n", [3, 4]),
            ("+------+---------+\n| Name | Setting |\n+------+---------+\n| a | 1 |\n| b | 2 |\n", [4, 5]),
            ("-[ RECORD 1 ]-+---\nname | a\nsetting | 1\n-[ RECORD 2 ]--\nname | b\nsetting | 2\n", [2, 5]),
            ("*** 1. row ***\nname: a\nsetting: 1\n*** 2. row ***\nname: b\nsetting: 2\n", [2, 5]),
            ("name,setting,note\na,1,\"x\ny\"\n\"b\",2,\n", [2, 4]),
            ("name\tsetting\na\t1\nb\t2\n", [2, 3]),
        ];
        for (text, lines) in texts {
            let rows = rows(text, &["name", "setting"]);
            let pairs: Vec<_> =
                rows.iter().map(|row| (row.get("name"), row.get("setting"), row.line)).collect();
            let want = [(Some("a"), Some("1"), lines[0]), (Some("b"), Some("2"), lines[1])];
            assert_eq!(pairs, want, "{text}");
        }
        assert_eq!(rows("name setting\n", &["name", "setting"]), []);
    }
}
