//! One award as an item.

use chrono::NaiveDate;
use freshcontext_contract::{DateEvidence, Item, SourceError};
use freshcontext_parse::json::{self, or_absent};
use freshcontext_parse::{date, text};
use serde::Deserialize;
use serde_json::Value;

use crate::input::By;
use crate::request;

/// An award as the search returns it.
#[serde_with::apply(Option => #[serde(default, deserialize_with = "or_absent")])]
#[derive(Debug, Clone, Default, Deserialize)]
pub struct Award {
    #[serde(rename = "Award ID")]
    id: Option<String>,
    #[serde(rename = "Recipient Name")]
    recipient: Option<String>,
    #[serde(rename = "Recipient UEI")]
    uei: Option<String>,
    recipient_id: Option<String>,
    #[serde(rename = "Award Amount")]
    amount: Option<f64>,
    #[serde(rename = "Total Outlays")]
    outlays: Option<f64>,
    #[serde(rename = "Description")]
    description: Option<String>,
    #[serde(rename = "Contract Award Type")]
    kind: Option<String>,
    #[serde(rename = "Start Date")]
    start: Option<String>,
    #[serde(rename = "End Date")]
    end: Option<String>,
    #[serde(rename = "Last Date to Order")]
    last_order: Option<String>,
    #[serde(rename = "Base Obligation Date")]
    signed: Option<String>,
    #[serde(rename = "Last Modified Date")]
    modified: Option<String>,
    #[serde(rename = "Awarding Agency")]
    agency: Option<String>,
    #[serde(rename = "Awarding Sub Agency")]
    sub_agency: Option<String>,
    #[serde(rename = "Funding Agency")]
    funding: Option<String>,
    #[serde(rename = "NAICS")]
    naics: Option<Code>,
    #[serde(rename = "PSC")]
    psc: Option<Code>,
    #[serde(rename = "Primary Place of Performance")]
    place: Option<Place>,
    #[serde(rename = "generated_internal_id")]
    key: Option<String>,
}

#[serde_with::apply(Option => #[serde(default, deserialize_with = "or_absent")])]
#[derive(Debug, Clone, Default, Deserialize)]
struct Code {
    code: Option<String>,
    description: Option<String>,
}

#[serde_with::apply(Option => #[serde(default, deserialize_with = "or_absent")])]
#[derive(Debug, Clone, Default, Deserialize)]
struct Place {
    city_name: Option<String>,
    state_code: Option<String>,
    country_name: Option<String>,
}

fn day(text: Option<&str>) -> Option<NaiveDate> {
    // Some records carry a time after the day; the day is what counts.
    date::day(text?.trim().get(..10)?)
}

fn line(text: Option<&str>) -> Option<String> {
    text.and_then(text::present)
}

/// Dollars to the cent.
fn dollars(amount: f64) -> Value {
    json::rounded(amount, 2)
}

impl Award {
    /// The day the base award was signed.
    pub fn signed(&self) -> Option<NaiveDate> {
        day(self.signed.as_deref())
    }

    /// The last change of the record.
    pub fn modified(&self) -> Option<NaiveDate> {
        day(self.modified.as_deref())
    }

    /// Whether it has anything that names an award.
    pub fn is_named(&self) -> bool {
        [&self.id, &self.key, &self.recipient]
            .into_iter()
            .any(Option::is_some)
    }

    /// Who got it, and the unique entity id of that recipient.
    pub fn recipient(&self) -> (Option<&str>, Option<&str>) {
        (self.recipient.as_deref(), self.uei.as_deref())
    }

    /// The id of its recipient where that has a parent: USAspending's ids of such recipients end with a level of `C`.
    pub fn subsidiary(&self) -> Option<&str> {
        self.recipient_id
            .as_deref()
            .map(str::trim)
            .filter(|id| id.ends_with("-C"))
    }

    /// The day that counts.
    pub fn day(&self, by: By) -> Option<NaiveDate> {
        match by {
            By::Signed => self.signed(),
            By::Modified => self.modified(),
        }
    }

