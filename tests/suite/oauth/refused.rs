//! Tokens that are refused, as data: the right status, the right challenge, no upstream call, one request for keys.

use std::collections::BTreeSet;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use libtest_mimic::{Failed, Trial};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::issuer::{ED, Issuer, KEYS, METADATA, header};
use super::{AUDIENCE, CHALLENGE, Door, SCOPE};
use crate::cases::panic_line;
use crate::process::MODERN;
use crate::run::block_on;
use crate::verdict;
use crate::wire::{Answer, request, rpc, version_headers};

pub fn trials() -> Vec<Trial> {
    vec![
        Trial::test("oauth::refused", || block_on(refused())),
        Trial::test("oauth::head_too_large", || block_on(too_large())),
    ]
}

#[derive(Deserialize)]
struct Cases {
    token: Vec<Case>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    name: String,
    #[serde(default)]
    header: Map<String, Value>,
    #[serde(default)]
    claims: Map<String, Value>,
    #[serde(default)]
    without: Vec<String>,
    #[serde(default)]
    sign: Option<String>,
    #[serde(default)]
    edit: Option<String>,
    #[serde(default)]
    present: Option<String>,
    #[serde(default)]
    status: Option<u16>,
    says: String,
}

impl Case {
    fn token(&self, issuer: &Issuer, now: i64) -> String {
        let (mut head, mut claims) = (header("EdDSA", ED), issuer.claims(AUDIENCE, now));
        let filled = |given: &Map<String, Value>| -> Map<String, Value> {
            let filled = given
                .iter()
                .map(|(name, value)| (name.clone(), fill(value, issuer, now)));
            filled.collect()
        };
        head.extend(filled(&self.header));
        claims.extend(filled(&self.claims));
        for name in &self.without {
            head.shift_remove(name);
            claims.shift_remove(name);
        }
        let sign = self.sign.as_deref().unwrap_or("ed");
        let token = issuer.token(&Value::Object(head), &Value::Object(claims), sign);
        self.edit
            .as_deref()
            .map_or(token.clone(), |edit| edited(&token, edit))
    }

    /// The request, as bytes.
    fn request(&self, door: &Door, token: &str) -> Vec<u8> {
        let params = json!({"name": "extract_hackernews", "arguments": {"url": "rust"}});
        let mut headers = version_headers(MODERN, "tools/call", &params);
        let mut message = rpc(MODERN, 1, "tools/call", params.clone());
        let (bearer, dpop, basic) = (
            format!("Bearer {token}"),
            format!("DPoP {token}"),
            format!("Basic {token}"),
        );
        let (list, cookie) = (format!("{bearer}, {bearer}"), format!("access_token={token}"));
        let mut path = "/mcp".to_owned();
        match self.present.as_deref() {
            None => headers.push(("Authorization", &bearer)),
            Some("twice") => headers.extend([("Authorization", bearer.as_str()), ("Authorization", &bearer)]),
            Some("beside basic") => {
                headers.extend([("Authorization", "Basic eDp5"), ("Authorization", &bearer)]);
            }
            Some("list") => headers.push(("Authorization", &list)),
            Some("query") => path = format!("/mcp?access_token={token}"),
            Some("body") => message["access_token"] = token.into(),
            Some("cookie") => headers.push(("Cookie", &cookie)),
            Some("other header") => headers.push(("X-Access-Token", token)),
            Some("dpop") => headers.push(("Authorization", &dpop)),
            Some("basic") => headers.push(("Authorization", &basic)),
            Some("scheme") => headers.push(("Authorization", "Bearer")),
            Some("nowhere") => {}
            Some(other) => panic_line(&format!("nothing is presented in {other}")),
        }
        request(door.address, "POST", &path, &headers, &message.to_string()).into_bytes()
    }

    /// What is wrong with the response.
    fn complaint(&self, answer: &Answer) -> Option<String> {
        let status = self.status.unwrap_or(401);
        let challenge = answer.header("www-authenticate");
        let scope = format!(", scope=\"{SCOPE}\"");
        let error = challenge
            .strip_prefix(CHALLENGE)
            .and_then(|rest| rest.strip_suffix(&scope));
        let code = if status == 403 {
            "insufficient_scope"
        } else {
            "invalid_token"
        };
        let right = match (error, self.says.as_str()) {
            (Some(""), "") => true,
            (Some(error), says) if !says.is_empty() => {
                error.starts_with(&format!(", error=\"{code}\", error_description=\""))
                    && error.contains(says)
            }
            _ => false,
        };
        let is_error = answer.json()["error"]["message"].is_string();
        (answer.status != status || !right || !is_error)
            .then(|| format!("{}: {} {challenge} {}", self.name, answer.status, answer.body))
    }
}

