//! Edges in every format that an import reads.

use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use leadline_graph_store::export::{ExportOptions, export};
use leadline_graph_store::format::{Layout, StoreWriter, Weights};
use leadline_graph_store::input::{Batch, Format, IdMode, InputOptions, open};
use tempfile::TempDir;

use crate::Target;

/// The cap that the reader is given.
const MEMORY: u64 = 4 << 20;

struct Edges {
    format: Format,
    folder: TempDir,
    file: File,
    path: PathBuf,
}

/// A target per format.
pub(super) fn all() -> std::io::Result<Vec<Box<dyn Target>>> {
    Format::all().map(|format| Edges::new(format).map(|edges| Box::new(edges) as Box<dyn Target>)).collect()
}

impl Edges {
    fn new(format: Format) -> std::io::Result<Edges> {
        let folder = super::stores::folder()?;
        let ending = format.endings()[0];
        let path = folder.path().join(format!("input.{ending}"));
        if format == Format::Graphalytics {
            std::fs::write(folder.path().join("input.v"), "1\n2\n3\n10\n")?;
        }
        Ok(Edges { format, file: File::create(&path)?, folder, path })
    }

    /// Reads all batches. True if a header was understood, or, where the format has none, an edge or a
    /// vertex.
    fn read_with(&self, weights: bool, ids: IdMode) -> bool {
        let options = InputOptions {
            format: Some(self.format),
            weights,
            ids,
            memory: MEMORY,
            ..InputOptions::default()
        };
        let Ok(mut reader) = open(&self.path, options) else { return false };
        let with_header =
            matches!(self.format, Format::MatrixMarket | Format::Metis | Format::Parquet | Format::Dimacs);
        let mut past_header = with_header && reader.declared().vertices != Some(0);
        let mut batch = Batch::default();
        while let Ok(true) = reader.next_batch(&mut batch) {
            past_header |= !batch.pairs.is_empty() || !batch.vertices.is_empty();
            assert!(
                batch.weights.is_empty() || batch.weights.len() == batch.pairs.len(),
                "a weight per edge"
            );
        }
        reader.strings();
        past_header
    }
}

impl Target for Edges {
    fn name(&self) -> String {
        format!("edges-{}", self.format)
    }

    fn most_memory(&self) -> u64 {
        match self.format {
            // A page may be of 2 GiB, which the parquet crate takes before it sees that the claim is wrong.
            Format::Parquet => 3 << 30,
            _ => 1 << 30,
        }
    }

