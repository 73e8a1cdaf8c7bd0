//! The readers over recorded and crafted bodies.

use super::*;
use freshcontext_contract::chrono::SecondsFormat;
use freshcontext_contract::{DateValue, ErrorCode};
use freshcontext_testkit::bodies::{any_prefix, fixtures, recorded, recording};

fn date(facts: &Facts) -> String {
    match &facts.date {
        DateEvidence::Field {
            value: DateValue::Text(text),
            ..
        } => text.clone(),
        DateEvidence::Field {
            value: DateValue::Instant(at),
            ..
        } => at.to_rfc3339_opts(SecondsFormat::AutoSi, true),
        DateEvidence::None => "none".to_owned(),
        other => panic!("{other:?}"),
    }
}

fn item(facts: Facts, registry: Registry) -> Item {
    facts.into_item(registry, "2026-06-01T00:00:00Z".parse().unwrap())
}

#[freshcontext_recorded::test]
fn a_write_to_the_document_is_no_release() {
    let body = recording("packages/npm_is-stream.json");
    let facts = npm::read(&body).unwrap();
    assert_eq!((facts.latest.as_deref(), facts.inferred), (Some("3.0.0"), false));
    assert!(date(&facts).starts_with("2021-08-10"));
    let item = item(facts, Registry::Npm);
    assert_eq!(item.title, "npm is-stream 3.0.0");
    assert_eq!(
        item.url.as_deref(),
        Some("https://www.npmjs.com/package/is-stream")
    );
    assert_eq!(
        item.fields["repository"],
        "https://github.com/sindresorhus/is-stream"
    );
    assert!(!item.fields.contains_key("newest_publish") && !item.fields.contains_key("deprecated"));
}

#[freshcontext_recorded::test]
fn latest_and_newest_publish_are_two_things() {
    let body = recording("packages/npm_express_trimmed.json");
    let facts = npm::read(&body).unwrap();
    assert_eq!(facts.latest.as_deref(), Some("5.2.1"));
    assert!(date(&facts).starts_with("2025-12-01"));
    let express = item(facts, Registry::Npm);
    assert!(
        express.fields["newest_publish"]
            .as_str()
            .unwrap()
            .starts_with("4.22.2 (2026-05-11")
    );
    let chalk = npm::read(&recording("packages/npm_chalk.json")).unwrap();
    assert!(date(&chalk).starts_with("2019-01-05"));
    let chalk = item(chalk, Registry::Npm);
    assert!(
        chalk.fields["newest_publish"]
            .as_str()
            .unwrap()
            .starts_with("3.0.0-beta.1")
    );
    assert_eq!(chalk.fields["prereleases"], 1);
}

#[freshcontext_recorded::test]
fn deprecation_is_shown_whatever_its_type() {
    let body = recording("packages/npm_etag_deprecated.json");
    let facts = npm::read(&body).unwrap();
    let item = item(facts, Registry::Npm);
    assert!(item.fields["deprecated"].is_string());
}

#[test]
fn a_deprecation_of_any_type_is_shown_where_it_says_so() {
    for (written, shown) in [
        ("\"\"", false),
        ("false", false),
        ("true", true),
        ("\"why\"", true),
    ] {
        let body = format!(
            r#"{{"name":"a","dist-tags":{{"latest":"1.0.0"}},"versions":{{"1.0.0":{{"deprecated":{written}}}}},"time":{{"1.0.0":"2026-01-01T00:00:00Z"}}}}"#
        );
        assert_eq!(
            super::tests::item(npm::read(&body).unwrap(), Registry::Npm)
                .fields
                .contains_key("deprecated"),
            shown,
            "{written}"
        );
    }
}

#[freshcontext_recorded::test]
fn npm_documents_with_gaps() {
    let gone = recording("packages/npm_unpublished.json");
    let error = npm::read(&gone).unwrap_err();
    assert_eq!(error.code, ErrorCode::NotFound);
    assert!(error.message.contains("unpublished from npm on 2023-06-15"));
    let short = npm::read(&recording("packages/npm_abbreviated.json")).unwrap();
    assert_eq!(date(&short), "none");
    assert!(short.notes[0].contains("no dates"));
    assert_eq!(
        npm::read(&recording("packages/npm_not_found.json"))
            .unwrap_err()
            .code,
        ErrorCode::NotFound
    );
}

