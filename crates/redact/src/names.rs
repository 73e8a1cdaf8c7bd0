//! Names that say that a secret follows: `password`, `x-api-key`, `dbPassword`, and not `tokenizer` or `token_counts`.
//! What a name means is in its last words.

/// How sure a name is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sure {
    /// A password, which may be any word.
    Password,
    /// A key, a token, a cookie.
    Key,
    /// It may be one: where its value looks like one.
    Perhaps,
    /// Only as a parameter of an address: a signature.
    Parameter,
}

/// One of these is in every name that counts; for the first search.
pub(super) const WORDS: &[&str] = &[
    "pass",
    "pwd",
    "kennwort",
    "contrase",
    "senha",
    "wachtwoord",
    "парол",
    "密码",
    "密碼",
    "パスワード",
    "비밀번호",
    "mnemonic",
    "seed",
    "secret",
    "token",
    "key",
    "cred",
    "authoriz",
    "authoris",
    "auth",
    "cookie",
    "bearer",
    "jwt",
    "session",
    "sessid",
    "sid",
    "connection",
    "verifier",
    "code",
    "sig",
    "hmac",
    "csrf",
    "xsrf",
    "basic",
];

/// Words at the end that change nothing.
const IDLE: &[&str] = &[
    "value",
    "val",
    "raw",
    "plain",
    "plaintext",
    "base64",
    "b64",
    "hex",
    "pem",
    "hash",
    "salt",
    "confirm",
    "confirmation",
    "repeat",
    "new",
    "old",
    "current",
    "previous",
    "header",
    "prod",
    "production",
    "dev",
    "test",
    "staging",
    "live",
    "str",
    "base",
];

const PASSWORDS: &[&str] = &[
    "passwords",
    "pwd",
    "passwort",
    "kennwort",
    "contraseña",
    "contrasena",
    "senha",
    "wachtwoord",
    "пароль",
    "密码",
    "密碼",
    "パスワード",
    "비밀번호",
    "mnemonic",
    "passcode",
];
const PASSWORD_ENDS: &[&str] = &["password", "passwd", "passphrase", "passwrd"];

const KEYS: &[&str] = &[
    "secrets",
    "credential",
    "credentials",
    "creds",
    "authorization",
    "authorisation",
    "cookie",
    "cookies",
    "bearer",
    "jwt",
    "sessid",
];
const KEY_ENDS: &[&str] = &[
    "secret",
    "token",
    "apikey",
    "secretkey",
    "privatekey",
    "accesskey",
    "authkey",
    "accountkey",
    "sharedkey",
    "masterkey",
    "signingkey",
    "encryptionkey",
    "sessionid",
    "sessid",
    "connectionstring",
];
/// What makes a key a secret one.
const BEFORE_KEY: &[&str] = &[
    "api",
    "secret",
    "private",
    "access",
    "auth",
    "account",
    "signing",
    "encryption",
    "master",
    "shared",
    "client",
    "consumer",
    "service",
    "session",
    "app",
    "application",
    "admin",
    "license",
    "ssh",
    "tls",
    "ssl",
    "deploy",
    "webhook",
    "storage",
    "function",
    "subscription",
    "crtfc",
    "wallet",
];
const BEFORE_CODE: &[&str] = &["authorization", "auth", "recovery", "backup"];
/// What makes a token a harmless one: of pages, and of vocabularies.
const BEFORE_TOKEN: &[&str] = &[
    "page",
    "next",
    "continuation",
    "sync",
    "pagination",
    "pad",
    "eos",
    "bos",
    "unk",
    "mask",
    "sep",
    "cls",
    "special",
    "per",
    "each",
    "max",
    "min",
    "stop",
    "end",
    "start",
    "first",
    "last",
    "input",
    "output",
    "prompt",
    "completion",
    "progress",
    "governance",
    "native",
    "utility",
];
const PERHAPS: &[&str] = &["session", "sid", "auth", "pass", "tokens", "csrf", "xsrf", "pw"];
const PARAMETERS: &[&str] = &["sig", "signature", "hmac"];

