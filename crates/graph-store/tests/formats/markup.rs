//! GraphML and GEXF.

use leadline_graph_store::input::{Column, EdgeColumns, IdMode, InputOptions};

use super::{directed, edges, plain, read_text, refused, weighted};

/// As networkx writes it.
fn graphml(default: &str, body: &str) -> String {
    format!(
        "<?xml version='1.0' encoding='utf-8'?>\n<graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\">\n \
          <key id=\"d0\" for=\"edge\" attr.name=\"weight\" attr.type=\"double\" />\n  \
         <key id=\"d1\" for=\"edge\" attr.name=\"since\" attr.type=\"long\" />\n  \
         <graph edgedefault=\"{default}\">\n{body}\n  </graph>\n</graphml>\n"
    )
}

fn gexf(default: &str, body: &str) -> String {
    format!(
        "<gexf version=\"1.2\"><meta><creator>x</creator></meta><graph {default}>\n<attributes \
         class=\"edge\">\
         <attribute id=\"7\" title=\"weight\" type=\"double\"/></attributes>\n{body}\n</graph></gexf>\n"
    )
}

#[test]
fn graphml_has_ids_direction_weights_and_vertices_without_edges() {
    let body = "<node id=\"ann\" /><node id=\"b &amp; c\"/>\n<node id=\"alone\"><data \
        key=\"d9\">7</data></node>\n\
                <edge source=\"ann\" target=\"b &amp; c\"><data key=\"d1\">1999</data><data \
                key=\"d0\">2.5</data></edge>\n\
                <edge source=\"b &amp; c\" target=\"ann\"><data \
                key=\"d0\"><![CDATA[3]]>&#46;25</data></edge>";
    let text = graphml("directed", body);
    let found = read_text("a.graphml", &text, &weighted()).unwrap();
    let expected = edges(&[("ann", "b & c"), ("b & c", "ann")]);
    assert_eq!((found.named(), &found.weights), ((false, expected), &vec![2.5, 3.25]));
    assert_eq!(found.vertex_names(), ["ann", "b & c", "alone"]);
    // Whatever it is called.
    let found = read_text("a.txt", &text, &plain()).unwrap();
    assert_eq!(
        (found.summary.format.as_str(), found.summary.notes),
        ("graphml", vec!["its weights were not kept".into()])
    );
    let numbers = graphml("undirected", "<node id=\"1\"/><edge source=\"1\" target=\"20\"/>");
    let found = read_text("a.xml", numbers, &plain()).unwrap();
    assert_eq!((found.pairs, found.strings, found.declared.undirected), (vec![(1, 20)], None, true));
}

#[test]
fn weights_of_graphml_have_a_default_and_may_be_called_otherwise() {
    let text = graphml("directed", "<edge source=\"1\" target=\"2\"><data key=\"d1\">9</data></edge>");
    refused("a.graphml", &weighted(), &[(&text, "line 6: expected a \"weight\" of the edge, found none")]);
    let with_default = text.replace("\"double\" />", "\"double\"><default>0.5</default></key>");
    assert_eq!(read_text("a.graphml", with_default, &weighted()).unwrap().weights, [0.5]);
    // networkx has a key for each type of one attribute.
    let twice = text.replace(
        "<key id=\"d1\" for=\"edge\" attr.name=\"since\"",
        "<key id=\"d1\" for=\"edge\" attr.name=\"weight\"",
    );
    assert_eq!(read_text("a.graphml", twice, &weighted()).unwrap().weights, [9.0]);
    let both = text.replace("\"since\"", "\"value\"");
    refused(
        "a.graphml",
        &weighted(),
        &[(&both, "line 4: both \"weight\" and \"value\" may be the weight of edges")],
    );
    let weight = Some(Column::Name("since".to_owned()));
    let since = InputOptions { columns: EdgeColumns { weight, ..EdgeColumns::default() }, ..plain() };
    assert_eq!(read_text("a.graphml", &text, &since).unwrap().weights, [9.0]);
    let weight = Some(Column::Number(3));
    let third = InputOptions { columns: EdgeColumns { weight, ..EdgeColumns::default() }, ..plain() };
    refused("a.graphml", &third, &[(&text, "attributes have no numbers; give the name of the weight")]);
}

#[test]
fn edges_may_say_their_direction_but_not_both_kinds() {
    let mixed = "<edge source=\"1\" target=\"2\" directed=\"true\"/>\n<edge source=\"1\" target=\"3\"/>";
    let text = graphml("undirected", mixed);
    let expected = "line 7: found an edge that is undirected, the edge of line 6 is directed, and a store has one kind only";
    refused("a.graphml", &plain(), &[(&text, expected)]);
    assert_eq!(read_text("a.graphml", &text, &directed()).unwrap().pairs, [(1, 2), (1, 3)]);
    let all = text.replace("target=\"3\"", "target=\"3\" directed=\"true\"");
    assert!(!read_text("a.graphml", all, &plain()).unwrap().declared.undirected);
}

