//! A made-up cluster of three nodes, one of which is slow.

use leadline_profile::{DeviceProfile, Pattern};
use leadline_report::{Fleet, FleetChange, FleetOutlier, Quantity, compare};

use super::{sample_profile, slower_profile};

pub fn sample_fleet() -> (Fleet, Vec<DeviceProfile>) {
    let profiles = vec![sample_profile(), sample_profile(), slower_profile()];
    let row = compare(&[sample_profile(), slower_profile()])
        .rows
        .into_iter()
        .find(|row| row.quantity == Quantity::MaxReadIops)
        .expect("reads were measured");
    let fleet = Fleet {
        heading: "node-c is slow".to_owned(),
        troubles: vec![
            "node-c: 0.33 times the reads per second of the other nodes (4K random).".to_owned(),
            "node-d: the node died while it was measured.".to_owned(),
        ],
        sentences: vec!["3 nodes were measured, 1 was not.".to_owned()],
        rules: vec!["A node is an outlier where it differs from more than half of the nodes.".to_owned()],
        nodes: ["node-a", "node-b", "node-c"].map(str::to_owned).to_vec(),
        outliers: vec![FleetOutlier {
            node: 2,
            pattern: Pattern::Random,
            block_bytes: 4096,
            quantity: Quantity::MaxReadIops,
            ratio: 1.0 / 3.0,
        }],
        drift: vec![FleetChange { node: "node-c".to_owned(), row }],
    };
    (fleet, profiles)
}
