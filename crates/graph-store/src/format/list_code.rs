//! Lists as an entry of a block has them: the neighbours, then the weights. Several threads may make them,
//! each of the vertices that it has.

use super::{Layout, Vertex, Weights, code};

/// Most bytes of a list that goes whole into one block. A longer one is a hub's.
pub(crate) fn most_bytes(layout: &Layout) -> usize {
    layout.block_bytes as usize / 4
}

/// Appends a list of `owner`; of the weights only where the layout has some.
pub(crate) fn encode(
    layout: &Layout,
    owner: Vertex,
    neighbours: impl ExactSizeIterator<Item = Vertex>,
    weights: impl Iterator<Item = f64>,
    out: &mut Vec<u8>,
) {
    if layout.compressed {
        code::encode(owner, neighbours, out);
    } else {
        out.extend(neighbours.flat_map(|neighbour| neighbour.to_le_bytes()));
    }
    match layout.weights {
        Weights::None => {}
        Weights::F32 => out.extend(weights.flat_map(|weight| (weight as f32).to_le_bytes())),
        Weights::F64 => out.extend(weights.flat_map(f64::to_le_bytes)),
    }
}

/// Some lists, one behind the other.
#[derive(Debug, Default)]
pub(crate) struct ListCodes {
    lists: Vec<ListCode>,
    code: Vec<u8>,
}

/// How many edges a list has, and how many bytes its code; none where it has to be written edge by edge.
#[derive(Debug, Clone, Copy)]
struct ListCode {
    edges: u32,
    bytes: u32,
}

impl ListCodes {
    /// Empties it, and keeps its memory.
    pub(crate) fn clear(&mut self) {
        self.lists.clear();
        self.code.clear();
    }

    /// Adds the whole list of a vertex. Whether it is in code: a hub's is not.
    pub(crate) fn push(
        &mut self,
        layout: &Layout,
        owner: Vertex,
        neighbours: impl ExactSizeIterator<Item = Vertex>,
        weights: impl Iterator<Item = f64>,
    ) -> bool {
        let (edges, start, most) = (neighbours.len(), self.code.len(), most_bytes(layout));
        // A value takes a byte at least.
        if edges > most {
            self.push_edges(edges);
            return false;
        }
        encode(layout, owner, neighbours, weights, &mut self.code);
        let bytes = self.code.len() - start;
        if bytes > most {
            self.code.truncate(start);
            self.push_edges(edges);
            return false;
        }
        self.lists.push(ListCode { edges: edges as u32, bytes: bytes as u32 });
        true
    }

    /// Adds edges of one vertex that are to be written one by one.
    pub(crate) fn push_edges(&mut self, mut edges: usize) {
        while edges > 0 {
            let now = edges.min(1 << 30);
            self.lists.push(ListCode { edges: now as u32, bytes: 0 });
            edges -= now;
        }
    }

    /// How many edges each list has, and its code.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (usize, Option<&[u8]>)> {
        let mut rest = self.code.as_slice();
        self.lists.iter().map(move |list| {
            let code;
            (code, rest) = rest.split_at(list.bytes as usize);
            (list.edges as usize, (!code.is_empty()).then_some(code))
        })
    }

    /// Bytes in memory.
    pub(crate) fn memory_bytes(&self) -> u64 {
        (self.lists.capacity() * size_of::<ListCode>() + self.code.capacity()) as u64
    }
}