#[test]
fn gexf_has_weights_of_1_where_nothing_is_said() {
    let body = "<nodes><node id=\"0\" label=\"Ann\"/><node id=\"1\"/><node id=\"9\"/></nodes>\n\
                <edges><edge id=\"0\" source=\"0\" target=\"1\" weight=\"2.5\"/>\n<edge source=\"1\" \
                target=\"0\"/>\n\
                <edge source=\"9\" target=\"0\"><attvalues><attvalue for=\"7\" \
                value=\"4\"/></attvalues></edge></edges>";
    let found = read_text("a.gexf", gexf("defaultedgetype=\"directed\"", body), &weighted()).unwrap();
    assert_eq!((found.pairs, found.weights), (vec![(0, 1), (1, 0), (9, 0)], vec![2.5, 1.0, 4.0]));
    assert_eq!((found.vertices, found.declared.undirected), (vec![0, 1, 9], false));
    assert_eq!(found.summary.notes.len(), 2, "{:?}", found.summary.notes);
    // Undirected, where nothing is said.
    assert!(read_text("a.gexf", gexf("", body), &plain()).unwrap().declared.undirected);
    let mutual = "<edges><edge source=\"1\" target=\"2\" type=\"mutual\"/></edges>";
    assert_eq!(read_text("a.gexf", gexf("", mutual), &plain()).unwrap().pairs, [(1, 2), (2, 1)]);
}

#[test]
fn what_is_wrong_in_xml_is_named_with_its_line() {
    for (body, expected) in [
        ("<edge source=\"1\"/>", "line 6: expected an attribute \"target\" of <edge>, found none"),
        (
            "<edge source=\"1\" target=\"x\"/>",
            "line 6: expected a target id, found \"x\"; where ids are names",
        ),
        ("<edge source=\"1\" target=\"&b;\"/>", "line 6: found an attribute of no form"),
        (
            "<edge source=\"1\" target=\"2\"><data key=\"d0\">x</data></edge>",
            "line 6: expected a finite number as weight",
        ),
        (
            "<edge source=\"1\" target=\"2\"><data key=\"d0\">&lol;</data></edge>",
            "found the entity &lol;, which is not read",
        ),
        ("<hyperedge/>", "line 6: found a hyperedge"),
        ("<node id=\"1\"><graph edgedefault=\"directed\"/></node>", "line 6: found a second graph"),
        ("<edge source=\"1\" target=\"2\"></node>", "is not well-formed XML"),
    ] {
        refused("a.graphml", &weighted(), &[(&graphml("directed", body), expected)]);
    }
    let whole = graphml("directed", "<node id=\"1\"/>");
    refused(
        "a.graphml",
        &plain(),
        &[
            (&whole[..whole.len() - 12], "found the end within an element; it was cut off"),
            ("<svg/>\n", "expected <graphml>, as graphml has it, found <svg>"),
            ("<?xml version=\"1.0\"?><svg/>", "found XML that is neither GraphML nor GEXF"),
            ("<?xml version=\"1.0\" encoding=\"latin1\"?><graphml/>", "found text in latin1, expected UTF-8"),
            ("1 2\n", "expected <graphml>, found text"),
        ],
    );
    let strings = InputOptions { ids: IdMode::Strings, ..plain() };
    let found =
        read_text("a.graphml", graphml("directed", "<edge source=\"1\" target=\"x\"/>"), &strings).unwrap();
    assert_eq!(found.named().1, edges(&[("1", "x")]));
}

#[test]
fn no_document_blows_up() {
    let mut bomb = "<!DOCTYPE graphml [<!ENTITY a \"aaaaaaaaaa\">".to_owned();
    for (name, of) in ["a", "b", "c", "d", "e", "f", "g"].windows(2).map(|pair| (pair[1], pair[0])) {
        bomb += &format!("<!ENTITY {name} \"{}\">", format!("&{of};").repeat(10));
    }
    bomb +=
        "]>\n<graphml><graph edgedefault=\"directed\"><edge source=\"&g;\" target=\"1\"/></graph></graphml>";
    refused("a.graphml", &plain(), &[(&bomb, "line 2: found an attribute of no form")]);
    let deep = format!("<graphml>{}", "<a>".repeat(1_000_000));
    refused("a.graphml", &plain(), &[(&deep, "found elements that nest more than 256 deep")]);
    let long = format!("<graphml><!--{}--></graphml>", "x".repeat(6 << 20));
    refused("a.graphml", &plain(), &[(&long, "found a tag or a text of more than 4194304 bytes")]);
    let weight = graphml(
        "directed",
        &format!("<edge source=\"1\" target=\"2\"><data key=\"d0\">{}</data></edge>", "1".repeat(9999)),
    );
    refused("a.graphml", &weighted(), &[(&weight, "expected a number as weight, found a longer text")]);
}
