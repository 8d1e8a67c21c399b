//! Setters for configurations, which are `#[non_exhaustive]`: a new option breaks no caller.

/// For each field a method of its name that takes the configuration and gives it back with the field set.
macro_rules! setters {
    ($($(#[$doc:meta])* $field:ident: $type:ty,)*) => {
        $(
            $(#[$doc])*
            #[must_use]
            pub fn $field(mut self, $field: $type) -> Self {
                self.$field = $field;
                self
            }
        )*
    };
}

pub(crate) use setters;
