//! The text that went out, and what it became visible to.

use serde_json::{Value, json};

use super::Maker;
use crate::ids::sha256_hex;
use crate::objects::{Assembly, Block, Facts, Injection, Span};
use crate::values::{EventClass, InjectionPoint, Kind, RedactionState, State};

/// How a text is built.
pub(crate) struct Shape {
    pub wrapping: &'static str,
    pub separator: &'static str,
}

impl Maker<'_> {
    /// What was put together and went out: the blocks of the text, each with the items that are in it, and what the text
    /// became visible to. `cause` is the event that it follows from.
    pub(crate) fn delivered(
        &mut self,
        blocks: &[(Span, Option<u64>, Vec<String>)],
        shape: &Shape,
        budget_ref: Option<&str>,
        cause: &str,
    ) {
        let text = self.text;
        let assembly_id = self.id(Kind::Assembly);
        let mut items: Vec<String> = Vec::new();
        let mut ordered = Vec::new();
        for (at, (span, tokens, refs)) in blocks.iter().enumerate() {
            let cut = usize::try_from(span.start)
                .ok()
                .zip(usize::try_from(span.end).ok());
            let part = cut
                .and_then(|(start, end)| text.get(start..end))
                .unwrap_or_default();
            let withheld = self.is_withheld(part);
            if withheld {
                self.withhold(&assembly_id, &format!("/ordered_blocks/{at}/sha256"));
            }
            ordered.push(Block {
                order: at as u64 + 1,
                span: span.clone(),
                sha256: (!withheld).then(|| sha256_hex(part)),
                tokens: *tokens,
                item_refs: refs.clone(),
            });
            for item in refs {
                if !items.contains(item) {
                    items.push(item.clone());
                }
            }
        }
        let withheld = self.is_withheld(text);
        self.bundle.context_assembly.push(Assembly {
            assembly_id: assembly_id.clone(),
            target: self.target(),
            wrapping_policy: shape.wrapping.to_owned(),
            separator_policy: shape.separator.to_owned(),
            visibility: "delivered".to_owned(),
            redaction_state: if withheld {
                RedactionState::Removed
            } else {
                RedactionState::None
            },
            created_at: self.at.clone(),
            budget_ref: budget_ref.map(str::to_owned),
            ordered_blocks: ordered,
            source_item_refs: items.clone(),
        });
        let injection_id = self.id(Kind::Injection);
        if withheld {
            self.withhold(&injection_id, "/hash");
        }
        self.bundle.context_injection.push(Injection {
            injection_id: injection_id.clone(),
            assembly_id: assembly_id.clone(),
            target: self.target(),
            injection_point: InjectionPoint::Custom,
            visibility: "delivered".to_owned(),
            created_at: self.at.clone(),
            native_id: self.occasion.native.request_id.as_ref().map(|id| match id {
                Value::String(id) => id.clone(),
                other => other.to_string(),
            }),
            final_ref: Some("content#/0/text".to_owned()),
            hash: (!withheld).then(|| format!("sha256:{}", sha256_hex(text))),
            metadata: Facts::from_iter([
                ("point".to_owned(), json!("tool_result")),
                ("bytes".to_owned(), json!(text.len())),
            ]),
        });
        let chosen: Vec<String> = items
            .iter()
            .filter(|item| self.states.get(*item) == Some(&State::Available))
            .cloned()
            .collect();
        // Where nothing was selected, all that came was chosen with the call.
        for item in chosen {
            self.states.insert(item, State::Selected);
        }
        // Of what was compacted the summary is shown, not the item.
        let shown: Vec<String> = items
            .iter()
            .filter(|item| self.states.get(*item) == Some(&State::Selected))
            .cloned()
            .collect();
        let cause = self.event(
            EventClass::AssemblyCreated,
            Some(cause),
            &with(&assembly_id, &shown),
            Some(State::Assembled),
        );
        self.event(
            EventClass::InjectionApplied,
            Some(&cause),
            &with(&injection_id, &with(&assembly_id, &shown)),
            Some(State::Injected),
        );
        let envelope = &mut self.bundle.context_envelope;
        envelope.assembly_refs.push(assembly_id);
        envelope.injection_refs.push(injection_id);
        envelope.item_refs = items;
        envelope.lifecycle = State::Injected;
    }

    /// The whole text as one block.
    pub(crate) fn whole_text(&self, items: Vec<String>) -> Vec<(Span, Option<u64>, Vec<String>)> {
        let end = self.text.len() as u64;
        vec![(Span { start: 0, end }, None, items)]
    }
}

fn with(first: &str, rest: &[String]) -> Vec<String> {
    std::iter::once(first.to_owned())
        .chain(rest.iter().cloned())
        .collect()
}
