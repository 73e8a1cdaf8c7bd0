//! Reading JSON more strictly than serde does by itself.

use std::fmt;
use std::marker::PhantomData;

use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};

/// Reads a struct from an object and from nothing else: the reading that serde derives takes a list of the
/// fields' values too. For `#[serde(deserialize_with = "...")]`.
///
/// ```
/// use freshcontext_core::json::from_object;
/// use serde::Deserialize;
///
/// #[derive(Debug, Deserialize)]
/// struct Fields {
///     name: String,
/// }
/// #[derive(Debug, Deserialize)]
/// #[serde(transparent)]
/// struct Named(#[serde(deserialize_with = "from_object")] Fields);
///
/// assert_eq!(serde_json::from_str::<Named>(r#"{"name": "a"}"#)?.0.name, "a");
/// assert_eq!(serde_json::from_str::<Fields>(r#"["a"]"#)?.name, "a");
/// assert!(serde_json::from_str::<Named>(r#"["a"]"#).is_err());
/// # Ok::<(), serde_json::Error>(())
/// ```
pub fn from_object<'de, D: Deserializer<'de>, T: Deserialize<'de>>(deserializer: D) -> Result<T, D::Error> {
    struct Object<T>(PhantomData<T>);

    impl<'de, T: Deserialize<'de>> Visitor<'de> for Object<T> {
        type Value = T;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("an object")
        }

        fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<T, A::Error> {
            T::deserialize(MapAccessDeserializer::new(map))
        }
    }

    deserializer.deserialize_map(Object(PhantomData))
}
