//! Texts in few documents: Harper takes longer to begin a document than to read most texts.

use super::text::Text;

/// Documents of one kind of text. Harper reads documents in parallel.
const DOCUMENTS: usize = 4;

/// Texts in one document, and where each line is from.
#[derive(Default)]
pub(super) struct Bundle<'a> {
    pub(super) markdown: String,
    places: Vec<Option<(&'a Text, usize)>>,
}

impl<'a> Bundle<'a> {
    /// Divides `texts` among documents of about one size.
    pub(super) fn of(texts: impl Iterator<Item = &'a Text>) -> Vec<Bundle<'a>> {
        let mut bundles: Vec<Bundle> = (0..DOCUMENTS).map(|_| Bundle::default()).collect();
        for text in texts {
            let smallest = bundles.iter_mut().min_by_key(|bundle| bundle.markdown.len());
            smallest.expect("there are documents").add(text);
        }
        bundles
    }

    /// The text and the line in it that a line of the document has; lines are counted from 1.
    pub(super) fn place(&self, line: usize) -> Option<(&'a Text, usize)> {
        *self.places.get(line.checked_sub(1)?)?
    }

    fn add(&mut self, text: &'a Text) {
        let mut fence = false;
        let mut blank = true;
        for (line, number) in text.markdown.lines().zip(1..) {
            let is_blank = line.trim().is_empty();
            if !(is_blank && blank) {
                self.push(line, Some((text, number)));
            }
            blank = is_blank;
            fence ^= line.trim_start().starts_with("```");
        }
        // A text that does not end its code must not hide the next text.
        if fence {
            self.push("```", None);
        }
        self.push("", None);
    }

    fn push(&mut self, line: &str, place: Option<(&'a Text, usize)>) {
        self.markdown.push_str(line);
        self.markdown.push('\n');
        self.places.push(place);
    }
}

#[cfg(test)]
mod tests {
    use super::super::text::Kind;
    use super::*;

    #[test]
    fn each_line_leads_to_its_text_and_open_code_ends_with_its_text() {
        let text = |name: &str, markdown: &str| Text {
            file: name.into(),
            kind: Kind::Page,
            markdown: markdown.to_owned(),
        };
        let texts = [text("a.md", "\n\none\n\n\n```\ncode"), text("b.md", "two")];
        let mut bundle = Bundle::default();
        texts.iter().for_each(|text| bundle.add(text));
        assert_eq!(bundle.markdown, "one\n\n```\ncode\n```\n\ntwo\n\n");
        let place = |line| bundle.place(line).map(|(text, line)| (text.file.to_str().unwrap(), line));
        assert_eq!(place(1), Some(("a.md", 3)));
        assert_eq!(place(4), Some(("a.md", 7)));
        assert_eq!(place(7), Some(("b.md", 1)));
        assert_eq!((place(0), place(5), place(99)), (None, None, None));
    }
}
