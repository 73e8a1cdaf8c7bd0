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
pub const DIFFERENCES: [Difference; 25] = [
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
        what: "An argument that the tool does not have is noted, and a near miss of one that it has is refused by name.",
        why: "A misspelt argument that is silently ignored changes the answer unnoticed.",
    },
    Difference {
        id: "dates",
        what: "Dates count in every form that has one meaning, numbers included, and the first that can be read counts; what \
               may mean two dates, and days that do not exist are dropped; a month is medium at most, a year low.",
        why: "Guessing turns 2026-02-30 into March, 12 into 2001 and 03/04/2026 into March or April. A date is never \
              invented.",
    },
    Difference {
        id: "more_signals",
        what: "Up to 500 signals in a call, not 100; all texts together are limited instead.",
        why: "Rerankers hand over more than 100 candidates.",
    },
    Difference {
        id: "near_duplicates",
        what: "The lower-ranked of two signals with the same content, nearly the same content or the same address says so \
               in its warnings.",
        why: "The same thing twice is not two pieces of evidence. Order and decisions stay.",
    },
    Difference {
        id: "origins",
        what: "Where signals are copies of one another, or disagree, `origins` says how many independent origins there are,                which signal was first, and what is said differently.",
        why: "Ten copies of one report are one voice. Order, decisions and confidence stay.",
    },
    Difference {
        id: "ties",
        what: "Signals of the same rank, to ten decimals, stay in the order of the arguments.",
        why: "0.7 x 0.375, and 0.7 x 0.075 + 0.3 x 0.7 are one rank, of which binary fractions make two.",
    },
    Difference {
        id: "items_are_signals",
        what: "A signal may be an item or a whole result of our tools: each item is judged as it came.",
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
    Difference {
        id: "judged_now",
        what: "Freshness counts to the moment of asking, not to retrieved_at; a date after now is dropped, one after its \
               own retrieval is doubtful (low).",
        why: "A job advertised in 2020, fetched in 2020 and offered today was fresh.",
    },
    Difference {
        id: "old_retrieval",
        what: "What was fetched longer ago than one half-life of its kind, or is marked stale, needs a refresh before it \
               is used or handed on.",
        why: "An old copy says what was so, not what is.",
    },
    Difference {
        id: "low_dates",
        what: "A date of low confidence gives medium confidence at most, and never leads.",
        why: "An estimate is not a date to build on.",
    },
    Difference {
        id: "relevance",
        what: "Without semantic_score, relevance is judged by the words of `query`, or not at all: then age decides, and \
               utility is null.",
        why: "A relevance that nobody gave is not zero.",
    },
    Difference {
        id: "scale",
        what: "Where half of the semantic_scores or more, or one score under another name, lie outside 0 to 1, the \
               signals of the call are ranked by the order of their scores, and none leads.",
        why: "BM25 of 7 and 30 became one tie at 1.",
    },
    Difference {
        id: "reference_text",
        what: "manual, documentation, specification, law, policy, book, runbook, faq and license age at 0.00001 an hour; \
               under local_custom so does what has no source_type.",
        why: "A manual of three years ago is not worth nothing.",
    },
    Difference {
        id: "other_names",
        what: "The names and nestings of frameworks, stores and search interfaces (text, url, metadata.date, _source, ...), \
               and JSON text where an object or a list is due, are taken and noted; unread fields are named.",
        why: "People hold documents in these forms, and an error for it helps nobody.",
    },
    Difference {
        id: "bad_signals",
        what: "A signal that cannot be read is excluded with its reason; a field that cannot be read costs that field.",
        why: "One bad entry must not cost the caller the other ninety-nine.",
    },
    Difference {
        id: "no_source",
        what: "A signal without a source is judged; its id stands in, and its origin counts as not known.",
        why: "A chunk of text is worth judging without an address.",
    },
    Difference {
        id: "defaults",
        what: "profile and intent are optional (local_custom, developer_adoption), and null or blank counts as not given.",
        why: "A caller who has text and a question knows neither list.",
    },
    Difference {
        id: "transport",
        what: "http_status, content_type and final_url of the retrieval count as evidence of a failure.",
        why: "What answered 404 is no content, whatever it reads like.",
    },
];
