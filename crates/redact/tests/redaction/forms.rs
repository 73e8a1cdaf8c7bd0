//! Forms of secrets, made up when a test runs.

use std::path::Path;

/// One form, with values that no one was ever given.
#[derive(Debug, Clone)]
pub struct Form {
    /// What it is.
    pub name: String,
    /// How it is written.
    pub text: String,
    /// The parts of it that must not be seen.
    pub secrets: Vec<String>,
}

/// The forms of `forms.toml`.
pub fn all() -> Vec<Form> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"));
    let path = [
        "tests/redaction/forms.toml",
        "../crates/redact/tests/redaction/forms.toml",
    ]
    .iter()
    .map(|file| path.join(file))
    .find(|file| file.is_file())
    .expect("forms.toml");
    let table: toml::Table = std::fs::read_to_string(path)
        .expect("forms.toml")
        .parse()
        .expect("TOML");
    let forms = table["form"].as_array().expect("a list of forms");
    let mut random = Random(0x2545_f491_4f6c_dd1d);
    let text = |form: &toml::Value, name: &str| form[name].as_str().expect("a text").to_owned();
    forms
        .iter()
        .map(|form| filled(text(form, "name"), &text(form, "text"), &mut random))
        .collect()
}

fn filled(name: String, template: &str, random: &mut Random) -> Form {
    let mut form = Form {
        name,
        text: String::new(),
        secrets: Vec::new(),
    };
    let template = template.replace('·', "");
    let mut rest = template.as_str();
    while let Some((before, from)) = rest.split_once('{') {
        let (slot, after) = from.split_once('}').expect("a closed slot");
        let (class, length) = slot.split_once(':').unwrap_or((slot, "9"));
        let value = random.text(class, length.parse().expect("a length"));
        form.text.push_str(before);
        form.text.push_str(&value);
        // Short parts, such as a word of a name, stand elsewhere, too.
        if value.chars().count() >= 5 {
            form.secrets.push(value);
        }
        rest = after;
    }
    form.text.push_str(rest);
    form.text = form.text.replace('⟦', "{").replace('⟧', "}");
    assert!(!form.secrets.is_empty(), "{}", form.name);
    form
}

/// Values that look like chance and are the same in each run.
struct Random(u64);

impl Random {
    fn next(&mut self) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 33).expect("31 bits")
    }

    fn text(&mut self, class: &str, length: usize) -> String {
        let lower = "abcdefghijklmnopqrstuvwxyz";
        let upper = lower.to_uppercase();
        let digits = "0123456789";
        let letters: String = match class {
            "hex" => "0123456789abcdef".to_owned(),
            "dig" => "123456789".to_owned(),
            "low" => lower.to_owned(),
            "up" => format!("{upper}{digits}"),
            "b32" => "ABCDEFGHJKLMNPQRSTUVWXYZ234567".to_owned(),
            "b64" => format!("{lower}{upper}{digits}+/"),
            "b64dot" => format!("{lower}{upper}{digits}./"),
            "fw" => "ａｂｃｄｅｆｇｈｉｊｋｌｍｎｏｐｑｒｓｔ０１２３４５".to_owned(),
            "basic" => return self.basic(length),
            _ => format!("{lower}{upper}{digits}"),
        };
        let letters: Vec<char> = letters.chars().collect();
        let mut out: String = (0..length)
            .map(|_| letters[self.next() % letters.len()])
            .collect();
        // A password of letters alone is a word.
        if class == "an" && !out.bytes().any(|byte| byte.is_ascii_digit()) {
            out.pop();
            out.push('7');
        }
        out
    }

    fn basic(&mut self, length: usize) -> String {
        use base64::Engine as _;
        let pair = format!("jane:{}", self.text("an", length));
        base64::prelude::BASE64_STANDARD.encode(pair)
    }
}
