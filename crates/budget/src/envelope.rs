//! The `[FRESHCONTEXT]` envelope, written here for a tool's answer and for a block of a hand-off alike.

/// The headers of every envelope, in the specification's order.
#[derive(Debug, Clone, Copy)]
pub struct Headers<'a> {
    /// Address, or a stable name.
    pub source: &'a str,
    /// Date of publication; `unknown` is written where it is absent.
    pub published: Option<&'a str>,
    /// Moment of retrieval; no line where it is absent.
    pub retrieved: Option<&'a str>,
    /// `high`, `medium` or `low`.
    pub confidence: &'a str,
    /// Age in words; no line where it is absent.
    pub age: Option<&'a str>,
    /// Score with its meaning; `unknown` is written where it is absent.
    pub score: Option<&'a str>,
}

/// An envelope whose headers are being written.
#[derive(Debug)]
pub struct Envelope(String);

impl Envelope {
    /// Begins an envelope. `bytes` is the expected length of all that follows the headers.
    pub fn new(headers: &Headers<'_>, bytes: usize) -> Self {
        let mut out = String::with_capacity(headers.source.len() + bytes + 280);
        out.push_str("[FRESHCONTEXT]");
        let mut out = Self(out);
        out.line("Source", headers.source);
        out.line("Published", headers.published.unwrap_or("unknown"));
        out.optional("Retrieved", headers.retrieved);
        out.line("Confidence", headers.confidence);
        out.optional("Age", headers.age);
        out.line("Score", headers.score.unwrap_or("unknown"));
        out
    }

    /// Writes a further header. `value` is one clean line.
    pub fn line(&mut self, name: &str, value: &str) {
        self.0.extend(["\n", name, ": ", value]);
    }

    /// Writes a further header where it has a value.
    pub fn optional(&mut self, name: &str, value: Option<&str>) {
        if let Some(value) = value {
            self.line(name, value);
        }
    }

    /// Ends the headers, writes the content and ends the envelope. No line break follows.
    pub fn around(self, content: impl FnOnce(&mut String)) -> String {
        let Self(mut out) = self;
        out.push_str("\n---\n");
        content(&mut out);
        out.push_str("\n[/FRESHCONTEXT]");
        out
    }
}
