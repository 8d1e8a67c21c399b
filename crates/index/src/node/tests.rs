use std::collections::BTreeMap;

use proptest::prelude::*;

use super::*;

const BYTES: usize = 504;

fn empty() -> Vec<u8> {
    let mut bytes = vec![0; BYTES];
    NodeBuilder::begin(&mut bytes, &NodeHead { stamp: 7, level: 0, low: b"", high: None });
    bytes
}

fn entries(node: &Node<'_>) -> BTreeMap<Vec<u8>, Vec<u8>> {
    let value = |entry: usize| match node.value(entry).unwrap() {
        Value::Inline(bytes) => bytes.to_vec(),
        Value::Long(long) => long.pack().to_vec(),
    };
    (0..node.count()).map(|entry| (node.key(entry).unwrap(), value(entry))).collect()
}

/// Keys with long common beginnings, and short ones.
fn key() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![
        prop::collection::vec(0u8..4, 0..6),
        (0u16..200).prop_map(|n| format!("customer/{n:05}").into_bytes()),
        prop::collection::vec(any::<u8>(), 0..60),
    ]
}

#[derive(Debug, Clone)]
enum Step {
    Put(Vec<u8>, Vec<u8>),
    PutLong(Vec<u8>, u64),
    Remove(Vec<u8>),
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        4 => (key(), prop::collection::vec(any::<u8>(), 0..14)).prop_map(|(key, value)| Step::Put(key, value)),
        1 => (key(), any::<u64>()).prop_map(|(key, bytes)| Step::PutLong(key, bytes)),
        2 => key().prop_map(Step::Remove),
    ]
}

/// One level of nodes, and what it holds.
struct Level {
    nodes: BTreeMap<Page, Vec<u8>>,
    model: BTreeMap<Vec<u8>, Vec<u8>>,
}

impl Level {
    fn page_of(&self, key: &[u8]) -> Page {
        let mut page = 1;
        while let Some(next) = Node::new(&self.nodes[&page]).unwrap().beyond(key).unwrap() {
            page = next;
        }
        page
    }

    fn put(&mut self, key: &[u8], value: Value<'_>, expected: Vec<u8>) {
        loop {
            let page = self.page_of(key);
            let mut left = self.nodes.remove(&page).unwrap();
            let put = NodeMut::new(&mut left).unwrap().put(key, value).unwrap();
            if put == Put::Full {
                let (mut right, right_page) = (vec![0xaa; BYTES], self.nodes.len() as Page + 2);
                split(&mut left, &mut right, right_page, key, 8).unwrap();
                self.nodes.insert(right_page, right);
            }
            self.nodes.insert(page, left);
            if put != Put::Full {
                let old = self.model.insert(key.to_vec(), expected);
                assert_eq!(put == Put::New, old.is_none());
                return;
            }
        }
    }

    fn remove(&mut self, key: &[u8]) {
        let page = self.page_of(key);
        let mut node = NodeMut::new(self.nodes.get_mut(&page).unwrap()).unwrap();
        let found = node.node().unwrap().search(key).unwrap();
        assert_eq!(found.is_ok(), self.model.remove(key).is_some());
        if let Ok(entry) = found {
            node.remove(entry).unwrap();
        }
    }

    fn check(&self) {
        let (mut all, mut page, mut low) = (BTreeMap::new(), Some(1), Vec::new());
        while let Some(at) = page {
            let node = Node::new(&self.nodes[&at]).unwrap();
            assert_eq!(node.verify(), Ok(()), "page {at}");
            assert_eq!(node.low(), low, "page {at}");
            let own = entries(&node);
            for (entry, key) in own.keys().enumerate() {
                assert_eq!(node.search(key).unwrap(), Ok(entry));
                assert_eq!(node.first_from(key).unwrap(), entry);
                assert!(node.beyond(key).unwrap().is_none());
            }
            all.extend(own);
            (page, low) = (node.next(), node.high().unwrap_or_default());
        }
        assert_eq!(all, self.model);
    }
}

