//! What columns of edges are called.

/// What a column of sources is called, and the column of targets next to it.
const ENDS: [(&str, &str); 34] = [
    ("source", "target"),
    ("source", "destination"),
    ("src", "dst"),
    ("src", "dest"),
    ("from", "to"),
    ("u", "v"),
    ("start", "end"),
    ("startid", "endid"),
    ("sourceid", "targetid"),
    ("sourceid", "destinationid"),
    ("sourcenode", "targetnode"),
    ("srcid", "dstid"),
    ("fromid", "toid"),
    ("fromnode", "tonode"),
    ("fromnodeid", "tonodeid"),
    ("idfrom", "idto"),
    ("idsource", "idtarget"),
    ("node1", "node2"),
    ("nodeid1", "nodeid2"),
    ("nodea", "nodeb"),
    ("id1", "id2"),
    ("vertex1", "vertex2"),
    ("user1", "user2"),
    ("protein1", "protein2"),
    ("gene1", "gene2"),
    ("person1id", "person2id"),
    ("follower", "followee"),
    ("follower", "followed"),
    ("citing", "cited"),
    ("sender", "receiver"),
    ("sender", "recipient"),
    ("subject", "object"),
    ("origin", "destination"),
    ("caller", "callee"),
];

/// What a column of weights is called.
const WEIGHTS: [&str; 5] = ["weight", "w", "cost", "distance", "value"];

/// Names of numbers that are not weights: of times, and of the lines themselves. What ends in `date`,
/// `time` or `timestamp` is a time too.
const OTHER_NUMBERS: [&str; 8] = ["year", "created", "deleted", "id", "edgeid", "index", "label", "type"];

/// What a column holds, as its name tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    Source,
    Target,
    Weight,
}

/// Whether a name is one of a column of sources, of targets, of weights.
pub(super) fn role(name: &str) -> Option<Role> {
    if let Some(role) = of_neo4j(name) {
        return Some(role);
    }
    let name = plain(name);
    if ENDS.iter().any(|(source, _)| *source == name) {
        Some(Role::Source)
    } else if ENDS.iter().any(|(_, target)| *target == name) {
        Some(Role::Target)
    } else {
        WEIGHTS.contains(&name.as_str()).then_some(Role::Weight)
    }
}

/// Neo4j's headers say what a column is behind a colon: `:START_ID(Person)`, `id:END_ID`.
fn of_neo4j(name: &str) -> Option<Role> {
    let kind = name.rsplit_once(':')?.1;
    let kind = kind.split_once('(').map_or(kind, |(kind, _)| kind).to_uppercase();
    match kind.as_str() {
        "START_ID" => Some(Role::Source),
        "END_ID" => Some(Role::Target),
        _ => None,
    }
}

/// Whether a column of numbers holds no weights, as its name tells.
pub(super) fn is_other_number(name: &str) -> bool {
    let name = plain(name);
    ["date", "time", "timestamp"].iter().any(|ending| name.ends_with(ending))
        || OTHER_NUMBERS.contains(&name.as_str())
}

/// Whether a column says which edges are directed, as its name tells.
pub(super) fn is_type(name: &str) -> bool {
    plain(name) == "type"
}

/// The kinds of vertices that Neo4j's headers say two columns are of, where they are of two:
/// `:START_ID(Person)` and `:END_ID(Film)`, and person 1 is not film 1.
pub(super) fn kinds_of_neo4j<'n>(source: &'n str, target: &'n str) -> Option<(&'n str, &'n str)> {
    let kind = |name: &'n str| Some(name.rsplit_once('(')?.1.trim_end_matches(')'));
    let both = of_neo4j(source).and(kind(source)).zip(of_neo4j(target).and(kind(target)));
    both.filter(|(source, target)| source != target)
}

/// Whether columns called so hold vertices and what is known of each: a list of vertices, not of edges.
pub(super) fn are_of_vertices(first: &str, second: &str) -> bool {
    let (id, other) = (plain(first), plain(second));
    let declared = first.rsplit_once(':').is_some_and(|(_, kind)| kind.to_uppercase().starts_with("ID"));
    if declared || ["id", "node", "nodeid", "vertex", "vertexid"].contains(&id.as_str()) {
        return !other.ends_with("id");
    }
    ["user", "userid"].contains(&id.as_str())
        && ["name", "label", "title", "type", "age", "screenname"].contains(&other.as_str())
}

/// In small letters and digits; Gephi and others put a `~` in front, Neo4j the type of a value behind a
/// colon.
fn plain(name: &str) -> String {
    let name = name.trim_start_matches([':', '~', '#', '%', ' ']);
    let name = name.split_once(':').map_or(name, |(name, _)| name);
    name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_known_by_many_names() {
        for (name, expected) in [
            ("Source", Some(Role::Source)),
            ("Destination", Some(Role::Target)),
            ("from_node_id", Some(Role::Source)),
            ("ToNodeId", Some(Role::Target)),
            (":START_ID(Person)", Some(Role::Source)),
            ("personId:END_ID(Person)", Some(Role::Target)),
            ("weight:float", Some(Role::Weight)),
            (":TYPE", None),
            ("~from", Some(Role::Source)),
            ("name", None),
            ("", None),
        ] {
            assert_eq!(role(name), expected, "{name}");
        }
        for name in ["creationDate", "deletionDate:long", "time", "edge_id"] {
            assert!(is_other_number(name), "{name}");
        }
        assert!(!is_other_number("score"));
        assert!(are_of_vertices("id", "name") && are_of_vertices("personId:ID(Person)", "name"));
        assert!(are_of_vertices("id", "firstName") && are_of_vertices("userId", "age"));
        assert!(!are_of_vertices("person", "film") && !are_of_vertices("id", "otherId"));
        assert_eq!(kinds_of_neo4j(":START_ID(A)", "x:END_ID(B)"), Some(("A", "B")));
        assert_eq!(kinds_of_neo4j(":START_ID(A)", ":END_ID(A)"), None);
    }
}
