//! Indexes: what is wrong with their directory, and what entries they do not take.

use std::io::ErrorKind;

use leadline_device::format_size;
use leadline_index::IndexError;

use super::Failure;

impl From<IndexError> for Failure {
    fn from(error: IndexError) -> Self {
        match &error {
            IndexError::NotThere { path } => Failure::Input(format!(
                "{}: there is no index; make one with leadline index load",
                path.display()
            )),
            IndexError::KeyTooLong { key, bytes, most, node_bytes } => Failure::Input(format!(
                "the key `{key}` has {bytes} bytes, and nodes of {node_bytes} bytes take keys of at most \
                 {most}; make the index with a larger --node-size, or use a hash of the key"
            )),
            IndexError::NodeBytes { path, found, asked } => Failure::Input(format!(
                "{}: its nodes have {found} bytes, and --node-size asks for {asked}; leave it out, or load \
                 the entries into a new index",
                path.display()
            )),
            IndexError::LogDoesNotFit { path, bytes } => Failure::Input(format!(
                "{}: it was not closed, and the changes in its log do not fit in {} of memory; give more \
                 with --memory",
                path.display(),
                format_size(*bytes)
            )),
            IndexError::Memory { path, bytes, source } => Failure::Input(format!(
                "{}: --memory {}: {source}; give less",
                path.display(),
                format_size(*bytes)
            )),
            IndexError::Io { path, source, .. } if is_forbidden(source.kind()) => Failure::Input(format!(
                "{}: {source}; load writes to the directory of an index, all other commands only read it",
                path.display()
            )),
            IndexError::Io { path, source, .. } if source.kind() == ErrorKind::NotADirectory => {
                let folder = path.parent().filter(|_| path.ends_with("index")).unwrap_or(path);
                Failure::Input(format!(
                    "{}: is not a directory; name the directory of an index",
                    folder.display()
                ))
            }
            IndexError::ValueTooLong { .. }
            | IndexError::NodeSize { .. }
            | IndexError::NoIndex { .. }
            | IndexError::NoPages { .. }
            | IndexError::NoHead { .. }
            | IndexError::Version { .. }
            | IndexError::InUse { .. } => Failure::Input(error.to_string()),
            _ => Failure::Operation(error.to_string()),
        }
    }
}

fn is_forbidden(kind: ErrorKind) -> bool {
    matches!(kind, ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_option_for_memory_is_named() {
        let path = || "words.index".into();
        let (bytes, source) = (64 << 30, ErrorKind::OutOfMemory.into());
        for error in [
            IndexError::Memory { path: path(), bytes, source },
            IndexError::LogDoesNotFit { path: path(), bytes },
        ] {
            let Failure::Input(said) = Failure::from(error) else { panic!("it is the user's to solve") };
            assert!(said.starts_with("words.index: ") && said.contains("64G") && said.contains("--memory"));
        }
    }
}
