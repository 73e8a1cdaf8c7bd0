//! Whether the first line of an advert says that the work is remote.

/// What is read as another text: parts of a line, and denials in one form.
const SPELLINGS: [(&str, &str); 10] = [
    (" or ", "|"),
    (". ", "|"),
    // A choice of two, each with its place.
    (" / onsite", "|onsite"),
    (" / on-site", "|on-site"),
    ("onsite / ", "onsite|"),
    ("on-site / ", "on-site|"),
    ("100 %", "100%"),
    ("cannot", "not"),
    ("can't", "not"),
    ("n't", " not"),
];
/// Words that deny what stands beside them.
const DENIALS: [&str; 19] = [
    "no", "not", "non", "never", "without", "kein", "keine", "keinen", "nicht", "ohne", "pas", "sans", "sin",
    "geen", "niet", "inte", "ikke", "ingen", "nunca",
];

/// Whether a first line says that the work is remote; `None` where it does not speak of it, or of some days only.
pub(super) fn remote(first: &str) -> Option<bool> {
    let mut answer = None;
    let mut lower = first.to_lowercase().replace('’', "'");
    for (written, read) in SPELLINGS {
        lower = lower.replace(written, read);
    }
    for part in lower.split(['|', ';', ',']) {
        let words: Vec<&str> = part
            .split(|c: char| !c.is_alphanumeric())
            .filter(|word| !word.is_empty())
            .collect();
        let Some(at) = words.iter().position(|word| word.starts_with("remote")) else {
            let here = ["onsite", "inoffice"].iter().any(|word| words.contains(word))
                || words
                    .windows(2)
                    .any(|two| matches!(two, ["on", "site"] | ["in", "office" | "person"]));
            if here && answer.is_none() {
                answer = Some(false);
            }
            continue;
        };
        let before = words.get(..at).unwrap_or_default();
        let after = words.get(at + 1..).unwrap_or_default();
        if is_of_something_else(before, after) {
            continue;
        }
        // `Not available in Colorado` limits where the work may be done; `not available in this role` denies it.
        let limited = |at: usize| {
            after
                .iter()
                .skip(at)
                .any(|word| matches!(*word, "in" | "from" | "to" | "within" | "outside"))
                && !after.iter().skip(at).any(|word| {
                    matches!(
                        *word,
                        "role" | "roles" | "position" | "positions" | "job" | "team" | "moment" | "time"
                    )
                })
        };
        let denied = before.iter().rev().take(3).any(|word| DENIALS.contains(word))
            || matches!(
                after,
                [.., "no" | "none" | "impossible" | "unavailable" | "prohibited" | "false" | "unmöglich"]
                    if after.len() <= 3
            )
            || after
                .iter()
                .take(4)
                .position(|word| DENIALS.contains(word) && !matches!(*word, "no" | "non" | "without"))
                .filter(|at| !limited(*at))
                .is_some_and(|at| {
                    // `Remote leider nicht`
                    let is_last = at + 1 == after.len() && !matches!(after.get(at), Some(&"not" | &"never"));
                    is_last
                        || after.iter().skip(at).any(|word| {
                            [
                                "possib",
                                "availab",
                                "allow",
                                "offer",
                                "option",
                                "support",
                                "consider",
                                "accept",
                                "an",
                                "remote",
                                "mögl",
                                "moegl",
                                "angebot",
                                "vorgesehen",
                                "erlaubt",
                                "mogelijk",
                                "possí",
                                "muligt",
                                "möjlig",
                            ]
                            .iter()
                            .any(|start| word.starts_with(start))
                        })
                });
        let some = words.iter().any(|word| {
            let starts = [
                "part",
                "hybrid",
                "day",
                "week",
                "occasional",
                "sometime",
                "onsite",
                "office",
                "flexib",
                "limited",
                "temporar",
                "initial",
                "covid",
                "pandemic",
            ];
            starts.iter().any(|start| word.starts_with(start)) || word.ends_with('%')
        }) || words.windows(2).any(|two| two == ["on", "site"])
            || part
                .split(|c: char| c.is_whitespace() || matches!(c, '(' | ')' | '[' | ']'))
                .any(|word| word.contains('%') && word != "100%");
        if denied {
            return Some(false);
        }
        if some {
            // Of some days, which is neither.
            if answer != Some(true) {
                return None;
            }
            continue;
        }
        answer = Some(true);
    }
    answer
}

