//! Rows of one tender belong together.

use chrono::NaiveDate;
use freshcontext_contract::{DateEvidence, Item, StandingEvidence, StandingState};
use freshcontext_parse::{json, text};

use crate::parse::{Row, is_failed};

/// A tender and how it ended.
#[derive(Debug, Clone, PartialEq)]
pub struct Tender {
    number: String,
    description: String,
    agency: String,
    /// Newest award day among its rows.
    pub awarded: Option<NaiveDate>,
    status: String,
    suppliers: Vec<(String, Option<f64>)>,
    rows: usize,
    nominal: usize,
    /// Sum of the amounts that are prices.
    pub total: Option<f64>,
}

/// Suppliers named in one item; a tender can have more than a hundred.
const NAMED: usize = 8;

/// Groups rows by tender number and agency, in the order of first sight.
pub fn group(rows: &[Row]) -> Vec<Tender> {
    let mut at = std::collections::HashMap::new();
    let mut out: Vec<Tender> = Vec::new();
    // Where a tender has a supplier: one may have very many.
    let mut of_tender = std::collections::HashMap::new();
    for row in rows {
        let slot = *at
            .entry((row.tender.as_str(), row.agency.as_str()))
            .or_insert_with(|| {
                out.push(Tender {
                    number: row.tender.clone(),
                    description: row.description.clone(),
                    agency: row.agency.clone(),
                    awarded: None,
                    status: row.status.clone(),
                    suppliers: Vec::new(),
                    rows: 0,
                    nominal: 0,
                    total: None,
                });
                out.len() - 1
            });
        let Some(tender) = out.get_mut(slot) else { continue };
        tender.rows += 1;
        tender.awarded = tender.awarded.max(row.awarded);
        if is_failed(&tender.status) && !is_failed(&row.status) {
            tender.status.clone_from(&row.status);
        }
        let price = row.amount.filter(|amount| !is_nominal(*amount));
        if row.amount.is_some_and(is_nominal) {
            tender.nominal += 1;
        }
        if let Some(price) = price {
            tender.total = Some(tender.total.unwrap_or(0.0) + price);
        }
        let Some(supplier) = &row.supplier else { continue };
        let known = *of_tender
            .entry((slot, supplier.as_str()))
            .or_insert(tender.suppliers.len());
        match tender.suppliers.get_mut(known) {
            Some((_, sum)) => {
                *sum = match (*sum, price) {
                    (Some(sum), Some(price)) => Some(sum + price),
                    (sum, price) => sum.or(price),
                };
            }
            None => tender.suppliers.push((supplier.clone(), price)),
        }
    }
    out
}

/// One dollar stands for a panel or a unit-rate contract; it is no price.
fn is_nominal(amount: f64) -> bool {
    (amount - 1.0).abs() < f64::EPSILON
}

/// Dollars to the cent, so that sums show no binary dust.
fn cents(amount: f64) -> f64 {
    (amount * 100.0).round() / 100.0
}

impl Tender {
    /// The tender as an item.
    pub fn item(&self) -> Item {
        let whole = if self.description.is_empty() {
            &self.number
        } else {
            &self.description
        };
        let title = text::clip(whole, 160);
        let mut item = Item::new(
            title.clone(),
            DateEvidence::optional_field("award_date", self.awarded),
        );
        item.id = Some(self.number.clone());
        if title != *whole {
            item.summary.clone_from(whole);
        }
        item.set("tender_no", self.number.as_str());
        item.set("agency", self.agency.as_str());
        item.set_day("awarded", self.awarded);
        item.set("outcome", self.status.as_str());
        if is_failed(&self.status) {
            item.set("suppliers", "none: no supplier was awarded");
            let sign = StandingEvidence::field(
                StandingState::Cancelled,
                "tender_detail_status",
                self.status.as_str(),
            );
            item.standing.push(sign.since(self.awarded).by("agency"));
            return item;
        }
        // By name: rows come in any order, and another one is no news.
        let mut suppliers: Vec<&(String, Option<f64>)> = self.suppliers.iter().collect();
        suppliers.sort_by(|one, other| one.0.cmp(&other.0));
        let named: Vec<String> = suppliers
            .iter()
            .take(NAMED)
            .map(|(name, price)| match price {
                Some(price) if self.suppliers.len() > 1 => format!("{name}: {:.2}", cents(*price)),
                _ => name.clone(),
            })
            .collect();
        item.set("suppliers", named);
        if self.suppliers.len() > NAMED {
            item.set("supplier_count", self.suppliers.len());
        }
        item.set("total_sgd", self.total.map(|amount| json::rounded(amount, 2)));
        if self.rows > 1 {
            item.set("line_items", self.rows);
        }
        if self.nominal > 0 {
            item.set(
                "nominal_lines",
                format!("{} of 1 dollar (panel or unit rates), not summed", self.nominal),
            );
        }
        item
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(tender: &str, status: &str, supplier: Option<&str>, amount: Option<f64>) -> Row {
        Row {
            number: None,
            tender: tender.to_owned(),
            description: "Audit services".to_owned(),
            agency: "Example Board".to_owned(),
            awarded: NaiveDate::from_ymd_opt(2026, 1, 5),
            status: status.to_owned(),
            supplier: supplier.map(str::to_owned),
            amount,
        }
    }

    #[test]
    fn line_items_are_one_tender() {
        let by = "Awarded by Items";
        let rows = [
            row("A1", by, Some("X"), Some(0.1)),
            row("A1", by, Some("Y"), Some(0.2)),
            row("A1", by, Some("X"), Some(1.0)),
            row("A2", by, Some("X"), None),
        ];
        let tenders = group(&rows);
        assert_eq!(tenders.len(), 2);
        let item = tenders[0].item();
        assert_eq!(item.fields["total_sgd"], 0.3);
        assert_eq!(
            item.fields["suppliers"],
            serde_json::json!(["X: 0.10", "Y: 0.20"])
        );
        let backwards: Vec<Row> = rows.iter().rev().cloned().collect();
        let same = &group(&backwards)[1].item().fields["suppliers"];
        assert_eq!(same, &item.fields["suppliers"]);
        assert_eq!(item.fields["line_items"], 3);
        assert!(item.fields.contains_key("nominal_lines"));
        assert!(!tenders[1].item().fields.contains_key("total_sgd"));
    }

    #[test]
    fn a_failed_tender_has_neither_supplier_nor_amount() {
        let item = group(&[row("A1", "Awarded to No Suppliers", None, None)])[0].item();
        assert_eq!(item.fields["outcome"], "Awarded to No Suppliers");
        assert!(!item.fields.contains_key("total_sgd"));
        assert!(item.fields["suppliers"].as_str().unwrap().starts_with("none"));
    }
}
