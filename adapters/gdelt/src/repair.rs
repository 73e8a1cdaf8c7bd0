//! GDELT sends JSON with stray backslashes and raw control characters in titles.

use std::borrow::Cow;

/// Doubles backslashes that start no legal escape and blanks control characters.
pub fn repair(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 16);
    let mut chars = text.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        match c {
            '\\' => match chars.peek().map(|(_, next)| *next) {
                Some(next @ ('"' | '\\' | '/' | 'b' | 'f' | 'n' | 'r' | 't')) => {
                    chars.next();
                    out.extend(['\\', next]);
                }
                Some('u') if is_hex(text, at + 2) => out.push('\\'),
                _ => out.push_str("\\\\"),
            },
            c if c.is_control() => out.push(' '),
            c => out.push(c),
        }
    }
    out
}

fn is_hex(text: &str, at: usize) -> bool {
    text.get(at..at.saturating_add(4))
        .is_some_and(|digits| digits.bytes().all(|b| b.is_ascii_hexdigit()))
}

/// The objects of a list that does not parse as a whole: each `{...}` at the depth of the list.
pub fn objects(text: &str) -> Vec<Cow<'_, str>> {
    let start = text.find('[').map_or(0, |at| at + 1);
    let (mut out, mut depth, mut from) = (Vec::new(), 0_u32, 0);
    let (mut in_text, mut escaped) = (false, false);
    for (at, c) in text.char_indices().skip_while(|(at, _)| *at < start) {
        if in_text {
            match c {
                _ if escaped => escaped = false,
                '\\' => escaped = true,
                '"' => in_text = false,
                _ => {}
            }
            continue;
        }
        match c {
            '"' => in_text = true,
            '{' => {
                if depth == 0 {
                    from = at;
                }
                depth += 1;
            }
            '}' => {
                depth = depth.saturating_sub(1);
                if depth == 0
                    && let Some(object) = text.get(from..=at)
                {
                    out.push(Cow::Borrowed(object));
                }
            }
            _ => {}
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::Value;

    #[test]
    fn legal_escapes_stay_and_stray_ones_are_doubled() {
        let raw = "{\"t\": \"C:\\\\x a\\escape \\u00e9 \\u12 \t\\\" end\"}";
        let read: Value = serde_json::from_str(&repair(raw)).unwrap();
        assert_eq!(read["t"], "C:\\x a\\escape é \\u12  \" end");
    }

    #[test]
    fn whole_objects_survive_a_cut() {
        let cut = r#"{"articles":[{"url":"a","title":"x } y"},{"url":"b"},{"url":"c"#;
        assert_eq!(objects(cut), [r#"{"url":"a","title":"x } y"}"#, r#"{"url":"b"}"#]);
        assert!(objects("no list").is_empty());
    }

    proptest! {
        #[test]
        fn sound_json_keeps_its_meaning(title in "\\PC{0,60}") {
            let sound = serde_json::json!({ "t": title }).to_string();
            let read: Value = serde_json::from_str(&repair(&sound)).unwrap();
            prop_assert_eq!(read, serde_json::json!({ "t": title }));
        }

        #[test]
        fn any_text_is_survived(text in "[\\[{\"\\\\}\\]u0-9a é\n]{0,60}") {
            let _ = (repair(&text), objects(&text));
        }
    }
}