/// Replaces the words that stand for values of the test.
fn fill(value: &Value, issuer: &Issuer, now: i64) -> Value {
    match value {
        Value::String(text) => {
            let moment = text.strip_prefix("now").and_then(|by| by.parse::<i64>().ok());
            if let Some(by) = moment {
                json!(now + by)
            } else if let Some(rest) = text.strip_prefix("issuer") {
                json!(format!("{}{rest}", issuer.name()))
            } else if let Some(rest) = text.strip_prefix("audience") {
                json!(format!("{AUDIENCE}{rest}"))
            } else if text == "long" {
                json!("x".repeat(15_000))
            } else {
                value.clone()
            }
        }
        Value::Array(values) => values.iter().map(|value| fill(value, issuer, now)).collect(),
        Value::Object(fields) => {
            let filled = fields
                .iter()
                .map(|(name, value)| (name.clone(), fill(value, issuer, now)));
            Value::Object(filled.collect())
        }
        _ => value.clone(),
    }
}

fn edited(token: &str, edit: &str) -> String {
    let parts: Vec<&str> = token.split('.').collect();
    let [header, claims, signature] = parts[..] else {
        panic_line("a token has three parts");
    };
    let other = URL_SAFE_NO_PAD.encode("{\"sub\":\"admin\"}");
    let nonsense = URL_SAFE_NO_PAD.encode("no JSON");
    match edit {
        "shorter" => token.get(..token.len() - 1).unwrap_or_default().to_owned(),
        "longer" => format!("{token}A"),
        "padded" => format!("{token}=="),
        "unsigned" => format!("{header}.{claims}."),
        "two parts" => format!("{header}.{claims}"),
        "four parts" => format!("{token}.{signature}"),
        "five parts" => format!("{token}.{signature}.{signature}"),
        "other claims" => format!("{header}.{other}.{signature}"),
        "no claims" => format!("{header}.{nonsense}.{signature}"),
        "no header" => format!("{nonsense}.{claims}.{signature}"),
        "umlaut" => format!("ä{token}"),
        "points" => "..".to_owned(),
        other => panic_line(&format!("no edit is called {other}")),
    }
}

/// Every case in one service: the issuer is asked once, the sources never.
async fn refused() -> Result<(), Failed> {
    let cases: Cases = toml::from_str(include_str!("tokens.toml"))?;
    let names: BTreeSet<&str> = cases.token.iter().map(|case| case.name.as_str()).collect();
    assert_eq!(names.len(), cases.token.len(), "two cases have one name");
    assert!(names.len() >= 40);
    let issuer = Issuer::start().await?;
    let door = Door::open(&issuer).await?;
    let mut complaints = Vec::new();
    for case in &cases.token {
        let token = case.token(&issuer, door.now());
        let answer = door.raw(&case.request(&door, &token)).await?;
        complaints.extend(case.complaint(&answer));
        if answer.body.contains(token.get(..40).unwrap_or("none")) {
            complaints.push(format!("{}: the token is repeated", case.name));
        }
    }
    // REST refuses in its own words, with the same challenge.
    for case in cases.token.iter().filter(|case| case.present.is_none()) {
        let authorization = format!("Bearer {}", case.token(&issuer, door.now()));
        let answer = door
            .send("GET", "/v1/tools", &[("Authorization", &authorization)], "")
            .await?;
        let challenge = answer.header("www-authenticate");
        let code = &answer.json()["code"];
        if answer.status != case.status.unwrap_or(401)
            || !challenge.contains(&case.says)
            || code != "access_denied"
        {
            complaints.push(format!("REST, {}: {} {}", case.name, answer.status, answer.body));
        }
    }
    assert_eq!(
        door.upstream.requests().len(),
        0,
        "a refused token costs no upstream call"
    );
    assert_eq!((issuer.asked(METADATA), issuer.asked(KEYS)), (1, 1));
    assert_eq!(
        issuer.server.requests().len(),
        2,
        "and no other address was asked"
    );
    // The door is not simply closed.
    assert_eq!(door.call(&door.token(&issuer)).await?.status, 200);
    verdict(complaints)
}

/// A token of a megabyte ends at the limit of the head, before anything is read of it.
async fn too_large() -> Result<(), Failed> {
    let issuer = Issuer::start().await?;
    let door = Door::open(&issuer).await?;
    let mut claims = issuer.claims(AUDIENCE, door.now());
    claims.insert("padding".to_owned(), "x".repeat(1 << 20).into());
    let token = issuer.token(&Value::Object(header("EdDSA", ED)), &Value::Object(claims), "ed");
    let answer = door.call(&token).await?;
    assert!(matches!(answer.status, 431 | 0), "{}", answer.status);
    assert_eq!(issuer.server.requests().len(), 0);
    assert_eq!(door.upstream.requests().len(), 0);
    assert_eq!(door.call(&door.token(&issuer)).await?.status, 200);
    Ok(())
}