/// How sure it is that a field of this name holds a secret.
pub(super) fn sure(name: &str) -> Option<Sure> {
    let words = words(name);
    let mut words = words.as_slice();
    while let Some((last, rest)) = words.split_last()
        && !rest.is_empty()
        && (IDLE.contains(&last.as_str()) || is_number(last))
    {
        words = rest;
    }
    let (last, rest) = words.split_last()?;
    let last = last.as_str();
    let before = rest.last().map_or("", String::as_str);
    let ends = |ends: &[&str]| ends.iter().any(|end| last.ends_with(end));
    if PASSWORDS.contains(&last)
        || ends(PASSWORD_ENDS)
        || (last == "phrase" && matches!(before, "pass" | "seed" | "recovery" | "secret"))
        || (last == "word" && before == "pass")
    {
        return Some(Sure::Password);
    }
    if ends(&["token"]) && BEFORE_TOKEN.contains(&before) {
        return None;
    }
    let key = KEYS.contains(&last)
        || ends(KEY_ENDS)
        || (last == "key" && BEFORE_KEY.contains(&before))
        || (matches!(last, "code" | "codes") && BEFORE_CODE.contains(&before))
        || (last == "verifier" && before == "code")
        || (last == "string" && before == "connection")
        || (last == "id" && matches!(before, "sess" | "phpsess" | "jsession"));
    if key {
        return Some(Sure::Key);
    }
    let perhaps = PERHAPS.contains(&last)
        || (matches!(last, "id" | "uuid" | "key") && before == "session")
        || last == "credential" && before == "amz";
    if perhaps {
        return Some(Sure::Perhaps);
    }
    PARAMETERS.contains(&last).then_some(Sure::Parameter)
}

/// Whether a field or a parameter of this name holds a secret, whatever stands in it.
pub fn is_secret_name(name: &str) -> bool {
    matches!(sure(name), Some(Sure::Password | Sure::Key))
}

fn is_number(word: &str) -> bool {
    let digits = word.strip_prefix('v').unwrap_or(word);
    !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
}

/// The words of a name in small letters: of snake_case, kebab-case, camelCase and dotted names.
fn words(name: &str) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    let mut word = String::new();
    let chars: Vec<char> = name.chars().collect();
    for (at, c) in chars.iter().enumerate() {
        if !c.is_alphanumeric() {
            if !word.is_empty() {
                out.push(std::mem::take(&mut word));
            }
            continue;
        }
        let before = at.checked_sub(1).and_then(|at| chars.get(at));
        let after = chars.get(at + 1);
        let begins = c.is_uppercase()
            && before.is_some_and(|before| {
                before.is_lowercase()
                    || before.is_ascii_digit()
                    || (before.is_uppercase() && after.is_some_and(|after| after.is_lowercase()))
            });
        let number = c.is_ascii_digit() && before.is_some_and(|before| before.is_alphabetic());
        // `base64` is one word, `password2` are two.
        if (begins
            || (number
                && PASSWORD_ENDS
                    .iter()
                    .chain(KEY_ENDS)
                    .any(|end| word.ends_with(end))))
            && !word.is_empty()
        {
            out.push(std::mem::take(&mut word));
        }
        word.extend(c.to_lowercase());
    }
    if !word.is_empty() {
        out.push(word);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_says_what_it_holds_in_its_last_words() {
        for name in [
            "password",
            "Password",
            "PASSWD",
            "db_password",
            "dbPassword",
            "userpassword",
            "password2",
            "passwordConfirm",
            "pwd",
            "token",
            "api_key",
            "apiKey",
            "APIKey",
            "x-api-key",
            "X-API-KEY",
            "apikey",
            "authorization",
            "Proxy-Authorization",
            "cookie",
            "Set-Cookie",
            "private_key",
            "privateKey",
            "private_key_pem",
            "client_secret",
            "clientSecret",
            "AWS_SECRET_ACCESS_KEY",
            "aws_session_token",
            "credentials",
            "AccountKey",
            "SharedAccessKey",
            "github_token",
            "X-Auth-Token",
            "csrf_token",
            "access_token_secret",
            "PHPSESSID",
            "sessionToken",
            "X-Amz-Security-Token",
            "passphrase",
            "secret",
            "пароль",
            "API key",
            "authorization_code",
            "secret_key_base",
            "Ocp-Apim-Subscription-Key",
            "crtfc_key",
            "password_hash",
        ] {
            assert!(is_secret_name(name), "{name}");
        }
        for name in [
            "tokenizer",
            "token_counts",
            "max_tokens",
            "tokens",
            "token_estimate",
            "token_type",
            "password_policy_url",
            "password_required",
            "secretary",
            "api_key_url",
            "token_url",
            "public_key",
            "primary_key",
            "key",
            "keyboard",
            "keywords",
            "author",
            "authority",
            "access",
            "cookie_policy",
            "passenger",
            "compass",
            "page_token",
            "nextPageToken",
            "pad_token",
            "tokenization",
            "session",
            "session_id",
            "signature",
            "title",
            "content_mode",
            "authorization_url",
            "secret_name",
            "prompt_cache_key",
            "sensitivity",
            "code",
            "status_code",
            "",
        ] {
            assert!(!is_secret_name(name), "{name}");
        }
        assert_eq!(sure("session_id"), Some(Sure::Perhaps));
        assert_eq!(sure("X-Amz-Signature"), Some(Sure::Parameter));
    }
}
