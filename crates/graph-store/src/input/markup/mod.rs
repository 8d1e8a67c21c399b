//! Graphs in XML: GraphML and GEXF.

mod direction;
mod gexf;
mod graphml;
mod xml;

use self::direction::Direction;
use self::gexf::Gexf;
use self::graphml::GraphMl;
use self::xml::{Element, Elements, Xml};
use super::attributes::WeightOf;
use super::chunks::{Chunks, Wrong};
use super::records::{Out, RecordReader, Records};
use super::summary::InputSummary;
use super::{Declared, EdgeReader, Format, InputOptions};
use crate::GraphError;

/// Tags that are read at a time, about.
const TAGS: usize = 1 << 14;

struct Markup {
    xml: Xml,
    language: Language,
    /// The outermost element was checked.
    begun: bool,
    format: Format,
}

enum Language {
    GraphMl(GraphMl),
    Gexf(Gexf),
}

pub(super) fn open(
    chunks: Chunks,
    format: Format,
    options: &InputOptions,
    summary: InputSummary,
) -> Result<Box<dyn EdgeReader>, GraphError> {
    let name = chunks.name().to_owned();
    let meter = chunks.meter();
    let direction = Direction::new(options.directed);
    let weight = WeightOf::new(options).map_err(|wrong| wrong.at(&name))?;
    let language = match format {
        Format::Gexf => Language::Gexf(Gexf::new(direction, weight)),
        _ => Language::GraphMl(GraphMl::new(direction, weight)),
    };
    let mut markup = Markup { xml: Xml::new(chunks), language, begun: false, format };
    let mut out = Out::new(options, options.weights);
    // The first edge tells the direction of all.
    while !markup.direction().is_known() && markup.next(&mut out)? {}
    let declared = Declared { undirected: !markup.direction().is_directed(), ..Declared::default() };
    Ok(Box::new(RecordReader::new(markup, out, declared, meter, summary)))
}

impl Markup {
    fn direction(&self) -> &Direction {
        match &self.language {
            Language::GraphMl(graphml) => &graphml.direction,
            Language::Gexf(gexf) => &gexf.direction,
        }
    }

    fn next(&mut self, out: &mut Out) -> Result<bool, GraphError> {
        let Markup { xml, language, begun, format } = self;
        match language {
            Language::GraphMl(elements) => {
                xml.next(&mut Checked { elements, begun, root: "graphml", format: *format }, out)
            }
            Language::Gexf(elements) => {
                xml.next(&mut Checked { elements, begun, root: "gexf", format: *format }, out)
            }
        }
    }
}

/// Elements of a document whose outermost must have a name.
struct Checked<'a, E> {
    elements: &'a mut E,
    begun: &'a mut bool,
    root: &'static str,
    format: Format,
}

impl<E: Elements> Elements for Checked<'_, E> {
    fn open(&mut self, element: &Element<'_>, out: &mut Out) -> Result<(), Wrong> {
        if !std::mem::replace(self.begun, true) && element.name() != self.root {
            let (expected, found) = (self.root, element.name());
            return Err(format!("expected <{expected}>, as {} has it, found <{found}>", self.format).into());
        }
        self.elements.open(element, out)
    }

    fn close(&mut self, name: &str, out: &mut Out) -> Result<(), Wrong> {
        self.elements.close(name, out)
    }

    fn text(&mut self, text: &str) -> Result<(), Wrong> {
        if !*self.begun && !text.trim().is_empty() {
            return Err(format!("expected <{}>, found text", self.root).into());
        }
        self.elements.text(text)
    }
}

impl Records for Markup {
    fn more(&mut self, out: &mut Out) -> Result<bool, GraphError> {
        for _ in 0..TAGS {
            if !self.next(out)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn tell(&self, summary: &mut InputSummary) {
        match &self.language {
            Language::GraphMl(graphml) => graphml.tell(summary),
            Language::Gexf(gexf) => gexf.tell(summary),
        }
    }

    fn memory_bytes(&self) -> u64 {
        self.xml.memory_bytes()
    }
}