#[test]
fn npm_documents_of_ours_with_gaps() {
    let lost = r#"{"name":"a","dist-tags":{"latest":"9.9.9"},"versions":{"1.0.0":{},"2.0.0-rc.1":{},"1.10.0":{}},"time":{"1.10.0":"2026-01-01T00:00:00Z","9.9.9":"2026-05-01T00:00:00Z"},"repository":"github:o/a","keywords":"x"}"#;
    let facts = npm::read(lost).unwrap();
    assert_eq!(
        (facts.latest.as_deref(), facts.inferred, date(&facts).as_str()),
        (Some("1.10.0"), true, "2026-01-01T00:00:00Z")
    );
    let early = r#"{"name":"@s/a","versions":{"1.0.0-a.1":{},"1.0.0-a.2":{}},"time":{"1.0.0-a.2":"2026-01-01T00:00:00Z"}}"#;
    let facts = npm::read(early).unwrap();
    assert_eq!(facts.latest.as_deref(), Some("1.0.0-a.2"));
    let item = item(facts, Registry::Npm);
    assert_eq!(
        (item.url.as_deref(), item.fields["releases_365d"].as_u64()),
        (Some("https://www.npmjs.com/package/@s/a"), Some(0))
    );
    for body in ["", "[]", "null", "{}", r#"{"name":5}"#] {
        assert_eq!(npm::read(body).unwrap_err().code, ErrorCode::Malformed, "{body}");
    }
}

#[freshcontext_recorded::test]
fn a_mirrors_times_are_read_whatever_their_form() {
    let body = recording("packages/npm_time_map_mirror_is-odd.json");
    let versions: String = ["0.1.0", "0.1.1", "1.0.0", "0.1.2", "2.0.0", "3.0.0", "3.0.1"]
        .map(|v| format!("\"{v}\":{{}}"))
        .join(",");
    let document = format!(
        r#"{{"name":"is-odd","dist-tags":{{"latest":"3.0.1"}},"versions":{{{versions}}},"time":{body}}}"#
    );
    let facts = npm::read(&document).unwrap();
    assert_eq!(facts.published.len(), 7);
    assert_eq!(date(&facts), "2024-12-02T18:34:18.449000+00:00");
}

#[freshcontext_recorded::test]
fn download_figures_single_bulk_and_broken() {
    let point = recording("packages/npm_downloads_point.json");
    assert_eq!(npm::downloads(&point).unwrap(), [("jquery".to_owned(), 31_623)]);
    let bulk = recording("packages/npm_downloads_bulk_null.json");
    assert_eq!(npm::downloads(&bulk).unwrap(), [("express".to_owned(), 268_437)]);
}

#[test]
fn figures_that_cannot_be_read_are_none() {
    for body in ["", "<html>", r#"{"error":"package x not found"}"#, "null"] {
        assert!(npm::downloads(body).unwrap().is_empty(), "{body}");
    }
}

#[freshcontext_recorded::test]
fn a_project_is_dated_by_its_first_file() {
    let body = recording("packages/pypi_luigi_3.6.0.json");
    let facts = pypi::read(&body).unwrap();
    assert_eq!(facts.latest.as_deref(), Some("3.6.0"));
    assert_eq!(facts.versions, Some(84));
    assert!(
        facts
            .published
            .iter()
            .all(|published| published.version != "1.0.8")
    );
    assert!(date(&facts).starts_with("2024-12-0"), "{}", date(&facts));
}

#[test]
fn a_project_is_dated_by_the_earliest_of_its_files() {
    let late = r#"{"info":{"name":"a","version":"1.0","project_urls":null,"keywords":null,"yanked":true,"yanked_reason":"broken"},"urls":[
        {"upload_time_iso_8601":"2026-01-01T00:00:00.000000Z"},{"upload_time_iso_8601":"2020-01-01T00:00:00.123456Z"}],"vulnerabilities":[{"id":"PYSEC-1","withdrawn":null}]}"#;
    let facts = pypi::read(late).unwrap();
    assert_eq!(date(&facts), "2020-01-01T00:00:00.123456Z");
    let item = item(facts, Registry::Pypi);
    assert_eq!(
        (
            item.fields["yanked"].as_str(),
            item.fields["vulnerabilities"][0].as_str()
        ),
        (Some("broken"), Some("PYSEC-1"))
    );
}

