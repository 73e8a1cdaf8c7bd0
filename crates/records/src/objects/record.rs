//! How a record is declared.

/// A record: what it must have, what it may have, and its lists, which are left out where they are empty. Unknown
/// fields are refused, so that a name that is misspelt is found; what others add belongs in `metadata`.
macro_rules! record {
    (
        $(#[$about:meta])* $name:ident
        $(needs { $($(#[$nd:meta])* $n:ident: $nt:ty,)+ })?
        $(may { $($(#[$md:meta])* $m:ident: $mt:ty,)+ })?
        $(lists { $($(#[$ld:meta])* $l:ident: $lt:ty,)+ })?
    ) => {
        $(#[$about])*
        #[derive(
            Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema,
        )]
        #[serde(deny_unknown_fields)]
        pub struct $name {
            $($($(#[$nd])* pub $n: $nt,)+)?
            $($(
                $(#[$md])*
                #[serde(default, skip_serializing_if = "Option::is_none")]
                pub $m: Option<$mt>,
            )+)?
            $($(
                $(#[$ld])*
                #[serde(default, skip_serializing_if = "is_empty")]
                pub $l: $lt,
            )+)?
        }
    };
}
pub(crate) use record;

/// Whether a list or a set of facts is empty.
pub(crate) trait Emptiness {
    /// Whether nothing is in it.
    fn holds_nothing(&self) -> bool;
}

impl<T> Emptiness for Vec<T> {
    fn holds_nothing(&self) -> bool {
        self.is_empty()
    }
}

impl Emptiness for serde_json::Map<String, serde_json::Value> {
    fn holds_nothing(&self) -> bool {
        self.is_empty()
    }
}

/// For serde: whether a field is left out.
pub(crate) fn is_empty(value: &impl Emptiness) -> bool {
    value.holds_nothing()
}

/// Facts that the specification does not name.
pub type Facts = serde_json::Map<String, serde_json::Value>;
