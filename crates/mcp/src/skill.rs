//! The skill: how a model uses this server. One file, also for clients that read it from the repository. Served by the
//! extension of <https://modelcontextprotocol.io/seps/2640-skills-extension>.

use rmcp::model::{
    CacheScope, ErrorData, GetSkillResult, ListSkillsResult, ReadResourceResult, Resource, ResourceContents,
    Skill, SkillFrontmatter, SkillResource, SkillResources,
};

/// Name of the extension.
pub(crate) const EXTENSION: &str = rmcp::model::SKILLS_EXTENSION_ID;
/// URI of the skill.
pub(crate) const URI: &str = "skill://freshcontext/SKILL.md";
/// The skill.
const TEXT: &str = include_str!("../../../skills/freshcontext/SKILL.md");
/// Media type.
const KIND: &str = "text/markdown";
/// Line around the front matter.
const FENCE: &str = "---";

/// Returns the front matter. Its values are plain texts, one a line.
fn front_matter() -> impl Iterator<Item = (&'static str, &'static str)> {
    let lines = TEXT.lines().skip(1).take_while(|line| *line != FENCE);
    lines.filter_map(|line| line.split_once(": "))
}

fn value(name: &str) -> &'static str {
    let found = front_matter().find(|(known, _)| *known == name);
    found.map_or("", |(_, value)| value)
}

/// Lists the skill as a resource.
pub(crate) fn resource() -> Resource {
    Resource::new(URI, value("name"))
        .with_title("How to use FreshContext")
        .with_description(value("description"))
        .with_mime_type(KIND)
}

/// Returns the skill's text. It changes only with the binary.
pub(crate) fn read(ttl_ms: u64) -> ReadResourceResult {
    let content = ResourceContents::text(TEXT, URI).with_mime_type(KIND);
    ReadResourceResult::new(vec![content])
        .with_ttl_ms(ttl_ms)
        .with_cache_scope(CacheScope::Public)
}

/// Describes the skill with the digest of its file.
fn entry() -> Skill {
    let mut about = SkillFrontmatter::new("", "");
    for (name, value) in front_matter() {
        match name {
            "name" => value.clone_into(&mut about.name),
            "description" => value.clone_into(&mut about.description),
            _ => about = about.with_field(name, value),
        }
    }
    let file = SkillResource::from_bytes(URI, TEXT.as_bytes());
    Skill::new(URI, about, SkillResources::Files(vec![file]))
}

/// Lists the skill.
pub(crate) fn list(ttl_ms: u64) -> ListSkillsResult {
    ListSkillsResult::with_all_items(vec![entry()])
        .with_ttl_ms(ttl_ms)
        .with_cache_scope(CacheScope::Public)
}

/// Returns the entry of the skill at a URI.
pub(crate) fn get(uri: &str) -> Result<GetSkillResult, ErrorData> {
    if uri == URI {
        return Ok(GetSkillResult::new(entry()));
    }
    let message = format!("`uri` names no skill of this server; it has {URI}");
    Err(ErrorData::invalid_params(message, None))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The specification of Agent Skills: <https://agentskills.io/specification>.
    #[test]
    fn the_front_matter_is_complete_and_plain() {
        assert!(TEXT.starts_with("---\n"));
        let names: Vec<_> = front_matter().map(|(name, _)| name).collect();
        assert_eq!(names, ["name", "description", "license"]);
        assert_eq!(value("name"), "freshcontext");
        let description = value("description");
        assert!((1..=1024).contains(&description.len()), "{description}");
        // A plain scalar of YAML, so that reading it as a line is right.
        for (_, value) in front_matter() {
            assert!(!value.contains(": ") && !value.contains(" #"), "{value}");
            assert!(value.starts_with(|c: char| c.is_ascii_alphanumeric()), "{value}");
        }
        assert!(TEXT.lines().count() < 500);
        assert_eq!(entry().validate(), Ok(()));
    }
}
