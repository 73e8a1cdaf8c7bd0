//! The identity of a verdict.

use super::canonical::sha256_hex;

/// What a verdict's id is made of. The same facts always give the same id, so that anybody can
/// recompute it. Scores and readiness are left out on purpose: they may move while the verdict stays.
///
/// ```
/// use freshcontext_core::provenance::VerdictBasis;
///
/// let basis = VerdictBasis {
///     signal_id: Some("note-7"),
///     source: "https://example.com/notes/7",
///     source_type: "custom",
///     published_at: None,
///     decision: "needs_verification",
///     source_profile: Some("local_custom"),
///     intent_profile: Some("citation_check"),
/// };
/// assert_eq!(basis.id().len(), 64);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct VerdictBasis<'a> {
    /// The caller's id of the signal, exactly as given.
    pub signal_id: Option<&'a str>,
    /// The source, exactly as given.
    pub source: &'a str,
    /// The source type, exactly as given, or `default`.
    pub source_type: &'a str,
    /// The usable date of publication, `YYYY-MM-DDTHH:MM:SS.sssZ`.
    pub published_at: Option<&'a str>,
    /// The decision's name.
    pub decision: &'a str,
    /// The profile's id.
    pub source_profile: Option<&'a str>,
    /// The intent's id.
    pub intent_profile: Option<&'a str>,
}

impl VerdictBasis<'_> {
    const HEADING: &'static str = "FRESHCONTEXT_VERDICT_V1";

    /// The named facts in order; a missing one is written `null`.
    fn facts(&self) -> [(&'static str, &str); 7] {
        [
            ("signal_id", self.signal_id.unwrap_or("null")),
            ("source", self.source),
            ("source_type", self.source_type),
            ("published_at", self.published_at.unwrap_or("null")),
            ("decision", self.decision),
            ("source_profile", self.source_profile.unwrap_or("null")),
            ("intent_profile", self.intent_profile.unwrap_or("null")),
        ]
    }

    /// The lines that are hashed.
    pub fn lines(&self) -> String {
        let facts = self.facts();
        let length: usize = facts.iter().map(|(name, fact)| name.len() + fact.len() + 2).sum();
        let mut out = String::with_capacity(Self::HEADING.len() + length);
        out.push_str(Self::HEADING);
        for (name, fact) in facts {
            out.extend(["\n", name, "=", fact]);
        }
        out
    }

    /// SHA-256 of the lines, as 64 hexadecimal digits.
    pub fn id(&self) -> String {
        sha256_hex(&self.lines())
    }
}
