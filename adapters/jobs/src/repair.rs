//! What boards do to text before we get it.

use freshcontext_parse::html;

/// UTF-8 that was read as Latin-1 and encoded once more: each run of characters that turns back into
/// valid UTF-8 is turned back. Ordinary accented letters do not form such runs.
pub fn mojibake(text: &str) -> String {
    if !text.chars().any(|c| ('\u{c2}'..='\u{f4}').contains(&c)) {
        return text.to_owned();
    }
    let mut out = String::with_capacity(text.len());
    let mut run: Vec<u8> = Vec::new();
    for c in text.chars() {
        match u8::try_from(u32::from(c)) {
            Ok(byte) if byte >= 0x80 => run.push(byte),
            _ => {
                flush(&mut run, &mut out);
                out.push(c);
            }
        }
    }
    flush(&mut run, &mut out);
    out
}

fn flush(run: &mut Vec<u8>, out: &mut String) {
    match std::str::from_utf8(run) {
        Ok(text) => out.push_str(text),
        Err(_) => out.extend(run.iter().map(|byte| char::from(*byte))),
    }
    run.clear();
}

/// Remote OK ends adverts with a sentence that asks readers to repeat a word and a tag; the tag is
/// the address of whoever fetched the advert. Neither is part of the job.
pub fn without_reader_trap(text: &str) -> String {
    const START: &str = "Please mention the word";
    const LAST: &str = "see they're human.";
    let Some((before, rest)) = text.split_once(START) else {
        return text.to_owned();
    };
    let straight = rest.replace('’', "'");
    let after = straight.split_once(LAST).map_or("", |(_, after)| after);
    let before = before.trim_end();
    let after = after.trim_start();
    if after.is_empty() {
        before.to_owned()
    } else {
        format!("{before}\n{after}")
    }
}

/// Text of HTML that may have been escaped a second time, wholly or within its markup.
pub fn html_text(html: &str) -> String {
    let once = html::to_text(html);
    let markup = [
        "</p>",
        "</li>",
        "</div>",
        "</strong>",
        "</ul>",
        "</span>",
        "<br",
        "<p>",
        "<li>",
        "</h",
    ];
    let escaped = html.contains("&lt;") && markup.iter().any(|tag| once.contains(tag));
    if escaped { html::to_text(&once) } else { once }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn double_encoded_text_is_repaired_and_honest_text_is_not() {
        assert_eq!(mojibake("you\u{e2}\u{80}\u{99}ve"), "you’ve");
        assert_eq!(mojibake("a\u{c2}\u{a0}b"), "a\u{a0}b");
        assert_eq!(mojibake("M\u{c3}\u{bc}nchen"), "München");
        for honest in ["München", "café", "naïve “quoted” – 🦀", "Ärger", "100 €"] {
            assert_eq!(mojibake(honest), honest);
        }
    }

    #[test]
    fn the_trap_for_readers_goes() {
        let text = "A job.\nPlease mention the word **BRAVE** and tag RMTI3 when applying to show you read the job \
            post completely (#RMTI3). This is a beta feature to avoid spam applicants. Companies can search these \
            words to find applicants that read this and see they're human.";
        assert_eq!(without_reader_trap(text), "A job.");
        assert_eq!(
            without_reader_trap("A job. Please mention the word **X** and tag RMTI3"),
            "A job."
        );
        assert_eq!(without_reader_trap(&format!("{text} More.")), "A job.\nMore.");
        assert_eq!(without_reader_trap("Nothing of the kind"), "Nothing of the kind");
    }

    #[test]
    fn html_escaped_twice_is_read_twice() {
        assert_eq!(html_text("&lt;p&gt;One &amp;amp; two&lt;/p&gt;"), "One & two");
        assert_eq!(
            html_text("<div>&lt;p&gt;One&lt;/p&gt;&lt;p&gt;Two&lt;/p&gt;</div>"),
            "One\n\nTwo"
        );
        assert_eq!(html_text("<p>if a &lt; b</p>"), "if a < b");
        assert_eq!(
            html_text("<p>One<img src=\"https://tracker.example.com/p.gif\"></p>"),
            "One"
        );
    }

    proptest! {
        #[test]
        fn repairing_twice_changes_nothing_more_for_ascii(text in "[ -~]{0,60}") {
            prop_assert_eq!(mojibake(&text), text.clone());
            let _ = html_text(&text);
            let _ = without_reader_trap(&text);
        }
    }
}