proptest! {
    #[test]
    fn nodes_hold_what_was_put_into_them(steps in prop::collection::vec(step(), 0..400)) {
        let mut level = Level { nodes: BTreeMap::from([(1, empty())]), model: BTreeMap::new() };
        let limits = Limits::of(BYTES);
        for step in &steps {
            match step {
                Step::Put(key, value) => {
                    prop_assert!(key.len() <= limits.key && key.len() + value.len() <= limits.entry);
                    level.put(key, Value::Inline(value), value.clone());
                }
                Step::PutLong(key, bytes) => {
                    let long = LongValue { first: bytes / 3, bytes: *bytes };
                    level.put(key, Value::Long(long), long.pack().to_vec());
                }
                Step::Remove(key) => level.remove(key),
            }
        }
        level.check();
    }

    #[test]
    fn bytes_that_are_no_node_do_no_harm(
        mut bytes in prop::collection::vec(any::<u8>(), HEADER..300),
        soft in any::<bool>(),
        key in key(),
    ) {
        if soft {
            // Looks like a node.
            bytes[16..28].iter_mut().for_each(|byte| *byte %= 3);
            bytes[28..32].copy_from_slice(&200u32.to_le_bytes());
        }
        if let Ok(node) = Node::new(&bytes) {
            let _ = (node.search(&key), node.beyond(&key), node.first_from(&key), node.verify());
            let _ = (node.entry_for(&key), node.child(0), node.value(1), node.low(), node.high());
            let mut copy = bytes.clone();
            if let Ok(mut node) = NodeMut::new(&mut copy) {
                let _ = node.put(&key, Value::Inline(b"value"));
                let _ = node.remove(0);
            }
        }
    }
}

#[test]
fn separators_are_as_short_as_they_can_be() {
    let bound = |a: &str, b: &str| String::from_utf8(separator(a.as_bytes(), b.as_bytes()).to_vec()).unwrap();
    assert_eq!(bound("customer/00017", "customer/00400"), "customer/004");
    assert_eq!(bound("a", "b"), "b");
    assert_eq!(bound("a", "ab"), "ab");
    assert_eq!(bound("", "zebra"), "z");
}

#[test]
fn a_node_of_any_size_has_room_for_four_entries() {
    for page_len in [504, 1016, 4088, 8184, 16376, 32760, 65528] {
        let Limits { key, entry } = Limits::of(page_len);
        let mut bytes = vec![0; page_len];
        // Bounds with nothing in common.
        let (low, high) = (vec![1; key], vec![2; key]);
        let head = NodeHead { stamp: 1, level: 0, low: &low, high: Some((&high, 2)) };
        let mut builder = NodeBuilder::begin(&mut bytes, &head);
        for number in 0..4 {
            let mut own = vec![1; key];
            own[key - 1] = 2 + number;
            assert!(builder.push(&own, Value::Inline(&vec![0; entry - key])), "{page_len}: {number}");
        }
    }
}

/// Its checksum may be right: a node may be damaged before it is made.
#[test]
fn a_node_whose_keys_contradict_its_bounds_is_not_divided() {
    let head = NodeHead { stamp: 7, level: 0, low: b"key 10", high: Some((b"key 30", 2)) };
    let mut sound = vec![0; BYTES];
    let mut builder = NodeBuilder::begin(&mut sound, &head);
    (10..30).for_each(|key| assert!(builder.push(format!("key {key}").as_bytes(), Value::Inline(&[1; 8]))));
    let mut right = vec![0; BYTES];
    split(&mut sound.clone(), &mut right, 3, b"key 20", 8).unwrap();
    for at in HEADER..BYTES {
        for byte in [0, 1, 0xff] {
            let mut damaged = sound.clone();
            damaged[at] = byte;
            // An error, or what nobody looks at.
            let _ = split(&mut damaged, &mut right, 3, b"key 20", 8);
        }
    }
    for field in [at::PREFIX, at::LOW, at::HIGH] {
        for bytes in [0u16, 1, 3, 40, 300] {
            let mut damaged = sound.clone();
            damaged[field..field + 2].copy_from_slice(&bytes.to_le_bytes());
            let _ = split(&mut damaged, &mut right, 3, b"key 20", 8);
        }
    }
}
