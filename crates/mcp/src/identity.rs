//! What the server says of itself: in full where it introduces itself, by name and version in the `_meta` of every result
//! of the revision without a handshake.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use rmcp::RoleServer;
use rmcp::model::{
    CallToolResult, CompleteResult, GetPromptResult, GetSkillResult, Icon, Implementation, ListPromptsResult,
    ListResourceTemplatesResult, ListResourcesResult, ListSkillsResult, ListToolsResult, MetaObject,
    ProtocolVersion, ReadResourceResult,
};
use rmcp::service::RequestContext;
use serde_json::json;

/// Name of the server, its crate and its packages.
pub const NAME: &str = "freshcontext";
/// One-sentence description; the MCP registry allows 100 characters.
pub const DESCRIPTION: &str =
    "Public sources with the age of every item, and a judge of context you already have.";
/// Version of the server and of its packages.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");
/// The project's page.
const WEBSITE: &str = env!("CARGO_PKG_REPOSITORY");
/// The icon. It is sent as a data URI, so that showing it asks no network.
const ICON: &[u8] = include_bytes!("icon.png");
/// Key of the server's name and version in `_meta`.
const SERVER_INFO: &str = "io.modelcontextprotocol/serverInfo";

/// Returns the full introduction.
pub(crate) fn implementation() -> Implementation {
    let icon = format!("data:image/png;base64,{}", STANDARD.encode(ICON));
    let icon = Icon::new(icon)
        .with_mime_type("image/png")
        .with_sizes(vec!["48x48".to_owned()]);
    Implementation::new(NAME, VERSION)
        .with_title("FreshContext")
        .with_description(DESCRIPTION)
        .with_website_url(WEBSITE)
        .with_icons(vec![icon])
}

/// A result with `_meta`.
pub(crate) trait Identified: Sized {
    /// Returns its `_meta`.
    fn meta_mut(&mut self) -> &mut Option<MetaObject>;

    /// Adds the server's name and version, if the request is of the revision without a handshake.
    fn identified(mut self, context: &RequestContext<RoleServer>) -> Self {
        let version = context.protocol_version();
        if version.is_some_and(|version| version >= ProtocolVersion::V_2026_07_28) {
            let about = json!({"name": NAME, "version": VERSION});
            let meta = self.meta_mut().get_or_insert_default();
            meta.0.insert(SERVER_INFO.to_owned(), about);
        }
        self
    }
}

macro_rules! identified {
    ($($result:ty),+ $(,)?) => {
        $(impl Identified for $result {
            fn meta_mut(&mut self) -> &mut Option<MetaObject> {
                &mut self.meta
            }
        })+
    };
}

identified!(
    CallToolResult,
    CompleteResult,
    GetPromptResult,
    GetSkillResult,
    ListPromptsResult,
    ListResourceTemplatesResult,
    ListResourcesResult,
    ListSkillsResult,
    ListToolsResult,
    ReadResourceResult,
);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_introduction_is_complete_and_small() {
        let about = serde_json::to_value(implementation()).unwrap();
        assert_eq!(
            about["websiteUrl"],
            "https://github.com/freshcontext/freshcontext"
        );
        let icon = about["icons"][0]["src"].as_str().unwrap();
        assert!(
            icon.starts_with("data:image/png;base64,") && icon.len() < 1_000,
            "{}",
            icon.len()
        );
        assert_eq!(ICON.get(1..4), Some(b"PNG".as_slice()));
    }
}
