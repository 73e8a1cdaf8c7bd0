//! Where this differs from the reference server on purpose, as data.

use serde::Serialize;

/// One wanted difference.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Difference {
    /// A short name.
    pub id: &'static str,
    /// What a caller sees.
    pub what: &'static str,
    /// Why it is better so.
    pub why: &'static str,
}

/// Every wanted difference from freshcontext-mcp 0.5.2. Whatever else differs is a defect.
pub const DIFFERENCES: [Difference; 12] = [
    Difference {
        id: "guard",
        what: "Content is judged by the failure inspector, not by single words; a title alone, or thin evidence, \
               lowers the confidence only.",
        why: "Captcha and login pages passed as fresh, and texts about errors were thrown away.",
    },
    Difference {
        id: "errors_are_errors",
        what: "Wrong input is a tool error (isError) with code invalid_input and the field.",
        why: "An error that looks like a result gets used as one.",
    },
    Difference {
        id: "unknown_arguments",
        what: "An argument that the tool does not have is refused by name.",
        why: "A misspelt argument that is silently ignored changes the answer unnoticed.",
    },
    Difference {
        id: "dates",
        what: "Only full ISO 8601, RFC 3339 and RFC 2822 dates count; month names in free form, slashes, bare years \
               and months, and days that do not exist are dropped.",
        why: "Guessing turns 2026-02-30 into March and 12 into 2001. A date is never invented.",
    },
    Difference {
        id: "more_signals",
        what: "Up to 500 signals in a call, not 100; all texts together are limited instead.",
        why: "Rerankers hand over more than 100 candidates.",
    },
    Difference {
        id: "near_duplicates",
        what: "The lower-ranked of two signals with the same content or address says so in its warnings.",
        why: "The same thing twice is not two pieces of evidence. Order and decisions stay.",
    },
    Difference {
        id: "items_are_signals",
        what: "A signal without source may be an item of our results: url and summary stand in.",
        why: "What one tool returns can be handed to this one as it is.",
    },
    Difference {
        id: "delimiters",
        what: "Delimiters and hidden characters are cleaned out of every string by the one cleaner of this server.",
        why: "Spelling variants got through.",
    },
    Difference {
        id: "text_without_json",
        what: "The text holds cards only; the data is in structuredContent, with ids and revalidation dates.",
        why: "Half the tokens, and a declared output schema.",
    },
    Difference {
        id: "blank_titles",
        what: "A blank title counts as none, and a title taken from the content never ends inside a character.",
        why: "A card without a heading helps nobody.",
    },
    Difference {
        id: "gebiz_rate",
        what: "Tenders of gebiz age at 0.001 an hour, as every other procurement source, not at 0.003.",
        why: "One published table of rates holds for all tools; an operator can set another rate.",
    },
    Difference {
        id: "type_names",
        what: "Source types such as constructor or toString age at the default rate.",
        why: "They met properties of every JavaScript object, and their scores were lost.",
    },
];
