use proptest::prelude::*;

use super::*;

proptest! {
    #[test]
    fn names_numbered_later_are_read_as_line_by_line(
        lines in prop::collection::vec(prop::sample::select(vec![
            "ann,bob", "bob,\"c,d\"", "bob , ann", "", "# no edge", "x1,x2", "\u{e9},z", "ann", "a,b,c",
            "\u{feff}a,b",
        ]), 0..12),
        pieces in 1usize..4,
        together in 1usize..30,
    ) {
        let grammar =
            Grammar { delimiter: Delimiter::Byte(b','), ..Grammar::blanks(2, false) };
        let [mut at_once, mut later, mut in_parts] = [(); 3].map(|()| Strings::new(1 << 20));
        for lines in lines.chunks(pieces) {
            let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
            let mut expected = Parsed::default();
            grammar.parse_lines(text.as_bytes(), &mut at_once, &mut expected);
            let mut parts = Parsed::default();
            grammar.parse_strings(text.as_bytes(), together, &mut in_parts, &mut parts);
            let later = grammar.numbered(grammar.parse_names(text.into_bytes()), &mut later);
            for found in [parts, later] {
                prop_assert_eq!(&found.batch, &expected.batch);
                let at = |parsed: &Parsed| {
                    let failure = parsed.failure.as_ref().map(|failure| format!("{failure:?}"));
                    (failure, parsed.lines, parsed.blank, parsed.comments)
                };
                prop_assert_eq!(at(&found), at(&expected));
            }
            if expected.failure.is_some() {
                return Ok(());
            }
        }
        let expected = at_once.into_strings();
        prop_assert_eq!(later.into_strings(), &expected[..]);
        prop_assert_eq!(in_parts.into_strings(), expected);
    }
}
