//! Tests that read the recordings beside the checkout. A clone without them neither runs nor lists such a test: nothing
//! is shown as ignored for data that its reader cannot have.

use proc_macro::TokenStream;

/// In place of `#[test]`, for a test that reads recordings. Without them the function is compiled and not run.
///
/// They are looked for when this crate is built. Where they came later, one build with
/// `FRESHCONTEXT_REQUIRE_RECORDINGS=1` finds them.
///
/// # Panics
/// Never: the attribute is a literal that parses.
#[proc_macro_attribute]
#[expect(clippy::expect_used, reason = "the text is a literal")]
pub fn test(_: TokenStream, function: TokenStream) -> TokenStream {
    let attribute = if cfg!(recordings) {
        "#[::core::prelude::v1::test]"
    } else {
        "#[allow(dead_code, reason = \"run where the recordings are\")]"
    };
    let mut out: TokenStream = attribute.parse().expect("an attribute");
    out.extend(function);
    out
}
