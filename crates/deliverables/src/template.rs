//! The Markdown that a version is filled into.

/// The parts of a template, by name.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Slots<'a> {
    /// `{{name}}`
    pub name: &'a str,
    /// `{{version}}`
    pub version: &'a str,
    /// `{{generated_at}}`
    pub generated_at: &'a str,
    /// `{{style}}`
    pub style: &'a str,
    /// `{{recipients}}`
    pub recipients: &'a str,
    /// `{{sources}}`: a line for each, with what is known of it
    pub sources: &'a str,
    /// `{{blocks}}`: the items that fit, each under its envelope
    pub blocks: &'a str,
    /// `{{missing}}`: a line for each thing that is known to be missing
    pub missing: &'a str,
}

/// What is used where a deliverable has no template of its own.
const PLAIN: &str = "\
# {{name}}, version {{version}}

Generated {{generated_at}}; every item is judged at that moment.

## Sources

{{sources}}

## Items

{{blocks}}

## Missing

{{missing}}
";

const NAMES: [&str; 8] = [
    "name",
    "version",
    "generated_at",
    "style",
    "recipients",
    "sources",
    "blocks",
    "missing",
];

/// The first `{{part}}` of a template that nothing is known of.
pub fn unknown_slot(template: &str) -> Option<&str> {
    let mut rest = template;
    while let Some((_, after)) = rest.split_once("{{") {
        let (name, after) = after.split_once("}}")?;
        if !NAMES.contains(&name.trim()) {
            return Some(name);
        }
        rest = after;
    }
    None
}

/// Fills a template, or ours where there is none. What is put in is not read for parts once more.
pub fn fill(template: Option<&str>, slots: &Slots<'_>) -> String {
    let template = template.unwrap_or(PLAIN);
    let mut out = String::with_capacity(template.len() + slots.blocks.len());
    let mut rest = template;
    while let Some((before, after)) = rest.split_once("{{") {
        out.push_str(before);
        let Some((name, after)) = after.split_once("}}") else {
            out.push_str("{{");
            rest = after;
            continue;
        };
        out.push_str(match name.trim() {
            "name" => slots.name,
            "version" => slots.version,
            "generated_at" => slots.generated_at,
            "style" => slots.style,
            "recipients" => slots.recipients,
            "sources" => slots.sources,
            "blocks" => slots.blocks,
            "missing" => slots.missing,
            _ => "",
        });
        rest = after;
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_filled_once() {
        let slots = Slots {
            name: "{{blocks}}",
            blocks: "one {{name}} two",
            ..Slots::default()
        };
        let filled = fill(Some("# {{ name }}\n{{blocks}} {{ end"), &slots);
        assert_eq!(filled, "# {{blocks}}\none {{name}} two {{ end");
        assert!(fill(None, &slots).contains("one {{name}} two"));
    }

    #[test]
    fn every_part_of_ours_is_known() {
        assert_eq!(unknown_slot(PLAIN), None);
        assert_eq!(unknown_slot("{{name}} {{nme}}"), Some("nme"));
        for name in NAMES {
            assert_eq!(
                fill(Some(&format!("a{{{{{name}}}}}b")), &Slots::default()),
                "ab",
                "{name}"
            );
        }
    }
}
