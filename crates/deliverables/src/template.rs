//! The Markdown template of a version. The output is bounded: each part occurs once, and content beyond a
//! size limit is omitted, which the text reports.

use std::collections::BTreeSet;

/// Parts of a template by name.
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
    /// `{{sources}}`: a line for each source with its state
    pub sources: &'a str,
    /// `{{blocks}}`: the selected items, each with its envelope and a final line break; each is put into a fence, unless the
    /// template has one around `{{blocks}}`
    pub blocks: &'a [&'a str],
    /// `{{missing}}`: a line for each known gap
    pub missing: &'a str,
}

/// Default template.
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

/// Fence around each block: in Markdown, `Title:` above the separator of an envelope would be a heading. Lines of sources are
/// quoted inside it, so none can close it. Tildes, so that a version can stand in a block of backticks as a whole.
const FENCE: &str = "~~~text\n";
const FENCE_END: &str = "~~~\n";

/// Text in place of the blocks if there are none.
const NO_BLOCKS: &str = "Nothing goes in.";

/// Returns the names between `{{` and `}}`, in order.
fn named(template: &str) -> impl Iterator<Item = &str> {
    let mut rest = template;
    std::iter::from_fn(move || {
        let (_, after) = rest.split_once("{{")?;
        let (name, after) = after.split_once("}}")?;
        rest = after;
        Some(name)
    })
}

/// Returns the first unknown `{{part}}` of a template.
pub fn unknown_slot(template: &str) -> Option<&str> {
    named(template).find(|name| !NAMES.contains(&name.trim()))
}

/// Returns the first repeated `{{part}}` of a template.
pub fn repeated_slot(template: &str) -> Option<&str> {
    let mut seen = BTreeSet::new();
    named(template).map(str::trim).find(|name| !seen.insert(*name))
}

/// The blocks that fit.
struct Shown<'a> {
    blocks: &'a [&'a str],
    /// Text about the omitted blocks.
    cut: String,
}

impl<'a> Shown<'a> {
    /// Selects whole blocks from the beginning, up to a size in bytes.
    fn of(blocks: &'a [&'a str], room: usize, most: usize) -> Self {
        let mut bytes = 0_usize;
        let fits = |block: &&&str| {
            bytes = bytes.saturating_add(fenced_bytes(block));
            bytes <= room
        };
        let count = blocks.iter().take_while(fits).count();
        let left_out = blocks.len() - count;
        Self {
            blocks: blocks.get(..count).unwrap_or_default(),
            cut: if left_out == 0 {
                String::new()
            } else {
                let all = blocks.len();
                format!(
                    "Cut: {left_out} of {all} items are left out of this text, {}.",
                    bound(most)
                )
            },
        }
    }

    fn push_to(&self, out: &mut String) {
        if self.blocks.is_empty() && self.cut.is_empty() {
            out.push_str(NO_BLOCKS);
            return;
        }
        let (open, close) = if is_fenced(out) {
            ("", "")
        } else {
            (FENCE, FENCE_END)
        };
        let begin = out.len();
        for block in self.blocks {
            out.extend([open, block, close]);
        }
        out.push_str(&self.cut);
        let end = out.get(begin..).unwrap_or_default().trim_end().len();
        out.truncate(begin + end);
    }
}

/// Whether a fence is open at the end of this text.
fn is_fenced(text: &str) -> bool {
    let mut open: Option<&str> = None;
    for line in text.lines() {
        let line = line.trim_start();
        let mark = ["```", "~~~"].into_iter().find(|mark| line.starts_with(mark));
        match (open, mark) {
            (None, Some(mark)) => open = Some(mark),
            (Some(opened), Some(mark)) if opened == mark => open = None,
            _ => {}
        }
    }
    open.is_some()
}

fn fenced_bytes(block: &str) -> usize {
    FENCE.len() + block.len() + FENCE_END.len()
}

fn bound(most: usize) -> String {
    format!("which may have {most} bytes (limits.version_bytes)")
}

/// Space reserved for the line about omitted blocks, in bytes.
const CUT_BYTES: usize = 160;