    fn seeds(&self) -> Vec<Vec<u8>> {
        let texts: &[&str] = match self.format {
            Format::Snap => &["# a comment\n0 1 1\n1 2 3\n2\t0\t2\n% too\n7 9 0.5\n", "a b\nb c\n"],
            Format::Csv => &["source,target,weight\n1,2,0.5\n2,3,1e3\n\"4\",5,6\n", "x,y\ny,z\n"],
            Format::Tsv => &["from\tto\n1\t2\n2\t3\n"],
            Format::MatrixMarket => &[
                "%%MatrixMarket matrix coordinate real general\n% c\n3 3 8\n1 2 0.5\n2 3 1\n3 1 2\n\
                 1 1 1e3\n2 2 -4\n3 3 +7.25\n2 1 0.125\n3 2 8\n",
                "%%MatrixMarket matrix coordinate pattern symmetric\n9 9 8\n2 1\n4 3\n5 1\n6 5\n\
                 7 2\n8 8\n9 1\n9 4\n",
                "%%MatrixMarket matrix array complex general\n2 2\n0 0\n1 2\n3 0\n0 -1\n",
                "%%MatrixMarket matrix coordinate real skew-symmetric\n9 9 2\n2 1 0.5\n9 3 7\n",
            ],
            Format::Metis => &["3 2\n2\n1 3\n2\n", "% c\n3 2 001\n2 5\n1 5 3 7\n2 7\n"],
            Format::Graphalytics => &["1 2\n2 3\n10 1\n", "1 2 0.5\n2 3 1.5\n"],
            Format::El => &["0 1\n1 2\n"],
            Format::Wel => &["0 1 5\n1 2 0.25\n"],
            Format::Adjlist => &["# c\n0 1 2\n1 2\n3\n", "a b\nb c d\nc\n"],
            Format::MultilineAdjlist => &["0 2\n1 {'weight': 2.5}\n2 {'weight': 1}\n2 0\n", "a 1\nb {}\n"],
            Format::GraphChi => &["0 2 1 2\n1 0\n2 1 0\n"],
            Format::Ncol => &["0 1\n1 2\n", "a b 2\nb c 3\n"],
            Format::Dimacs => &["c x\np sp 9 3\na 1 2 7\na 2 3 1\na 9 1 2.5\n", "p edge 9 2\ne 1 2\ne 3 9\n"],
            Format::Konect => &[
                "% asym positive\n% 3 9 9\n1 2 3 4\n2 3 1 1\n9 1 2 2\n",
                "% bip unweighted\n% 2 9 9\n1 1\n2 3\n",
            ],
            Format::GraphMl => &[
                "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<!DOCTYPE graphml>\n<graphml><key id=\"d0\" for=\"edge\" \
                 attr.name=\"weight\"><default>1</default></key>\n<graph edgedefault=\"directed\">\n<node id=\"a\"/>\n\
                 <node id=\"b &amp;&#65;\"/>\n<edge source=\"a\" target=\"b &amp;&#65;\"><data key=\"d0\">2.5\
                 <![CDATA[0]]></data></edge>\n<edge source=\"a\" target=\"a\" directed=\"true\"/>\n</graph></graphml>\n",
            ],
            Format::Gexf => &[
                "<gexf version=\"1.3\"><graph defaultedgetype=\"undirected\"><attributes class=\"edge\"><attribute \
                 id=\"0\" title=\"weight\"/></attributes><nodes><node id=\"1\" label=\"x\"/></nodes>\n<edges>\
                 <edge source=\"1\" target=\"2\" weight=\"3\"/>\n<edge source=\"2\" target=\"3\"><attvalues>\
                 <attvalue for=\"0\" value=\"2\"/></attvalues></edge></edges></graph></gexf>\n",
            ],
            Format::Gml => &[
                "# c\ngraph [\n directed 1\n node [ id 1 label \"a &amp; b\" ]\n node [ id -2 label \"c\" x [ y 1 ] ]\n \
                 edge [ source 1 target -2 weight 2.5 ]\n]\n",
                "graph [ node [ id 1 ] node [ id 2 ] edge [ source 1 target 2 ] ]\n",
            ],
            Format::Pajek => &[
                "% c\n*Vertices 3\n1 \"a b\" 0.1 0.2\n2 c\n3 d\n*Arcs\n1 2 2.5\n2 3\n*Arcslist\n3 1 2\n",
                "*Network x\n*Vertices 9\n*Edges\n1 2 1\n9 3 1\n*Partition p\n*Vertices 9\n1\n",
            ],
            Format::U32 => return vec![(0..12u32).flat_map(u32::to_le_bytes).collect()],
            Format::U64 => return vec![(0..12u64).flat_map(u64::to_le_bytes).collect()],
            Format::Parquet => return vec![self.parquet()],
        };
        texts.iter().map(|text| text.as_bytes().to_vec()).collect()
    }

    fn words(&self) -> &'static [&'static str] {
        &[
            "#",
            "%",
            ",",
            "\t",
            " ",
            "\n",
            "\r\n",
            "\"",
            "a",
            "0 0\n",
            "symmetric",
            "pattern",
            "integer",
            "011",
            "<a>",
            "</edge>",
            "&lt;",
            "[",
            "]",
            "*Edges\n",
            "<!DOCTYPE a [<!ENTITY b \"bb\">]>",
        ]
    }

    fn binary(&self) -> bool {
        matches!(self.format, Format::U32 | Format::U64 | Format::Parquet)
    }

    fn read(&mut self, input: &[u8]) -> bool {
        self.file.write_all_at(input, 0).expect("a temporary file is written");
        self.file.set_len(input.len() as u64).expect("a temporary file is cut");
        let past_header = self.read_with(false, IdMode::Auto);
        // The same with weights, and with ids as strings where they can be.
        past_header | self.read_with(true, IdMode::Auto) | self.read_with(false, IdMode::Strings)
    }
}

impl Edges {
    /// A file of Parquet: an export writes one.
    fn parquet(&self) -> Vec<u8> {
        let store = self.folder.path().join("store");
        let written = self.folder.path().join("written.parquet");
        write_parquet(&store, &written).expect("a store of three edges is exported");
        std::fs::read(written).expect("the export is there")
    }
}

fn write_parquet(store: &Path, path: &Path) -> Result<(), leadline_graph_store::GraphError> {
    let weights = Weights::F32;
    let layout = Layout { block_bytes: 4096, compressed: true, directed: true, weights, vertices: 4 };
    let mut writer = StoreWriter::create(store, layout)?;
    for (from, to) in [(0, 1), (1, 2), (2, 3)] {
        writer.edge(from, to, 0.5)?;
    }
    writer.finish()?;
    export(
        store,
        path,
        &ExportOptions { format: Some(Format::Parquet), ..ExportOptions::default() },
        &mut |_| {},
    )?;
    Ok(())
}