#[freshcontext_recorded::test]
fn old_and_bare_projects() {
    let six = recording("packages/pypi_six_old_shape.json");
    let facts = pypi::read(&six).unwrap();
    assert!(facts.latest.is_some() && date(&facts).starts_with("20"));
    let numpy = pypi::read(&recording("packages/pypi_no_info_version.json")).unwrap();
    assert!(numpy.inferred && numpy.latest.is_some() && date(&numpy) != "none");
}

#[test]
fn bare_projects_have_no_date_and_others_are_malformed() {
    let empty = r#"{"info":{"name":"a","version":"1.0"},"urls":[],"releases":{"1.0":[]}}"#;
    assert_eq!(date(&pypi::read(empty).unwrap()), "none");
    for body in ["", "[]", "{}", r#"{"info":null}"#, r#"{"message":"Not Found"}"#] {
        assert_eq!(pypi::read(body).unwrap_err().code, ErrorCode::Malformed, "{body}");
    }
}

#[freshcontext_recorded::test]
fn a_crate_is_dated_by_its_version_not_by_its_update() {
    let body = recording("packages/crates_xdg.json");
    let facts = crates::read(&body).unwrap();
    assert_eq!(facts.latest.as_deref(), Some("2.1.0"));
    assert!(date(&facts).starts_with("2017-03-11"));
    let xdg = item(facts, Registry::Crates);
    assert!(
        xdg.fields["newest_publish"]
            .as_str()
            .unwrap()
            .starts_with("3.0.0-pre1 (2018-03-09")
    );
    assert_eq!(xdg.fields["downloads_90d"], 37_562);
    let libc = crates::read(&recording("packages/crates_libc_nulls.json")).unwrap();
    assert_eq!((libc.latest.as_deref(), date(&libc).as_str()), (None, "none"));
    let libc = item(libc, Registry::Crates);
    assert_eq!(libc.title, "crates.io libc");
    assert!(!libc.fields.contains_key("versions") && !libc.fields.contains_key("downloads_90d"));
    assert_eq!(
        crates::read(&recording("packages/crates_not_found.json"))
            .unwrap_err()
            .code,
        ErrorCode::NotFound
    );
}

#[test]
fn a_yanked_or_undated_version_has_no_other_ones_date() {
    let yanked = r#"{"crate":{"name":"a","max_stable_version":"2.0.0"},"versions":[{"num":"2.0.0","created_at":"2026-02-01T00:00:00.5+00:00","yanked":true},{"num":"1.0.0","created_at":"2026-01-01T00:00:00+00:00","yanked":false}]}"#;
    assert_eq!(crates::read(yanked).unwrap().latest.as_deref(), Some("1.0.0"));
    // Undated or not in the list, the newest version is still the newest, and has no other one's date.
    for newest in [r#"{"num":"2.0.0","yanked":false},"#, ""] {
        let body = format!(
            r#"{{"crate":{{"name":"a","max_stable_version":"2.0.0"}},"versions":[{newest}{{"num":"1.0.0","created_at":"2026-01-01T00:00:00+00:00","yanked":false}}]}}"#
        );
        let facts = crates::read(&body).unwrap();
        assert_eq!(
            (facts.latest.as_deref(), date(&facts).as_str()),
            (Some("2.0.0"), "none")
        );
        assert!(!facts.inferred);
    }
    for body in ["", "[]", "{}", "null"] {
        assert_eq!(
            crates::read(body).unwrap_err().code,
            ErrorCode::Malformed,
            "{body}"
        );
    }
}