/// Fills a template, or the default one, with at most `most` bytes. Inserted text is not searched for parts.
/// A repeated part, possible in templates stored before it was refused, is filled once. Blocks that do not
/// fit are omitted as a whole, and the text states their number.
pub fn fill(template: Option<&str>, slots: &Slots<'_>, most: usize) -> String {
    let template = template.unwrap_or(PLAIN);
    let bytes: usize = slots.blocks.iter().map(|block| fenced_bytes(block)).sum();
    let others = filled(template, slots, |_| ()).len();
    // Only the blocks are cut, as long as the rest leaves room for them.
    let room = if others.saturating_add(bytes) <= most {
        bytes
    } else {
        most.saturating_sub(others + CUT_BYTES)
    };
    let shown = Shown::of(slots.blocks, room, most);
    let mut out = filled(template, slots, |out| shown.push_to(out));
    if out.len() > most {
        let end = out.floor_char_boundary(most.saturating_sub(CUT_BYTES));
        let end = out.get(..end).and_then(|kept| kept.rfind('\n')).unwrap_or(0);
        out.truncate(end);
        out.push_str("\nCut: the rest of this text is left out, ");
        out.push_str(&bound(most));
        out.push_str(".\n");
    }
    out
}

fn filled(template: &str, slots: &Slots<'_>, blocks: impl Fn(&mut String)) -> String {
    let mut out = String::with_capacity(template.len() + slots.sources.len());
    let mut seen = BTreeSet::new();
    let mut rest = template;
    while let Some((before, after)) = rest.split_once("{{") {
        out.push_str(before);
        let Some((name, after)) = after.split_once("}}") else {
            out.push_str("{{");
            rest = after;
            continue;
        };
        rest = after;
        let name = name.trim();
        if !seen.insert(name) {
            continue;
        }
        match name {
            "name" => out.push_str(slots.name),
            "version" => out.push_str(slots.version),
            "generated_at" => out.push_str(slots.generated_at),
            "style" => out.push_str(slots.style),
            "recipients" => out.push_str(slots.recipients),
            "sources" => out.push_str(slots.sources),
            "blocks" => blocks(&mut out),
            "missing" => out.push_str(slots.missing),
            _ => {}
        }
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    const MOST: usize = 1 << 20;

    #[test]
    fn parts_are_filled_once() {
        let slots = Slots {
            name: "{{blocks}}",
            blocks: &["one {{name}} two\n"],
            ..Slots::default()
        };
        let filled = fill(Some("# {{ name }}\n{{blocks}} {{ end"), &slots, MOST);
        assert_eq!(filled, "# {{blocks}}\n~~~text\none {{name}} two\n~~~ {{ end");
        let own = fill(Some("```\n{{blocks}}\n```\n"), &slots, MOST);
        assert_eq!(own, "```\none {{name}} two\n```\n");
        assert!(fill(None, &slots, MOST).contains("one {{name}} two"));
        assert!(fill(None, &Slots::default(), MOST).contains(NO_BLOCKS));
        // Stored before repeated parts were refused.
        let twice = fill(Some("{{blocks}}|{{ blocks }}|{{name}}"), &slots, MOST);
        assert_eq!(twice, "~~~text\none {{name}} two\n~~~||{{blocks}}");
    }

    #[test]
    fn every_part_of_the_default_template_is_known() {
        assert_eq!(unknown_slot(PLAIN), None);
        assert_eq!(repeated_slot(PLAIN), None);
        assert_eq!(unknown_slot("{{name}} {{nme}}"), Some("nme"));
        assert_eq!(repeated_slot("{{blocks}} {{name}} {{ blocks }}"), Some("blocks"));
        for name in NAMES.into_iter().filter(|name| *name != "blocks") {
            assert_eq!(
                fill(Some(&format!("a{{{{{name}}}}}b")), &Slots::default(), MOST),
                "ab",
                "{name}"
            );
        }
    }

    #[test]
    fn what_goes_beyond_the_bound_is_left_out_and_said() {
        let block = "x".repeat(99) + "\n";
        let blocks: Vec<&str> = vec![&block; 50];
        let slots = Slots {
            blocks: &blocks,
            missing: "- something",
            ..Slots::default()
        };
        let template = Some("begin\n{{blocks}}\nend\n{{missing}}\n");
        let whole = fill(template, &slots, MOST);
        assert!(whole.contains(&block) && !whole.contains("Cut:"), "{whole}");
        assert_eq!(fill(template, &slots, whole.len() + 1), whole);
        let cut = fill(template, &slots, 2_000);
        assert!(cut.len() <= 2_000 && cut.ends_with("end\n- something\n"), "{cut}");
        let said = "Cut: 34 of 50 items are left out of this text, which may have 2000 bytes (limits.version_bytes).";
        assert!(cut.contains(said), "{cut}");
        let template = "word ".repeat(1_000) + "\n{{blocks}}";
        let cut = fill(Some(&template), &slots, 2_000);
        assert!(
            cut.len() <= 2_000 && cut.contains("Cut: the rest of this text is left out"),
            "{cut}"
        );
        assert!(fill(None, &slots, 1).contains("limits.version_bytes"));
    }
}
