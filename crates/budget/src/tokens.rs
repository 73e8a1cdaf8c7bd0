//! Counting tokens as models do.

use tiktoken::{get_encoding, model_to_encoding};

/// A vocabulary to count by. Its tables take about 25 MB and are made when it is first used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Tokenizer {
    /// OpenAI's since GPT-4o.
    #[default]
    O200kBase,
    /// OpenAI's of GPT-4 and GPT-3.5.
    Cl100kBase,
}

/// Bytes after which [`Tokenizer::count_within`] looks whether the limit is passed.
const CHUNK: usize = 2 << 10;

impl Tokenizer {
    /// All of them, the usual one first.
    pub const ALL: [Self; 2] = [Self::O200kBase, Self::Cl100kBase];

    /// The name in arguments and results.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::O200kBase => "o200k_base",
            Self::Cl100kBase => "cl100k_base",
        }
    }

    /// The tokenizer of that name.
    pub fn find(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|known| known.as_str() == name)
    }

    /// Tokens of a text. Names of special tokens in it count as the plain text that they are.
    pub fn count(self, text: &str) -> usize {
        // Both are compiled in. A token is a byte at least, so the bytes are never too few.
        get_encoding(self.as_str()).map_or(text.len(), |encoding| encoding.count(text))
    }

    /// Tokens of a text, or none where they are more than `most`. Stops soon after it has seen as many.
    pub fn count_within(self, text: &str, most: usize) -> Option<usize> {
        let (tokens, _) = self.count_until(text, most);
        (tokens <= most).then_some(tokens)
    }

    /// Tokens of a text, counted until they are more than `most`, and whether that is all of it.
    pub(crate) fn count_until(self, text: &str, most: usize) -> (usize, bool) {
        let mut tokens = 0;
        let mut rest = text;
        while !rest.is_empty() && tokens <= most {
            let (chunk, after) = rest.split_at_checked(border(rest)).unwrap_or((rest, ""));
            tokens += self.count(chunk);
            rest = after;
        }
        (tokens, rest.is_empty())
    }

    /// Whether counts by this tokenizer are those of a model; none where no model is named.
    pub fn is_of(self, model: Option<&str>) -> Option<bool> {
        model.map(|model| model_to_encoding(model) == Some(self.as_str()))
    }
}

/// Where a text can be parted so that its parts have as many tokens as the whole: before a single space
/// between a printable ASCII character and a letter. No piece that the tokenizers split a text into first goes
/// across such a place (their patterns take a space at the beginning of a piece only, or in a run of spaces).
fn border(text: &str) -> usize {
    let bytes = text.as_bytes();
    let found = bytes.get(CHUNK..).unwrap_or_default().windows(3).position(|three| {
        matches!(three, [before, b' ', after] if before.is_ascii_graphic() && after.is_ascii_alphabetic())
    });
    found.map_or(text.len(), |at| CHUNK + at + 1)
}