/// Whether `remote` is said of another thing than where the work is done: `Remote Sensing Engineer`, `remote interviews`.
fn is_of_something_else(before: &[&str], after: &[&str]) -> bool {
    const THINGS: [&str; 20] = [
        "sensing",
        "sensed",
        "sensor",
        "interview",
        "onboarding",
        "control",
        "desktop",
        "access",
        "monitoring",
        "support",
        "assistance",
        "procedure",
        "patient",
        "diagnos",
        "operated",
        "piloted",
        "surgery",
        "proctor",
        "viewing",
        "site",
    ];
    const HIRING: [&str; 3] = ["interview", "onboarding", "assessment"];
    let starts = |word: &&str, list: &[&str]| list.iter().any(|start| word.starts_with(start));
    let thing = after.first().is_some_and(|word| starts(word, &THINGS));
    // `Remote interviews` and `interviews are remote`.
    thing
        || before.iter().any(|word| starts(word, &HIRING))
        || after.iter().take(2).any(|word| starts(word, &HIRING))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn remote_means_all_of_it() {
        for (first, said) in [
            ("Acme | Engineer | REMOTE", Some(true)),
            ("Acme | Engineer | REMOTE (EU) | Full-time", Some(true)),
            ("Acme | Engineer | Berlin or Remote", Some(true)),
            ("Acme | Engineer | ONSITE, REMOTE", Some(true)),
            ("Acme | Remote Engineer | anywhere", Some(true)),
            ("Acme | Engineer | London | ONSITE+PART REMOTE", None),
            ("Acme | Engineer | Hybrid, 2 days remote", None),
            ("Acme | Engineer | partially remote", None),
            ("Acme | Engineer | 50% remote", None),
            ("Acme | Engineer | Remote (3 days on-site)", None),
            ("Acme | Engineer | Berlin | remote not possible", Some(false)),
            ("Acme | Engineer | No remote", Some(false)),
            ("Acme | Engineer | not a remote role", Some(false)),
            ("Acme | Engineer | Remote: no", Some(false)),
            ("Acme | Engineer | remote is not an option", Some(false)),
            ("Acme | Engineer | ONSITE", Some(false)),
            ("Acme | Engineer | in-person", Some(false)),
            ("Acme | Engineer | Berlin", None),
            // Said of something else.
            ("Acme | Remote Sensing Engineer | Oslo", None),
            ("Acme | Remote Sensing Engineer | Oslo | ONSITE", Some(false)),
            ("Acme | Remote Sensing Engineer | REMOTE", Some(true)),
            ("Acme | Engineer | Oslo | remote interviews", None),
            ("Acme | Engineer | Oslo | interviews are remote", None),
            ("Acme | Engineer | REMOTE. Interviews in person", Some(true)),
            ("Acme | Remote Coder | anywhere", Some(true)),
            ("Acme | Engineer | Oslo | Remote desktop software", None),
            // Denied, and limited to some places.
            ("Acme | Engineer | Remote eligible: No", Some(false)),
            ("Acme | Engineer | Remote friendly? No", Some(false)),
            ("Acme | Engineer | Remote work: none", Some(false)),
            ("Acme | Engineer | remote not available in this role", Some(false)),
            ("Acme | Engineer | REMOTE (not available in Colorado)", Some(true)),
            (
                "Acme | Engineer | Remote, but not offered outside the US",
                Some(true),
            ),
            ("Acme | Engineer | Remote (no agencies)", Some(true)),
            ("Acme | Engineer | Oslo | temporarily remote", None),
            ("Acme | Engineer | ONSITE | we can't do remote", Some(false)),
            ("Acme | Engineer | Oslo | we cannot offer remote", Some(false)),
            ("Acme | Engineer | Oslo | we don’t do remote", Some(false)),
            ("Acme | Engineer | Wien | Homeoffice, kein Remote", Some(false)),
            ("Acme | Engineer | Wien | nicht remote", Some(false)),
            ("Acme | Engineer | Wien | Remote nicht möglich", Some(false)),
            ("Acme | Engineer | Wien | Remote leider nicht", Some(false)),
            ("Acme | Engineer | Wien | ohne Remote", Some(false)),
            ("Acme | Engineer | Paris | pas de remote", Some(false)),
            ("Acme | Engineer | Oslo | Remote isn't possible", Some(false)),
            ("Acme | Engineer | 100% Remote", Some(true)),
            ("Acme | Engineer | Remote 100%", Some(true)),
            ("Acme | Engineer | REMOTE (100 %)", Some(true)),
            ("Acme | Engineer | 60-100% remote", None),
            ("Acme | Engineer | Remote (EU) / Onsite (Oslo)", Some(true)),
        ] {
            assert_eq!(remote(first), said, "{first}");
        }
    }
}