#[test]
fn cadence_counts_stable_versions_only() {
    let published = |version: &str, day: &str, prerelease| Published {
        version: version.to_owned(),
        written: String::new(),
        at: format!("{day}T00:00:00Z").parse().unwrap(),
        prerelease,
        deprecated: None,
    };
    let facts = Facts {
        name: "a".to_owned(),
        published: vec![
            published("1", "2026-01-01", false),
            published("2", "2026-05-11", false),
            published("3", "2026-05-21", false),
            published("4-rc", "2026-05-30", true),
        ],
        ..Facts::default()
    };
    let item = item(facts, Registry::Npm);
    assert_eq!(
        (
            item.fields["releases_30d"].as_u64(),
            item.fields["releases_365d"].as_u64()
        ),
        (Some(2), Some(3))
    );
    assert_eq!(
        (
            item.fields["median_gap_days"].as_i64(),
            item.fields["prereleases"].as_u64()
        ),
        (Some(70), Some(1))
    );
}

#[test]
fn licences_and_repositories_in_all_their_forms() {
    let of = |text: &str| license(Some(&serde_json::from_str(text).unwrap()));
    assert_eq!(of(r#"{"type":"MIT"}"#).as_deref(), Some("MIT"));
    assert_eq!(of(r#"[{"type":"BSD"}]"#).as_deref(), Some("BSD"));
    assert_eq!(of(&format!("\"{}\"", "long ".repeat(50))), None);
    assert_eq!(
        repository("git+ssh://git@github.com/o/r.git").as_deref(),
        Some("https://github.com/o/r")
    );
    assert_eq!(repository("o/r").as_deref(), Some("https://github.com/o/r"));
    assert_eq!(
        repository("git+https://gitlab.com/o/r.git").as_deref(),
        Some("https://gitlab.com/o/r")
    );
    assert_eq!(repository("nonsense"), None);
}

#[test]
fn any_prefix_of_any_body_is_survived() {
    let recorded = recorded(&[
        "packages/npm_is-stream.json",
        "packages/pypi_six_old_shape.json",
        "packages/crates_xdg.json",
    ]);
    any_prefix(24, &[fixtures("packages"), recorded].concat(), |cut| {
        for error in [
            npm::read(cut).err(),
            pypi::read(cut).err(),
            crates::read(cut).err(),
        ] {
            assert_eq!(error.map(|error| error.code), Some(ErrorCode::Malformed));
        }
    });
}

mod standing {
    use super::*;
    use freshcontext_contract::StandingEvidence;
    use freshcontext_contract::serde_json::{Value, json};

    fn brief(signs: &[StandingEvidence]) -> Vec<(&'static str, &str, Option<&str>)> {
        signs
            .iter()
            .map(|sign| (sign.state.as_str(), sign.field.as_ref(), sign.reason.as_deref()))
            .collect()
    }

    fn npm_package(latest: &str, manifest: Value) -> Value {
        let mut document = json!({
            "name": "a",
            "dist-tags": {"latest": latest},
            "time": {"modified": "2026-01-02T00:00:00Z", latest: "2026-01-01T00:00:00Z"},
            "versions": {"0.1.0": {"deprecated": "old"}},
            "keywords": ["deprecated"],
            "description": "deprecated",
        });
        document["versions"][latest] = manifest;
        document
    }

    fn npm_signs(document: &Value) -> Vec<StandingEvidence> {
        item(npm::read(&document.to_string()).unwrap(), Registry::Npm).standing
    }

    #[test]
    fn npm_says_it_of_the_version_handed_out() {
        let signs = npm_signs(&npm_package(
            "1.0.0",
            json!({"deprecated": "Please use @s/b instead"}),
        ));
        let field = "versions[1.0.0].deprecated";
        assert_eq!(
            brief(&signs),
            [("deprecated", field, Some("Please use @s/b instead"))]
        );
        let by = signs[0].replaced_by.as_ref().unwrap();
        assert_eq!(by.id.as_deref(), Some("@s/b"));
        assert_eq!(by.url.as_deref(), Some("https://www.npmjs.com/package/@s/b"));
        assert_eq!((&signs[0].since, signs[0].by.as_deref()), (&None, Some("owner")));
        let early = npm_signs(&npm_package("2.0.0-rc.1", json!({})));
        assert_eq!(brief(&early), [("prerelease", "dist-tags.latest", None)]);
        let large = r#"{"name":"a","version":"1.0.0","deprecated":true}"#;
        let signs = item(npm::manifest(large).unwrap(), Registry::Npm).standing;
        assert_eq!(brief(&signs), [("deprecated", field, None)]);
    }

    #[test]
    fn npms_other_words_are_no_signs() {
        for manifest in [
            json!({}),
            json!({"deprecated": ""}),
            json!({"deprecated": "  "}),
            json!({"deprecated": false}),
            json!({"deprecated": null}),
            json!({"deprecation": "gone"}),
            json!({"description": "deprecated, use b instead", "keywords": ["deprecated"]}),
        ] {
            assert!(
                npm_signs(&npm_package("1.0.0", manifest.clone())).is_empty(),
                "{manifest}"
            );
        }
    }

    #[test]
    fn an_unpublished_package_is_an_error_that_says_since_when() {
        let gone = |unpublished: Value| {
            json!({"name": "a", "time": {"modified": "2026-01-02T00:00:00Z", "unpublished": unpublished}})
                .to_string()
        };
        let error = npm::read(&gone(
            json!({"time": "2023-06-15T12:30:00.000Z", "versions": ["1.0.0"]}),
        ))
        .unwrap_err();
        assert_eq!(brief(&error.standing), [("removed", "time.unpublished", None)]);
        assert_eq!(error.standing[0].since, Some("2023-06-15T12:30:00.000Z".into()));
        let untold = npm::read(&gone(json!({"versions": ["1.0.0"]}))).unwrap_err();
        assert_eq!((untold.standing.len(), &untold.standing[0].since), (1, &None));
        // What was published again is there.
        let mut again = npm_package("1.0.0", json!({}));
        again["time"]["unpublished"] = json!({"time": "2023-06-15T12:30:00.000Z"});
        assert!(npm_signs(&again).is_empty());
        let elsewhere =
            json!({"name": "a", "time": {"was-unpublished": {"time": "2023-06-15T12:30:00.000Z"}}});
        assert!(npm_signs(&elsewhere).is_empty());
    }

    #[test]
    fn npms_placeholder_is_shown_as_removed_and_dates_nothing() {
        let holder = json!({"description": "security holding package", "repository": "npm/security-holder"});
        let mut document = npm_package("0.0.1-security", holder);
        document["versions"].as_object_mut().unwrap().remove("0.1.0");
        let facts = npm::read(&document.to_string()).unwrap();
        assert_eq!((date(&facts).as_str(), facts.notes.len()), ("none", 1));
        let item = item(facts, Registry::Npm);
        assert_eq!(
            brief(&item.standing),
            [("removed", "dist-tags.latest", Some("security holding package"))]
        );
        assert!(!item.fields.contains_key("releases_30d") && !item.fields.contains_key("latest"));
        document["versions"]["0.0.1-security"] = json!({"description": "security for all"});
        assert_eq!(
            brief(&npm_signs(&document)),
            [("prerelease", "dist-tags.latest", None)]
        );
    }

    fn project(info: Value, urls: Value) -> Value {
        let mut document = json!({
            "info": {"name": "a", "version": "1.0", "yanked": false, "yanked_reason": null, "classifiers": []},
            "releases": {"0.9": [{"upload_time_iso_8601": "2025-01-01T00:00:00Z", "yanked": true}]},
            "vulnerabilities": [{"id": "PYSEC-1", "withdrawn": "2026-01-01T00:00:00Z"}],
        });
        document["urls"] = urls;
        if let (Value::Object(info), Some(whole)) = (info, document["info"].as_object_mut()) {
            whole.extend(info);
        }
        document
    }

    fn file(yanked: bool, reason: Option<&str>) -> Value {
        json!({"upload_time_iso_8601": "2026-01-01T00:00:00Z", "yanked": yanked, "yanked_reason": reason})
    }

    fn pypi_signs(document: &Value) -> Vec<StandingEvidence> {
        item(pypi::read(&document.to_string()).unwrap(), Registry::Pypi).standing
    }

    #[test]
    fn pypi_says_it_of_the_release_handed_out() {
        let sound = json!([file(false, None)]);
        let of = |info: Value| pypi_signs(&project(info, sound.clone()));
        assert_eq!(
            brief(&of(json!({"yanked": true, "yanked_reason": "broken"}))),
            [("yanked", "info.yanked", Some("broken"))]
        );
        assert_eq!(
            brief(&of(json!({"yanked": true}))),
            [("yanked", "info.yanked", None)]
        );
        for (reason, instead) in [
            ("A lost file. Use 1.0.1 instead.", Some("1.0.1")),
            ("Use the next one instead", None),
            ("broken since 0.9", None),
        ] {
            let signs = of(json!({"yanked": true, "yanked_reason": reason}));
            let named = signs[0].replaced_by.as_ref().and_then(|by| by.id.as_deref());
            assert_eq!(named, instead, "{reason}");
        }
        let inactive =
            of(json!({"classifiers": ["Topic :: Software", "Development Status :: 7 - Inactive"]}));
        assert_eq!(brief(&inactive), [("ended", "info.classifiers", None)]);
        assert_eq!(inactive[0].basis, freshcontext_contract::standing::Basis::Mark);
        assert_eq!(
            brief(&of(json!({"version": "2.0a1"}))),
            [("prerelease", "info.version", None)]
        );
        assert_eq!(
            brief(&of(json!({"version": "2.0.dev3"}))),
            [("prerelease", "info.version", None)]
        );
        let all = json!([file(true, None), file(true, Some("wrong licence"))]);
        assert_eq!(
            brief(&pypi_signs(&project(json!({}), all))),
            [("yanked", "urls[].yanked", Some("wrong licence"))]
        );
    }

    #[test]
    fn pypis_other_words_are_no_signs() {
        let one = json!([file(true, Some("bad wheel")), file(false, None)]);
        for (info, urls) in [
            (json!({}), one),
            (json!({}), json!([])),
            (json!({"yanked": "true"}), json!([])),
            (json!({"was_yanked": true}), json!([])),
            (json!({"yanked_reason": "broken"}), json!([])),
            (json!({"version": "1.0.post1"}), json!([])),
            (
                json!({"classifiers": ["Development Status :: 4 - Beta"]}),
                json!([]),
            ),
            (
                json!({"classifiers": "Development Status :: 7 - Inactive"}),
                json!([]),
            ),
            (
                json!({"classifiers_of_old": ["Development Status :: 7 - Inactive"]}),
                json!([]),
            ),
            (json!({"summary": "Deprecated decorator; inactive"}), json!([])),
        ] {
            assert!(pypi_signs(&project(info.clone(), urls)).is_empty(), "{info}");
        }
    }

    #[test]
    fn pypis_index_states_a_projects_status() {
        let of = |status: Value| {
            let page = json!({"meta": {"api-version": "1.4"}, "name": "a", "files": [], "versions": [], "project-status": status});
            pypi::status(&page.to_string()).unwrap()
        };
        for (status, state, by) in [
            (json!({"status": "archived"}), "archived", "owner"),
            (json!({"state": "archived"}), "archived", "owner"),
            (
                json!({"status": "deprecated", "reason": "Please use new-lib instead"}),
                "deprecated",
                "owner",
            ),
            (
                json!({"status": "quarantined", "reason": "malware"}),
                "removed",
                "registry",
            ),
        ] {
            let sign = of(status.clone()).unwrap();
            assert_eq!(
                (sign.state.as_str(), sign.by.as_deref(), &sign.since),
                (state, Some(by), &None),
                "{status}"
            );
            assert_eq!(
                sign.reason.as_deref(),
                status.get("reason").and_then(Value::as_str)
            );
            let named = sign.replaced_by.and_then(|by| by.id);
            assert_eq!(named.as_deref(), (state == "deprecated").then_some("new-lib"));
        }
        for status in [
            json!({"status": "active"}),
            json!({"status": "sunset"}),
            json!({"status": 7}),
            json!({"reason": "archived"}),
            json!({}),
            json!(null),
            json!("archived"),
        ] {
            assert_eq!(of(status.clone()), None, "{status}");
        }
        // A page without a status is one of an active project (PEP 792); what is no such page is a failure.
        let bare = r#"{"meta":{"api-version":"1.1"},"name":"a","files":[]}"#;
        assert_eq!(pypi::status(bare).unwrap(), None);
        for foreign in ["", "{}", "[]", "<html>", r#"{"message":"Not Found"}"#] {
            assert_eq!(
                pypi::status(foreign).unwrap_err().code,
                ErrorCode::Malformed,
                "{foreign}"
            );
        }
    }

    #[test]
    fn a_crate_is_yanked_where_the_version_handed_out_is() {
        let of = |version: Value| {
            let mut row = json!({"num": "1.0.0", "created_at": "2026-01-01T00:00:00Z"});
            row.as_object_mut()
                .unwrap()
                .extend(version.as_object().unwrap().clone());
            let body = json!({"crate": {"name": "a", "max_stable_version": "1.0.0", "description": "yanked"}, "versions": [row]});
            item(crates::read(&body.to_string()).unwrap(), Registry::Crates).standing
        };
        let field = "versions[1.0.0].yanked";
        let signs = of(json!({"yanked": true, "yank_message": "unsound"}));
        assert_eq!(brief(&signs), [("yanked", field, Some("unsound"))]);
        assert_eq!(
            brief(&of(json!({"yanked": true, "yank_message": null}))),
            [("yanked", field, None)]
        );
        for version in [
            json!({}),
            json!({"yanked": false}),
            json!({"yanked": null}),
            json!({"yanked": "true"}),
            json!({"yank_message": "unsound"}),
            json!({"is_yanked": true}),
        ] {
            assert!(of(version.clone()).is_empty(), "{version}");
        }
        // Another version that is yanked is not the one shown.
        let other = r#"{"crate":{"name":"a","max_stable_version":"1.0.0"},"versions":[{"num":"1.1.0","yanked":true},{"num":"1.0.0","yanked":false}]}"#;
        assert!(
            item(crates::read(other).unwrap(), Registry::Crates)
                .standing
                .is_empty()
        );
    }
}

#[test]
fn a_yanked_version_is_the_latest_only_where_no_other_stands() {
    use serde_json::json;
    let file = |day: &str, yanked: bool| json!({"upload_time_iso_8601": format!("{day}T00:00:00Z"), "yanked": yanked, "yanked_reason": yanked.then_some("broken")});
    let of = |marked: bool, older: bool| {
        let body = json!({
            "info": {"name": "a", "version": "6.0.0", "yanked": marked, "yanked_reason": marked.then_some("broken")},
            "releases": {
                "6.0.0": [file("2026-10-01", true)],
                "6.1.0rc1": [file("2026-10-02", false)],
                "5.9.0": [file("2026-09-01", older)],
                "5.8.0": [file("2026-08-01", older)],
                "5.7.0": []
            },
            "urls": [file("2026-10-01", true)]
        });
        pypi::read(&body.to_string()).unwrap()
    };
    for marked in [true, false] {
        let facts = of(marked, false);
        assert_eq!((facts.latest.as_deref(), facts.inferred), (Some("5.9.0"), true));
        assert_eq!(
            facts
                .date
                .value()
                .and_then(DateValue::instant)
                .map(|at| at.date_naive().to_string())
                .as_deref(),
            Some("2026-09-01")
        );
        assert!(facts.standing.is_empty(), "{:?}", facts.standing);
        assert!(facts.notes[0].contains("6.0.0") && facts.notes[0].contains("yanked"));
    }
    // All stable ones are withdrawn: a pre-release is what is left.
    assert_eq!(of(true, true).latest.as_deref(), Some("6.1.0rc1"));
    let alone = json!({
        "info": {"name": "a", "version": "6.0.0", "yanked": true},
        "releases": {"6.0.0": [file("2026-10-01", true)]},
        "urls": [file("2026-10-01", true)]
    });
    let facts = pypi::read(&alone.to_string()).unwrap();
    assert_eq!(facts.latest.as_deref(), Some("6.0.0"));
    assert_eq!(facts.standing.len(), 1);
}

#[test]
fn a_pre_release_after_the_latest_version_is_newer() {
    let read = |latest: &str| {
        let body = format!(
            r#"{{"name":"x","dist-tags":{{"latest":"{latest}"}},"versions":{{"1.0.0":{{}},"2.0.0-rc.1":{{}}}},
                "time":{{"1.0.0":"2026-01-01T00:00:00Z","2.0.0-rc.1":"2026-05-01T00:00:00Z"}}}}"#
        );
        npm::read(&body).unwrap()
    };
    assert!(read("1.0.0").has_newer_than_latest());
    assert!(!read("2.0.0-rc.1").has_newer_than_latest());
}
