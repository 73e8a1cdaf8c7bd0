//! What is left of a budget, and what a text takes that does not fit.

use std::fmt;

use crate::limits::Budget;
use crate::tokens::Tokenizer;

/// What is left of a budget; what is not limited is none.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Room {
    pub tokens: Option<usize>,
    pub bytes: Option<usize>,
    pub items: Option<usize>,
    /// Items that the budget allows in all.
    most_items: usize,
}

impl Room {
    pub(crate) fn of(budget: &Budget) -> Self {
        let size = |limit: Option<u64>| limit.map(|limit| usize::try_from(limit).unwrap_or(usize::MAX));
        let items = size(budget.max_items);
        Self {
            tokens: size(budget.tokens()),
            bytes: size(budget.max_bytes),
            items,
            most_items: items.unwrap_or_default(),
        }
    }

    /// The tokens of a block, where it fits.
    pub(crate) fn tokens_of(&self, text: &str, tokenizer: Tokenizer) -> Result<usize, Over> {
        if self.items == Some(0) {
            return Err(Over::Items(self.most_items));
        }
        if let Some(left) = self.bytes.filter(|left| text.len() > *left) {
            return Err(Over::Bytes {
                takes: text.len(),
                left,
            });
        }
        let left = self.tokens.unwrap_or(usize::MAX);
        let (takes, whole) = tokenizer.count_until(text, left);
        if takes > left {
            Err(Over::Tokens { takes, whole, left })
        } else {
            Ok(takes)
        }
    }

    pub(crate) fn take(&mut self, tokens: usize, bytes: usize) {
        let less = |limit: &mut Option<usize>, by: usize| *limit = limit.map(|left| left.saturating_sub(by));
        less(&mut self.tokens, tokens);
        less(&mut self.bytes, bytes);
        less(&mut self.items, 1);
    }
}

/// What a block takes that does not fit, and what was left.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Over {
    /// All items that the budget allows are taken.
    Items(usize),
    Bytes {
        takes: usize,
        left: usize,
    },
    /// `whole` is whether the text was counted to its end, or only until it was known not to fit.
    Tokens {
        takes: usize,
        whole: bool,
        left: usize,
    },
}

impl Over {
    pub(crate) const fn is_of_items(self) -> bool {
        matches!(self, Self::Items(_))
    }
}

/// As the object of "takes".
impl fmt::Display for Over {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Items(most) => write!(f, "1 item, and none of {most} was left"),
            Self::Bytes { takes, left } => write!(f, "{takes} bytes, and {left} were left"),
            Self::Tokens { takes, whole, left } => {
                let more = if *whole { "" } else { "more than " };
                write!(f, "{more}{takes} tokens, and {left} were left")
            }
        }
    }
}
