//! Values that bypass the tree of owned JSON: arguments that borrow from the message that brought them, and a structured
//! result that is already text.

use std::sync::Arc;

use bytes::Bytes;
use self_cell::self_cell;
use serde_json_borrow::Value;

self_cell!(
    /// A value, and the text that it is read from and borrows from.
    struct Read {
        owner: Bytes,
        #[covariant]
        dependent: Value,
    }

    impl {Debug}
);

/// An object of arguments whose texts are borrowed from the message that brought it.
#[derive(Debug, Clone)]
pub struct BorrowedArguments {
    read: Arc<Read>,
    /// Length of their JSON text, in bytes.
    length: usize,
}

impl BorrowedArguments {
    /// Reads those that a text begins with, whatever follows them; `None` where it begins with no object.
    pub fn beginning(text: Bytes) -> Option<Self> {
        if !text.starts_with(b"{") {
            return None;
        }
        let mut length = 0;
        let read = Read::try_new(text, |text| {
            // Checked as a whole, which is quicker than text by text.
            let text = simdutf8::basic::from_utf8(text).map_err(drop)?;
            let mut values = serde_json::Deserializer::from_str(text).into_iter();
            let value: Value<'_> = values.next().and_then(Result::ok).ok_or(())?;
            length = values.byte_offset();
            Ok::<_, ()>(value)
        });
        let read = Arc::new(read.ok()?);
        Some(Self { read, length })
    }

    /// As they were read.
    pub fn value(&self) -> &Value<'_> {
        self.read.borrow_dependent()
    }

    /// As they came, in UTF-8.
    pub fn json(&self) -> &[u8] {
        self.read.borrow_owner().get(..self.length).unwrap_or_default()
    }

    /// Whether there is an argument of this name.
    pub fn hold(&self, name: &str) -> bool {
        let fields = self.value().as_object();
        fields.is_some_and(|fields| fields.iter().any(|(known, _)| known == name))
    }
}
