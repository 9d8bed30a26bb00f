//! Equality of what a tree says, whatever the place at which it stands in a text.

/// Equality and hash of a type by some of its fields.
macro_rules! compared_by {
    ($node:ty: $($field:ident),+) => {
        impl PartialEq for $node {
            fn eq(&self, other: &Self) -> bool {
                $(self.$field == other.$field)&&+
            }
        }

        impl Eq for $node {}

        impl std::hash::Hash for $node {
            fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
                $(self.$field.hash(state);)+
            }
        }
    };
}

pub(super) use compared_by;
