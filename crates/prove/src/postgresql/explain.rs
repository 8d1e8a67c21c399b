//! What EXPLAIN says of how a table was read.

use serde::{Deserialize, Serialize};
use serde_json::{Deserializer, Value};

/// A way to read a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Access {
    /// All of it, in order.
    Sequential,
    /// Row by row, in the order of an index.
    Index,
    /// What an index names, in the order of the table.
    Bitmap,
}

impl Access {
    /// All of them.
    pub(super) const ALL: [Access; 3] = [Access::Sequential, Access::Index, Access::Bitmap];

    /// As EXPLAIN has it.
    fn of_node(name: &str) -> Option<Access> {
        match name {
            "Seq Scan" => Some(Access::Sequential),
            "Index Scan" => Some(Access::Index),
            "Bitmap Heap Scan" => Some(Access::Bitmap),
            _ => None,
        }
    }

    /// The statements after which the planner takes no other.
    pub(super) fn settings(self) -> String {
        let set = |key, wanted| format!("SET {key} = {}", if self == wanted { "on" } else { "off" });
        [
            set("enable_seqscan", Access::Sequential),
            set("enable_indexscan", Access::Index),
            set("enable_bitmapscan", Access::Bitmap),
            "SET enable_indexonlyscan = off".to_owned(),
        ]
        .join("; ")
    }
}

/// One query, explained.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Explained {
    pub(super) access: Access,
    /// How long it took; `None` where it was not run.
    pub(super) seconds: Option<f64>,
    /// Blocks that were not in the server's own cache.
    pub(super) read_blocks: f64,
    /// Blocks of the table that a bitmap named, where there was one.
    pub(super) heap_blocks: f64,
}

impl Explained {
    /// All of what a client printed, one document after the other; `None` where one cannot be read.
    pub(super) fn all(printed: &str) -> Option<Vec<Explained>> {
        let documents = Deserializer::from_str(printed).into_iter::<Value>();
        documents.map(|document| Explained::of(document.ok()?.get(0)?)).collect()
    }

    fn of(document: &Value) -> Option<Explained> {
        let root = document.get("Plan")?;
        let (access, node) = reads_table(root)?;
        let number = |node: &Value, key| node.get(key).and_then(Value::as_f64);
        Some(Explained {
            access,
            seconds: number(document, "Execution Time").map(|ms| ms / 1e3),
            read_blocks: number(root, "Shared Read Blocks").unwrap_or(0.0),
            heap_blocks: number(node, "Exact Heap Blocks").unwrap_or(0.0)
                + number(node, "Lossy Heap Blocks").unwrap_or(0.0),
        })
    }
}

/// The node that reads the only table of a plan.
fn reads_table(node: &Value) -> Option<(Access, &Value)> {
    let access = node.get("Node Type").and_then(Value::as_str).and_then(Access::of_node);
    match access {
        Some(access) => Some((access, node)),
        None => node.get("Plans")?.as_array()?.iter().find_map(reads_table),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TWO: &str = r#"[{"Plan": {"Node Type": "Aggregate", "Plans": [
          {"Node Type": "Seq Scan", "Relation Name": "pages"}]}}]
        [{"Plan": {"Node Type": "Aggregate", "Shared Read Blocks": 35, "Plans": [
          {"Node Type": "Bitmap Heap Scan", "Exact Heap Blocks": 30, "Lossy Heap Blocks": 2, "Plans": [
            {"Node Type": "Bitmap Index Scan", "Index Name": "pages_scattered"}]}]},
          "Planning Time": 0.2, "Execution Time": 12.5}]"#;

    #[test]
    fn plans_are_read_with_and_without_times() {
        let all = Explained::all(TWO).unwrap();
        assert_eq!((all[0].access, all[0].seconds), (Access::Sequential, None));
        let run =
            Explained { access: Access::Bitmap, seconds: Some(0.0125), read_blocks: 35.0, heap_blocks: 32.0 };
        assert_eq!(all[1], run);
    }

    #[test]
    fn what_is_no_plan_is_none() {
        assert_eq!(Explained::all("[{\"Plan\": {\"Node Type\": \"Result\"}}]"), None);
        assert_eq!(Explained::all("SET\n"), None);
        assert_eq!(Explained::all(""), Some(Vec::new()));
    }

    #[test]
    fn one_way_is_left_on() {
        for access in Access::ALL {
            assert_eq!(access.settings().matches("= on").count(), 1);
        }
    }
}
