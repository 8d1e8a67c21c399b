//! The targets, a file per kind of input.

mod containers;
mod corpus;
mod devices;
mod edges;
mod faults;
mod imports;
mod indexes;
mod options;
mod profiles;
mod settings;
mod sharded;
mod stores;
mod tables;
mod traces;

use crate::Target;

/// All targets.
///
/// # Errors
/// What the system says where there can be no temporary file.
pub fn all() -> std::io::Result<Vec<Box<dyn Target>>> {
    let mut all: Vec<Box<dyn Target>> = vec![
        Box::new(profiles::Profiles),
        Box::new(imports::Imports),
        Box::new(tables::Tables),
        Box::new(devices::Devices),
        Box::new(faults::Faults),
        Box::new(options::RocksdbOptions),
    ];
    all.extend(settings::all()?.into_iter().map(|target| Box::new(target) as Box<dyn Target>));
    all.push(Box::new(containers::Containers::new()));
    all.extend(traces::all());
    all.extend(edges::all()?);
    all.push(Box::new(corpus::Corpus::new()?));
    all.push(Box::new(stores::Stores::new()?));
    all.extend(sharded::all()?);
    all.extend(indexes::all()?);
    Ok(all)
}
