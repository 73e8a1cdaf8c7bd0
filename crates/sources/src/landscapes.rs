//! The five composites. Each plans its sections from the arguments and skips a source whose query they cannot
//! form: a phrase is not a package name, a company name is not a repository.

use freshcontext_contract::SourceError;
use serde_json::{Map, Value};

use crate::arguments::{Given, schema};
use crate::company;
use crate::composite::{Composite, Plan};
use crate::question::{self, Part};

/// Every composite.
pub static COMPOSITES: [Composite; 5] = [LANDSCAPE, IDEA, GOVERNMENT, FINANCE, COMPANY];

const LANDSCAPE: Composite = Composite {
    tool: "extract_landscape",
    id: "landscape",
    title: "Topic landscape",
    description: "A topic in YC, GitHub, Hacker News, Reddit, Product Hunt, packages. For one source use its own tool.",
    example: r#"{"topic": "robots"}"#,
    input_schema: || schema(10_000, &[("topic", "E.g. vector database")]),
    plan: landscape,
};

const IDEA: Composite = Composite {
    tool: "extract_idea_landscape",
    id: "idea_landscape",
    title: "Idea landscape",
    description: "Demand and rivals: Hacker News, YC, GitHub, jobs, packages, Product Hunt. For technology use extract_landscape.",
    example: r#"{"idea": "open source feature flags"}"#,
    input_schema: || schema(14_000, &[("idea", "In a few words")]),
    plan: idea,
};

const GOVERNMENT: Composite = Composite {
    tool: "extract_gov_landscape",
    id: "gov_landscape",
    title: "Government landscape",
    description: "US contracts, Hacker News, GitHub, releases. For contracts alone use extract_govcontracts.",
    example: r#"{"query": "Palantir", "github_url": "https://github.com/palantir/blueprint"}"#,
    input_schema: || {
        schema(
            12_000,
            &[
                ("query", "Company, topic or NAICS code"),
                ("github_url", "Repository, for releases"),
            ],
        )
    },
    plan: government,
};

const FINANCE: Composite = Composite {
    tool: "extract_finance_landscape",
    id: "finance_landscape",
    title: "Finance landscape",
    description: "Quotes, Hacker News, Reddit, repositories, releases. For filings and news use extract_company_landscape.",
    example: r#"{"tickers": "NET", "company_name": "Cloudflare", "github_query": "cloudflare/workers-sdk"}"#,
    input_schema: || {
        schema(
            12_000,
            &[
                ("tickers", "Up to 5 tickers, e.g. NET,MSFT"),
                ("company_name", "Name to search"),
                ("github_query", "owner/repo, or search words"),
            ],
        )
    },
    plan: finance,
};

const COMPANY: Composite = Composite {
    tool: "extract_company_landscape",
    id: "company_landscape",
    title: "Company landscape",
    description: "SEC filings, US contracts, world news, releases, quote. For opinions use extract_finance_landscape.",
    example: r#"{"company": "Palantir", "ticker": "PLTR", "github_url": "https://github.com/palantir/blueprint"}"#,
    input_schema: || {
        schema(
            15_000,
            &[
                ("company", "E.g. Palantir"),
                ("ticker", "E.g. PLTR"),
                ("github_url", "Repository, for releases"),
            ],
        )
    },
    plan: company,
};

fn plan(given: &Given, sections: Vec<Part>) -> Plan {
    Plan {
        query: given.first.clone(),
        sections: sections.into_iter().map(Part::call).collect(),
        min_score: given.min_score,
        as_of: given.as_of.clone(),
        max_length: given.max_length,
        notes: Vec::new(),
        identify: None,
        company: None,
        says_subjects: false,
    }
}

fn landscape(arguments: Map<String, Value>) -> Result<Plan, SourceError> {
    let given = Given::read(&LANDSCAPE, arguments, 10_000)?;
    let topic = given.words()?;
    let sections = vec![
        question::yc(topic),
        question::repos(topic),
        question::hackernews(topic),
        question::reddit(topic),
        question::producthunt(topic),
        question::packages(topic),
    ];
    Ok(plan(&given, sections))
}

