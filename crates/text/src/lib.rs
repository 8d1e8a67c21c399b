//! What a file of columns looks like: bytes, then line ends, then what separates columns, which lines are
//! comments and whether the first line names the columns.
//!
//! [`Dialect::detect`] tells it from the first lines. It never guesses: a file that can be read in two ways
//! is [`Undecided`], with both readings and the option of [`TextOptions`] that decides.
//!
//! ```
//! use leadline_text::{Delimiter, Dialect, Hint, Sample, TextOptions};
//!
//! let sample = Sample::new(b"Citing;Cited\n1;2\n3;1\n", true)?;
//! let dialect = Dialect::detect(&sample, &Hint::default(), &TextOptions::default())?;
//! assert_eq!(dialect.delimiter, Delimiter::Byte(b';'));
//! assert_eq!(dialect.header.as_deref(), Some(["Citing".to_owned(), "Cited".to_owned()].as_slice()));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod column;
mod delimiter;
mod dialect;
mod encoding;
mod fields;
mod header;
mod hint;
mod kind;
mod options;
mod reading;
mod row;
mod sample;
mod shown;
mod undecided;

pub use column::Column;
pub use delimiter::Delimiter;
pub use dialect::{Dialect, could_be_a_name};
pub use encoding::{BYTE_ORDER_MARK, LineEnd};
pub use fields::Fields;
pub use hint::Hint;
pub use kind::Kind;
pub use options::{Comment, TextOptions};
pub use sample::{Line, SAMPLE_LINES, Sample};
pub use shown::shown;
pub use undecided::{TextOption, Undecided};
