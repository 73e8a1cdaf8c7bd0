//! The documents of crates.io. `updated_at` of a crate is not when its newest version came out.

use freshcontext_contract::serde_json::Value;
use freshcontext_contract::standing::Basis;
use freshcontext_contract::{
    DateEvidence, Lookup, Presence, SourceError, StandingEvidence, StandingState, named, quoted,
};
use freshcontext_parse::date::instant;
use freshcontext_parse::json::text_at;
use freshcontext_parse::registry::Registry;
use freshcontext_parse::{json, text};
use semver::Version;

use super::{Facts, NOT_CHECKED, Published, Pulled, other_record, repository};

struct Row<'v> {
    number: Version,
    written: Option<&'v str>,
    yanked: bool,
    value: &'v Value,
}

impl Row<'_> {
    /// The sign that it was pulled.
    fn yanked(&self) -> Option<StandingEvidence> {
        let message = text_at(self.value, "/yank_message").filter(|message| !message.trim().is_empty());
        let field = format!("versions[{}].yanked", self.number);
        let sign = StandingEvidence::field(StandingState::Yanked, field, "true");
        self.yanked.then(|| sign.by("owner").reason(message))
    }
}

fn rows(list: Option<&Vec<Value>>) -> Vec<Row<'_>> {
    let row = |value| {
        Some(Row {
            number: Version::parse(text_at(value, "/num")?).ok()?,
            written: text_at(value, "/created_at"),
            yanked: value.get("yanked") == Some(&Value::Bool(true)),
            value,
        })
    };
    list.into_iter().flatten().filter_map(row).collect()
}

/// Reads of a crate's document what it says of one version.
pub fn version(body: &str, asked: &str, wanted: &str) -> Result<Lookup, SourceError> {
    let value: Value = json::parse(body, "crates.io")?;
    let Some(name) = text_at(&value, "/crate/name").or_else(|| text_at(&value, "/crate/id")) else {
        return Err(refusal(&value));
    };
    if !Registry::Crates.is_same(name, asked) {
        return Ok(other_record(name));
    }
    let Some(list) = value.get("versions").and_then(Value::as_array) else {
        return Err(SourceError::malformed("crates.io: the answer lists no versions"));
    };
    let rows = rows(Some(list));
    if rows.is_empty() && !list.is_empty() {
        return Err(SourceError::malformed("crates.io: no version can be read"));
    }
    let Some(row) = rows.iter().find(|row| row.number.to_string() == wanted) else {
        let gone = Lookup::new(Presence::Gone(Basis::Field));
        return Ok(gone.showing("versions", format!("no {wanted}"), None::<String>));
    };
    let early = (!row.number.pre.is_empty())
        .then(|| StandingEvidence::field(StandingState::Prerelease, "num", wanted));
    let signs = row.yanked().into_iter().chain(early).collect();
    let date = DateEvidence::optional_field("created_at of the version", row.written);
    Ok(Lookup::found(Some(format!("{name} {wanted}")), date, signs).showing("num", wanted, None::<String>))
}

fn refusal(value: &Value) -> SourceError {
    match text_at(value, "/errors/0/detail") {
        Some(detail) => {
            SourceError::not_found(format!("crates.io says: {}", quoted(&text::said(detail, 120))))
        }
        None => SourceError::malformed("crates.io: the answer names no crate"),
    }
}

/// Reads a crate's document.
pub fn read(body: &str) -> Result<Facts, SourceError> {
    let value: Value = json::parse(body, "crates.io")?;
    let about = value.get("crate").unwrap_or(&Value::Null);
    let Some(name) = text_at(about, "/name").or_else(|| text_at(about, "/id")) else {
        return Err(refusal(&value));
    };
    let list = value.get("versions").and_then(Value::as_array);
    let rows = rows(list);
    let mut facts = Facts {
        name: name.to_owned(),
        description: text_at(about, "/description").map(str::to_owned),
        versions: list.map(Vec::len),
        ..Facts::default()
    };
    // The registry's own word counts unless that version is withdrawn; 0.0.0 stands for an unloaded list.
    let stated = text_at(about, "/max_stable_version").filter(|said| *said != "0.0.0");
    let row_of = |said: &str| rows.iter().find(|row| row.number.to_string() == said);
    let said = stated.and_then(row_of).filter(|row| !row.yanked);
    // Where the list lacks it, the list cannot tell which version is the newest, nor when it came out.
    let unlisted =
        stated.filter(|said| !rows.is_empty() && row_of(said).is_none() && Version::parse(said).is_ok());
    let highest = || {
        rows.iter().max_by(|a, b| {
            (!a.yanked, a.number.pre.is_empty(), &a.number).cmp(&(
                !b.yanked,
                b.number.pre.is_empty(),
                &b.number,
            ))
        })
    };
    let chosen = said.or_else(|| if unlisted.is_some() { None } else { highest() });
    facts.inferred = chosen.is_some() && said.is_none();
    facts.latest = chosen
        .map(|row| row.number.to_string())
        .or_else(|| unlisted.map(str::to_owned));
    facts.date =
        DateEvidence::optional_field("created_at of the version", chosen.and_then(|row| row.written));
    if list.is_none() {
        facts.notes.push(format!(
            "crates.io sent no list of versions for {}: no date",
            named(name)
        ));
    }
    if let Some(sign) = chosen.and_then(Row::yanked) {
        facts.standing.push(sign);
        facts.set("yanked", true);
    }
    let detail = |pointer: &str| {
        chosen
            .and_then(|row| text_at(row.value, pointer))
            .map(str::to_owned)
    };
    facts.set("downloads", about.get("downloads").and_then(Value::as_u64));
    facts.set(
        "downloads_90d",
        about.get("recent_downloads").and_then(Value::as_u64),
    );
    facts.set("vulnerabilities", NOT_CHECKED);
    facts.set("license", detail("/license"));
    facts.set("rust_version", detail("/rust_version"));
    facts.set("repository", text_at(about, "/repository").and_then(repository));
    facts.pulled = rows
        .iter()
        .filter(|row| row.yanked)
        .filter_map(|row| {
            Some(Pulled {
                version: row.number.to_string(),
                at: instant(row.written?)?,
                written: row.written?.to_owned(),
                reason: text_at(row.value, "/yank_message").map(str::to_owned),
            })
        })
        .collect();
    facts.published = rows
        .iter()
        .filter(|row| !row.yanked)
        .filter_map(|row| {
            Some(Published {
                version: row.number.to_string(),
                at: instant(row.written?)?,
                written: row.written?.to_owned(),
                prerelease: !row.number.pre.is_empty(),
                deprecated: None,
            })
        })
        .collect();
    Ok(facts)
}
