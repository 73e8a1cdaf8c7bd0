//! Words of politeness. Instructions, rules of a house and answers to customers ask as politely as failures do, and of short texts
//! in most languages the weights were learned from failures: "Veuillez conserver le reçu" read as one.

/// How a request is made, in lower case. Not in English, of which enough was learned.
const POLITE: [&str; 30] = [
    "bitte",
    "veuillez",
    "merci de",
    "por favor",
    "per favore",
    "prosimy",
    "proszę",
    "prosím",
    "пожалуйста",
    "будь ласка",
    "alstublieft",
    "vänligen",
    "vennligst",
    "lütfen",
    "vui lòng",
    "silakan",
    "mohon",
    "ください",
    "下さい",
    "お願いいたします",
    "お願いします",
    "いただいております",
    "ありがとうございます",
    "주세요",
    "주십시오",
    "바랍니다",
    "يرجى",
    "الرجاء",
    "请",
    "請",
];

/// Fewest words that tell what is asked for, and fewest letters in scripts without blanks: "Vui lòng đăng nhập" is a wall, and so is
/// "请登录".
const WORDS: usize = 3;
const LETTERS: usize = 8;

/// The text without its words of politeness; `None` where it has none, or hardly anything else.
pub(crate) fn without(text: &str) -> Option<String> {
    let lower = text.to_lowercase();
    let mut out = lower.clone();
    for words in POLITE {
        if out.contains(words) {
            out = without_words(&out, words);
        }
    }
    let words = out
        .split_whitespace()
        .filter(|word| word.contains(char::is_alphanumeric));
    let letters = out.chars().filter(|c| is_unspaced(*c));
    let is_left = words.take(WORDS).count() == WORDS || letters.take(LETTERS).count() == LETTERS;
    (is_left && out != lower).then(|| out.trim().to_owned())
}

/// Without these words where they stand alone; in languages without blanks, wherever they stand.
fn without_words(text: &str, words: &str) -> String {
    let spaced = !words.starts_with(is_unspaced);
    let mut out = String::with_capacity(text.len());
    let mut from = 0;
    for (at, found) in text.match_indices(words) {
        let before = text.get(..at).and_then(|text| text.chars().next_back());
        let behind = text.get(at + found.len()..).and_then(|text| text.chars().next());
        let within = [before, behind].into_iter().flatten().any(char::is_alphanumeric);
        if spaced && within {
            continue;
        }
        out.push_str(text.get(from..at).unwrap_or_default());
        from = at + found.len();
    }
    out.push_str(text.get(from..).unwrap_or_default());
    out
}

/// Whether it is of the kana, the ideographs or Korean, whose requests are endings.
const fn is_unspaced(c: char) -> bool {
    matches!(c, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{ac00}'..='\u{d7a3}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_is_left_without_its_politeness() {
        for (text, left) in [
            ("Bitte lesen Sie die Anleitung.", Some("lesen sie die anleitung.")),
            ("説明書をよくお読みください。", Some("説明書をよくお読み。")),
            ("Vui lòng đăng nhập.", None),
            ("Por favor, espere.", None),
            ("请登录", None),
            ("Bittere Mandeln", None),
            ("Bitte", None),
            ("Der Hof ist zu.", None),
        ] {
            assert_eq!(without(text).as_deref(), left, "{text}");
        }
    }

    /// What a house asks of its guests is content, and what a site says in place of a page stays a failure.
    #[test]
    fn polite_instructions_are_content_and_polite_failures_are_not() {
        for content in [
            "Bitte lesen Sie vor Gebrauch die Anleitung.",
            "Veuillez conserver le reçu.",
            "弁当は前日の正午までにご注文ください。",
            "사용 전에 설명서를 읽어 주세요.",
            "يرجى قراءة الدليل قبل الاستخدام.",
        ] {
            assert!(!crate::inspect(content).failed, "{content}");
        }
        for failure in [
            "Bitte versuchen Sie es später erneut.",
            "Veuillez réessayer plus tard.",
            "Please sign in to continue.",
            "ただいまメンテナンス中です。しばらくしてから再度アクセスしてください。",
            "잠시 후 다시 접속해 주세요.",
            "请稍后再试。",
            "Vui lòng đăng nhập.",
            "โปรดลองอีกครั้งในภายหลัง",
        ] {
            assert!(crate::inspect(failure).failed, "{failure}");
        }
    }
}
