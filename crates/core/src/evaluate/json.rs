//! Writing a judgement as JSON text.
//!
//! The same text as serde's way of writing a [`Judgement`], in a third of its time: names of fields are known
//! to need no escape, and texts are searched for characters that do many bytes at once.

use serde::Serialize;
use serde_json::Result;

use super::Judgement;
use super::verdict::{Handoff, ProvenanceReadiness, SourceIdentity, Verdict};

/// About what one verdict takes, so that the text is not moved as it grows.
const VERDICT_BYTES: usize = 1_200;

/// The whole text.
pub(super) fn write(judgement: &Judgement) -> Result<Vec<u8>> {
    let Judgement {
        profile,
        intent,
        now,
        legend,
        verdicts,
    } = judgement;
    let mut out = Vec::with_capacity(400 + verdicts.len() * VERDICT_BYTES);
    let mut fields = Fields::of(&mut out);
    fields.text("profile", profile)?;
    fields.text("intent", intent)?;
    fields.text("now", now)?;
    fields.value("legend", legend)?;
    fields.name("results");
    list(fields.out, verdicts, verdict)?;
    fields.end();
    Ok(out)
}

fn verdict(out: &mut Vec<u8>, verdict: &Verdict) -> Result<()> {
    let Verdict {
        index,
        position: _,
        title,
        source,
        source_type,
        decision,
        label,
        freshness_score,
        rank_score,
        utility_score,
        confidence,
        why,
        warnings,
        verdict_id,
        evaluated_at,
        revalidate_after,
        handoff,
        provenance_readiness,
    } = verdict;
    let Handoff {
        safe_for_agent_handoff,
        reason,
    } = handoff;
    let mut fields = Fields::of(out);
    fields.value("index", index)?;
    fields.text("title", title)?;
    fields.text("source", source)?;
    fields.text("source_type", source_type)?;
    fields.text("decision", decision.as_str())?;
    fields.text("label", label)?;
    fields.value("freshness_score", freshness_score)?;
    fields.value("rank_score", rank_score)?;
    fields.value("utility_score", utility_score)?;
    fields.text("confidence", confidence.as_str())?;
    fields.texts("why", why)?;
    fields.texts("warnings", warnings)?;
    fields.text("verdict_id", verdict_id)?;
    fields.text("evaluated_at", evaluated_at)?;
    fields.text_or_null("revalidate_after", revalidate_after.as_deref())?;
    fields.name("handoff");
    let mut inner = Fields::of(fields.out);
    inner.value("safe_for_agent_handoff", safe_for_agent_handoff)?;
    inner.text("reason", reason)?;
    inner.end();
    fields.name("provenance_readiness");
    readiness(fields.out, provenance_readiness)?;
    fields.end();
    Ok(())
}

fn readiness(out: &mut Vec<u8>, readiness: &ProvenanceReadiness) -> Result<()> {
    let ProvenanceReadiness {
        state,
        source_identity,
        published_at,
        retrieved_at,
        timing_confidence,
        timing_completeness,
        canonical_content_sha256,
        semantic_fingerprint_sha256,
        warnings,
    } = readiness;
    let SourceIdentity {
        source_type,
        result_id,
        completeness,
    } = source_identity;
    let mut fields = Fields::of(out);
    fields.value("state", state)?;
    fields.name("source_identity");
    let mut inner = Fields::of(fields.out);
    inner.text("source_type", source_type)?;
    inner.text_or_null("result_id", result_id.as_deref())?;
    inner.value("completeness", completeness)?;
    inner.end();
    fields.text_or_null("published_at", published_at.as_deref())?;
    fields.text("retrieved_at", retrieved_at)?;
    fields.text("timing_confidence", timing_confidence.as_str())?;
    fields.value("timing_completeness", timing_completeness)?;
    fields.text_or_null("canonical_content_sha256", canonical_content_sha256.as_deref())?;
    fields.text_or_null(
        "semantic_fingerprint_sha256",
        semantic_fingerprint_sha256.as_deref(),
    )?;
    fields.texts("warnings", warnings)?;
    fields.end();
    Ok(())
}

/// The fields of an object.
struct Fields<'o> {
    out: &'o mut Vec<u8>,
    /// What stands before the next field.
    before: u8,
}

impl<'o> Fields<'o> {
    fn of(out: &'o mut Vec<u8>) -> Self {
        Self { out, before: b'{' }
    }

    /// Begins a field. Names are words of this program and need no escape.
    fn name(&mut self, name: &'static str) {
        self.out.push(self.before);
        self.out.push(b'"');
        self.out.extend_from_slice(name.as_bytes());
        self.out.extend_from_slice(b"\":");
        self.before = b',';
    }

    fn text(&mut self, name: &'static str, value: &str) -> Result<()> {
        self.name(name);
        text(self.out, value)
    }

    fn text_or_null(&mut self, name: &'static str, value: Option<&str>) -> Result<()> {
        match value {
            Some(value) => self.text(name, value),
            None => self.value(name, &()),
        }
    }

    fn texts(&mut self, name: &'static str, values: &[impl AsRef<str>]) -> Result<()> {
        self.name(name);
        list(self.out, values, |out, value| text(out, value.as_ref()))
    }

    fn value(&mut self, name: &'static str, value: &impl Serialize) -> Result<()> {
        self.name(name);
        serde_json::to_writer(&mut *self.out, value)
    }

    /// Ends an object of at least one field.
    fn end(self) {
        self.out.push(b'}');
    }
}

fn list<T>(
    out: &mut Vec<u8>,
    values: &[T],
    mut write: impl FnMut(&mut Vec<u8>, &T) -> Result<()>,
) -> Result<()> {
    out.push(b'[');
    for (place, value) in values.iter().enumerate() {
        if place > 0 {
            out.push(b',');
        }
        write(out, value)?;
    }
    out.push(b']');
    Ok(())
}

fn text(out: &mut Vec<u8>, value: &str) -> Result<()> {
    // A sum without a branch, which the compiler turns into wide registers.
    let escapes = |byte: &u8| u8::from(*byte < b' ') | u8::from(*byte == b'"') | u8::from(*byte == b'\\');
    if value
        .as_bytes()
        .iter()
        .fold(0, |found, byte| found | escapes(byte))
        > 0
    {
        return serde_json::to_writer(out, value);
    }
    out.push(b'"');
    out.extend_from_slice(value.as_bytes());
    out.push(b'"');
    Ok(())
}