fn idea(arguments: Map<String, Value>) -> Result<Plan, SourceError> {
    let given = Given::read(&IDEA, arguments, 14_000)?;
    let told = given.words()?;
    let core = question::core_words(told);
    let sections = vec![
        question::hackernews(&core),
        question::yc(&core),
        question::repos(&core),
        question::jobs(&core),
        question::packages(told),
        question::producthunt(&core),
    ];
    Ok(plan(&given, sections))
}

fn government(arguments: Map<String, Value>) -> Result<Plan, SourceError> {
    let given = Given::read(&GOVERNMENT, arguments, 12_000)?;
    let query = given.first.as_str();
    let code = question::is_code(query) || query.contains("://");
    let (news, repos) = if code {
        let why = "a company or a topic is needed; a code or an award's address finds nothing here";
        (question::skip_hackernews(why), question::skip_repos(why))
    } else {
        (question::hackernews(query), question::repos(query))
    };
    let sections = vec![
        question::govcontracts(query),
        news,
        repos,
        question::changelog(given.get("github_url"), "github_url").from("github_url"),
    ];
    let mut plan = plan(&given, sections);
    plan.says_subjects = !code;
    Ok(plan)
}

fn finance(arguments: Map<String, Value>) -> Result<Plan, SourceError> {
    let given = Given::read(&FINANCE, arguments, 12_000)?;
    let tickers = given.first.as_str();
    let name = given.get("company_name");
    // Letters of a ticker are other words to people: `NET`, `ALL`, `CAR`.
    let (news, talk) = match name {
        Some(words) => (question::hackernews(words), question::reddit(words)),
        None => (
            question::skip_hackernews(company::NEEDS_NAME),
            question::skip_reddit(company::NEEDS_NAME),
        ),
    };
    let github = given.get("github_query");
    let repos = match (github, name) {
        (Some(query), _) => question::repos(&question::as_repository(query)).from("github_query"),
        (None, Some(name)) => question::repos(name).from("company_name"),
        (None, None) => question::skip_repos("github_query or company_name is needed"),
    };
    let changelog = question::changelog(
        github.filter(|query| question::is_repository(query)),
        "github_query",
    );
    let mut plan = plan(
        &given,
        vec![
            question::finance(tickers),
            news.from("company_name"),
            talk.from("company_name"),
            repos,
            changelog.from("github_query"),
        ],
    );
    plan.company = name.map(str::to_owned);
    plan.says_subjects = true;
    let single = company::is_us_ticker(tickers);
    plan.identify =
        (single && name.is_none()).then(|| company::identify(None, Some(tickers), company::name_tickers));
    Ok(plan)
}

fn company(arguments: Map<String, Value>) -> Result<Plan, SourceError> {
    let given = Given::read(&COMPANY, arguments, 15_000)?;
    let name = given.words()?;
    let ticker = given.get("ticker");
    let sections = vec![
        question::sec_filings(name, ticker).from(if ticker.is_some() { "ticker" } else { "company" }),
        question::govcontracts(name),
        question::gdelt(name),
        question::changelog(given.get("github_url"), "github_url").from("github_url"),
        match ticker {
            Some(ticker) => question::finance(ticker).from("ticker"),
            None => question::skip_finance("a ticker is needed for quotes; give ticker"),
        },
    ];
    let mut plan = plan(&given, sections);
    plan.company = Some(name.to_owned());
    plan.says_subjects = true;
    plan.identify = Some(company::identify(Some(name), ticker, company::settle));
    Ok(plan)
}

#[cfg(test)]
mod tests {
    use super::*;
    use freshcontext_contract::ErrorCode;
    use serde_json::json;

    fn planned(at: usize, arguments: &Value) -> Plan {
        (COMPOSITES[at].plan)(arguments.as_object().unwrap().clone()).unwrap()
    }