    /// The award as an item. Start and end of performance are never its date.
    pub fn item(&self, by: By) -> Item {
        let field = match by {
            By::Signed => "Base Obligation Date",
            By::Modified => "Last Modified Date",
        };
        let description = line(self.description.as_deref())
            .map(|text| {
                text.strip_prefix("IGF::")
                    .and_then(|rest| rest.split_once("::IGF"))
                    .map_or(text.clone(), |(_, rest)| rest.trim().to_owned())
            })
            .filter(|text| !text.is_empty());
        let who = line(self.recipient.as_deref());
        let what = description.as_deref().map(|text| text::clip(text, 110));
        let title = match (who, what) {
            (Some(who), Some(what)) => format!("{who}: {what}"),
            (Some(one), None) | (None, Some(one)) => one,
            (None, None) => {
                line(self.id.as_deref()).unwrap_or_else(|| "Award without a recipient".to_owned())
            }
        };
        let mut item = Item::new(title, DateEvidence::optional_field(field, self.day(by)));
        item.id.clone_from(&self.key);
        item.url = self.key.as_deref().and_then(request::page);
        if let Some(text) = description.filter(|text| text.chars().count() > 110) {
            item.summary = text::clip(&text, 600);
        }
        item.set("award_id", line(self.id.as_deref()));
        item.set("type", line(self.kind.as_deref()));
        item.set("obligated_usd", self.amount.map(dollars));
        item.set("outlays_usd", self.outlays.map(dollars));
        let agency = line(self.agency.as_deref());
        let sub = line(self.sub_agency.as_deref()).filter(|sub| Some(sub) != agency.as_ref());
        item.set("agency", agency.clone());
        item.set("sub_agency", sub);
        item.set(
            "funding_agency",
            line(self.funding.as_deref()).filter(|funding| Some(funding) != agency.as_ref()),
        );
        item.set_day("signed", self.signed());
        item.set_day("modified", self.modified());
        item.set_day("start", day(self.start.as_deref()));
        item.set_day("end", day(self.end.as_deref()));
        item.set_day("last_date_to_order", day(self.last_order.as_deref()));
        for (name, code) in [("naics", &self.naics), ("psc", &self.psc)] {
            if let Some(code) = code {
                let parts = [line(code.code.as_deref()), line(code.description.as_deref())];
                item.set(name, parts.into_iter().flatten().collect::<Vec<_>>().join(" "));
            }
        }
        if let Some(place) = &self.place {
            let parts = [&place.city_name, &place.state_code, &place.country_name];
            let parts: Vec<String> = parts
                .into_iter()
                .filter_map(|part| line(part.as_deref()))
                .collect();
            item.set("place", parts.join(", "));
        }
        item.set("recipient_uei", line(self.uei.as_deref()));
        item
    }
}

/// Reads the detail record of one award.
pub fn detail(body: &str) -> Result<Award, SourceError> {
    let value: Value = json::parse(body, "USAspending award")?;
    let at = |path: &[&str]| {
        let mut found = &value;
        for name in path {
            found = found.get(name)?;
        }
        found.as_str().map(str::to_owned)
    };
    let key = at(&["generated_unique_award_id"])
        .ok_or_else(|| SourceError::malformed("USAspending award: the record names no award"))?;
    let code = |code: &[&str], about: &[&str]| {
        let (code, description) = (at(code), at(about));
        (code.is_some() || description.is_some()).then_some(Code { code, description })
    };
    Ok(Award {
        id: at(&["piid"]),
        recipient: at(&["recipient", "recipient_name"]),
        uei: at(&["recipient", "recipient_uei"]),
        recipient_id: None,
        amount: value.get("total_obligation").and_then(Value::as_f64),
        outlays: value.get("total_outlay").and_then(Value::as_f64),
        description: at(&["description"]),
        kind: at(&["type_description"]),
        start: at(&["period_of_performance", "start_date"]),
        end: at(&["period_of_performance", "end_date"]),
        last_order: None,
        signed: at(&["date_signed"]),
        modified: at(&["period_of_performance", "last_modified_date"]),
        agency: at(&["awarding_agency", "toptier_agency", "name"]),
        sub_agency: at(&["awarding_agency", "subtier_agency", "name"]),
        funding: at(&["funding_agency", "toptier_agency", "name"]),
        naics: code(
            &["latest_transaction_contract_data", "naics"],
            &["latest_transaction_contract_data", "naics_description"],
        ),
        psc: code(
            &["latest_transaction_contract_data", "product_or_service_code"],
            &[
                "latest_transaction_contract_data",
                "product_or_service_description",
            ],
        ),
        place: value
            .get("place_of_performance")
            .and_then(|place| serde_json::from_value(place.clone()).ok()),
        key: Some(key),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn performance_is_never_the_date() {
        let award: Award = serde_json::from_str(
            r#"{"Award ID":"X1","Recipient Name":null,"Description":"IGF::OT::IGF REPAIR OF PUMPS","Start Date":"2026-01-01",
            "End Date":null,"Award Amount":-12.5,"NAICS":"541511","generated_internal_id":"CONT_AWD_X1"}"#,
        )
        .unwrap();
        let item = award.item(By::Signed);
        assert_eq!(item.date, DateEvidence::None);
        assert_eq!(item.title, "REPAIR OF PUMPS");
        assert_eq!(item.fields["obligated_usd"], -12.5);
        assert!(!item.fields.contains_key("end") && !item.fields.contains_key("naics"));
        assert_eq!(
            item.url.as_deref(),
            Some("https://www.usaspending.gov/award/CONT_AWD_X1")
        );
    }

    #[test]
    fn either_day_can_be_the_date() {
        let award: Award = serde_json::from_str(
            r#"{"Base Obligation Date":"2026-01-05","Last Modified Date":"2026-03-01","Recipient Name":"EXAMPLE"}"#,
        )
        .unwrap();
        assert_eq!(award.day(By::Signed).unwrap().to_string(), "2026-01-05");
        let item = award.item(By::Modified);
        let modified = NaiveDate::from_ymd_opt(2026, 3, 1).unwrap();
        assert_eq!(item.date, DateEvidence::field("Last Modified Date", modified));
        assert_eq!(item.fields["signed"], "2026-01-05");
    }
}