    fn asked(plan: &Plan) -> Vec<(&'static str, String)> {
        plan.sections
            .iter()
            .map(|part| match &part.skipped {
                Some(_) => (part.tool, "-".to_owned()),
                None => (
                    part.tool,
                    part.arguments
                        .values()
                        .next()
                        .unwrap()
                        .as_str()
                        .unwrap()
                        .to_owned(),
                ),
            })
            .collect()
    }

    fn pairs(list: &[(&'static str, &str)]) -> Vec<(&'static str, String)> {
        list.iter()
            .map(|(tool, value)| (*tool, (*value).to_owned()))
            .collect()
    }

    #[test]
    fn a_phrase_is_no_package() {
        let plan = planned(0, &json!({ "topic": "vector database" }));
        assert_eq!(
            (plan.query.as_str(), plan.max_length, plan.min_score),
            ("vector database", 10_000, None)
        );
        assert_eq!(
            asked(&plan),
            pairs(&[
                ("extract_yc", "vector database"),
                ("search_repos", "vector database"),
                ("extract_hackernews", "vector database"),
                ("extract_reddit", "vector database"),
                ("extract_producthunt", "vector database"),
                ("package_trends", "-"),
            ])
        );
        let plan = planned(0, &json!({ "topic": "tokio" }));
        assert_eq!(asked(&plan).last().unwrap().1, "tokio");
        // A name is looked up unchanged only if it can be a package name.
        assert_eq!(
            asked(&planned(0, &json!({ "topic": "Palantir" })))
                .last()
                .unwrap()
                .1,
            "-"
        );
    }

    #[test]
    fn an_idea_is_searched_by_its_telling_words() {
        let plan = planned(
            1,
            &json!({ "idea": "a tool for tracking the expenses of freelancers", "min_freshness_score": 40 }),
        );
        assert_eq!(plan.min_score, Some(40.0));
        assert_eq!(plan.max_length, 14_000);
        let asked = asked(&plan);
        assert_eq!(
            asked[0],
            ("extract_hackernews", "tracking expenses freelancers".to_owned())
        );
        assert_eq!(
            asked[3],
            ("search_jobs", "tracking expenses freelancers".to_owned())
        );
        assert_eq!(asked[4], ("package_trends", "-".to_owned()));
    }

    #[test]
    fn a_code_is_asked_where_it_means_something() {
        let plan = planned(2, &json!({ "query": "541511" }));
        assert_eq!(
            asked(&plan),
            pairs(&[
                ("extract_govcontracts", "541511"),
                ("extract_hackernews", "-"),
                ("search_repos", "-"),
                ("extract_changelog", "-"),
            ])
        );
        let plan = planned(
            2,
            &json!({ "query": "Palantir", "github_url": "https://github.com/palantir/blueprint" }),
        );
        assert_eq!(asked(&plan)[3].1, "https://github.com/palantir/blueprint");
        assert_eq!(asked(&plan)[1].1, "Palantir");
    }

    #[test]
    fn tickers_are_asked_of_quotes_and_names_of_people() {
        let plan = planned(3, &json!({ "tickers": "AAPL,MSFT" }));
        assert_eq!(
            asked(&plan),
            pairs(&[
                ("extract_finance", "AAPL,MSFT"),
                ("extract_hackernews", "-"),
                ("extract_reddit", "-"),
                ("search_repos", "-"),
                ("extract_changelog", "-"),
            ])
        );
        let plan = planned(
            3,
            &json!({ "tickers": "NET", "company_name": "Cloudflare", "github_query": "cloudflare/workers-sdk" }),
        );
        assert_eq!(
            asked(&plan),
            pairs(&[
                ("extract_finance", "NET"),
                ("extract_hackernews", "Cloudflare"),
                ("extract_reddit", "Cloudflare"),
                ("search_repos", "repo:cloudflare/workers-sdk"),
                ("extract_changelog", "cloudflare/workers-sdk"),
            ])
        );
        let plan = planned(3, &json!({ "tickers": "NET", "github_query": "edge workers" }));
        assert_eq!(asked(&plan)[3].1, "edge workers");
        assert_eq!(asked(&plan)[4].1, "-");
    }

    #[test]
    fn a_company_is_no_package_and_no_ticker() {
        let plan = planned(4, &json!({ "company": "Example Machines" }));
        assert_eq!(
            asked(&plan),
            pairs(&[
                ("extract_sec_filings", "Example Machines"),
                ("extract_govcontracts", "Example Machines"),
                ("extract_gdelt", "\"Example Machines\""),
                ("extract_changelog", "-"),
                ("extract_finance", "-"),
            ])
        );
        let plan = planned(4, &json!({ "company": "SAP", "ticker": "SAP.DE" }));
        assert_eq!(asked(&plan)[0].1, "SAP");
        assert_eq!(asked(&plan)[4].1, "SAP.DE");
        let plan = planned(4, &json!({ "company": "Cloudflare", "ticker": "NET" }));
        assert_eq!(asked(&plan)[0].1, "$NET");
    }

    #[test]
    fn wrong_arguments_are_named_with_a_right_example() {
        let refused = |at: usize, arguments: Value| {
            (COMPOSITES[at].plan)(arguments.as_object().unwrap().clone()).unwrap_err()
        };
        for (at, arguments, field) in [
            (0, json!({}), "topic"),
            (0, json!({ "topic": " " }), "topic"),
            (0, json!({ "topic": 7 }), "topic"),
            (0, json!({ "topic": "https://example.com" }), "topic"),
            (0, json!({ "topic": "x", "max_length": 0 }), "max_length"),
            (0, json!({ "topic": "x", "max_length": "long" }), "max_length"),
            (
                1,
                json!({ "idea": "x", "min_freshness_score": 101 }),
                "min_freshness_score",
            ),
            (
                1,
                json!({ "idea": "x", "min_freshness_score": -1 }),
                "min_freshness_score",
            ),
            (2, json!({ "query": "x", "topic": "y" }), "topic"),
            (4, json!({ "company": "x\u{0}y" }), "company"),
        ] {
            let error = refused(at, arguments);
            assert_eq!(
                (error.code, error.field.as_deref()),
                (ErrorCode::InvalidInput, Some(field))
            );
            assert!(error.message.contains("Example: "), "{}", error.message);
        }
    }

    #[test]
    fn blank_and_null_options_count_as_not_given() {
        let plan = planned(
            4,
            &json!({ "company": "X Corp", "ticker": "", "github_url": null, "max_length": null }),
        );
        assert_eq!(plan.max_length, 15_000);
        assert_eq!(asked(&plan)[4].1, "-");
        assert_eq!(
            planned(0, &json!({ "topic": "x", "max_length": 5000.0 })).max_length,
            5_000
        );
    }

    #[test]
    fn the_example_of_each_is_right() {
        for composite in &COMPOSITES {
            let example: Map<String, Value> = serde_json::from_str(composite.example).unwrap();
            assert!(
                (composite.plan)(example)
                    .unwrap()
                    .sections
                    .iter()
                    .any(|part| part.skipped.is_none())
            );
        }
    }

    #[test]
    fn every_section_calls_a_tool_that_takes_its_arguments() {
        let adapters = crate::adapters();
        for composite in &COMPOSITES {
            let example: Map<String, Value> = serde_json::from_str(composite.example).unwrap();
            for part in (composite.plan)(example).unwrap().sections {
                let Some(adapter) = adapters
                    .iter()
                    .find(|adapter| adapter.descriptor().tool == part.tool)
                else {
                    panic!("{} calls {}, which is no tool", composite.tool, part.tool);
                };
                let schema = adapter.input_schema();
                for name in part.arguments.keys() {
                    assert!(
                        schema["properties"].get(name).is_some(),
                        "{} has no {name}",
                        part.tool
                    );
                }
            }
        }
    }
}
